"""Parses exported conversations in JSON: Slack, Discord, Telegram, Messenger, Google Chat, ChatGPT, Claude.

A message is written as ``[2026-05-13 22:55] Ann: ...``, as in chats exported as text. If a file has several
conversations, each gets a heading. The text of messages is read as Markdown.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from typing import Any

from core.errors import ParseError
from core.parsing.file_names import display_name, readable_title
from core.parsing.flow import Flow
from core.parsing.plain.written_markdown import write_apart, write_markdown
from core.text.normalise import decode
from core.types import Block, BlockKind, Document

_SIGNS = re.compile(rb'"(?:messages|chat_messages|conversations|mapping|client_msg_id|user_profile|ts)"\s*:')
_SPEAKERS = (
    *(("user_profile", "real_name"), ("author", "nickname"), ("author", "name"), ("author", "role"), ("author",)),
    *(("from",), ("sender_name",), ("sender", "name"), ("sender",), ("creator", "name"), ("username",)),
    *(("user", "name"), ("user",), ("role",)),
)
_TIMES = ("ts", "timestamp_ms", "timestamp", "date", "date_unixtime", "create_time", "created_at", "created_date")
_TEXTS = ("text", "content", "body", "message", "value")
_PARTS = ("text", "parts", "content", "thoughts")
_HOLDERS = ("messages", "chat_messages", "conversations")
_FILES = ("attachments", "files")
_NAMES = ("title", "name", "filename", "fileName", "file_name")
_CLOCK = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)")
_SLACK_LINK = re.compile(r"<((?:https?|mailto):[^<>|\s]+)\|([^<>\n]+)>")
_SLACK_MENTION = re.compile(r"<[@#!]([\w-]+)(?:\|([^<>\n]*))?>")
_BEGINS_BLOCK = re.compile(r"(?:```|~~~|[-*+] |\d{1,3}[.)] |#{1,6} |>|\|)")
_MAX_SECONDS = 4_000_000_000  # since 1970; larger numbers are milliseconds
_HIDDEN = "is_visually_hidden_from_conversation"
_ROLES = frozenset({"user", "assistant", "system", "tool", "human", "gpt"})
_FEWEST = 2
_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Message:
    """A message. ``time``: "2026-05-13 22:55", in UTC or as the file states it; "" for none."""

    speaker: str
    time: str
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation. ``title``: "" for none. ``left``: the number of entries without text."""

    title: str
    messages: tuple[Message, ...]
    left: int


class ChatParser:
    """The parser of exported conversations in JSON."""

    name = "chat"
    version = 2

    def parse(self, data: bytes, name: str, progress: Callable[[str, int, int], None] | None = None) -> Document:
        """The conversations in order. Raises ``ParseError`` where there is none."""
        shown = display_name(name)
        source, encoding = decode(data, shown)
        found = read_conversations(source)
        if not found:
            raise ParseError(f"{shown} holds no conversation.", "Export it again and add that.")
        flow, speakers = Flow(), dict[str, None]()
        count = left = 0
        for conversation in found:
            if len(found) > 1 and conversation.title and (span := write_apart(flow, conversation.title)):
                flow.blocks.append(Block(BlockKind.HEADING, span.start, span.end, level=1))
            for message in conversation.messages:
                write_markdown(flow, _told(message), keeps_headings=False)
                speakers.setdefault(message.speaker)
            count, left = count + len(conversation.messages), left + conversation.left
        about = {"messages": str(count), "speakers": ", ".join(filter(None, list(speakers)[:50])), "encoding": encoding}
        return Document(
            version_id=hashlib.sha256(data).hexdigest(),
            kind="chat",
            title=found[0].title if len(found) == 1 and found[0].title else readable_title(name),
            text=flow.text,
            blocks=tuple(flow.blocks),
            links=tuple(flow.links),
            metadata={key: value for key, value in about.items() if value},
            notes=(f"Entries that say nothing were left out: {left:,}.",) if left else (),
        )


def is_chat(data: bytes, name: str = "The file") -> bool:
    """Whether bytes are an export of conversations."""
    if not _SIGNS.search(data):
        return False
    try:
        return bool(read_conversations(decode(data, name).text))
    except ParseError:
        return False


def read_conversations(text: str) -> list[Conversation]:
    """The conversations in a file's JSON; [] where it holds none, is none, or is damaged.

    >>> said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}]
    >>> [message.speaker for message in read_conversations(json.dumps({"messages": said}))[0].messages]
    ['User', 'Assistant']
    >>> read_conversations('{"messages": {"ok": "Saved."}}')
    []
    """
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return []
    found = [conversation for one in _holders(held) if (conversation := _conversation(one)) is not None]
    return found if sum(len(one.messages) for one in found) >= _FEWEST else []


def _holders(held: object) -> Iterator[Mapping[str, Any]]:
    """The candidates for conversations: the whole JSON, or each of its entries."""
    if isinstance(held, list) and all(isinstance(one, dict) and "ts" in one and "type" in one for one in held):
        yield {"messages": held}  # a day of a channel of Slack
        return
    chats = held.get("chats", held) if isinstance(held, dict) else held
    chats = chats.get("list", chats) if isinstance(chats, dict) else chats
    for one in chats if isinstance(chats, list) else [chats]:
        if isinstance(one, dict):
            yield one


