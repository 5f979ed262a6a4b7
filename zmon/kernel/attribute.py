"""One attribute of sysfs as a value, or the reason why there is none, in words a person can act on."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.kernel.tree import NOT_CAPTURED, text

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.absent import Absent, Value
    from zmon.kernel.tree import Tree

OFFLINE: Final = absent("device is offline")
UNCAPTURED: Final = absent("not in the capture, or not given by its kernel")

_WORDS: Final = {
    errno.ENOENT: "not given by this kernel",
    errno.EACCES: "needs root",
    errno.EPERM: "needs root",
    errno.ENODEV: OFFLINE.reason,
    errno.EOPNOTSUPP: "this machine does not offer it",
    errno.EBUSY: "the machine was busy with another request",
    errno.EIO: "the machine answered with an error",
}


def refused(error: OSError) -> Absent:
    """Return the absence of a value whose file could not be read.

    An error without words of its own here keeps the kernel's name for it: `EINVAL`.
    """
    if error.strerror == NOT_CAPTURED:
        return UNCAPTURED
    code = error.errno or 0
    return absent(_WORDS.get(code) or f"the kernel said {errno.errorcode.get(code, 'no')}")


def read_value(
    tree: Tree,
    path: str,
    parse: Callable[[str], Value] = str.strip,
    missing: Absent | None = None,
) -> Value:
    """Read one attribute; absent when it cannot be read or understood.

    `missing` says why the file may not be there, when the caller knows better than the kernel.
    """
    try:
        return parse(text(tree, path))
    except FileNotFoundError as error:
        return refused(error) if missing is None else missing
    except OSError as error:
        return refused(error)
    except ValueError:
        return absent(f"{path.rpartition('/')[2]} says something zmon does not understand")
