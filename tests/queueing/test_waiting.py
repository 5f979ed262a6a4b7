"""Advice is given only where requests wait: the predicate names what they wait for, and nothing else."""

from __future__ import annotations

import pytest

from tests.goldens import facts
from zmon.base.absent import absent
from zmon.machine.observation import (
    ObservedLcu,
    ObservedLoad,
    ObservedProcessors,
    ObservedVolume,
    mean_of,
    path_groups,
    tasks_wait,
)
from zmon.queueing.waiting import Waiting, processors_full, waiting

PATHS = ("50", "51")
UNKNOWN = absent("not measured")


def volume(  # noqa: PLR0913 - the parts of a time
    rate: float,
    *,
    queued: float = 0.0,
    pend: float = 0.0002,
    disc: float = 0.0,
    servers: int = 1,
    key: str = "7000",
) -> ObservedVolume:
    """Return a volume whose transfers take 1 ms, with these waits in seconds."""
    serv = pend + disc + 0.001
    return ObservedVolume(key, key, "94:0", "L", rate, serv + queued, pend, disc, 0.001, 4096.0, 1.0, servers)


def load(
    *volumes: ObservedVolume, lcu: ObservedLcu | None = None, busy: float = 0.1, paths: float = 0.1
) -> ObservedLoad:
    """Return a minute with these volumes on one LCU."""
    return ObservedLoad(
        60.0,
        volumes,
        (lcu or ObservedLcu("L", "LCU 7", "box", PATHS, misses=0.0),),
        dict.fromkeys(PATHS, paths),
        True,
        ObservedProcessors(4, busy),
    )


@pytest.mark.parametrize(
    ("known", "figures"),
    [
        (ObservedProcessors(1, 0.99), "99"),
        (ObservedProcessors(4, 0.99), "4 99"),
        (ObservedProcessors(1, 0.92), "92"),
        (ObservedProcessors(1, 0.6, 0.35), "35"),
    ],
)
def test_one_processor_is_one(known: ObservedProcessors, figures: str) -> None:
    """The sentence has no plural for the processor of a small machine."""
    why = waiting(load(volume(100.0))._replace(processors=known)).why
    assert facts(why) == figures
    assert ("processors" in why) is (known.number > 1)


@pytest.mark.parametrize(
    ("interval", "kind", "figures"),
    [
        (load(volume(100.0, queued=0.05)), "volume", "5.0 7000"),
        (load(volume(100.0, disc=0.05, servers=8)), "lcu", "5.0 7"),
        (
            load(
                volume(4000.0, queued=0.005),
                lcu=ObservedLcu("L", "LCU 7", "box", PATHS, 8, 7.6, misses=0.0),
            ),
            "aliases",
            "20.0 7 95",
        ),
        (
            load(volume(1000.0, pend=0.005, servers=9), paths=0.9),
            "paths",
            "4.7",
        ),
        (load(volume(100.0, queued=0.05), busy=0.97), "processors", "4 97"),
    ],
)  # fmt: skip
def test_what_requests_wait_for_most_is_named(interval: ObservedLoad, kind: str, figures: str) -> None:
    """Each resource is found by its own signs, and full processors come before all others."""
    found = waiting(interval)
    assert found.places[0].kind == kind
    assert facts(found.why).startswith(figures)
    assert found.spreading_helps is (kind != "processors")


@pytest.mark.parametrize(
    "quiet",
    [
        load(volume(12.0)),
        load(volume(0.1, queued=0.05)),
        load(volume(100.0, queued=0.0003)),
        load(volume(100.0, disc=0.009), lcu=ObservedLcu("L", "LCU 7", "box", PATHS, misses=UNKNOWN)),
        load(volume(1000.0, pend=0.0003, servers=9), paths=0.6),
        load(),
    ],
    ids=["few fast", "few", "short waits", "cache misses", "calm paths", "nothing"],
)
def test_nothing_is_named_where_nothing_waits(quiet: ObservedLoad) -> None:
    """Little I/O, short waits, and the time of disks are no reason for advice."""
    found = waiting(quiet)
    assert found.places == ()
    assert not found.spreading_helps
    assert found.why


