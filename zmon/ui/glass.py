"""The glass: the state of the whole screen, and its lines.

The frame is the original's: header, an empty line, the pane, a line of guidance, the command line, the PF
keys.  A message replaces the guidance until the next key.  Nothing here depends on a terminal.
"""

from __future__ import annotations

import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from zmon.base.clock import clock
from zmon.base.plain_text import wrap
from zmon.session.commands import AT_ONCE, figure_of, find_command
from zmon.session.commands import run as run_command
from zmon.session.navigator import CommandError, CursorMove
from zmon.session.page import BehindTask, ConcludeTask, FillTask, PreviewTask
from zmon.tables.filled import definition, needs
from zmon.ui import frame
from zmon.ui.behind import BehindPane
from zmon.ui.chooser import DashboardPane, Menu
from zmon.ui.command_line import CommandLine, candidate_lines, command_line
from zmon.ui.grid import WIDE, Grid
from zmon.ui.keys import KeyMap
from zmon.ui.line import EMPTY, Line
from zmon.ui.pane import ChartPane, FormPane, Helps, Pane
from zmon.ui.playback import PlaybackControl
from zmon.ui.search import IncrementalSearch
from zmon.ui.threads import error_line
from zmon.ui.timeline_bar import happenings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.diagnosis.conclusion import Conclusion
    from zmon.interval import Interval
    from zmon.sample import Sample
    from zmon.screen.sheet import Sheet
    from zmon.session.navigator import Arrival
    from zmon.session.page import Page
    from zmon.session.session import Session
    from zmon.session.timeline import Overview
    from zmon.tables.table import Table
    from zmon.ui.chooser import Chooser
    from zmon.ui.history import CommandHistory
    from zmon.ui.playback import SamplingControl
    from zmon.ui.threads import Result
    from zmon.ui.timeline_bar import TimelineBar

ROOM_FOR_TIME: Final = 20
"""Lines of the terminal from which on the time line is shown."""

MAX_PASTED: Final = 20
"""Lines of a paste that are carried out: a longer one was not meant as commands."""

SEEKING: Final = "Looking for the worst exception: this picture is of the last interval ..."
"""What the guidance says until the worst exception of a recording is known, or a key is pressed."""
PLANNING: Final = "Looking for the best plan of moves; this takes some seconds ..."
EVENTS: Final = "EVENTS"
"""The command that lists what happened, and the title of this list."""

LEAVING: Final = {"back", "interrupt", "enter"}
"""Functions of keys that may leave zmon, or give the command that does; any other withdraws the question."""


class GlassReader(Protocol):
    """Moves the cursor and fills tables, while the glass answers keys."""

    def fill(self, filling: FillTask) -> None:
        """Have a table filled."""

    def move(self, move: CursorMove) -> None:
        """Have the cursor moved."""


class SideWorker(Protocol):
    """Does what may wait, while the glass answers keys: conclusions, and what lies behind a row."""

    def do(self, task: ConcludeTask | BehindTask, *, at_once: bool = True) -> None:
        """Have a task done, at once or after a rest."""


class Actions(Protocol):
    """What keys and commands do to the glass; `zmon.ui.actions` has them."""

    def press(self, glass: Glass, name: str) -> None:
        """Carry out the function of a key."""

    def run(self, glass: Glass, word: str, operands: str) -> None:
        """Carry out a command that is about the glass."""


