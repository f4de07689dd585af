"""A video is read by the times of its frames, upright, within limits; what cannot be read says why."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from editscope.factory.video.reading import BadVideo, VideoLimits, open_video
from support.factory.made_videos import encoded, grainy, overwritten, sliding, sound_only, without_key_frame, write


def corner(rotation: int, tmp_path: Path) -> tuple[tuple[int, ...], float, float]:
    """A red square in the top left corner of a wide video: size, and where it is, after the display matrix."""
    frame = np.zeros((64, 96, 3), np.uint8)
    frame[:20, :20] = (255, 0, 0)
    with open_video(write(tmp_path / f"{rotation}.mp4", encoded([frame] * 3, rotation=rotation))) as video:
        pixels = next(video.frames()).pixels
    rows, columns = np.nonzero(pixels[..., 0] > 128)
    return pixels.shape[:2], float(rows.mean()), float(columns.mean())


def test_frames_come_in_order_with_their_times(tmp_path: Path) -> None:
    frames = sliding(16)
    with open_video(write(tmp_path / "a.mp4", encoded(frames))) as video:
        read = list(video.frames())
        assert [frame.time_s for frame in read] == [number / 8 for number in range(16)]
        assert all(np.abs(a.pixels.astype(int) - b).mean() < 6 for a, b in zip(read, frames, strict=True))
        part = list(video.frames(0.3, 0.8))
        assert [frame.time_s for frame in part] == [0.25, 0.375, 0.5, 0.625, 0.75]
        facts = video.facts()
    assert (facts.width, facts.height, facts.seconds, facts.fps) == (128, 96, 2.0, 8.0)


def test_a_variable_frame_rate_is_read_by_time_and_not_by_number(tmp_path: Path) -> None:
    times = [0.0, 0.1, 0.2, 1.5, 1.6]
    with open_video(write(tmp_path / "a.mp4", encoded(sliding(5), times_s=times))) as video:
        assert [frame.time_s for frame in video.frames()] == times
        assert [frame.index for frame in video.at([0.0, 0.8, 1.5, 7.0])] == [0, 2, 3, 4]


def test_late_frames_are_the_same_whether_the_video_is_wound_or_read_from_its_beginning(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mp4", encoded(sliding(100, step=1), key_every=12))
    with open_video(path) as video:
        read = {frame.time_s: frame.pixels for frame in video.frames()}
        late = [*video.at([7.3, 9.0, 11.1]), *video.frames(8.2, 8.6), *video.first_and_last(6.0, 10.0)]
        assert [frame.time_s for frame in late] == [7.25, 9.0, 11.0, 8.125, 8.25, 8.375, 8.5, 6.0, 10.0]
        assert all(np.array_equal(frame.pixels, read[frame.time_s]) for frame in late)


def test_a_rotated_video_is_turned_upright(tmp_path: Path) -> None:
    assert corner(0, tmp_path) == ((64, 96), 9.5, 9.5)
    assert corner(-90, tmp_path) == ((96, 64), 9.5, 53.5)  # a phone held upright: the corner goes to the right
    assert corner(90, tmp_path) == ((96, 64), 85.5, 9.5)
    assert corner(180, tmp_path) == ((64, 96), 53.5, 85.5)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty video: the file has no bytes"),
        (b"no video at all\n" * 99, "broken video: invalid data"),
        (b"#EXTM3U\n#EXTINF:10,\n/etc/passwd\n#EXT-X-ENDLIST\n", "broken video: invalid data"),
        (b"ffconcat version 1.0\nfile a.mp4\n", "broken video: "),
        (encoded([]), "empty video: no stream"),
        (sound_only(), "empty video: only sound"),
    ],
    ids=["zero bytes", "text", "playlist", "list of files", "no frames", "only sound"],
)
def test_what_is_no_video_says_why(data: bytes, reason: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a.mp4", data)
    with pytest.raises(BadVideo, match=reason), open_video(path) as video:
        list(video.frames())


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("faststart", [False, True])
def test_a_file_that_is_cut_off_is_broken(share: float, faststart: bool, tmp_path: Path) -> None:
    data = encoded(sliding(40, width=320), faststart=faststart)
    path = write(tmp_path / "a.mp4", data[: int(share * len(data))])
    with pytest.raises(BadVideo, match="broken video"), open_video(path) as video:
        list(video.frames())


def test_damage_that_the_decoder_notices_breaks_a_video(tmp_path: Path) -> None:
    whole = encoded(grainy(), key_every=10)
    reasons = {
        "broken video: it begins without a key frame": without_key_frame(whole),
        "broken video: damaged at 0.00 s": overwritten(whole, 0, 0.5, 0.6),
        "broken video: damaged at 2.50 s": overwritten(whole, 20),
    }
    for reason, data in reasons.items():
        path = write(tmp_path / "a.mp4", data)
        with open_video(path) as video, pytest.raises(BadVideo, match=reason):
            list(video.frames())
        with open_video(path) as video, pytest.raises(BadVideo, match=reason):
            video.first_and_last()
    with open_video(write(tmp_path / "a.mp4", whole)) as video:
        assert len(list(video.frames())) == 30


def test_frames_before_the_damage_can_be_used(tmp_path: Path) -> None:
    with open_video(write(tmp_path / "a.mp4", overwritten(encoded(grainy(), key_every=10), 20))) as video:
        assert [frame.time_s for frame in video.at([0.0, 1.0])] == [0.0, 1.0]


def test_limits_hold_before_anything_is_decoded(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mp4", encoded(sliding(16)))
    for limits, reason in (
        (VideoLimits(seconds=1), "too long"), (VideoLimits(pixels=64 * 64), "frames too large: 128 × 96"),
        (VideoLimits(bytes=100), "file too large"), (VideoLimits(frames=4), "over 4 frames"),
    ):  # fmt: skip
        with pytest.raises(BadVideo, match=reason), open_video(path, limits) as video:
            list(video.frames())


def test_the_same_file_gives_the_same_pixels(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mp4", encoded(sliding(9, width=256)))
    with open_video(path) as video:
        first = [frame.pixels for frame in video.frames()]
        again = [frame.pixels for frame in video.frames()]
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
