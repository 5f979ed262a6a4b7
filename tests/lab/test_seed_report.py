"""With which seeds the figures hold."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest

from zmon.cli.main import main
from zmon.cli.subcommands import seeds
from zmon.lab.seed_report import SeedLine, seed_report, seed_text
from zmon.lab.study_report import report

if TYPE_CHECKING:
    from pathlib import Path

QUICK = """\
base = "pav-3"
title = "quick"
text = "little of it"
drawn = 1
step = 1
warm = 0
[[phases]]
name = "random"
seconds = 1
loads = ["random"]
[[figures]]
name = "MB/s"
study = "none"
low = 0
high = {high}
why = "none"
basis = "follows"
place = "S004:197"
measure = "MB/s in random"
"""


@pytest.fixture
def quick(tmp_path: Path) -> Path:
    """Return a scenario that takes little time and whose figure always holds."""
    file = tmp_path / "quick.toml"
    file.write_text(QUICK.format(high=100))
    return file


def test_each_seed_gives_what_the_report_with_that_seed_gives(quick: Path) -> None:
    """In the order of the seeds, whichever process is done first."""
    done: list[int] = []

    (line,) = seed_report([str(quick)], range(3, 6), done.append)

    assert line.values == tuple(next(report([str(quick)], seed)).value for seed in range(3, 6))
    assert line.holding == 3
    assert done == [1, 2, 3]


def test_a_line_says_with_how_many_seeds_it_holds(quick: Path) -> None:
    """Beside the lowest and the highest value."""
    figure = next(report([str(quick)])).figure

    (said,) = seed_text([SeedLine("quick", figure, (99.0, 101.0, 3.5))])

    assert said.startswith("quick: MB/s ")
    assert said.split()[-7:] == ["3.50", "to", "101", "2", "of", "3", "follows"]


def test_a_figure_that_differs_says_why(quick: Path) -> None:
    """Below its line, where it does not hold with every seed."""
    figure = next(report([str(quick)])).figure._replace(differs="the model has no such queue")
    assert [*seed_text([SeedLine("quick", figure, (101.0, 3.5))])][1:] == [
        "  differs: the model has no such queue"
    ]
    assert len([*seed_text([SeedLine("quick", figure, (3.5,))])]) == 1


@pytest.mark.parametrize(("high", "status"), [(100, 0), (0.001, 1)])
def test_the_exit_status_says_if_a_figure_does_not_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], high: float, status: int
) -> None:
    """With any of the seeds."""
    file = tmp_path / "quick.toml"
    file.write_text(QUICK.format(high=high))

    assert main(["lab", "report", "--seeds", "1-2", "-f", "csv", str(file)]) == status

    assert capsys.readouterr().out.splitlines()[1].split(",")[4:6] == [str(2 - 2 * status), "2"]


@pytest.mark.parametrize("text", ["", "7", "9-3", "1-", "-1-3", "1-3-5", "a-b"])
def test_what_is_no_range_of_seeds_is_refused(text: str) -> None:
    """With an example."""
    with pytest.raises(argparse.ArgumentTypeError, match="1-200"):
        seeds(text)
