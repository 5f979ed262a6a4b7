"""Why FCP adapters, ports of storage servers and LUNs carry nothing."""

from __future__ import annotations

from zmon.base.absent import text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.kinds import ADAPTER, LUN, TARGET_PORT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zmon.sample import Sample

FAILED: Final = "failed"
"""What is said of an adapter or a LUN that the driver has given up."""
FAILED_STATES: Final = frozenset({
    "offline", "blocked", "transport-offline", "Blocked", "Offline", "Linkdown", "Not Present", "Error",
    "Deleted", FAILED, "NotOnline", "NotRunning", "not good", "off",
})  # fmt: skip
"""States in which they do, as the kernel calls them; of texts also what lszfcp, lsluns and lszdev say."""


def fcp_states(sample: Sample) -> Mapping[str, str]:
    """Return the known states of adapters by bus id, of ports by their numbers, of LUNs by their disks.

    `{"0.0.fc00": "Linkdown", "remote port 0:0-1": "Blocked", "sda": "failed"}`
    """
    adapters, ports = sample.frame(ADAPTER), sample.frame(TARGET_PORT)
    numbers = [f"remote port {key.removeprefix('rport-')}" for key in ports.keys]
    states = {
        **dict(zip(adapters.keys, adapters.column("port_state"), strict=True)),
        **dict(zip(numbers, ports.column("state"), strict=True)),
        **_states_of_luns(sample),
    }
    return {name: text_of(state) for name, state in states.items() if text_of(state)}


def _states_of_luns(sample: Sample) -> Mapping[str, str]:
    luns = sample.frame(LUN)
    rows = zip(*map(luns.column, ("name", "state", "failed")), strict=True)
    return {
        text_of(name) or key: FAILED if failed == 1 else text_of(state)
        for key, (name, state, failed) in zip(luns.keys, rows, strict=True)
    }


def cause_of(sample: Sample) -> Callable[[str, str, str], str]:
    """Return a function that tells by disk, adapter and port why a path carries nothing; empty if it may."""
    adapters, ports, luns = sample.frame(ADAPTER), sample.frame(TARGET_PORT), _states_of_luns(sample)
    columns = (map(text_of, ports.column(field)) for field in ("adapter", "port_name", "state"))
    states = {(adapter, port): state for adapter, port, state in zip(*columns, strict=True)}

    def cause(disk: str, adapter: str, port: str) -> str:
        behind = {
            "adapter": text_of(adapters.cell(adapter, "port_state")),
            "port": states.get((adapter, port), ""),
            "LUN": luns.get(disk, ""),
        }
        return next((f"{what} {state}" for what, state in behind.items() if state in FAILED_STATES), "")

    return cause
