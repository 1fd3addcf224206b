"""Unicode for the characters of symbol fonts: all of Symbol, and the meaningful ones of Wingdings and Webdings."""

from __future__ import annotations

import re

_PRIVATE = re.compile("[\uf020-\uf0ff]")
# Adobe's encoding of Symbol, 0x20 to 0x7E and 0xA0 to 0xFE.
_SYMBOL_LOW = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
_SYMBOL_HIGH = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\0⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
_SYMBOL = {0x20 + place: char for place, char in enumerate(_SYMBOL_LOW)} | {
    0xA0 + place: char for place, char in enumerate(_SYMBOL_HIGH) if char != "\0"
}
_WINGDINGS = (
    {0x81 + place: chr(0x2460 + place) for place in range(10)}
    | {0x8C + place: chr(0x2776 + place) for place in range(10)}
    | dict(zip(b"\x22\x28\x2a\x36\x46\x4a\x4c\x6c\x6e\x6f\x71\x75\x76\x77", "✂☎✉⌛☞☺☹●■□❑◆❖⬥", strict=True))
    | dict(zip(b"\x80\x9f\xa1\xa7\xa8\xab\xd8\xdf\xe0\xe1\xe2\xe8\xf0", "⓪•○▪◻★➢←→↑↓➔⇨", strict=True))
    | dict(zip(b"\xfb\xfc\xfd\xfe", "✗✓☒☑", strict=True))
)
_FONTS = {
    "symbol": _SYMBOL,
    "wingdings": _WINGDINGS,
    "wingdings 2": dict(zip(b"OPQRST\xa3", "✗✓☒☑☒☒□", strict=True)),
    "webdings": dict(zip(b"acgr", "✔□■✗", strict=True)),
}


def symbol(code: int, font: str) -> str:
    """The Unicode character for ``code`` (or 0xF000 + code) in a font; "" where there is none.

    >>> symbol(0xF0FC, "Wingdings"), symbol(0x61, "Symbol"), symbol(0x2713, "Segoe UI Symbol"), symbol(0xF001, "Own")
    ('✓', 'α', '✓', '')
    """
    table = _FONTS.get(font.lower())
    if table is not None:
        return table.get(code & 0xFF if 0xF000 <= code <= 0xF0FF else code, "")
    is_private = 0xE000 <= code <= 0xF8FF or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF
    return "" if is_private else chr(code)


def in_font(text: str, font: str) -> str:
    """Text in a symbol font as the characters it shows; other text unchanged.

    >>> in_font("a\\uf0b7", "Symbol"), in_font("abc", "Arial"), in_font("\\uf0fc done", "Arial")
    ('α•', 'abc', '✓ done')
    """
    if font.lower() in _FONTS:
        return "".join(symbol(ord(char), font) or ("" if char >= "\ue000" else char) for char in text)
    if _PRIVATE.search(text):  # private characters without a symbol font are mostly Wingdings
        return "".join(symbol(ord(char), "wingdings") if "\uf020" <= char <= "\uf0ff" else char for char in text)
    return text
