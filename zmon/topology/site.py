"""What only the people of a site can know: how they number devices, label volumes, and build boxes.

A site writes it into a TOML file.  Nothing of it is a default: without a rule no device number says
anything about a logical control unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping


class SiteError(ValueError):
    """A site file that cannot be used: which file, line and key, what is wrong, what to do."""


class NumberRule(NamedTuple):
    """How the number of a real device tells its LCU."""

    serial: str
    """Of the storage server it holds for, as in a unique id; `*` for all."""
    said: str
    """The rule as the site wrote it: `7nXX`, `mask 0F00`, `E000-E0FF`."""
    lcu_of: Callable[[str], str]
    """From a number to the name of the LCU, empty when the rule does not say."""
    place: str
    """Where it is written: `/etc/zmon/site.toml: rule 1`."""


class LabelRule(NamedTuple):
    """How the label of a volume tells the number of its device."""

    said: str
    form: re.Pattern[str]
    place: str


class Row(NamedTuple):
    """One line of the volume map; what it does not say is empty."""

    what: str
    """As it is written: a device number, a range of them, a unique id, or the first three parts of one."""
    first: int
    """The lowest number, -1 for a unique id."""
    last: int
    lcu: str
    server: str
    rank: str
    extent_pool: str
    channel_group: str
    capacity: float | None
    """MB/s."""
    place: str
    """`volumes.csv:4`."""


class Channels(NamedTuple):
    """Channel paths that several LCUs share: a side of a storage server."""

    name: str
    lcus: tuple[str, ...]
    capacity: float | None
    """MB/s of all of them together."""
    place: str


class Site(NamedTuple):
    """All that a site has told."""

    rules: tuple[NumberRule, ...] = ()
    labels: tuple[LabelRule, ...] = ()
    rows: tuple[Row, ...] = ()
    vdev_is_rdev: str = ""
    """Where it is written that a guest's device has the number of the real one; empty when it is not."""
    capacities: Mapping[str, float] = {}
    """MB/s by the name of an LCU."""
    channels: tuple[Channels, ...] = ()
    pins: tuple[str, ...] = ()
    """Patterns of paths and tablespaces that stay where they are."""
    logs: tuple[str, ...] = ()
    """Patterns of paths that hold logs."""
    origins: tuple[str, ...] = ()
    """The files that were read."""


NO_SITE: Final = Site()
"""A site that has told nothing."""
