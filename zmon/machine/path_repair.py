"""What to do about a lost path, in sentences: CHECK (H1, H10b, H13) and DIAGNOSE (D13) advise the same.

Source: chchp(8), chccwdev(8), lszfcp(8), multipath(8); the kernel's drivers/scsi/scsi_sysfs.c for `state`.
"""

from __future__ import annotations

from zmon.base.absent import text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.ranges import names, ranges
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.base.absent import Value

ON: Final = "on line and configured"
"""Why a channel path is not used that nobody has taken off: its link, or the control unit."""
VARIED_OFF: Final = "varied off by Linux"
CONFIGURED_OFF: Final = "configured off"
CONFIGURED: Final = 1
"""`configure` of a channel path that the machine lets this LPAR use."""


class BrokenPath(NamedTuple):
    """A path to a SCSI disk that is lost."""

    name: str
    """`sda`; empty for an adapter without paths."""
    adapter: str
    """Bus id of the FCP device; empty if not known."""
    why: str
    """`failed`, `offline`, `gone`."""
    port: str
    """WWPN of the port of the storage server; empty if it is behind none."""
    adapter_offline: bool
    """Whether its adapter is there and was set offline."""

    @property
    def over(self) -> str:
        """What its adapter is called: an FCP device is behind a port, a virtual one is not."""
        if not self.adapter:
            return self.name
        return f"FCP device {self.adapter}" if self.port else f"adapter {self.adapter}"


def why_unused(configured: Value, status: Value) -> str:
    """Return why a channel path is not used, as the channel subsystem tells; empty if it does not."""
    if isinstance(configured, int) and configured != CONFIGURED:
        return CONFIGURED_OFF if configured == 0 else "not usable by this LPAR"
    if status == "offline":
        return VARIED_OFF
    return ON if text_of(status) == "online" and configured == CONFIGURED else ""


def get_back_channel_paths(lost: Iterable[tuple[str, str]]) -> str:
    """Return how channel paths come back, or where to look: CHPIDs, each with why it is not used."""
    by_reason: dict[str, list[str]] = {}
    for chpid, why in lost:
        by_reason.setdefault(why, []).append(chpid)
    return " ".join(dict.fromkeys(_channel_paths(why, chpids) for why, chpids in by_reason.items()))


def _channel_paths(why: str, chpids: Sequence[str]) -> str:
    it, several = ("it", "") if len(chpids) == 1 else ("them", "s")
    if why == VARIED_OFF:
        return f"Vary {it} on: chchp -v 1 {','.join(chpids)}."
    if why == CONFIGURED_OFF:
        return f"Configure {it} on: chchp -c 1 {','.join(chpids)}, or at the HMC."
    if "maintenance" in why:
        return f"Wait for the end of the maintenance of the control unit; it resumes the path{several}."
    look = "Have" if why == ON else "See lscss and lschp, and have"
    return f"{look} the link{several} of channel path{several} {ranges(chpids)} checked: cable, switch, port."


def get_back_disk_paths(broken: Sequence[BrokenPath]) -> str:
    """Return how paths to SCSI disks come back, or where to look."""
    offline = [path for path in broken if path.adapter_offline]
    rest = [path for path in broken if not path.adapter_offline]
    steps = []
    if offline:
        busids = ",".join(sorted({path.adapter for path in offline}))
        steps.append(f"Set {_over(offline)} online again, as root: chccwdev -e {busids}.")
    if rest:
        steps.append(_look(rest))
    return " ".join(steps)


def _look(broken: Sequence[BrokenPath]) -> str:
    ask = "multipath -ll and lszfcp -D" if any(path.port for path in broken) else "multipath -ll and dmesg"
    has_adapters = all(path.adapter for path in broken)
    look = f"See {ask}{f'; what is lost goes over {_over(broken)}' if has_adapters else ''}."
    if not all(path.why == "offline" for path in broken):
        return look
    disk = broken[0].name if len(broken) == 1 else "NAME"
    return f"{look} When that is mended, as root: echo running > /sys/block/{disk}/device/state."


def _over(broken: Sequence[BrokenPath]) -> str:
    return names(list(dict.fromkeys(path.over for path in broken)))
