"""Which text of a tool a value is from, where a machine was collected as texts."""

from __future__ import annotations

from zmon.base.absent import text_of
from zmon.base.light_typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from zmon.sample import Frame


class Origins:
    """The texts that values of a sample are from."""

    def __init__(self, frame: Frame | None = None) -> None:
        """Take the rows of an ORIGIN frame; without one all values are from kernel files."""
        self._frame = frame if frame is not None and frame.keys else None

    def __bool__(self) -> bool:
        """Return whether any value is from a text."""
        return self._frame is not None

    def of(self, kind: str, key: str, field: str, otherwise: str) -> str:
        """Return the text that a value is from, `lsdasd, runtime.out:120`; `otherwise` if it is from none."""
        if self._frame is None:
            return otherwise
        said = text_of(self._frame.cell(f"{kind} {key}", "texts"))
        for part in said.split(" | "):
            fields, equals, place = part.partition(" = ")
            if equals and field in fields.split():
                return place
        return otherwise


NO_ORIGINS: Final = Origins()
