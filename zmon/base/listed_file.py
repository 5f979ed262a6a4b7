"""A file that is to be looked at, because a listing or a user names it."""

from __future__ import annotations

from zmon.base.absent import absent
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from zmon.base.absent import Number

UNSAID: Final = absent("the listing does not say its size")


class ListedFile(NamedTuple):
    """A container that a listing or a user names."""

    path: str
    """Absolute; `os.fsdecode` of its bytes."""
    database: str = ""
    tablespace: str = ""
    role: str = ""
    listed: str = ""
    """File and line of the listing: `tablespaces.ddl:12`."""
    declared: Number = UNSAID
    is_device: bool = False
    """Whether the listing calls it a device."""
