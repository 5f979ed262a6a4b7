"""The program on the glass: keys and mouse in, lines out, samples and tables from threads."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.app import App
from textual.events import Key, Paste
from textual.message import Message

from zmon.ui.opening import EarlyReader, new_glass
from zmon.ui.painter import Beside, Painter
from zmon.ui.terminal import Terminal, ended_by_signals, let_go
from zmon.ui.theme import ALIASES, CSS, OWN_THEMES, THEME_3270, parts
from zmon.ui.theme_names import unknown_theme
from zmon.ui.threads import ReadingThread, SamplingThread, SideThread
from zmon.ui.tour_panel import Room, TourPanel

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.driver import Driver
    from textual.timer import Timer

    from zmon.session.session import Session
    from zmon.ui.glass import Glass
    from zmon.ui.history import CommandHistory
    from zmon.ui.keys import KeyMap
    from zmon.ui.opening import FirstPictures
    from zmon.ui.threads import Result

WHEEL_LINES: Final = 3

SWITCH_SECONDS: Final = 0.0005
"""How long a thread that fills tables may hold up the one that answers keys."""


SOON: Final = 0.3
"""Seconds after which the guidance says what is awaited."""


class WorkDone(Message):
    """The result of a thread."""

    def __init__(self, result: Result) -> None:
        """Carry a result."""
        super().__init__()
        self.result = result

    def can_replace(self, message: Message) -> bool:
        """Let a newer sample replace one that was not taken yet."""
        both = (self.result, message.result) if isinstance(message, WorkDone) else ()
        return bool(both) and all(result.sample is not None for result in both)


class GlassError(Exception):
    """A mistake in zmon or in Textual has ended the glass."""


class Zmon(App[int], inherit_bindings=False):
    """The glass on a terminal."""

    CSS = CSS
    ENABLE_COMMAND_PALETTE = False

    def __init__(  # noqa: PLR0913 - these are a user's choices
        self,
        session: Session,
        seconds: float,
        first: str = "",
        theme: str = "",
        *,
        keymap: KeyMap | None = None,
        history: CommandHistory | None = None,
        glass: Glass | None = None,
    ) -> None:
        """Prepare; nothing is read before there is a screen but the user's keys in `keys.toml`.

        A `glass` of the session may be there already.
        """
        # the terminal's own colours can be left out wholly; others Textual would turn into greys
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        for own in OWN_THEMES:
            self.register_theme(own)
        theme = theme or os.environ.get("ZMON_THEME", "")
        self.theme = self._suitable_theme(ALIASES.get(theme, theme))
        self.animation_level = "none"
        self.sampling = (
            SamplingThread(session.timeline, seconds, self._report) if session.timeline.live else None
        )
        self.reading = ReadingThread(self._report, session.log)
        self.aside = SideThread(self._report)
        self._waiting: Timer | None = None
        """Shows what is being done if it takes long."""
        self._ticking: Timer | None = None
        """Moves the cursor of a playback."""
        self.painter = Painter()
        self.glass = glass or new_glass(session, first, keymap, history)
        self.tour = TourPanel(session.guide, self.glass.keymap, plain=self.glass.plain)
        self.beside = Beside()
        self._extent = (80, 24)
        self._room: Room | None = None
        """What the tour takes of the terminal, as far as it is laid out."""
        self._early: list[events.Event] | None = []
        """Keys and pastes that came before they can be taken; None from then on."""
        early = self.glass.reader
        self.glass.take_threads(self.sampling, self.reading, self.aside)
        if isinstance(early, EarlyReader):
            early.hand_over(self.reading)
        if theme and (problem := unknown_theme(theme)):
            self.glass.say(problem, "alarm")

    def _suitable_theme(self, wanted: str) -> str:
        """Return the theme that is wanted, else the 3270's where the terminal can show it."""
        if wanted in self.available_themes:
            return wanted
        few = self.no_color or self.console.color_system == "standard"
        return "ansi-dark" if few else THEME_3270.name

    def get_driver_class(self) -> type[Driver]:
        """Return what drives the terminal; another driver of Textual, such as that of a web server, stays."""
        driver = super().get_driver_class()
        return Terminal if issubclass(Terminal, driver) else driver

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give every theme the colours of zmon's parts."""
        return dict(parts(self.current_theme))

    def compose(self) -> ComposeResult:
        """Put up the glass, and what a tour says beside it."""
        yield self.beside
        yield self.painter

    def on_mount(self) -> None:
        """Begin to sample and to read."""
        self.painter.focus()
        self.glass.tell()
        self.call_after_refresh(self._take_early)
        session = self.glass.session
        if (session.interval is None or self.glass.first_look is not None) and not session.live:
            self.reading.preview(session.timeline)
        self.reading.start()
        self.aside.start()
        if self.sampling is not None:
            self.sampling.start()

    def on_unmount(self) -> None:
        """Let the threads end, without waiting for them."""
        self.reading.stop()
        self.aside.stop()
        if self.sampling is not None:
            self.sampling.stop()

    def paint(self) -> None:
        """Show what the glass holds now, or leave."""
        if self.glass.ended:
            self.exit(0)
            return
        self._be_led()
        self.painter.show(self.glass.lines())
        if not self.glass.settled and not self.glass.slow and self._waiting is None:
            self._waiting = self.set_timer(SOON, self._be_patient)
        if self.glass.playback.state.playing and self._ticking is None:
            self._ticking = self.set_timer(self.glass.playback.wait(), self._tick)

    def _be_led(self) -> None:
        """Let the tour see what was done, and say what is next; the glass has the room that it leaves."""
        guide = self.tour.guide
        if guide is not None and self.glass.settled:
            session = self.glass.session
            guide.follow(session.interval, session.page, session.screens)
        width, height = self._extent
        room = self.tour.room(width, height)
        if room != self._room:
            self._room = room
            self.beside.dock(room)
            self.glass.resize(width - room.columns, height - room.lines)
        self.beside.show(self.tour.lines(width, height, waiting=not self.glass.settled))

    def _be_patient(self) -> None:
        """Say what is being done, if it takes long."""
        self._waiting = None
        self.glass.slow = not self.glass.settled
        self.paint()

    def _tick(self) -> None:
        """Move a cursor that plays."""
        self._ticking = None
        self.glass.tick()
        self.paint()

    # how it ends

    def leave(self, status: int) -> None:
        """End with an exit status; may be called from a signal handler."""
        if self._loop is None:
            raise SystemExit(status)
        self._loop.call_soon_threadsafe(self.exit, status)

    def give_back(self) -> None:
        """Make the terminal what it was, without waiting for anything."""
        if isinstance(self._driver, Terminal):
            self._driver.give_back()

    def _fatal_error(self) -> None:
        """End after an exception without printing it: `check` raises it."""
        self._close_messages_no_wait()

    def check(self) -> None:
        """See whether an exception has ended the app.

        Raises:
            GlassError: one has.
        """
        error = self._exception
        if error is not None:
            raise GlassError(f"{type(error).__name__}: {error}") from error

    # what comes in

    def _report(self, result: Result) -> None:
        """Take a result from a thread."""
        if self.is_running:
            self.post_message(WorkDone(result))

    def on_work_done(self, message: WorkDone) -> None:
        """Show what a thread has done."""
        if self.glass.receive(message.result):
            self.paint()

    def on_resize(self, event: events.Resize) -> None:
        """Use the room there is."""
        self._extent = (event.size.width, event.size.height)
        self._room = None  # it is laid out anew
        self.paint()

    async def on_event(self, event: events.Event) -> None:
        """Keep what is typed before the glass is up; nothing is lost."""
        if self._early is not None and isinstance(event, (Key, Paste)) and not event.is_forwarded:
            self._early.append(event)
        else:
            await super().on_event(event)

    async def _take_early(self) -> None:
        """Take what was typed before, in its order."""
        gc.freeze()  # what is there by now stays; it need not be looked through again and again
        early, self._early = self._early or [], None
        for event in early:
            await super().on_event(event)

    def on_key(self, event: events.Key) -> None:
        """Carry out the function of a key; without one, put what is typed into the command line."""
        event.prevent_default()
        name = self.glass.keymap.function(event.key, typed=self.glass.entry.in_use)
        if name:
            self.press(name)
        elif event.is_printable and event.character:
            self._type(event.character)

    def press(self, name: str) -> None:
        """Carry out the function of a key."""
        self.glass.press(name)
        self.paint()

    def on_paste(self, event: events.Paste) -> None:
        """Put what is pasted into the command line; several lines are commands, and carried out."""
        self.glass.paste([_typable(line) for line in event.text.splitlines()])
        self.paint()

    def _type(self, text: str) -> None:
        self.glass.type(_typable(text))
        self.paint()

    def on_click(self, event: events.Click) -> None:
        """Choose what is at the position."""
        x, y = event.screen_x, event.screen_y
        region = self.beside.region
        if self.beside.display and region.contains(x, y):
            name = self.tour.button(self.beside.line(y - region.y), x - region.x)
            if name:
                self.glass.press(name)
        else:
            self.glass.click(x, y)
        self.paint()

    def on_mouse_scroll_down(self) -> None:
        """Go down."""
        self.glass.wheel(WHEEL_LINES)
        self.paint()

    def on_mouse_scroll_up(self) -> None:
        """Go up."""
        self.glass.wheel(-WHEEL_LINES)
        self.paint()


