"""A user's own file of rules switches checks off and changes what they compare and say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.check.machines import given
from zmon.base.toml import TomlDocument
from zmon.check.practice import State
from zmon.check.practices import CHECKS, changed
from zmon.kinds import SETTING
from zmon.words.records import SWITCHED_OFF

if TYPE_CHECKING:
    from zmon.check.practice import Check

OWN_CASE = """
[[check]]
id = "B17"
advice = "call 4711"
case = [
  { when = ["value > 1"], state = "bad", say = "%s" },
  { state = "ok", say = "{value}" },
]
"""


def own(text: str) -> dict[str, Check]:
    """Return the checks that a file makes, by their ids."""
    return {check.id: check for check in changed(TomlDocument(text, "rules.toml").top())}


GIVEN = given({SETTING: {"vm.swappiness": "5"}})
"""A machine whose swappiness is 5."""


def test_what_is_switched_off_means_nothing() -> None:
    """And says so; all other checks stay as they are."""
    checks = own('[[check]]\nid = "B17"\noff = true\n')
    assert checks["B17"].run(GIVEN) == (State.NOT_APPLICABLE, SWITCHED_OFF.reason, "")
    assert list(checks) == [check.id for check in CHECKS]


MISTAKES = (
    '[[check]]\nid = "B99"\noff = true\n',
    '[[check]]\nid = "B17"\nof = true\n',
    '[[check]]\nid = "B17"\ncase = [{ when = [], sey = "x" }]\n',
)


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_is_said_with_its_line(text: str) -> None:
    """A check that there is not, and keys that are not known."""
    with pytest.raises(ValueError, match=r"rules.toml:\d+: "):
        own(text)


def test_a_site_says_what_is_bad_for_it() -> None:
    """In its own words, with the fields of the record; words that cannot be said are those of zmon."""
    finding = own(OWN_CASE % "{value}, and ours want 1")["B17"]
    assert finding.run(GIVEN) == (State.BAD, "5, and ours want 1", "")
    assert finding.advice == "call 4711"
    assert own(OWN_CASE % "{nothing}")["B17"].run(GIVEN).state is State.OK
