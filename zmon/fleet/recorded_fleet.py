"""A fleet whose systems are recordings that were copied together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from zmon.fleet.fleet_tables import UNSEEN
from zmon.fleet.member import exceptions_of, found_in, read_member, span_of
from zmon.store.file_format import RecordingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zmon.event import ExceptionEntry
    from zmon.fleet.member import Member

NO_RECORDINGS = "there is no recording in it; it needs a directory of day files or NAME.zmon for each system"


class FleetError(ValueError):
    """A fleet that cannot be read; says why."""


class FleetSource(Protocol):
    """Where the figures of a fleet come from."""

    name: str
    systems: Mapping[str, str]
    """The recordings of the systems, by name; empty for one that is not at hand."""
    unseen: str
    """The systems that are not among them."""

    def span(self) -> tuple[int, int]:
        """Return the times between which there are figures, UTC in ns."""

    def members(self, begin: int, end: int) -> list[Member]:
        """Return the systems with their figures of a time, UTC in ns."""

    def exceptions(self) -> Iterator[tuple[str, ExceptionEntry, bool]]:
        """Yield all exceptions with their systems, and whether these have measured channel paths."""


class RecordedFleet:
    """The recordings of a directory; each is opened to read it and closed again."""

    def __init__(self, directory: str) -> None:
        """Look for recordings.

        Raises:
            FleetError: there is none, or none that can be read.
        """
        self.name, self.unseen = directory, UNSEEN
        try:
            self.systems: Mapping[str, str] = found_in(directory)
        except OSError as error:
            raise FleetError(f"{directory}: {error.strerror}") from error
        if not self.systems:
            raise FleetError(f"{directory}: {NO_RECORDINGS}")
        spans = [span for _, span in self._spans()]
        if not spans:
            name, path = next(iter(self.systems.items()))
            problem = read_member(name, path, 0, 0).problem
            raise FleetError(f"none of the recordings can be read: {problem}")
        self._span = min(one[0] for one in spans), max(one[1] for one in spans)

    def _spans(self) -> Iterator[tuple[str, tuple[int, int]]]:
        for name, path in self.systems.items():
            try:
                yield name, span_of(path)
            except (RecordingError, OSError):
                continue  # `read_member` says why

    def span(self) -> tuple[int, int]:
        """Return the times of the first and the last sample of all."""
        return self._span

    def members(self, begin: int, end: int) -> list[Member]:
        """Read all recordings for a time."""
        return [read_member(name, path, begin, end) for name, path in self.systems.items()]

    def exceptions(self) -> Iterator[tuple[str, ExceptionEntry, bool]]:
        """Yield what the recordings store."""
        for name, path in self.systems.items():
            entries, is_measured = exceptions_of(path)
            for entry in entries:
                yield name, entry, is_measured
