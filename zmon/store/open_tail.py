"""The open tail of a recording, as one who reads sees it: what was added and is in no segment yet.

It is a list of differences, from one sample to the next (`tail`).  They are followed once, in their order,
into runs that grow; what comes behind one that is damaged is unknown until a run begins anew.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from zmon.store.error import Damaged
from zmon.store.rows import checked
from zmon.store.run import TIMES, Run, Step
from zmon.store.tail import Told

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.absent import Value
    from zmon.store.file import File
    from zmon.store.run import Readings
    from zmon.store.sealed import Sealed

LONG: Final = 600
"""Samples of the tail after which it is read anew, as most of it are segments by then."""

MOST: Final = 1 << 24
"""No recording holds more samples: half a year of seconds."""


class Before(Mapping[str, "Sequence[Value]"]):
    """What the columns of an open run held before it: those of a reading, times among them."""

    def __init__(self, readings: Readings, reading: int) -> None:
        """Promise the columns."""
        self._readings, self._reading = readings, reading

    def __getitem__(self, name: str) -> Sequence[Value]:
        return self._readings.column(name, self._reading)

    def __iter__(self) -> Iterator[str]:
        return iter((*self._readings.layout.names, TIMES))

    def __len__(self) -> int:
        return len(self._readings.layout.names) + 1


class Stood(Mapping[str, "Sequence[Value]"]):
    """The columns that an open run began with, by their numbers in the table of stills."""

    def __init__(self, sealed: Sealed, numbers: Mapping[str, int], count: int) -> None:
        """Promise the columns, of `count` rows."""
        self._sealed, self._numbers, self._count = sealed, numbers, count

    def __getitem__(self, name: str) -> Sequence[Value]:
        return self._sealed.still(self._numbers[name], self._count)

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


class OpenTail:
    """The tail of a file, understood as far as it was read."""

    def __init__(self, file: File, sealed: Sealed) -> None:
        """Have read nothing; runs may go on from what is `sealed`."""
        self._file, self._sealed = file, sealed
        self.forget()

    def forget(self) -> None:
        """Forget everything; the next to read begins anew."""
        self.samples: tuple[int, int] | None = None
        """Those that are understood: from, to behind."""
        self.runs: dict[str, list[Run]] = {}
        self.gone: dict[str, list[int]] = {}
        """For each kind the samples from which on there is none."""
        self.broken: list[tuple[int, str]] = []
        """Samples that are damaged.  What follows one is unknown until a run begins anew."""

    def read(self, number: int, count: int) -> None:
        """Have the tail of a recording of `count` samples understood up to one of them, if that lies in it.

        Raises:
            Damaged: it cannot be told where the tail begins.
        """
        with self._file.guard:
            if self.samples is not None and number < self.samples[1]:
                return
            if self.samples is None or self.samples[1] - self.samples[0] > LONG:
                self.forget()
            begin = self.samples[1] if self.samples is not None else -1
            rows = self._rows(begin, count)
            if self.samples is not None and (not rows or rows[0][0] != begin):
                self.forget()  # what lies between are segments meanwhile
                rows = self._rows(-1, count)
            for n, body, crc in rows:
                if self.samples is None:
                    self.samples = (int(n), int(n))
                self.samples = (self.samples[0], int(n) + 1)
                try:
                    self._add(int(n), Told(checked(body, crc, "sample", n)))
                except Damaged as error:
                    self.broken.append((int(n), str(error)))
                except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError) as error:
                    self.broken.append((int(n), f"sample {n} is damaged: {error}"))

    def _rows(self, begin: int, count: int) -> list[tuple[int, object, object]]:
        """Return the rows of the tail from a sample on; an empty one for each that is missing or damaged."""
        question = "SELECT n, body, crc FROM tail WHERE n >= ? AND n < ? ORDER BY n"
        try:
            rows = self._file.ask(question, begin, MOST)
        except Damaged:
            if begin < 0:
                begin = self._sealed.end()
            rows = list(self._file.pieces(question, begin, count))
            if not rows or rows[0][0] != begin:
                rows.insert(0, (begin, None, None))
        whole: list[tuple[int, object, object]] = []
        for row in rows:
            if whole and row[0] != whole[-1][0] + 1:
                whole.append((whole[-1][0] + 1, None, None))  # those behind it are as unknown
            whole.append(row)
        if whole and whole[-1][0] + 1 < count:
            whole.append((whole[-1][0] + 1, None, None))
        return whole

    def _add(self, n: int, told: Told) -> None:
        """Take in one sample."""
        for kind, (how, *what) in told.pieces.items():
            runs = self.runs.setdefault(kind, [])
            if how != "run" and self.lost(runs[-1].samples[runs[-1].carried] if runs else -1, n):
                told.skip(what)  # from what it is different is not known
                continue
            if how == "run":
                whole, ahead = what
                runs.append(self._begun(n, whole, ahead and self._begun(n, ahead)))
                continue
            try:
                run = runs[-1] if runs else self._resumed(kind, n, follows=bool(what[-1]))
            except Damaged:
                told.skip(what)
                continue
            run.add(told.step(n, what, run.layout))
            if not runs:
                runs.append(run)
        for kind in told.gone:
            self.gone.setdefault(kind, []).append(n)

    def _begun(self, n: int, told: Any, ahead: Run | None = None) -> Run:
        """Return a run that begins at a sample."""
        layout, anchor, numbers = told
        found = self._sealed.layout(layout)
        if set(numbers) != {*found.names, TIMES}:
            raise Damaged(f"sample {n} begins with columns that are not there")
        stood = Stood(self._sealed, {str(k): int(v) for k, v in numbers.items()}, len(found.keys))
        run = Run(found, stood, ahead)
        run.add(Step(n, int(anchor), [], {}, {}, ahead is not None))
        return run

    def _resumed(self, kind: str, n: int, *, follows: bool) -> Run:
        """Return the run that goes on behind the segments."""
        segment = self._sealed.latest(kind, n - 1)
        if segment is None:
            raise Damaged(f"nothing lies before sample {n} of {kind}")
        last = len(segment.samples) - 1
        run = Run(segment.layout, Before(segment, last))
        if follows:
            run.carry(segment.samples[last], segment.anchor(last))
        return run

    # what was read

    def find(self, kind: str, number: int) -> tuple[bool, Run | None]:
        """Tell whether the tail says what a kind was at a sample, and return the run that holds it.

        That is None, too, where the kind is not sampled any more.

        Raises:
            Damaged: a sample that would say it is damaged.
        """
        if self.samples is None or number < self.samples[0]:
            return False, None
        runs = self.runs.get(kind, [])
        begins = [run.samples[run.carried] for run in runs]
        at = bisect_right(begins, number) - 1
        begun = begins[at] if at >= 0 else -1
        gone = self.gone.get(kind, [])
        last = gone[bisect_right(gone, number) - 1] if gone and gone[0] <= number else -1
        self.see_whole(max(begun, last), number)
        return (True, runs[at]) if begun > last else (last >= 0, None)

    def see_whole(self, begun: int, number: int) -> None:
        """See that what began at one sample is known up to another.

        Raises:
            Damaged: a sample between is damaged.
        """
        lost = self.lost(begun, number)
        if lost is not None:
            raise lost

    def lost(self, begun: int, number: int) -> Damaged | None:
        """Return what is damaged between two samples, if anything."""
        return next((Damaged(words) for n, words in self.broken if begun < n <= number), None)
