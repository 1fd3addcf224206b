"""Numbers as lists write them: the number formats of WordprocessingML (ECMA-376 part 1, 17.18.59)."""

from __future__ import annotations

from collections.abc import Callable

from core.text.numerals import in_roman, in_words, ordinal, ordinal_in_words

_CHINESE = "〇一二三四五六七八九"
_KATAKANA = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"
_GANADA, _CHOSUNG = "가나다라마바사아자차카타파하", "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"
_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщыэюя"
_HEBREW = "אבגדהוזחטיכלמנסעפצקרשת"
_ARABIC, _ABJAD = "أبتثجحخدذرزسشصضطظعغفقكلمنهوي", "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ"
_CHICAGO = "*†‡§"
_MAX_REPEATED = 40


def number_as(form: str, count: int) -> str:
    """``count`` in a number format by Word's name for it; formats unknown here are decimal.

    >>> [number_as(*pair) for pair in (("lowerRoman", 14), ("upperLetter", 28), ("ordinal", 22), ("decimalZero", 7))]
    ['xiv', 'BB', '22nd', '07']
    >>> number_as("chineseCounting", 25), number_as("cardinalText", 42), number_as("ordinalText", 20)
    ('二十五', 'Forty-two', 'Twentieth')
    """
    writer = _FORMS.get(form)
    return writer(count) if writer and count > 0 else str(count)


def _roman(count: int) -> str:
    return in_roman(count) if count <= 32_000 else str(count)


def _repeated(alphabet: str) -> Callable[[int], str]:
    """The 27th is "aa", the 28th "bb": Word repeats the letter."""

    def write(count: int) -> str:
        times, place = divmod(count - 1, len(alphabet))
        return alphabet[place] * (times + 1) if times < _MAX_REPEATED else str(count)

    return write


def _chinese(count: int) -> str:
    if count >= 10_000:
        return str(count)
    written, skipped = "", False
    for worth, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = count // worth % 10
        if digit:
            written += (_CHINESE[0] if skipped and written else "") + _CHINESE[digit] + unit
            skipped = False
        else:
            skipped = True
    return written[1:] if 10 <= count < 20 else written


def _enclosed(count: int) -> str:
    return chr(0x245F + count) if count <= 20 else str(count)


def _full_width(count: int) -> str:
    return "".join(chr(ord(digit) + 0xFEE0) for digit in str(count))


_LATIN = "abcdefghijklmnopqrstuvwxyz"
_FORMS: dict[str, Callable[[int], str]] = {
    "lowerRoman": _roman,
    "upperRoman": lambda count: _roman(count).upper(),
    "lowerLetter": _repeated(_LATIN),
    "upperLetter": _repeated(_LATIN.upper()),
    "decimalZero": lambda count: f"{count:02d}",
    "ordinal": lambda count: ordinal(count).replace(",", ""),
    "cardinalText": lambda count: in_words(count).capitalize(),
    "ordinalText": lambda count: ordinal_in_words(count).capitalize(),
    "hex": lambda count: f"{count:X}",
    "numberInDash": lambda count: f"- {count} -",
    "chicago": _repeated(_CHICAGO),
    **dict.fromkeys(
        "chineseCounting chineseCountingThousand taiwaneseCounting taiwaneseCountingThousand japaneseCounting "
        "japaneseDigitalTenThousand".split(),
        _chinese,
    ),
    "ideographDigital": lambda count: "".join(_CHINESE[int(digit)] for digit in str(count)),
    **dict.fromkeys(("aiueo", "aiueoFullWidth"), _repeated(_KATAKANA)),
    **dict.fromkeys(("iroha", "irohaFullWidth"), _repeated(_IROHA)),
    "ganada": _repeated(_GANADA),
    "chosung": _repeated(_CHOSUNG),
    "russianLower": _repeated(_RUSSIAN),
    "russianUpper": _repeated(_RUSSIAN.upper()),
    "hebrew2": _repeated(_HEBREW),
    "arabicAlpha": _repeated(_ARABIC),
    "arabicAbjad": _repeated(_ABJAD),
    **dict.fromkeys(("decimalEnclosedCircle", "decimalEnclosedCircleChinese"), _enclosed),
    **dict.fromkeys(("decimalFullWidth", "decimalFullWidth2"), _full_width),
    "decimalEnclosedParen": lambda count: f"({count})",
    "decimalEnclosedFullstop": lambda count: f"{count}.",
}
