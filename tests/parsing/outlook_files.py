"""Outlook messages made for tests: an OLE container ([MS-CFB], version 3) with a message's streams ([MS-OXMSG])."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

SECTOR, SMALL, CUTOFF = 512, 64, 4096
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
Tree = Mapping[str, "bytes | Tree"]
Value = str | bytes | int | datetime
EMBEDDED = "__substg1.0_3701000D"


def container(tree: Tree) -> bytes:
    """The OLE file with a tree of storages (mappings) and streams (bytes). Siblings form a plain chain."""
    entries: list[dict] = [{"name": "Root Entry", "kind": 5, "child": FREE, "right": FREE, "start": END, "size": 0}]
    small, large = bytearray(), []  # the mini stream, and the streams that have sectors of their own

    def add(branch: Tree) -> int:
        first = before = FREE
        for name, content in branch.items():
            index = len(entries)
            entries.append({"name": name, "kind": 2, "child": FREE, "right": FREE, "start": END, "size": 0})
            entry = entries[index]
            if before == FREE:
                first = index
            else:
                entries[before]["right"] = index
            before = index
            if isinstance(content, bytes):
                entry["size"] = len(content)
                if 0 < len(content) < CUTOFF:
                    entry["start"] = len(small) // SMALL
                    small.extend(content.ljust(-(-len(content) // SMALL) * SMALL, b"\0"))
                elif content:
                    large.append((entry, content))
            else:
                entry["kind"] = 1
                entry["child"] = add(content)
        return first

    entries[0]["child"] = add(tree)
    small_table = bytearray()
    for entry in entries:
        if entry["kind"] == 2 and 0 < entry["size"] < CUTOFF:
            count = -(-entry["size"] // SMALL)
            small_table += b"".join(struct.pack("<I", entry["start"] + step) for step in range(1, count))
            small_table += struct.pack("<I", END)
    table: list[int] = []
    body = bytearray()

    def put(content: bytes) -> int:
        start = len(table)
        count = -(-len(content) // SECTOR)
        table.extend([*range(start + 1, start + count), END] if count else [])
        body.extend(content.ljust(count * SECTOR, b"\0"))
        return start if count else END

    for entry, content in large:
        entry["start"] = put(content)
    entries[0]["start"], entries[0]["size"] = put(bytes(small)), len(small)
    small_start = put(bytes(small_table).ljust(-(-len(small_table) // SECTOR) * SECTOR, b"\xff"))
    directory = b"".join(_entry(entry) for entry in entries)
    directory_start = put(directory.ljust(-(-len(directory) // SECTOR) * SECTOR, b"\0"))
    count = 1
    while (len(table) + count) * 4 > count * SECTOR:
        count += 1
    first = len(table)
    table.extend([FAT] * count)
    body.extend(struct.pack(f"<{len(table)}I", *table).ljust(count * SECTOR, b"\xff"))
    places = struct.pack("<109I", *range(first, first + count), *([FREE] * (109 - count)))
    head = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6, 0, count, directory_start, 0, CUTOFF, small_start,
        -(-len(small_table) // SECTOR), END, 0,
    )  # fmt: skip
    return head + places + bytes(body)


def _entry(entry: dict) -> bytes:
    name = entry["name"].encode("utf-16-le") + b"\0\0"
    return struct.pack(
        "<64sHBBIII16xI8x8xIQ",
        name, len(name), entry["kind"], 1, FREE, entry["right"], entry["child"], 0, entry["start"], entry["size"],
    )  # fmt: skip


def properties(values: Mapping[int, Value], head: int = 8) -> dict[str, bytes]:
    """Streams of properties by number: text and bytes in streams of their own, numbers and dates in the table."""
    streams: dict[str, bytes] = {}
    rows = b""
    for number, value in values.items():
        if isinstance(value, str | bytes):
            kind = 0x001F if isinstance(value, str) else 0x0102
            content = value.encode("utf-16-le") if isinstance(value, str) else value
            streams[f"__substg1.0_{number:04X}{kind:04X}"] = content
            rows += struct.pack("<HHIQ", kind, number, 6, len(content))
        elif isinstance(value, datetime):
            ticks = int((value - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000
            rows += struct.pack("<HHIQ", 0x0040, number, 6, ticks)
        else:
            rows += struct.pack("<HHIQ", 0x0003, number, 6, value)
    return {"__properties_version1.0": bytes(head) + rows, **streams}


def message(
    values: Mapping[int, Value],
    recipients: Sequence[Mapping[int, Value]] = (),
    attachments: Sequence[Mapping[int, Value] | Tree] = (),
    head: int = 32,
) -> dict[str, bytes | Tree]:
    """A message's storage. An attachment is its properties, or a tree that is one already."""
    tree: dict[str, bytes | Tree] = dict(properties(values, head))
    for number, recipient in enumerate(recipients):
        tree[f"__recip_version1.0_#{number:08X}"] = properties(recipient)
    for number, attachment in enumerate(attachments):
        made = attachment if all(isinstance(key, str) for key in attachment) else properties(attachment)
        tree[f"__attach_version1.0_#{number:08X}"] = made
    return tree
