"""What the glass does with the terminal: any input is survived, and the terminal is given back at the end."""

from __future__ import annotations

import os
import selectors
import signal
from codecs import getincrementaldecoder
from queue import SimpleQueue
from selectors import SelectorKey, SelectSelector
from threading import Event, Thread
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import constants
from textual._xterm_parser import XTermParser
from textual.events import Key
from textual.message import Message

from tests.ui.terminals import SMALL, OnTerminal
from zmon.ui.terminal import GONE, Output, Terminal

pytestmark = pytest.mark.interpreter

MAIN = "import sys; from zmon.cli.main import main; sys.exit(main())"
LIST = ("--from", SMALL, "DEVICE")
SHOWN = "FCX108"


def test_a_key_that_is_no_utf8_and_sigterm() -> None:
    """Bytes that are no UTF-8 are shown as such and end nothing; SIGTERM gives the terminal back."""
    with OnTerminal(MAIN, LIST) as terminal:
        terminal.until(SHOWN)
        terminal.type(b"lp\xfcr")
        terminal.until("lp\ufffdr")
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.status() == 128 + signal.SIGTERM
        assert terminal.given_back
        assert "Traceback" not in terminal.written


def test_keys_before_the_first_screen() -> None:
    """A word tells at once what is being done, and what is typed meanwhile is carried out."""
    with OnTerminal(MAIN, ("--from", SMALL), before="13\r") as terminal:
        terminal.until("zmon: reading")
        terminal.until(SHOWN)
        begin = terminal.written.index("\x1b[?1049h")
        assert "zmon: reading" in terminal.written[:begin]


def test_sighup_gives_the_terminal_back() -> None:
    """A hang-up ends the glass in order, and its status says so."""
    with OnTerminal(MAIN, LIST) as terminal:
        terminal.until(SHOWN)
        terminal.process.send_signal(signal.SIGHUP)
        assert terminal.status() == 128 + signal.SIGHUP
        assert terminal.given_back


def test_a_terminal_that_goes_away_ends_the_glass() -> None:
    """Even where SIGHUP is ignored, as under nohup."""
    ignoring = f"import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); {MAIN}"
    with OnTerminal(ignoring, LIST) as terminal:
        terminal.until(SHOWN)
        terminal.hang_up()
        assert terminal.status() == GONE


def test_a_terminal_that_takes_no_output() -> None:
    """A signal ends the glass even while it waits for the terminal to take what it writes."""
    impatient = f"import zmon.ui.terminal; zmon.ui.terminal.DEADLINE = 0.2; {MAIN}"
    with OnTerminal(impatient, LIST) as terminal:
        terminal.until(SHOWN)
        terminal.stop_output()
        terminal.type(b"x")
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.status(reads=False) in {-signal.SIGTERM, 128 + signal.SIGTERM}
        assert terminal.settings_are_back


CRASH = f"import zmon.ui.glass as g; g.Glass.lines = lambda self: {{}}['no line']; {MAIN}"


@pytest.mark.parametrize("trace", ["0", "1"])
def test_a_mistake_in_the_glass(trace: str) -> None:
    """It gives the terminal back, says one sentence, and is no success; the traceback comes on request."""
    with OnTerminal(CRASH, LIST, ZMON_TRACE=trace) as terminal:
        assert terminal.status() == 1
        assert terminal.given_back
        after = terminal.written.rpartition("\x1b[?1004l")[2]
        assert "KeyError: 'no line'" in after
        assert ("Traceback" in terminal.written) == (trace == "1")
        if trace == "0":
            assert after.strip().count("\n") <= 2
            assert "ZMON_TRACE=1" in " ".join(after.split())


class Full:
    """A file on which nothing can be written."""

    def __init__(self) -> None:
        self.tried = 0

    def write(self, text: str) -> int:
        """Fail."""
        self.tried += 1
        raise OSError(5, "Input/output error", text)

    def flush(self) -> None:
        """Do nothing."""

    def fileno(self) -> int:
        """Return none."""
        return -1


def test_output_that_is_gone() -> None:
    """What cannot be written is dropped, which is said once."""
    said: list[str] = []
    full = Full()
    output = Output(full, lambda: said.append("gone"))
    output.write("x")
    output.write("y")
    output.flush()
    assert (said, full.tried) == (["gone"], 1)


class Deaf(Terminal):
    """A driver without a terminal, which counts what was typed."""

    def __init__(self) -> None:
        self._debug = False
        self.events: list[Message] = []

    def process_message(self, message: Message) -> None:
        """Keep it."""
        self.events.append(message)


SEQUENCES = st.sampled_from(
    [
        b"\x1b",
        b"[",
        b"O",
        b"<",
        b"?",
        b":",
        b";",
        b"M",
        b"u",
        b"R",
        b"~",
        b"48;",
        b"t",
        b"$y",
        b"0",
        b"9" * 5000,
    ]
)


@given(st.lists(SEQUENCES | st.binary(max_size=4), max_size=12))
def test_any_bytes_can_be_typed(parts: list[bytes]) -> None:
    """Nothing that a terminal sends is an error, in whatever pieces it comes."""
    driver = Deaf()
    decode = getincrementaldecoder("utf-8")(errors="replace").decode
    parser = XTermParser()
    for part in parts:
        parser = driver._parsed(driver._parsed(parser, decode(part)))
    assert all(isinstance(event, Message) for event in driver.events)


class Patient(SelectSelector):
    """A selector that notes how long it was asked to wait."""

    waits: ClassVar[SimpleQueue[float | None]] = SimpleQueue()

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        """Wait."""
        self.waits.put(timeout)
        return super().select(timeout)


class Wired(Deaf):
    """A driver that reads from a pipe."""

    def __init__(self, end: int) -> None:
        super().__init__()
        self.fileno = end
        self.exit_event = Event()
        self._end_of_input = os.pipe()
        self.came: SimpleQueue[Message] = SimpleQueue()
        self._key_thread = Thread(target=self.run_input_thread, daemon=True)

    def process_message(self, message: Message) -> None:
        """Hand it on."""
        self.came.put(message)

    def _disable_mouse_support(self) -> None:
        """Do nothing."""

    def gone(self) -> None:
        """Do nothing."""


def test_without_keys_nothing_wakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are waited for without end, behind ESC until it is a key by itself; the end of the app ends it."""
    monkeypatch.setattr(selectors, "SelectSelector", Patient)
    end, keyboard = os.pipe()
    driver = Wired(end)
    assert driver._key_thread is not None
    driver._key_thread.start()
    waits = [Patient.waits.get(timeout=60)]
    os.write(keyboard, b"\x1b")
    escape = driver.came.get(timeout=60)
    waits += [Patient.waits.get(timeout=60) for _ in range(2)]
    driver.disable_input()
    assert not driver._key_thread.is_alive()
    assert isinstance(escape, Key)
    assert escape.key == "escape"
    assert waits == [None, constants.ESCAPE_DELAY, None]
    driver.disable_input()  # a second time there is nothing to end
    for descriptor in (end, keyboard, *driver._end_of_input):
        os.close(descriptor)


def test_keys_behind_what_is_not_understood() -> None:
    """After a report of the terminal with numbers that are none, keys are keys."""
    driver = Deaf()
    parser = driver._parsed(XTermParser(), "\x1b[48;:00R")
    driver._parsed(parser, "q\r")
    assert [event.key for event in driver.events if isinstance(event, Key)] == ["q", "enter"]
