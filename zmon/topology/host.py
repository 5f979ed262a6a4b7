"""Where a Linux runs: that says whose numbers its devices have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent

if TYPE_CHECKING:
    from zmon.sample import Frame


class Host(NamedTuple):
    """Where the Linux runs whose disks are looked at."""

    environment: str = ""
    """`lpar`, `zvm`, `kvm` or `none`, which is a machine without partitions; empty when it is not known."""
    guest: str = ""
    """Its user id under z/VM; empty when it is not known."""

    @property
    def has_real_numbers(self) -> bool:
        """Whether devices have the numbers of the real ones."""
        return self.environment in {"lpar", "none"}


NO_HOST: Final = Host()


def host_of(machine: Frame) -> Host:
    """Return where a Linux runs, from the frame that describes its machine.

    Without /proc/sysinfo it is not known, nor under a hypervisor that is neither z/VM nor KVM.
    """

    def said(name: str) -> str:
        value = machine.cell("machine", name)
        return "" if isinstance(value, Absent) else str(value)

    environment = said("environment")
    if environment == "none" and (said("control_program") or not said("manufacturer")):
        environment = ""
    return Host(environment, said("guest_name"))
