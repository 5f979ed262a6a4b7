"""A command line without a mistake has the same values as argparse gives it."""

from __future__ import annotations

import argparse
import contextlib
import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cli.full_parser import parser_of
from zmon.cli.main import main
from zmon.cli.plain_parser import parse_plain
from zmon.cli.subcommands import SUBCOMMANDS, live

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.interpreter

WORDS = (
    "DEVICE", "7000", "x.zmon", "out.tar.gz", "-", "", "io>1", "10m", "2", "0.5", "-10m", "--", "-1",
    "text", "json", "csv", "2G", "lab:shark-before", "-f", "-x", "--at=-5m", "--at", "--format", "--cp", "-l",
    "--moves", "--fro", "-n", "-n5", "-h", "--interval", "--json",
)  # fmt: skip
NAMES = ["", *SUBCOMMANDS]


def plain(name: str, words: list[str]) -> argparse.Namespace | None:
    return parse_plain(SUBCOMMANDS[name][1] if name else live, words)


def whole(name: str, words: list[str]) -> argparse.Namespace | None:
    """Return what argparse makes of it; None where it prints help or a mistake."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.suppress(SystemExit),
    ):
        return parser_of(name).parse_args(words)
    return None


def options(name: str) -> list[str]:
    """Return the options of a subcommand."""
    return [word for action in parser_of(name)._actions for word in action.option_strings]


def parsers(name: str) -> Iterator[argparse.ArgumentParser]:
    """Yield the parser of a subcommand and those of its own words."""
    parser = parser_of(name)
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.values()


@pytest.mark.parametrize("name", NAMES)
def test_json_is_a_format_wherever_there_is_one(name: str) -> None:
    """`--json` is the same as `--format json`; the last of both counts, and the default stays."""
    for parser in parsers(name):
        known = {word: action for action in parser._actions for word in action.option_strings}
        assert ("--json" in known) is ("--format" in known)
        if "--json" in known:
            json, form = known["--json"], known["--format"]
            assert (json.dest, json.nargs) == (form.dest, 0)
            assert json.const in {"json", "jsonl"}
            assert form.choices is not None
            assert json.const in form.choices


@given(st.data())
def test_it_gives_what_argparse_gives(data: st.DataObject) -> None:
    """Or leaves the command line to it."""
    name = data.draw(st.sampled_from(NAMES))
    words = data.draw(st.lists(st.sampled_from([*WORDS, *options(name)]), max_size=6))
    found = plain(name, words)
    if found is not None:
        expected = whole(name, words)
        assert expected is not None
        assert vars(found) == vars(expected)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", []),
        ("", ["DEVICE", "7000", "--from", "x.zmon", "--line"]),
        ("where", ["/db/a", "7000", "-l", "a.ddl", "--listing", "b.ddl", "-e", "-f", "json"]),
        ("show", ["DEVICE", "-f", "json", "--from", "x.zmon", "-n", "2"]),
        ("show", ["--from", "x.zmon", "DEVICE", "io>1", "-w", "resp>1"]),
        ("spread", ["a.ddl", "--moves", "3", "--partitions", "0-3"]),
        ("record", []),
        ("replay", []),
        ("capture", ["a.tar.gz", "--cp"]),
        ("cut", ["x.zmon", "out.zmon", "--from", "14:00"]),
    ],
)
def test_what_is_usual_is_not_left_to_argparse(name: str, words: list[str]) -> None:
    """Lookups start sooner without it."""
    found = plain(name, words)
    expected = whole(name, words)
    assert found is not None
    assert expected is not None
    assert vars(found) == vars(expected)


@pytest.mark.parametrize("words", [["lab", "list", "--json"], ["lab", "--json", "list"]])
def test_an_option_of_another_subcommand_is_no_guess_for_itself(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Others that begin so, or look so, may be."""
    with pytest.raises(SystemExit):
        main(words)
    guesses = capsys.readouterr().err.partition("did you mean ")[2].partition("?")[0].split(" or ")
    assert guesses == ["--json-errors"]
