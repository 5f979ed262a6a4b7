"""The layers of an overlay, as the options of its mount name them: `lowerdir=/a:/b,upperdir=/c,workdir=/d`.

Kernel: fs/overlayfs/params.c; Documentation/filesystems/overlayfs.rst.
"""

from __future__ import annotations

import posixpath

from zmon.base.absent import absent
from zmon.base.light_typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

UNNAMED: Final = absent("the mount does not name its layers")
RELATIVE: Final = absent("the mount names its layers by relative paths")


def layers(option: Callable[[str], Iterable[str]]) -> Iterator[str]:
    r"""Yield the directories of an overlay, the topmost first; `option` returns the values of an option.

    A colon in the name of a directory is written `\:`.
    """
    yield from option("upperdir")
    for lower in option("lowerdir"):
        yield from (part.replace("\0", ":") for part in lower.replace("\\:", "\0").split(":") if part)
    yield from option("lowerdir+")


def mount_points(directories: Iterable[str], points: Container[str]) -> Iterator[str]:
    """Yield of each absolute directory at which of the mount points it lies, if at any."""
    for directory in filter(posixpath.isabs, directories):
        point = posixpath.normpath(directory)
        while point != "/" and point not in points:
            point = posixpath.dirname(point)
        if point in points:
            yield point
