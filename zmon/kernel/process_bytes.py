"""The bytes of one process, where nobody else was shown to read them: see `zmon.kernel.ended_children`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent

if TYPE_CHECKING:
    from zmon.base.absent import Value

NEEDS_ROOT: Final = absent("only the same user or root may read it")
WAITED: Final = absent("it waited uninterruptibly whenever it was looked at, so it was not read yet")


class ProcessBytes:
    """The bytes of one process, and by what it is found out whether its parent took them over."""

    __slots__ = (
        "before", "child_faults", "counted", "dirtied", "faults", "is_taken", "may_read", "own", "parent",
        "read", "samples", "waited",
    )  # fmt: skip

    def __init__(self) -> None:
        """Know nothing yet."""
        self.read: Value = WAITED
        """Bytes that it read, as far as nobody else was shown to read them, ..."""
        self.dirtied: Value = WAITED
        """... and made dirty."""
        self.own = (0, 0)
        """Both, as they were known last."""
        self.counted: tuple[int, int] | None = None
        """What the kernel counts, ..."""
        self.before: tuple[int, int] | None = None
        """... and did when it was settled last."""
        self.may_read = True
        self.parent = ""
        self.faults = 0
        """Page faults of it and of the children that it waited for."""
        self.child_faults = 0
        """Those of the children, ..."""
        self.waited = 0
        """... and when it was settled last."""
        self.is_taken = False
        """Whether its parent was found to have taken it over."""
        self.samples = 0
        """Samples since it is gone."""
