"""Sizes for one pipeline: in which a picture is sent, and which is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from editscope.editors.diffusion.families import SizeRule
from editscope.editors.diffusion.options import PipelineOptions
from editscope.editors.sizing import Size, SizeMapping, fit_to
from editscope.errors import BadInput
from editscope.images import Pixels


@dataclass(frozen=True, slots=True)
class Sizing:
    """The rule of a pipeline together with what the user asked for."""

    rule: SizeRule
    sizes: tuple[Size, ...] = ()
    max_area: int | None = None
    size: Size | None = None

    @property
    def own(self) -> bool:
        """Whether the pipeline chooses the size itself."""
        return self.rule.own

    def fit(self, size: Size) -> SizeMapping:
        """How a picture of this size goes in and comes back.

        >>> Sizing(SizeRule(area=1024 * 1024, multiple=32)).fit((1024, 576)).sent
        (1376, 768)
        >>> Sizing(SizeRule(area=1024 * 1024, at_most=True)).fit((500, 300)).sent
        (496, 304)
        """
        if self.own:
            return SizeMapping(size, size, size)
        if self.size is not None:
            return fit_to(size, sizes=(self.size,), how="stretch" if self.rule.as_is else "auto")
        pixels = size[0] * size[1]
        area = self.rule.area
        if area is not None and self.rule.at_most and pixels <= area:
            area = None
        if self.max_area is not None and (area or pixels) > self.max_area:
            return fit_to(size, multiple=self.rule.multiple, area=self.max_area, how="stretch")
        if self.sizes and self.max_area is None:
            return fit_to(size, sizes=self.sizes, how="stretch")
        return fit_to(size, multiple=self.rule.multiple, area=area, how="stretch")

    def shown(self, pixels: Pixels, first: bool = True) -> Pixels:
        """A picture as the pipeline gets it; the size that the user asked for is that of the first one."""
        if self.own or self.rule.as_is:
            return pixels
        sizing = self if first else replace(self, size=None)
        return sizing.fit((pixels.shape[1], pixels.shape[0])).apply(pixels)


def sizing_for(target: str, rule: SizeRule, listed: Sequence[Sequence[int]], options: PipelineOptions) -> Sizing:
    """The sizing of a pipeline; BadInput where the user asks for a size that it cannot have."""
    if rule.own and (options.size or options.max_area):
        name = "size" if options.size else "max_area"
        raise BadInput(f"editor diffusers:{target}: this pipeline chooses the size of an edit itself; leave out {name}")
    if options.size is not None:
        width, height = options.size
        if width % rule.multiple or height % rule.multiple:
            raise BadInput(
                f"editor diffusers:{target}, option size: this pipeline needs multiples of {rule.multiple}, not "
                f"{width}x{height}; write {_near(width, rule.multiple)}x{_near(height, rule.multiple)}"
            )
    return Sizing(rule, tuple((int(w), int(h)) for w, h in listed), options.max_area, options.size)


def _near(side: int, multiple: int) -> int:
    return max(1, round(side / multiple)) * multiple
