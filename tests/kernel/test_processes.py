from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernel.test_proc_task import STUCK
from zmon.base.absent import Absent, absent
from zmon.interval import Interval
from zmon.kernel import ended_children, processes, task_rounds
from zmon.kernel.process_bytes import NEEDS_ROOT, WAITED
from zmon.kernel.processes import NO_DELAYS, NO_FILES, UNCAPTURED, ProcessReader, captured_files
from zmon.kernel.task_rounds import HUNG_AFTER, Rounds
from zmon.kernel.tree import LiveTree
from zmon.sample import Instant, Sample
from zmon.tables.wait_states import ProcessUse

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import DictTree
    from zmon.sample import Frame

SECOND = 1_000_000_000


def lines(
    number: int, state: str = "S", run: int = 100, *, name: str = "db2sysc", threads: int = 1
) -> dict[str, bytes]:
    """Return the files of a process, or of a task where `number` is one."""
    stat = STUCK.replace(b"3108 (dd) D", f"{number} ({name}) {state}".encode()).replace(
        b"20 0 1 0 224479", f"20 0 {threads} 0 {number}".encode()
    )
    return {
        "stat": stat,
        "schedstat": f"{run} {run // 2} 3\n".encode(),
        "wchan": b"submit_bio_wait" if state == "D" else b"0",
        "io": f"read_bytes: {run}\nwrite_bytes: 0\n".encode(),
        "cgroup": b"0::/db.slice/db2inst1.service\n",
    }


def put(tree: DictTree, number: int, *args: object, folder: str = "", **more: object) -> None:
    """Put the files of a process into a tree."""
    files = lines(number, *args, **more)  # type: ignore[arg-type]  # as declared there
    tree.files |= {f"proc/{folder or number}/{name}": content for name, content in files.items()}


def cells(frame: Frame, key: str, *names: str) -> tuple[object, ...]:
    """Return some fields of a row."""
    return tuple(frame.cell(key, name) for name in names)


@pytest.fixture
def tree(make_tree: Callable[..., DictTree]) -> DictTree:
    """Two processes, one of which waits for a disk."""
    found = make_tree(
        {"proc/loadavg": b"1.43 1.82 1.56 6/122 29106\n", "proc/sys/kernel/task_delayacct": b"0\n"},
        times={"proc": 5 * SECOND},
    )
    put(found, 10)
    put(found, 11, "D", name="dd")
    return found


def test_each_round_counts_each_task_in_one_state(tree: DictTree) -> None:
    """One that sleeps in none."""
    reader = ProcessReader(tree)
    _, found, *_ = reader.read()
    assert cells(found, "10", "running", "io", "blocked") == (0, 0, 0)
    put(tree, 10, "R", 200)
    _, found, *_ = reader.read()
    assert cells(found, "10", "running", "io", "run", "cpu_wait", "unit") == (
        1,
        0,
        200,
        100,
        "/db.slice/db2inst1.service",
    )
    rounds, found, *_ = reader.read()
    assert cells(found, "11", "running", "io", "place") == (0, 3, "submit_bio_wait")
    assert cells(rounds, "rounds", "rounds", "processes", "tasks", "all_tasks", "begun") == (
        3,
        2,
        2,
        122,
        5 * SECOND,
    )


@pytest.mark.parametrize("content", [b"", b"\n", b"garbage", b"\xff\xfe\x00", b"10 (db2sysc"])
def test_a_process_that_says_nothing_sensible_takes_no_other_with_it(tree: DictTree, content: bytes) -> None:
    """Neither one that never did, nor one that did before; nor a task."""
    reader = ProcessReader(tree)
    put(tree, 12, "D", 50, threads=2)
    put(tree, 121, "D", 50, folder="12/task/121")
    tree.files["proc/13/stat"] = content
    assert reader.read()[1].keys == ["10", "11", "12"]
    tree.files["proc/12/task/121/stat"] = content
    assert reader.read()[1].keys == ["10", "11", "12"]
    tree.files["proc/12/stat"] = content
    assert reader.read()[1].keys == ["10", "11"]


