"""The JSON report that sysstat's `sadf -j` prints, one entry after the other.

    {"sysstat": {"hosts": [{"nodename": ..., "statistics": [ENTRY, ENTRY ...], "restarts": [...]}]}}

A day's report may have hundreds of megabytes, so it is never held whole: the words before `statistics` are
read first, then each entry when it is asked for.  After the entries come the restarts, which also follow from
the times of the entries, and the comments of `sadc -C`; these are printed without escapes, so they are not
read as JSON.

Some versions print what is no JSON, and would do so again.  10.2.1 and 11.1.5 leave out a comma at the end
of a line, which is read as if it were there; old ones print the decimal comma of the language.  A shell of
Windows or a mail may have put the mark of an encoding, UTF-16 among them, or lines before the report.

Source: sysstat, sadf.c, sadf_misc.c and json_stats.c, from 10.1.1 (the first that had JSON) to 12.7.9.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING, BinaryIO, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator

READ_BYTES: Final = 1 << 20
"""Bytes of one read."""
MAX_ENTRY: Final = 64 << 20
"""Characters of an entry; 30,000 disks take fewer."""
MAX_WORD: Final = 1 << 16
"""Characters before the end of what was read where a syntax error may be due to what is still to come."""

MAX_LEFT_OUT: Final = 8
"""Commas that are left out in an entry; for each the entry is read once more."""
MAX_BEFORE: Final = 1 << 12
"""Bytes in which a report begins: before it may stand a greeting, a warning, a command."""

ADVICE: Final = "zmon reads what `sadf -j FILE -- -A` prints"

_HOSTS: Final = re.compile(r'"hosts"\s*:\s*\[\s*\{')
_STATISTICS: Final = re.compile(r'"statistics"\s*:\s*\[')
_BEGIN: Final = re.compile(r'\s*\{|(?:.*\n)*?[ \t]*\{(?=\s*"sysstat"\s*:)')
_LEFT_OUT: Final = re.compile(r'(?<=["\w}\]])(?=[ \t\r]*\n\s*"[\w-]+"\s*:)')
"""Where a comma is left out at the end of a line."""
_DECIMAL_COMMA: Final = re.compile(r":\s*\d+,\d")
_MARKS: Final = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""The marks with which a text of an encoding begins."""
_SPACE: Final = re.compile(r"\s*")
_COMMENT: Final = re.compile(
    r'"comment": \{"date": "([^"\n]*)", "time": "([^"\n]*)", "(utc|tz)": (?:"([^"\n]*)"|(\d+)), '
    r'"com": "(.*)"\}'
)


class SadfError(ValueError):
    """This is no usable report of sadf; the message says what was found, where, and what to do."""


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


# all numbers become floats, which are exact for what is counted here and have no limit of digits
_DECODER: Final = json.JSONDecoder(parse_int=float, parse_constant=_refuse, strict=False)


def is_report(begin: bytes) -> bool:
    """Tell by its first `MAX_BEFORE` bytes whether a file may be a report."""
    encoding, mark = _encoding(begin)
    return _BEGIN.match(begin[mark:].decode(encoding, "replace")) is not None


def _encoding(begin: bytes) -> tuple[str, int]:
    """Return the encoding of a text by the mark at its begin, and the bytes of the mark."""
    named = ((encoding, len(mark)) for mark, encoding in _MARKS.items() if begin.startswith(mark))
    return next(named, ("utf-8", 0))


