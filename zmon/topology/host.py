"""Where a Linux runs: that says whose numbers its devices have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent

if TYPE_CHECKING:
    from zmon.sample import Frame


class Host(NamedTuple):
    """Where the Linux runs whose disks are looked at."""

    environment: str = ""
    """`lpar`, `zvm`, `kvm` or `none`; empty when it is not known."""
    guest: str = ""
    """Its user id under z/VM; empty when it is not known."""


NO_HOST: Final = Host()


def host_of(machine: Frame) -> Host:
    """Return where a Linux runs, from the frame that describes its machine."""
    said = (machine.cell("machine", name) for name in ("environment", "guest_name"))
    return Host(*("" if isinstance(value, Absent) else str(value) for value in said))
