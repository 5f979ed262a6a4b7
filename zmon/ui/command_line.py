"""The command line: what is typed, the caret in it, and what was typed before."""

from __future__ import annotations

from typing import Final

PROMPT: Final = " Command ===> "


class CommandLine:
    """One line of text that is edited, and the commands given before."""

    def __init__(self) -> None:
        """Begin empty."""
        self.text = ""
        self.caret = 0
        self._before: list[str] = []
        self._recalled = 0

    def type(self, words: str) -> None:
        """Put characters in at the caret."""
        self.text = self.text[: self.caret] + words + self.text[self.caret :]
        self.caret += len(words)

    def take(self) -> str:
        """Return what was typed, remember it, and begin anew."""
        line = self.text.strip()
        if line and self._before[-1:] != [line]:
            self._before.append(line)
        self._recalled = 0
        self.clear()
        return line

    def retrieve(self) -> bool:
        """Bring back the command given before, then older ones; False when there is none."""
        if not self._before:
            return False
        self._recalled = self._recalled % len(self._before) + 1
        self.text = self._before[-self._recalled]
        self.caret = len(self.text)
        return True

    def clear(self) -> None:
        """Delete what was typed."""
        self.text, self.caret = "", 0

    def move(self, by: int) -> None:
        """Move the caret."""
        self.caret = max(0, min(self.caret + by, len(self.text)))

    def delete(self) -> None:
        """Delete the character at the caret."""
        self.text = self.text[: self.caret] + self.text[self.caret + 1 :]

    def erase(self) -> None:
        """Delete the character before the caret."""
        if self.caret:
            self.caret -= 1
            self.delete()

    def erase_word(self) -> None:
        """Delete the word before the caret."""
        left = self.text[: self.caret].rstrip()
        begin = left.rfind(" ") + 1
        self.text, self.caret = self.text[:begin] + self.text[self.caret :], begin

    def seen(self, width: int) -> tuple[str, int]:
        """Return the part of the text that fits into `width` characters with the caret, and where that is."""
        first = max(0, self.caret - max(width, 1) + 1)
        return self.text[first : first + max(width, 1)], self.caret - first
