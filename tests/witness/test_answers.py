"""What zmon says of the machines whose truth was written down before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.goldens import compare
from tests.witness.answers import Answer, ask
from tests.witness.looks import DEFAULT, MODES, SAME, noisy
from tests.witness.machines import MACHINES
from tests.witness.simulation import simulate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.witness.looks import Look
    from tests.witness.parts import Machine

QUICK: Final = (
    "healthy-idle",
    "healthy-virtio",
    "full-128k-16-aliases",
    "fcp-path-lost",
    "fcp-path-came-back",
)
"""The machines that are asked with each change; the others are when whole days are judged."""
SLOW: Final = [pytest.param(name, marks=pytest.mark.whole_days) for name in MACHINES if name not in QUICK]


def cell(machine: Machine, look: Look, answer: Answer) -> str:
    """Return an answer in words: what it is, the first diagnosis, how sure that is."""
    outcome = answer.outcome(machine, look)
    return f"{outcome}: {answer.first} {answer.confidence}" if answer.first else outcome


def lines(machine: Machine) -> Iterator[str]:
    """Yield the truth with the answers and what changes them, and the sentences that are not right."""
    truth = machine.truth
    answers = [(look, ask(machine, look)) for look in MODES]
    same = [(look, ask(machine, look)) for look in SAME]
    changed = [
        f"{look.name}: {answer.first or 'none'}"
        for look, answer in same
        if answer.first != answers[0][1].first
    ]
    says = f"{truth.says} ({', '.join(truth.first)})" if truth.first else truth.says
    cells = [cell(machine, look, answer) for look, answer in answers]
    yield " | ".join((says, *cells, ", ".join(changed) or "none"))
    for look, answer in answers:
        if answer.outcome(machine, look) != "right":
            yield f"{look.name} | {answer.sentence.replace('|', '/')}"


@pytest.mark.parametrize("name", [*QUICK, *SLOW])
def test_zmon_says_what_is_held(name: str) -> None:
    """Read what has changed, where something has."""
    compare(f"witness/{name}", lines(MACHINES[name]))


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
