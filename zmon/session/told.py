"""What CP says of volumes, as a source of samples: captured answers, or CP itself where that is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.cp.pace import EVERY
from zmon.kernel.worker import Source
from zmon.kinds import CLAIM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.kernel.tree import Tree
    from zmon.sample import Frame


def captured(tree: Tree) -> Source:
    """Return the source of the answers that a capture holds."""

    def read() -> Sequence[Frame]:
        from zmon.cp.told import told_in  # noqa: PLC0415 - like all readers, when it is needed

        return [told_in(tree)]

    return Source("cp", "cp/*.txt", (CLAIM,), read)


def asked(_tree: Tree) -> Source:
    """Return the source that asks CP for the disks of this guest."""

    def read() -> Sequence[Frame]:
        from zmon.cp.source import read_claims  # noqa: PLC0415 - likewise
        from zmon.cp.vmcp import Cp  # noqa: PLC0415 - likewise

        return [read_claims(Cp())]

    return Source("cp", "/dev/vmcp", (CLAIM,), read, EVERY)


def not_asked(_tree: Tree) -> Source:
    """Return the same, switched off."""
    return Source("cp", "/dev/vmcp", (CLAIM,), list, EVERY, "asks the hypervisor: --cp")
