"""What to do about a lost path, in sentences: CHECK (H1, H10b, H13) and DIAGNOSE (D13) advise the same.

Source: chchp(8), chccwdev(8), lszfcp(8), multipath(8); the kernel's drivers/scsi/scsi_sysfs.c for `state`.
"""

from __future__ import annotations

from zmon.base.absent import text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.ranges import names, ranges
from zmon.base.record import NamedTuple
from zmon.values.path_masks import Unused

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.base.absent import Value

OFFLINE: Final = "offline"
"""State of a SCSI disk that does not answer, and is to be set running by hand."""
CONFIGURED: Final = 1
"""`configure` of a channel path that the machine lets this LPAR use."""


class BrokenPath(NamedTuple):
    """A path to a SCSI disk that is lost."""

    name: str
    """`sda`; empty for an adapter without paths."""
    adapter: str
    """Bus id of the FCP device; empty if not known."""
    state: str
    """`failed`, `gone`, or as the kernel calls it: `offline`."""
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


def why_unused(configured: Value, status: Value) -> Unused:
    """Return why a channel path is not used, as far as the channel subsystem tells."""
    if isinstance(configured, int) and configured != CONFIGURED:
        return Unused.CONFIGURED_OFF if configured == 0 else Unused.RESERVED
    if status == "offline":
        return Unused.VARIED_OFF
    return Unused.ON if text_of(status) == "online" and configured == CONFIGURED else Unused.UNKNOWN


def get_back_channel_paths(lost: Iterable[tuple[str, Unused]]) -> str:
    """Return how channel paths come back, or where to look: CHPIDs, each with why it is not used."""
    by_reason: dict[Unused, list[str]] = {}
    for chpid, why in lost:
        by_reason.setdefault(why, []).append(chpid)
    return " ".join(dict.fromkeys(_channel_paths(why, chpids) for why, chpids in by_reason.items()))


def _channel_paths(why: Unused, chpids: Sequence[str]) -> str:
    it, several = ("it", "") if len(chpids) == 1 else ("them", "s")
    if why is Unused.VARIED_OFF:
        return f"Vary {it} on: chchp -v 1 {','.join(chpids)}."
    if why is Unused.CONFIGURED_OFF:
        return f"Configure {it} on: chchp -c 1 {','.join(chpids)}, or at the HMC."
    if why is Unused.MAINTENANCE:
        return f"Wait for the end of the maintenance of the control unit; it resumes the path{several}."
    look = "Have" if why is Unused.ON else "See lscss and lschp, and have"
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
    if not all(path.state == OFFLINE for path in broken):
        return look
    disk = broken[0].name if len(broken) == 1 else "NAME"
    return f"{look} When that is mended, as root: echo running > /sys/block/{disk}/device/state."


def _over(broken: Sequence[BrokenPath]) -> str:
    return names(list(dict.fromkeys(path.over for path in broken)))
