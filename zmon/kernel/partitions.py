"""What the hypervisor tells of partitions and guests, from the best source that answers.

debugfs (diag 204 in an LPAR, diag 2fc in a z/VM guest) has weights and caps and is always fresh; the
text tree of hypfs has neither, and stands still until somebody refreshes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.kernel.diag2fc import read_diag2fc
from zmon.kernel.diag204 import read_diag204
from zmon.kernel.hypfs import read_hypfs

if TYPE_CHECKING:
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame


def read_partitions(tree: Tree) -> tuple[Frame, ...]:
    """Read the frames LPAR, LPAR_CPU, PHYSICAL_CPU and GUEST.

    Where neither source answers, the reason is that of debugfs, which is the one to repair.

    Raises:
        ValueError: an answer is not understood.
    """
    partitions, guests = read_diag204(tree), read_diag2fc(tree)
    if partitions[0].keys and guests.keys:
        return (*partitions, guests)
    *other_partitions, other_guests = read_hypfs(tree)
    if not partitions[0].keys and other_partitions[0].keys:
        partitions = (other_partitions[0], other_partitions[1], other_partitions[2])
    return (*partitions, guests if guests.keys or not other_guests.keys else other_guests)
