"""The terminal under the glass: it survives any input, is given back whatever happens, and may go away.

Textual's own driver decodes input strictly, so one key of a terminal set to ISO-8859-1 ends the program.  It
reads a terminal that has gone away for ever, and leaves one in raw mode when a signal ends the program.
"""

from __future__ import annotations

import os
import selectors
import signal
import sys
import termios
import threading
from codecs import getincrementaldecoder
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, Protocol

from textual import constants
from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

ENDING: Final = (signal.SIGTERM, signal.SIGHUP)
"""Signals that end the program after the terminal is given back; the exit status is 128 and their number."""
GONE: Final = 128 + signal.SIGHUP
"""The exit status when the terminal has gone away, signal or not."""
DEADLINE: Final = 2.0
"""Seconds after which a signal ends the program even if the terminal takes no output."""
AT_ONCE: Final = 4096
"""Bytes of input that are read at once."""
RESTORED: Final = (
    b"\x1b[?2004l\x1b[?7h\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l"
)
"""What takes back everything that the driver asks of a terminal: mouse, pastes, second screen, cursor."""


class Writable(Protocol):
    """What of a file is needed."""

    def write(self, text: str, /) -> int:
        """Write."""

    def flush(self) -> None:
        """Send what is written."""

    def fileno(self) -> int:
        """Return the descriptor."""


class Output:
    """A file to which writing never fails: after the first error `gone` is called and the rest is dropped."""

    def __init__(self, file: Writable, gone: Callable[[], None]) -> None:
        """Write to `file`."""
        self._file = file
        self._gone = gone
        self._open = True

    def write(self, text: str) -> None:
        """Write, as long as there is somewhere to write to."""
        self._try(lambda: self._file.write(text))

    def flush(self) -> None:
        """Send what is written."""
        self._try(self._file.flush)

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._file.fileno()

    def _try(self, work: Callable[[], object]) -> None:
        if not self._open:
            return
        try:
            work()
        except (OSError, ValueError):  # ValueError: the file is closed
            self._open = False
            self._gone()


class Terminal(LinuxDriver):
    """Textual's driver, for terminals as they are."""

    def __init__(self, *args: Any, **more: Any) -> None:
        """Read standard input; write to standard error or, where that is no terminal, standard output."""
        super().__init__(*args, **more)
        error, output = sys.__stderr__, sys.__stdout__
        file = output if error is None or not error.isatty() else error
        self._file: Any = Output(file, self.gone) if file is not None else None
        self._end_of_input = os.pipe()
        """Ends the thread that waits for keys: where it reads, and where that is written."""

    def gone(self) -> None:
        """End the app, because there is no terminal any more; called from a thread."""
        with suppress(RuntimeError):  # the loop is closed: it has ended already
            self._loop.call_soon_threadsafe(self._app.exit, GONE)

    def _run_input_thread(self) -> None:
        """Read keys until the app ends; an error ends the app."""
        try:
            self.run_input_thread()
        except Exception as error:  # noqa: BLE001 - without this thread no key would be read any more
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._app._handle_exception, error)  # noqa: SLF001

    def disable_input(self) -> None:
        """End the thread that waits for keys; it would wait until the next one."""
        if self._key_thread is not None and self._key_thread.is_alive():
            os.write(self._end_of_input[1], b"\0")
        super().disable_input()

    def run_input_thread(self) -> None:
        """Read keys until the app ends or the terminal is closed.

        Without a key nothing wakes this thread, but for ESC: so long nothing more may come of a sequence.
        """
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        wait: float | None = None
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            selector.register(self._end_of_input[0], selectors.EVENT_READ)
            while not self.exit_event.is_set():
                ready = {key.fd for key, _ in selector.select(wait)}
                wait = None
                if self._end_of_input[0] in ready:
                    os.read(self._end_of_input[0], 1)
                    return
                if ready:
                    wait = constants.ESCAPE_DELAY
                    try:
                        data = os.read(self.fileno, AT_ONCE)
                    except BlockingIOError:
                        continue
                    except OSError:
                        data = b""
                    if not data:
                        self.gone()
                        return
                    parser = self._parsed(parser, decode(data))
                parser = self._parsed(parser)

    def close(self) -> None:
        """Close what the app needs no more."""
        super().close()
        for descriptor in self._end_of_input:
            os.close(descriptor)

    def _parsed(self, parser: XTermParser, text: str = "") -> XTermParser:
        """Send on what was typed; return the parser to go on with, another one if it could not read this.

        Without `text` what was typed before is taken as complete, if it was some time ago.
        """
        try:
            for event in parser.feed(text) if text else parser.tick():
                self.process_message(event)
        except (ValueError, ParseError):  # ValueError: a report of the terminal with numbers that are none
            return XTermParser(self._debug)
        return parser

    def give_back(self) -> None:
        """Make the terminal what it was, without waiting for anything; for when the app cannot do it."""
        with suppress(OSError, termios.error):
            if self.attrs_before is not None:
                termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)
            termios.tcflush(self.fileno, termios.TCOFLUSH)
            termios.tcflow(self.fileno, termios.TCOON)
            os.set_blocking(self.fileno, False)
            try:
                os.write(self.fileno, RESTORED)
            finally:
                os.set_blocking(self.fileno, True)


def let_go() -> None:
    """Let nothing fail at the end for want of a terminal: what cannot be written there is dropped."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with open(os.devnull, "w", encoding="utf-8") as nowhere:
                os.dup2(nowhere.fileno(), stream.fileno())


@contextmanager
def ended_by_signals(leave: Callable[[int], None], give_back: Callable[[], None]) -> Iterator[None]:
    """Let a signal that ends the program end it in order: `leave(status)` is called, in the main thread.

    If that has not led out of here after a while, the terminal takes no output: `give_back` is called from a
    thread, and then the signal ends the program.  A second signal ends it at once.  What is ignored, as
    under nohup, stays so.
    """
    last: list[threading.Timer] = []

    def end(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        timer = threading.Timer(DEADLINE, force, (number,))
        timer.daemon = True
        timer.start()
        last.append(timer)
        leave(128 + number)

    def force(number: int) -> None:
        give_back()
        os.kill(os.getpid(), number)

    before = {number: signal.getsignal(number) for number in ENDING}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, end)
    try:
        yield
    finally:
        for timer in last:
            timer.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)
