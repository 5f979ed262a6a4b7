#!/usr/bin/env python3
"""How long a program takes until words stand on its screen, in tmux: seconds, and seconds of processor time.

    opened.py NAME FILE --words OVERVIEW --words 'Devices +' [--size 132x43] -- COMMAND...

Appends a line of JSON to FILE for each of the words (regular expressions).  The pane is looked at only when
the program has written something, so that looking takes no processor from it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

STEP: Final = 0.02
"""Seconds between two looks at how much the program has written."""
PAUSE: Final = 0.2
"""Seconds between two pictures."""
PATIENCE: Final = 120.0
"""Seconds after which a program is given up."""


def tmux(*words: str) -> str:
    """Return what tmux answers; empty if it refuses."""
    return subprocess.run(("tmux", *words), capture_output=True, text=True, check=False).stdout


def cpu_seconds(process: int) -> float:
    """Return the seconds of processor time that the threads of a process have used."""
    tasks = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


class Opened:
    """A program in tmux, and its pictures as they come."""

    def __init__(self, command: Sequence[str], size: str = "132x43") -> None:
        """Start the program; `size` are columns and lines of its terminal."""
        self.name = f"opened-{os.getpid()}"
        self._folder = tempfile.TemporaryDirectory()
        self._written = Path(self._folder.name, "written")
        self._written.touch()
        columns, lines = size.split("x")
        # it waits until what it writes is seen
        go = Path(self._folder.name, "go")
        os.mkfifo(go)
        line = f"read < {go}; exec {shlex.join(command)}"
        tmux("new-session", "-d", "-s", self.name, "-x", columns, "-y", lines, line)
        tmux("pipe-pane", "-t", self.name, "-o", f"exec cat >{self._written}")
        self.process = int(tmux("list-panes", "-t", self.name, "-F", "#{pane_pid}"))
        self.start = time.monotonic()
        go.write_text("\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        tmux("kill-session", "-t", self.name)
        self._folder.cleanup()

    def pictures(self) -> Iterator[tuple[float, float, str]]:
        """Yield seconds since the start, seconds of processor, and the picture, as often as it changes."""
        known = 0
        while (now := time.monotonic() - self.start) < PATIENCE:
            written = self._written.stat().st_size
            if written == known:
                if not Path(f"/proc/{self.process}").exists():
                    return
                time.sleep(STEP)
                continue
            known = written
            try:
                used = cpu_seconds(self.process)
            except OSError:
                return
            yield now, used, tmux("capture-pane", "-p", "-t", self.name)
            time.sleep(PAUSE)


def measured(
    command: Sequence[str], finders: dict[str, Callable[[str], str]], size: str = "132x43"
) -> dict[str, dict[str, Any]]:
    """Run a program until each finder has found something in a picture; return when, and what."""
    found: dict[str, dict[str, Any]] = {}
    with Opened(command, size) as program:
        picture = ""
        for at, used, picture in program.pictures():
            for name, find in finders.items():
                if name not in found and (text := find(picture)):
                    found[name] = {"after": at, "cpu": used, "text": text}
            if len(found) == len(finders):
                break
        found["last"] = {"picture": picture}
    return found


def main() -> int:
    """Measure one program; return 1 if not all words came."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name")
    parser.add_argument("file", type=Path)
    parser.add_argument("--words", action="append", required=True)
    parser.add_argument("--size", default="132x43")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()

    def finder(words: str) -> Callable[[str], str]:
        return lambda picture: (re.search(words, picture) or [""])[0]

    found = measured(options.command, {words: finder(words) for words in options.words}, options.size)
    with options.file.open("a") as file:
        for words in options.words:
            line = {"program": options.name, "words": words, **found.get(words, {})}
            file.write(json.dumps(line) + "\n")
            print(line, flush=True)
    if len(found) <= len(options.words):
        print(found["last"]["picture"])
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
