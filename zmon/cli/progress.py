"""A word of progress on the terminal, for what takes long before the first screen."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_TERMINALS: Final = {"", "dumb", "unknown"}
"""Values of TERM that name a terminal without cursor addressing: a 3215 or the HMC's console."""

ERASE: Final = "\r\x1b[K"
"""Goes to the begin of the line and erases it."""


PATIENCE: Final = 0.7
"""Seconds that a command waits before it says what takes long."""


@contextmanager
def patience(source: str | None, seconds: float = PATIENCE) -> Iterator[None]:
    """Say on a line of its own what is done with a source, if it takes longer than so many seconds.

    Where standard error is no terminal, or no source is named, nothing is said.
    """
    from zmon.screen.number import harmless  # noqa: PLC0415 - --help needs none of it

    stream = sys.stderr
    if not source or stream is None or not stream.isatty():
        yield
        return
    import threading  # noqa: PLC0415 - a lookup by a program starts without it

    words = f"zmon: {harmless(opening(source))} ...\n"
    timer = threading.Timer(seconds, lambda: (stream.write(words), stream.flush()))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Say on the terminal what is being done, and take it back when it is done.

    Where standard error is no terminal nothing is said; one without cursor addressing keeps the words.
    """
    from zmon.screen.number import harmless  # noqa: PLC0415 - --help needs none of it

    stream = sys.stderr
    if stream is None or not stream.isatty():
        yield
        return
    line_mode = os.environ.get("TERM", "") in LINE_TERMINALS
    stream.write(f"zmon: {harmless(doing)} ..." + "\n" * line_mode)
    stream.flush()
    try:
        yield
    finally:
        if not line_mode:
            stream.write(ERASE)
            stream.flush()


def opening(source: str | None) -> str:
    """Say what has to be done to open a source, as it is named on the command line."""
    if not source:
        return "opening the screens"
    return f"{'simulating' if source.startswith('lab:') else 'reading'} {source}"
