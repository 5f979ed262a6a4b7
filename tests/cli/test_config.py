"""`zmon config` prints the settings as a file of settings."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from zmon.cli.config import written
from zmon.cli.main import main
from zmon.cli.settings import SETTINGS

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["config", *words]) == 0
    return capsys.readouterr().out


def test_it_names_each_setting_with_what_it_means(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a file all are comments, with their defaults."""
    text = printed(capsys)
    assert "\n# Seconds between samples\n# interval = 2.0\n" in text
    assert "ZMON_CONFIG" in text.partition("\n\n")[0]
    for names in SETTINGS.values():
        assert all(f"\n# {name} = " in text for name in names)
    assert tomllib.loads(text) == {"record": {}, "keys": {}}
    assert '\n# map = "fcon"  # one of fcon, vi, less\n# help = "f1,shift+f1"  # explain' in text


def test_what_it_prints_is_a_file_of_settings_with_the_same_values(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also with all comments taken off: a default is a value that is allowed."""
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    first.write_text('interval = 5\nlisting = ["/db/a.csv", "/db/ü.csv"]\n[record]\nkeep = "30d"\n')
    monkeypatch.setenv("ZMON_CONFIG", str(first))
    text = printed(capsys)
    assert f"interval = 5  # {first}:1\n" in text
    assert f'keep = "30d"  # {first}:4\n' in text
    assert tomllib.loads(text) == tomllib.loads(first.read_text()) | {"keys": {}}
    second.write_text(
        "\n".join(
            line.removeprefix("# ") if " = " in line.split("  #")[0] else line for line in text.splitlines()
        )
    )
    monkeypatch.setenv("ZMON_CONFIG", str(second))
    assert '\nkeep = "30d"  # ' in printed(capsys)


def test_programs_get_value_default_and_place(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The place is null for a default."""
    file = tmp_path / "zmon.toml"
    file.write_text("cache = true\n")
    monkeypatch.setenv("ZMON_CONFIG", str(file))
    found = json.loads(printed(capsys, "-f", "json"))
    assert found["files"] == [{"path": str(file), "exists": True}]
    by_name = {(one["table"], one["name"]): one for one in found["settings"]}
    assert by_name["", "cache"] == {
        "table": "", "name": "cache", "value": True, "default": False, "from": f"{file}:1"
    }  # fmt: skip
    assert by_name["record", "cache"]["from"] is None


def test_the_keys_are_those_of_the_map(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what each does, and the places of those that a file gives; the map is in the table."""
    file = tmp_path / "zmon.toml"
    file.write_text('keys = "vi"\n')
    monkeypatch.setenv("ZMON_CONFIG", str(file))
    text = printed(capsys)
    assert f'\nmap = "vi"  # {file}:1\n' in text
    assert '\n# down = "j,down"  # the row below\n' in text
    assert tomllib.loads(text)["keys"] == {"map": "vi"}
    file.write_text('[keys]\nmap = "less"\nmenu = "ctrl+g"\n')
    found = {
        one["name"]: one
        for one in json.loads(printed(capsys, "-f", "json"))["settings"]
        if one["table"] == "keys"
    }
    assert found["menu"] == {
        "table": "keys", "name": "menu", "value": "ctrl+g", "default": "f4,shift+f4", "from": f"{file}:3"
    }  # fmt: skip
    assert (found["map"]["value"], found["back"]["from"]) == ("less", None)


@given(st.text() | st.lists(st.text(), max_size=3) | st.booleans() | st.integers(-9, 10**9))
def test_values_are_written_as_toml_reads_them(value: object) -> None:
    """Whatever is in a name: quotes, backslashes, control characters, other planes of Unicode."""
    assert tomllib.loads(f"x = {written(value)}") == {"x": value}


def test_a_key_of_two_functions_is_refused_as_the_screens_refuse_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With file and line: who checks the settings need not open a screen."""
    file = tmp_path / "zmon.toml"
    file.write_text('[keys]\nmenu = "f1"\n')
    monkeypatch.setenv("ZMON_CONFIG", str(file))
    assert main(["config"]) == 2
    assert f"{file}:2: keys.menu: F1 " in capsys.readouterr().err
