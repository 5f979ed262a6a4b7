"""The samples of a recording by their times.

SQLite's index of times has no checksums, so what it says is compared with the rows of the samples; if it is
damaged, all rows are read instead.
"""

from __future__ import annotations

from zmon.base.light_typing import TYPE_CHECKING
from zmon.store.file_format import Damaged, is_sample
from zmon.store.journal import MAX_SAMPLES

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.store.open import RecordingFile


class SampleTimes:
    """The rows of the samples of one file: their numbers, clocks and sessions."""

    def __init__(self, file: RecordingFile, damaged: Callable[[str], None]) -> None:
        """Read nothing yet; `damaged` is told what is damaged where no caller is."""
        self._file, self._damaged = file, damaged
        self.path, self.ask, self.pieces = file.path, file.ask, file.pieces
        self.count = 0
        """The number of samples, as of the last `refresh`."""
        self.forget()

    def forget(self) -> None:
        """Forget the times, as the file is another."""
        self._scan: tuple[int, list[tuple[int, int]]] = (-1, [])
        """The number of samples, and what `_all_times` returned then."""

    def refresh(self, made: Callable[[], bool]) -> bool:
        """Look for samples that were added, if the tables are `made`; return whether there are any."""
        try:
            row = self.ask("SELECT max(n) FROM sample") if made() else [(None,)]
            last = -1 if row[0][0] is None else int(row[0][0])
        except Damaged as error:  # then it does not grow any more
            last = self.count - 1 if self.count else self._last_found()
            self._damaged(str(error))
        if last >= MAX_SAMPLES:
            raise Damaged(f"sample {last:,} is beyond what a recording holds", self.path)
        more, self.count = last >= self.count, max(last + 1, self.count)
        return more

    def _last_found(self) -> int:
        """Return the number of the last sample of which anything is left, if the table of them is damaged."""
        numbers = [self.count - 1]
        for question in ("SELECT first FROM segment WHERE first >= ? AND first < ?",
                         "SELECT n FROM tail WHERE n >= ? AND n < ?",
                         "SELECT n FROM sample WHERE n >= ? AND n < ?"):  # fmt: skip
            numbers += [int(n) for (n,) in self.pieces(question, 0, MAX_SAMPLES)]
        if max(numbers) < 0:
            raise Damaged("no sample in it can be read", self.path)
        return max(numbers)

    def span(self) -> tuple[int, int] | None:
        """Return the earliest and the latest time of its samples, in ns since 1970."""
        if not self.count:
            return None
        try:
            return self._end("utc, n"), self._end("utc DESC, n DESC")
        except Damaged as error:
            self._damaged(str(error))
            times = [utc for _, utc in self._all_times()]
            return (min(times), max(times)) if times else None

    def _end(self, order: str) -> int:
        """Return the time of the first sample in an order of times; raises `Damaged` if it is not known."""
        rows = self.ask(f"SELECT n, utc FROM sample ORDER BY {order} LIMIT 1")  # noqa: S608 - ours
        if not rows or type(rows[0][1]) is not int or self.row(rows[0][0])[0] != rows[0][1]:
            raise Damaged("the index of times is damaged", self.path)
        return rows[0][1]

    def row(self, number: int) -> tuple[int, int, int]:
        """Return the time of a sample, its steady clock and its session; raises `Damaged`."""
        rows = self.ask(f"SELECT utc, steady, session, {self._file.crc} FROM sample WHERE n = ?", number)  # noqa: S608 - ours
        if not rows:
            raise Damaged(f"sample {number} is missing", self.path)
        if not self._is_whole(number, *rows[0]):
            raise Damaged(f"the time of sample {number} is damaged", self.path)
        utc, steady, session, _crc = rows[0]
        return utc, steady, session

    def _is_whole(self, number: int, utc: object, steady: object, session: object, expected: object) -> bool:
        """Return whether the row of a sample is as it was written."""
        if self._file.checks:
            return is_sample(number, utc, steady, session, expected)
        return type(utc) is int and type(steady) is int

    def _all_times(self) -> list[tuple[int, int]]:
        """Return the numbers and times of all samples whose rows are whole; for files that are damaged."""
        if self._scan[0] != self.count:
            question = f"SELECT n, utc, steady, session, {self._file.crc} FROM sample NOT INDEXED"  # noqa: S608 - ours
            rows = self.pieces(f"{question} WHERE n >= ? AND n < ?", 0, self.count)
            self._scan = (self.count, [(row[0], row[1]) for row in rows if self._is_whole(*row)])
            self._miss(self.count - len(self._scan[1]))
        return self._scan[1]

    def _miss(self, many: int) -> None:
        """Tell that so many samples have no time that can be relied on."""
        if many:
            self._damaged(f"the time of {f'{many:,} samples' if many > 1 else 'a sample'} is damaged")

    def place(self, utc: int) -> int:
        """Return the number of the last sample at a time or before it, else that of the first."""
        try:
            rows = self.ask(
                "SELECT n FROM sample WHERE utc <= ? ORDER BY utc DESC, n DESC LIMIT 1", sql_integer(utc)
            )
            if rows and self._file.checks and not self._is_last(rows[0][0], utc):
                raise Damaged("the index of times is damaged", self.path)  # noqa: TRY301 - one way out
        except Damaged as error:
            self._damaged(str(error))
            rows = [(max(((when, n) for n, when in self._all_times() if when <= utc), default=(0, 0))[1],)]
        return max(0, min(int(rows[0][0]), self.count - 1)) if rows else 0

    def _is_last(self, number: int, utc: int) -> bool:
        """Return whether a sample is at a time or before, and the next one not between them."""
        own = self.row(number)[0]
        behind = self._utc(number + 1) if number + 1 < self.count else None
        return own <= utc and (behind is None or not own < behind <= utc)

    def times(self, begin: int, end: int) -> list[int]:
        """Return the times of the samples from `begin` to `end`, both included, in their order."""
        question = (
            f"SELECT n, utc, steady, session, {self._file.crc} FROM sample"  # noqa: S608 - ours
            " WHERE utc BETWEEN ? AND ? ORDER BY utc"
        )
        try:
            rows = self.ask(question, sql_integer(begin), sql_integer(end))
        except Damaged as error:
            self._damaged(str(error))
            return sorted(utc for _, utc in self._all_times() if begin <= utc <= end)
        times = [row[1] for row in rows if self._is_whole(*row)]
        self._miss(len(rows) - len(times))
        return times

    def numbers(self, begin: int, end: int) -> range:
        """Return the numbers from the first sample of a range of time to the last one.

        If the clock was set back there are samples of other times between them; samples whose time is damaged
        are in the range if those beside them are.
        """
        question = "SELECT min(n), max(n) FROM sample WHERE utc BETWEEN ? AND ?"
        try:
            ((first, last),) = self.ask(question, sql_integer(begin), sql_integer(end))
            if self._file.checks and not self._are_ends(first, last, begin, end):
                raise Damaged("the index of times is damaged", self.path)  # noqa: TRY301 - one way out
        except Damaged as error:
            self._damaged(str(error))
            numbers = [n for n, utc in self._all_times() if begin <= utc <= end]
            first, last = min(numbers, default=None), max(numbers, default=0)
            while first is not None and first > 0 and self._utc(first - 1) is None:
                first = max(0, min(first - 1, self.passed(first - 1, -1)))
            while first is not None and last + 1 < self.count and self._utc(last + 1) is None:
                last = max(last + 1, self.passed(last + 1, 1))
        return range(0) if first is None else range(max(0, first), min(last + 1, self.count))

    def _are_ends(self, first: int | None, last: int | None, begin: int, end: int) -> bool:
        """Return whether the samples of a range of time begin and end with these, by their own rows."""
        if first is None or last is None:
            return True
        inside = (self._utc(number) for number in (first, last))
        beside = (self._utc(number) for number in (first - 1, last + 1) if 0 <= number < self.count)
        return all(utc is not None and begin <= utc <= end for utc in inside) and all(
            utc is not None and not begin <= utc <= end for utc in beside
        )

    def _utc(self, number: int) -> int | None:
        """Return the time of a sample; None if it is damaged."""
        try:
            return self.row(number)[0]
        except Damaged:
            return None

    def passed(self, number: int, step: int) -> int:
        """Return the last of the samples that are missing, from one on, forwards (1) or backwards (-1)."""
        try:
            if step > 0:
                ((n,),) = self.ask("SELECT min(n) FROM sample WHERE n > ?", number)
            else:
                ((n,),) = self.ask("SELECT max(n) FROM sample WHERE n < ?", number)
        except Damaged:
            return number
        if n is None:
            return self.count - 1 if step > 0 else 0
        return int(n) - step


def sql_integer(number: int) -> int:
    """Return a number that SQLite can hold."""
    return max(-(1 << 63), min(number, (1 << 63) - 1))
