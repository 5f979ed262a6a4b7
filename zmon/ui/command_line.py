"""The command line: what is typed, the commands given before, and candidates for the word that is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.ui.history import CommandHistory
from zmon.ui.line import Line, Part

if TYPE_CHECKING:
    from zmon.session.completion import Completion

PROMPT: Final = " Command ===> "
MOST_LINES: Final = 5
"""Lines that candidates take; of more the part around the chosen one is seen."""
GAP: Final = 2
"""Blanks between two candidates."""


class CommandLine:
    """One line of text that is edited, with the commands given before and what may complete a word."""

    def __init__(self, history: CommandHistory | None = None) -> None:
        """Begin empty, with the commands of a history."""
        self.text = ""
        self.caret = 0
        self.opened = False
        """Whether a key has opened it, so that characters are typed although it is empty."""
        self.completion: Completion | None = None
        """What the word before the caret may become; None until that was asked for."""
        self.chosen = -1
        """Which of these has taken its place; -1 for none."""
        self._history = history or CommandHistory()

    @property
    def in_use(self) -> bool:
        """Whether characters are typed into it rather than functions."""
        return self.opened or bool(self.text)

    @property
    def sought(self) -> str:
        """The text that is looked for while it is typed, as in `/7000`; empty for any other command."""
        return self.text[1:] if self.text.startswith("/") else ""

    def put(self, text: str, caret: int | None = None) -> None:
        """Replace what was typed, with the caret at its end unless said."""
        self.text = text
        self.caret = len(text) if caret is None else caret
        self.completion, self.chosen = None, -1

    def type(self, text: str) -> None:
        """Put characters in at the caret."""
        self.put(self.text[: self.caret] + text + self.text[self.caret :], self.caret + len(text))

    def take(self) -> str:
        """Return what was typed, remember it, and begin anew."""
        line = self.text.strip()
        if line:
            self._history.add(line)
        self.clear()
        return line

    def retrieve(self) -> bool:
        """Bring back the command given before, then older ones, then the last; False when there is none."""
        return self._bring(self._history.older(self.text, around=True))

    def older(self) -> bool:
        """Bring back the command given before, then older ones; False when there is none."""
        return self._bring(self._history.older(self.text))

    def newer(self) -> bool:
        """Go back to a newer command, at last to what was typed; False when there is none."""
        return self._bring(self._history.newer())

    def _bring(self, line: str | None) -> bool:
        if line is None:
            return False
        self.put(line)
        return True

    def complete(self, completion: Completion) -> None:
        """Extend the word before the caret by all that the candidates have in common; list several."""
        self._replace_word(completion, completion.common)
        if len(completion.words) > 1:
            self.completion = completion

    def turn(self, by: int) -> None:
        """Put the next (or previous) candidate in the place of the word; at the end what was typed."""
        completion = self.completion
        if completion is None:
            return
        place = (self.chosen + 1 + by) % (len(completion.words) + 1) - 1
        word = completion.words[place] if place >= 0 else completion.common
        self._replace_word(completion, word)
        self.completion, self.chosen = completion, place

    def _replace_word(self, completion: Completion, word: str) -> None:
        before, after = self.text[: completion.begin], self.text[self.caret :]
        self.put(f"{before}{word}{after}", len(before) + len(word))

    def clear(self) -> None:
        """Delete what was typed."""
        self.put("")
        self.opened = False

    def move(self, by: int) -> None:
        """Move the caret."""
        self.put(self.text, max(0, min(self.caret + by, len(self.text))))

    def delete(self) -> None:
        """Delete the character at the caret."""
        self.put(self.text[: self.caret] + self.text[self.caret + 1 :], self.caret)

    def erase(self) -> None:
        """Delete the character before the caret; in an empty line, close it."""
        if self.caret:
            self.caret -= 1
            self.delete()
        elif not self.text:
            self.clear()

    def erase_word(self) -> None:
        """Delete the word before the caret."""
        left = self.text[: self.caret].rstrip()
        begin = left.rfind(" ") + 1
        self.put(self.text[:begin] + self.text[self.caret :], begin)

    def seen(self, width: int) -> tuple[str, int]:
        """Return the part of the text that fits into `width` characters with the caret, and where that is."""
        first = max(0, self.caret - max(width, 1) + 1)
        return self.text[first : first + max(width, 1)], self.caret - first


def command_line(entry: CommandLine, width: int) -> Line:
    """Return the command line with what is typed and the caret in it."""
    seen, caret = entry.seen(width - len(PROMPT) - 1)
    at = len(PROMPT) + caret
    line = (PROMPT + seen).ljust(at + 1)
    return Line(line, "entry", (Part(0, len(PROMPT), "label"), Part(at, at + 1, "caret")))


def candidate_lines(entry: CommandLine, width: int, room: int) -> list[Line]:
    """Return the candidates for a word in columns, the chosen one marked; none unless there are several."""
    completion, most = entry.completion, min(room, MOST_LINES)
    if completion is None or most < 1:
        return []
    cell = min(max(map(len, completion.words)), width - 2 - GAP) + GAP
    across = max((width - 2) // cell, 1)
    rows = -(-len(completion.words) // across)
    first = max(0, min(entry.chosen // across - most // 2, rows - most))
    lines = []
    for row in range(first, min(first + most, rows)):
        names = completion.words[row * across : (row + 1) * across]
        text = " " + "".join(word[: cell - GAP].ljust(cell) for word in names)
        place = entry.chosen - row * across
        start = 1 + place * cell
        chosen = [Part(start, start + len(names[place]), "cell")] if 0 <= place < len(names) else []
        lines.append(Line(text.rstrip().ljust(width), "message", tuple(chosen)))
    if rows > most:
        seen = min((first + most) * across, len(completion.words))
        more = f" {seen} of {len(completion.words)} "
        text, room = lines[-1].text, width - len(more)
        whole = text[:room] if text[room - 1 : room + 1].isspace() else text[:room].rpartition(" ")[0]
        lines[-1] = lines[-1]._replace(text=whole.ljust(room) + more)
    return lines