@pytest.mark.parametrize(
    ("busy", "waits", "full"),
    [
        (0.89, True, False),
        (0.92, None, None),
        (0.92, False, False),
        (0.92, True, True),
        (0.96, None, True),
        (0.96, False, False),
        (0.98, False, True),
    ],
)
def test_processors_are_full_by_one_rule(busy: float, waits: bool | None, full: bool | None) -> None:
    """They are if tasks wait or nearly no time is left; not known is it where nobody counted the tasks."""
    assert processors_full(ObservedProcessors(4, busy, waits=waits)) is full
    quiet = load(volume(100.0))
    found = waiting(quiet._replace(processors=ObservedProcessors(4, busy, waits=waits)))
    assert [one.kind for one in found.places] == ["processors"] * bool(full)
    assert ("not known" in found.why) == (full is None)


@pytest.mark.parametrize(("own", "full"), [(0.0, True), (0.05, True), (0.3, False), (1.0, False)])
def test_zmon_itself_fills_no_processors(own: float, full: bool) -> None:
    """While it starts on a slow machine it may use them all; what counts is what is left without it."""
    assert processors_full(ObservedProcessors(2, 1.0, waits=True, own=own)) is full


def test_tasks_are_counted_by_pressure_or_by_their_number() -> None:
    """The time in which some wait says more than their number at one instant."""
    assert tasks_wait(4, UNKNOWN, UNKNOWN) is None
    assert tasks_wait(4, 5, UNKNOWN) is True
    assert tasks_wait(4, 4, UNKNOWN) is False
    assert tasks_wait(4, 5, 0.01) is False
    assert tasks_wait(4, 5, 0.4) is False
    assert tasks_wait(4, 1, 0.6) is True


def test_without_channel_measurement_only_long_answers_count() -> None:
    """What a slow disk and a slow path take is no wait; several slow volumes of an LCU are the LCU."""
    slow = volume(50.0, queued=0.059)._replace(estimated=True, size=131072.0)
    assert waiting(load(slow)).places[0].kind == "volume"
    both = waiting(load(slow, slow._replace(key="7001", title="7001")))
    assert [one.kind for one in both.places] == ["lcu"]
    assert both.lost == pytest.approx(2 * 50 * (0.0602 - 0.010 - 0.0131072))
    quick = volume(9000.0, queued=0.004)._replace(
        estimated=True, sort="virtio"
    )  # no DASD: it does many at once
    assert waiting(load(quick)).places == ()


def test_new_load_is_found_not_moved() -> None:
    """Where nothing waited before and an LCU has many times the bytes now, to spread files is no answer."""
    before = load(volume(100.0))
    now = load(volume(400.0, queued=0.05))
    found = waiting(now, before)
    assert found.places[0].kind == "surge"
    assert not found.spreading_helps
    assert facts(found.why) == "20.0 7"
    assert waiting(now, now).spreading_helps
    assert waiting(load(volume(200.0, queued=0.05)), before).spreading_helps


def test_paths_that_are_full_are_named_even_if_little_pends() -> None:
    """Paths at 98 % limit the throughput although a closed load lets few requests pend."""
    found = waiting(load(volume(500.0, pend=0.0007, servers=4), paths=0.98))
    assert [one.kind for one in found.places] == ["paths"]
    assert found.why == "Requests wait for channel paths 50-51 (98 % busy)"


def test_means_weigh_volumes_by_their_rate_and_leave_out_what_is_unknown() -> None:
    """A volume that does nothing or was not measured does not change the mean of an LCU."""
    volumes = (volume(100.0, disc=0.004), volume(300.0, disc=0.008), volume(0.0, disc=9.0))
    assert mean_of(volumes, "disc") == pytest.approx(0.007)
    blind = volumes[0]._replace(disc=UNKNOWN)
    assert mean_of((blind,), "disc") is UNKNOWN
    assert mean_of((blind, volumes[1]), "disc") == 0.008


def test_lcus_that_share_a_path_are_one_group() -> None:
    """Paths are one pool for all LCUs that overlap; LCUs without paths belong to none."""
    lcus = [ObservedLcu(name, name, "box", chpids) for name, chpids in
            (("A", ("50", "51")), ("B", ("51", "52")), ("C", ("60",)), ("D", ()))]  # fmt: skip
    assert path_groups(lcus) == {"50 51 52": ("50", "51", "52"), "60": ("60",)}


def test_a_waiting_without_places_helps_nothing() -> None:
    """Without a place no spreading helps."""
    assert not Waiting((), 0.0, "Nothing waits").spreading_helps


def untimed(many: int, lcu: str) -> ObservedLoad:
    """Return volumes that channel measurement does not time, each with half a request that waits."""
    volumes = (
        volume(10.0, key=f"70{at:02}")._replace(lcu=lcu, response=0.0604, estimated=True)
        for at in range(many)
    )
    return load(*volumes)