class SadfReport:
    """A report that is read from a stream, from its begin to its end, once."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        """Read up to the first entry.

        Raises:
            SadfError: it is no report.
            OSError: the stream cannot be read.
        """
        self.name = name
        """For messages."""
        self.comments: list[tuple[dict[str, object], str]] = []
        """Comments with their time stamps, known after the last entry."""
        self._stream = stream
        begin = stream.read(READ_BYTES)
        encoding, mark = _encoding(begin)
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._text = self._decoder.decode(begin[mark:])  # read; used up to _at
        self._at = 0
        self.header = self._header()
        """The words before the entries: nodename, release, machine ..."""

    def wrong(self, what: str) -> SadfError:
        """Return an error about this report."""
        return SadfError(f"{self.name}: {what}")

    def _more(self) -> bool:
        """Read on, as much again as is waiting; return whether there was any."""
        waiting = len(self._text) - self._at
        data = self._stream.read(max(READ_BYTES, waiting))
        self._text = self._text[self._at :] + self._decoder.decode(data, final=not data)
        self._at = 0
        return bool(data)

    def _next(self) -> str:
        """Return the next character that is no white space, without consuming it; empty at the end."""
        while True:
            self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]  # it always matches
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _found(self) -> str:
        """Quote the text at the present place."""
        return repr(self._text[self._at : self._at + 40]) if self._next() else "its end"

    def _header(self) -> dict[str, object]:
        match = _BEGIN.match(self._text, 0, MAX_BEFORE)
        if match is None:
            raise self.wrong(f"expected a report in JSON, found {self._found()}; {ADVICE}")
        self._at = match.end() - 1
        while (end := _STATISTICS.search(self._text, self._at)) is None:
            if len(self._text) > MAX_ENTRY or not self._more():
                raise self.wrong(f'expected "statistics" in it, found {self._found()}; {ADVICE}')
        begin = _HOSTS.search(self._text, self._at, end.start())
        if begin is None:
            raise self.wrong(f'expected "hosts" before "statistics", found {self._found()}; {ADVICE}')
        text = _LEFT_OUT.sub(",", self._text[begin.end() : end.start()].rstrip().removesuffix(","))
        self._at = end.end()
        try:
            data: dict[str, object] = _DECODER.decode("{" + text + "}")
        except (ValueError, RecursionError):
            raise self.wrong(f"expected the names of a host, found {text.strip()[:40]!r}; {ADVICE}") from None
        return data

    def entries(self) -> Iterator[dict[str, object]]:
        """Yield the entries; each was measured up to its time stamp.

        Raises:
            SadfError: an entry is not understood, or the report ends too early.
            OSError: the stream cannot be read.
        """
        number = 0
        while self._next() != "]":
            if number:
                if self._next() != ",":
                    raise self._broken(number)
                self._at += 1
            number += 1
            yield self._entry(number)
        self._at += 1
        self._end()

    def _broken(self, number: int) -> SadfError:
        what = f"expected another entry or the end after entry {number}, found {self._found()}"
        return self.wrong(f"{what}; print it once more with sadf -j")

    def _entry(self, number: int) -> dict[str, object]:
        if self._next() != "{":
            raise self._broken(number - 1)
        left_out = 0
        while True:
            try:
                value, self._at = _DECODER.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                place = error.pos if isinstance(error, json.JSONDecodeError) else self._at
                before = len(self._text[:place].rstrip())
                if left_out < MAX_LEFT_OUT and _LEFT_OUT.match(self._text, before):
                    self._text = f"{self._text[:before]},{self._text[before:]}"
                    left_out += 1
                    continue
                is_broken = not isinstance(error, json.JSONDecodeError)
                is_broken = is_broken or len(self._text) - place > MAX_WORD
                quoted = self._text[max(self._at, place - 20) : place + 20]
                if is_broken or len(self._text) - self._at > MAX_ENTRY or not self._more():
                    what = f"entry {number} is broken or cut off, near {quoted!r}"
                    points = "LC_ALL=C " if _DECIMAL_COMMA.search(quoted) else ""
                    raise self.wrong(f"{what}; print it once more with {points}sadf -j") from None
            else:
                entry: dict[str, object] = value
                return entry

    def _end(self) -> None:
        """Read the comments after the entries."""
        while self._more():
            if len(self._text) > MAX_ENTRY:
                raise self.wrong(f"goes on for more than {MAX_ENTRY >> 20} MB after its statistics")
        if _STATISTICS.search(self._text, self._at):
            raise self.wrong("holds more than one report; import each into a separate recording")
        for date, time, flag, zone, utc, text in _COMMENT.findall(self._text, self._at):
            stamp = {"date": date, "time": time, flag: zone if flag == "tz" else float(utc or 0)}
            self.comments.append((stamp, text))
