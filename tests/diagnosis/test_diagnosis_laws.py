"""Laws of diagnosis: names and size of a machine do not matter, and what is not measured is not denied."""

from __future__ import annotations

import os
import re
from itertools import product
from math import inf
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.diagnosis.simulated import situation_in, view_of, with_load
from zmon.base.absent import Absent, absent
from zmon.diagnosis.verdict import verdict
from zmon.lab.scenario import names
from zmon.machine.observation import ObservedProcessors
from zmon.rule.known_columns import columns_of
from zmon.tables.filled import definition

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.diagnosis.diagnosis import Measurement, Verdict
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLcu, ObservedLoad

NOT_READ: Final = absent("not read")
SOME: Final = (
    "fcp-multibus-full", "hyperpav-0", "hyperpav-40", "iozone-hyperpav", "logs-mixed", "pav-3", "path-slow",
    "pav-turn-1000", "raid-limit", "remote-mirror", "shark-after", "shark-before", "shark-respread-only",
    "stripe-1mb", "write-cache-full", "dm-queue", "dm-suspended", "fcp-failover", "fcp-path-slow",
    "guest-swapping",
)  # fmt: skip
"""Of each sort of machine and of trouble at least one."""
MACHINES: Final = tuple(names()) if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else SOME
"""All that the laboratory has before a release: an interval of each is simulated."""
OF_SEVERAL: Final = frozenset({("D2", "control_unit.pend"), ("D5", "device.pend")})
"""Means over the LCUs behind paths, and over a volume with the aliases of its pool."""
OF_THE_MACHINE: Final = frozenset({"D13", "D13b", "D14", "D14b", "D14c", "D15", "D15b", "D16", "D17", "D21"})
"""Their lost time is that of paths, tasks and memory, of which `several` has no more."""


def ids(found: Verdict) -> set[str]:
    """Return the ids of all diagnoses."""
    return {one.id for one in (*found.diagnoses, *(one for one, _ in found.explained))}


def renamed(situation: Situation, name: Callable[[str], str]) -> Situation:
    """Return the situation of a machine whose devices and LCUs have other names."""
    load = situation.load
    volumes = tuple(
        one._replace(key=f"0.{name(one.key)}" if one.is_dasd else name(one.key), lcu=name(one.lcu))
        for one in load.volumes
    )
    keys = {old.key: new.key for old, new in zip(load.volumes, volumes, strict=True)}
    lcus = tuple(one._replace(key=name(one.key)) for one in load.lcus)
    details = {keys[key]: one for key, one in situation.details().items() if key in keys}
    shares = tuple(one._replace(volume=keys[one.volume]) for one in situation.shares() if one.volume in keys)
    swap = frozenset(keys[key] for key in load.swap)
    other = with_load(situation, load._replace(volumes=volumes[::-1], lcus=lcus[::-1], swap=swap))
    return other._replace(details=lambda: details, shares=lambda: shares)


@pytest.mark.parametrize("machine", MACHINES)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**16))
def test_names_and_order_of_devices_do_not_matter(machine: str, seed: int) -> None:
    """A machine whose devices have other names, in another order, has the same diagnoses."""
    situation = situation_in(machine)
    plain = verdict(with_load(situation, situation.load))
    other = verdict(
        renamed(situation, lambda name: f"{(hash(name) ^ seed) % 2**32:08x}{name[-4:]}" if name else "")
    )
    assert ids(other) == ids(plain)
    assert [one.id for one in other.diagnoses[:1]] == [one.id for one in plain.diagnoses[:1]]


@pytest.mark.parametrize("machine", MACHINES)
def test_a_cause_makes_no_less_wait_than_what_it_explains(machine: str) -> None:
    """What is set aside because of it waits because of it."""
    judged = verdict(situation_in(machine))
    lost = {root.id: root.lost for root in judged.diagnoses}
    assert [diagnosis.id for diagnosis, by in judged.explained if diagnosis.lost > lost.get(by, inf)] == []


