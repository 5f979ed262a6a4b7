"""What things did in the intervals up to the present one, for curves beside the figures of their rows.

The figures are those of the loads that OVERVIEW looks back on and remembers; a curve is made when its row is
drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.diagnosis.recent import recent_loads
from zmon.kinds import DEVICE
from zmon.machine.devices import SCSI_HOME
from zmon.machine.figure import TimedValue
from zmon.machine.observation import mean_of, utilisation
from zmon.machine.topology import units_of
from zmon.machine.view import GAP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.base.absent import Number
    from zmon.diagnosis.resources import RecentLoad
    from zmon.machine.observation import ObservedLoad
    from zmon.machine.view import View

    Reader = Callable[[ObservedLoad, str], Number]
    """Returns the figure of the thing with a key."""

MOST: Final = 16
"""Intervals of a curve."""
MAX_DEVICES: Final = 1000
"""Devices of which loads are observed for a curve; with more it would take longer than the screen."""
GONE: Final = absent("it was not there")


class RecentCurves(Mapping[str, tuple[TimedValue, ...]]):
    """The curves of a table, by the name of a column, a blank and the key of a row."""

    def __init__(self, recent: Sequence[RecentLoad], readers: Mapping[str, Reader]) -> None:
        """Read nothing yet."""
        self._recent, self._readers = recent, readers

    def __getitem__(self, name: str) -> tuple[TimedValue, ...]:
        column, _, key = name.partition(" ")
        read = self._readers[column]
        values = (GAP if recent.gap else read(recent.load, key) for recent in self._recent)
        return tuple(
            TimedValue(recent.begin, recent.end, value, value, value)
            for recent, value in zip(self._recent, values, strict=True)
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)


def curves(name: str, view: View) -> Mapping[str, tuple[TimedValue, ...]]:
    """Return the curves of a table; none of a table without any, before the second sample or of a fleet."""
    if name not in CURVED or len(view.interval.of(DEVICE)) > MAX_DEVICES:
        return {}
    recent = recent_loads(view, MOST)
    return RecentCurves(recent, CURVED[name](view)) if recent else {}


def _of_devices(_view: View) -> dict[str, Reader]:
    def response(load: ObservedLoad, key: str) -> Number:
        volume = load.volume(key)
        return GONE if volume is None else 1e3 * volume.response

    return {"resp": response}


def _of_units(view: View) -> dict[str, Reader]:
    units = units_of(view).lcus

    def response(load: ObservedLoad, key: str) -> Number:
        members = units[key].members if key in units else ()
        of_scsi = {
            volume.key: volume for volume in load.volumes_of(SCSI_HOME)
        }  # its disks that are used are among all
        volumes = (*load.volumes_of(key), *(of_scsi[volume] for volume in members if volume in of_scsi))
        return 1e3 * mean_of(volumes, "response")

    return {"resp": response}


def _of_paths(_view: View) -> dict[str, Reader]:
    return {"cur": lambda load, key: 100.0 * utilisation(load.paths.get(key.rpartition(".")[2], GONE))}


CURVED: Final[Mapping[str, Callable[[View], Mapping[str, Reader]]]] = {
    "channel": _of_paths,
    "control_unit": _of_units,
    "device": _of_devices,
}
"""The tables that have curves."""
