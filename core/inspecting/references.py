"""Words that lean on other words: back references, remarks, lead-ins and explanations of code, in four languages.

Patterns, not understanding: they name the openings that English, German, French and Spanish style guides list as
connectives and demonstratives, and leave out what refers to the document itself ("this section") or to nothing
("it is important to").
"""

from __future__ import annotations

import re

_SELF = (
    r"(?:document|section|chapter|page|guide|manual|article|paper|report|book|handbook|readme|policy|agreement|tutorial"
    r"|module|file|package|library|appendix|part|volume|study|work|thesis|notes?|text|dokument|kapitel|handbuch|buch|abschnitt"
    r"|artikel|bericht|leitfaden|teil|vertrag|seite|anleitung|arbeit|studie|richtlinie|chapitre|guide|manuel|rapport"
    r"|livre|site|étude|partie|documento|capítulo|artículo|informe|libro|sección|página|guía|parte|política|estudio)"
)
_DEMONSTRATIVE = (
    rf"(?:(?:th(?:is|ese|at|ose)|dies(?:e[srnm]?)?|ce(?:tte|t|s)?|est(?:e|a|os|as))\b(?!\s+{_SELF}\b))"
    r"|(?:such|they|jene[srnm]?|solche[srnm]?|cel(?:a|ui-ci|le-ci|les-ci)|ceci|ceux-ci|ces derni[eè]re?s"
    r"|ce dernier|cette derni[eè]re|esto|eso|es[eo]s|esas|aquell[oa]s?|dich[oa]s?|tal(?:es)?)"
    r"|(?:c['’]est|il s['’]agit)"
    r"|(?:it(?!(?:['’]s| is| was)(?: \w+){1,2} (?:to|that)))"
    r"|(?:das (?:bedeutet|heißt|gilt|ist))"
    r"|(?:the (?:latter|former|above|same|previous|preceding)|letztere[srnm]?|erstere[srnm]?"
    r"|(?:der|die|das) (?:letztere|erstere|obige|vorige)n?"
    r"|est[eoa]s? últim[oa]s?|el anterior|la anterior|lo anterior)"
)
_CONNECTIVE = (
    r"(?:however|therefore|thus|hence|moreover|furthermore|in addition|additionally|consequently|as a result"
    r"|in contrast|by contrast|on the other hand|nevertheless|nonetheless|otherwise|instead|similarly|likewise"
    r"|for (?:this|these|that) reasons?|for example|for instance|then again"
    r"|jedoch|allerdings|daher|deshalb|deswegen|dadurch|hierzu|hierbei|außerdem|zudem|ferner|folglich|somit|dennoch"
    r"|trotzdem|andernfalls|stattdessen|zum beispiel|im gegensatz dazu"
    r"|cependant|toutefois|néanmoins|donc|ainsi|par conséquent|en outre|de plus|par ailleurs|en revanche|sinon"
    r"|par exemple"
    r"|sin embargo|no obstante|por (?:lo )?tanto|por consiguiente|además|asimismo|en cambio|de lo contrario"
    r"|por ejemplo|por eso|por ello)"
)
_POINTING = (
    r"(?:as (?:(?:shown|described|mentioned|noted|stated|seen|discussed|explained) )?"
    r"(?:above|before|earlier|previously|follows)"
    r"|wie (?:oben|bereits|zuvor|folgt)|comme (?:\w+ )?(?:ci-dessus|plus haut|suit)"
    r"|como (?:se )?(?:\w+ ){0,3}(?:anteriormente|arriba|antes|sigue))"
)
_LABEL = (
    r"(?:(?:note|notes|n\.b\.|nb|warning|caution|important|tip|hint|remark|attention|danger|hinweis|achtung|warnung"
    r"|anmerkung|wichtig|tipp|vorsicht|bemerkung|remarque|avertissement|astuce|nota|advertencia|aviso|atención"
    r"|importante|consejo|observación|precaución)(?:\*\*|__|\*|_)?\s?(?:\*\*|__)?[:：](?:\*\*|__|\*|_)?(?=\s|\Z)"
    r"|\[!\w{3,12}\])"
)
_DECORATION = r"(?:>\s?)*(?:[-*+•]\s+)?[*_\"'“„«(]{0,3}"

