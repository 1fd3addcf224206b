"""The index of vectors moved to a Chroma server and back, on the Settings page and by command."""

from __future__ import annotations

import json

import pytest

from core.cli.main import main
from core.storage.index.server import TOKEN
from pages.ui.settings.chroma_server import BACK, MOVE
from pages.ui.shared import state
from tests.pages.apps import filled, plain, press, start
from tests.storage.chroma_process import Chroma

pytestmark = [pytest.mark.model, pytest.mark.allow_hosts(["127.0.0.1"])]


def places():
    app = start("settings")
    app.session_state[state.SETTINGS_TAB] = "Places and disk"
    return app.run()


@pytest.fixture
def chroma(tmp_path):
    server = Chroma(tmp_path / "chroma")
    yield server
    server.stop()


def test_the_index_goes_to_a_server_and_comes_back(chroma, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LECTERN_SHELF", str(tmp_path / "libraries.json"))
    monkeypatch.delenv(TOKEN, raising=False)
    with filled(tmp_path, monkeypatch, {"tokens.md": "An access token is valid for 3600 seconds."}):
        pass
    app = places()
    assert "Chroma keeps it in this library's folder" in plain(app)
    app.text_input(key="chroma.address").set_value("nonsense address").run()
    assert "is no address of a Chroma server" in plain(app)
    app.text_input(key="chroma.address").set_value(chroma.address).run()
    assert "No text, no title and no question goes there" in plain(app)
    app = press(app, MOVE)
    assert f"It stands on the Chroma server **127.0.0.1:{chroma.port}**" in plain(app)
    assert "It answers." in plain(press(app, "Test"))
    chroma.stop()
    app = press(places(), "Test")
    assert f"No Chroma server answers at 127.0.0.1:{chroma.port}." in plain(app)
    chroma.start()
    assert "in this library's folder" in plain(press(places(), BACK))


def test_the_index_goes_to_a_server_by_command(chroma, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LECTERN_SHELF", str(tmp_path / "libraries.json"))
    home = tmp_path / "library"
    (tmp_path / "tea.txt").write_text("Tea is free on Fridays.", encoding="utf-8")
    assert main(["ingest", str(tmp_path / "tea.txt"), "--library", str(home)]) == 0
    for given, stands in ([chroma.address], chroma.address), ([], chroma.address), (["--folder"], None), ([], None):
        capsys.readouterr()
        assert main(["chroma", *given, "--library", str(home), "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == {"server": stands}
        assert main(["verify", "--library", str(home)]) == 0
    assert main(["chroma", chroma.address, "--folder", "--library", str(home)]) == 2
    chroma.stop()
    assert main(["chroma", chroma.address, "--library", str(home)]) == 2
    assert main(["verify", "--library", str(home)]) == 0
