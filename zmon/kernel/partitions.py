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
    if partitions[0].keys or guests.keys:  # an LPAR sees no guests, and a guest no partitions
        return (*partitions, guests)
    *older_partitions, older_guests = read_hypfs(tree)
    if older_partitions[0].keys:
        return (*older_partitions, guests)
    return (*partitions, older_guests if older_guests.keys else guests)
