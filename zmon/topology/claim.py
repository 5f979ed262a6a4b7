"""What somebody says of a volume: CP, a user directory, a map file of the site.

A claim is no fact: two of them may contradict each other, and a pasted answer may be of yesterday.
`zmon.topology.case` joins claims, and reports what contradicts instead of choosing silently.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.kinds import CLAIM
from zmon.sample import Frame, nothing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.absent import Value


NOT_SAID: Final = absent("it is not said")


class Claim(NamedTuple):
    """One statement; what it does not say is empty."""

    vdev: str = ""
    """Number of the device in the guest, four hex digits in upper case."""
    rdev: str = ""
    """Number of the real device, four or five hex digits in upper case."""
    volser: str = ""
    """Label of the volume."""
    user: str = ""
    """Whose virtual device it is; empty for the own guest."""
    ssid: str = ""
    """Subsystem id, four hex digits in upper case: the LCU."""
    ua: str = ""
    """Unit address, two hex digits in upper case."""
    mode: str = ""
    """`R/W`, `R/O`, or the mode word of a directory; of a real device whose it is: `CP-SYSTEM`, `FREE`."""
    via: str = ""
    """The sort of statement: `QUERY VIRTUAL DASD`, `QUERY DASD`, `MDISK`, `DEDICATE`."""
    origin: str = ""
    """Where it was read: the name of a file, `/dev/vmcp`."""
    line: int = 0
    """Its line there, counted from 1; 0 when there are no lines."""
    weak: str = ""
    """Why it may be wrong; empty when it is as the source prints it."""
    first: int | None = None
    """First cylinder or block of a minidisk."""
    length: int | None = None
    """Its cylinders or blocks."""

    @property
    def place(self) -> str:
        """Where it was read, for people: `cp.txt:4`."""
        return f"{self.origin}:{self.line}" if self.line else self.origin


def frame_of(claims: Sequence[Claim], when: int, missing: str = "no answers of CP were given") -> Frame:
    """Return claims as the frame of a sample."""
    if not claims:
        return nothing(CLAIM, missing)
    columns: dict[str, list[Value]] = {
        name: [_cell(getattr(claim, name)) for claim in claims] for name in Claim._fields
    }
    return Frame(CLAIM, [str(number) for number in range(len(claims))], columns, [when] * len(claims))


def claims_in(frame: Frame) -> list[Claim]:
    """Return the claims of a sample."""
    columns = [frame.column(name) for name in Claim._fields]
    return [
        Claim(**dict(zip(Claim._fields, map(_field, Claim._fields, values), strict=True)))  # type: ignore[arg-type]
        for values in zip(*columns, strict=True)
    ]


def _cell(value: str | int | None) -> Value:
    return NOT_SAID if value is None else value


def _field(name: str, value: Value) -> object:
    return Claim._field_defaults[name] if isinstance(value, Absent) else value
