"""/sys/dev/block and /sys/block: block devices, and what each is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.kernel.tree import Tree
    from zmon.sample import Frame


def read_layers(tree: Tree, numbers: Iterable[str] | None = None) -> Frame:
    """Read the block devices of a machine, or only some (`94:5`) and those below them: one frame of `LAYER`."""
    raise NotImplementedError
