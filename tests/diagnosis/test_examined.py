"""What looks like a cause and is none is said, with the number that the model of all resources has for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.simulated import view_of
from zmon.cli.main import main
from zmon.diagnosis.judged import situation_of, verdict_of
from zmon.diagnosis.verdict import verdict

if TYPE_CHECKING:
    from zmon.diagnosis.diagnosis import Examined


def examined_in(name: str) -> tuple[Examined, ...]:
    """Return what was examined in the last interval of a scenario."""
    return verdict_of(view_of(name)).examined


BUSY = r"Channel paths %s are up to \d\d %% busy%s"
PENDS = r", and a request behind them pends for 0\.\d ms of its Serv of \d\d\.\d ms\. "
LITTLE = r"Twice as many paths alone would gain little: 1\.0\d times the throughput \(1\.00 to 1\.\d\d\)"
QUEUE = r"\d\.\d requests wait in Linux for LCU 8000 and LCU 8100, 0\.\d ms each: .* at most 3\d %"
ALONE = r"Channel path 60 is \d\d % busy and the others of 60-63 are next to idle, but nothing is seen"


@pytest.mark.parametrize(
    ("name", "ids", "begin", "end"),
    [
        ("shark-before", "D2", BUSY % ("40-45", PENDS) + LITTLE, r"next limit: LCU 7600, ~9\d % busy\."),
        ("shark-after", "D2", BUSY % ("48-4d, 40-45, 58-5d and 50-55", PENDS) + LITTLE, r"busy\."),
        ("hyperpav-10", "D4", QUEUE, r"would give 1\.0\d times the throughput .*"),
        ("fcp-failover", "D2", BUSY % ("60-63", ""), r": D14b explains it\."),
        ("fcp-failover-full", "D14b", ALONE, r"The use of all paths would give 1\.\d\d times .*"),
        ("fcp-writes-multibus", "D2", BUSY % ("60-6f", ""), r"Twice as many paths alone would give .*"),
    ],
)
def test_what_is_no_cause_is_said_with_its_numbers(name: str, ids: str, begin: str, end: str) -> None:
    """Busy paths that requests do not wait for, and requests that wait though aliases are free."""
    (one,) = examined_in(name)
    assert one.id == ids
    assert one.subjects
    assert re.fullmatch(f"{begin}.*{end}", one.words), one.words


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
