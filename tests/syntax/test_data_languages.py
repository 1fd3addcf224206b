"""The grammars of data, schemas and queries: what their units are, and templates whose directives are set aside."""

from __future__ import annotations

import pytest

from core.syntax import Unread, above_comments, read_source, units
from core.syntax.reading import without_directives
from tests.syntax.test_units import check_tiles

OPENAPI = """\
openapi: 3.0.0
info:
  title: Ducks
# where they live
paths:
  /ducks:
    get:
      summary: All ducks
      parameters:
        - name: pond
          in: query
        - in: query
          name: limit
  /ponds:
    post:
      summary: A new pond
"""


def paths(text: str, language: str) -> list[str]:
    found = []

    def walk(level):
        for unit in level:
            found.append(f"{unit.kind} {unit.path}")
            walk(unit.children)

    walk(units(text, language))
    return [path for path in found if not path.startswith(("head of", "statements", "document", "module"))]


def test_keys_of_yaml_are_units_with_the_path_of_their_keys():
    assert paths(OPENAPI, "yaml") == [
        "key info",
        "key paths",
        "key paths > /ducks",
        "key paths > /ducks > get",
        "key paths > /ducks > get > parameters",
        "item paths > /ducks > get > parameters > pond",
        "item paths > /ducks > get > parameters > limit",
        "key paths > /ponds",
        "key paths > /ponds > post",
    ]


def test_a_comment_of_yaml_belongs_to_the_key_below_it():
    (document,) = units(OPENAPI, "yaml")
    texts = [OPENAPI[unit.start : unit.end] for unit in document.children]
    assert texts[1] == "info:\n  title: Ducks"
    assert texts[2].startswith("# where they live\npaths:")


def test_a_line_of_a_script_that_looks_like_a_comment_stays_in_its_key():
    text = "run: |\n  set -e\n  # the end\nnext: 1\n"
    assert above_comments(text, text.index("next")) == text.index("next")


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ('{"paths": {"/a": {"get": 1}}}', "json", ["item ", "key paths", "key paths > /a"]),
        ('{"name": "Ada", "n": 1}\n{"name": "Grace", "n": 2}\n', "jsonl", ["item Ada", "item Grace"]),
        (
            'resource "aws_vpc" "this" {\n  count = 1\n  timeouts {\n    create = "10m"\n  }\n}\n',
            "tf",
            ["block resource aws_vpc this", "block resource aws_vpc this > timeouts"],
        ),
        (
            "service Library {\n  rpc Lend(Book) returns (Loan);\n}\nmessage Book {\n  enum State {\n A = 0;\n }\n}",
            "protobuf",
            ["service Library", "RPC Library.Lend", "message Book", "enum Book.State"],
        ),
        (
            "CREATE TABLE duck (id INT);\nCREATE VIEW ponds AS SELECT 1;\nWITH a AS (SELECT 1) SELECT * FROM a;\n",
            "sql",
            ["table duck", "view ponds", "query a"],
        ),
    ],
)
def test_records_blocks_messages_and_tables_are_units(text, language, found):
    assert paths(text, language) == found
    check_tiles(text, units(text, language), 0, len(text))


def test_keys_are_no_symbols_that_code_could_call():
    assert not read_source(OPENAPI, "yaml").metadata(0, len(OPENAPI))
    assert read_source("CREATE TABLE duck (id INT);\n", "sql").metadata(0, 28) == {"symbols": ("duck",)}


CHART = """\
{{- if .Values.enabled }}
apiVersion: v1
metadata:
  name: {{ template "ducks.name" . }}
  {{- with .Values.labels }}
  labels:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  replicas: {{ .Values.replicas }}
{{- end }}
"""


def test_a_chart_of_helm_is_read_without_its_directives():
    assert "key metadata" in paths(CHART, "yaml")
    assert "key spec" in paths(CHART, "yaml")
    assert all(not unit.path or unit.path in CHART for unit in units(CHART, "yaml"))


def test_a_model_of_dbt_is_read_without_its_directives():
    model = "{{ config(materialized='table') }}\nwith a as (\n  select * from {{ ref('b') }}\n)\nselect * from a\n"
    assert paths(model, "sql") == ["query a"]


@pytest.mark.parametrize("text", ["{{ a", "}} {{", "a: {{ b\n}}", "{% raw %}x{% endraw %}", "x\0{{ y }}", CHART])
def test_directives_leave_every_place_where_it_was(text):
    blank = without_directives(text)
    assert len(blank) == len(text)
    assert [at for at, letter in enumerate(blank) if letter == "\n"] == [at for at, c in enumerate(text) if c == "\n"]


def test_what_is_no_data_is_left_unread():
    assert read_source("{{- define }}\n  : : {\n - }} ][\n" * 20, "yaml") is Unread.FOREIGN
