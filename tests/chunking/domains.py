"""A tree by one of the chunkers of domains, its laws checked."""

from __future__ import annotations

from importlib import import_module

from core.chunking.prepared_document import PreparedDocument
from core.embedding.tokenizer import packaged_counter
from core.parsing import parse
from core.settings import ChunkingSettings, ParsingSettings
from tests.chunking import checker


def tree_of(name, text, file="file.txt", **dials):
    document = parse(text.encode(), file, ParsingSettings())
    settings = ChunkingSettings(chunker=name, **dials)
    chunker = getattr(import_module(f"core.chunking.chunkers.{name}"), name)
    tree = PreparedDocument(document, packaged_counter()).tree(settings, chunker, "recipe")
    checker.check_tree(tree, settings, packaged_counter())
    return tree


def parents_of(tree):
    return [chunk for chunk in tree.chunks if chunk.level == 1]


def leaf_with(tree, words):
    return next(leaf for leaf in tree.leaves if words in leaf.text)
