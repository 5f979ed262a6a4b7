"""What zmon says of the machines whose truth was written down before: docs/witness.md shows it all."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from docs.witness import ANSWERS, CLAIMS, FILE, SCORES, SENTENCES, cells_of, claims, page, rows, score, table
from tests.witness.answers import Answer
from tests.witness.looks import DEFAULT, MODES, WITH_CACHE, WITHOUT_CMF, noisy
from tests.witness.machines import MACHINES
from tests.witness.simulation import simulate

PAGE: Final = Path(FILE).read_text(encoding="utf-8")
RIGHT: Final = {WITH_CACHE.name: 99, DEFAULT.name: 95, WITHOUT_CMF.name: 87}
"""How many answers are right of those to all machines: none may get fewer."""
QUICK: Final = (
    "healthy-idle",
    "healthy-virtio",
    "full-128k-16-aliases",
    "fcp-path-lost",
    "fcp-path-came-back",
)
"""The machines that are asked with each change; the others are when whole days are judged."""
SLOW: Final = [pytest.param(name, marks=pytest.mark.whole_days) for name in MACHINES if name not in QUICK]


@pytest.mark.parametrize("name", [*QUICK, *SLOW])
def test_the_page_says_what_zmon_says(name: str) -> None:
    """Run `python docs/witness.py` where a row has changed, and read what has."""
    row, sentences = rows(name)
    assert row in table(PAGE, ANSWERS)
    assert [line for line in table(PAGE, SENTENCES) if cells_of(line)[0] == name] == sentences.splitlines(
        keepends=True
    )


def test_the_page_has_all_machines_and_their_scores() -> None:
    """Each has one row; the tables above it follow from these rows."""
    answers = table(PAGE, ANSWERS)
    assert [cells_of(row)[0] for row in answers] == list(MACHINES)
    made = [(row, "") for row in answers[:-1]] + [(answers[-1], "".join(table(PAGE, SENTENCES)))]
    assert page(PAGE, made) == PAGE
    assert len(table(PAGE, SCORES)) == len(MODES)
    assert len(table(PAGE, CLAIMS)) == 3


def test_no_healthy_machine_is_called_ill() -> None:
    """Whatever is measured, how often, and under which names."""
    for row in table(PAGE, ANSWERS):
        name, _truth, *answers, changes = cells_of(row)
        if not MACHINES[name].truth.first:
            assert answers == ["right"] * len(MODES)
            assert changes == "none"
    assert not any(counts["false alarm"] for counts in score(table(PAGE, ANSWERS)).values())


def test_the_first_diagnosis_does_not_change_with_names_noise_and_intervals() -> None:
    """Of no machine."""
    assert {cells_of(row)[-1] for row in table(PAGE, ANSWERS)} == {"none"}


def test_no_score_falls_and_what_is_certain_is_right() -> None:
    """Raise `RIGHT` where an answer has become right."""
    answers = table(PAGE, ANSWERS)
    assert {look: counts["right"] for look, counts in score(answers).items()} == RIGHT
    assert not claims(answers)["certain"][False]


@pytest.mark.parametrize(
    ("ids", "named", "sentence", "outcome"),
    [
        ((("D9", "likely"),), "behind volume 8003", "", "right"),
        ((("D9", "likely"),), "behind lcu 8000", "", "not named"),
        ((("D9", "likely"),), "behind volume 80031", "", "not named"),
        ((("D1", "likely"), ("D9", "possible")), "", "", "not first"),
        ((("D1", "likely"),), "8003", "", "wrong"),
        ((), "", "Nothing is short.", "missed"),
        ((), "", "6 requests are inside LCU 8000, 4 ms each.", "undecided"),
    ],
)
def test_an_answer_is_judged_by_the_truth(
    ids: tuple[tuple[str, str], ...], named: str, sentence: str, outcome: str
) -> None:
    """The first diagnosis decides, and what it names."""
    machine = MACHINES["rank-slow-below-one-volume"]
    assert Answer(ids, (), named, sentence).outcome(machine, DEFAULT) == outcome
    healthy = {"right": "false alarm", "missed": "right", "undecided": "undecided"}
    if outcome in healthy:
        assert Answer(ids, (), named, sentence).outcome(MACHINES["healthy-oltp"], DEFAULT) == healthy[outcome]


def test_noise_is_small_and_possible() -> None:
    """Differences are wrong by 5 % at most; no cache answers more than it is asked."""
    taken = simulate(MACHINES["full-128k-16-aliases"])[40::10]
    wrong = noisy(taken, "any")
    for number, counts in wrong[-1].blocks.items():
        true = taken[-1].blocks[number].reads - taken[0].blocks[number].reads
        assert abs(counts.reads - wrong[0].blocks[number].reads - true) <= 0.05 * true + 1
    assert all(counts.read_hits <= counts.reads for counts in wrong[-1].cache.values())
    for number, now in wrong[-1].subchannels.items():
        before = wrong[0].subchannels[number]
        used = [getattr(now, time) - getattr(before, time) for time in ("connect", "pending", "disconnect")]
        assert sum(used) <= wrong[-1].time - wrong[0].time + 1e-6