class Glass:
    """What is shown, and what changes it."""

    def __init__(  # noqa: PLR0913 - these are its surroundings
        self,
        session: Session,
        first: str = "",
        sampler: SamplingControl | None = None,
        reader: GlassReader | None = None,
        aside: SideWorker | None = None,
        *,
        actions: Actions,
        keymap: KeyMap | None = None,
        history: CommandHistory | None = None,
        clock: Callable[[], float] = time.monotonic,
        plain: bool = False,
        chart: str = "ascii",
    ) -> None:
        """Show the session; the command `first` is given as soon as there is a sample.

        Without `sampler` nothing is sampled; without `reader` moves and tables are done at once; without
        `aside` screens have no conclusion.
        `clock` times playback.  A `plain` terminal has only the characters of ASCII; `chart` is the
        style that charts are drawn in.
        """
        self.session = session
        self.session.mover = reader.move if reader is not None else self._at_once
        self.session.filled_elsewhere = reader is not None
        self.session.chosen = self._chosen
        self.playback = PlaybackControl(session, sampler, clock)
        self.actions = actions
        self.reader = reader
        self.aside = aside
        self.plain = plain
        self.chart = chart
        self._filling: FillTask | None = None
        """The table that is being filled elsewhere."""
        self._later: list[Sample] = []
        """Live samples that came while a table was being filled."""
        self._concluding: ConcludeTask | None = None
        """The conclusion that is being drawn elsewhere."""
        self._concluded: tuple[ConcludeTask, Conclusion] | None = None
        """The last one that was drawn."""
        self.keymap = keymap or KeyMap()
        self._hints = frame.hints_of(self.keymap)
        self.width, self.height = 80, 24
        self.entry = CommandLine(history)
        self.search = IncrementalSearch()
        self.ended = False
        self.pressed = ""
        """The function of the key before the present one."""
        self._first = first
        self.behind = BehindPane(session, lambda page, sheet: pane_of(page, sheet, session, chart))
        self.slow = False
        """Whether the guidance says what is awaited, because it takes long."""
        self._message, self._message_kind = "", "message"
        self.helps = Helps()
        self.choice: Chooser | None = None
        """What is chosen from in the place of the pane, such as the columns to sort on."""
        self._shown: list[tuple[Page | None, Pane]] = []
        """The panes of the session's pages, so that one returns to the same place; None when it failed."""
        self.first_look: Interval | None = None
        """The short interval that is shown until the preview of the timeline is known."""
        self.interval: Interval | None = None
        """What the header speaks of."""
        self.waiting = Pane([Line(f" {self._awaited()}", "strong")])
        self._begin()

    def take_threads(self, sampler: SamplingControl | None, reader: GlassReader, aside: SideWorker) -> None:
        """Leave the work from now on to threads."""
        self.playback.sampler = sampler
        self.reader, self.aside = reader, aside
        self.session.mover, self.session.filled_elsewhere = reader.move, True
        if self._shown:
            self._conclude()
            self._look_behind()

    # what is seen

    @property
    def pane(self) -> Pane:
        """What is between header and guidance now."""
        return self._shown[-1][1] if self._shown else self.waiting

    @property
    def current(self) -> bool:
        """Whether what is shown is of the interval that the session looks at."""
        return self.interval is self.session.interval

    @property
    def settled(self) -> bool:
        """Whether no move and no table is awaited."""
        return not self.session.underway and self._filling is None

    @property
    def concluding(self) -> bool:
        """Whether a conclusion is being drawn; keys do not wait for it."""
        return self._concluding is not None

    @property
    def too_small(self) -> bool:
        """Whether the frame does not fit."""
        return self.width < frame.SMALLEST[0] or self.height < frame.SMALLEST[1]

    def _timeline(self) -> TimelineBar | None:
        """Return the time line, where there is something to show and room for it."""
        if self.height < ROOM_FOR_TIME:
            return None
        return self.playback.timeline(self.width, plain=self.plain)

    @property
    def _room(self) -> int:
        """How many lines there are for the pane."""
        above = len(self._conclusion()) - 1
        return self.height - frame.FRAME - (self._timeline() is not None) - above

    def resize(self, width: int, height: int) -> None:
        """Set the size."""
        self.width, self.height = width, height
        had_room, self.session.has_room = self.session.has_room, width >= WIDE
        self.fit()
        if self.session.has_room > had_room and self._shown and self.session.interval is not None:
            self.settle()

    def happened(self) -> tuple[list[Line], int]:
        """Return the list of events, and its line of the present moment."""
        session = self.session
        return happenings(session.events(), self.width, session.log.remark(), session.utc)

    def _list_events(self) -> None:
        """Let the list of events, if it is open, go on with what is shown."""
        if not (self.helps and self.helps.goes_on):
            return
        try:
            self.helps.renew(*self.happened())
        except Exception as error:  # noqa: BLE001 - whatever fails, the screens must stay
            self.say(f"{EVENTS} cannot be listed: {error_line(error)}", "alarm")

    def fit(self) -> None:
        """Let all that is shown take the room there is."""
        if self.too_small:
            return
        room = self._room
        for pane in (self.waiting, self.choice, *(pane for _, pane in self._shown)):
            if pane is not None:
                pane.resize(self.width, room)
        self._look_behind()
        self.helps.resize(self.width, room)
        beside = room - self.helps.panel(room)
        if 0 < beside < room:
            self.pane.resize(self.width, beside)

    def _look_behind(self) -> None:
        """Have filled what lies behind the row under the cursor, once all else is."""
        covered = self.helps or self.choice is not None or not self._shown
        if covered or self.first_look is not None or not (self.settled and self.current):
            return
        if self.aside is None and self.reader is not None:
            return  # there is no thread for it yet
        before = self.behind.asked
        task = self.behind.ask(self.pane, self._room)
        if task is not None and self.aside is not None:
            goes_on = self._follows_live and before is not None and before.command == task.command
            self.aside.do(task, at_once=not goes_on)
        elif task is not None:
            with suppress(Exception):  # ENTER says why it cannot be shown
                self.behind.take(task, task.fill.table())

    def lines(self) -> list[Line]:
        """Return all lines of the screen, from top to bottom."""
        self.slow = self.slow and not self.settled
        if self.too_small:
            return frame.too_small(self.width, self.height)
        room = self._room
        body = self._body()[:room]
        body += [EMPTY] * (room - len(body))
        timeline = self._timeline()
        if timeline is not None:
            body.append(self.playback.drawn(timeline))
        message = frame.message(self._message, self._message_kind, self.width)[:room]
        message = message or candidate_lines(self.entry, self.width, room)
        *above, guidance = message or [self._guidance()]  # a long one takes the lowest lines of the pane, too
        body[len(body) - len(above) :] = above
        screen = self.session.page.screen
        return [
            frame.heading(
                screen,
                self.interval,
                self.width,
                live=self.session.live,
                held=self.playback.held,
                span=self.pane.span,
                times=self.session.page.times,
                name=self._title(room),
                stale=self.session.timeline.stale_since if self.session.live else 0,
                system=self.session.system,
            ),
            *self._conclusion(),
            *body,
            guidance,
            command_line(self.entry, self.width),
            self._keys(),
        ]

    def _title(self, room: int) -> str:
        """Return the name of what covers the screen; empty if nothing does."""
        above = self.helps.title if self.helps.panel(room) == room else ""
        return "SORT" if self.choice is not None and not self.helps else above

    def _conclusion(self) -> list[Line]:
        """Return the conclusion in as many lines as it takes, or the empty line that is there without one."""
        task = None if self.aside is None or self.helps else self.session.conclude_task()
        if task is None or self._concluded is None:
            return [EMPTY]
        drawn, conclusion = self._concluded
        is_shown = drawn.about == task.about or task.follows(drawn)
        if not is_shown and self._follows_live and task.is_soon_after(drawn):
            conclusion = conclusion._replace(
                words=f"{clock(drawn.view.interval.after.at.utc)}: {conclusion.words}"
            )
            is_shown = True
        lines = frame.conclusion(conclusion, self.width, self.height)
        return lines if is_shown else [EMPTY] * len(lines)

    @property
    def _follows_live(self) -> bool:
        """Whether the screen moves on with each sample of a live machine."""
        return self.session.live and not self.playback.held

    def _keys(self) -> Line:
        return frame.keys_line(self.session.page.screen, self.width, self._hints, live=self._follows_live)

    def _body(self) -> list[Line]:
        below = self.pane if self.choice is None else self.choice
        if not self.helps:
            lines = below.lines()
            return lines if self.choice else [*lines, *self.behind.lines(lines, self.width, self._room)]
        room = self._room
        above = room - self.helps.panel(room)
        seen = below.lines()[:above]
        return [*seen, *[EMPTY] * (above - len(seen)), *self.helps.lines(self.width, room)]

    def _guidance(self) -> Line:
        back = self.keymap.called("back", "F12")
        if self.slow:
            text, position = self._doing(), ""
        elif self.helps:
            more = self.keymap.called("help", "F1")
            text, position = f"{back} returns to the screen, {more} shows more", self.helps.seen.position
        elif self.choice is not None:
            text = f"ENTER sorts, once more in the other order; {back} returns"
            position = self.choice.position
        else:
            text, position = self._advice(), self.pane.position
            way = f"{self._way()} {position}".strip()
            if len(text) + len(way) + 4 <= self.width:
                position = way
        return frame.guidance(text, position, self.width)

    def _way(self) -> str:
        """Return the screens through which this one was reached, where there are more than the first."""
        commands = [page.screen.command for page in self.session.pages]
        return " > ".join(commands) if len(commands) > 2 else ""

    @property
    def _plans(self) -> bool:
        """Whether the present page is a plan, for an interval that is there."""
        return self.session.interval is not None and definition(self.session.page.screen.table).is_plan

    def _doing(self) -> str:
        """Say what is awaited."""
        if self._plans:
            return PLANNING
        name = self.session.timeline.name
        return f"{'Simulating' if name.startswith('lab:') else 'Reading'} {name} ..."

    def _advice(self) -> str:
        """Return what the guidance line says: how to go on, and to the notes that have no room."""
        if self.session.opens_at_worst:
            return SEEKING
        if self.playback.held:
            return f"Held: {self.keymap.called('pause', 'SPACE')} lets it go on"
        if self.session.live and self.session.timeline.stale_since:
            return f"{self.session.timeline.stale_reason}; asked again in time"
        guidance = self.session.page.screen.guidance if self._shown and not self.pane.empty else ""
        if self._shown and self.pane.empty and self.pane.command:
            guidance = f"ENTER goes to {self.pane.command}"
        unread = self.pane.unread
        if not unread:
            return guidance
        more = f"{self.keymap.called('bottom', 'F5')} shows {unread} more remark{'s' * (unread > 1)}"
        both = f"{guidance}; {more}" if guidance else more
        return both if len(both) + 2 + len(self.pane.position) <= self.width - 2 else more

    def say(self, text: str, kind: str = "message") -> None:
        """Say something in the place of the guidance, until the next key."""
        self._message, self._message_kind = " ".join(text.split()), kind

    def _chosen(self) -> tuple[str, str]:
        """Return the column that TAB chose and the key of the row under the cursor."""
        pane = self.pane
        if not isinstance(pane, Grid) or not pane.sheet.keys:
            return "", ""
        return pane.column, pane.sheet.keys[pane.place]

    # samples

    def _begin(self) -> None:
        """Show something, and give the first command, as soon as there is a sample."""
        if self.session.interval is None:
            return
        first, self._first = self._first, ""
        if first and first.upper() != self.session.page.screen.command:
            self._put(Pane(), None)  # what is below the first screen is filled when one returns
            self.interval = self.session.interval
        if not (self._shown and self.run(first)):
            self.settle()
        self.playback.survey()
        self._run_waiting()
        if self.first_look is None:
            self.session.read_preview()

    def _awaited(self) -> str:
        """Return what is said before there is an interval."""
        timeline = self.session.timeline
        return self._doing() if timeline.previews else f"Waiting for the first sample of {timeline.name}"

    def previewed(self, interval: Interval | None, error: str = "") -> None:
        """Show the preview of a timeline, or its last sample where there is none; or why that failed."""
        seen, self.first_look = self.first_look, None
        if self.session.interval is None and error:
            self.waiting = Pane([Line(f" {error}", "strong")])
        elif self.session.interval is None:
            self.session.show_preview(interval)
            self._begin()
        elif error:
            self.say(error, "alarm")
        elif seen is not None and self.session.interval is seen and not self.session.underway:
            if self._message == of_first_look(seen):
                self._message = ""
            self.session.show_preview(interval)
            self._refill()
            self.session.read_preview()

    def looked(self, interval: Interval) -> None:
        """Show a first look at a timeline, until its preview is known; no conclusion is drawn from it."""
        self.first_look = interval
        self.session.show_preview(interval)
        self._begin()
        self.say(of_first_look(interval), "guidance")

    def _run_waiting(self, *, is_told: bool = False) -> None:
        """Carry out the commands that waited for the sample that is there now; what `is_told` of it stays."""
        waiting, self.session.waiting = self.session.waiting, []
        for line in waiting:
            self._message = self._message if is_told else ""
            self.run(line)

    def sampled(self, sample: Sample) -> None:
        """Count a new sample in; what is seen changes when its table is filled.

        While a table is filled, live samples wait: where that takes longer than until the next sample, no
        table would else ever be shown.
        """
        if self._shown and self._is_held():
            return
        if self._shown and self._filling is not None and self.session.live:
            self._later.append(sample)
        else:
            self._add([sample])

    def _is_held(self) -> bool:
        sampler = self.playback.sampler
        return sampler is not None and sampler.held

    def _add(self, samples: Sequence[Sample]) -> None:
        for sample in samples:
            self.session.add(sample)
        if not self.session.live:
            self.playback.survey()  # what is recorded has grown
            return
        if not self._shown:
            self._begin()
        elif not self.current:
            self._forget_first_look()
            self._refill()

    def _forget_first_look(self) -> None:
        """Say no longer that it is a first look."""
        if self.first_look is not None and self._message == of_first_look(self.first_look):
            self._message = ""
        self.first_look = None

    def _refill(self) -> None:
        """Have the table of the present page filled for the present interval, and then shown."""
        if self.reader is not None and self.session.page.screen.layout != "menu":
            self._fill(self.reader)
        else:
            self.settle()

    def _fill(self, reader: GlassReader) -> None:
        self._filling = self.session.task()
        reader.fill(self._filling)

    # along the timeline

    def _at_once(self, move: CursorMove) -> None:
        """Move the cursor without a thread."""
        self.moved(move, move.run(), move.cursor.timeline.overview())

    def receive(self, result: Result) -> bool:
        """Take what a thread has done; return whether it is to be painted."""
        before = self._conclusion()
        if isinstance(result.task, PreviewTask):
            self.previewed(result.preview, result.error)
        elif isinstance(result.task, ConcludeTask):
            self.concluded(result.task, result.conclusion, result.error)
        elif isinstance(result.task, BehindTask):
            self.behind.take(result.task, result.table)
        elif result.error:
            self.failed(result.error, result.task)
        elif result.sample is not None:
            self.sampled(result.sample)
        elif isinstance(result.task, CursorMove):
            self.moved(result.task, result.arrival, result.overview)
        elif result.task is not None and result.table is not None:
            self.filled(result.task, result.table)
        elif result.overview is not None:
            self.judged(result.overview)
        if isinstance(result.task, ConcludeTask) and not result.error:
            return self._conclusion() != before
        return result.sample is None or self.current  # else it is painted with its table

    def judged(self, overview: Overview) -> None:
        """Take the exceptions that are known by now."""
        if self.session.overview is not None:
            self.session.overview = overview
            self._list_events()
            self.fit()
        is_judged = self.session.opens_at_worst and self.session.log.until >= overview.end
        if is_judged:
            self.session.opens_at_worst = False
            self.session.seek_worst()
        if self.interval is not None and needs(self.session.page.screen.table).exceptions:
            self.settle()

    def moved(self, move: CursorMove, arrival: Arrival | None, overview: Overview | None = None) -> None:
        """Look at what a move has found, and have it shown."""
        if overview is not None and move.cursor is self.session.cursor:
            self.session.overview = overview
            self.fit()
        try:
            if not self.session.arrive(move, arrival):
                return
        except CommandError as error:
            self.say(f"{error} {self._not_done()}", "alarm")
            return
        self.playback.moved(move)
        is_told = bool(self.session.message)
        self.tell()
        if not self.session.underway:
            self._refill()
            self._run_waiting(is_told=is_told)

    def _not_done(self) -> str:
        """Forget the commands that wait for a sample that was not found; say which, if there are any."""
        waiting, self.session.waiting = self.session.waiting, []
        return f"Not carried out: {'; '.join(waiting)}" if waiting else ""

    def tell(self) -> None:
        """Show the message of the last move."""
        text, self.session.message = self.session.message, ""
        if text:
            self.say(text)

    def tick(self) -> None:
        """Move a cursor that plays, once the last screen is painted."""
        if not self.settled:
            return
        command = self.playback.tick()
        if command:
            self.run(command)
        self.tell()

    def _conclude(self) -> None:
        """Have the conclusion of the present page drawn, unless it is there or on its way."""
        if self.aside is None or self.session.interval is self.first_look:
            return
        task = self.session.conclude_task()
        last = self._concluding or (self._concluded[0] if self._concluded else None)
        if task is not None and (last is None or last.about != task.about):
            self._concluding = task
            self.aside.do(task, at_once=last is None or not (self._follows_live and task.follows(last)))

    def concluded(self, task: ConcludeTask, conclusion: Conclusion | None, error: str = "") -> None:
        """Show the conclusion of a page, or why there is none."""
        if task is self._concluding:
            self._concluding = None
        if conclusion is not None:
            self._concluded = task, conclusion
            self.fit()
        elif error and not self._message:
            self.say(error, "alarm")

    def filled(self, filling: FillTask, table: Table) -> None:
        """Show a table that was filled meanwhile, unless something else is to be shown by now."""
        self._arrived(filling)
        if self._awaits(filling):
            self.session.accept(filling, table)
            self.settle()
            if not self.session.underway:
                self._run_waiting()
        self._catch_up()

    def _catch_up(self) -> None:
        """Go on to the last of the samples that have waited for a table."""
        if self._filling is None and self._later:
            later, self._later = self._later, []
            if not self._is_held():
                self._add(later)

    def failed(self, message: str, about: FillTask | CursorMove | None = None) -> None:
        """Show why a sample or a table failed."""
        if isinstance(about, CursorMove):
            self.session.drop(about)
            self.playback.stop()
            message = f"{message} {self._not_done()}"
        if not isinstance(about, FillTask):
            self.say(message, "alarm")
            return
        self._arrived(about)
        if self._awaits(about) and about.page.against is not None:
            self.session.end_comparison()  # the list is shown as before
            self.settle()
            self.say(message, "alarm")
        elif self._awaits(about):
            self.say(message, "alarm")
            self.interval = about.view.interval
            self._put(self._broken(message), None)
        self._catch_up()

    def _arrived(self, filling: FillTask) -> None:
        if filling is self._filling:
            self._filling = None

    def _awaits(self, filling: FillTask) -> bool:
        page, view = self.session.page, self.session.view()
        return view is not None and view.interval is filling.view.interval and _same(page, filling.page)

    def settle(self) -> None:
        """Have a pane for the present page that shows the present sheet; forget those of pages left."""
        pages = self.session.pages
        while self._shown and not (
            len(self._shown) <= len(pages) and _same(self._shown[-1][0], pages[len(self._shown) - 1])
        ):
            self._shown.pop()
        page = pages[-1]
        if self.reader is not None and self.session.is_being_filled:
            if len(self._shown) < len(pages):
                self._put(self._meanwhile(page), None)
            self._fill(self.reader)
            return
        self.interval = self.session.interval
        try:
            sheet = self.session.sheet()
            if len(self._shown) == len(pages):
                gone = self.pane.show(sheet, page)
                if gone:
                    self.say(gone)
            else:
                self._put(pane_of(page, sheet, self.session, self.chart), page)
        except Exception as error:  # noqa: BLE001 - whatever fails, the screens must stay
            message = f"{page.screen.command} cannot be shown: {error_line(error)}"
            self.say(message, "alarm")
            self._put(self._broken(message), None)
        self._list_events()
        self.fit()
        self._conclude()

    def _meanwhile(self, page: Page) -> Pane:
        """Return what is shown until the table of a page is filled."""
        with suppress(Exception):  # it is said when the table is filled
            sheet = self.session.without_curves()
            if sheet is not None:
                self.interval = self.session.interval
                return pane_of(page, sheet, self.session, self.chart)
        return Pane([Line(f" {PLANNING if self._plans else 'Reading what came before'}", "strong")])

    def _put(self, pane: Pane, page: Page | None) -> None:
        below = len(self.session.pages) - 1
        self._shown += [(None, Pane())] * (below - len(self._shown))  # made when one returns there
        self._shown[below:] = [(page, pane)]
        self.fit()

    def _broken(self, message: str) -> Pane:
        back = self.keymap.called("back", "F12")
        advice = f"{back} returns to the screen before; the other screens go on."
        return Pane([Line(f" {part}", "strong") for part in (*wrap(message, self.width - 2), "", advice)])

    # commands

    def type(self, text: str) -> None:
        """Put typed or pasted characters into the command line."""
        self._message = ""
        self.session.opens_at_worst = False
        self.entry.type(text)
        self._seek()

    def _seek(self) -> None:
        """Go to the row with the text that is typed behind a slash; back when it is withdrawn."""
        wanted = self.entry.sought
        if not wanted or self.helps or self.choice is not None:
            self.search.withdraw()
        elif not self.search.follow(self.pane, wanted):
            self.say(f"{wanted!r} was not found in this list", "alarm")

    def paste(self, lines: Sequence[str]) -> None:
        """Put a pasted line into the command line; carry out several, up to the first that fails."""
        given = [line for line in lines if line.strip()]
        if len(given) < 2:
            self.type("".join(given))
        elif len(given) > MAX_PASTED:
            self.say(f"{len(given):,} lines were pasted; at most {MAX_PASTED} can be carried out", "alarm")
        else:
            for line in given:
                self.type(line)
                if not self.run(self.entry.take()) or self.ended:
                    return

    def press(self, name: str) -> None:
        """Carry out the function of a key."""
        self._message = ""
        self.session.opens_at_worst = False
        self.session.leaving = self.session.leaving and name in LEAVING
        self.actions.press(self, name)
        self._seek()
        self._look_behind()
        self.pressed = name

    def run(self, line: str) -> bool:
        """Carry out a command line; return whether that was possible.

        Before the first sample it is kept until then.
        """
        if not self._shown and not _at_once(line):
            self.session.waiting.append(line)
            self.say(f"{line}: waits for the first sample")
            return True
        self.close_help()
        try:
            request = run_command(self.session, line)
            if request is not None:
                self.actions.run(self, request.word, request.operands)
                return True
        except CommandError as error:
            self.say(str(error), "alarm")
            return False
        except Exception as error:  # noqa: BLE001 - whatever fails, the screens must stay
            self.say(f"{line}: {error_line(error)}", "alarm")
            return False
        self.ended = self.session.ended
        self.session.left_at = self.pane.chosen_key if self.ended else ""
        if self.session.overview is None:
            self.playback.survey()
        self.tell()
        if self.interval is not None:
            self.settle()
        return True

    def click(self, x: int, y: int) -> None:
        """Choose what is at a position, or do what the PF key there does."""
        self._message = ""
        self.session.leaving = self.session.opens_at_worst = False
        if self.too_small:
            return
        top = 1 + len(self._conclusion())
        if y == self.height - 1:
            name = frame.key_at(self._keys(), x, self._hints)
            if name:
                self.press(name)
        elif y == self._room + top and (timeline := self._timeline()) is not None:
            utc = timeline.time(x)
            if utc is not None:
                self._travel(utc)
        elif 1 <= y < top and self._conclusion() != [EMPTY]:
            self.press("diagnose")
        elif top <= y < self._room + top and not self.helps:
            command = (self.choice or self.pane).click(x, y - top)
            if command:
                self.run(command)
            self._look_behind()

    def _travel(self, utc: int) -> None:
        """Go to a time that was clicked on."""
        overview = self.session.overview
        if (
            self.session.timeline.live
            and not self.session.live
            and overview is not None
            and utc >= overview.end
        ):
            self.run("NOW")
            return
        self.session.go_to(utc)

    def wheel(self, lines: int) -> None:
        """Go down (or up) by lines."""
        self._message = ""
        self.session.opens_at_worst = False
        self.scrolled.step(lines)
        self._look_behind()

    # what the keys do that is no command

    @property
    def scrolled(self) -> Pane:
        """What the keys that scroll move."""
        return self.helps.seen if self.helps else self.choice or self.pane

    def close_help(self) -> None:
        """Return from the help texts, and from what is to be chosen, to the screen."""
        self.helps.close()
        self.choice = None
        self.fit()

    def refresh(self) -> None:
        """Take a sample now, if the live machine is shown."""
        sampler = self.playback.sampler
        if sampler is not None and self.session.live and not sampler.held:
            sampler.now()


