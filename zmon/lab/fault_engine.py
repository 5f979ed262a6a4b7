"""The engine with parts that fail.

A path answers slowly, a write waits until it is on a remote box too, the requests of a volume never end.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from zmon.lab.engine import Engine

if TYPE_CHECKING:
    from zmon.lab.engine_state import Request, SubchannelState
    from zmon.lab.model import StorageBox


def has_faults(box: StorageBox) -> bool:
    """Return whether a box needs this engine."""
    return (
        any(group.slow for group in box.paths)
        or any(lcu.mirror for lcu in box.lcus)
        or any(volume.hung for volume in box.volumes)
    )


class FaultEngine(Engine):
    """A box under load, of which parts fail."""

    def _place(self) -> None:
        super()._place()
        self._starts = count()
        """Of requests over paths of which some are slow."""

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
