"""What looks like a cause and is none is said, with the number that the model of all resources has for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.simulated import view_of
from tests.goldens import facts
from zmon.cli.main import main
from zmon.diagnosis.judged import situation_of, verdict_of
from zmon.diagnosis.verdict import verdict

if TYPE_CHECKING:
    from zmon.diagnosis.diagnosis import Examined


def examined_in(name: str) -> tuple[Examined, ...]:
    """Return what was examined in the last interval of a scenario."""
    return verdict_of(view_of(name)).examined


@pytest.mark.parametrize(
    ("name", "ids", "figures"),
    [
        ("shark-before", "D2", r"40-45 \d\d 0\.\d \d\d\.\d 7600 ~9\d"),
        ("shark-after", "D2", r"48-4d 40-45 58-5d 50-55 \d\d 0\.\d \d\d\.\d 7500 ~8\d"),
        ("hyperpav-10", "D4", r"\d\.\d 8000 8100 0\.\d 3\d 4 82"),
        ("fcp-failover", "D2", r"60-63 \d\d D14b"),
        ("fcp-failover-full", "D14b", r"60 \d\d 60-63 4 92"),
        ("fcp-writes-multibus", "D2", r"60-6f \d\d .*"),
    ],
)
def test_what_is_no_cause_is_said_with_its_numbers(name: str, ids: str, figures: str) -> None:
    """Busy paths that requests do not wait for, and requests that wait though aliases are free.

    What would gain less than the model errs by has no number of its own.
    """
    (one,) = examined_in(name)
    assert one.id == ids
    assert one.subjects
    assert re.fullmatch(figures, facts(one.words)), one.words


@pytest.mark.parametrize("name", ["shark-respread-only", "hyperpav-0", "iozone-hpf", "pav-3", "path-slow"])
def test_what_is_diagnosed_is_not_examined_again(name: str) -> None:
    """Full paths and queues for aliases that are diagnosed have their sentence already."""
    found = verdict_of(view_of(name))
    ids = {one.id for one in (*found.diagnoses, *(one for one, _ in found.explained))}
    assert not ids & {one.id for one in found.examined}


def test_without_a_model_only_what_was_seen_is_said() -> None:
    """Where times are not measured there is no prediction: no number is invented."""
    found = verdict(situation_of(view_of("shark-before"))._replace(predict=None)).examined
    assert [one.words.count("Twice") for one in found] == [0]


def test_exceptions_and_diagnosis_say_the_same(
    capsys: pytest.CaptureFixture[str],
    utc: None,  # noqa: ARG001 - clocks show UTC
) -> None:
    """EXCEPT marks paths bad that DIAGNOSE does not name: below it stands why, in the words of DIAGNOSE."""
    source = ("--from", "recordings/lab-shark-before.zmon")
    said = []
    for command in (("show", "EXCEPT"), ("show", "DIAGNOSE"), ("diagnose",)):
        assert main([*command, *source]) == 0
        text = " ".join(capsys.readouterr().out.split())
        assert "Looked at" in text, command
        said.append(text.partition("Looked at")[2].removeprefix(":").partition("busy.")[0].split())
    assert said[0] == said[1] == said[2]