def several(load: ObservedLoad, times: int) -> ObservedLoad:
    """Return the load of so many machines side by side, each with LCUs and paths of its own."""

    def lcu(one: ObservedLcu, number: int) -> ObservedLcu:
        return one._replace(
            key=f"{one.key}-{number}", chpids=tuple(f"{chpid}-{number}" for chpid in one.chpids)
        )

    numbers = range(times)
    return load._replace(
        volumes=tuple(
            one._replace(
                key=f"{one.key}-{number}",
                title=f"{one.title}-{number}",
                lcu=one.lcu and f"{one.lcu}-{number}",
            )
            for number in numbers
            for one in load.volumes
        ),
        lcus=tuple(lcu(one, number) for number in numbers for one in load.lcus),
        paths={f"{key}-{number}": use for number in numbers for key, use in load.paths.items()},
        fcp=frozenset(f"{key}-{number}" for number in numbers for key in load.fcp),
        swap=frozenset(f"{key}-{number}" for number in numbers for key in load.swap),
        processors=ObservedProcessors(
            load.processors.number * times, load.processors.busy, waits=load.processors.waits
        ),
    )


def with_tasks_of(situation: Situation, times: int) -> Situation:
    """Return a situation with the processors and tasks of so many machines."""
    system = situation.machine.system()
    more = {name: getattr(system, name) * times for name in ("running", "blocked")}
    return situation._replace(machine=situation.machine._replace(system=lambda: system._replace(**more)))


@pytest.mark.parametrize("machine", MACHINES)
def test_the_size_of_a_machine_does_not_matter(machine: str) -> None:
    """Three machines side by side have the diagnoses of one, and three times its lost time."""
    situation = situation_in(machine)
    bare = with_load(situation, situation.load)._replace(details=dict, shares=tuple, stacked=tuple)
    one = verdict(bare)
    load = several(situation.load, 3)
    side = with_tasks_of(with_load(bare, load), 3)
    three = verdict(side)
    assert ids(three) == ids(one)
    lost = {each.id: each.lost for each in one.diagnoses}
    for each in three.diagnoses:
        if each.id in lost and each.id not in {"D5", "D3", *OF_THE_MACHINE}:  # two are of single LCUs
            assert each.lost == pytest.approx(3 * lost[each.id])


def without_cmf(load: ObservedLoad) -> ObservedLoad:
    """Return a load of which the channel subsystem timed nothing."""
    volumes = tuple(
        one._replace(pend=0.0, disc=0.0, conn=one.response, estimated=True) if one.is_dasd else one
        for one in load.volumes
    )
    paths = load.paths if load.paths_measured else {}
    return load._replace(volumes=volumes, paths=paths)


def without_cache(load: ObservedLoad) -> ObservedLoad:
    """Return a load without cache statistics."""
    return load._replace(lcus=tuple(one._replace(misses=NOT_READ) for one in load.lcus))


def without_paths(load: ObservedLoad) -> ObservedLoad:
    """Return a load without the utilisation of channel paths."""
    return load._replace(paths=dict.fromkeys(load.paths, NOT_READ))


def without_processors(load: ObservedLoad) -> ObservedLoad:
    """Return a load without the processors."""
    return load._replace(processors=ObservedProcessors(NOT_READ, NOT_READ))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("without", [without_cmf, without_cache, without_paths, without_processors])
def test_what_is_not_measured_is_not_denied(
    machine: str, without: Callable[[ObservedLoad], ObservedLoad]
) -> None:
    """Without a source a diagnosis that held still holds, or it is not known; it never "does not"."""
    situation = situation_in(machine)
    before = verdict(with_load(situation, situation.load))
    other = with_load(situation, without(situation.load))
    if without is without_cmf:
        nothing = {key: one._replace(device_busy=NOT_READ, cu_queue=NOT_READ)
                   for key, one in situation.details().items()}  # fmt: skip
        other = other._replace(details=lambda: nothing)
    if without is without_cache:
        blind = {key: one._replace(hits=NOT_READ, delayed=NOT_READ, sequential=NOT_READ, duplex=NOT_READ)
                 for key, one in situation.details().items()}  # fmt: skip
        other = other._replace(details=lambda: blind)
    after = verdict(other)
    assert ids(before) <= ids(after) | {one.id for one in after.unknown}


