"""Numbers as lists write them: the number formats of WordprocessingML (ECMA-376 part 1, 17.18.59)."""

from __future__ import annotations

from collections.abc import Callable

from core.text.numerals import in_roman, in_words, ordinal, ordinal_in_words

_CHINESE = "〇一二三四五六七八九"
_LEGAL_CHINESE = "零壹贰叁肆伍陆柒捌玖"
_STEMS, _BRANCHES = "甲乙丙丁戊己庚辛壬癸", "子丑寅卯辰巳午未申酉戌亥"
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


def _within(alphabet: str) -> Callable[[int], str]:
    return lambda count: alphabet[count - 1] if count <= len(alphabet) else str(count)


def _chinese(digits: str, ten: str, hundred: str, thousand: str, bare_ten: bool) -> Callable[[int], str]:
    def write(count: int) -> str:
        if count >= 10_000:
            return str(count)
        written, skipped = "", False
        for worth, unit in ((1000, thousand), (100, hundred), (10, ten), (1, "")):
            digit = count // worth % 10
            if digit:
                written += (digits[0] if skipped and written else "") + digits[digit] + unit
                skipped = False
            else:
                skipped = True
        return written[1:] if bare_ten and 10 <= count < 20 else written

    return write


def _enclosed(count: int) -> str:
    return chr(0x245F + count) if count <= 20 else str(count)


def _full_width(count: int) -> str:
    return "".join(chr(ord(digit) + 0xFEE0) for digit in str(count))


def _digits(alphabet: str) -> Callable[[int], str]:
    return lambda count: "".join(alphabet[int(digit)] for digit in str(count))


_COUNTING = _chinese(_CHINESE, "十", "百", "千", bare_ten=True)
_LEGAL = _chinese(_LEGAL_CHINESE, "拾", "佰", "仟", bare_ten=False)
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
    **dict.fromkeys(("chineseCounting", "chineseCountingThousand", "taiwaneseCounting", "japaneseCounting"), _COUNTING),
    **dict.fromkeys(("taiwaneseCountingThousand", "japaneseDigitalTenThousand"), _COUNTING),
    "ideographDigital": _digits(_CHINESE),
    **dict.fromkeys(("chineseLegalSimplified", "ideographLegalTraditional", "japaneseLegal"), _LEGAL),
    "ideographTraditional": _within(_STEMS),
    "ideographZodiac": _within(_BRANCHES),
    "aiueoFullWidth": _within(_KATAKANA),
    "aiueo": _within(_KATAKANA),
    "irohaFullWidth": _within(_IROHA),
    "iroha": _within(_IROHA),
    "ganada": _within(_GANADA),
    "chosung": _within(_CHOSUNG),
    "russianLower": _repeated(_RUSSIAN),
    "russianUpper": _repeated(_RUSSIAN.upper()),
    "hebrew2": _within(_HEBREW),
    "arabicAlpha": _within(_ARABIC),
    "arabicAbjad": _within(_ABJAD),
    **dict.fromkeys(("decimalEnclosedCircle", "decimalEnclosedCircleChinese"), _enclosed),
    **dict.fromkeys(("decimalFullWidth", "decimalFullWidth2"), _full_width),
    "decimalEnclosedParen": lambda count: f"({count})",
    "decimalEnclosedFullstop": lambda count: f"{count}.",
}
