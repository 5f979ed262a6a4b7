"""The first pictures, which are shown before Textual is loaded.

Loading Textual takes longer than all that zmon does until it can say what is wrong.  So the glass, which
needs no Textual, is painted by a few sequences that every terminal knows, in the colours of the terminal,
until it has figures.  Then Textual is loaded and goes on with the same glass.  What is typed meanwhile waits
in the terminal.

Of this machine there is a first look at `LOOK` seconds, which nothing is concluded from and nobody keeps.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import time
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Final

from zmon.base.plain_text import harmless
from zmon.interval import Interval
from zmon.kinds import DEVICE
from zmon.screen.charset import ascii_only, style
from zmon.tables.filled import needs
from zmon.ui import frame
from zmon.ui.actions import GlassActions
from zmon.ui.glass import Glass
from zmon.ui.keys import KeyMap, KeysError, load_keys
from zmon.ui.line import runs
from zmon.ui.threads import FIRST_INTERVAL, take_sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.session.navigator import CursorMove
    from zmon.session.page import FillTask
    from zmon.session.session import Session
    from zmon.ui.glass import GlassReader
    from zmon.ui.history import CommandHistory
    from zmon.ui.line import Line

SLOW: Final = 1.0
"""Seconds from the start of the process to the glass from which on the processor counts as slow: a usual one
needs a fifth of that.  Loading Textual would then take longer than the first interval."""
LOOK: Final = 0.2
"""Seconds of the first look at this machine: a clock of 100 Hz ticks twenty times in it."""
MOST_DEVICES: Final = 500
"""Devices of a recording up to which its first screen is filled before Textual is loaded; with more it would
keep the keys waiting."""

ENDING: Final = (signal.SIGTERM, signal.SIGHUP)
"""Signals that end the program after the terminal is given back; the exit status is 128 and their number."""

SOON: Final = "What you type now is carried out in a moment"
"""The guidance while no key is answered."""

BEGIN: Final = "\x1b[?1049h\x1b[?25l\x1b[2J"
"""The second screen, without a cursor, and empty."""
END: Final = "\x1b[?1049l\x1b[?25h"

LOOKS: Final = {"strong": "1", "look": "1", "alarm": "1", "message": "1", "caret": "7", "cell": "1;7"}
"""How the kinds of parts are drawn that do not look as all else."""


def new_glass(
    session: Session, first: str = "", keymap: KeyMap | None = None, history: CommandHistory | None = None
) -> Glass:
    """Return the glass of a session, with the user's keys; it says what is wrong with their file.

    The command `first` is given with the first sample.
    """
    encoding = getattr(sys.__stdout__, "encoding", None) or "ascii"
    keymap, wrong = keymap or KeyMap(), ""
    try:
        keymap = KeyMap(keymap.name, {**keymap.own, **load_keys()})
    except KeysError as error:
        wrong = str(error)
    early = EarlyReader(live=session.timeline.live)
    glass = Glass(
        session,
        first,
        reader=early,
        actions=GlassActions(),
        keymap=keymap,
        history=history,
        plain=ascii_only(os.environ, encoding),
        chart=style(os.environ, encoding),
    )
    early.glass = glass
    if wrong:
        glass.say(wrong, "alarm")
    return glass


class EarlyReader:
    """Fills tables of a live machine at once; those of others wait for a first picture, or for a thread."""

    glass: Glass

    def __init__(self, *, live: bool) -> None:
        """Wait for nothing yet."""
        self._live = live
        self._moves: list[CursorMove] = []
        self._newest: FillTask | None = None

    def fill(self, task: FillTask) -> None:
        """Fill a table, or keep the task if it is one of a recording, where that may take long."""
        if self._live:
            self.glass.filled(task, task.table())
        else:
            self._newest = task

    def move(self, move: CursorMove) -> None:
        """Keep a move."""
        self._moves.append(move)

    def fill_kept(self) -> None:
        """Fill the table that was kept, if that does not take long."""
        task = self._newest
        if task is not None and len(task.view.interval.of(DEVICE)) <= MOST_DEVICES:
            self._newest = None
            self.glass.filled(task, task.table())

    def hand_over(self, reader: GlassReader) -> None:
        """Have done what waits."""
        for move in self._moves:
            reader.move(move)
        if self._newest is not None:
            reader.fill(self._newest)


def running() -> float:
    """Return for how many seconds this process has been running.

    Raises:
        OSError, ValueError, IndexError: /proc/self/stat cannot be read.
    """
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
        ticks = int(file.read().rpartition(")")[2].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")


def is_slow() -> bool:
    """Tell whether the start has taken so long that Textual would be waited for."""
    with suppress(OSError, ValueError, IndexError):
        return running() >= SLOW
    return False


def picture(lines: Sequence[Line], width: int) -> str:
    """Return what paints lines on a terminal, in its own colours."""
    painted = []
    for y, line in enumerate(lines, 1):
        painted.append(f"\x1b[{y};1H")
        cut = line._replace(text=line.text[:width].ljust(width))
        under = "4" if line.under == "cursor" else ""
        for text, kind in runs(cut):
            codes = ";".join(filter(None, (under, LOOKS.get(kind, ""))))
            painted.append(f"\x1b[{codes}m{harmless(text)}\x1b[m" if codes else harmless(text))
    return f"\x1b[?7l{''.join(painted)}\x1b[?7h"


class FirstPictures:
    """Paints a glass on the terminal until it has figures."""

    def __init__(self, glass: Glass) -> None:
        """Find the terminal: standard error or, where that is none, standard output, as later."""
        self.glass = glass
        error, output = sys.__stderr__, sys.__stdout__
        stream = output if error is None or not error.isatty() else error
        assert stream is not None  # noqa: S101 - zmon refuses to start without a terminal
        self._output, self._encoding = stream.fileno(), stream.encoding
        self._before = termios.tcgetattr(sys.stdin.fileno())
        self.taken = False
        """Whether Textual has the terminal, and gives it back."""
        self._ended: int | None = None
        """The signal that was to end the program."""
        self._before_interrupt = signal.getsignal(signal.SIGINT)

    def begin(self) -> None:
        """Take the terminal; keys are kept as they are typed, and not echoed."""
        settings = termios.tcgetattr(sys.stdin.fileno())
        settings[0] &= ~(termios.ICRNL | termios.IXON | termios.INLCR | termios.IGNCR)
        settings[3] &= ~(termios.ICANON | termios.ECHO | termios.IEXTEN)
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, settings)
        self._write(BEGIN)

    def end(self, number: int, _frame: object) -> None:
        """End the program, as a handler of signals.

        Python drops an exception that is raised in a `__del__` or in a callback of a weak reference, of which
        each import has one: so what was asked for is kept, and `check` raises it again.
        """
        self._ended = number
        self.check()

    def hand_over(self) -> None:
        """Leave the terminal, and Ctrl+C, to Textual, which answers the other signals by now.

        Raises:
            KeyboardInterrupt, SystemExit: the user, or a signal, has ended the program.
        """
        signal.signal(signal.SIGINT, self._before_interrupt)
        self.check()
        self.taken = True

    def check(self) -> None:
        """End the program if that was asked for.

        Raises:
            KeyboardInterrupt, SystemExit: it was.
        """
        if self._ended == signal.SIGINT:
            raise KeyboardInterrupt
        if self._ended is not None:
            raise SystemExit(128 + self._ended)

    def restore(self) -> None:
        """Make the terminal what it was, without waiting for one that takes no output."""
        with suppress(OSError, termios.error):
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, self._before)
            if not self.taken:
                termios.tcflush(self._output, termios.TCOFLUSH)
                termios.tcflow(self._output, termios.TCOON)
                os.set_blocking(self._output, False)
                try:
                    os.write(self._output, END.encode())
                finally:
                    os.set_blocking(self._output, True)

    def paint(self) -> None:
        """Paint what the glass shows now.

        Raises:
            KeyboardInterrupt, SystemExit: the user, or a signal, has ended the program.
        """
        self.check()
        width, height = os.get_terminal_size(self._output)
        self.glass.resize(width, height)
        lines = self.glass.lines()
        if not self.glass.too_small and self.glass.first_look is None:
            lines[-3] = frame.guidance(SOON, self.glass.pane.position, width)
        self._write(picture(lines, width))

    def _load(self) -> None:
        """Load, while the first look takes its time, what will be asked, and then what answers keys."""
        needs(self.glass.session.page.screen.table)
        if not _is_typed(0.0):
            import_module("zmon.ui.app")

    def _write(self, text: str) -> None:
        left = text.encode(self._encoding, "replace")
        while left:
            left = left[os.write(self._output, left) :]

    def show(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Paint until there are figures, or a key is pressed: a live machine needs two samples for them.

        Of a simulated machine there is a first look, or its last interval where that is known as soon.  Of
        this machine there is a first look; where the processor is slow, it is its first interval.
        """
        self.paint()
        timeline = self.glass.session.timeline
        if timeline.previews and self.glass.session.interval is None:
            interval = timeline.first_look()
            if interval is not None:
                self.glass.looked(interval)
            else:
                self.glass.previewed(timeline.preview())
            self.paint()
        if not timeline.live:
            if isinstance(self.glass.reader, EarlyReader):
                self.glass.reader.fill_kept()
                self.paint()
            return
        due = clock()
        if not is_slow():
            before = timeline.glance()
            self._load()
            if not _is_typed(due + LOOK - clock()):
                self.glass.looked(Interval(before, timeline.glance()))
                self.paint()
            return
        for wait in (0.0, FIRST_INTERVAL):
            if _is_typed(due + wait - clock()):
                return
            self.glass.sampled(take_sample(timeline))
            self.paint()


