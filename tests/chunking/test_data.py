"""Data, schemas and queries: leaves are cut between keys, and each says under which keys it stands."""

from __future__ import annotations

import json

import pytest

from core.chunking import chunk
from core.embedding.tokenizer import packaged_counter
from core.parsing import parse
from core.settings import ChunkingSettings, ParsingSettings
from tests.chunking.checker import check_tree

COUNTER = packaged_counter()


def tree_of(text, name, **dials):
    settings = ChunkingSettings(**dials)
    tree = chunk(parse(text.encode(), name, ParsingSettings()), settings, COUNTER)
    check_tree(tree, settings, COUNTER)
    return tree


def operation(path, parameters):
    rows = "".join(
        f"        - name: {name}\n          in: query\n          description: What the {name} of the pond is.\n"
        for name in parameters
    )
    return f"  {path}:\n    get:\n      summary: It lists what is at {path}.\n      parameters:\n{rows}"


OPENAPI = (
    "openapi: 3.0.0\ninfo:\n  title: Ducks\npaths:\n"
    + operation("/ducks", ["size", "colour", "age", "weight", "voice"])
    + operation("/ponds", ["depth", "shore", "reeds", "fish", "owner"])
)


def read_before(leaf):
    return " / ".join(part.text for part in leaf.prefix)


def test_each_leaf_of_an_api_names_its_operation_and_holds_no_other():
    leaves = tree_of(OPENAPI, "api.yaml", max_tokens=90).leaves
    fish = next(leaf for leaf in leaves if "name: fish" in leaf.text)
    assert "paths > /ponds > get" in read_before(fish)
    for leaf in leaves:
        assert not ("in: query" in leaf.text.split("/ponds:")[0] and "/ponds:" in leaf.text)
        assert not leaf.text.rstrip().endswith("description:")


def test_the_same_api_in_json_names_its_operations_too():
    said = {"paths": {f"/{name}": {"get": {"about": f"It lists {name}. " * 12}} for name in ("ducks", "ponds")}}
    leaves = tree_of(json.dumps(said, indent=2), "api.json", max_tokens=60).leaves
    assert any("paths > /ponds > get" in read_before(leaf) for leaf in leaves)
    assert all(any(map(str.isalpha, leaf.text)) for leaf in leaves)


def test_a_comment_stays_with_the_key_that_it_explains():
    text = "server:\n" + "".join(
        f"  ## How long the {name} of the server may take, in seconds, before it is given up\n  ##\n  {name}: {size}\n"
        for size, name in enumerate(("start", "stop", "reload", "answer", "upload", "login", "backup", "restore"))
    )
    for leaf in tree_of(text, "values.yaml", max_tokens=90).leaves:
        assert not leaf.text.splitlines()[-1].strip().startswith("#")


def test_a_chart_of_helm_names_its_keys():
    rule = (
        "  - alert: {name}\n    {{{{- with .Values.a }}}}\n    labels:\n      pond: '{{{{ . }}}}'\n    {{{{- end }}}}\n"
        "    annotations:\n      description: The {name} of the pond is not what it should be, so look at the ducks.\n"
    )
    names = ("DuckMissing", "WaterLow", "ReedsHigh", "FishGone")
    leaves = tree_of("spec:\n  rules:\n" + "".join(rule.format(name=name) for name in names), "rules.yaml").leaves
    for name in names:
        (leaf,) = [leaf for leaf in leaves if f"alert: {name}" in leaf.text]
        assert f"The {name} of the pond" in leaf.text
    assert "spec > rules" in read_before(leaves[-1])


def test_a_step_of_a_query_is_whole_where_it_fits():
    step = "{name} as (\n\n    select\n        id,\n        sum(price)\n\n    from {{{{ ref('stg_{name}') }}}}\n\n)"
    text = "with\n\n" + ",\n\n".join(step.format(name=name) for name in ("ducks", "ponds", "owners", "reeds"))
    leaves = tree_of(text + "\n\nselect * from ducks\n", "model.sql", max_tokens=70).leaves
    for name in ("ducks", "ponds", "owners", "reeds"):
        (leaf,) = [leaf for leaf in leaves if f"{name} as (" in leaf.text]
        assert f"stg_{name}" in leaf.text


@pytest.mark.parametrize("chunker", ["auto", "code", "recursive", "structure"])
@pytest.mark.parametrize("most", [24, 60, 110])
def test_the_laws_hold_for_data(chunker, most):
    tree_of(OPENAPI, "api.yaml", chunker=chunker, max_tokens=most)
    tree_of(OPENAPI + "\n```", "api.yaml", chunker=chunker, max_tokens=most, overlap_tokens=8)


def test_a_text_that_is_no_data_says_so():
    tree = tree_of("{{- define }}\n  : : {\n - }} ][\n" * 20, "broken.yaml")
    assert any("this is not yaml as its grammar has it" in reason for reason in tree.leaves[0].reasons)
