"""A text that is looked for in a list while it is typed: `/pay` goes to the first row with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.ui.grid import Grid

if TYPE_CHECKING:
    from zmon.ui.pane import Pane


class IncrementalSearch:
    """Moves the cursor of a list to what is typed, and back when that is withdrawn."""

    def __init__(self) -> None:
        """Look for nothing."""
        self._pane: Grid | None = None
        """The list that is searched."""
        self._begun = (0, "", 1)
        """Place and key of the row that the cursor was on, and the first column beside the one that stays."""
        self._found = ""
        """The text that the cursor's row has; empty if no row has it."""

    def follow(self, pane: Pane, wanted: str) -> bool:
        """Go to the next row with a text from where the search began; return False if none has it."""
        if not isinstance(pane, Grid):
            return True  # ENTER says that there are no rows
        if self._pane is not pane:
            self._pane, self._begun = pane, (pane.place, pane.key, pane.first)
        pane.go_back(*self._begun)
        pane.sought = wanted
        self._found = wanted if pane.locate(wanted) else ""
        return bool(self._found)

    def accept(self, wanted: str) -> bool:
        """End the search; return whether the cursor is on a row with the text already."""
        is_same = self._pane is not None and self._found == wanted
        if is_same:
            self._end()
        return is_same

    def withdraw(self) -> None:
        """End a search that was not accepted: the cursor returns to where it was."""
        if self._pane is not None:
            self._pane.go_back(*self._begun)
            self._end()

    def _end(self) -> None:
        if self._pane is not None:
            self._pane.sought = ""
        self._pane, self._found = None, ""
