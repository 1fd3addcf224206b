"""Where sockets lead while everything runs: nowhere, or to the one address that was agreed to."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from core.language_model.settings import FILE, LanguageSettings, save
from tests.language_model.destinations import Guard
from tests.language_model.endpoint import Script, endpoint
from tests.language_model.planted import planted

pytestmark = [pytest.mark.model, pytest.mark.allow_hosts(["127.0.0.1"])]
WALK = """
import json, sys
from pathlib import Path
from core.cli.main import main
home, folder, address = sys.argv[1:4]
here = ["--library", home]
embedder = ["--set", "embedding.model=endpoint:small"] if address else []
assert main(["ingest", folder, *here, *embedder]) == 0
assert main(["query", "How long is an access token valid?", *here, "--json"]) == 0
assert main(["query", "What shall be fetched?", *here, "--preset", "careful"]) == 0
assert main(["ask", "What shall be fetched?", *here]) == 0
assert main(["check", "An access token is valid for 3600 seconds.", *here, "--json"]) == 0
assert main(["verify", *here]) == 0
if address:
    from core.language_model.client import Client
    from core.language_model.settings import load
    from core.library import Library
    from core.search.checking.library_check import check_answer
    from core.search.context.written_prompt import written_prompt
    from core.storage.shelf import language_file
    client = Client(load(language_file()))
    with Library.open(Path(home), write=False) as library:
        library.write_with(client)
        result = library.search("How long is it valid?", library.settings.with_value("understanding.rewrite", True))
        answer = client.complete(written_prompt(result.question, result.passages))
        verdicts = [one.verdict for one in check_answer(answer, result.passages)]
        print(json.dumps({"answer": answer, "verdicts": verdicts}))
"""


@pytest.mark.parametrize(
    "set_up", [pytest.param(False, marks=pytest.mark.long), True], ids=["without an endpoint", "with one"]
)
def test_all_that_runs_goes_nowhere_but_where_was_agreed(tmp_path, set_up):
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, data in planted().items():
        (folder / name).write_bytes(data)
    (tmp_path / "walk.py").write_text(WALK)
    with endpoint(Script.words("An access token is valid for 3600 seconds [1].")) as served:
        if set_up:
            here = served.address
            chosen = LanguageSettings(here, "small", timeout_seconds=60.0, agreed=(here,), embedding_address=here)
            save(tmp_path / FILE, chosen)
        place = served.address.removeprefix("http://").removesuffix("/v1")
        guard = Guard(tmp_path, place if set_up else "")
        environment = {name: value for name, value in os.environ.items() if not name.endswith("API_KEY")}
        environment |= guard.variables | {"LECTERN_SHELF": str(tmp_path / "libraries.json")}
        command = [sys.executable, str(tmp_path / "walk.py"), str(tmp_path / "home"), str(folder)]
        done = subprocess.run(
            [*command, served.address if set_up else ""],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        assert guard.destinations == ({place} if set_up else set())
        paths = {path for path, _, _ in served.asked}
    assert paths == ({"/v1/embeddings", "/v1/chat/completions"} if set_up else set())
    if set_up:
        written = json.loads(done.stdout.splitlines()[-1])
        assert written == {"answer": "An access token is valid for 3600 seconds [1].", "verdicts": ["supported"]}