# The first words of all these: looking one up is ten times quicker than trying them all.
_OPENINGS = frozenset(
    "this these that those dies diese dieses dieser diesen diesem ce cet cette ces este esta estos estas such they"
    " jene jenes jener jenen jenem solche solches solcher solchen solchem cela celui celle celles ceci ceux esto eso"
    " ese esos esas aquel aquella aquello aquellos aquellas dicho dicha dichos dichas tal tales c il it das the"
    " letztere letzteres letzterer letzteren letzterem erstere ersteres ersterer ersteren ersterem der die el la lo"
    " however therefore thus hence moreover furthermore in additionally consequently as by on nevertheless nonetheless"
    " otherwise instead similarly likewise for then jedoch allerdings daher deshalb deswegen dadurch hierzu hierbei"
    " außerdem zudem ferner folglich somit dennoch trotzdem andernfalls stattdessen zum im cependant toutefois"
    " néanmoins donc ainsi par en de sinon sin no por además asimismo wie comme como note notes n nb warning caution"
    " important tip hint remark attention danger hinweis achtung warnung anmerkung wichtig tipp vorsicht bemerkung"
    " remarque avertissement astuce nota advertencia aviso atención importante consejo observación precaución".split()
)
_FIRST_WORD = re.compile(rf"{_DECORATION}(?:(?P<word>[^\W\d_]+)|\[!)")

_BACK = re.compile(rf"{_DECORATION}(?P<words>{_DEMONSTRATIVE}|{_CONNECTIVE}|{_POINTING})(?![\w'’-])", re.IGNORECASE)
_REMARK = re.compile(rf"{_DECORATION}(?P<words>{_LABEL})", re.IGNORECASE)

_LEADS = re.compile(
    r"\b(?:the following|as follows|below|folgende[srnm]?|wie folgt|unten|suivante?s?|ci-dessous|comme suit|siguientes?"
    r"|a continuación)\b(?!\s+\d)[^.!?:;`\n]{0,40}[.:]?[*_)\"”»]{0,3}$",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    rf"{_DECORATION}(?:"
    r"(?:here,?\s+)?(?:this|the|these|that|dies(?:er|e|es)?|der|die|das|ce|cet|cette|ces|le|la|les|l['’]|est[ea]|el)\s?"
    r"(?:(?:above|preceding|previous|first|last|second|obige[nrs]?|vorige[nrs]?)\s)?(?:\w+\s)?"
    r"(?:code|snippet|example|function|command|script|listing|program|query|method|class|lines?|call|loop"
    r"|codeblock|befehl|beispiel|programm|ausschnitt|skript|aufruf|zeilen?"
    r"|commande|exemple|fonction|extrait|requête|programme"
    r"|código|comando|ejemplo|función|fragmento|programa|consulta)\b"
    r"|in (?:this|the) (?:code|example|snippet|listing)\b|here,|hier\s|ici,|aquí)",
    re.IGNORECASE,
)
_COLON = re.compile(r"[:：][*_)\"”»]{0,3}$")
_ITEM = re.compile(r"(?:[-*+•‣▪◦]|\(?(?:\d{1,3}|[A-Za-z])[.)])\s")
_WINDOW = 160  # characters on either side that such words stand within


def back_reference(text: str, position: int) -> str:
    """The words at ``position`` that refer to something said before, as they stand; "" when it begins afresh.

    >>> [back_reference(words, 0) for words in ("This means that ...", "**Note:** never", "Jedoch ist", "Thistle")]
    ['This', 'Note:', 'Jedoch', '']
    >>> back_reference("This chapter tells", 0), back_reference("It is important to know", 0)
    ('', '')
    """
    first = _FIRST_WORD.match(text, position)
    if first is None or (first.group("word") and first.group("word").casefold() not in _OPENINGS):
        return ""
    window = text[position : position + _WINDOW]
    found = _REMARK.match(window) or _BACK.match(window)
    return found.group("words").strip("*_ ") if found else ""


def leads_in(text: str, end: int) -> bool:
    """Whether the text that ends at ``end`` announces what follows it.

    >>> [leads_in(words, len(words)) for words in ("Do these:", "See the following table.", "Nothing more.")]
    [True, True, False]
    >>> leads_in("Keep it below 24 hours: `--hours 24`.", 37)
    False
    """
    window = text[max(0, end - _WINDOW) : end]
    return _COLON.search(window) is not None or _LEADS.search(window) is not None


def explains_code(text: str, position: int) -> bool:
    """Whether the text at ``position`` speaks of code that stands before it.

    >>> [explains_code(words, 0) for words in ("This function adds.", "Der obige Code liest", "We sell shoes.")]
    [True, True, False]
    """
    return _EXPLAINS.match(text[position : position + _WINDOW]) is not None


def is_list_item(text: str, position: int) -> bool:
    """Whether a list's item begins at ``position``, told by its marker.

    >>> [is_list_item(words, 0) for words in ("- one", "2) two", "(a) three", "three.")]
    [True, True, True, False]
    """
    return _ITEM.match(text, position) is not None
