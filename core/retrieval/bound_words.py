"""Words around a bound by which it asks for something else than what lies above or below it. Pure; English only."""

from __future__ import annotations

import re

from core.text.analysis import analyse

# "Fails to exceed", "hardly any above", "slightly above": what is asked for is not what satisfies the bound.
_BLURRED = re.compile(
    r"\b(?:(?:fail|neglect|refus|struggl|stop|ceas)(?:s|es|ed|ing|e|ped|ping|led|les|ling)?\s+(?:to|short of)"
    r"|hardly|barely|scarcely|rarely|seldom|nearly|almost|not quite|close to|about to|unlikely to|short of)"
    r"(?:\s+[^\W\d_]+){0,3}\s*\Z"
    r"|\b(?:slightly|just|marginally|narrowly|roughly|far|well|way|much|significantly|considerably)\s*\Z"
    r"|\b(?:\w{3,}er|less|more|(?:chang|var|deviat|differ|mov|fluctuat)\w*)\s+by\s*\Z",  # a difference, either way
    re.IGNORECASE,
)
_FALLING = (
    r"declin(?:e[sd]?|ing)|decreas(?:e[sd]?|ing)|shr(?:ink|inks|ank|unk|inking|inkage)|f(?:ell|all|alls|allen|alling)"
    r"|drop(?:s|ped|ping)?|los(?:e|es|t|ing|s|ses)|reduc(?:e[sd]?|ing|tions?)|contract(?:ed|ing|ion)|slump(?:s|ed|ing)?"
    r"|s(?:ink|inks|ank|unk|inking)|slip(?:s|ped|ping)?|plung(?:e[sd]?|ing)|plummet(?:s|ed|ing)?|tumbl(?:e[sd]?|ing)"
    r"|down|dip(?:s|ped|ping)?|cuts?|cutting|worsen(?:s|ed|ing)?|weaken(?:s|ed|ing)?|diminish(?:es|ed|ing)?"
    r"|dwindl(?:e[sd]?|ing)|eas(?:ed|ing)|sav(?:e[sd]?|ing|ings)|negative|minus|lower(?:ed|ing)|slow(?:ed|ing)|back"
)
_FELL = re.compile(rf"\b(?P<word>{_FALLING})(?P<between>(?:\s+[^\W\d_][\w'’-]*){{0,5}})\s*\Z", re.IGNORECASE)
# "A more than 5 % decline", "above 5 % lower than": behind the bound.
_BEHIND = re.compile(
    rf"\A\s+(?:[^\W\d_]+\s+)?(?P<word>{_FALLING}|lower|less|fewer|smaller|cheaper|shorter|slower|higher|greater|larger"
    r"|faster|longer|better|worse)\b",
    re.IGNORECASE,
)
_LEVEL = re.compile(r"below|under|<", re.IGNORECASE)
_TO = re.compile(r"\bto\s*\Z", re.IGNORECASE)
_OR = re.compile(r"\A[\s,;]*(?:or|nor)\b", re.IGNORECASE)
_FURTHER = re.compile(
    r"\b(?:and|but|or|with|without|who|whom|whose|that|which|where|having|plus|while|although|though|yet|nor|except"
    r"|excluding|besides)\b|[;&+]",
    re.IGNORECASE,
)
# Beside what is asked: "and by how much", "and show them, please".
_ASIDE = frozenset(analyse("how much many please thanks thank list show tell name them one ones else"))


def is_blurred(before: str) -> bool:
    """Whether the words before a bound take it back or leave open how far it holds.

    >>> [is_blurred(text) for text in ("regions that failed to ", "hardly any region ", "is slightly ", "regions ")]
    [True, True, True, False]
    """
    return _BLURRED.search(before[-80:]) is not None


def falling_words(before: str, how: str, after: str) -> frozenset[str]:
    """The tokens of words around a bound (``how``) that tell how far something fell, or by what it differs.

    What fell below a number, or to less than it, is at a level.

    >>> told = (("shrank by ", "more than", ""), ("fell ", "below", ""), ("fell to ", "less than", ""))
    >>> [sorted(falling_words(*one)) for one in (*told, ("a ", "more than", " decline"))]
    [['shrank'], [], [], ['declin']]
    """
    words: list[str] = []
    if (fell := _FELL.search(before[-120:])) is not None:
        level = _LEVEL.fullmatch(how) is not None and not fell["between"].strip()
        if not level and not _TO.search(fell["between"]):
            words += analyse(fell["word"]) or ["down"]
    if (behind := _BEHIND.match(after)) is not None:
        words += analyse(behind["word"]) or ["down"]
    return frozenset(words)


def leads_on(after: str) -> bool:
    """Whether what stands behind a bound is another choice: "or in the North".

    >>> leads_on(" or with an alarm"), leads_on(" in Ghent or Delft")
    (True, False)
    """
    return _OR.match(after) is not None


def further_words(after: str) -> frozenset[str]:
    """The tokens of what is asked besides a bound, behind it.

    >>> sorted(further_words(" in the North and no alarm")), further_words(" in the North")
    (['alarm'], frozenset())
    """
    match = _FURTHER.search(after)
    return frozenset(analyse(after[match.end() :])) - _ASIDE if match else frozenset()
