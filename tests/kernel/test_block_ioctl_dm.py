from __future__ import annotations

import contextlib
import errno
import fcntl
import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import DictTree
from zmon.kernel import block_ioctl
from zmon.kernel.block_ioctl import (
    BUFFER_FULL,
    GONE,
    NEEDS_ROOT,
    NO_TABLE,
    dm_request,
    parse_dm_answer,
    read_dm_table,
    table_refused,
)

if TYPE_CHECKING:
    from pathlib import Path

    from zmon.base.absent import Absent

SEGMENTS = [
    (0, 131072, "striped", "2 128 94:17 2048 94:29 2048"),
    (131072, 65536, "linear", "94:17 133120"),
    (196608, 8, "error", ""),
]
TABLE = "0 131072 striped 2 128 94:17 2048 94:29 2048\n131072 65536 linear 94:17 133120\n196608 8 error \n"


def answer(segments: list[tuple[int, int, str, str]], flags: int = 0) -> bytes:
    """An answer as the kernel lays it out: each record tells where the next one begins."""
    begin, data = 312, b""
    for first, length, kind, arguments in segments:
        text = arguments.encode() + b"\0"
        text += bytes(-(len(data) + 40 + len(text)) % 8)
        onward = len(data) + 40 + len(text)
        data += struct.pack("=QQiI16s", first, length, 0, onward, kind.encode()) + text
    head = struct.pack("=3IIIIiIIIQ128s129s7s", 4, 48, 0, begin + len(data), begin, len(segments), 0, flags,
                       0, 0, 0xFD00, b"vg-lv", b"", b"")  # fmt: skip
    return head + data


def test_the_header_is_as_long_as_in_the_kernel() -> None:
    """Its length is a part of the request's number."""
    assert len(dm_request("253:3", 0)) == 312
    assert block_ioctl.DM_TABLE_STATUS >> 16 & 0x3FFF == 312


@pytest.mark.parametrize(("number", "packed"), [("253:3", 0xFD03), ("253:300", 0x10FD2C)])
def test_the_device_is_packed_as_the_kernel_does(number: str, packed: int) -> None:
    """Of the minor number the lowest byte stands apart from the rest."""
    assert struct.unpack_from("=Q", dm_request(number, 0), 40) == (packed,)


def test_a_request_only_reads() -> None:
    """It asks for the table, that nothing is written before, and that no key is left behind."""
    assert struct.unpack_from("=I", dm_request("253:3", 0), 28) == (1 << 4 | 1 << 11 | 1 << 15,)


@pytest.mark.parametrize("number", ["", "253", "a:b", "253:3\n", "253:-1"])
def test_a_number_of_another_form_is_refused(number: str) -> None:
    """What is no device number is not sent to the kernel."""
    with pytest.raises(ValueError, match="major:minor"):
        dm_request(number, 0)


def test_the_table_reads_as_dmsetup_prints_it() -> None:
    """A line per segment: begin, length, target, arguments."""
    assert parse_dm_answer(answer(SEGMENTS)) == TABLE


def test_a_key_becomes_zeros() -> None:
    """The kernel gives root the key of dm-crypt, and nobody needs it here."""
    secret = [(0, 8, "crypt", "aes-xts-plain64 deadbeef 0 94:17 4096")]
    assert parse_dm_answer(answer(secret)) == "0 8 crypt aes-xts-plain64 00000000 0 94:17 4096\n"


@pytest.mark.parametrize("key", ["-", ":64:logon:cryptsetup:disk"])
def test_a_key_that_is_only_named_stays(key: str) -> None:
    """The name of a key in the kernel's keyring is no secret."""
    named = [(0, 8, "crypt", f"aes-xts-plain64 {key} 0 94:17 4096")]
    assert key in str(parse_dm_answer(answer(named)))


def test_a_line_end_among_arguments_makes_no_second_line() -> None:
    """A table has as many lines as segments."""
    assert parse_dm_answer(answer([(0, 8, "odd", "a\nb")])) == "0 8 odd a b\n"


