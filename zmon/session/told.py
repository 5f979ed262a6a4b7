"""What CP says of volumes, as a source of samples: captured answers, or CP itself where that is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.cp import ASK_INTERVAL
from zmon.kernel.worker import Source
from zmon.kinds import CLAIM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.kernel.tree import Tree
    from zmon.sample import Frame


def captured(tree: Tree) -> Source:
    """Return the source of the answers that a capture holds."""

    def read() -> Sequence[Frame]:
        from zmon.cp.claim_sources import claims_of_capture  # noqa: PLC0415 - like all readers, when it is needed

        return [claims_of_capture(tree)]

    return Source("cp", "cp/*.txt", (CLAIM,), read)


def asked(_tree: Tree) -> Source:
    """Return the source that asks CP for the disks of this guest."""

    def read() -> Sequence[Frame]:
        from zmon.cp.claim_sources import ask_claims  # noqa: PLC0415 - likewise
        from zmon.cp.vmcp import Cp  # noqa: PLC0415 - likewise

        return [ask_claims(Cp())]

    return Source("cp", "/dev/vmcp", (CLAIM,), read, ASK_INTERVAL)


def not_asked(_tree: Tree) -> Source:
    """Return the same, switched off."""
    return Source("cp", "/dev/vmcp", (CLAIM,), list, ASK_INTERVAL, "asks the hypervisor: --cp")
