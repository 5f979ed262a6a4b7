"""Claims of CP as a source of samples: answers that a capture holds, or CP itself where that is wanted.

It has the form of the kernel's sources.  What reads the answers is loaded when it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.cp import ASK_INTERVAL
from zmon.kernel.worker import Source
from zmon.kinds import CLAIM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.kernel.tree import Tree
    from zmon.sample import Frame


def captured_claims(tree: Tree) -> Source:
    """Return the source of the answers that a capture holds."""

    def read() -> Sequence[Frame]:
        from zmon.cp.claim_sources import claims_of_capture  # noqa: PLC0415 - see above

        return [claims_of_capture(tree)]

    return Source("cp", "cp/*.txt", (CLAIM,), read)


def live_claims(_tree: Tree) -> Source:
    """Return the source that asks CP for the disks of this guest."""

    def read() -> Sequence[Frame]:
        from zmon.cp.claim_sources import ask_claims  # noqa: PLC0415 - likewise
        from zmon.cp.vmcp import Cp  # noqa: PLC0415 - likewise

        return [ask_claims(Cp())]

    return Source("cp", "/dev/vmcp", (CLAIM,), read, ASK_INTERVAL)


def no_claims(_tree: Tree) -> Source:
    """Return the source that does not ask CP, because nobody wants it."""
    return Source("cp", "/dev/vmcp", (CLAIM,), list, ASK_INTERVAL, "asks the hypervisor: --cp")
