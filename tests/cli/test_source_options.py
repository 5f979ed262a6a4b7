from __future__ import annotations

import argparse
import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cli.main import main
from zmon.cli.output import OK
from zmon.cli.source_options import open_source, tell_not_once
from zmon.cli.subcommands import MAX_SECONDS, MIN_SECONDS, add_source, positive, seconds, source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize(("words", "value"), [("2", 2.0), ("0.1", 0.1), ("86400", 86400.0), (" 1e1 ", 10.0)])
def test_an_interval_is_seconds(words: str, value: float) -> None:
    """Whole or not."""
    assert seconds(words) == value


@given(st.one_of(st.text(max_size=9), st.floats().map(str)))
def test_an_interval_is_within_its_bounds(words: str) -> None:
    """Or refused."""
    with suppress(argparse.ArgumentTypeError):
        assert MIN_SECONDS <= seconds(words) <= MAX_SECONDS


@given(st.one_of(st.text(max_size=9), st.integers().map(str)))
def test_a_number_of_things_is_at_least_one(words: str) -> None:
    """Or refused."""
    with suppress(argparse.ArgumentTypeError):
        assert positive(words) >= 1


def test_an_empty_source_is_not_this_machine() -> None:
    """A variable that was not set must not pass live figures off as those of a capture."""
    with pytest.raises(argparse.ArgumentTypeError, match="names no recording"):
        source("")


def test_a_source_is_a_capture(lay_out: Callable[[str], str]) -> None:
    """`--from` opens it; without it this machine is meant."""
    parser = argparse.ArgumentParser()
    add_source(parser)
    assert not open_source(parser.parse_args(["--from", lay_out("qemu")])).live
    assert open_source(parser.parse_args([])).live


def test_a_source_is_a_simulated_machine() -> None:
    """One scenario, or several of them one after the other, of which the second waits for the first."""
    parser = argparse.ArgumentParser()
    add_source(parser)
    alone = open_source(parser.parse_args(["--from", "lab:shark-before"])).span()
    both = open_source(parser.parse_args(["--from", "lab:shark-before+shark-after"])).span()
    assert alone is not None
    assert both is not None
    assert both[0] == alone[0]
    assert both[1] > 2 * alone[1] - alone[0]


@pytest.mark.parametrize("name", ["lab:sharp", "lab:shark-before+"])
def test_without_the_name_of_a_scenario_they_are_listed(name: str) -> None:
    """To choose from."""
    parser = argparse.ArgumentParser()
    add_source(parser)
    with pytest.raises(ValueError, match=r"there are .*shark-after, shark-before"):
        open_source(parser.parse_args(["--from", name]))


def test_a_scenario_may_be_a_file_of_the_user(tmp_path: Path) -> None:
    """By its path, whatever signs are in it."""
    file = tmp_path / "mine+yours.toml"
    file.write_text('base = "shark-before"\ntitle = "Mine"\ntext = "Mine."\n')
    parser = argparse.ArgumentParser()
    add_source(parser)
    assert open_source(parser.parse_args(["--from", f"lab:{file}"])).name == "lab:mine+yours"


@pytest.mark.parametrize("command", [["--from"], ["show", "DEVICE", "--from"], ["replay"]])
def test_lab_alone_lists_the_scenarios(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """As help: on standard output, with their titles, and with success."""
    with pytest.raises(SystemExit) as ended:
        main([*command, "lab:"])
    out, err = capsys.readouterr()
    assert (ended.value.code, err) == (OK, "")
    assert "shark-before         Four queries on a storage server whose data lie on one LCU\n" in out


def test_a_directory_that_is_no_source_says_what_it_holds(tmp_path: Path) -> None:
    """A recording whose name is no day is named, with how to open it; other files are named, too."""
    parser = argparse.ArgumentParser()
    add_source(parser)
    args = parser.parse_args(["--from", str(tmp_path)])
    with pytest.raises(ValueError, match=r"holds nothing: .*docs/sources\.md"):
        open_source(args)
    for name in ("notes.txt", "old.csv", "a", "b"):
        (tmp_path / name).write_text("text")
    os.mkfifo(tmp_path / "pipe.zmon")
    with pytest.raises(ValueError, match=r"holds a, b, notes.txt and 2 more: expected .* lsdasd"):
        open_source(args)
    (tmp_path / "old.csv").write_text("tablespace,path\nINDEXES,/db/indexes/one.dbf\n")
    with pytest.raises(ValueError, match=r"; of databases zmon spread reads old.csv$"):
        open_source(args)
    shutil.copy("recordings/lab-shark-after.zmon", tmp_path / "monday.zmon")
    with pytest.raises(ValueError, match=r"holds the recordings monday.zmon: .*--from .*/monday.zmon opens"):
        open_source(args)


def test_a_time_that_was_twice_is_told_once(
    zone: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """A command may ask for it several times."""
    zone("Europe/Berlin")
    first = 1_792_886_400_000_000_000
    for _ in range(2):
        tell_not_once("2:00", first, None)
    (line,) = capsys.readouterr().err.splitlines()
    assert "2026-10-25T02:00:00+01:00" in line
