"""What becomes of live samples: they are kept, so that one can go back to before the trouble began.

Kept where the user says (`--record FILE`); else, when a recorder runs on this machine, it keeps them; else
they stay in memory for a while.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from zmon.session.recording import Part, RecordingTape, of_directory, of_file
from zmon.store.error import RecordingError
from zmon.store.reader import Recording
from zmon.store.writer import MEMORY, Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.sample import Sample
    from zmon.session.tape import Tape

CHAPTER: Final = 1_800 * 10**9
"""ns that one recording in memory holds."""

CHAPTERS: Final = 4
"""Recordings in memory: with the one that is begun, an hour and a half at the least."""


class Keep(Protocol):
    """Who keeps live samples."""

    def append(self, sample: Sample) -> None:
        """Keep a sample.

        Raises:
            RecordingError: it cannot be kept; the next one may.
        """

    def note(self, utc: int, text: str) -> None:
        """Keep what a person has to say of a time.

        Raises:
            RecordingError: it cannot be kept.
        """

    def tape(self) -> Tape:
        """Return what is kept, as a tape that grows.

        Raises:
            RecordingError: it cannot be read.
        """

    def close(self) -> None:
        """Keep no more."""


class Memory:
    """Keeps what was sampled lately."""

    def __init__(self, name: str) -> None:
        """Keep nothing yet; `name` is what the samples are of."""
        self._name = name
        self._writers: list[Writer] = []
        self._parts: list[Part] = []
        self._until = 0

    def append(self, sample: Sample) -> None:
        """Keep a sample, and forget the oldest ones."""
        if not self._writers or sample.at.steady >= self._until:
            self._until = sample.at.steady + CHAPTER
            for ended in self._parts[-1:]:
                ended.refresh()  # tapes look for more samples in the newest parts only
            writer = Writer(MEMORY, durable=False, rollups=False)
            self._writers.append(writer)
            self._parts = [*self._parts, Part(MEMORY, Recording(MEMORY, shared=writer.shared))]
            if len(self._writers) > CHAPTERS:
                self._parts = self._parts[1:]
                self._writers.pop(0).close()
        self._writers[-1].append(sample)

    def note(self, utc: int, text: str) -> None:
        """Keep a note as long as the samples of now."""
        if not self._writers:
            raise RecordingError("there is no sample yet that a note could be of")
        self._writers[-1].note(utc, text)

    def tape(self) -> Tape:
        """Return what is kept."""
        return RecordingTape(self._name, lambda: self._parts)

    def close(self) -> None:
        """Forget everything."""
        for writer in self._writers:
            writer.close()
        self._writers, self._parts = [], []


class File:
    """Keeps samples in a file."""

    def __init__(self, path: str) -> None:
        """Write to the file, which may exist.

        Raises:
            RecordingError: it cannot be written.
        """
        self._path = path
        self._writer = Writer(path)
        self._parts: Sequence[Part] = ()

    def append(self, sample: Sample) -> None:
        """Keep a sample."""
        self._writer.append(sample)

    def note(self, utc: int, text: str) -> None:
        """Keep a note."""
        self._writer.note(utc, text)

    def tape(self) -> Tape:
        """Return what is in the file; all its tapes read it together."""
        self._parts = self._parts or of_file(self._path)()
        return RecordingTape(self._path, lambda: self._parts)

    def close(self) -> None:
        """Close the file."""
        for part in self._parts:  # before the writer, who as the last one leaves nothing beside the file
            part.close()
        self._writer.close()


class Recorder:
    """Leaves it to a recorder that runs already: its last hours are there before one begins to look."""

    def __init__(self, directory: str) -> None:
        """Look at what a recorder writes to a directory."""
        self._directory = directory
        self._parts: Callable[[], Sequence[Part]] | None = None

    def append(self, sample: Sample) -> None:
        """Do nothing."""

    def note(self, utc: int, text: str) -> None:  # noqa: ARG002 - refused
        """Refuse: only the recorder writes to its file."""
        raise RecordingError(
            f"{self._directory}: only the recorder writes there; zmon --record FILE keeps notes beside it"
        )

    def tape(self) -> Tape:
        """Return what the recorder wrote; all its tapes read it together."""
        self._parts = self._parts or of_directory(self._directory)
        return RecordingTape(self._directory, self._parts)

    def close(self) -> None:
        """Close what was read; the recorder goes on."""
        for part in self._parts() if self._parts is not None else ():
            part.close()
