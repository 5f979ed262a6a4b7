from __future__ import annotations

import errno
from operator import sub
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import DictTree
from tests.kernel.test_processes import SECOND, cells
from zmon.kernel import proc_task
from zmon.kernel.ended_children import TOOK_OVER
from zmon.kernel.processes import ProcessReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.sample import Frame

INIT, SHELL = 1, 10


class Machine:
    """Processes as the kernel counts them: who waits for a child takes over what was counted of it."""

    def __init__(self, tree: DictTree) -> None:
        """Begin with init and a shell."""
        self.tree = tree
        self.parent = {INIT: 0}
        self.counts = {INIT: [5, 0, 0]}
        """Page faults, those of children, bytes read."""
        self.runs = 0
        self.last = INIT
        self.write(INIT)
        self.fork(INIT, SHELL)

    def write(self, number: int, state: str = "S") -> None:
        """Let /proc say what is counted."""
        faults, of_children, read = self.counts[number]
        self.runs += 1
        self.tree.files |= {
            f"proc/{number}/stat": b"%d (sh) %b %d 1 1 0 -1 4194304 %d %d 0 0 7 12 0 0 20 0 1 0 %d%b"
            % (number, state.encode(), self.parent[number], faults, of_children, number, b" 0" * 30),
            f"proc/{number}/schedstat": b"%d 0 3\n" % self.runs,
            f"proc/{number}/io": b"read_bytes: %d\nwrite_bytes: %d\n" % (read, 2 * read),
        }

    def fork(self, parent: int, number: int = 0) -> int:
        """Begin a child."""
        number = number or max(self.last + 1, SHELL + 1)
        self.last = max(number, self.last)
        self.parent[number], self.counts[number] = parent, [7, 0, 0]
        self.write(number)
        return number

    def read(self, number: int, size: int) -> None:
        """Read bytes."""
        self.counts[number][2] += size
        self.counts[number][0] += 1
        self.write(number)

    def ends(self, number: int) -> None:
        """End, until the parent waits for it."""
        for child in [child for child, parent in self.parent.items() if parent == number]:
            self.parent[child] = INIT
            self.write(child)
        self.write(number, "Z")

    def waits_for(self, number: int) -> None:
        """Let the parent of an ended one take over what was counted of it."""
        parent = self.parent.pop(number)
        faults, of_children, read = self.counts.pop(number)
        self.counts[parent][1] += faults + of_children
        self.counts[parent][2] += read
        for name in ("stat", "schedstat", "io"):
            del self.tree.files[f"proc/{number}/{name}"]
        self.write(parent)

    def goes(self, number: int) -> None:
        """End, with a parent that waits for it at once."""
        self.ends(number)
        self.waits_for(number)


def machine_in(tree: DictTree) -> Machine:
    """Return init and a shell in a tree."""
    tree.files["proc/loadavg"] = b"1.43 1.82 1.56 6/122 29106\n"
    tree.times["proc"] = 5 * SECOND
    return Machine(tree)


@pytest.fixture
def machine(make_tree: Callable[..., DictTree]) -> Machine:
    """Init and a shell."""
    return machine_in(make_tree({}))


def shown(reader: ProcessReader, number: int) -> tuple[object, ...]:
    """Take a sample; return what a process read and made dirty."""
    _, found, *_ = reader.read()
    return cells(found, str(number), "read_bytes", "dirtied_bytes")


def test_what_a_child_was_shown_to_read_its_parent_does_not_read_again(machine: Machine) -> None:
    """The shell keeps what the child read after the last sample: nobody else shows that."""
    reader = ProcessReader(machine.tree)
    child = machine.fork(SHELL)
    machine.read(child, 1_000)
    assert shown(reader, SHELL) == (0, 0)
    machine.read(child, 30)
    machine.goes(child)
    assert shown(reader, SHELL) == (30, 60)
    machine.read(SHELL, 4)
    assert shown(reader, SHELL) == (34, 68)


def test_a_child_that_is_in_no_sample_reads_for_its_parent(machine: Machine) -> None:
    """A loop of short commands is not nothing."""
    reader = ProcessReader(machine.tree)
    shown(reader, SHELL)
    for _ in range(3):
        child = machine.fork(SHELL)
        machine.read(child, 100)
        machine.goes(child)
    assert shown(reader, SHELL) == (300, 600)


def test_a_grandchild_is_taken_over_through_its_parent_which_ended_too(machine: Machine) -> None:
    """As of a pipe below a script of a shell."""
    reader = ProcessReader(machine.tree)
    script = machine.fork(SHELL)
    child = machine.fork(script)
    machine.read(child, 500)
    machine.read(script, 20)
    assert shown(reader, SHELL) == (0, 0)
    machine.goes(child)
    machine.goes(script)
    assert shown(reader, SHELL) == (0, 0)


