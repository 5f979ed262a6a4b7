"""The engine with what happens to a Linux itself: swapping, paging by z/VM, steal, tasks that wait.

Below z/VM a virtual processor needs one of the processors of the LPAR, which other guests use too.  It gets
one for a time slice, then goes behind those that wait.  While it waits, time is stolen from Linux, and Linux
does not take the interrupt of a request that has ended.  Time is also stolen while CP reads a page of the
guest.  A step that touches pages finds some of them swapped out, or paged out by CP, in proportion to the
memory that is missing.  A page that is read takes the place of another one, which is written.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.lab.dice import BITS, EXPONENTIAL
from zmon.lab.engine_state import COUNTED, Customer, GuestCounts
from zmon.lab.fault_engine import FaultEngine
from zmon.lab.model import Aim, Touch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.lab.dice import Dice
    from zmon.lab.engine_state import Request, SubchannelState
    from zmon.lab.model import Load, LoadStep, Scenario

SLICE: Final = 5_000.0
"""Microseconds for which a virtual processor runs before others get their turn."""
PAGE: Final = 4096
SWAP_IN: Final = "swap in"
"""Under which the time of reading a page is counted."""


class Task(NamedTuple):
    """What wants a processor."""

    customer: Customer
    time: float
    paging: bool = False
    """Whether CP reads pages for it, which needs a virtual processor and no real one."""


class GuestEngine(FaultEngine):
    """A box under load, with a Linux whose processors and memory are limited from below."""

    def __init__(self, plan: Scenario, loads: Sequence[Load], dice: Dice) -> None:
        """Start at time 0 with all customers at their first step."""
        memory, below = plan.memory, plan.zvm
        self._real = plan.box.cpus if below is None else below.cpus
        """Processors of the LPAR."""
        self._page_time = 0.0 if below is None else below.page
        self._paged_out = 0.0 if below is None else 1.0 - below.resident
        self._swapped_out = 0.0 if memory is None else max(0.0, 1.0 - memory.real / memory.used)
        self._swap = None if memory is None else Aim((memory.swap,), (1.0,), PAGE, 1.0, memory.hits)
        self._held = self._running = self._mine = self._paging = 0
        """Virtual processors in use; real ones; those of them used for this Linux; pages that CP reads."""
        self._swapping = 0
        """Tasks that wait for a page."""
        self._tasks: deque[Task] = deque()
        """Wait for a virtual processor."""
        self._ready_to_run: deque[Task] = deque()
        """Wait for a real one."""
        self._interrupts: list[Request] = []
        """Requests that have ended, while no processor of this Linux runs to take the interrupt."""
        self._told = 0.0
        self._sums = [0.0] * len(GuestCounts._fields)
        super().__init__(plan.box, loads, dice)

    def _clear(self) -> None:
        super()._clear()
        self._sums = [0.0] * len(GuestCounts._fields)

    def _settle(self) -> None:
        super()._settle()
        self._tell()

    def guest(self) -> GuestCounts:
        """Return what happened since the last interval."""
        times = GuestCounts(*self._sums)  # type: ignore[arg-type]  # microseconds
        spent = {name: int(value * 1000) for name, value in times._asdict().items() if name.endswith("_ns")}
        pages = {name: int(value) for name, value in times._asdict().items() if name.startswith("swapped")}
        running = self._held + len(self._tasks)
        return GuestCounts(**spent, **pages, running=running, blocked=self._waiting)

    def _tell(self) -> None:
        """Count the time since something changed last."""
        since = self.now - self._told
        if not since:
            return
        self._told = self.now
        sums = self._sums
        self.computing += since * self._mine
        sums[0] += since * (self._held - self._mine)
        sums[1] += since * self._paging
        sums[2] += since * min(self.box.cpus - self._held, self._waiting)
        idle = not self._held
        sums[5] += since * bool(self._tasks)
        sums[6] += since * bool(self._waiting)
        sums[7] += since * (idle and self._waiting > 0)
        sums[8] += since * bool(self._swapping)
        sums[9] += since * (idle and self._swapping > 0)

    def _spend(self) -> None:
        """Count nothing here: `_tell` does."""

    # processors

    def _compute(self, customer: Customer, time: float) -> None:
        self._tell()
        if customer.outside:
            self._ready_to_run.append(Task(customer, time))
            self._dispatch()
        else:
            self._want(Task(customer, time))

    def _want(self, task: Task) -> None:
        """Take a virtual processor, or wait for one."""
        if self._held < self.box.cpus:
            self._held += 1
            self._hold(task)
        else:
            self._tasks.append(task)

    def _hold(self, task: Task) -> None:
        """Use a virtual processor."""
        if task.paging:
            self._paging += 1
            self._at(self.now + task.time, self._paged, task)
        else:
            self._ready_to_run.append(task)
            self._dispatch()

    def _dispatch(self) -> None:
        """Give real processors to who waits."""
        while self._ready_to_run and self._running < self._real:
            task = self._ready_to_run.popleft()
            self._running += 1
            self._mine += not task.customer.outside
            if self._interrupts and self._mine:
                for request in self._interrupts:
                    self._at(self.now, super()._answered, request)
                self._interrupts.clear()
            slice_ = min(task.time, SLICE)
            self._at(self.now + slice_, self._sliced, task._replace(time=task.time - slice_))

    def _sliced(self, task: Task) -> None:
        self._tell()
        self._running -= 1
        self._mine -= not task.customer.outside
        if task.time > 0:
            self._ready_to_run.append(task)
            self._dispatch()
            return
        self._let_go(task)

    def _paged(self, task: Task) -> None:
        self._tell()
        self._paging -= 1
        self._let_go(task)

    def _let_go(self, task: Task) -> None:
        """Give the virtual processor to the next task, and let this one's customer go on."""
        if not task.customer.outside:
            if self._tasks:
                self._hold(self._tasks.popleft())
            else:
                self._held -= 1
        self._dispatch()
        self._go_on(task.customer)

    def _answered(self, request: Request) -> None:
        """Let Linux take the answer, when a virtual processor of it runs; channel measurement ends before."""
        if self._mine or self._running < self._real:
            super()._answered(request)
            return
        device = self.devices[request.device]
        self._spend_on(device, request)
        request.spent = COUNTED
        self._interrupts.append(request)
        if not self._held:
            self._tell()
            self._want(Task(Customer((), once=True), 0.0))

    def _spend_on(self, device: SubchannelState, request: Request) -> None:
        if request.spent is not COUNTED:
            super()._spend_on(device, request)

    # memory

    def _stall(self, customer: Customer) -> None:
        if not customer.outside:
            self._tell()
            super()._stall(customer)
            self._swapping += customer.tag == SWAP_IN

    def _wake(self, customer: Customer) -> None:
        self._tell()
        super()._wake(customer)
        self._swapping -= customer.tag == SWAP_IN

    def _other(self, customer: Customer, step: LoadStep) -> bool:
        """Touch pages: wait for those that CP paged out, then for each that is swapped out."""
        if not isinstance(step, Touch):
            return super()._other(customer, step)
        unit = self.dice.unit
        if customer.faults < 0:
            customer.faults = int(step.pages * self._swapped_out + unit())
            paged = int(step.pages * self._paged_out + unit()) if self._paged_out else 0
            if paged:
                customer.at -= 1
                time = sum(self._page_time * EXPONENTIAL[self.dice.bits(BITS)] for _ in range(paged))
                self._tell()
                self._want(Task(customer, time, paging=True))
                return True
        if customer.faults and self._swap is not None:
            customer.faults -= 1
            customer.at -= 1
            self._swap_one(customer, self._swap)
            return True
        customer.faults = -1
        return False

    def _swap_one(self, customer: Customer, swap: Aim) -> None:
        """Write a page to the swap device, which nobody waits for, and read one in its place."""
        self._sums[3] += 1
        self._sums[4] += 1
        writer = Customer((), once=True, outside=True)
        writer.asked = 1
        self._ask(writer, swap._replace(reads=0.0), 0.0)
        customer.asked, customer.tag = 1, SWAP_IN
        self._ask(customer, swap, 0.0)
        self._stall(customer)
