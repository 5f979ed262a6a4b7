from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest

from zmon.cli.inputs import read_listings
from zmon.cli.subcommands import add_listing_details, partitions

if TYPE_CHECKING:
    from pathlib import Path


def test_numbers_of_partitions_have_ranges() -> None:
    """Ranges and single numbers, in order."""
    assert partitions("8,0-3") == (0, 1, 2, 3, 8)


@pytest.mark.parametrize("words", ["", "a", "3-1", "0-1000", "1,", "-1", "1-2-3"])
def test_what_are_no_partitions_is_refused(words: str) -> None:
    """A wrong number is told before anything is read."""
    with pytest.raises(argparse.ArgumentTypeError):
        partitions(words)


def test_the_options_go_with_the_listing(tmp_path: Path) -> None:
    """What is given on the command line reaches the reader."""
    parser = argparse.ArgumentParser()
    add_listing_details(parser)
    args = parser.parse_args(["--database", "D", "--base-dir", "/base"])
    (tmp_path / "a.csv").write_text("TS,./f\n")
    (row,) = read_listings(args, [str(tmp_path / "a.csv")]).containers
    assert (row.database, row.located) == ("D", "/base/./f")