@pytest.mark.parametrize(
    ("lcu", "kind", "words"),
    [
        ("L", "lcu", "5.0 requests wait in LCU 7"),
        ("", "volumes", "5.0 requests wait for 10 volumes together"),
    ],
)
def test_many_volumes_may_wait_where_no_one_does(lcu: str, kind: str, words: str) -> None:
    """Each has less than one request that waits; what they have in common is named where it is known."""
    (place,) = waiting(untimed(10, lcu)).places
    assert (place.kind, place.waiting) == (kind, words)


@pytest.mark.parametrize("lcu", ["L", ""])
def test_a_few_waits_are_none(lcu: str) -> None:
    """Less than one request waits in all."""
    assert waiting(untimed(1, lcu)).places == ()


def test_of_two_volumes_that_wait_alike_the_lcu_is_the_place() -> None:
    """A volume alone is it only where nearly all waits there."""
    one, other = (volume(100.0, key=key)._replace(response=0.11, estimated=True) for key in ("7000", "7001"))
    assert [place.kind for place in waiting(load(one, other)).places] == ["lcu"]
    quick = other._replace(response=0.02)
    assert [place.kind for place in waiting(load(one, quick)).places] == ["volume"]


def test_what_waits_for_an_lcu_is_the_sum_of_its_volumes() -> None:
    """Each volume of an LCU that requests wait for adds to the LCU; new load is not counted once more."""
    hot = [volume(100.0, queued=wait, key=key) for key, wait in (("a", 0.09), ("b", 0.06), ("c", 0.02))]
    now = load(*hot)
    assert waiting(now).by_lcu(now) == {"L": pytest.approx(17.0)}
    assert waiting(now).by_volume(now) == {
        "a": pytest.approx(9.0),
        "b": pytest.approx(6.0),
        "c": pytest.approx(2.0),
    }
    new = waiting(now, load(volume(10.0)))
    assert new.places[0].kind == "surge"
    assert new.by_lcu(now) == {"L": pytest.approx(17.0)}


def test_what_waits_for_an_alias_waits_for_its_volume() -> None:
    """A pool of aliases serves several volumes: each has the requests that go to it."""
    pool = ObservedLcu("L", "LCU 7", "box", PATHS, 8, 7.6, misses=0.0)
    now = load(volume(4000.0, queued=0.005, key="a"), volume(100.0, queued=0.001, key="b"), lcu=pool)
    assert [one.kind for one in waiting(now).places] == ["aliases"]
    assert waiting(now).by_volume(now) == {"a": pytest.approx(20.0), "b": pytest.approx(0.1)}
    assert waiting(now).by_lcu(now) == {"L": pytest.approx(20.1)}


def test_what_waits_for_paths_waits_for_no_lcu() -> None:
    """Paths may be of several LCUs."""
    now = load(volume(1000.0, pend=0.005, servers=9), paths=0.9)
    assert [one.kind for one in waiting(now).places] == ["paths"]
    assert not waiting(now).by_lcu(now)
    assert not waiting(now).by_volume(now)


@pytest.mark.parametrize(
    ("ficon", "size", "kinds"),
    [(True, 4096.0, {"lcu"}), (False, 4096.0, {"paths"}), (True, 262_144.0, {"paths"})],
)
def test_connect_times_that_overlap_fill_no_path(ficon: bool, size: float, kinds: set[str]) -> None:
    """FICON has several requests on the way: with fewer bytes than ESCON carries it has room."""
    lcus = tuple(ObservedLcu(key, f"LCU {key}", "box", PATHS, misses=0.0) for key in "LM")
    ones = [volume(300.0, disc=0.02, key=key)._replace(lcu=key, size=size, pend=0.0002) for key in "LM"]
    now = load(*ones, paths=0.96)._replace(lcus=lcus, paths_measured=False)
    found = waiting(now._replace(ficon=frozenset(PATHS) if ficon else frozenset()))
    assert {place.kind for place in found.places} == kinds


def test_an_lcu_whose_wait_is_just_too_short_to_be_named_shares_full_paths_all_the_same() -> None:
    """Whether the paths are what all LCUs wait for does not change with one request more or less."""
    lcus = tuple(ObservedLcu(key, f"LCU {key}", "box", PATHS, misses=0.0) for key in "LM")
    ones = [volume(rate, disc=0.01, key=key)._replace(lcu=key) for key, rate in (("L", 200.0), ("M", 90.0))]
    found = waiting(load(*ones, paths=0.99)._replace(lcus=lcus))
    assert [place.kind for place in found.places] == ["paths"]
