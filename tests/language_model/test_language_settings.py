"""What is kept of an endpoint: never a key, and agreement for one address alone."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from core.errors import SettingsError
from core.language_model import keys
from core.language_model.settings import LanguageSettings, load, save, tidy_address
from tests.conftest import ROOT


def test_what_is_kept_is_what_was_kept(tmp_path):
    chosen = LanguageSettings("http://localhost:11434/v1", "m", 4096, 0.3, 30.0, "{passages} {question}", ("a", "b"))
    save(tmp_path / "language.json", chosen)
    assert load(tmp_path / "language.json") == chosen


@pytest.mark.parametrize("text", ["", "[]", "{", '{"context_tokens": 3, "agreed": ["http://x"]}', '{"model": 3}'])
def test_of_a_damaged_file_nothing_is_agreed_to(tmp_path, text):
    (tmp_path / "language.json").write_text(text)
    assert not load(tmp_path / "language.json").is_usable
    assert not load(tmp_path / "missing.json").is_usable


@pytest.mark.parametrize(
    "text",
    [
        "http://me:secret@host/v1",
        "http://host/v1?key=secret",
        "ftp://host",
        "http://",
        "two words",
        "http://[::1",
        "x:y:z",
    ],
)
def test_what_is_no_address_or_holds_a_key_is_refused(text):
    with pytest.raises(SettingsError):
        tidy_address(text)


def test_agreement_is_to_the_very_address():
    settings = LanguageSettings("https://a.example.org/v1", "m", agreed=("https://b.example.org/v1",))
    assert not settings.is_usable
    assert not settings.is_own
    assert settings.host == "a.example.org"


def test_a_key_is_looked_up_in_order_and_shown_nowhere(monkeypatch):
    for name in keys.NAMES:
        monkeypatch.delenv(name, raising=False)
    ring: dict[tuple[str, str], str] = {}
    fake = SimpleNamespace(
        get_password=lambda service, name: ring.get((service, name)),
        set_password=lambda service, name, value: ring.update({(service, name): value}),
        delete_password=lambda service, name: ring.pop((service, name)),
    )
    monkeypatch.setattr(keys, "_keyring", lambda: fake)
    assert keys.key_of("a") == keys.Key()
    keys.keep("a", "of a")
    assert (keys.key_of("a").value, keys.key_of("b").value) == ("of a", "")
    keys.look_also_in(lambda: {"OPENAI_API_KEY": "of the app"})
    assert keys.key_of("a").value == "of the app"
    keys.look_also_in(dict)
    monkeypatch.setenv("OPENAI_API_KEY", "of openai")
    assert keys.key_of("a").value == "of openai"
    monkeypatch.setenv("LECTERN_API_KEY", "of lectern")
    assert "of lectern" not in repr(keys.key_of("a"))
    assert keys.key_of("a") == keys.Key("of lectern", "the environment, LECTERN_API_KEY")
    keys.keep("a", "")
    assert ring == {}


def test_a_keyring_that_fails_is_none(monkeypatch):
    for name in keys.NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(keys, "_keyring", lambda: SimpleNamespace())
    assert keys.key_of("a") == keys.Key()
    with pytest.raises(SettingsError):
        keys.keep("a", "x")


def test_the_client_is_imported_by_who_asks_alone():
    code = "import sys, core.language_model.client, core.language_model.trying; print('openai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
