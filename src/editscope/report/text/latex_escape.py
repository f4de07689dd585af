"""Text as LaTeX that compiles: escaped, in ASCII, and how wide it will be."""

from __future__ import annotations

import unicodedata

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"''",
    "`": r"\textasciigrave{}",
}
KNOWN = {
    "–": "--",
    "—": "---",
    "−": r"$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "→": r"$\rightarrow$",
    "←": r"$\leftarrow$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≈": r"$\approx$",
    "∞": r"$\infty$",
    "°": r"$^\circ$",
    "²": r"$^2$",
    "³": r"$^3$",
    "…": r"\ldots{}",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "•": r"$\bullet$",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "©": r"\copyright{}",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "γ": r"$\gamma$",
    "δ": r"$\delta$",
    "ε": r"$\varepsilon$",
    "κ": r"$\kappa$",
    "λ": r"$\lambda$",
    "μ": r"$\mu$",
    "µ": r"$\mu$",
    "π": r"$\pi$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "τ": r"$\tau$",
    "φ": r"$\varphi$",
    "Δ": r"$\Delta$",
    "Σ": r"$\Sigma$",
    "Ω": r"$\Omega$",
}
ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0323": "d",
    "\u0327": "c",
}
NARROW, WIDE = "ijlt.,:;'!|()[]I", "mwMW"


def escaped(text: str) -> str:
    r"""Text as LaTeX shows it, in plain ASCII; a letter that TeX's own fonts lack becomes ``\\unicodeletter``.

    >>> escaped("50 % of a_b & <c>")
    '50 \\% of a\\_b \\& \\textless{}c\\textgreater{}'
    >>> escaped("ΔE ≤ 5, naïve, 1024×576"), escaped("中")
    ('$\\Delta$E $\\le$ 5, na\\"{\\i}ve, 1024$\\times$576', '\\unicodeletter{4E2D}')
    """
    return "".join(_letter(char) for char in " ".join(text.split()))


def in_comment(text: str) -> str:
    """Text that cannot leave a comment line.

    >>> in_comment("two\\nlines, 中")
    'two lines, ?'
    """
    return " ".join(text.split()).encode("ascii", "replace").decode()


def label_of(*parts: str) -> str:
    """A name for a label or a tag: letters, digits and hyphens.

    >>> label_of("paintbench", "modes-edit_accuracy")
    'paintbench-modes-edit-accuracy'
    """
    return "-".join("".join(c if c.isascii() and c.isalnum() else "-" for c in part).strip("-") for part in parts)


def width(text: str) -> float:
    """About how wide a text is, in multiples of the font size (Computer Modern).

    >>> round(width("17.1"), 2)
    1.8
    """
    return sum(_width(char) for char in text)


def _width(char: str) -> float:
    if char in NARROW:
        return 0.3
    if char in WIDE:
        return 0.88
    if char == " ":
        return 0.34
    if ord(char) > 0x2E7F:
        return 3.8  # written as its code point
    return 0.74 if char.isupper() or char in "±−+=<>×" else 0.5


def _letter(char: str) -> str:
    if char in SPECIAL:
        return SPECIAL[char]
    if char in KNOWN:
        return KNOWN[char]
    if " " <= char <= "~":
        return char
    if char.isspace():
        return "~"
    return _accented(char)


def _accented(char: str) -> str:
    parts = unicodedata.normalize("NFKD", char)
    base, marks = parts[:1], parts[1:]
    if not unicodedata.category(char).startswith(("L", "N", "P", "S")):
        return ""  # marks and control characters on their own show nothing
    if parts != char and all(mark in ACCENTS for mark in marks) and (base.isascii() or base in KNOWN):
        letter = {"i": r"\i", "j": r"\j"}.get(base, base) if marks else _letter(base)
        for mark in marks:
            letter = f"\\{ACCENTS[mark]}{{{letter}}}"
        return letter
    if parts != char and parts.isascii():
        return "".join(_letter(part) for part in parts)
    return rf"\unicodeletter{{{ord(char):04X}}}"
