"""A user's own file of rules switches diagnoses off and changes what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.simulated import situation_in
from tests.goldens import facts
from zmon.diagnosis.catalogue import as_shipped, catalogue
from zmon.diagnosis.verdict import verdict
from zmon.rule.grammar import chosen_rules
from zmon.rule.rules_file import RuleError
from zmon.words.records import SWITCHED_OFF

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

OFF = '[[diagnosis]]\nid = "D4"\noff = true\n'
OWN_CASE = '[[diagnosis]]\nid = "D4"\n[[diagnosis.case]]\nname = "volumes"\n%s\n'
OWN_WORDS = '[[diagnosis]]\nid = "D4"\n[[diagnosis.case]]\nname = "volumes"\naction = "%s"\n'


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], str]]:
    """Write a user's file of rules, which counts from then on; return its path."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = tmp_path / "zmon" / "rules.toml"

    def write(text: str) -> str:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        catalogue.cache_clear()
        return str(path)

    yield write
    catalogue.cache_clear()


def test_what_is_switched_off_is_not_diagnosed_and_not_denied(own: Callable[[str], str]) -> None:
    """The verdict says that it was not looked for."""
    own(OFF)
    found = verdict(situation_in("pav-3"))
    assert "D4" not in {one.id for one in found.diagnoses}
    assert ("D4", SWITCHED_OFF.reason) in {(one.id, one.source) for one in found.unknown}


def test_a_site_says_in_its_own_words_what_to_do(own: Callable[[str], str]) -> None:
    """With the fields of the record; all else stays."""
    own(OWN_WORDS % "Call 4711: {titles} {needs|need} {more}.")
    (first, *_) = verdict(situation_in("pav-3")).diagnoses
    assert (first.id, first.action) == ("D4", "Call 4711: 8000 needs 7 aliases for volume 8000.")
    assert first.clause == "Volume 8000 has too few aliases"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (OWN_WORDS % "Call {whom}.", "whom"),
        ('[[diagnosis]]\nid = "D99"\noff = true\n', "D99"),
        ('[[diagnosis]]\nid = "D4"\nof = true\n', "of"),
        ('[[diagnosis]]\nid = "D4"\n[[diagnosis.case]]\nname = "pool"\n', "pool"),
        (OWN_CASE % 'of = "nothing"', "of"),
        (OWN_CASE % "when = 5", "when"),
        (OWN_CASE % 'when = ["use = 5"]', "when"),
        (OWN_CASE % 'confidence = "sure"', "sure"),
    ],
)
def test_a_mistake_is_said_and_nothing_of_the_file_is_used(
    own: Callable[[str], str], text: str, wrong: str
) -> None:
    """With file and line, as of rules."""
    path = own(text)
    with pytest.raises(RuleError, match=rf"rules.toml:\d+: .*{wrong}"):
        chosen_rules([path])
    assert catalogue() is as_shipped()


@pytest.mark.parametrize(
    "text", [OWN_WORDS % "Call {titles:ms}.", OWN_CASE % 'when = ["title >= 3"]', OWN_CASE % "action = [3]"]
)
def test_what_cannot_be_said_or_compared_is_that_of_zmon(own: Callable[[str], str], text: str) -> None:
    """A form that does not fit the field, or a text as a number, would else end the verdict."""
    own(text)
    (first, *_) = verdict(situation_in("pav-3")).diagnoses
    assert facts(first.action) == "7 8000"
