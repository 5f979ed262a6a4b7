"""STORAGE: what memory holds, and the areas that Linux swaps to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.interval import Interval
from zmon.kinds import BLOCK, DASD, DEVICE, LAYER, MACHINE, MEMORY, PRESSURE, SWAP
from zmon.machine.view import View
from zmon.sample import empty_frame
from zmon.tables.storage import IN_MEMORY, NO_DEVICE, TWO_KINDS, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Value

SECOND = 1_000_000_000
COUNTS = (
    "swapped_in", "swapped_out", "major_faults", "faults", "scanned_kswapd", "scanned_direct",
    "reclaimed_kswapd", "reclaimed_direct", "stalls", "oom_kills", "balloon_inflated", "balloon_deflated",
)  # fmt: skip
STILL: dict[str, Value] = dict.fromkeys(
    ("reads", "writes", "read_ms", "write_ms", "sectors_read", "sectors_written"), 0
)
SIZES: dict[str, Value] = {
    "total": 1000 << 20, "available": 100 << 20, "swap_total": 18 << 20, "swap_free": 17 << 20,
    "cmm_pages": 256, "cmm_timed_pages": 256, "zswap": 2_000_000, "zswapped": 9_000_000,
}  # fmt: skip
LAYERS = {
    "94:8": {"name": "dasdc", "sort": "disk", "busid": "0.0.0300"},
    "94:9": {"name": "dasdc1", "sort": "partition", "parent": "94:8", "start": 24, "size": 1000},
    "94:12": {"name": "dasdd", "sort": "disk", "busid": "0.0.0301"},
    "94:13": {"name": "dasdd1", "sort": "partition", "parent": "94:12", "start": 24, "size": 1000},
    "252:0": {"name": "zram0", "sort": "disk"},
}
SWAPS: dict[str, dict[str, Value]] = {
    "/dev/dasdc1": {"sort": "partition", "size": 4 << 20, "used": 1 << 20, "priority": 10},
    "/dev/dasdd1": {"sort": "partition", "size": 12 << 20, "used": 0, "priority": 5},
    "/dev/zram0": {"sort": "partition", "size": 1 << 20, "used": 0, "priority": 100},
    "/dev/mapper/odd\x1b[2J": {"sort": "partition", "size": 1 << 20, "used": 0, "priority": -2},
}


def rows(environment: str = "zvm") -> dict[object, dict[str, dict[str, Value]]]:
    """Return a machine that swaps to two DASD, a disk in memory, and something that nobody knows."""
    return {
        MEMORY: {"memory": {**SIZES, **dict.fromkeys(COUNTS, 0)}},
        PRESSURE: {"memory": {"some": 0, "full": 0}},
        SWAP: SWAPS,
        MACHINE: {"machine": {"environment": environment}},
        DEVICE: {
            "0.0.0300": {"online": 1, "block": "dasdc", "uid": "IBM.750000000L0001.2482.00"},
            "0.0.0301": {"online": 1, "block": "dasdd"},
        },
        DASD: {
            "0.0.0300": {"name": "dasdc", "discipline": "ECKD", "volser": "SWAP01"},
            "0.0.0301": {"name": "dasdd", "discipline": "FBA"},
        },
        BLOCK: {
            "dasdc": {"number": "94:8", "busid": "0.0.0300", **STILL},
            "dasdd": {"number": "94:12", "busid": "0.0.0301", **STILL},
        },
        LAYER: LAYERS,  # type: ignore[dict-item]  # its values are texts and numbers
    }  # fmt: skip


@pytest.fixture
def view(make_interval: Callable[..., Interval]) -> View:
    """A minute in which it swapped."""
    after = rows()
    memory = after[MEMORY]["memory"] | {
        "swapped_in": 600, "scanned_kswapd": 6000, "scanned_direct": 600, "stalls": 120, "oom_kills": 1,
        "balloon_inflated": 512, "balloon_deflated": 256,
    }  # fmt: skip
    after[MEMORY] = {"memory": memory}
    after[PRESSURE] = {"memory": {"some": 30 * SECOND, "full": 6 * SECOND}}
    moved: dict[str, Value] = {"reads": 600, "read_ms": 1200, "sectors_read": 4800}
    after[BLOCK] = after[BLOCK] | {"dasdc": after[BLOCK]["dasdc"] | moved}
    return View(make_interval(rows(), after))


@pytest.mark.parametrize(
    ("fact", "value"),
    [("used", 90.0), ("pagein", 10.0), ("scanned", 110.0), ("stalls", 2.0), ("some", 50.0),
     ("full", 10.0), ("taken", 2 << 20), ("balloon", 1 << 20)],
)  # fmt: skip
def test_the_facts(view: View, fact: str, value: float) -> None:
    """Sizes in bytes, rates per second, waits in percent of the interval."""
    assert table(view).facts[fact] == pytest.approx(value)


def test_what_a_kernel_does_not_give_is_absent(view: View) -> None:
    """It is no zero."""
    assert all(isinstance(table(view).facts[name], Absent) for name in ("anonymous", "huge_total", "refile"))


def test_an_area_has_the_sort_and_the_load_of_its_disk(view: View) -> None:
    """An FBA disk of a guest is virtual or emulated, and Linux cannot tell which."""
    found = table(view)
    assert found.column("type") == ["ECKD", "VDISK/EDEV", "zram", NO_DEVICE]
    assert found.column("device") == ["0300", "0301", IN_MEMORY, NO_DEVICE]
    assert found.column("label")[0] == "SWAP01"
    assert found.column("io")[0] == pytest.approx(10.0)
    assert found.column("resp")[0] == pytest.approx(2.0)
    assert found.column("usedpct") == [25.0, 0.0, 0.0, 0.0]
    assert TWO_KINDS in found.notes


def test_an_fba_disk_of_an_lpar_is_no_vdisk(make_interval: Callable[..., Interval]) -> None:
    """There is none."""
    found = table(View(make_interval(rows("lpar"), rows("lpar"))))
    assert found.column("type")[1] == "FBA"
    assert TWO_KINDS not in found.notes


def test_all_areas_together(view: View) -> None:
    """In one line, with their use."""
    summary = table(view).summary
    assert summary is not None
    assert summary.cells["size"] == 18 << 20
    assert summary.cells["usedpct"] == pytest.approx(100 / 18)


def test_compressed_pages_and_killed_processes_are_told(view: View) -> None:
    """The pages are in memory although swapped."""
    notes = table(view).notes
    assert any("killed a process" in note for note in notes)
    assert [facts(note) for note in notes if "zswap" in note] == ["9 2"]


def test_no_swap_area_is_no_missing_value(make_interval: Callable[..., Interval]) -> None:
    """The memory is shown all the same; where /proc/swaps was not read, that is said."""
    none = rows() | {SWAP: {}}
    found = table(View(make_interval(none, none)))
    assert found.facts["total"] == 1000 << 20
    assert found.missing is not None
    without = {kind: frame for kind, frame in rows().items() if kind is not SWAP}
    unread = table(View(make_interval(without, without))).missing
    assert unread is not None
    assert unread != found.missing


def test_a_machine_without_memory_says_why(make_interval: Callable[..., Interval]) -> None:
    """No row, and each fact of the screen is absent, which is not blank."""
    found = table(View(make_interval({}, {})))
    assert (found.keys, set(found.facts)) == ([], {*table(View(make_interval({}, rows()))).facts})
    assert all(isinstance(value, Absent) for value in found.facts.values())
    assert found.missing is not None
    assert found.missing != absent("")


def test_swap_areas_are_listed_without_the_memory(make_interval: Callable[..., Interval]) -> None:
    """Texts may have /proc/swaps alone; the figures of memory are missing, and the reason is said."""
    known = rows()
    del known[MEMORY]
    after = make_interval({}, known).after
    frames = {**after.frames, MEMORY.name: empty_frame(MEMORY, "not collected: /proc/meminfo")}
    found = table(View(Interval(None, after._replace(frames=frames))))
    assert found.column("size")[0] == 4 << 20
    assert isinstance(found.facts["total"], Absent)
    assert "Memory: not collected: /proc/meminfo" in found.notes
