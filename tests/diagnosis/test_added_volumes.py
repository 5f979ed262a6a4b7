"""Data that were added lie on a few volumes, and requests wait for these while others beside do nothing."""

from __future__ import annotations

import pytest

from tests.diagnosis.situations import load, only, situation, volume
from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, POSSIBLE
from zmon.diagnosis.verdict import CAUSES
from zmon.machine.observed_paths import ExtendedVolume, StripeSegment
from zmon.queueing.fit import FlowShare

OLD = tuple(f"0.0.700{at}" for at in range(4))
NEW = ("0.0.7004", "0.0.7005")
UNKNOWN = absent("not read")
HOT = load(*(volume(key, 0.1) for key in OLD), *(volume(key, 500.0, queued=0.05) for key in NEW))
EVEN = load(*(volume(key, 500.0, queued=0.05) for key in (*OLD, *NEW)))


def logical(*segments: tuple[str, ...]) -> ExtendedVolume:
    return ExtendedVolume("vg/data", tuple(StripeSegment(one, 1 << 30) for one in segments), (*OLD, *NEW))


def shares(**spaces: tuple[str, ...]) -> tuple[FlowShare, ...]:
    return tuple(
        FlowShare(f"DB.{name}", f"/{name}/{key}", key, 0.5) for name, keys in spaces.items() for key in keys
    )


def test_a_logical_volume_whose_last_part_has_fewer_stripes() -> None:
    """That it was extended is certain."""
    found = only(CAUSES["D20"](situation(HOT, extended=(logical(OLD, NEW),))))
    assert found.confidence == CERTAIN
    assert found.claim.startswith("vg/data ")
    assert facts(found.claim) == "2 7004-7005 4"
    assert [one.key for one in found.subjects[:2]] == list(NEW)


@pytest.mark.parametrize("segments", [(NEW, OLD), (OLD, (*NEW, *OLD))])
def test_other_logical_volumes(segments: tuple[tuple[str, ...], ...]) -> None:
    """The last part is the one that was added: if it is on more volumes, it is not why requests wait."""
    assert CAUSES["D20"](situation(HOT, extended=(logical(*segments),))) == ()


def test_a_tablespace_on_a_few_volumes() -> None:
    """Its database has data on others of the LCU, which do nothing."""
    now = situation(HOT, extended=())._replace(shares=lambda: shares(OLD=OLD, NEW=NEW, ALL=(*OLD, *NEW)))
    found = only(CAUSES["D20"](now))
    assert found.confidence == LIKELY
    assert found.claim.startswith("DB.NEW lies on 7004-7005 alone: requests wait for them")
    two = situation(HOT, extended=())._replace(shares=lambda: shares(OLD=OLD, NEW=NEW, TOO=NEW))
    found_two = CAUSES["D20"](two)
    assert not isinstance(found_two, Absent)
    assert [one.confidence for one in found_two] == [POSSIBLE, POSSIBLE]


def test_volumes_that_all_work_are_no_such_case() -> None:
    """Nor others of another LCU, nor where nothing waits."""
    all_work = situation(EVEN, extended=(logical(OLD, NEW),))._replace(
        shares=lambda: shares(OLD=OLD, NEW=NEW)
    )
    assert CAUSES["D20"](all_work) == ()
    away = HOT._replace(
        volumes=tuple(one._replace(lcu="M") if one.key in OLD else one for one in HOT.volumes)
    )
    other = situation(away, extended=(logical(OLD, NEW),))._replace(shares=lambda: shares(OLD=OLD, NEW=NEW))
    assert CAUSES["D20"](other) == ()
    assert CAUSES["D20"](situation(load(volume()), extended=UNKNOWN)) == ()


def test_without_layers_and_listing_it_is_not_known() -> None:
    """Where requests wait for volumes."""
    assert isinstance(CAUSES["D20"](situation(HOT, extended=UNKNOWN)), Absent)
