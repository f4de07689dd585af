"""What decides about the pixels besides our own code; asked before anything is drawn, so light to import."""

from __future__ import annotations


def versions() -> dict[str, str]:
    """The versions of Matplotlib and of the FreeType inside it."""
    import matplotlib
    from matplotlib.ft2font import __freetype_version__

    return {"matplotlib": matplotlib.__version__, "freetype": __freetype_version__}
