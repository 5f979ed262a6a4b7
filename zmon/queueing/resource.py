"""A resource of the machine: how much of it is used, and how many requests wait for it.

Limits, waits, moves, spreads, "what if", OVERVIEW and diagnoses are about these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.record import NamedTuple
from zmon.machine.observation import MIN_LOST, busy_words

if TYPE_CHECKING:
    from zmon.base.absent import Number

NOT_KNOWN: Final = absent("its utilisation is not measured")
SINGLE: Final = "processor"
"""What the processors are called where there is one."""
CALLED: Final = {
    "aliases": "the aliases of ", "paths": "channel ", "processors": "the ", "volume": "volume ",
}  # fmt: skip
"""What stands before the title of a resource in a sentence, by its kind."""


class Resource(NamedTuple):
    """One resource, or a group of channel paths that is shared as a whole."""

    kind: str
    """`lcu`, `paths`, `volume`, `volumes` whose LCU is not known, `aliases`, `processors`, or `surge`: load
    that was not there before."""
    key: str
    """Key of the LCU, CHPIDs in words, bus id, `cpu`."""
    title: str
    """Its own name: `LCU 6`, also of the aliases of that; `7201`; `paths 4a-4d`; `4 processors`."""
    waits: float = 0.0
    """Requests that wait for it on average: their rate times the time that each waits."""
    use: Number = NOT_KNOWN
    """Its utilisation, a part of 1."""
    inside: float = 0.0
    """Of paths, how many of the requests wait inside all LCUs behind them, as they do for reconnection."""
    servers: int = 1
    """How many requests it does at once; of processors how many there are."""
    own: float = 0.0
    """Of processors the part that zmon itself uses, where it is worth naming; `use` is without it."""
    niced: float = 0.0
    """Likewise the part that programs at nice use, which give way to all others; `use` is without it."""
    is_mean: bool = False
    """Whether `use` is the mean of paths of which one is busier."""
    estimated: bool = False
    """Whether `use` follows from how long requests wait: of an LCU whose capacity nobody gave."""

    @property
    def name(self) -> str:
        """What it is called in a sentence: `the aliases of LCU 6`, `volume 7201`."""
        return f"{CALLED.get(self.kind, '')}{self.title}"

    @property
    def busy(self) -> str:
        """What is said of how busy it is: of many request tags how many are in use."""
        use = 0.0 if isinstance(self.use, Absent) else self.use
        if self.kind == "volume" and self.servers > 1:
            return f"{use * self.servers:.1f} of {self.servers} requests at once"
        if self.kind == "paths":
            return f"{busy_words(use)}{' on average' * self.is_mean}"
        without = ["zmon itself"] * bool(self.own) + ["programs at nice"] * bool(self.niced)
        about = "~" * self.estimated
        return f"{about}{100.0 * use:.0f} % busy{' without ' * bool(without)}{' and '.join(without)}"

    @property
    def waiting(self) -> str:
        """What waits for it: `14.2 requests wait in LCU 6`."""
        if self.kind == "processors":
            withheld = isinstance(self.use, Absent)
            return f"programs wait for {self.name}" if withheld else self.full
        many = f"{self.waits:.1f} requests wait" if self.waits >= MIN_LOST else "requests wait"
        timed = not isinstance(self.use, Absent)
        return {
            "lcu": f"{many} in {self.title}",
            "paths": f"{many} for {self.name}",
            "volume": f"{many}{' in Linux' * timed} for {self.name}",
            "volumes": f"{many} for {self.title}",
            "aliases": f"{many} in Linux for an alias of {self.title}",
            "surge": f"{many} because {self.title} has much more load than before: find who makes it",
        }[self.kind]

    @property
    def full(self) -> str:
        """Says of processors that they are full."""
        return f"{self.name} {'is' if self.servers == 1 else 'are'} full"


def the_processors(number: Number) -> Resource:
    """Return the processors of a Linux as a resource of which nothing is known but how many there are."""
    many = 1 if isinstance(number, Absent) else round(number)
    return Resource("processors", "cpu", SINGLE if many == 1 else f"{number:.0f} processors", servers=many)
