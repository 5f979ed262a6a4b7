from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.kernel.proc_task import (
    device_in_name,
    file_of_call,
    numbers_of,
    parse_cgroup,
    parse_io,
    parse_schedstat,
    parse_stat,
    unit_of,
)

# of a Linux 6.12 on s390x: a reader of a disk that was suspended
STUCK = (
    b"3108 (dd) D 3083 3083 3083 0 -1 4194304 118 0 1 0 7 12 0 0 20 0 1 0 224479 3067904 451"
    b" 18446744073709551615 2929419354112 2929419427888 4397294657776 0 0 0 0 4096 514 1 0 0 17 1 0 0 5 0 0"
    b" 2929419434576 2929419436312 2929441714176 4397294661204 4397294661281 4397294661281 4397294661612 0\n"
)


def test_stat_of_a_task() -> None:
    """Times are ns."""
    found = parse_stat(STUCK)
    assert (found.number, found.name, found.state, found.is_kernel) == (3108, "dd", "D", False)
    assert (found.user, found.system, found.io_wait) == (70_000_000, 120_000_000, 50_000_000)
    assert (found.major_faults, found.threads, found.started) == (1, 1, 224479)


@given(st.binary(max_size=64))
def test_a_task_may_call_itself_anything(name: bytes) -> None:
    """Parentheses, blanks and numbers in its name change no other field, and it is harmless."""
    found = parse_stat(STUCK.replace(b"(dd)", b"(" + name + b")"))
    assert found._replace(name="dd") == parse_stat(STUCK)
    assert "\x1b" not in found.name
    assert "\n" not in found.name
    assert len(found.name) <= 64


@given(st.binary(max_size=300))
def test_any_text_is_parsed_or_refused(content: bytes) -> None:
    """With a ValueError, never with another error."""
    for parse in (parse_stat, parse_schedstat, parse_io):
        with contextlib.suppress(ValueError):
            parse(content)
    parse_cgroup(content)
    file_of_call(content.decode("latin-1"), "s390x")


def test_times_and_bytes() -> None:
    """The last number of schedstat counts time slices; `write_bytes` is what was made dirty."""
    assert parse_schedstat(b"193576892 863339921 32\n") == (193576892, 863339921)
    content = (
        b"rchar: 2119\nwchar: 0\nsyscr: 6\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 7\n"
    )
    assert parse_io(content) == (4096, 8192)


@pytest.mark.parametrize(
    ("content", "unit"),
    [
        (b"0::/db.slice/stuck-reader.service\n", "/db.slice/stuck-reader.service"),
        (b"0::/system.slice/db2.service/worker\n", "/system.slice/db2.service"),
        (
            b"0::/user.slice/user-1000.slice/user@1000.service/app.slice/x.service\n",
            "/user.slice/user-1000.slice/user@1000.service/app.slice/x.service",
        ),
        (b"8:pids:/x\n0::/\n", ""),
        (b"0::/system.slice\n", ""),
        (b"0::/own/group\n", "/own/group"),
        (b"0::/a\x1b[2J.service\n", "/a\\x1b[2J.service"),
        (b"8:pids:/x\n", None),
    ],
)
def test_the_unit_of_a_process(content: bytes, unit: str | None) -> None:
    """It is named as USER names it; processes of the kernel are in none."""
    assert parse_cgroup(content) == unit


def test_a_group_below_a_unit_is_the_unit() -> None:
    """As for its I/O, which the kernel counts with all below."""
    assert (
        unit_of("/machine.slice/box.service/payload/system.slice/x.service") == "/machine.slice/box.service"
    )


@pytest.mark.parametrize(
    ("content", "architecture", "file"),
    [
        ("3 0x0 0x2aa10556000 0x1000 0x0 0x0 0x0 0x3ffd32f9980 0x3ff92d9fa5a\n", "s390x", 0),
        ("118 0x9 0x0 0x0 0x0 0x0 0x0 0x3ffd32f9980 0x3ff92d9fa5a\n", "s390x", 9),
        ("74 0x9 0x0 0x0 0x0 0x0 0x0 0x7ffd 0x7f00\n", "x86_64", 9),
        ("74 0x9 0x0 0x0 0x0 0x0 0x0 0x7ffd 0x7f00\n", "s390x", None),
        ("0 0xffffffffffffffff 0x0 0x0 0x0 0x0 0x0 0x7ffd 0x7f00\n", "x86_64", None),
        ("running\n", "s390x", None),
        ("-1 0x7ffd 0x7f00\n", "x86_64", None),
    ],
)
def test_the_file_of_a_system_call(content: str, architecture: str, file: int | None) -> None:
    """Numbers of calls differ by architecture; where they are not known nothing is told."""
    assert file_of_call(content, architecture) == file


@pytest.mark.parametrize(
    ("name", "device"),
    [
        ("jbd2/dasda1-8", "dasda1"),
        ("jbd2/dm-3-8", "dm-3"),
        ("xfsaild/dm-2", "dm-2"),
        ("xfs-cil/dasdb1", "dasdb1"),
        ("kworker/u8:2-flush-94:0", "94:0"),
        ("kworker/u8:2+flush-253:16", "253:16"),
        ("kswapd0", ""),
    ],
)
def test_tasks_of_the_kernel_name_their_disk(name: str, device: str) -> None:
    """The log of a file system, and what writes its pages."""
    assert device_in_name(name) == device


def test_only_numbers_are_tasks() -> None:
    """/proc has other names, and Unicode has other digits."""
    assert numbers_of(["1", "self", "4711", "٣", "99999999"]) == ["1", "4711"]