def _typable(text: str) -> str:
    """Return the characters that the command line can show."""
    return "".join(c for c in text if c.isprintable() and cell_len(c) == 1)


def run(  # noqa: PLR0913 - these are a user's choices
    session: Session,
    seconds: float,
    first_command: str = "",
    theme: str = "",
    *,
    keymap: KeyMap | None = None,
    history: CommandHistory | None = None,
    early: FirstPictures | None = None,
) -> int:
    """Open the glass on a session and stay until the user leaves; return the exit status.

    The colours are those of a `theme`, or else the ones that ZMON_THEME names.  Without a `history` commands
    are forgotten at the end.

    A live timeline is sampled every `seconds`; any other is shown from its last sample.  With `early`
    pictures their glass goes on.

    Raises:
        GlassError: a mistake in zmon or in Textual has ended it; the terminal is given back.
    """
    if not session.live and session.interval is None and not session.timeline.previews:
        session.preview()
    sys.setswitchinterval(SWITCH_SECONDS)
    glass = None if early is None else early.glass
    app = Zmon(session, seconds, first_command, theme, keymap=keymap, history=history, glass=glass)

    def give_back() -> None:
        app.give_back()
        if early is not None:
            early.restore()

    with ended_by_signals(app.leave, give_back):
        if early is not None:
            early.hand_over()
        status = app.run()
    let_go()
    app.check()
    return status or app.return_code or 0