def test_threads_are_tasks_of_their_process(tree: DictTree) -> None:
    """Db2 and MariaDB do all their I/O in threads, while the first one sleeps."""
    put(tree, 10, "S", 100, threads=3)
    put(tree, 101, "D", 50, folder="10/task/101")
    put(tree, 102, "R", 60, folder="10/task/102")
    reader = ProcessReader(tree)
    reader.read()
    put(tree, 101, "D", 70, folder="10/task/101")
    del tree.files["proc/10/task/102/stat"]
    _, found, blocked, _ = reader.read()
    # what the thread that ended used is not lost
    assert cells(found, "10", "running", "io", "run") == (1, 2, 100 + 70 + 60)
    assert cells(blocked, "101", "process", "place") == ("10", "submit_bio_wait")


def test_how_long_a_task_waits_is_counted_from_where_it_was_seen(tree: DictTree) -> None:
    """Until it runs: then the next wait is another one."""
    reader = ProcessReader(tree)
    for seconds, run, waits in ((5, 100, 0), (7, 100, 2), (9, 100, 4), (11, 130, 0)):
        tree.times["proc"] = seconds * SECOND
        put(tree, 11, "D", run, name="dd")
        _, _, blocked, _ = reader.read()
        assert cells(blocked, "11", "waiting", "state", "command") == (waits * SECOND, "io", "dd")
    put(tree, 11, "S", 140)
    assert not reader.read()[2].keys


@pytest.mark.parametrize(
    ("after", "woken", "place", "waits"),
    [
        (b"120\n", 66, b"submit_bio_wait", 62),
        (b"120\n", 66, b"folio_wait_bit_common", 0),
        (b"120\n", 40, b"submit_bio_wait", 0),
        (b"120\n", 90, b"submit_bio_wait", 0),
        (b"0\n", 66, b"submit_bio_wait", 0),
        (None, 66, b"submit_bio_wait", 0),
    ],
)
def test_what_the_kernel_wakes_so_that_it_is_not_taken_for_hung_waits_on(
    tree: DictTree, after: bytes | None, woken: int, place: bytes, waits: int
) -> None:
    """After half of hung_task_timeout_secs it runs once and waits in the same place."""
    if after is not None:
        tree.files[HUNG_AFTER] = after
    reader = ProcessReader(tree)
    for seconds in (5, *range(7, woken, 2)):
        tree.times["proc"] = seconds * SECOND
        reader.read()
    put(tree, 11, "R", name="dd")  # it is ready, and waits for a processor
    reader.read()
    put(tree, 11, "D", name="dd")
    tree.times["proc"] = (woken + 1) * SECOND
    tree.files |= {"proc/11/schedstat": b"130 65 4\n", "proc/11/wchan": place}
    _, found, blocked, _ = reader.read()
    assert cells(blocked, "11", "waiting", "state") == (waits * SECOND, "io")
    tree.times["proc"] = (woken + 2) * SECOND
    assert reader.read()[2].cell("11", "waiting") == (waits + 1) * SECOND
    assert found.cell("11", "run") == 130


def test_a_place_that_may_not_be_read_is_not_guessed(tree: DictTree) -> None:
    """The task is in state D, but why is not known without root."""
    tree.errors["proc/11/wchan"] = PermissionError(errno.EACCES, "Permission denied")
    _, found, blocked, _ = ProcessReader(tree).read()
    assert cells(found, "11", "io", "blocked") == (0, 1)
    assert blocked.cell("11", "place") is NEEDS_ROOT


def test_another_process_with_the_same_number_is_another(tree: DictTree) -> None:
    """It begins at nothing."""
    reader = ProcessReader(tree)
    reader.read()
    put(tree, 11, "R", 5)
    tree.files["proc/11/stat"] = tree.files["proc/11/stat"].replace(b"20 0 1 0 11 ", b"20 0 1 0 999 ")
    _, found, blocked, _ = reader.read()
    assert cells(found, "11", "started", "io", "running", "run") == (999, 0, 1, 5)
    assert not blocked.keys


