"""What takes long is said on the terminal, and nowhere else."""

from __future__ import annotations

import io
import sys
import threading

import pytest

from zmon.cli.output import announced


class Screen(io.StringIO):
    """A terminal, or a file, that knows when something was written to it."""

    def __init__(self, *, terminal: bool = True) -> None:
        super().__init__()
        self.terminal = terminal
        self.written = threading.Event()

    def isatty(self) -> bool:
        """Tell whether it is a terminal."""
        return self.terminal

    def flush(self) -> None:
        """Note that something was written."""
        self.written.set()


def test_what_takes_long_is_said_on_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that what is printed next begins on a new line."""
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with announced("lab:fleet\x1b", seconds=0.0):
        assert screen.written.wait(10)
    assert screen.getvalue().startswith("zmon: simulating lab:fleet")
    assert screen.getvalue().endswith(" ...\n")
    assert "\x1b" not in screen.getvalue()


def test_what_is_done_soon_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even later."""
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    before = threading.active_count()
    with announced("r.zmon", seconds=1000.0):
        pass
    assert (screen.getvalue(), threading.active_count()) == ("", before)


@pytest.mark.parametrize(("source", "terminal"), [("lab:fleet", False), (None, True)])
def test_elsewhere_nobody_waits(source: str | None, terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in a log, nor where only this machine is looked at."""
    monkeypatch.setattr(sys, "stderr", Screen(terminal=terminal))
    before = threading.active_count()
    with announced(source, seconds=1000.0):
        assert threading.active_count() == before
