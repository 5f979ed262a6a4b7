"""The state of a resource is the worse of what diagnoses and exceptions say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zmon.base.absent import absent
from zmon.base.event import BAD, LOOK, ExceptionEntry
from zmon.diagnosis.catalogue import catalogue
from zmon.diagnosis.diagnosis import BLIND, CERTAIN, LIKELY, POSSIBLE, Diagnosis, Subject, Verdict
from zmon.diagnosis.resource_state import resource_of, resource_of_exception, shortages
from zmon.diagnosis.resources import RESOURCES
from zmon.rule.grammar import load_rules
from zmon.tables.filled import resource_in

if TYPE_CHECKING:
    from collections.abc import Iterable

LCU = Subject("lcu", "IBM.1.7600", "LCU 7600")
PATHS = Subject("path", "50 51", "channel paths 50-51")
RESOURCE_KEYS = {one.key for one in RESOURCES}


def diagnosis(id_: str, confidence: str = CERTAIN, subject: Subject = LCU) -> Diagnosis:
    return Diagnosis(id_, (subject,), "It is so", (), confidence, "Do this.", 1.0)


def verdict(*diagnoses: Diagnosis, explained: tuple[Diagnosis, ...] = ()) -> Verdict:
    return Verdict(diagnoses, tuple((one, "D1") for one in explained), "", "", ())


def entry(table: str, cause: str, level: int = LOOK, key: str = LCU.key) -> tuple[ExceptionEntry, str, str]:
    """Return an exception with the resource that its table lists, and no LCU."""
    nothing = absent("not asked for")
    exception = ExceptionEntry(
        "rule", "", table, key, "7600", 0, 1, level, nothing, 0, 1, nothing, nothing, 1, "", cause
    )
    return exception, resource_in(table), ""


def levels(verdict: Verdict, entries: Iterable[tuple[ExceptionEntry, str, str]] = ()) -> dict[str, int]:
    """Return how bad each resource is; of one that is not short there is nothing."""
    return {key: short.level for key, short in shortages(verdict, entries).items()}


@pytest.mark.parametrize(("confidence", "level"), [(CERTAIN, BAD), (LIKELY, LOOK), (POSSIBLE, LOOK)])
def test_what_is_certain_is_bad(confidence: str, level: int) -> None:
    """As in the status of a service: what is likely or possible is worth a look."""
    assert levels(verdict(diagnosis("D1", confidence))) == {"lcu": level}


@pytest.mark.parametrize(
    ("id_", "lost", "level"),
    [("D14b", 0.8, LOOK), ("D14b", 1.0, BAD), ("D13", 0.0, BAD), ("D21", 0.0, BAD)],
)
def test_what_costs_less_than_a_request_is_worth_a_look(id_: str, lost: float, level: int) -> None:
    """It is certain, but next to nothing waits; what is lost or hangs is bad in any case."""
    (found,) = levels(verdict(diagnosis(id_)._replace(lost=lost))).values()
    assert found == level


def test_what_another_diagnosis_explains_is_short_all_the_same() -> None:
    """It leads to the line that explains it, which alone is bad."""
    found = verdict(diagnosis("D1"), explained=(diagnosis("D4"),))
    short = shortages(found, [entry("control_unit", "D4", BAD), entry("channel", "D2", BAD, "50")])
    assert {key: (one.level, one.by) for key, one in short.items()} == {
        "lcu": (BAD, ""),
        "alias": (LOOK, "lcu"),
        "channel": (BAD, ""),
    }


def test_what_is_about_the_same_thing_explains_an_exception() -> None:
    """D23 is about the paths to the LCU, too; that they are busy is no news beside it."""
    found = verdict(diagnosis("D23")._replace(subjects=(LCU, PATHS)))
    assert levels(found, [entry("channel", "D2", BAD, "50")]) == {"lcu": BAD, "channel": LOOK}
    assert levels(found, [entry("channel", "D2", BAD, "52")]) == {"lcu": BAD, "channel": BAD}


def test_what_is_explained_is_no_worse_than_what_explains_it() -> None:
    """D4 is certain, but it is D2, which is likely, that is to be looked at."""
    likely = diagnosis("D2", LIKELY, PATHS)
    found = Verdict((likely,), ((diagnosis("D4"), "D2"),), "", "", ())
    assert levels(found) == {"channel": LOOK, "alias": LOOK}
    assert levels(found._replace(diagnoses=(diagnosis("D2", CERTAIN, PATHS),))) == {
        "channel": BAD,
        "alias": LOOK,
    }


def test_an_exception_of_what_is_explained_is_one_of_what_explains_it() -> None:
    """The headline is never about the resource that is better than others because of it."""
    found = Verdict((diagnosis("D2", LIKELY, PATHS),), ((diagnosis("D4"), "D2"),), "", "", ())
    short = shortages(found, [entry("control_unit", "D4", BAD)])
    assert {key: one.level for key, one in short.items()} == {"channel": BAD, "alias": LOOK, "lcu": LOOK}
    assert (short["channel"].key, short["channel"].what) == ("50 51", "channel paths are full")
    alone = found._replace(diagnoses=(*found.diagnoses, diagnosis("D4")))
    assert shortages(alone, [entry("control_unit", "D4", BAD)])["channel"].level == LOOK


def test_a_cause_stands_for_those_that_are_explained_of_its_number() -> None:
    """A rule points to D4 where D4b is explained by D16: it is an exception of the memory, too."""
    found = Verdict((diagnosis("D16"),), ((diagnosis("D4b", LIKELY), "D16"),), "", "", ())
    assert shortages(found, [entry("control_unit", "D4", BAD)])["memory"].level == BAD
    alone = found._replace(diagnoses=(diagnosis("D16", LIKELY), diagnosis("D4d")))
    assert shortages(alone, [entry("control_unit", "D4", BAD)])["memory"].level == LOOK


def test_an_exception_of_an_lcu_is_one_of_the_lcus() -> None:
    """EXCEPT has it in the row of the LCU, so the line of LCUs is not ok beside it, whatever the cause."""
    assert levels(verdict(), [entry("control_unit", "D4", BAD)]) == {"alias": BAD, "lcu": BAD}
    assert levels(verdict(), [entry("device", "D4", BAD)]) == {"alias": BAD}


def test_a_shortage_is_that_of_the_headline() -> None:
    """Of equally bad ones the first diagnosis names the thing, and says when it was."""
    one = diagnosis("D1")._replace(begin=1, end=2)
    found = shortages(verdict(one), [entry("control_unit", "D1", BAD)])["lcu"]
    assert found[1:] == ("lcu", LCU.key, LCU.title, 1, 2, "an LCU is full", "")


def test_a_measurement_that_is_off_makes_nothing_bad() -> None:
    """It is no verdict."""
    assert levels(verdict(diagnosis(BLIND, CERTAIN, Subject("cpu")))) == {}


@pytest.mark.parametrize(
    ("table", "cause", "resource"),
    [
        ("control_unit", "D4", "alias"),
        ("device", "D4", "alias"),
        ("control_unit", "D1", "lcu"),
        ("device", "D13", "channel"),
        ("device", "", "device"),
        ("zmon", "", ""),
    ],
)
def test_an_exception_is_about_what_its_cause_is_about(table: str, cause: str, resource: str) -> None:
    """The table of its rule is only where it was seen."""
    assert resource_of_exception(*entry(table, cause)[:2]) == resource


def test_every_shipped_rule_and_every_diagnosis_is_about_a_resource_of_overview_or_none() -> None:
    """So that none is left out by a name that OVERVIEW does not know."""
    of_rules = {resource_of_exception(*entry(rule.table, rule.cause)[:2]) for rule in load_rules()}
    assert of_rules <= {"", *RESOURCE_KEYS}
    assert {resource_of(diagnosis(id_)) for id_ in catalogue()} <= {"", *RESOURCE_KEYS}
    assert resource_of(diagnosis("D18", subject=Subject("file", "/a"))) == ""
