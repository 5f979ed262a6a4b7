"""Main numbers are compared with what they usually are at this hour."""

from __future__ import annotations

from pathlib import Path
from shutil import copyfile

import pytest

from tests.goldens import facts
from zmon.base.absent import absent
from zmon.cli.main import main
from zmon.diagnosis.diagnosis import CERTAIN, Diagnosis, Measurement, Subject
from zmon.diagnosis.usual import compared

LCU = Subject("lcu", "L", "LCU 7")
NOT_RECORDED = absent("no other day")


def diagnosis(*values: float | str) -> Diagnosis:
    evidence = tuple(
        Measurement(f"control_unit.c{at}", LCU, value, f"number {at}") for at, value in enumerate(values)
    )
    return Diagnosis("D1", (LCU,), "It is full", evidence, CERTAIN, "Do it.", 1.0)


@pytest.mark.parametrize(
    ("usual", "found", "compares"),
    [
        (10.0, "0 3.2", True),
        (64.0, "0 0.5", True),
        (31.0, "0", True),
        (0.0, "0", False),
        (NOT_RECORDED, "0", False),
    ],
)
def test_how_a_number_compares(usual: object, found: str, *, compares: bool) -> None:
    """Times its usual value, unless that is not known or nothing."""
    (one,) = compared(diagnosis(32.0), lambda _measurement: usual).evidence  # type: ignore[arg-type, return-value]
    assert facts(one.words) == found
    assert ("usual" in one.words) is compares


def test_only_the_main_numbers_are_compared() -> None:
    """The first two that can be: more would hide them."""
    found = compared(diagnosis("text", 1.0, 2.0, 3.0), lambda _measurement: 0.5)
    assert ["usually" in one.words for one in found.evidence] == [False, True, True, False]


DAY_BEFORE = """
title = "The day before"
text = "As the healthy day, without its incident."
base = "healthy-day"
begin = 2026-03-15T14:10:00Z
[[phases]]
name = "afternoon"
seconds = 3600
loads = { sessions = 1 }
"""
RECORDING = Path(__file__).resolve().parents[2] / "recordings/lab-healthy-day.zmon"


def test_a_directory_with_the_day_before_says_what_is_usual(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The day before had the hour without the new reader; one day alone says nothing."""
    scenario, days = tmp_path / "before.toml", tmp_path / "days"
    days.mkdir()
    scenario.write_text(DAY_BEFORE, encoding="utf-8")
    copyfile(RECORDING, days / "2026-03-16.zmon")

    def said() -> str:
        capsys.readouterr()
        assert main(["diagnose", "--from", str(days), "--at", "14:40"]) == 0
        return " ".join(capsys.readouterr().out.split())

    assert "at this hour" not in said()
    assert main(["import", f"lab:{scenario}", str(days / "2026-03-15.zmon")]) == 0
    assert "2.6 before, 48.8 times" in said()
