from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent
from zmon.kernel.proc_stat import (
    CPUS,
    OFFLINE,
    SCHEDSTAT,
    STAT,
    parse_cpulist,
    parse_schedstat,
    parse_stat,
    parse_tasks,
    read_processors,
)
from zmon.kernel.tree import NOT_GIVEN, LiveTree

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

# from Hercules 3.13 with Linux 6.12.107 (Debian 13), under load
HERCULES = """\
cpu  3361 0 10729 5290 123 557 484 0 0 0
cpu0 1507 0 5576 2915 62 297 251 0 0 0
cpu1 1854 0 5152 2374 61 259 232 0 0 0
intr 64067 0 2 0
ctxt 53291
btime 1795211707
"""
SYSFS = {
    f"{CPUS}/online": b"0-1\n",
    f"{CPUS}/present": b"0-2\n",
    f"{CPUS}/cpu0/polarization": b"vertical:medium\n",
    f"{CPUS}/cpu0/address": b"0\n",
}


def _cpu(tree: Tree, recent: Frame | None = None) -> Frame:
    """Return the first of the two frames that are read."""
    return read_processors(tree, recent)[0]


def test_ticks_become_nanoseconds() -> None:
    """A tick is 10 ms."""
    assert parse_stat(HERCULES)[0][:3] == (15_070_000_000, 0, 55_760_000_000)


def test_the_sum_of_all_is_left_out() -> None:
    """The first line is no CPU."""
    assert list(parse_stat(HERCULES)) == [0, 1]


def test_longer_line() -> None:
    """What a later kernel appends is left alone."""
    assert parse_stat("cpu7 1 2 3 4 5 6 7 8 9 10 11 12\n")[7][-1] == 100_000_000


def test_shorter_line() -> None:
    """A line without all times is refused, and the message shows it."""
    with pytest.raises(ValueError, match="'cpu0 1 2 3'"):
        parse_stat("cpu0 1 2 3\n")


def test_no_cpus() -> None:
    """A file without CPUs is refused."""
    with pytest.raises(ValueError, match="'intr 5"):
        parse_stat("intr 5\n")


@pytest.mark.parametrize(
    ("content", "numbers"), [("0-3\n", [0, 1, 2, 3]), ("0,2-3,9", [0, 2, 3, 9]), ("\n", [])]
)
def test_cpulist(content: str, numbers: list[int]) -> None:
    """Single numbers and ranges, or nothing at all."""
    assert parse_cpulist(content) == numbers


@pytest.mark.parametrize("content", ["a", "1-", "-1", "0-99999999999"])
def test_other_cpulist(content: str) -> None:
    """Anything else is refused, also a range that no machine can have."""
    with pytest.raises(ValueError, match=f"'{content}"):
        parse_cpulist(content)


def test_captured(make_tree: Callable[..., Tree]) -> None:
    """A captured CPU has its times and what sysfs says about it."""
    frame = _cpu(make_tree({STAT: HERCULES.encode(), **SYSFS}, times={STAT: 3}))
    assert [frame.cell("0", name) for name in ("idle", "polarization", "address", "online")] == [
        29_150_000_000, "vertical:medium", "0", 1,
    ]  # fmt: skip
    assert frame.times == [3, 3, 3]


def test_what_seldom_changes_is_repeated_from_a_recent_frame(make_tree: Callable[..., Tree]) -> None:
    """Unless a CPU came or went on or off line."""
    recent = _cpu(make_tree({STAT: HERCULES.encode(), **SYSFS}))
    later = HERCULES.replace("cpu1 ", "cpu2 ").replace("1507", "1508").encode()
    changed = {f"{CPUS}/cpu{number}/address": b"9\n" for number in range(4)}
    frame = _cpu(make_tree({STAT: later, **changed}), recent)
    assert frame.keys == ["0", "1", "2"]
    assert frame.column("address") == ["0", "9", "9"]
    assert frame.column("online") == [1, 0, 1]
    assert frame.cell("0", "user") == 15_080_000_000


def test_offline(make_tree: Callable[..., Tree]) -> None:
    """A CPU that is present and off line is there, without times."""
    frame = _cpu(make_tree({STAT: HERCULES.encode(), **SYSFS}))
    assert frame.cell("2", "online") == 0
    assert frame.cell("2", "user") is OFFLINE


def test_cpus_keep_their_numbers(make_tree: Callable[..., Tree]) -> None:
    """Behind a CPU that is off line, too: the lines name them."""
    stat = b"cpu  0\ncpu0 1 2 3 4 5 6 7 8 9 10\ncpu3 1 2 3 4 5 6 7 8 9 10\n"
    assert _cpu(make_tree({STAT: stat, f"{CPUS}/online": b"0,3\n"}, live=True)).keys == ["0", "3"]


def test_psutil_sees_the_same_cpus_and_no_later_times() -> None:
    """Another reader of the same file agrees, but for what passes between the two readings."""
    before = psutil.cpu_times(percpu=True)
    frame = _cpu(LiveTree())
    after = psutil.cpu_times(percpu=True)
    online = [row for row, is_online in enumerate(frame.column("online")) if is_online]
    assert len(before) == len(online)
    for name in ("user", "system", "softirq"):
        for row, first, last in zip(online, before, after, strict=True):
            seconds = float(str(frame.column(name)[row])) / 1e9
            assert getattr(first, name) - 0.011 <= seconds <= getattr(last, name) + 0.011