def _is_typed(seconds: float) -> bool:
    """Wait for a key; return whether one came."""
    return bool(select.select([sys.stdin], [], [], max(0.0, seconds))[0])


@contextmanager
def quiet_end() -> Iterator[None]:
    """Do not tell of the end of the program where Python drops it: it was kept, and comes all the same."""
    before = sys.unraisablehook

    def tell(dropped: sys.UnraisableHookArgs) -> None:
        if dropped.exc_type not in {KeyboardInterrupt, SystemExit}:
            before(dropped)

    sys.unraisablehook = tell
    try:
        yield
    finally:
        sys.unraisablehook = before


@contextmanager
def first_pictures(
    session: Session, first: str, keymap: KeyMap | None = None, history: CommandHistory | None = None
) -> Iterator[FirstPictures | None]:
    """Show the first pictures of a session, and at the end give the terminal back; a tour has none.

    What fails is tried again, and told, by the program that goes on.
    """
    pictures = None
    if session.guide is None and session.timeline.fleet is None:
        with suppress(OSError, termios.error):  # no terminal that can be painted on
            pictures = FirstPictures(new_glass(session, first, keymap, history))
    if pictures is None:
        yield None
        return
    handlers = {number: signal.getsignal(number) for number in (*ENDING, signal.SIGINT)}
    try:
        for number, handler in handlers.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, pictures.end)
        with quiet_end():
            with suppress(Exception):
                pictures.begin()
                pictures.show()
                pictures.check()
            yield pictures
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        pictures.restore()
