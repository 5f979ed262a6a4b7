"""/proc/interrupts and diag_stat, as a kernel of s390x writes them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from zmon.kernel.interrupts import (
    DIAGNOSES,
    INTERRUPTS,
    parse_diagnoses,
    parse_interrupts,
    read_diagnoses,
    read_interrupts,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree

# from QEMU with Linux 6.12.107 (Debian 13), shortened
SEEN = """\
           CPU0       CPU1
EXT:      94005      92560
I/O:        224        144
AIO:      29808      32130
CLK:      74462      68895   [EXT] Clock Comparator
PFL:          0          0   [EXT] Pseudo Page Fault
CIO:         17          2   [I/O] Common I/O Layer Interrupt
VIR:        207        142   [I/O] Virtual I/O Devices
VAI:      29808      32130   [AIO] Virtual I/O Devices AI
RST:          0          1   [CPU] CPU Restart
"""
ISSUED = """\
                CPU0       CPU1
diag 008:          0          0    Console Function
diag 09c:          1          3    Relinquish Timeslice
"""


def test_interrupts_of_all_cpus_are_added() -> None:
    """The first three lines are sums of the others, and are left out."""
    rows = parse_interrupts(SEEN)
    assert list(rows) == ["CLK", "PFL", "CIO", "VIR", "VAI", "RST"]
    assert rows["CLK"] == {"group": "EXT", "what": "Clock Comparator", "count": 74462 + 68895}
    assert rows["VIR"] == {"group": "I/O", "what": "Virtual I/O Devices", "count": 349}


def test_diagnoses_of_all_cpus_are_added() -> None:
    """Each with what the kernel calls it."""
    assert parse_diagnoses(ISSUED) == {
        "008": {"what": "Console Function", "count": 0},
        "09c": {"what": "Relinquish Timeslice", "count": 4},
    }


def test_without_root_diagnoses_are_absent(make_tree: Callable[..., Tree]) -> None:
    """The interrupts are there all the same."""
    refusal = {DIAGNOSES: PermissionError(13, "Permission denied")}
    tree = make_tree({INTERRUPTS: SEEN.encode()}, {}, refusal)
    assert read_interrupts(tree).cell("CIO", "count") == 19
    missing = read_diagnoses(tree).missing
    assert missing is not None
    assert missing.reason.startswith(f"/{DIAGNOSES}: ")


def test_another_machine_has_no_classes(make_tree: Callable[..., Tree]) -> None:
    """Its lines name no class in brackets."""
    content = b"           CPU0\n  0:   12   IO-APIC   2-edge   timer\nNMI:   3   Non-maskable interrupts\n"
    assert read_interrupts(make_tree({INTERRUPTS: content})).missing is not None


@given(st.text(max_size=200))
def test_any_content_is_parsed_or_refused(content: str) -> None:
    """Counts are numbers, descriptions are short."""
    for parse in (parse_interrupts, parse_diagnoses):
        for head in ("", "CPU0 CPU1\n"):
            with suppress(ValueError):
                assert all(isinstance(row["count"], int) for row in parse(head + content).values())
