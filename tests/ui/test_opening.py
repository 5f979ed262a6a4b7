"""The first pictures: they need no Textual, lose no key, and give the terminal back."""

from __future__ import annotations

import signal

import pytest

from tests.ui.terminals import SMALL, OnTerminal
from zmon.cli.output import INTERRUPTED
from zmon.ui.line import Line, Part
from zmon.ui.opening import END, SOON, picture, running

pytestmark = pytest.mark.interpreter

MAIN = "import sys; from zmon.cli.main import main; sys.exit(main())"
WITHOUT_TEXTUAL = "import sys; sys.modules['textual'] = None; "
NEVER = """
import sys, time

class Never:
    def find_spec(self, name, *_):
        while name.startswith("textual"):
            time.sleep(1)

sys.meta_path.insert(0, Never())
"""
"""Lets the import of Textual take for ever."""
DROPPED = """
import os, signal, weakref

class Thing:
    pass

function = {place}

def dropped(*arguments):
    thing = Thing()
    seen = weakref.ref(thing, lambda _: (os.write(2, b"CALLED"), os.kill(os.getpid(), {signal})))
    del thing
    return function(*arguments)

{place} = dropped
"""
"""Lets a signal come in a callback, where Python drops its exception, before something is done."""
KEPT = "import termios; termios.tcflush = lambda *_: None; "
"""Lets the terminal keep what was written when the program ends: a reader that is late sees it, too."""
FIGURES = "Channels  "
"""A resource on OVERVIEW, which has figures from the second sample on."""


def slow(wait: float = 0.0, more: str = "") -> str:
    """Return a program whose start counts as slow, and which takes its second sample after a while."""
    changed = f"import zmon.ui.opening as o; o.SLOW = 0.0; o.FIRST_INTERVAL = {wait}; "
    return f"{changed}{more}{MAIN}"


def test_there_are_figures_before_textual_is_loaded() -> None:
    """Even without Textual the opening screen is painted; then the terminal is as it was."""
    with OnTerminal(slow(more=KEPT + WITHOUT_TEXTUAL)) as terminal:
        assert terminal.status() == 1
        painted, _, after = terminal.written.rpartition(END)
        assert all(words in painted for words in ("OVERVIEW", FIGURES, SOON))
        assert "textual" in after
        assert terminal.settings_are_back


def test_a_simulated_machine_has_figures_before_textual_is_loaded() -> None:
    """On any processor: a first look where its last interval takes long, else that interval."""
    for name, words in (("small-stripes", "First look, at "), ("pav-3", SOON)):
        with OnTerminal(NEVER + MAIN, ("--from", f"lab:{name}")) as terminal:
            terminal.until(FIGURES)
            terminal.until(words)
            terminal.process.send_signal(signal.SIGINT)
            assert terminal.status() == INTERRUPTED
            assert terminal.settings_are_back


def test_the_whole_interval_follows_a_first_look() -> None:
    """Textual shows it, and the guidance says again how to go on."""
    with OnTerminal(MAIN, ("--from", "lab:path-lost")) as terminal:
        terminal.until("First look, at ")
        terminal.until("F4 is the menu")


def test_a_recording_has_figures_before_textual_is_loaded() -> None:
    """On any processor: its screen is filled, and painted."""
    with OnTerminal(NEVER + MAIN, ("--from", SMALL)) as terminal:
        terminal.until(FIGURES)
        terminal.until(SOON)
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.status() == INTERRUPTED
        assert terminal.settings_are_back


def test_there_is_a_first_look_at_this_machine() -> None:
    """It needs no Textual, and says how short it is; a longer interval follows."""
    with OnTerminal(MAIN) as terminal:
        terminal.until(FIGURES)
        terminal.until("First look, at 0.")
        terminal.until("F4 is the menu")


def test_the_glass_goes_on_and_carries_out_what_was_typed() -> None:
    """A recording: its screen is painted, then the one whose number was typed."""
    with OnTerminal(slow(), ("--from", SMALL), before="13\r") as terminal:
        terminal.until("FCX108")
        assert terminal.written.index(SOON) < terminal.written.index("FCX108")
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.status() == 128 + signal.SIGTERM
        assert terminal.given_back


def test_a_key_ends_the_wait() -> None:
    """Who types need not wait for the second sample; the key is not lost."""
    with OnTerminal(slow(3600.0)) as terminal:
        terminal.until(SOON)
        terminal.type(b"^")
        terminal.until("^")


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, INTERRUPTED), (signal.SIGTERM, 128 + signal.SIGTERM)]
)
@pytest.mark.parametrize("place", ["o.take_sample", "o.FirstPictures.hand_over"])
def test_no_signal_is_lost(place: str, number: signal.Signals, status: int) -> None:
    """Python drops what is raised in a callback of a weak reference, and goes on: zmon ends in silence."""
    wait = 3600.0 if place == "o.take_sample" else 0.0
    with OnTerminal(slow(wait, KEPT + DROPPED.format(place=place, signal=int(number)))) as terminal:
        assert terminal.status() in {status, -number}  # the glass ends by the signal itself, after a while
        assert "CALLED" in terminal.written
        assert "Exception ignored" not in terminal.written
        assert terminal.settings_are_back
        assert END in terminal.written


def test_signals_and_control_c_give_the_terminal_back() -> None:
    """Before Textual is there, too."""
    with OnTerminal(slow(3600.0)) as terminal:
        terminal.until(SOON)
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.status() == 128 + signal.SIGTERM
        assert terminal.settings_are_back
        assert terminal.written.endswith(END)
    with OnTerminal(slow(3600.0)) as terminal:
        terminal.until("first sample")  # it waits for the second one now
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.status() == INTERRUPTED
        assert terminal.settings_are_back


def test_a_terminal_that_takes_no_output_is_not_waited_for() -> None:
    """A signal ends what stands there, and gives the settings back."""
    with OnTerminal(slow(3600.0)) as terminal:
        terminal.until(SOON)
        terminal.stop_output()
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.status(reads=False) == 128 + signal.SIGTERM
        assert terminal.settings_are_back


def test_a_picture_has_no_colours_and_nothing_that_a_terminal_obeys() -> None:
    """What stands out is bold, the row of the cursor underlined, and ESC of a name a question mark."""
    lines = [Line("all a\x1b[2Jb", "data", (Part(0, 3, "strong"),)), Line("row", under="cursor")]
    painted = picture(lines, 10)
    assert "\x1b[1mall\x1b[m a?[2Jb" in painted
    assert "\x1b[2;1H\x1b[4mrow       \x1b[m" in painted


def test_how_long_the_process_runs_is_known() -> None:
    """It grows with the clock."""
    assert 0.0 < running() <= running()
