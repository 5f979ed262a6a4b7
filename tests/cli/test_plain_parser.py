"""A command line without a mistake has the same values as argparse gives it."""

from __future__ import annotations

import contextlib
import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cli.full_parser import parser_of
from zmon.cli.plain_parser import parse_plain
from zmon.cli.subcommands import SUBCOMMANDS, live

if TYPE_CHECKING:
    import argparse

pytestmark = pytest.mark.interpreter

WORDS = (
    "DEVICE", "7000", "x.zmon", "out.tar.gz", "-", "", "io>1", "10m", "2", "0.5", "-10m", "--", "-1",
    "text", "json", "csv", "2G", "lab:shark-before", "-f", "-x", "--at=-5m", "--at", "--format", "--cp", "-l",
    "--moves", "--fro", "-n", "-n5", "-h", "--interval",
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
