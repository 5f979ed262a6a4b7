"""Answers about load: INDICATE LOAD, USER, QUEUES.

All figures are CP's own smoothed averages or totals, of no interval of zmon's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.cp.mask import masked
from zmon.cp.row import MOST, REMEMBERED

if TYPE_CHECKING:
    from zmon.cp.noise import Line


class Load(NamedTuple):
    """INDICATE LOAD, the long form or the short one of class G; what a form does not tell is none."""

    avg: int
    """Average load of the processors in percent."""
    cpus: int
    mdc_reads: int | None
    mdc_writes: int | None
    """In a second."""
    mdc_hit: int | None
    """Percent."""
    paging: int | None
    """In a second."""
    q0: int | None
    q1: int | None
    q2: int | None
    q3: int | None
    """Users in the dispatch list by class."""
    dormant: int | None
    limited: int | None
    procs: tuple[tuple[str, int, str, str], ...]
    """Processor, percent, type, polarization (`HZ`, `VH`, `VM`, `VL`)."""
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return ""

    def more(self, line: Line) -> Load | None:
        """Take a line that follows."""
        text = line.text
        if found := _MDC.match(text):
            reads, writes, hit = map(int, found.groups())
            return self._replace(mdc_reads=reads, mdc_writes=writes, mdc_hit=hit)
        if found := _PAGING.match(text):
            return self._replace(paging=int(found[1]))
        if _QUEUES.match(text):
            counts: dict[str, Any] = {found[1].lower(): int(found[2]) for found in _QUEUE.finditer(text)}
            return self._replace(**counts)
        if text.startswith("PROC ") and len(self.procs) < 8 * MOST:
            each = [(p[1], int(p[2]), p[3] or "", p[4] or "") for p in _PROC.finditer(text)]
            return self._replace(procs=(*self.procs, *each)) if each else None
        if found := _LIMITED.fullmatch(text):
            return self._replace(limited=int(found[1]))
        return self if _XSTORE.match(text) else None


_LOAD: Final = re.compile(r"AVGPROC-([0-9]{1,5})% ([0-9]{2,4})")
_MDC: Final = re.compile(r"MDC READS-([0-9]{1,9})/SEC WRITES-([0-9]{1,9})/SEC HIT RATIO-([0-9]{1,3})%")
_PAGING: Final = re.compile(r"PAGING-([0-9]{1,9})/SEC")
_QUEUES: Final = re.compile(r"Q[0-3]-[0-9]")
_QUEUE: Final = re.compile(r"\b(Q[0-3]|DORMANT)-([0-9]{1,9})")
_PROC: Final = re.compile(
    r"\bPROC ([0-9A-F]{4})-([0-9]{1,3})%(?: +(CP|IFL|ZIIP|ZAAP|ICF)\b)?(?: +(HZ|VH|VM|VL)\b)?"
)
_LIMITED: Final = re.compile(r"LIMITED-([0-9]{1,9})")
_XSTORE: Final = re.compile(r"XSTORE-[0-9]+/SEC")


class Usage(NamedTuple):
    """INDICATE USER: pages, I/O and CPU time of a guest, with the names CP gives them."""

    user: str
    values: tuple[tuple[str, str], ...]
    cpus: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """Number of the virtual CPU, and its values; times as CP writes them."""
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.user

    def more(self, line: Line) -> Usage | None:
        """Take a line of values."""
        text = masked(line.text)  # any line of NAME=VALUE fits here
        pairs = _pairs(text)
        if len(self.cpus) >= MOST or len(self.values) >= MOST:
            return None
        if found := _SECTION.match(text):
            return self._replace(cpus=(*self.cpus, (found[1], _pairs(text[found.end() :]))))
        if not pairs:
            return None
        if self.cpus and line.indent:
            number, values = self.cpus[-1]
            return self._replace(cpus=(*self.cpus[:-1], (number, (*values, *pairs)[:MOST])))
        return self._replace(values=(*self.values, *pairs)[:MOST])


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((found[1], (found[2] or found[3]).strip()) for found in _PAIR.finditer(text[:200]))


_USAGE: Final = re.compile(r"USERID=(\S{1,8})\s+(MACH=\S+.*)")
_SECTION: Final = re.compile(r"CPU ([0-9A-F]{2}): ")
_PAIR: Final = re.compile(r"\b([A-Z]+)=(?:((?:DEV|USERID|NSS) \S+)|(\S+))")


class Queued(NamedTuple):
    """A guest in a queue: a row of INDICATE QUEUES."""

    user: str
    cpu: str
    queue: str
    state: str
    line: int
    weak: str = REMEMBERED

    @property
    def key(self) -> str:
        """What the row is about."""
        return f"{self.user}:{self.cpu}"


_QUEUED: Final = re.compile(
    r"(\S{1,8})\s+(?:(MP[0-9A-F]{2})\s+)?(Q[0-3]|E[0-3]|L0)\s+(\S{1,4})\s+[0-9]{8}/[0-9]{8}\s+\S{4}\s+\S+\s+\S+"
)


def load(line: Line) -> Load | Usage | Queued | None:
    """Read the first line of an answer about load."""
    text = line.text
    if found := _LOAD.fullmatch(text):
        nothing = (None,) * 10
        return Load(int(found[1]), int(found[2]), *nothing, (), line.number)
    if found := _USAGE.fullmatch(text):
        return Usage(found[1], _pairs(masked(found[2])), (), line.number)
    if found := _QUEUED.fullmatch(text):
        return Queued(found[1], found[2] or "", found[3], found[4], line.number)
    return None
