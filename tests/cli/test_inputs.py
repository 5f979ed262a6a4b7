"""zmon.cli.inputs: what the options say that users supply."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest

from zmon.cli.inputs import has_inputs, listing_of, user_inputs
from zmon.cli.subcommands import add_inputs
from zmon.topology.site import SiteError

if TYPE_CHECKING:
    from pathlib import Path

    from zmon.topology.machine import UserInputs

pytestmark = pytest.mark.interpreter


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where a user's own site file would be."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = tmp_path / "zmon"
    folder.mkdir()
    return folder / "site.toml"


def options(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_inputs(parser)
    return parser.parse_args(words)


def told(*words: str) -> UserInputs:
    args = options(*words)
    return user_inputs(args, listing_of(args))()


def test_without_options_nobody_is_heard() -> None:
    """And nothing is read."""
    assert not has_inputs(options())
    assert not told().given


def test_the_site_of_the_user_is_heard(settings: Path) -> None:
    """Without an option."""
    settings.write_text('pins = ["T2"]\n')
    assert has_inputs(options())
    assert told().site.pins == ("T2",)


def test_an_error_in_it_stops_nothing(settings: Path) -> None:
    """It is said where people are asked."""
    settings.write_text("pins = 3\n")
    found = told()
    assert not found.given
    assert found.problems[0].startswith(f"Not used: {settings}:1: pins ")


def test_an_error_in_a_file_that_is_named_is_told_at_once(tmp_path: Path) -> None:
    """Whoever names it wants it."""
    site = tmp_path / "mine.toml"
    site.write_text("pins = 3\n")
    with pytest.raises(SiteError):
        user_inputs(options("--site", str(site)))


@pytest.mark.parametrize("option", ["--site", "--cp-file"])
def test_a_file_that_is_not_there_is_told_at_once(option: str, tmp_path: Path) -> None:
    """Not in the middle of a screen."""
    with pytest.raises(OSError, match="No such file"):
        user_inputs(options(option, str(tmp_path / "none")))


def test_answers_are_understood_for_the_guest(tmp_path: Path) -> None:
    """With what was not understood."""
    answers = tmp_path / "cp.txt"
    answers.write_text(
        "DASD 0100 3390 LX4A01 R/W      10016 CYL ON DASD  4A01 SUBCHANNEL = 0000\nwhat is this\n"
    )
    found = told("--cp-file", str(answers)).claims_of("LINUX1")
    assert [(claim.vdev, claim.rdev) for claim in found.claims] == [("0100", "4A01")]
    assert found.remarks == (f"{answers}: answers of CP; lines not understood: 1 (line 2)",)


def test_a_listing_names_files(tmp_path: Path) -> None:
    """Those that can be looked at."""
    listing = tmp_path / "l.csv"
    listing.write_text("tablespace,path\nTS1,/db/a\n")
    found = told("--listing", str(listing)).listed
    assert found is not None
    assert [(one.tablespace, one.path) for one in found] == [("TS1", "/db/a")]


def test_what_is_told_is_told_once() -> None:
    """Who asks again gets the same."""
    ask = user_inputs(options())
    assert ask() is ask()