def test_bytes_are_read_of_processes_that_ran(tree: DictTree) -> None:
    """Also of one that happens to wait when it is looked at, as those do that read all the time."""
    read: list[str] = []
    content = tree.read

    def noted(path: str, at_once: int = 65536) -> bytes:
        read.append(path)
        return content(path, at_once)

    tree.read = noted  # type: ignore[method-assign]  # noted here
    reader = ProcessReader(tree)
    reader.read()
    assert [path for path in read if path.endswith("/io")] == ["proc/10/io", "proc/11/io"]
    read.clear()
    reader.read()
    assert not [path for path in read if path.endswith(("/io", "/cgroup", "10/wchan"))]
    put(tree, 10, "S", 300)
    put(tree, 11, "D", 700)
    _, found, *_ = reader.read()
    assert cells(found, "10", "read_bytes", "io_wait") == (300, NO_DELAYS)
    assert found.cell("11", "read_bytes") == 700


def test_bytes_that_a_process_would_have_to_be_waited_for_are_absent(
    tree: DictTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`io` of one that hangs while it executes a program waits as well: others are read all the same."""
    never = threading.Event()
    content = tree.read

    def hangs(path: str, at_once: int = 65536) -> bytes:
        if path == "proc/11/io":
            never.wait()
        return content(path, at_once)

    tree.read = hangs  # type: ignore[method-assign]  # hangs here
    monkeypatch.setattr(ended_children, "WAIT", 0.001)
    try:
        _, found, *_ = ProcessReader(tree).read()
    finally:
        never.set()
    assert cells(found, "10", "read_bytes") == (100,)
    assert found.cell("11", "read_bytes") is WAITED


def test_only_so_many_processes_that_wait_are_asked(tree: DictTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one sample; of one that was never asked the reason is told."""
    monkeypatch.setattr(ended_children, "MOST_WAITING", 0)
    _, found, *_ = ProcessReader(tree).read()
    assert found.cell("11", "read_bytes") is WAITED


def test_what_needs_root_is_absent_and_not_tried_again(tree: DictTree) -> None:
    """And it is not zero."""
    tree.errors["proc/10/io"] = PermissionError(errno.EACCES, "Permission denied")
    _, found, *_ = ProcessReader(tree).read()
    assert found.cell("10", "read_bytes") is NEEDS_ROOT


def test_the_first_rows_are_those_that_did_something(tree: DictTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are more than are kept; how many have none is counted."""
    monkeypatch.setattr(processes, "MAX_ROWS", 2)
    for number in range(20, 30):
        put(tree, number)
    reader = ProcessReader(tree)
    reader.read()
    put(tree, 27, "S", 900)
    rounds, found, *_ = reader.read()
    assert found.keys == ["11", "27"]
    assert rounds.cell("rounds", "left_out") == 10


def test_a_round_ends_at_so_many_tasks(tree: DictTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with a million threads does not hold zmon up."""
    monkeypatch.setattr(task_rounds, "MAX_TASKS", 5)
    put(tree, 10, "S", 100, threads=900)
    for number in range(100, 900):
        put(tree, number, folder=f"10/task/{number}")
    rounds = Rounds(tree)
    rounds.look()
    assert len(list(rounds.processes["10"].tasks)) <= 6
    assert rounds.left_out == 1


def opens(tree: DictTree, number: int, path: str) -> None:
    """Let a process have a file open on a disk."""
    tree.files[f"proc/{number}/mountinfo"] = b"40 31 94:5 / /db rw - xfs /dev/dasdb1 rw\n"
    tree.files[f"proc/{number}/fdinfo/4"] = b"pos:\t0\nflags:\t0100002\nmnt_id:\t40\n"
    tree.links[f"proc/{number}/fd/4"] = path


def test_files_are_those_of_processes_that_do_io_or_wait(tree: DictTree) -> None:
    """One that read long ago is none of them."""
    tree.live = True
    for number, path in ((10, "/db/old"), (11, "/db/waits"), (12, "/db/reads")):
        put(tree, number, "D" if number == 11 else "S")
        opens(tree, number, path)
    reader = ProcessReader(tree)
    assert reader.read()[3].column("file") == ["/db/waits"]
    put(tree, 12, "S", 900)
    files = reader.read()[3]
    assert files.column("file") == ["/db/waits", "/db/reads"]
    assert cells(files, "12 4", "process", "unit", "device", "access") == (
        "12",
        "/db.slice/db2inst1.service",
        "94:5",
        "both",
    )


def test_open_files_of_another_user_are_not_seen(tree: DictTree) -> None:
    """That says why there are none."""
    tree.errors["proc/11/fd"] = PermissionError(errno.EACCES, "Permission denied")
    files = ProcessReader(tree).read()[3]
    assert files.missing is absent(NO_FILES)


def test_where_a_wait_was_is_kept_with_its_place(tree: DictTree) -> None:
    """As the system call told while it lasted: the next sample may find the task asleep."""
    opens(tree, 11, "/db/data")
    tree.files |= {
        "proc/sys/kernel/arch": b"s390x\n",
        "proc/11/syscall": b"3 0x4 0x2a 0x1000 0x0 0x0 0x0 0x3f 0x3f\n",
    }
    reader = ProcessReader(tree)
    reader.read()
    put(tree, 11, "S", 200)
    _, found, *_ = reader.read()
    assert cells(found, "11", "place", "devices", "evidence") == ("submit_bio_wait", "94:5", "system call")


def test_a_capture_without_processes_says_so(make_tree: Callable[..., DictTree]) -> None:
    """And how to get them."""
    for frame in ProcessReader(make_tree({"proc/stat": b""})).read():
        assert frame.missing is absent(UNCAPTURED)


def test_a_capture_keeps_what_is_read(tree: DictTree) -> None:
    """Of the task that waits also what tells its device."""
    found = captured_files(tree)
    assert {"proc/10/stat", "proc/10/schedstat", "proc/11/syscall", "proc/11/fd/*", "proc/loadavg"} <= set(
        found
    )
    assert "proc/10/fd/*" not in found


def test_this_machine_has_processes() -> None:
    """A child that is stopped is found as such, by its real /proc, and this process ran."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        os.kill(child.pid, 19)
        os.waitpid(child.pid, os.WUNTRACED)
        reader = ProcessReader(LiveTree())
        reader.look()
        rounds, found, *_ = reader.read()
        assert found.cell(str(child.pid), "stopped") == rounds.cell("rounds", "rounds")
        run = found.cell(str(os.getpid()), "run")
        assert isinstance(run, Absent) or run > 0  # type: ignore[operator]  # a number
    finally:
        child.kill()
        child.wait()


def test_rounds_end_when_nobody_asks() -> None:
    """The thread looks whether samples are still taken."""
    reader = ProcessReader(LiveTree("/nowhere"))
    assert reader.look() is None


def test_what_is_held_open_of_processes_is_closed_when_nobody_asks() -> None:
    """And when they have ended."""
    before = len(os.listdir("/proc/self/fd"))
    rounds = Rounds(LiveTree())
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        rounds.look()
        assert len(os.listdir("/proc/self/fd")) > before + 1
    finally:
        child.kill()
        child.wait()
    rounds.look()
    assert str(child.pid) not in rounds.processes
    rounds.close()
    assert len(os.listdir("/proc/self/fd")) == before + 1  # the directory of all
    rounds.look()
    assert str(os.getpid()) in rounds.processes


KERNEL_READS = os.pread


def pread_as_the_kernel(file: int, size: int, begin: int) -> bytes:
    """Read a file of a task; of one that has ended there is nothing to read."""
    if os.fstat(file).st_nlink == 0:
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))
    return KERNEL_READS(file, size, begin)


SEEN = st.dictionaries(
    st.sampled_from([10, 11, 12]),
    st.tuples(st.integers(1, 2), st.sampled_from("SRDZ"), st.sampled_from([5, 100, 300])),
)
"""Which processes there are, with the time that each began, its state, and what it ran."""


@given(st.lists(SEEN, min_size=1, max_size=6))
def test_what_is_held_open_changes_no_figure(steps: list[dict[int, tuple[int, str, int]]]) -> None:
    """Processes come, work, end, and others get their numbers: as where no file may stay open."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "proc")
        root.mkdir()
        held = Rounds(LiveTree(folder))
        with patch.object(task_rounds, "MOST_HELD", 0):
            by_name = Rounds(LiveTree(folder))
        begun: dict[int, int] = {}
        for step in steps:
            for number, since in list(begun.items()):
                if step.get(number, (0,))[0] != since:
                    shutil.rmtree(root / str(number))
                    del begun[number]
            for number, (since, state, run) in step.items():
                begun[number] = since
                (root / str(number)).mkdir(exist_ok=True)
                for name, content in lines(number, state, run).items():
                    text = content.replace(b"20 0 1 0 %d " % number, b"20 0 1 0 %d " % since)
                    (root / str(number) / name).write_bytes(text)
            found = []
            with patch.object(os, "pread", pread_as_the_kernel):
                for rounds in (held, by_name):
                    rounds.look()
                    for process in rounds.processes.values():
                        rounds.count_time(process, process.first)
                    found.append(
                        {
                            number: (process.stat, process.run, process.delay, process.counts)
                            for number, process in rounds.processes.items()
                        }
                    )
            assert found[0] == found[1]
            assert {int(number) for number in found[0]} == {
                number for number, (_, state, _) in step.items() if state != "Z"
            }


class SlowProc:
    """A /proc in which each process uses half a CPU and writes 2 MB/s, and takes long to be read at first."""

    live, name = False, "a slow tree"
    processes = 40

    def __init__(self) -> None:
        """Begin at five seconds."""
        self.now = 5 * SECOND
        self._known: set[str] = set()

    def entries(self, path: str) -> list[str]:
        """Return the numbers of the processes, which have no other tasks."""
        return [str(number) for number in range(10, 10 + self.processes)] if path == "proc" else []

    def when(self, _path: str) -> int:
        """Return what the clock says."""
        return self.now

    def link(self, path: str) -> str:
        """Have no links."""
        raise FileNotFoundError(errno.ENOENT, "not in this tree", path)

    def read(self, path: str, at_once: int = 0) -> bytes:  # noqa: ARG002 - all comes at once
        """Return what a file says now; the first time it takes 10 ms, then 1 ms."""
        self.now += SECOND // (1000 if path in self._known else 100)
        self._known.add(path)
        number, _, file = path.removeprefix("proc/").partition("/")
        files = lines(int(number), "S", self.now // 2) if number.isdecimal() else {}
        files["io"] = b"read_bytes: 0\nwrite_bytes: %d\n" % (self.now // 500)
        if file not in files:
            raise FileNotFoundError(errno.ENOENT, "not in this tree", path)
        return files[file]


def test_the_first_interval_is_as_long_as_what_is_counted_in_it() -> None:
    """Each process has the time at which it was read: a cold round takes longer than the next one."""
    tree = SlowProc()
    reader = ProcessReader(tree)
    samples = []
    for _ in range(3):
        at = Instant(tree.now, tree.now, "boot")
        samples.append(Sample(at, {frame.kind.name: frame for frame in reader.read()}))
        tree.now += 2 * SECOND
    for before, after in pairwise(samples):
        use = ProcessUse(Interval(before, after))
        assert len(use.of) == tree.processes
        for one in use.of.values():
            assert one.rates["run"] == pytest.approx(SECOND / 2, rel=0.01)
            assert one.rates["dirtied_bytes"] == pytest.approx(2e6, rel=0.01)
