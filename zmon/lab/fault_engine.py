"""The engine with parts that fail, and with logical volumes.

A path answers slowly, a write waits until it is on a remote box too, the requests of a volume never end.  A
request to a logical volume becomes one to each disk that has a part of it, and may have to wait above them.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from zmon.lab.engine import Engine
from zmon.lab.engine_state import Customer, LogicalRequest, LogicalState

if TYPE_CHECKING:
    from zmon.lab.engine_state import Request, SubchannelState
    from zmon.lab.model import DiskIo, StorageBox


def has_faults(box: StorageBox) -> bool:
    """Return whether a box needs this engine."""
    return (
        any(group.slow for group in box.paths)
        or any(lcu.mirror for lcu in box.lcus)
        or any(volume.hung for volume in box.volumes)
        or bool(box.logical)
    )


class FaultEngine(Engine):
    """A box under load, of which parts fail."""

    def _place(self) -> None:
        super()._place()
        self.logical = [LogicalState(volume) for volume in self.box.logical]
        self._starts = count()
        """Of requests over paths of which some are slow."""

    def _go_on(self, customer: Customer) -> None:
        if customer.above is None:
            super()._go_on(customer)
        else:
            self._mapped(customer.above)

    def _ask_all(self, customer: Customer, step: DiskIo) -> None:
        """Ask for the pieces of a step, each with one request to a logical volume where it lies on one."""
        if step.logical < 0:
            super()._ask_all(customer, step)
            return
        customer.tag, customer.asked = step.name, step.pieces
        logical, reads = self.logical[step.logical], step.aim.reads
        if logical.volume.suspended:
            return  # the device mapper puts requests aside before it counts them
        for _ in range(step.pieces):
            read = reads >= 1.0 or self.dice.unit() < reads
            request = LogicalRequest(customer, step, self.now, read, step.aim.size * step.split)
            logical.tick(self.now)
            logical.active += 1
            if customer.unit:
                self._count_unit(customer.unit, -1 - step.logical, request.size, read=read)
            if logical.volume.depth and logical.inside >= logical.volume.depth:
                logical.queue.append(request)
            else:
                self._map(logical, request)

    def _map(self, logical: LogicalState, request: LogicalRequest) -> None:
        """Ask the disks for the parts of a request."""
        logical.inside += 1
        step, volumes = request.step, logical.volume.volumes
        parts = Customer((), once=True, unit=request.customer.unit)
        parts.above, parts.asked = request, step.split
        first, aim = self.dice.below(len(volumes)), step.aim._replace(reads=float(request.read))
        for part in range(step.split):
            self._ask(parts, aim, 0.0, volumes[(first + part) % len(volumes)])

    def _mapped(self, request: LogicalRequest) -> None:
        """Count a request whose parts have all ended, and let the next one and the customer go on."""
        logical, customer = self.logical[request.step.logical], request.customer
        logical.answer(request, self.now)
        logical.inside -= 1
        if logical.queue:
            self._map(logical, logical.queue.popleft())
        if customer.tag:
            self._note(customer.tag, self.now - request.started)
        customer.asked -= 1
        if not customer.asked:
            self._go_on(customer)

    def _ready(self, request: Request) -> None:
        """Take a path, or first wait for a remote box, or for the answer of a slow path."""
        disk = request.disk
        if self.box.volumes[disk.number].hung:
            return
        lcu, group = disk.lcu.lcu, disk.lcu.paths.group
        if lcu.mirror and not request.read:
            request.ready += lcu.mirror
        wait = request.ready
        if group.slow:
            # of a channel subsystem each path takes its turn to start a request
            path = request.path if disk.routes else group.usable[next(self._starts) % len(group.usable)]
            wait += lcu.latency * (group.slow[path] - 1)
        if wait > self.now:
            self._at(wait, super()._ready, request)
        else:
            super()._ready(request)

    def _spend_on(self, device: SubchannelState, request: Request) -> None:
        """Count how a request spends its time; of one that never ends, a channel measures nothing."""
        if not self.box.volumes[request.disk.number].hung:
            super()._spend_on(device, request)
