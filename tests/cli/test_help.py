"""`zmon help TOPIC` explains what there is, and names what may be meant by what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from zmon.cli.help import ALIASES, TOPICS
from zmon.cli.main import main
from zmon.cli.subcommands import SUBCOMMANDS
from zmon.cli.topics import ENVIRONMENT, EXIT_STATUS, FILES, SERVICE_STATUS
from zmon.screen.definition import load_screens
from zmon.screen.query import named
from zmon.session.commands import COMMANDS
from zmon.ui.keys import FUNCTIONS

pytestmark = pytest.mark.interpreter

ROOT = Path(__file__).parents[2]


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return what help prints."""
    assert main(["help", *words]) == 0
    return capsys.readouterr().out


def test_without_a_topic_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """With what each is about."""
    text = printed(capsys)
    assert all(f"zmon help {name}" in text and about in text for name, (about, _) in TOPICS.items())


@pytest.mark.parametrize(
    ("topic", "names"),
    [
        ("commands", [*SUBCOMMANDS, *(command.spelled for command in COMMANDS)]),
        ("screens", [screen.spelled for screen in load_screens()]),
        ("rules", ["alias-use", "path-busy"]),
        ("exit-codes", [str(status) for status, _ in (*EXIT_STATUS, *SERVICE_STATUS)]),
        ("environment", [name for name, _ in ENVIRONMENT]),
        ("files", [name for name, _ in FILES]),
        ("keys", [function.help for function in FUNCTIONS if function.keys and not function.when]),
    ],
)
def test_a_topic_names_all_there_is(
    topic: str, names: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the same lists that the program works with."""
    monkeypatch.setenv("COLUMNS", "300")
    words = " ".join(printed(capsys, topic).split())
    assert [name for name in names if name not in words] == []


def test_a_topic_goes_by_other_words(capsys: pytest.CaptureFixture[str]) -> None:
    """As people write them."""
    assert printed(capsys, "exit", "codes") == printed(capsys, "EXIT-CODES") == printed(capsys, "exit-status")
    assert set(ALIASES.values()) <= {*TOPICS, *SUBCOMMANDS}


@pytest.mark.parametrize(
    ("words", "beginning"),
    [
        ("where", "usage: zmon where"),
        ("DEVICE", "FCX108 DEVice - "),
        ("13", "FCX108 DEVice - "),
        ("FILES", "Files - "),
        ("DEVICE.resp", "resp - "),
    ],
)
def test_what_has_a_name_is_explained(words: str, beginning: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A subcommand, a screen by name or number, a column."""
    assert printed(capsys, words).startswith(beginning)


def test_a_rule_without_a_limit_says_when_it_holds(capsys: pytest.CaptureFixture[str]) -> None:
    """It compares a value with an earlier one; no number is its limit."""
    assert "Limits      bad where the value is lower than before\n" in printed(capsys, "path-gone")


def test_what_has_two_meanings_is_explained_twice(capsys: pytest.CaptureFixture[str]) -> None:
    """`zmon diagnose` and the screen DIAGNOSE."""
    text = printed(capsys, "diagnose")
    assert text.startswith("usage: zmon diagnose")
    assert "\nDIAgnose - " in text


def test_the_keys_are_those_of_the_settings(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the map, and the user's own, also of keys.toml; without these if they contradict."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "zmon").mkdir()
    (tmp_path / "zmon" / "keys.toml").write_text('tour = "f15"\n')
    file = tmp_path / "zmon.toml"
    monkeypatch.setenv("ZMON_CONFIG", str(file))
    file.write_text('[keys]\nmap = "vi"\nmenu = "ctrl+g"\n')
    text = printed(capsys, "keys")
    assert text.startswith("The map vi.")
    assert "  j Down " in text
    assert "  Ctrl+G " in text
    assert "  F15 " in text
    file.write_text('keys = "vi"\n')
    (tmp_path / "zmon" / "keys.toml").write_text('tour = "f15"\nmenu = "f15"\n')
    text = printed(capsys, "keys")
    assert "keys.menu: F15 is the key of tour, too" in " ".join(text.split())
    assert "  j Down " in text


def test_the_document_for_programs_has_each_exit_status() -> None:
    """docs/programs.md says the same as `zmon help exit-codes`."""
    document = (ROOT / "docs" / "programs.md").read_text()
    for status, about in (*EXIT_STATUS, *SERVICE_STATUS):
        assert f"| {status} | {about} |" in document.replace(r"\|", "|")


def test_no_text_is_printed_twice() -> None:
    """The help of a column says more than its heading."""
    twice = [
        (screen.command, one.name)
        for screen in load_screens()
        for one in screen.columns
        if one.help.startswith(f"{named(one)}.")
    ]
    assert twice == []
