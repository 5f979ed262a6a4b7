"""What tests/golden/witness holds is right as often as before, and docs/witness.md shows it."""

from __future__ import annotations

from typing import Final

from docs.witness import FILE, claims, held, page, score
from tests.goldens import GOLDEN
from tests.witness.looks import DEFAULT, MODES, WITH_CACHE, WITHOUT_CMF
from tests.witness.machines import MACHINES

RIGHT: Final = {WITH_CACHE.name: 99, DEFAULT.name: 95, WITHOUT_CMF.name: 87}
"""How many answers are right of those to all machines: none may get fewer."""


def test_the_page_says_what_is_held() -> None:
    """`python docs/witness.py` writes its tables, which follow from what is held of each machine."""
    written = FILE.read_text(encoding="utf-8")
    assert page(written) == written
    assert {file.stem for file in (GOLDEN / "witness").iterdir()} == set(MACHINES)


def test_no_healthy_machine_is_called_ill() -> None:
    """Whatever is measured, how often, and under which names."""
    for name, machine in MACHINES.items():
        if not machine.truth.first:
            assert held(name).answers == ("right",) * len(MODES)
            assert held(name).changes == "none"
    assert not any(counts["false alarm"] for counts in score(map(held, MACHINES)).values())


def test_the_first_diagnosis_does_not_change_with_names_noise_and_intervals() -> None:
    """Of no machine."""
    assert {held(name).changes for name in MACHINES} == {"none"}


def test_no_score_falls_and_what_is_certain_is_right() -> None:
    """Raise `RIGHT` where an answer has become right."""
    assert {look: counts["right"] for look, counts in score(map(held, MACHINES)).items()} == RIGHT
    assert not claims(map(held, MACHINES))["certain"][False]
