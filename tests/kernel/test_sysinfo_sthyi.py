from __future__ import annotations

import os
import struct
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import code_of
from zmon.kernel.diag204 import NO_CAP
from zmon.kernel.sysinfo import (
    NO_ANSWER,
    NO_HYPERVISOR,
    NO_PARTITION,
    NOT_TOLD,
    STHYI_CAPTURED,
    STHYI_FIELDS,
    parse_sthyi,
    read_sthyi,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree


def ebcdic(text: str, width: int = 8) -> bytes:
    return text.ljust(width).encode("cp500")


def answer(*, flags: int = 0, pairs: int = 1, valid: int = 0xFF, caps: int = 0x18000) -> bytes:
    """Build an answer for an LPAR with a z/VM and a guest in it, from the documented offsets."""
    page = bytearray(4096)

    def put(base: int, offset: int, form: str, *values: object) -> None:
        struct.pack_into(f">{form}", page, base + offset, *values)

    machine, partition, host, guest = 48, 128, 208, 264
    put(0, 0, "B", flags)
    put(0, 7, "B", pairs)
    put(0, 8, "HH", 336, 48)
    put(0, 12, "HHHH", machine, 80, partition, 80)
    put(0, 20, "HHHH", host, 56, guest, 72)
    put(machine, 2, "B", valid)
    put(machine, 4, "4H", 5, 1, 20, 2)
    put(machine, 12, "8s", ebcdic("CPC1"))
    put(machine, 20, "4s", ebcdic("3931", 4))
    put(machine, 24, "16s", ebcdic("IBM", 16))
    put(machine, 40, "16s", ebcdic("00000000000AB123", 16))
    put(machine, 56, "4s", ebcdic("02", 4))
    put(partition, 0, "B", 0x80)
    put(partition, 2, "B", valid)
    put(partition, 4, "H4H", 17, 0, 0, 8, 4)
    put(partition, 16, "8s", ebcdic("LNXPROD"))
    put(partition, 24, "4I", 0, 0, 0x48000, caps)
    put(partition, 40, "8s", ebcdic("GROUP1"))
    put(partition, 48, "2I", 0, 0x60000)
    put(host, 4, "B", 1)
    put(host, 8, "8s8s", ebcdic("ZVMA"), ebcdic(""))
    put(guest, 4, "8s", ebcdic("LINUX07"))
    put(guest, 20, "I", 0)
    put(guest, 32, "I", 0x20000)
    put(guest, 40, "8s", ebcdic("POOL1"))
    put(guest, 48, "2I", 0, 0x30000)
    return bytes(page)


PARSED = parse_sthyi(answer())


def test_partition() -> None:
    """The capacity group comes out of the partition section."""
    assert PARSED["cap_group_name"] == "GROUP1"


def test_caps_in_hundredths_of_a_core() -> None:
    """X'10000' is one core."""
    assert [PARSED[name] for name in ("cap_weight_ifl", "cap_absolute_ifl", "cap_group_ifl")] == [
        450,
        150,
        600,
    ]


def test_no_cap_is_absent() -> None:
    """A cap of 0 means that there is none; it must not look like a cap to nothing."""
    assert PARSED["cap_absolute_cp"] is NO_CAP


def test_invalid_fields_are_absent() -> None:
    """A field whose validity flag is off says nothing, whatever it contains."""
    row = parse_sthyi(answer(valid=0))
    assert row["cap_group_name"] is NOT_TOLD.about("capacity group")
    assert row["cap_absolute_ifl"] is NOT_TOLD.about("absolute cap")


@pytest.mark.parametrize(
    ("valid", "fields"),
    [
        (0x40, {"cap_weight_cp", "cap_weight_ifl"}),
        (0x20, {"cap_absolute_cp", "cap_absolute_ifl"}),
        (0x08, {"cap_group_cp", "cap_group_ifl", "cap_group_name"}),
    ],
)
def test_each_flag_is_about_its_own_fields(valid: int, fields: set[str]) -> None:
    """Weight-based and absolute caps, and the group."""
    row = parse_sthyi(answer(valid=valid))
    told = {name for name, value in row.items() if code_of(value) != NOT_TOLD.code}
    assert told - {"vm_name"} == fields


def test_the_hypervisor_is_the_innermost() -> None:
    """The last pair is the one that this Linux runs in."""
    assert PARSED["vm_name"] == "ZVMA"
    assert parse_sthyi(answer(pairs=2))["vm_name"] is NO_HYPERVISOR


def test_an_lpar_has_no_hypervisor() -> None:
    """In an LPAR there is no pair."""
    assert parse_sthyi(answer(pairs=0))["vm_name"] is NO_HYPERVISOR


def test_missing_section() -> None:
    """A section of no length is not there."""
    data = bytearray(answer())
    struct.pack_into(">H", data, 18, 0)
    assert parse_sthyi(bytes(data))["cap_group_name"] is NO_PARTITION


def test_section_beyond_the_page() -> None:
    """A section that lies outside is refused with its name and place."""
    data = bytearray(answer())
    struct.pack_into(">H", data, 16, 4090)
    with pytest.raises(ValueError, match=r"partition .*\b56 .*\b4096, .*\b80 at 4090"):
        parse_sthyi(bytes(data))


def test_too_many_hypervisors() -> None:
    """The header has room for three pairs."""
    with pytest.raises(ValueError, match=r"\b3 .*\b4$"):
        parse_sthyi(answer(pairs=4))


def test_short_header() -> None:
    """Less than a header is refused."""
    with pytest.raises(ValueError, match=r"\b12\b"):
        parse_sthyi(bytes(12))


def test_captured(make_tree: Callable[..., Tree]) -> None:
    """A captured tree keeps the answer as a file."""
    assert read_sthyi(make_tree({STHYI_CAPTURED: answer()})) == PARSED


def test_not_captured(make_tree: Callable[..., Tree]) -> None:
    """A capture without the answer says so."""
    assert read_sthyi(make_tree()) == dict.fromkeys(STHYI_FIELDS, NO_ANSWER)


@pytest.mark.skipif(os.uname().machine == "s390x", reason="there the call exists")
def test_other_machines(make_tree: Callable[..., Tree]) -> None:
    """On another architecture number 380 is another call, which must not be made."""
    live = make_tree({STHYI_CAPTURED: answer()}, live=True)
    found = read_sthyi(live)
    (why,) = set(found.values())
    assert list(found) == list(STHYI_FIELDS)
    assert "s390_sthyi: " in str(why)


@given(st.binary(max_size=400))
def test_any_bytes(data: bytes) -> None:
    """Nothing but a ValueError comes out of any bytes."""
    with suppress(ValueError):
        parse_sthyi(data)


@given(st.integers(0, 335), st.binary(min_size=1, max_size=16))
def test_mutated_bytes(place: int, patch: bytes) -> None:
    """Nothing but a ValueError comes out of a damaged answer."""
    data = answer()
    with suppress(ValueError):
        parse_sthyi(data[:place] + patch + data[place + len(patch) :])
