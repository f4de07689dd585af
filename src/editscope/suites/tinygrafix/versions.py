"""Versions of the libraries that decide about pixels. Light to import, since it is read before anything is drawn."""

from __future__ import annotations


def versions() -> dict[str, str]:
    """The versions of Matplotlib and of the FreeType inside it."""
    import matplotlib
    from matplotlib.ft2font import __freetype_version__

    return {"matplotlib": matplotlib.__version__, "freetype": __freetype_version__}
