"""The sentences of diagnoses name the things they are about, each with its own number, in order."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.simulated import situation_in, view_of
from tests.diagnosis.situations import LCU, load, only, situation, volume
from tests.goldens import facts
from zmon.check.practices import CHECKS
from zmon.diagnosis.aliases import CAUSES as ALIASES
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY
from zmon.diagnosis.judged import verdict_of
from zmon.diagnosis.verdict import CAUSES
from zmon.machine.observed_volumes import NO_STRIPE

if TYPE_CHECKING:
    from zmon.diagnosis.diagnosis import Diagnosis


@cache
def first_of(name: str) -> Diagnosis:
    """Return what is said first of the last interval of a scenario."""
    return verdict_of(view_of(name)).diagnoses[0]


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("stripe-extended", "10 8000"),
        ("hyperpav-0", "10 8000 8100"),
        ("iozone-hpf", "10 9000 9100 9200 9300"),
        ("pav-3", "7 8000"),
    ],
)
def test_a_number_of_aliases_is_that_of_each_lcu(name: str, action: str) -> None:
    """Each that is short is named, with how many it should have."""
    assert facts(first_of(name).action) == action


def test_a_gain_of_one_of_two_remedies_says_of_which() -> None:
    """More aliases are computed, HyperPAV is not."""
    assert first_of("pav-3").gain_text.startswith("with these aliases 1.")


@pytest.mark.parametrize(("now", "then"), [(1, 10), (3, 10), (6, 12), (20, 32), (31, 32), (32, 64)])
def test_as_many_aliases_are_advised_as_check_calls_good(now: int, then: int) -> None:
    """Twice as many as now, from 10 to 32: CHECK (B1) has something to say of fewer and of more."""
    lcu = LCU._replace(aliases=now, alias_use=float(now))
    crowd = [volume(f"0.0.70{at:02}", queued=0.02) for at in range(8)]
    known = situation(load(*crowd)._replace(lcus=(lcu,)))
    one = only(ALIASES["D4"](known))
    assert facts(one.action) == f"{then} 7"
    assert one.whatif == f"aliases {then} on LCU 7"


def test_stripes_that_are_known_to_be_small_are_certain_and_the_advice_is_that_of_check() -> None:
    """The table of the device mapper has their size; where it was not read, that would confirm it."""
    one = first_of("small-stripes")
    assert (one.id, one.confidence, one.confirm) == ("D10b", CERTAIN, "")
    assert facts(one.claim).endswith(" 8 8 8")
    advice = next(check.advice for check in CHECKS if check.id == "B14")
    assert all("1 MiB or more (lvcreate -I)" in text for text in (one.action, advice))
    (unread,) = (
        each._replace(stripe=NO_STRIPE)
        for each in situation_in("small-stripes").stacked()
        if each.name == one.subjects[0].key
    )
    known = only(CAUSES["D10b"](situation_in("small-stripes")._replace(stacked=lambda: (unread,))))
    assert (known.confidence, "dmsetup table" in known.confirm) == (LIKELY, True)


@pytest.mark.parametrize(("name", "title"), [("dm-queue", "lab-history"), ("small-stripes", "lab-restored")])
def test_a_device_of_the_device_mapper_has_the_name_that_people_gave_it(name: str, title: str) -> None:
    """The kernel's name, which may be another one after the next start, stands behind it."""
    found = verdict_of(view_of(name)).diagnoses
    assert any(f"{title} (dm-" in one.claim for one in found)


def test_a_slow_path_is_taken_off_with_a_command() -> None:
    """Its FCP device is set offline, because each disk has another one; that this is the last one is said."""
    action = first_of("fcp-path-slow").action
    assert "chccwdev -d 0.0.fc61;" in action
    assert "0.0.fc60" in action


@pytest.mark.parametrize("name", ["stripe-1mb", "iozone-hpf"])
def test_lcus_are_named_in_order(name: str) -> None:
    """Whichever is the worst: its figures say that they are those where most wait."""
    claim = first_of(name).claim
    titles = [word for word in claim.replace(",", " ").split() if word.isdigit() and len(word) == 4]
    assert titles == sorted(titles)
    assert "where most wait" in claim
