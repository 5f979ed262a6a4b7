"""zmon.topology.site_file: the volume map of a site."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.goldens import compare, refusals
from zmon.topology.site import MapRow, SiteError, VolumeMap, naming
from zmon.topology.site_file import parse_map
from zmon.values.uid import parse_uid

MAP = """\
# the map of this site
volume, lcu, server, rank, extent_pool, channel_group, capacity_mb_s
7600-767F, 6, server 0, R6, P0, side 0, 40
7612, 5
IBM.75000000092461.1500.18, LSS 08
IBM.75000000092461.1500, LSS 09
"""
UID = parse_uid("IBM.75000000092461.1500.18.0000000000003740")
OTHER = parse_uid("IBM.75000000092461.1500.19")


def told(uid: str = "", rdev: str = "") -> list[str]:
    """Return the LCUs that the map names, the best first."""
    return [row.lcu for row in parse_map(MAP, "volumes.csv").about(parse_uid(uid) if uid else None, rdev)]


def test_a_range_holds_its_first_and_its_last_number() -> None:
    """7600-767F are 128 devices."""
    found = [told(rdev=rdev) for rdev in ("75FF", "7600", "767F", "7680")]
    assert found == [[], ["LCU 6"], ["LCU 6"], []]


def test_a_single_number_is_an_exception_from_a_range() -> None:
    """The more particular line holds."""
    assert told(rdev="7612") == ["LCU 5"]


def test_a_minidisk_is_found_by_the_unique_id_of_its_volume() -> None:
    """The token of a minidisk is no part of what the map names, and the volume goes before its LCU."""
    assert told(uid=str(UID)) == ["LSS 08", "LSS 09"]


def test_the_first_three_parts_of_a_unique_id_stand_for_an_lcu() -> None:
    """Whoever writes VENDOR.SERIAL.SSID means all of its volumes."""
    assert told(uid=str(OTHER)) == ["LSS 09"]


def test_a_unique_id_goes_before_a_number() -> None:
    """Both lines are told, so that a contradiction can be seen."""
    assert told(uid=str(OTHER), rdev="7612") == ["LSS 09", "LCU 5"]


def test_a_number_may_be_written_in_small_letters() -> None:
    """Case and zeros in front make no other device."""
    assert parse_map("0a1f,1\n", "m").about(None, "0A1F")[0].lcu == "LCU 1"


def test_a_line_gives_what_it_says_of_the_lcu() -> None:
    """Server, rank, pool, channel paths and capacity stand behind the LCU."""
    row = parse_map(MAP, "volumes.csv").lcu("LCU 6")
    assert row == MapRow("7600-767F", "LCU 6", "server 0", "R6", "P0", "side 0", 40.0, "volumes.csv:3")


def test_what_one_line_leaves_out_of_an_lcu_another_may_say() -> None:
    """Capacity and server are those of the LCU, not of a line."""
    row = parse_map("7600,6\n7601,6,server 0\n", "m").lcu("LCU 6")
    assert row is not None
    assert row.server == "server 0"


def test_columns_go_by_their_heading() -> None:
    """With a heading the columns may stand in any order behind the second."""
    row = parse_map("rdev,lcu,capacity_mb_s,server\n7600,6,40,server 1\n", "m").rows[0]
    assert (row.capacity, row.server) == (40.0, "server 1")


MISTAKES = (
    "7600,6\n7600,5\n", "7600-76FF,6\n76F0-77FF,5\n", "7600-76FF,6\n7600-76FF,5\n", "76FF-7600,6\n",
    "76G0,6\n", "7600\n", "7600,\n", "7600,6,,,,,fast\n", "7600,6,,,,,0\n", "7600,6,,,,,40,x\n",
    "7600,6,a\n7601,6,b\n", "rdev,lcu,colour\n", "7600,a\x1bb\n",
)  # fmt: skip


def test_a_line_that_cannot_be_used_is_named() -> None:
    """A mistake in a map is told with its line, and never left out silently."""
    compare("said/map", refusals(SiteError, lambda text: parse_map(text, "m"), MISTAKES))
    with pytest.raises(SiteError, match=r"^m:1: "):
        parse_map('7600,"6\n', "m")


def test_a_bare_number_is_called_an_lcu() -> None:
    """A site says 6 and means LCU 6; what has a name keeps it."""
    assert [naming(name) for name in ("6", " e0 ", "7100", "LSS  08")] == [
        "LCU 6",
        "LCU E0",
        "LCU 7100",
        "LSS 08",
    ]


def test_an_empty_map_says_nothing() -> None:
    """Without lines there is nothing to hold against anything."""
    assert not VolumeMap()


@given(st.text(alphabet='7600,-\n#"6 AIBM.lcu\x00\x1b\u0660', max_size=60) | st.text(max_size=60))
def test_any_text_is_a_map_or_a_named_mistake(text: str) -> None:
    """No text raises anything but a mistake with its place."""
    with contextlib.suppress(SiteError):
        parse_map(text, "m").about(UID, "7600")


@given(st.integers(0, len(MAP)), st.characters(codec="utf-8"))
def test_a_garbled_map_is_a_map_or_a_named_mistake(at: int, char: str) -> None:
    """One wrong character does no harm either."""
    with contextlib.suppress(SiteError):
        parse_map(MAP[:at] + char + MAP[at + 1 :], "m")
