"""Recordings of real s390x kernels: the diagnosis names what the load did, as its job log has it.

The job log is the table of `hercules-four-queries.zmon` in recordings/README.md.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.goldens import facts
from zmon.cli.main import main

pytestmark = pytest.mark.usefixtures("utc")
RECORDING = Path(__file__).parents[2] / "recordings" / "hercules-four-queries.zmon"


def diagnosed(begin: str, end: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Return what `zmon diagnose` says of a time as one interval."""
    words = ["diagnose", "--from", str(RECORDING), "--since", begin, "--until", end, "-f", "json"]
    assert main(words) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize(
    ("begin", "end"),
    [("15:09:20", "15:10:30"), ("15:10:30", "15:11:50"), ("15:17:30", "15:18:50")],
)
def test_nothing_is_wrong_while_only_the_log_is_written(
    begin: str, end: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The log has all of the I/O then, and is alone on its control unit; that is not uneven."""
    found = diagnosed(begin, end, capsys)
    assert [one for one in found["diagnoses"] if one["confidence"] != "possible"] == []


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("15:13:00", "15:14:00"),
        ("15:14:00", "15:14:40"),
        ("15:14:40", "15:15:40"),
        ("15:15:10", "15:15:20"),
        ("15:13:00", "15:16:20"),
    ],
)
def test_four_queries_on_one_control_unit(begin: str, end: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is the control unit of the database, with its share; the others are hardly used."""
    first, *others = diagnosed(begin, end, capsys)["diagnoses"]
    assert first["id"] == "D3"
    assert first["confidence"] == "likely"  # channel measurement does not exist there,
    assert first["confirm"] == ""  # so it cannot confirm it
    assert [one["title"] for one in first["subjects"]] == ["LCU 7000"]
    assert facts(first["claim"]).startswith("7000 2 ")
    (share,) = [one["value"] for one in first["evidence"] if one["column"] == "control_unit.share"]
    assert 90 < share < 99
    assert [one for one in others if one["confidence"] != "possible" and not one["explained_by"]] == []


def test_one_path_of_two(capsys: pytest.CaptureFixture[str]) -> None:
    """A KVM guest: the storage does 60 requests a second over each path, and multipath uses one of two."""
    source = str(RECORDING.with_name("qemu-one-path-of-two.zmon"))
    assert main(["diagnose", "--from", source, "--since", "begin", "-f", "json"]) == 0
    first = json.loads(capsys.readouterr().out)["diagnoses"][0]
    assert (first["id"], first["confidence"]) == ("D14b", "possible")  # no load of adapters
    assert " mpatha: sda " in first["claim"]
    assert facts(first["claim"]) == "2 60"
    assert "multibus" in first["action"]