def _conversation(one: Mapping[str, Any]) -> Conversation | None:
    raw = next((one[key] for key in _HOLDERS if one.get(key)), None)
    if isinstance(one.get("mapping"), dict):
        raw = _of_branch(one["mapping"], one.get("current_node"))
    if not isinstance(raw, list) or not all(isinstance(entry, dict) for entry in raw):
        return None
    texts = (entry["text"] for entry in raw if isinstance(entry.get("text"), str))
    found = (mention for text in texts for mention in _SLACK_MENTION.finditer(text))
    names: dict[object, str] = {mention[1]: mention[2] for mention in found if mention[2]}
    names |= {entry.get("user"): name for entry in raw if (name := _at(entry, ("user_profile", "real_name")))}
    messages = [message for entry in raw if (message := _message(entry, names)) is not None]
    if not messages or sum(bool(message.speaker) for message in messages) < len(messages) / 2:
        return None
    times = [message.time for message in messages if message.time]
    if times and times[0] > times[-1] and times == sorted(times, reverse=True):
        messages.reverse()  # the newest first
    title = next((said for key in ("title", "name") if (said := one.get(key)) and isinstance(said, str)), "")
    title = title or " ".join(filter(None, (_at(one, ("guild", "name")), _at(one, ("channel", "name")))))
    return Conversation(" ".join(title.split())[:200], tuple(messages), len(raw) - len(messages))


def _of_branch(nodes: Mapping[str, Any], last: object) -> list[Any]:
    """The messages on the path to the current one in ChatGPT's tree; all of them where there is none."""
    branch: list[Any] = []
    seen: set[object] = set()
    while isinstance(node := nodes.get(str(last)), dict) and last not in seen:
        seen.add(last)
        branch.append(node.get("message"))
        last = node.get("parent")
    found = branch[::-1] or [node.get("message") for node in nodes.values() if isinstance(node, dict)]
    return [one for one in found if isinstance(one, dict) and not _at(one, ("metadata", _HIDDEN))]


def _at(value: object, way: Sequence[str]) -> str:
    """The words below one key after the other, "" where there are none."""
    for key in way:
        value = value.get(key) if isinstance(value, dict) else None
    return " ".join(str(value).split()) if isinstance(value, str | bool) and value else ""


def _message(entry: Mapping[str, Any], names: Mapping[object, str]) -> Message | None:
    text = next((said for key in _TEXTS if (said := _said(entry.get(key), "" if key == "text" else "\n\n"))), "")
    if "client_msg_id" in entry or "ts" in entry:
        text = _SLACK_MENTION.sub(lambda found: f"@{found[2] or names.get(found[1], found[1])}", text)
        text = unescape(_SLACK_LINK.sub(_link, text))
    for key in _FILES:
        for file in entry[key] if isinstance(entry.get(key), list) else ():
            name = next((said for one in _NAMES if (said := _at(file, (one,)))), "")
            text += f"\n[{name}]" if name and name not in text else ""
    if not text.strip():
        return None
    speaker = next((said for way in _SPEAKERS if (said := _at(entry, way))), "")
    if found := _SLACK_MENTION.fullmatch(speaker):
        speaker = found[1]
    speaker = names.get(speaker, speaker)
    return Message(speaker.capitalize() if speaker in _ROLES else speaker, _time(entry), text.strip())


def _link(found: re.Match[str]) -> str:
    return f"<{found[1]}>" if found[1] == found[2] else f"[{found[2]}]({found[1]})"


def _said(value: object, between: str, depth: int = 0) -> str:
    """The text of a string, of a list of parts, or of an object around them; "" where it is nested too deeply."""
    if isinstance(value, str) or depth > _DEEPEST:
        return value if isinstance(value, str) else ""
    if isinstance(value, list):
        return between.join(filter(None, (_said(part, between, depth + 1) for part in value)))
    if isinstance(value, dict):
        return next((said for key in _PARTS if (said := _said(value.get(key), between, depth + 1))), "")
    return ""


def _time(entry: Mapping[str, Any]) -> str:
    for key in _TIMES:
        stated = entry.get(key)
        if isinstance(stated, str) and (clock := _CLOCK.match(stated)):
            return f"{clock[1]} {clock[2]}"
        try:
            seconds = float(stated) if isinstance(stated, str | int | float) else 0.0
            if seconds > 0:
                moment = datetime.fromtimestamp(seconds / (1000 if seconds > _MAX_SECONDS else 1), UTC)
                return f"{moment:%Y-%m-%d %H:%M}"
        except (ValueError, OverflowError, OSError):
            continue
    return ""


def _told(message: Message) -> str:
    """
    >>> _told(Message("Ann", "2026-05-13 22:55", "Hi.")), _told(Message("Ann", "", "- one"))
    ('[2026-05-13 22:55] Ann: Hi.', 'Ann:\\n\\n- one')
    """
    head = f"[{message.time}] " if message.time else ""
    head += f"{message.speaker or 'Unknown'}:"
    return f"{head}\n\n{message.text}" if _BEGINS_BLOCK.match(message.text) else f"{head} {message.text}"
