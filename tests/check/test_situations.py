"""What each check finds: its state here, its sentences and advice in tests/golden/said/checks.txt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.check import (
    test_disk_checks,
    test_file_checks,
    test_memory_checks,
    test_multipath_checks,
    test_path_checks,
    test_system_checks,
)
from tests.check.machines import result
from tests.goldens import compare

if TYPE_CHECKING:
    from tests.check.machines import Situations
    from zmon.check.practice import State

SITUATIONS: Final[Situations] = [
    *test_disk_checks.SITUATIONS,
    *test_file_checks.SITUATIONS,
    *test_memory_checks.SITUATIONS,
    *test_multipath_checks.SITUATIONS,
    *test_path_checks.SITUATIONS,
    *test_system_checks.SITUATIONS,
]


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: f"{situation[0]}-{situation[1].name}")
def test_a_check_finds_what_is_broken(situation: tuple[str, State, Any]) -> None:
    """Each on a machine that has just this."""
    name, state, *changes = situation
    assert result(name, *changes).state is state


def test_each_sentence_is_as_it_was() -> None:
    """In the golden, with what to do where that is not what the check always advises."""
    lines = []
    for name, _, *changes in SITUATIONS:
        found = result(name, *changes)
        lines.append(f"{name} {found.state.value}: {found.words}")
        lines += [f"  {found.found_advice}"] if found.found_advice else []
    compare("said/checks", lines)
