"""A fleet whose systems are recordings that were copied together."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from zmon.fleet.fleet_tables import RECORDED, Sight
from zmon.fleet.member import SystemRecording, found_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zmon.base.event import ExceptionEntry
    from zmon.fleet.member import Member

NO_RECORDINGS = "there is no recording in it; it needs a directory of day files or NAME.zmon for each system"

MAX_OPEN: Final = 256
"""Files of recordings that are kept open; a process may often have no more than 1,024."""


class FleetError(ValueError):
    """A fleet that cannot be read; says why."""


class FleetSource(Protocol):
    """Where the figures of a fleet come from."""

    name: str
    systems: Mapping[str, str]
    """The recordings of the systems, by name; empty for one that is not at hand."""
    sight: Sight
    """Which systems these are."""

    def span(self) -> tuple[int, int]:
        """Return the times between which there are figures, UTC in ns."""

    def members(self, begin: int, end: int) -> list[Member]:
        """Return the systems with their figures of a time, UTC in ns."""

    def exceptions(self) -> Iterator[tuple[str, ExceptionEntry, bool]]:
        """Yield all exceptions with their systems, and whether these have measured channel paths."""

    def close(self) -> None:
        """Give back what is held."""


@runtime_checkable
class LiveFleetSource(FleetSource, Protocol):
    """A source that has newer figures from time to time."""

    @property
    def seconds(self) -> float:
        """How often."""

    def move_on(self, end: int) -> None:
        """Look for the systems that report at a time, UTC in ns, which the span ends with from then on.

        Raises:
            FleetError: there is no answer, or no system; then nothing has changed.
        """


class RecordedFleet:
    """The recordings of a directory; each is opened once, unless they have too many files."""

    def __init__(self, directory: str) -> None:
        """Look for recordings.

        Raises:
            FleetError: there is none, or none that can be read.
        """
        self.name, self.sight = directory, RECORDED
        try:
            self.systems: Mapping[str, str] = found_in(directory)
        except OSError as error:
            raise FleetError(f"{directory}: {error.strerror}") from error
        if not self.systems:
            raise FleetError(f"{directory}: {NO_RECORDINGS}")
        self._recordings = [SystemRecording(name, path) for name, path in self.systems.items()]
        self._open = 0
        """Files that are kept open."""
        spans = [*self._spans()]
        if not spans:
            raise FleetError(
                f"none of the recordings can be read: {self._recordings[0].member(0, 0).problem}"
            )
        self._span = min(span[0] for span in spans), max(other[1] for other in spans)

    def _spans(self) -> Iterator[tuple[int, int]]:
        for recording in self._each():
            with suppress(Exception):  # whatever it is, its member says it
                yield recording.span()

    def _each(self) -> Iterator[SystemRecording]:
        """Yield the recordings; each is closed again when it would make too many open files."""
        for recording in self._recordings:
            before = recording.files
            yield recording
            more = recording.files - before
            if self._open + more > MAX_OPEN:
                recording.close()
                more = -before
            self._open += more

    def span(self) -> tuple[int, int]:
        """Return the times of the first and the last sample of all."""
        return self._span

    def members(self, begin: int, end: int) -> list[Member]:
        """Read all recordings for a time."""
        return [recording.member(begin, end) for recording in self._each()]

    def exceptions(self) -> Iterator[tuple[str, ExceptionEntry, bool]]:
        """Yield what the recordings store."""
        for recording in self._each():
            entries, is_measured = recording.exceptions()
            for entry in entries:
                yield recording.name, entry, is_measured

    def close(self) -> None:
        """Close the recordings."""
        for recording in self._recordings:
            recording.close()