def pane_of(page: Page, sheet: Sheet, session: Session, chart: str) -> Pane:
    """Return the pane that shows a sheet, with charts in a style: `braille`, `blocks` or `ascii`."""
    if page.screen.layout == "menu":
        return Menu(page, session.screens)
    if page.screen.layout == "chart":
        return ChartPane(sheet, session.screens, chart)
    if page.screen.layout == "dashboard":
        return DashboardPane(page, sheet, chart, session.left_at, partial(figure_of, session))
    if page.screen.layout == "page":
        return FormPane(page, sheet)
    style = "ascii" if chart == "ascii" else "blocks"
    return Grid(page, sheet, style if session.inputs().site.bars else "", session.left_at)


def of_first_look(interval: Interval) -> str:
    """Return what is said of a first look."""
    if interval.after.simulated:
        return f"First look, at {interval.seconds:.3g} s of it: the whole interval is being simulated"
    return f"First look, at {interval.seconds:.1f} s: a longer interval follows in a moment"


def _at_once(line: str) -> bool:
    """Tell whether a command can be carried out without a sample."""
    command = find_command(line.partition(" ")[0])
    return command is not None and command.word in AT_ONCE


def _same(page: Page | None, other: Page) -> bool:
    """Tell whether two pages show the same thing, in whatever order."""
    return page is not None and page.screen is other.screen and page.argument == other.argument