def test_what_was_shown_before_its_end_is_known_until_its_parent_waits(machine: Machine) -> None:
    """However long that takes; what it read at last belongs to the interval in which it ended."""
    reader = ProcessReader(machine.tree)
    child = machine.fork(SHELL)
    machine.read(child, 1_000)
    shown(reader, SHELL)
    machine.read(child, 30)
    machine.ends(child)
    for _ in range(4):
        machine.read(SHELL, 1)
        shown(reader, SHELL)
    machine.waits_for(child)
    assert shown(reader, SHELL) == (4, 8)


def test_a_child_that_init_waited_for_is_not_taken_off_its_former_parent(machine: Machine) -> None:
    """The shell waited for nobody, so what it reads it reads itself."""
    reader = ProcessReader(machine.tree)
    child = machine.fork(SHELL)
    machine.read(child, 1_000)
    shown(reader, SHELL)
    machine.parent[child] = INIT
    machine.goes(child)
    machine.read(SHELL, 900)
    assert shown(reader, SHELL) == (900, 1800)
    assert shown(reader, INIT) == (0, 0)


def test_a_child_that_ends_while_the_sample_is_taken_is_taken_off_at_once(machine: Machine) -> None:
    """It was there in the round, and its parent has taken it over when its bytes are read."""
    reader = ProcessReader(machine.tree)
    child = machine.fork(SHELL)
    machine.read(child, 1_000)
    shown(reader, SHELL)
    machine.read(SHELL, 1)
    content, ended = machine.tree.read, set[int]()

    def read(path: str, at_once: int = 65536) -> bytes:
        if path == f"proc/{SHELL}/io" and not ended:
            ended.add(child)
            machine.goes(child)
        return content(path, at_once)

    machine.tree.read = read  # type: ignore[method-assign]  # it ends at this moment
    assert shown(reader, SHELL) == (1, 2)
    assert shown(reader, SHELL) == (1, 2)


def test_bytes_are_not_known_where_those_of_a_child_may_not_be_read(machine: Machine) -> None:
    """As of sudo, started by a user; what the shell does afterwards is known again."""
    reader = ProcessReader(machine.tree)
    child = machine.fork(SHELL)
    machine.tree.errors[f"proc/{child}/io"] = PermissionError(errno.EACCES, "Permission denied")
    machine.read(child, 1_000)
    assert shown(reader, SHELL) == (0, 0)
    machine.goes(child)
    machine.tree.errors.clear()
    assert shown(reader, SHELL) == (TOOK_OVER, TOOK_OVER)
    assert shown(reader, SHELL) == (0, 0)
    machine.read(SHELL, 5)
    assert shown(reader, SHELL) == (5, 10)


def read_bytes(now: Frame, then: Frame | None = None) -> list[int]:
    """Return what the processes of one sample had read then; nothing of those that were not there."""
    frame = then or now
    values = [frame.cell(key, "read_bytes") if key in frame.index else 0 for key in now.keys]
    return [value for value in values if isinstance(value, int)]


@given(st.lists(st.lists(st.tuples(st.sampled_from("rrfe"), st.integers(0, 99)), max_size=12), max_size=8))
def test_every_byte_is_read_once_and_never_less_than_none(intervals: list[list[tuple[str, int]]]) -> None:
    """Whoever forks, reads and ends: all rows together read what was read in the interval."""
    machine = machine_in(DictTree({}))
    reader = ProcessReader(machine.tree)
    _, before, *_ = reader.read()
    for steps in intervals:
        read, orphans = 0, set[int]()
        for step, at in steps:
            numbers = sorted(machine.parent)
            number = numbers[at % len(numbers)]
            if step == "r":
                machine.read(number, at)
                read += at
            elif step == "f":
                machine.fork(number)
            elif number > SHELL and number not in orphans:
                orphans |= {child for child, parent in machine.parent.items() if parent == number}
                machine.goes(number)
        _, now, *_ = reader.read()
        rises = [rise for rise in map(sub, read_bytes(now), read_bytes(now, before)) if rise]
        assert min(rises, default=0) >= 0
        assert sum(rises) == read
        before = now


def test_stat_names_the_parent_and_counts_the_faults_of_children_apart() -> None:
    """By them it is found out who waited for whom."""
    stat = proc_task.parse_stat(b"11 (sh) S 10 1 1 0 -1 4194304 118 40 3 0 7 12 0 0 20 0 1 0 9" + b" 0" * 30)
    assert (stat.parent, stat.faults, stat.child_faults, stat.major_faults) == (10, 118, 40, 3)
