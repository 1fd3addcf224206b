"""An outsider's check of the chunking laws: nothing of ``core`` is used but the values themselves."""

from __future__ import annotations

import bisect
import re
import unicodedata

PATH = ("title", "heading")
REPEATED = ("table_header", "signature", "speaker")
UNSAID = ("sentences", "written", "context")


def non_blank(text):
    return [at for at, character in enumerate(text) if not character.isspace()]


def check_tree(tree, settings, counter):
    """Raises AssertionError with the law that is broken."""
    document = tree.document
    text = document.text
    chunks = tree.chunks
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    assert len(by_id) == len(chunks), "two chunks share an id"
    check_spans(text, chunks)
    check_levels(chunks, by_id)
    check_coverage(document, chunks)
    check_prefixes(document, chunks, settings)
    check_sizes(chunks, settings, counter)
    check_headings(document, chunks)


def check_spans(text, chunks):
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text, "law 1"
        assert chunk.text.strip() == chunk.text, "blank at an end"
        assert chunk.text, "empty chunk"
        assert re.fullmatch(r"[0-9a-f]{32}", chunk.chunk_id)
        assert len(chunk.reasons) >= 2
        assert chunk.reasons[0].startswith("begins: ")
        assert chunk.reasons[1].startswith("ends: ")


def check_levels(chunks, by_id):
    seen = set()
    children = {}
    for chunk in chunks:
        if chunk.parent_id is not None:
            assert chunk.parent_id in seen, "a child before its parent"
            parent = by_id[chunk.parent_id]
            assert parent.start <= chunk.start <= chunk.end <= parent.end, "law 4: outside its parent"
            assert parent.level == chunk.level + 1, "law 4: level"
            children.setdefault(chunk.parent_id, []).append(chunk)
        seen.add(chunk.chunk_id)
    for chunk in chunks:
        assert (chunk.level == 0) == (chunk.chunk_id not in children), "leaves have no children, others have some"
    for siblings in children.values():
        starts = [sibling.start for sibling in siblings]
        ends = [sibling.end for sibling in siblings]
        assert starts == sorted(set(starts)), "children not in text order"
        assert ends == sorted(set(ends)), "a child inside its neighbour"
    tops = [chunk for chunk in chunks if chunk.parent_id is None]
    assert len({top.level for top in tops}) <= 1


def check_coverage(document, chunks):
    covered = set()
    for chunk in chunks:
        if chunk.level == 0:
            covered.update(range(chunk.start, chunk.end))
    skipped = set()
    for block in document.blocks:
        if block.kind in {"front_matter", "furniture"}:
            skipped.update(range(block.start, block.end))
    for at in non_blank(document.text):
        assert (at in covered) != (at in skipped), f"law 3 at {at}"


def read_by_encoder(chunk, kinds):
    path = " > ".join(part.text for part in chunk.prefix if part.kind in kinds and part.kind in PATH)
    header = "\n".join(part.text for part in chunk.prefix if part.kind in kinds and part.kind not in PATH)
    return "\n".join(part for part in (path, header, chunk.text) if part)


def check_prefixes(document, chunks, settings):
    for chunk in chunks:
        kinds = [part.kind for part in chunk.prefix]
        assert kinds == sorted(kinds, key=[*PATH, *REPEATED, *UNSAID].index)
        assert kinds.count("title") <= 1
        assert all(kinds.count(kind) <= 1 for kind in UNSAID)
        assert sum(kind in REPEATED for kind in kinds) <= 1
        for part in chunk.prefix:
            assert part.text
            if part.source is None:
                assert part.kind in {"title", "signature", *UNSAID}  # the path of data's keys stands nowhere as a whole
                continue
            assert part.source.end <= chunk.start or part.source.start >= chunk.end, "a prefix repeats the chunk"
            if part.kind in REPEATED:
                assert document.text[part.source.start : part.source.end] == part.text


def check_sizes(chunks, settings, counter):
    leaves = [chunk for chunk in chunks if chunk.level == 0]
    bodies = counter.count([chunk.text for chunk in chunks])
    assert [chunk.tokens for chunk in chunks] == bodies, "tokens of the text"
    texts = [read_by_encoder(leaf, settings.read_prefix) for leaf in leaves]
    inputs = counter.count(texts)
    assert [leaf.encoder_tokens for leaf in leaves] == [size + counter.specials for size in inputs]

    def size_of(text):
        return counter.count([text])[0] if settings.unit == "tokens" else len(text)

    for leaf, text, tokens in zip(leaves, texts, inputs, strict=True):
        size = tokens if settings.unit == "tokens" else len(text)
        assert size <= settings.max_tokens or one_grapheme(leaf.text), (size, settings.max_tokens, leaf.text)
        path = [part.text for part in leaf.prefix if part.kind in PATH]
        assert size_of(" > ".join(path)) <= settings.prefix_max_tokens
    for parent in chunks:
        if parent.level == 1:
            assert size_of(parent.text) <= settings.parent_room, (parent.text, settings.parent_room)


def one_grapheme(text):
    return all(unicodedata.category(character)[0] == "M" or character == "\u200d" for character in text[1:])


def is_inside(starts, ends, at):
    """Whether a heading holds the position."""
    number = bisect.bisect_right(starts, at) - 1
    return number >= 0 and at < ends[number]


def path_at(headings, position):
    path = []
    for block in headings:
        if block.start > position:
            break
        while path and path[-1].level >= block.level:
            path.pop()
        path.append(block)
    return path


def check_headings(document, chunks):
    headings = [block for block in document.blocks if block.kind == "heading"]
    starts, ends = [block.start for block in headings], [block.end for block in headings]
    for chunk in chunks:
        position = next(
            (
                at
                for at in range(chunk.start, chunk.end)
                if not document.text[at].isspace() and not is_inside(starts, ends, at)
            ),
            chunk.end - 1,
        )
        path = path_at(headings, position)
        if path and path[-1].start >= chunk.start:  # it holds the heading line of its first section
            for block in headings:
                if position < block.start < chunk.end:
                    path = [one for one in path if one in path_at(headings, block.start)]
        if document.kind == "text":  # headings without markup: word for word, a very long one shortened
            words = [document.text[block.start : block.end].split() for block in path]
            words = [found for found in words if found]
            assert len(words) == len(chunk.headings), "law 4: headings"
            for expected, heading in zip(words, chunk.headings, strict=True):
                found = heading.removesuffix("…").split() if len(" ".join(expected)) > 300 else heading.split()
                assert found == expected or (len(" ".join(expected)) > 300 and heading.endswith("…"))
