"""`zmon spread --traffic --moves` prints what MOVES shows: one question has one answer."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Final

import pytest

from zmon.cli.main import main
from zmon.cli.output import OK
from zmon.placement.planner import PLANNED

if TYPE_CHECKING:
    from pathlib import Path

SHARK: Final = "recordings/lab-shark-before.zmon"
LOGS: Final = "lab:logs-mixed"
"""The plan that takes longest to be found."""
SOURCES: Final = {
    SHARK: [],
    "recordings/lab-healthy-day.zmon": ["--at", "14:40"],
    LOGS: [],
    "recordings/qemu-one-path-of-two.zmon": [],
}
"""Where moves help, where a new reader is to be found, where a log is in the way, and no file known."""

Step = tuple[str, str, str, float]


def steps(printed: str, *names: str) -> list[Step]:
    """Return each step of a CSV: the first file, where it is, where it goes, and the maximum after it."""
    found: dict[str, Step] = {}
    for row in csv.DictReader(io.StringIO(printed)):
        number, path, source, target, top = (row[name] for name in names)
        found.setdefault(number, (path, source, target, round(float(top), 9)))
    return list(found.values())


def suggested(capsys: pytest.CaptureFixture[str], source: str, moves: int, *more: str) -> list[Step]:
    main(["spread", "--from", source, *more, "--traffic", "--moves", str(moves), "--format", "csv"])
    return steps(capsys.readouterr().out, "step", "path", "from", "to", "max_to_mean")


@pytest.mark.parametrize(
    "source",
    [pytest.param(source, marks=[pytest.mark.whole_days] if source == LOGS else []) for source in SOURCES],
)
def test_the_plan_is_that_of_moves(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the same interval, with the same traffic, in the same order."""
    main(["show", "MOVES", "--from", source, *SOURCES[source], "--format", "csv"])
    shown = steps(capsys.readouterr().out, "number", "path", "source", "target", "uneven")
    assert suggested(capsys, source, PLANNED, *SOURCES[source]) == shown
    assert bool(shown) == (source == SHARK)


@pytest.mark.parametrize(
    ("moves", "pins", "is_first"),
    [(6, (), False), pytest.param(3, ("TSFACT1", "TSFACT3"), True, marks=pytest.mark.whole_days)],
)
def test_fewer_moves_are_the_first_of_it(
    moves: int, pins: tuple[str, ...], is_first: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unless others are 2 % better; the text says which it is.  An exchange is one move."""
    held = [f"--pin={pin}" for pin in pins]
    whole, few = (suggested(capsys, SHARK, most, *held) for most in (PLANNED, moves))
    assert moves / 2 <= len(few) <= moves
    assert (few == whole[: len(few)]) == is_first
    main(["spread", "--from", SHARK, *held, "--traffic", "--moves", str(moves)])
    said = " ".join(capsys.readouterr().out.split())
    assert ("hese are the first moves of" in said, "nother plan" in said) == (is_first, not is_first)


def test_a_page_has_one_response(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the model of queues predicts responses, no estimate by another formula stands below."""
    site = tmp_path / "site.toml"
    site.write_text("[capacity]\nlcu = 40\n", encoding="utf-8")
    main(["spread", "--from", SHARK, "--site", str(site), "--traffic"])
    said = " ".join(capsys.readouterr().out.split())
    assert "ms instead of" in said
    assert "Head room" in said
    assert "M/M/1" not in said


def test_a_number_of_moves_is_the_same_question_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    """`spread --moves 4`, MOVES 4 and `whatif moves 4` have one plan, and foretell the same of it."""
    main(["show", "MOVES", "4", "--from", SHARK, "--format", "json"])
    rows = json.loads(capsys.readouterr().out)["rows"]
    main(["show", "MOVES", "4", "--from", SHARK, "--format", "csv"])
    shown = steps(capsys.readouterr().out, "number", "path", "source", "target", "uneven")
    assert suggested(capsys, SHARK, 4) == shown
    assert len(shown) == 4
    for words in (["moves", "4"], ["4 moves"]):
        main(["whatif", "--from", SHARK, *words, "--format", "json"])
        answer = json.loads(capsys.readouterr().out)
        assert answer["times"] == pytest.approx(rows[-1]["times"])
        assert answer["changes"][0].startswith("the 4 moves of MOVES 4, ")


def test_what_is_no_number_of_moves_is_refused_with_what_to_type(capsys: pytest.CaptureFixture[str]) -> None:
    """In one sentence; conditions choose rows as before."""
    assert main(["show", "MOVES", "0", "--from", SHARK]) != OK
    assert "MOVES 4" in capsys.readouterr().err
    assert main(["show", "MOVES", "how=moves", "--from", SHARK]) == OK