def test_an_answer_that_needs_more_room_is_none() -> None:
    """The kernel says so with a flag."""
    assert parse_dm_answer(answer(SEGMENTS, BUFFER_FULL)) is None


@pytest.mark.parametrize("cut", [0, 311, 320, 360])
def test_an_answer_that_was_cut_is_refused(cut: int) -> None:
    """Fewer bytes than it says are no table."""
    with pytest.raises(ValueError, match=r"^device mapper: "):
        parse_dm_answer(answer(SEGMENTS)[:cut])


@given(st.binary(max_size=600))
def test_any_bytes_are_parsed_or_refused(found: bytes) -> None:
    """Nothing but a ValueError comes out."""
    with contextlib.suppress(ValueError):
        parse_dm_answer(found)


@given(st.integers(0, 450), st.binary(min_size=1, max_size=9))
def test_any_change_of_an_answer_is_parsed_or_refused(at: int, put: bytes) -> None:
    """A record that points anywhere is no way to hang."""
    found = answer(SEGMENTS)
    with contextlib.suppress(ValueError):
        parse_dm_answer(found[:at] + put + found[at + len(put) :])


def test_a_segment_that_leads_back_is_refused() -> None:
    """Two thousand million segments at one place would take hours."""
    whole = bytearray(answer(SEGMENTS))
    struct.pack_into("=I", whole, 20, 2**31)
    struct.pack_into("=I", whole, 312 + 20, 0)
    with pytest.raises(ValueError, match="segment at byte 312"):
        parse_dm_answer(whole)


def test_the_room_grows_until_the_table_fits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A volume of many segments is asked for again with more room."""
    rooms: list[int] = []

    def ioctl(_fd: int, number: int, buffer: bytearray, mutate: bool) -> int:
        assert (number, mutate) == (block_ioctl.DM_TABLE_STATUS, True)
        rooms.append(len(buffer))
        found = answer(SEGMENTS, 0 if len(rooms) > 2 else BUFFER_FULL)
        buffer[: len(found)] = found
        return 0

    control = tmp_path / "control"
    control.touch()
    monkeypatch.setattr(block_ioctl, "CONTROL", str(control))
    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    assert read_dm_table(DictTree(live=True), "253:0") == TABLE
    assert rooms[0] < rooms[1] < rooms[2]


def test_the_room_has_an_end(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A kernel that always wants more is not obeyed."""

    def ioctl(_fd: int, _number: int, buffer: bytearray, _mutate: bool) -> int:
        buffer[:312] = answer([], BUFFER_FULL)
        return 0

    control = tmp_path / "control"
    control.touch()
    monkeypatch.setattr(block_ioctl, "CONTROL", str(control))
    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    with pytest.raises(OSError, match="more than"):
        read_dm_table(DictTree(live=True), "253:0")


def test_a_captured_table_is_a_file() -> None:
    """It is named after the device, and a key in it becomes zeros as well."""
    tree = DictTree({"ioctl/dm/253:0.table": b"0 8 crypt aes ff 0 94:1 0\n"})
    assert read_dm_table(tree, "253:0") == "0 8 crypt aes 00 0 94:1 0\n"


@pytest.mark.parametrize(
    ("number", "reason"), [(errno.EACCES, NEEDS_ROOT), (errno.EPERM, NEEDS_ROOT), (errno.ENXIO, GONE)]
)
def test_a_refusal_says_what_to_do(number: int, reason: Absent) -> None:
    """A person reads what is lacking, or else what the kernel said."""
    assert table_refused(OSError(number, "of no use")) is reason
    assert table_refused(OSError(errno.EIO, "of no use")).reason.endswith(": of no use")


def test_what_was_not_captured_says_so() -> None:
    """An older capture has no tables."""
    with pytest.raises(FileNotFoundError) as error:
        read_dm_table(DictTree(), "253:0")
    assert table_refused(error.value) is NO_TABLE
