"""`zmon size`."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from tests.tables.disks import samples
from zmon.cli.main import main
from zmon.cli.output import OK
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Size = Callable[..., tuple[int, str, str]]

pytestmark = pytest.mark.usefixtures("utc")

STUDY = """\
Workload   10,000 I/O per second: 5,000 reads, 5,000 writes
Hardware   15,000 I/O per second = 5,000 + 5,000 x 2
Disks      84 with 180 I/O per second each (83.3)
Cells      7 with 12 disks each (6.9)
"""


@pytest.fixture
def size(capsys: pytest.CaptureFixture[str]) -> Size:
    """Run `zmon size`: its status, what it printed and what it said."""

    def sized(*words: str) -> tuple[int, str, str]:
        status = main(["size", *words])
        return (status, *capsys.readouterr())

    return sized


@pytest.fixture
def recording(tmp_path: Path) -> str:
    """Record a minute in which sda does 40 reads a second."""
    path = str(tmp_path / "disks.zmon")
    writer = Writer(path, durable=False)
    for sample in samples({"sda": [40] * 60}, left_out=()):
        writer.append(sample)
    writer.close()
    return path


def test_the_example_of_the_study(size: Size) -> None:
    """S002:209-233: 83.3 disks, 6.9 cells."""
    words = ("--io", "10000", "--read", "50", "--raid", "normal", "--cell", "12")
    status, said, error = size(*words)
    assert (status, error) == (OK, "")
    assert said.startswith(STUDY)


def test_reads_and_writes_may_be_given_apart(size: Size) -> None:
    """It is the same workload."""
    together = size("--io", "10000", "--read", "70", "-f", "csv")
    assert size("--reads", "7000", "--writes", "3000", "-f", "csv") == together


def test_a_penalty_stands_for_the_level(size: Size) -> None:
    """For arrays of another kind."""
    found = json.loads(size("--reads", "0", "--writes", "100", "--penalty", "2.5", "-f", "json")[1])
    assert (found["penalty"], found["rows"][0]["hardware"]) == (2.5, 250)


def test_hits_are_said_where_they_are_counted(size: Size) -> None:
    """The reader must see that the cache is taken for granted."""
    said = size("--reads", "1000", "--writes", "0", "--hits", "90")[1]
    assert "1,000 reads of which 100 reach the disks" in said
    assert "answers 90 % of the reads" in said


def test_a_recording_is_sized_by_lcu(size: Size) -> None:
    """LCU by LCU, and all of them, which are the sum."""
    rows = list(csv.DictReader(io.StringIO(size("--from", "lab:pav-3", "-f", "csv")[1])))
    assert [row["lcu"] for row in rows] == ["8000", "all"]
    assert rows[0]["disks"] == rows[1]["disks"]
    assert float(rows[0]["reads"]) == pytest.approx(490, rel=0.1)


def test_disks_without_an_lcu_are_in_the_sum(size: Size, recording: str) -> None:
    """40 reads a second on a disk that no LCU is known of."""
    found = json.loads(size("--from", recording, "--since", "-10s", "-f", "json")[1])
    assert [(row["lcu"], row["reads"]) for row in found["rows"]] == [("all", 40)]
    assert found["from"].endswith(":50.000+00:00")


def test_the_time_is_said_below_a_table(size: Size, recording: str) -> None:
    """A mean hides the busiest minute, so the reader is told to look for it."""
    said = size("--from", recording, "--at", "12:00:30")[1]
    assert "12:00:30" in said
    assert said.splitlines()[1].split()[:2] == ["all", "40.0"]
