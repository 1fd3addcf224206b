"""A second, plain reading of RTF and of Outlook's messages."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from io import BytesIO

import olefile

from core.parsing.second_gathering import DELETED, FIELDS, HIDDEN, OLDER_COPIES, PAGE_NUMBERS, Gathering, decoded
from core.parsing.second_markup import read_html

RTF_READER = "the RTF's text, control words aside"
MESSAGE_READER = "the message's text streams"
_TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\'(?P<code>[0-9a-fA-F]{2})|\\(?P<symbol>[^a-zA-Z])"
    rb"|(?P<brace>[{}])|[\r\n]+|(?P<text>[^\\{}\r\n]+)"
)
_NO_TEXT = frozenset(
    b"fonttbl colortbl stylesheet info pict object objdata themedata colorschememapping datastore latentstyles "
    b"listtable listoverridetable revtbl rsidtbl generator xmlnstbl mmathPr filetbl userprops listtext pntext "
    b"bkmkstart bkmkend atnid atnauthor atnref atndate atnparent fldtype bin".split()
)
_KEPT_WHEN_STARRED = frozenset(b"fldinst annotation shpinst shptxt footnote".split())
_BREAKS = frozenset(
    b"par line cell row tab sect page column nestcell nestrow softline emspace enspace footnote annotation".split()
)
_SIGNS = dict(
    zip(
        b"emdash endash bullet lquote rquote ldblquote rdblquote ~ _ \\ { } \n \r".split(b" "),
        ("—", "–", "•", "‘", "’", "“", "”", " ", "-", "\\", "{", "}", "\n", "\n"),
        strict=True,
    )
)
_REASONS = {b"nonshppict": OLDER_COPIES, b"fldinst": FIELDS, b"deleted": DELETED, b"chpgn": PAGE_NUMBERS}
_RUNNING = frozenset(b"header headerl headerr headerf footer footerl footerr footerf".split())
_PAGE_FIELD = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Group:
    """What holds within braces. ``reason``: why its text may be left out, ``None``: it holds no text at all."""

    reason: str | None = ""
    substitutes: int = 1  # characters that stand behind a Unicode one for older readers


@dataclass(slots=True)
class _RichText:
    """Walks the tokens of an RTF file."""

    found: Gathering
    codec: str = "cp1252"
    group: _Group = _Group()
    outer: list[_Group] = field(default_factory=list)
    to_skip: int = 0
    starred: bool = False
    bytes_pending: bytes = b""  # characters written as codes: of two bytes each in Asian code pages
    instruction: str = ""
    running: Gathering | None = None  # of the header or footer that is open
    running_depth: int = 0

    def walk(self, data: bytes) -> None:
        for token in _TOKEN.finditer(data):
            kind = token.lastgroup
            if kind == "code":
                self._code(int(token["code"], 16))
                continue
            self._put_pending()
            if kind == "brace":
                self._brace(token["brace"])
            elif kind == "text":
                self._plain(token["text"])
            elif kind == "symbol":
                self._put(_SIGNS.get(token["symbol"], ""))
            elif kind in {"word", "number"}:
                self._control(token["word"], token["number"])
            self.starred = kind == "symbol" and token["symbol"] == b"*"
        self._put_pending()

    def _code(self, value: int) -> None:
        if self.to_skip:
            self.to_skip -= 1
        else:
            self.bytes_pending += bytes([value])

    def _put_pending(self) -> None:
        if self.bytes_pending:
            self._put(self.bytes_pending.decode(self.codec, "replace"))
            self.bytes_pending = b""

    def _brace(self, brace: bytes) -> None:
        self.to_skip = 0
        if brace == b"{":
            self.outer.append(self.group)
            return
        if self.group.reason == FIELDS:
            self._put("\n")
        if self.outer:
            self.group = self.outer.pop()
        if self.running is not None and len(self.outer) < self.running_depth:
            self.found.keep_running(self.running)
            self.running = None

    def _plain(self, text: bytes) -> None:
        kept = text[self.to_skip :]
        self.to_skip = max(0, self.to_skip - len(text))
        plain = kept.decode(self.codec, "replace")
        if self.group.reason == FIELDS:
            self.instruction += plain
        self._put(plain)

    def _control(self, word: bytes, number: bytes | None) -> None:
        value = int(number) if number else 1
        if word == b"u" and number:
            self._put(chr(value % 65_536))
            self.to_skip = self.group.substitutes
        elif word == b"uc":
            self.group = _Group(self.group.reason, value)
        elif word == b"ansicpg":
            self.codec = _codec(value)
        elif word in _NO_TEXT or (self.starred and word not in _KEPT_WHEN_STARRED):
            self._leave_out(None)
        elif word == b"v" and self.group.reason in {"", HIDDEN}:
            self._leave_out(HIDDEN if value else "")
        elif word == b"plain" and self.group.reason == HIDDEN:
            self._leave_out("")
        elif word in _REASONS and self.group.reason is not None:
            self._leave_out(_REASONS[word] if value else "")
            self.instruction = "" if word == b"fldinst" else self.instruction
        elif word == b"fldrslt" and self.group.reason is not None and _PAGE_FIELD.match(self.instruction):
            self._leave_out(PAGE_NUMBERS)
        elif word in _RUNNING and self.running is None:
            self.running, self.running_depth = Gathering(), len(self.outer)
        elif word in _BREAKS:
            self._put("\n")
        elif word in _SIGNS:
            self._put(_SIGNS[word])

    def _leave_out(self, reason: str | None) -> None:
        self.group = _Group(reason, self.group.substitutes)

    def _put(self, text: str) -> None:
        if self.group.reason is None:
            return
        if self.running is None:
            self.found.put(self.group.reason, text)
        else:
            self.running.put(self.group.reason, text)


def read_rtf(data: bytes, found: Gathering) -> None:
    """An RTF document's words: destinations without text are passed over, characters decoded as it declares them."""
    _RichText(found).walk(data)


def _codec(page: int) -> str:
    try:
        "".encode(f"cp{page}")
    except LookupError:
        return "cp1252"
    return f"cp{page}"


# Properties of a message and of its attachments, as [MS-OXPROPS] numbers them.
_SUBJECT, _SENDER, _TO, _COPY, _BODY, _PAGE, _LONG_NAME = "0037", "0C1A", "0E04", "0E03", "1000", "1013", "3707"


def read_message(data: bytes, found: Gathering) -> None:
    """An Outlook message: subject, people, body and the names of its attachments. Source: [MS-OXMSG] 2.1.3."""
    with olefile.OleFileIO(BytesIO(data)) as container:
        streams = {"/".join(path): path for path in container.listdir()}

        def text(place: str) -> str:
            for kind, encoding in (("001F", "utf-16-le"), ("001E", "")):
                path = streams.get(f"{place}{kind}")
                if path:
                    raw = container.openstream(path).read()
                    return raw.decode(encoding, "replace") if encoding else decoded(raw)
            return ""

        for number in (_SUBJECT, _SENDER, _TO, _COPY, _BODY):
            found.keep(f"{text(f'__substg1.0_{number}')}\n")
        if not text(f"__substg1.0_{_BODY}"):
            path = streams.get(f"__substg1.0_{_PAGE}0102")
            page = container.openstream(path).read() if path else text(f"__substg1.0_{_PAGE}").encode()
            read_html(page, found)
        for attachment in sorted({place.split("/")[0] for place in streams if place.startswith("__attach")}):
            found.keep(f"{text(f'{attachment}/__substg1.0_{_LONG_NAME}')}\n")
