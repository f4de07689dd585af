"""Texts that break programs which believe that texts are harmless: more than two hundred, each for a reason."""

from __future__ import annotations

HALVES = (
    "\ud800",
    "\udbff",
    "\udc00",
    "\udfff",
    "\udc80",
    "\udcff",
    "\ud83d",
    "\ude00",
    "\ude00\ud83d",
    "\ud800\ud800",
)
NULS = ("\x00", "\x00\x00", "a\x00b", "\x00.png", "\ufeff\x00")
CONTROLS = (*(chr(code) for code in range(1, 32)), "\x7f", *(chr(code) for code in range(0x80, 0xA0)))
ESCAPES = (
    *("\x1b", "\x1b[31mred\x1b[0m", "\x1b[2J\x1b[H", "\x1b]0;title\x07", "\x1b]8;;http://example.org\x1b\\link"),
    *("\x1bP1$r\x1b\\", "\x1b[6n", "\x1bc", "\x9b31mred", "\x9d0;title\x9c", "\x1b[?1049h", "\x1b(0", "\x1b[1A\x1b[2K"),
)
DIRECTIONS = ("\u061c", "\u200e", "\u200f", *(chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
INVISIBLE = ("\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u3164", "\U000e0041", "\ufff9", "\ufffb")
EDGES = ("\ufffe", "\uffff", "\U0001fffe", "\U0010ffff", "\ufdd0", "\ufffd", "\ue000", "\U000f0000")
LINES = ("\n", "\r", "\r\n", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\n\n\n", "a\nb\rc", "\x1c\x1d\x1e")
LETTERS = (
    *("👩‍👩‍👧‍👦", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🇺🇳", "e" + "\u0301" * 500, "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢", "مرحبا بالعالم", "שלום עולם", "溶解", "ﬁ", "İ", "ß", "ǅ"),
    *("１２３", "𝔘𝔫𝔦", "ك‌ک", "นี้", "\u1160\u1160", "a" * 70_000, "溶" * 30_000, " ", "\t", "", "\xa0", "\u3000"),
)
CODE = (
    *("<script>alert(1)</script>", "</script><b>", "<!--", "]]>", "&amp;&lt;", "\"'><img src=x onerror=alert(1)>"),
    *('{"score": 1}', '"}', "\\", "\\\\", "\\u0000", "\\ud800", "null", "[]", "{}", "NaN", "-Infinity", "1e999"),
    *("[bold]x[/bold]", "[/]", "[red", "[link=http://example.org]x[/link]", ":smile:", "\\[x]"),
    *("%s%s%n", "%(x)s", "{0}", "{x!r}", "{{", "$HOME", "`id`", "$(id)", "; rm -rf /", "| cat", "&& true"),
    *("=1+1", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\t=1", '"a","b"', "a,b;c", "'"),
    *("\\input{/etc/passwd}", "\\end{document}", "$x_{1}^{2}$", "100%", "a_b", "#1", "~", "^", "\\\\hline", "&"),
    *("../../etc/passwd", "..", ".", "/", "\\\\host\\share", "CON", "a/b", "file:///etc/passwd", "data:text/html,x"),
    *("' OR 1=1 --", "1; DROP TABLE verdicts", "%00", "%0a", "0x00", "\\x00", "true", "None", "undefined"),
)
NASTY: tuple[str, ...] = tuple(
    dict.fromkeys(
        (
            *(*HALVES, *NULS, *CONTROLS, *ESCAPES, *DIRECTIONS, *INVISIBLE, *EDGES, *LINES, *LETTERS, *CODE),
            *(f"good {bad} bad" for bad in (*HALVES, *NULS, *ESCAPES, *DIRECTIONS)),
        )
    )
)

BUNDLES: tuple[str, ...] = tuple(" | ".join(NASTY[start : start + 6]) for start in range(0, len(NASTY), 6))
"""All of them in fewer texts, for what takes long."""

STEERING = frozenset(
    [chr(code) for code in (*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0))]
    + [chr(code) for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))]
)
"""What no foreign text may bring to a terminal; newline and tab may."""
