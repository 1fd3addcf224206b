"""Numbers as lists write them: the number formats of WordprocessingML (ECMA-376 part 1, 17.18.59)."""

from __future__ import annotations

from collections.abc import Callable

from core.text.numerals import in_roman, in_words, ordinal, ordinal_in_words

_MAX_REPEATED = 40
_CHINESE = "〇一二三四五六七八九"
# Those that repeat their letter: the 27th is "aa", the 28th "bb".
_ALPHABETS = {
    "lowerLetter": "abcdefghijklmnopqrstuvwxyz",
    "upperLetter": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "chicago": "*†‡§",
    "russianLower": "абвгдежзиклмнопрстуфхцчшщыэюя",
    "russianUpper": "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ",
    "hebrew2": "אבגדהוזחטיכלמנסעפצקרשת",
    "arabicAlpha": "أبتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "ganada": "가나다라마바사아자차카타파하",
    "aiueo": "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン",
}


def number_as(form: str, count: int) -> str:
    """``count`` in a number format by Word's name for it; formats unknown here are decimal.

    >>> [number_as(*pair) for pair in (("lowerRoman", 14), ("upperLetter", 28), ("ordinal", 22), ("decimalZero", 7))]
    ['xiv', 'BB', '22nd', '07']
    >>> number_as("chineseCounting", 105), number_as("cardinalText", 42), number_as("ordinalText", 20)
    ('一百〇五', 'Forty-two', 'Twentieth')
    """
    if count > 0 and (alphabet := _ALPHABETS.get(form)):
        times, place = divmod(count - 1, len(alphabet))
        return alphabet[place] * (times + 1) if times < _MAX_REPEATED else str(count)
    writer = _FORMS.get(form)
    return writer(count) if writer and count > 0 else str(count)


def _roman(count: int) -> str:
    return in_roman(count) if count <= 32_000 else str(count)


def _chinese(count: int) -> str:
    written = ""
    for worth, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")) if count < 10_000 else ():
        digit = count // worth % 10
        written += _CHINESE[digit] + unit if digit else _CHINESE[0] * (written[-1:] not in ("", _CHINESE[0]))
    written = written.rstrip(_CHINESE[0])
    return (written[1:] if 10 <= count < 20 else written) or str(count)


_FORMS: dict[str, Callable[[int], str]] = {
    "lowerRoman": _roman,
    "upperRoman": lambda count: _roman(count).upper(),
    **dict.fromkeys(("chineseCounting", "chineseCountingThousand", "japaneseCounting"), _chinese),
    "decimalZero": lambda count: f"{count:02d}",
    "ordinal": lambda count: ordinal(count).replace(",", ""),
    "cardinalText": lambda count: in_words(count).capitalize(),
    "ordinalText": lambda count: ordinal_in_words(count).capitalize(),
    "decimalEnclosedCircle": lambda count: chr(0x245F + count) if count <= 20 else str(count),
    "decimalEnclosedParen": lambda count: f"({count})",
    "decimalEnclosedFullstop": lambda count: f"{count}.",
}
