"""Made examples for every check of pixels: half of them should be found, half should not.

``made(check, seed)`` gives the set that the checks were developed on. ``made(check, seed, unseen=True)`` gives a set of
somebody who has not seen the checks, from ``pixel_sets_unseen.py`` beside this file: a module with a function
``unseen(check, seed, count) -> Iterator[Example]``.

What counts as found, for whoever makes a set (between the two lies what nobody needs to agree on):

- ``static_pair``: the same picture, apart from noise up to 6 levels, JPEG from 45, H.264 up to crf 30, a flicker of 2
  levels or a jitter of 0.3 pixels. Not found: any change that covers at least 0.3 % of the picture and 25 levels, or
  all of it and 12 levels.
- ``camera_motion``: the mean place of the picture moves by at least 1 % of the longer side, by shift, zoom or turn,
  whatever else changes. Not found: under 0.3 %; objects up to a third of the picture may move, light may change.
- ``blank_frame``: nothing to see (one color, black, white, noise with grains up to 6 pixels or in rows), or at least
  5 % broken by missing data as one picture can show it: flat color on the grid of 16 pixels, in scattered blocks or
  from one of its lines on, the gray or green of a decoder, rows that repeat to the end below a picture with texture,
  blocks in the wrong place. Not found: any picture that shows something, dark, light, hazy, grainy, blocky or between
  black bars as it may be. Not asked: shifted strips, a frozen part of another picture, mild concealment, and rows that
  repeat below flat shapes. One picture looks whole with them; steps that decode drop what the decoder reports.
- ``stable_outside``: more than an edit in at most three places changed: a tint of 8 levels or more, a shift of 1 % or
  more, another texture, at least six places far from each other; or something outside of given regions. Not found: an
  edit of at most three places under 40 % of the picture, with the noise of ``static_pair``.
- ``near_duplicates``: one picture after resizing, coding, noise, a crop of at most 2 %, light by at most 10 %, a
  mark of at most 1.5 %. Not found: another picture, of the same kind as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

import numpy as np

from support.factory import pixel_frames, pixel_pairs
from support.factory.pixel_examples import Example
from support.factory.scenes import Rng

__all__ = ["COUNT", "Example", "made"]

COUNT = 100
"""Examples of each label."""
Maker = Callable[[Rng], Example]
MAKERS: dict[str, dict[bool, tuple[Maker, ...]]] = {
    "static_pair": {
        True: (pixel_pairs.same_scene, pixel_pairs.same_scene, pixel_pairs.same_problem),
        False: (
            pixel_pairs.changed_scene,
            pixel_pairs.changed_scene,
            pixel_pairs.changed_light,
            pixel_pairs.changed_problem,
        ),
    },
    "camera_motion": {
        True: (
            pixel_pairs.moved_camera,
            pixel_pairs.moved_camera_and_object,
            pixel_pairs.moved_camera,
            pixel_pairs.moved_flat,
        ),
        False: (
            pixel_pairs.moved_object,
            pixel_pairs.moved_large_object,
            pixel_pairs.relit,
            pixel_pairs.shaken,
            pixel_pairs.moved_object,
            pixel_pairs.edited_problem,
        ),
    },
    "blank_frame": {
        True: (pixel_frames.plain, pixel_frames.noise, pixel_frames.missing, pixel_frames.broken_blocks),
        False: (
            pixel_frames.shown,
            pixel_frames.hard_to_see,
            pixel_frames.pattern,
            pixel_frames.shown_problem,
            pixel_frames.hard_to_see,
        ),
    },
    "stable_outside": {
        True: (pixel_pairs.spilled, pixel_pairs.spilled, pixel_pairs.scattered, pixel_pairs.beside_regions),
        False: (
            pixel_pairs.local,
            pixel_pairs.local,
            pixel_pairs.local_light,
            lambda rng: pixel_pairs.beside_regions(rng, found=False),
        ),
    },
    "near_duplicates": {True: (pixel_frames.copied,), False: (pixel_frames.others,)},
}


def made(check: str, seed: int, unseen: bool = False, count: int = COUNT) -> Iterator[Example]:
    """``count`` examples that should be found, and as many that should not, in turn."""
    if unseen:
        yield from import_module("support.factory.pixel_sets_unseen").unseen(check, seed, count)
        return
    for number in range(count):
        for found in (True, False):
            rng = np.random.default_rng([seed, list(MAKERS).index(check), number, found])
            ways = MAKERS[check][found]
            yield ways[number % len(ways)](rng)
