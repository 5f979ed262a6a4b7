"""Live buffers: they keep the samples of a live session so that one can go back to before the trouble began.

Samples are kept where the user says (`--record FILE`); else, when a recorder runs on this machine, it keeps
them; else they stay in memory for a while.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from zmon.base.clock import MINUTE
from zmon.session.recording import RecordingSection, sections_of
from zmon.store.file_format import RecordingError
from zmon.store.open import MEMORY
from zmon.store.reader import Recording
from zmon.store.writer import Writer
from zmon.trends.rollup import recording_with_trends

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.sample import Sample
    from zmon.session.timeline import Section

CHAPTER: Final = 30 * MINUTE
"""ns that one recording in memory holds."""

CHAPTERS: Final = 4
"""Recordings in memory: with the one that is begun, an hour and a half at the least."""


class LiveBuffer(Protocol):
    """Keeps live samples."""

    lasting: bool
    """Whether what is kept outlasts the session."""

    def append(self, sample: Sample) -> None:
        """Keep a sample.

        Raises:
            RecordingError: it cannot be kept; the next one may.
        """

    def note(self, utc: int, text: str) -> None:
        """Keep a note on a time.

        Raises:
            RecordingError: it cannot be kept.
        """

    def sections(self) -> Sequence[Section]:
        """Return what is kept by now.

        Raises:
            RecordingError: it cannot be read.
        """

    def close(self) -> None:
        """Keep no more."""


class MemoryBuffer:
    """Keeps the last samples in memory."""

    lasting = False

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._writers: list[Writer] = []
        self._sections: list[RecordingSection] = []
        self._chapters = 0
        self._until = 0

    def append(self, sample: Sample) -> None:
        """Keep a sample, and forget the oldest ones."""
        if not self._writers or sample.at.steady >= self._until:
            self._until = sample.at.steady + CHAPTER
            for ended in self._sections[-1:]:
                ended.refresh()  # a timeline looks for more samples in the newest sections only
            writer = Writer(MEMORY, durable=False)
            self._writers.append(writer)
            self._chapters += 1
            recording = Recording(MEMORY, shared=writer.shared)
            self._sections = [*self._sections, RecordingSection(MEMORY, recording, self._chapters)]
            if len(self._writers) > CHAPTERS:
                self._sections = self._sections[1:]
                self._writers.pop(0).close()
        self._writers[-1].append(sample)

    def note(self, utc: int, text: str) -> None:
        """Keep a note as long as the samples of now."""
        if not self._writers:
            raise RecordingError("there is no sample yet that a note could be of")
        self._writers[-1].note(utc, text)

    def sections(self) -> Sequence[Section]:
        """Return what is kept."""
        return self._sections

    def close(self) -> None:
        """Forget everything."""
        for writer in self._writers:
            writer.close()
        self._writers, self._sections = [], []


class FileBuffer:
    """Keeps samples in a file."""

    lasting = True

    def __init__(self, path: str) -> None:
        """Write to the file, which may exist.

        Raises:
            RecordingError: it cannot be written.
        """
        self._path = path
        self._writer = recording_with_trends(path)
        self._sections: Sequence[Section] = ()

    def append(self, sample: Sample) -> None:
        """Keep a sample."""
        self._writer.append(sample)

    def note(self, utc: int, text: str) -> None:
        """Keep a note."""
        self._writer.note(utc, text)

    def sections(self) -> Sequence[Section]:
        """Return what is in the file."""
        self._sections = self._sections or sections_of(self._path)()
        return self._sections

    def close(self) -> None:
        """Close the file."""
        for (
            section
        ) in self._sections:  # before the writer, who as the last one leaves nothing beside the file
            section.close()
        self._writer.close()


class RecorderBuffer:
    """Leaves it to a recorder that runs already: its last hours are there before one begins to look."""

    lasting = True

    def __init__(self, directory: str) -> None:
        """Read what a recorder writes to a directory."""
        self._directory = directory
        self._list: Callable[[], Sequence[Section]] | None = None

    def append(self, sample: Sample) -> None:
        """Do nothing."""

    def note(self, _utc: int, _text: str) -> None:
        """Refuse: only the recorder writes to its file."""
        raise RecordingError(
            f"{self._directory}: only the recorder writes there; zmon --record FILE keeps notes beside it"
        )

    def sections(self) -> Sequence[Section]:
        """Return what the recorder wrote."""
        self._list = self._list or sections_of(self._directory)
        return self._list()

    def close(self) -> None:
        """Close what was read; the recorder goes on."""
        for section in self._list() if self._list is not None else ():
            section.close()