@pytest.mark.parametrize("machine", MACHINES)
def test_nothing_is_said_without_numbers(machine: str) -> None:
    """Each diagnosis has evidence with a column, an action, and what would make it certain."""
    found = verdict(situation_in(machine))
    for one in (*found.diagnoses, *(one for one, _ in found.explained)):
        assert one.subjects
        assert one.claim.endswith(".")
        assert one.action.endswith(".")
        assert all("." in each.column and each.words for each in one.evidence)
        assert one.evidence
        assert (one.confidence == "certain") is not bool(one.confirm)
        assert one.lost >= 0


NUMBER: Final = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?")
GIB: Final = frozenset({"memory.available"})
"""Columns of bytes, which sentences have in GiB."""
ADDED_UP: Final = "user_disk.lcushare"
"""Percentages that are rounded so that they add up: see `percents`."""
UNLISTED: Final = frozenset({"tasks", "layer", "itself", "files", "blocked", "user_disk"})
"""Tables of evidence that no rule can watch."""


def stands_in(one: Measurement) -> bool:
    """Return whether the value of a number, rounded as it is written, stands in its words."""
    assert not isinstance(one.value, str)
    if isinstance(one.value, Absent):
        return "unknown" in one.words
    value = one.value / 2**30 if one.column in GIB else one.value
    written = [each.replace(",", "") for each in NUMBER.findall(one.words)]
    off = 1.0 if one.column == ADDED_UP else 0.5000001
    found = any(abs(float(each) - value) <= off * 10.0 ** -len(each.partition(".")[2]) for each in written)
    return found or (not value and re.search(r"\bno(thing)?\b", one.words) is not None)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_value_of_a_number_is_the_one_in_its_words(machine: str) -> None:
    """A program that reads the value and a person who reads the words know the same; the column is there."""
    found = verdict(situation_in(machine))
    numbers = [one for each in (*found.diagnoses, *(e for e, _ in found.explained)) for one in each.evidence]
    assert [(one.column, one.value, one.words) for one in numbers if not stands_in(one)] == []
    columns = [one.column.split(".") for one in numbers]
    assert not [each for each in columns if each[0] not in UNLISTED and each[1] not in columns_of(each[0])]


@pytest.mark.parametrize("machine", MACHINES)
def test_a_number_is_that_of_the_figure_that_it_names(machine: str) -> None:
    """Who looks at the screen of a thing, or watches the figure, finds the number of the diagnosis."""
    found, view = verdict(situation_in(machine)), view_of(machine)
    for diagnosis in (*found.diagnoses, *(explained for explained, _ in found.explained)):
        for number in diagnosis.evidence:
            table, column, key = number.variable
            sort = definition(table).things if table in {"control_unit", "cpu", "device"} else None
            if sort is None or column not in sort.figures or (diagnosis.id, number.column) in OF_SEVERAL:
                continue
            things = sort.seen(view)
            shown = things.column(column)[things.keys.index(key)] if key else things.together(column)
            if isinstance(shown, Absent):
                assert number.subject.kind == "adapter"  # requests to its disks, which DEVICE has
            else:
                assert shown == pytest.approx(number.value), (diagnosis.id, number)


@pytest.mark.parametrize("machine", MACHINES)
def test_without_a_listing_nothing_is_denied(machine: str) -> None:
    """A diagnosis that needs to know what lies where is not known then."""
    situation = situation_in(machine)
    plain = with_load(situation, situation.load)
    after = verdict(plain._replace(shares=tuple))
    assert ids(verdict(plain)) <= ids(after) | {one.id for one in after.unknown}


@pytest.mark.parametrize("machine", MACHINES)
def test_no_lcu_is_compared_with_itself(machine: str) -> None:
    """No clause or number names an LCU twice, as a comparison with itself would."""
    situation = situation_in(machine)
    found = verdict(with_load(situation, situation.load))
    for one in found.diagnoses:
        for words in (one.claim, *(each.words for each in one.evidence), *one.excluded):
            for clause, lcu in product(re.split("[.:] ", words), situation.load.lcus):
                assert len(re.findall(rf"{re.escape(lcu.title)}\b", clause)) <= 1, words
