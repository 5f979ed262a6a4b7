"""What disks say of themselves, in sysfs and in the records of udev."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent
from zmon.kernel.disk_identity import parse_name, parse_record, parse_serial_page, read_identity

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree

PATH = "sys/devices/css0/0.0.0010/0.0.1940/host0/rport-0:0-0/target0:0:0/0:0:0:0/block/sda"
DEVICE = f"{PATH}/device"
RECORD = """\
S:disk/by-id/scsi-36005076303ffc562000000000000102a
E:ID_BUS=scsi
E:ID_SERIAL=36005076303ffc562000000000000102a
E:ID_SCSI_SERIAL=75DXP71102A
E:SCSI_IDENT_SERIAL=other
"""


def page(serial: bytes, code: int = 0x80) -> bytes:
    """Write a page of vital product data."""
    return bytes((0, code, len(serial) >> 8, len(serial) & 0xFF)) + serial


def test_a_scsi_disk_says_who_it_is(make_tree: Callable[..., Tree]) -> None:
    """Without the blanks that fill the fields of an inquiry."""
    files = {
        f"{DEVICE}/wwid": b"naa.6005076303ffc562000000000000102a\n",
        f"{DEVICE}/vpd_pg80": page(b"75DXP71102A     "),
        f"{DEVICE}/vendor": b"IBM     \n",
        f"{DEVICE}/model": b"2107900         \n",
    }
    assert read_identity(make_tree(files), PATH, "sda") == {
        "wwid": "naa.6005076303ffc562000000000000102a",
        "serial": "75DXP71102A",
        "vendor": "IBM",
        "model": "2107900",
    }


def test_udev_knows_what_sysfs_does_not_have(make_tree: Callable[..., Tree]) -> None:
    """Its own name for the serial number goes before that of sg_inq."""
    found = read_identity(make_tree({f"{DEVICE}/vendor": b"IBM\n"}), PATH, "sda", RECORD)
    assert found["wwid"] == "naa.6005076303ffc562000000000000102a"
    assert found["serial"] == "75DXP71102A"
    assert isinstance(found["model"], Absent)


@pytest.mark.parametrize(
    ("name", "file", "field"),
    [("vda", "serial", "serial"), ("nvme0n1", "wwid", "wwid"), ("nvme0n1", "device/serial", "serial")],
)
def test_other_disks(make_tree: Callable[..., Tree], name: str, file: str, field: str) -> None:
    """The serial of a virtio disk is what its host sets."""
    found = read_identity(make_tree({f"sys/block/{name}/{file}": b"0X7600\n"}), f"sys/block/{name}", name)
    assert found[field] == "0X7600"


def test_a_dasd_has_another_identity(make_tree: Callable[..., Tree]) -> None:
    """Its uid, which is no matter of the block device."""
    found = read_identity(make_tree({}), "sys/block/dasda", "dasda", RECORD)
    assert all(isinstance(value, Absent) for value in found.values())


@pytest.mark.parametrize("data", [b"", b"\0\x80", page(b"x", code=0x83), page(b"four")[:-1]])
def test_a_page_that_is_none_is_refused(data: bytes) -> None:
    """It is another one, or ends too early."""
    with pytest.raises(ValueError, match="vpd_pg80"):
        parse_serial_page(data)


@given(st.binary(max_size=300), st.text(max_size=300))
def test_any_content_is_parsed_or_refused(data: bytes, words: str) -> None:
    """And what is taken from it is printable and short."""
    found: list[object] = []
    with suppress(ValueError):
        found.append(parse_serial_page(data))
    with suppress(ValueError):
        found.append(parse_name(words))
    found += [*parse_record(words).values(), *parse_record(f"E:ID_SERIAL={words}").values()]
    texts = [one for one in found if isinstance(one, str)]
    assert all(len(one) <= 132 and one.isascii() and one.isprintable() for one in texts)