def test_not_captured(make_tree: Callable[..., Tree]) -> None:
    """Without the file there are no rows, and a reason."""
    assert _cpu(make_tree()).missing is NOT_GIVEN


def test_this_machine() -> None:
    """The machine that runs the test has CPUs whose times lie on the tick."""
    frame = _cpu(LiveTree())
    assert frame.keys
    assert all(isinstance(idle, int) and idle % 10_000_000 == 0 for idle in frame.column("idle"))


def test_tasks(make_tree: Callable[..., Tree]) -> None:
    """Those that run, and those that wait for I/O; a line that is missing is named."""
    content = f"{HERCULES}processes 4711\nprocs_running 3\nprocs_blocked 7\nsoftirq 1 2 3\n"
    tasks = read_processors(make_tree({STAT: content.encode()}))[1]
    assert (tasks.cell("tasks", "running"), tasks.cell("tasks", "blocked")) == (3, 7)
    found = parse_tasks("procs_running 3\n")
    assert found.pop("running") == 3
    labels = {name: value.reason.split()[-1] for name, value in found.items() if isinstance(value, Absent)}
    assert labels == {"blocked": "procs_blocked", "switches": "ctxt", "forks": "processes"}


# in the form of Documentation/scheduler/sched-stats.rst of the kernel
SCHEDSTAT_SEEN = """\
version 16
timestamp 4294958816
cpu0 0 0 5 3 2 1 410000000 52000000 9
domain0 03 0 0 0
cpu1 0 0 0 0 0 0 0 7 0
"""


def test_run_delays() -> None:
    """The eighth number of a CPU; lines of domains are others."""
    assert parse_schedstat(SCHEDSTAT_SEEN) == {0: 52_000_000, 1: 7}
    with pytest.raises(ValueError, match="'cpu0 1 2 3'"):
        parse_schedstat("cpu0 1 2 3\n")


def test_exact_idle_times(make_tree: Callable[..., Tree]) -> None:
    """Of s390x; microseconds become ns, and a kernel without them is not taken to be busy."""
    here = "sys/devices/system/cpu/cpu0"
    files = {
        STAT: HERCULES.encode(),
        SCHEDSTAT: SCHEDSTAT_SEEN.encode(),
        f"{here}/idle_count": b"4711\n",
        f"{here}/idle_time_us": b"1500\n",
    }
    cpus = read_processors(make_tree(files))[0]
    assert (cpus.cell("0", "idle_entries"), cpus.cell("0", "idle_exact")) == (4711, 1_500_000)
    assert cpus.cell("0", "run_delay") == 52_000_000
    bare = read_processors(make_tree({STAT: HERCULES.encode()}))[0]
    names = ("idle_entries", "idle_exact", "run_delay")
    assert all(isinstance(bare.cell("0", name), Absent) for name in names)


def test_an_offline_cpu_has_no_idle_times(make_tree: Callable[..., Tree]) -> None:
    """The reason is that it is off line, and not that the kernel lacks them."""
    offline = read_processors(make_tree({STAT: HERCULES.encode(), f"{CPUS}/present": b"0-9\n"}))[0]
    assert [offline.cell("9", name) for name in ("idle_exact", "user")] == [OFFLINE] * 2
    assert offline.cell("0", "idle_exact") is not OFFLINE


def test_tasks_of_another_form() -> None:
    """A label without a number is refused."""
    with pytest.raises(ValueError, match=r"procs_running .*'many'"):
        parse_tasks("procs_running many\n")


@given(st.text() | st.builds("procs_running{}procs_blocked{}".format, st.text(), st.text()))
def test_any_text_about_tasks(content: str) -> None:
    """Any text gives two values, numbers or a reason, or is refused."""
    with suppress(ValueError):
        assert set(parse_tasks(content)) == {"running", "blocked", "switches", "forks"}


@given(st.text())
def test_any_text(content: str) -> None:
    """Nothing but a ValueError comes out of any text."""
    for parse in (parse_stat, parse_cpulist):
        with suppress(ValueError):
            parse(content)


def test_the_time_of_zmon_itself_is_read_live(make_tree: Callable[..., Tree]) -> None:
    """It never falls; of a capture it is not that of its machine, and the reason is said."""
    first, second = (read_processors(LiveTree("/"))[1].cell("tasks", "own") for _ in range(2))
    assert isinstance(first, int)
    assert isinstance(second, int)
    assert 0 < first <= second
    assert isinstance(read_processors(make_tree({STAT: HERCULES.encode()}))[1].cell("tasks", "own"), Absent)


@given(st.integers(0, len(HERCULES)), st.text(max_size=8))
def test_mutated_text(place: int, patch: str) -> None:
    """Nothing but a ValueError comes out of a damaged file."""
    with suppress(ValueError):
        parse_stat(HERCULES[:place] + patch + HERCULES[place + len(patch) :])
