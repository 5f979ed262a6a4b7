"""The identity of SCSI disks by LUN, WWID and serial number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.topology.claims import Grade
from zmon.topology.lun import (
    OTHER_WWID,
    LunFacts,
    VolumeNumber,
    as_multipath,
    parse_lun,
    parse_serial,
    parse_wwid,
    scsi_volume,
)

if TYPE_CHECKING:
    from zmon.base.absent import Value

NO = absent("not read")
LUN = "0x4010402a00000000"
WWID = "36005076303ffc562000000000000102a"
SERIAL = "75DXP71102A"
FACTS = LunFacts("8:0", "sda", "0.0.1900", "50", "0x500507630a1b06dc", LUN, "", "", NO)


def test_the_wwid_of_a_ds8000_names_box_lss_and_volume() -> None:
    """As in multipathd(8): 36005076303ffc56200000000000010aa is volume AA of LSS 10."""
    assert parse_wwid("36005076303ffc56200000000000010aa") == VolumeNumber("5005076303ffc562", "10", "AA")
    assert as_multipath("naa.6005076303ffc562000000000000102a") == WWID


@pytest.mark.parametrize(
    "wwid",
    [
        "360050768018e0a6b48000000000000a3",  # SAN Volume Controller: no LSS
        "36005076303ffc562000000000001102a",  # what should be zeros is not
        "36005076303ffc5620000000000010aa",  # a digit short
        "26005076303ffc562000000000000102a",
        "SIBM_2107900_75DXP71102A",
        "",
    ],
)
def test_a_wwid_of_another_layout_names_nothing(wwid: str) -> None:
    """Only the layout that is documented is read."""
    assert parse_wwid(wwid) is None


@pytest.mark.parametrize(
    ("more", "grade", "key"),
    [
        ({}, Grade.ASSUMED, "IBM.500507630affc6dc.LSS10"),
        ({"wwid": WWID}, Grade.EXACT, "IBM.5005076303ffc562.LSS10"),
        ({"wwid": WWID, "lun": "0x0001000000000000"}, Grade.ASSUMED, "IBM.5005076303ffc562.LSS10"),
        ({"serial": SERIAL, "lun": "0x0001000000000000"}, Grade.ASSUMED, "IBM.500507630affc6dc.LSS10"),
        ({"wwid": WWID, "serial": SERIAL}, Grade.EXACT, "IBM.5005076303ffc562.LSS10"),
    ],
)
def test_two_sources_that_agree_are_exact(more: dict[str, Any], grade: Grade, key: str) -> None:
    """One alone is an assumption; without a WWID LUNs of one port are together."""
    found = scsi_volume(FACTS._replace(**more))
    assert (found.lcu, found.lss, found.ua, found.side) == ("LSS 10", "10", "2A", "server 0")
    assert (found.grade, found.key, found.conflicts) == (grade, key, ())


def test_the_serial_number_names_the_box_as_unique_ids_of_its_dasd_do() -> None:
    """Else it is the node name of the WWID, else it is not known."""
    assert scsi_volume(FACTS._replace(wwid=WWID, serial=SERIAL)).serial == "750000000DXP71"
    assert scsi_volume(FACTS._replace(wwid=WWID)).serial == "5005076303ffc562"
    assert isinstance(scsi_volume(FACTS).serial, Absent)


def test_sources_that_contradict_each_other_are_told() -> None:
    """The serial number is believed."""
    found = scsi_volume(FACTS._replace(wwid=WWID, serial="75DXP711101"))
    assert (found.lss, found.ua, found.grade) == ("11", "01", Grade.ASSUMED)
    assert len(found.conflicts) == 2
    assert re.search(r"\bLSS 10\b.*\b2A\b.*\bLSS 11\b", found.conflicts[0])
    assert found.key == f"{WWID[:-4]}.LSS11"


def test_a_disk_of_another_box_has_no_lss() -> None:
    """It is a volume all the same, one for all paths with its WWID."""
    found = scsi_volume(FACTS._replace(lun="0x0001000000000000", wwid="360050768018e0a6b48000000000000a3"))
    assert isinstance(found.lcu, Absent)
    assert found.spindle == "WWID 360050768018e0a6b48000000000000a3"


@pytest.mark.parametrize(
    ("more", "key", "spindle"),
    [
        ({"wwid": WWID}, "IBM.5005076303ffc562.LSS10", f"WWID {WWID}"),
        ({"serial": SERIAL}, "IBM.75DXP71.LSS10", "disk 8:0"),
        ({"lun": LUN}, "disk 8:0.LSS10", "disk 8:0"),
    ],
)
def test_a_disk_without_a_port_is_known_by_what_else_names_it(
    more: dict[str, str], key: str, spindle: str
) -> None:
    """As in texts without lszfcp, and behind virtio-scsi; disks of unknown boxes are not put together."""
    given: dict[str, Value] = {"wwpn": NO, "lun": NO, **more}
    found = scsi_volume(FACTS._replace(**given))  # type: ignore[arg-type]  # texts and reasons
    assert (found.lcu, found.ua, found.key, found.spindle) == ("LSS 10", "2A", key, spindle)
    assert not any("WWPN" in one.said for one in found.evidence)


def test_a_disk_without_a_port_whose_wwid_names_nothing_says_so() -> None:
    """Nothing is said of a LUN that it does not have."""
    found = scsi_volume(FACTS._replace(wwpn=NO, lun=NO, wwid="360050768018e0a6b48000000000000a3"))
    assert found.lcu is OTHER_WWID


def test_its_row_in_device_is_that_of_the_device_that_joins_its_paths() -> None:
    """Without one it is its own."""
    assert scsi_volume(FACTS).device == "sda"
    assert scsi_volume(FACTS._replace(joined="dm-3")).device == "dm-3"


@given(st.text(max_size=40), st.integers(0, 255), st.integers(0, 255))
def test_any_words_are_a_layout_or_nothing(words: str, lss: int, volume: int) -> None:
    """What is written in a layout is read from it; any other text is refused."""
    for parse in (parse_lun, parse_wwid, parse_serial):
        found = parse(words)
        assert found is None or (len(found.lss), len(found.volume)) == (2, 2)
    expected = (f"{lss:02X}", f"{volume:02X}")
    for one in (
        parse_lun(f"0x40{lss:02x}40{volume:02x}00000000"),
        parse_wwid(f"36005076303ffc562000000000000{lss:02x}{volume:02x}"),
        parse_serial(f"75DXP71{lss:02x}{volume:02x}"),
    ):
        assert one is not None
        assert one[1:] == expected
