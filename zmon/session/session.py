"""A session of a user: a timeline, and a stack of pages that show it.

It is the same for the full screen and for line mode.
"""

from __future__ import annotations

import re
import time
from functools import cached_property

from zmon.base.clock import SECOND, told
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.machine.figure import Variable
from zmon.machine.view import NoSuchThing, View, no_inputs
from zmon.screen.definition import ScreenError
from zmon.screen.number import LEFT
from zmon.screen.query import QueryError, find_column, heading, listed, parse_conditions
from zmon.screen.sheet import Order, Sheet, natural
from zmon.session.navigator import CommandError, Navigator, UnreadError
from zmon.session.page import (
    BOTH,
    BehindTask,
    Comparison,
    ConcludeTask,
    FillTask,
    Page,
    find_screen,
    of_one,
    row_conditions,
)
from zmon.tables.filled import definition, fill, needs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zmon.base.absent import Number
    from zmon.base.event import Event
    from zmon.interval import Interval
    from zmon.machine.view import History
    from zmon.rule.grammar import Rule
    from zmon.screen.definition import Column, Screen, Screens
    from zmon.screen.query import Condition
    from zmon.session.guide import Guide
    from zmon.session.navigator import Arrival, CursorMove
    from zmon.session.page import Window
    from zmon.session.timeline import Timeline
    from zmon.tables.table import Table
    from zmon.topology.machine import UserInputs


def _is_comparable(screen: Screen) -> bool:
    """Return whether a screen is a list with figures of one interval."""
    return screen.layout == "list" and not needs(screen.table).history and screen.drawn


BEGINNINGS: Final = frozenset({"dashboard", "menu"})
"""Layouts of screens that are opened in the place of those that were opened before."""

FLEET_ITEM: Final = ("N", "Back to the fleet*")
"""The item of the menu that leads from one system back to its fleet."""

ALL: Final = "ALL"
"""The operand of MENU that lists every item, those without a screen among them."""

FIRST_LOOKED_AT: Final = frozenset({"overview", "exceptions", "diagnosis"})
"""The tables at which people stand when they ask for a comparison; it holds for the lists behind them."""

NOT_COMPARED: Final = "{} cannot be compared. COMPARE goes on with lists such as DEVICE."

NO_SAMPLE: Final = "There is no sample yet. NEXTSAMP takes or opens the first."

SINCE: Final = r"[-+@][0-9]|[0-9]{1,2}:[0-9]|[0-9]{4}-[0-9]|(begin|start|today|yesterday)$"
"""How the first word of a time begins, behind the names of rows."""


class SystemRequest(NamedTuple):
    """A system of a fleet whose recording is to be opened."""

    name: str
    path: str
    utc: int
    command: str = ""
    """The first screen; empty for OVERVIEW."""


def until_time(operands: str) -> tuple[list[str], str]:
    """Part words from the time behind them."""
    fields = operands.split()
    at = next((place for place, word in enumerate(fields) if re.match(SINCE, word.lower())), len(fields))
    return fields[:at], " ".join(fields[at:])


class Session(Navigator):
    """The state of a session: a position on a timeline, and a stack of pages."""

    def __init__(
        self,
        timeline: Timeline,
        screens: Screens,
        first: str = "OVERVIEW",
        inputs: Callable[[], UserInputs] = no_inputs,
        guide: Guide | None = None,
    ) -> None:
        """Open a screen; move to an interval before asking for a sheet.

        `inputs` returns what users supply about the machine; `guide` leads through a tour.
        """
        super().__init__(timeline)
        self.screens = screens
        self.inputs = timeline.inputs = inputs
        self.guide = guide
        self.chosen: Callable[[], tuple[str, str]] = self._first_row
        """Which column and row of the present list are chosen; empty where none is."""
        self.pages: list[Page] = []
        self.comparison: Comparison | None = None
        """What all lists compare until it is ended."""
        self.drawn: Mapping[str, Callable[[], str]] = {}
        """What returns the page as it is drawn, by the end of a file's name; its surface gives it."""
        self.filled_elsewhere = False
        """Whether a thread fills what looks back."""
        self.has_room = False
        """Whether there is room for bars and curves beside the figures of a list."""
        self.looked_back: int | None = None
        """Intervals for whose curves a print has room; None on the glass, which reads them bit by bit."""
        self.wanted = ""
        """The text of the last LOCATE."""
        self.read_only = False
        """Whether nothing is written."""
        self.system = ""
        """Its name in the fleet from which it was opened, to which one returns; empty if from none."""
        self.opens: SystemRequest | None = None
        """What of a fleet is to be opened when it has ended."""
        self.left_at = ""
        """The row that was chosen when it ended, if the present screen has rows."""
        self.ended = False
        self.leaving = False
        """Whether it was asked if zmon is to be left; the next command to leave does it."""
        self._sheet: tuple[object, Sheet] | None = None
        """The last sheet, and the interval and the page that it is of."""
        self._listed: tuple[object, Table] | None = None
        """The last table of another list than the present one, and what it is of."""
        self._table: tuple[object, Table] | None = None
        """The last table, and what it was made from."""
        self.open(first)

    @property
    def page(self) -> Page:
        """What is shown now."""
        return self.pages[-1]

    def show(self, page: Page) -> None:
        """Show another page in the place of the present one."""
        self.pages[-1] = page

    def open(self, word: str, operands: str = "", column: str = "", row: str = "") -> None:
        """Open the screen that a word names, on top of the present one.

        `operands` is the thing that the screen is about (`DEVICE 7000`) or conditions (`DEVICE resp>10`);
        of a list a column and a row may be chosen.

        Raises:
            CommandError: there is no such screen, thing or column.
        """
        try:
            screen = find_screen(self.screens, word, operands)
            page = self._page(screen, operands)
            if page.argument and self.filled_elsewhere and self._takes_long(page):
                look_up = definition(screen.table).find
                if look_up is not None:
                    look_up(self._task(page).view)  # the rest is filled in the background
            elif page.argument:
                self._sheet_of(page)  # raises when there is no such thing
            elif page.conditions and row_conditions(screen, operands) != operands:
                page = self._rows_named(page, operands)
        except (ScreenError, QueryError, NoSuchThing) as error:
            raise CommandError(str(error)) from error
        if screen.layout in BEGINNINGS:  # every way begins at OVERVIEW; the menu is next to it
            overview = screen.layout == "menu" and self.pages and self.pages[0].screen.layout == "dashboard"
            del self.pages[1 if overview else 0 :]
        self.pages.append(self._compared(page._replace(column=column, row=row)))
        self._want(page)
        if (
            self.comparison is not None
            and not _is_comparable(screen)
            and not definition(screen.table).about_figures
            and screen.table not in {"menu", "overview"}
        ):
            self.message = NOT_COMPARED.format(screen.command)

    def _page(self, screen: Screen, operands: str) -> Page:
        """Return the page of a screen about a thing, or of the rows that meet conditions.

        Raises:
            CommandError: it cannot be about that, or needs to be about something.
            QueryError: a condition is not understood.
        """
        if screen.layout == "menu":
            return Page(self._menu(screen, operands))
        page = Page(screen, order=natural(screen))
        conditions = row_conditions(screen, operands)
        if conditions:
            return page._replace(conditions=self._conditions(page, conditions))
        if operands and definition(screen.table).about_figures:
            operands = self._variables(operands)
        if operands and not screen.argument:
            other = f"; write {screen.command} alone or with conditions" if screen.columns else ""
            raise CommandError(f"{screen.command} takes no operand {operands!r}{other}")
        if screen.layout == "page" and not operands:
            raise CommandError(f"{screen.command} needs an operand: {screen.argument}")
        return page._replace(argument=operands, screen=of_one(screen) if operands else screen)

    def _menu(self, screen: Screen, operands: str) -> Screen:
        """Return the menu with the items that open a screen, or with ALL of them."""
        from zmon.screen.menu_items import folded, with_others  # noqa: PLC0415 - a lookup starts without it

        if operands.upper() not in {"", ALL}:
            raise CommandError(
                f"{screen.command} takes no operand {operands!r}; {screen.command} ALL lists all"
            )
        screen = with_others(screen, self.screens)
        if self.system:
            (title, items), *others = screen.items
            screen = screen.changed(items=((title, (*items, FLEET_ITEM)), *others))
        return screen if operands else folded(screen, self.screens)

    def _variables(self, operands: str) -> str:
        """Return what figures are meant, as their tables name them, and since when.

        Raises:
            NoSuchThing: a row is not there.
            CommandError: a word names no figures, there is no sample yet, or no such time.
        """
        from zmon.screen import variable  # noqa: PLC0415 - a lookup starts without it
        from zmon.tables.plot import write  # noqa: PLC0415 - likewise

        names, since = until_time(operands)
        if self.interval is None:
            raise CommandError(NO_SAMPLE)
        try:
            asked = variable.parse(names, self.screens)
            values = write(variable.resolve(asked, self.interval, self.inputs))
        except variable.VariableError as error:
            raise CommandError(str(error)) from error
        return f"{values} {self._since(since)}".strip()

    def _since(self, text: str) -> str:
        """Return a time as a table understands it: so long before the end, or an instant."""
        if not text or text.startswith("@"):
            return text
        from zmon.session.when import parse_when  # noqa: PLC0415 - a lookup starts without it

        present = self.utc
        try:
            utc = parse_when(text, time.time_ns(), present, self.span)
        except ValueError as error:
            raise CommandError(str(error)) from error
        ahead = text.startswith("-") and present is not None
        return f"-{(present - utc) // SECOND}s" if ahead and present is not None else f"@{utc}"

    def _rows_named(self, page: Page, operands: str) -> Page:
        """Return a page whose conditions were made from a name with those that leave rows.

        A name alone is one of the first column; if that does not have it, of the first that does: devices,
        LCUs, other texts.

        Raises:
            NoSuchThing: none has it.
        """
        if not page.conditions or len(self._rows_to_name(page)):
            return page
        columns = [column for column in page.screen.columns if column.format in LEFT]
        columns.sort(
            key=lambda column: ("device", "lcu", "").index(column.names if column.names != "number" else "")
        )
        for column in columns if page.conditions[0].value == operands else ():
            other = page._replace(
                conditions=parse_conditions(f"{column.name}={operands}", page.screen.columns)
            )
            if len(self._rows_to_name(other)):
                return other
        command = page.screen.command
        raise NoSuchThing(f"{operands!r} is not on {command}. {command} without operand lists all.")

    def _rows_to_name(self, page: Page) -> Sheet:
        """Return the rows of a page; of what a thread fills from the past those of the present interval."""
        table = None
        if self.filled_elsewhere and self._takes_long(page):
            table = self.listed(page.screen.command)
        if table is None:
            return self._sheet_of(page)
        return Sheet(page.screen, table, page.order, page.conditions)

    def _conditions(self, page: Page, operands: str) -> tuple[Condition, ...]:
        if operands and not page.screen.columns:
            raise CommandError(f"{page.screen.command} has no rows to choose from; lists such as DEVICE have")
        return parse_conditions(operands, page.screen.columns)

    def drill(self, key: str) -> bool:
        """Go deeper into a row; return False where there is nothing deeper."""
        sheet = self.sheet() if self.page.screen.drill else None
        place = None if sheet is None else sheet.place.get(key, None if sheet.keys else 0)
        command = "" if sheet is None or place is None else sheet.deeper(place)
        if not command:
            return False
        word, _, operands = command.partition(" ")
        self.open(word, operands)
        return True

    def arrive(self, move: CursorMove, arrival: Arrival | None) -> bool:
        """Look at what a move has found; the menu, which shows no figures, gives the time."""
        arrived = super().arrive(move, arrival)
        if arrived and not self.message and self.page.screen.layout == "menu" and self.utc is not None:
            self.message = f"Now at {told(self.utc)}"
        return arrived

    def events(self) -> Sequence[Event]:
        """Return all events of the timeline, in the words of the screens."""
        every = super().events()
        return every if self.interval is None else self.named(every, self.interval)

    def named(self, events: Sequence[Event], interval: Interval) -> list[Event]:
        """Return events with the names that DEVICE and CTLUNIT show in the place of keys."""
        from zmon.tables.plot import row_names  # noqa: PLC0415 - a lookup starts without it

        things = list(dict.fromkeys(thing for event in events if (thing := _thing(event)) is not None))
        names = dict(zip(things, row_names(things, View(interval, inputs=self.inputs)), strict=True))
        return [
            event if (thing := _thing(event)) is None
            else event.renamed(names[thing])
            for event in events
        ]  # fmt: skip

    def leave(self, key: str) -> None:
        """Leave zmon if this was asked before, else ask; `key` names what has to come again.

        One returns to a fleet at once.
        """
        self.ended = self.leaving or bool(self.system)
        self.message = "" if self.ended else f"{key} again leaves zmon; QUIT leaves at once"
        self.leaving = True

    def quit(self) -> None:
        """Leave zmon."""
        self.ended = True

    def back(self) -> bool:
        """Leave the present screen; return False on the first."""
        if len(self.pages) < 2:
            return False
        self.pages.pop()
        return True

    def sort(self, text: str, direction: str = "") -> None:
        """Sort the present screen on a column; without a direction in its own.

        Raises:
            CommandError: there is no such column, or it cannot be sorted on.
        """
        column = self.sortable(text)
        order = natural(self.page.screen, column.name)
        if direction:
            order = Order(column.name, direction.upper().startswith("D"))
        self.show(self.page._replace(order=order))

    def sortable(self, text: str) -> Column:
        """Return the column of the present screen to sort on; without words it is the one that was chosen.

        Raises:
            CommandError: there is no such column, or it cannot be sorted on.
        """
        screen = self.page.screen
        columns = [column for column in screen.columns if column.sort]
        if not columns:
            raise CommandError(f"{screen.command} has no rows to sort; lists such as DEVICE have")
        text = text or self.chosen()[0]
        if not text:
            raise CommandError(f"Sort on which column? There are {listed(columns)}")
        try:
            return find_column(text, columns)
        except QueryError as error:
            try:
                other = find_column(text, screen.columns)
            except QueryError:
                raise CommandError(str(error)) from error
        what = heading(other) or other.name
        raise CommandError(f"{screen.command} cannot be sorted on {what}; it can on {listed(columns)}")

    def where(self, operands: str) -> None:
        """Show only rows that meet the conditions; all rows when there are none.

        Raises:
            CommandError: a condition is not understood.
        """
        try:
            self.show(self.page._replace(conditions=self._conditions(self.page, operands)))
        except QueryError as error:
            raise CommandError(str(error)) from error

    def sheet(self) -> Sheet:
        """Return the present page filled from the present interval; made once per sample and page.

        While a thread makes its curves they are left out.

        Raises:
            CommandError: there is no sample yet, it does not contain the subject of the page, or a thread is
                still reading what came before.
        """
        about = self._about()
        if self._sheet is None or self._sheet[0] != about:
            if self.is_being_filled:
                sheet = self.without_curves()
                if sheet is None:
                    raise UnreadError(
                        f"{self.page.screen.command} is still being read; wait until it is shown"
                    )
                return sheet
            try:
                sheet = self._sheet_of(self.page)
            except NoSuchThing as error:
                raise CommandError(f"{error}; RETURN goes back") from error
            self._sheet = about if self.mover is not None else self._about(), sheet
        return self._sheet[1]

    def row_keys(self) -> Sequence[str]:
        """Return the keys of the rows of the present page; none while a thread reads what came before."""
        return () if self.is_being_filled and self._takes_long(self.page) else self.sheet().keys

    def _about(self) -> tuple[object, ...]:
        """Return what the present sheet is made from."""
        return self.interval, self.page, self._judged(self.page), self.has_room

    def _sheet_of(self, page: Page) -> Sheet:
        task = self._task(page)
        if self._table is None or self._table[0] != task.about:
            filled = task.table()
            if self.mover is None:  # no thread judges, so filling has judged all that it shows
                task = task._replace(judged=self._judged(page))
            self._table = task.about, filled
        table = self._table[1]
        if page.screen.table == "correlation":
            from zmon.screen.variable import with_headings  # noqa: PLC0415 - a lookup starts without it

            table = with_headings(table, self.screens)
        return Sheet(page.screen, table, page.order, page.conditions)

    def listed(self, word: str) -> Table | None:
        """Return the table of a list for the present interval alone; None where it takes more than that."""
        screen, interval = self.screens.find(word), self.interval
        needed = needs(screen.table)
        if interval is None or screen.layout != "list":
            return None
        if screen is self.page.screen and not self.page.argument and not self.is_being_filled:
            return self.sheet().table
        if needed.history or needed.on_demand:
            return None
        if self._listed is None or self._listed[0] != (interval, screen.table):
            self._listed = (interval, screen.table), fill(screen.table, View(interval, inputs=self.inputs))
        return self._listed[1]

    def _want(self, page: Page) -> None:
        """Have the live machine read what a page shows, and nothing that it does not show on demand."""
        if self.timeline.live:
            needed = needs(page.screen.table)
            self.timeline.want(needed.kinds if needed.on_demand else ())

    def behind(self, command: str) -> BehindTask | None:
        """Return the work of filling the screen that a command opens, which stays closed; None without one.

        What a live machine reads on demand is not read for it.
        """
        word, _, operands = command.partition(" ")
        try:
            screen = find_screen(self.screens, word, operands)
            if needs(screen.table).on_demand or screen.layout not in {"list", "page"}:
                return None
            return BehindTask(command, self._work(self._page(screen, operands))._replace(curved=False))
        except (ScreenError, QueryError, NoSuchThing, CommandError):
            return None

    def _task(self, page: Page) -> FillTask:
        self._want(page)
        return self._work(page)

    def _work(self, page: Page) -> FillTask:
        view = self.view(page.argument)
        if view is None:
            raise CommandError(NO_SAMPLE)
        view.looked_back = self.looked_back
        view.limits = self.screens.limits
        view.inputs = self.inputs
        view.count_bad = self._count_bad
        table = page.screen.table
        rules = () if needs(table).history else tuple(rule for rule in self.rules if rule.table == table)
        return FillTask(page, view, self._judged(page), rules, self._is_curved(page))

    def _is_curved(self, page: Page) -> bool:
        """Return whether a page shows curves of what came before."""
        drawn = any(picture.kind == "curve" for picture in page.screen.pictures)
        return self.has_room and drawn and page.against is None and self._preview is None

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that mark values and make exceptions; the shipped ones if the user's own are wrong."""
        from zmon.rule.grammar import usable_rules  # noqa: PLC0415 - the menu starts without rules

        return usable_rules(self.timeline.site)[0]

    def _count_bad(self, view: View) -> Number:
        from zmon.rule.marks import count_bad  # noqa: PLC0415 - most screens count none

        return count_bad(self.rules, view)

    def _judged(self, page: Page) -> int:
        """Return up to when samples were judged, if a page shows exceptions; else 0."""
        return self.log.until if needs(page.screen.table).exceptions else 0

    def task(self) -> FillTask:
        """Return the work that `sheet` would have to do first, to have it done beforehand.

        Raises:
            CommandError: there is no sample yet.
        """
        return self._task(self.page)

    def conclude_task(self) -> ConcludeTask | None:
        """Return the work of drawing the conclusion of the present page; None for a page that has none."""
        page, interval = self.page, self.interval
        table = definition(page.screen.table)
        if not table.concluded or page.against is not None:
            return None
        if interval is None or interval.before is None:
            return None
        return ConcludeTask(self._task(page).view, table.resource)

    def accept(self, task: FillTask, table: Table) -> None:
        """Take a table that was filled elsewhere; it serves as long as its interval is the present one."""
        self._table = task.about, table

    def _takes_long(self, page: Page) -> bool:
        """Return whether filling the table of a page takes long: it reads samples before, or plans."""
        needed = needs(page.screen.table)
        if definition(page.screen.table).is_plan:
            return True
        if needed.verdict and self.interval is not None and self.interval.skipped:
            return True
        if needed.exceptions and not needed.kinds:
            return False  # a thread judges samples, and what is known by now is at hand
        return page.against is not None or needed.history or (needed.period and not self.live)

    @property
    def is_being_filled(self) -> bool:
        """Whether a thread fills the present page; to do that here, too, would hold up all keys."""
        if not self.filled_elsewhere or self._preview is not None:  # nothing before a preview is known
            return False
        view = self.view(self.page.argument)
        if view is None or (self._table is not None and self._table[0] == self._task(self.page).about):
            return False
        return self._takes_long(self.page) or self._is_curved(self.page)

    def without_curves(self) -> Sheet | None:
        """Return what can be shown until curves are made; None where they are not what takes long."""
        if self._takes_long(self.page):
            return None
        task = self._task(self.page)._replace(curved=False)
        if self._table is None or self._table[0] != task.about:
            self._table = task.about, task.table()
        return Sheet(self.page.screen, self._table[1], self.page.order, self.page.conditions)

    def compare(
        self,
        then: Window,
        now: Window | None = None,
        before: History | None = None,
        names: tuple[str, str] = BOTH,
    ) -> None:
        """Show lists for two times side by side, until that is ended; by default the later is the present.

        If `then` is on another timeline, `before` is what came before it there.  `names` are put above the
        figures.

        Raises:
            CommandError: it is no list of things, or there is nothing at that time.
        """
        screen, previous = self.page.alone, self.comparison
        is_kept = _is_comparable(screen) or screen.table in FIRST_LOOKED_AT or self.mover is not None
        if not is_kept:
            raise CommandError(f"{screen.command} cannot be compared; lists such as DEVICE can")
        self.comparison = Comparison(screen, then, now, before, names)
        if not _is_comparable(screen):
            self.message = NOT_COMPARED.format(screen.command)
        pages = [self._compared(page) for page in self.pages]
        try:
            if self.mover is None:
                self._sheet_of(pages[-1])
        except NoSuchThing as error:
            self.comparison = previous
            raise CommandError(str(error)) from error
        self.pages = pages

    def end_comparison(self) -> None:
        """Show all lists for the present interval alone again."""
        self.comparison = None
        self.pages = [self._compared(page) for page in self.pages]

    def _compared(self, page: Page) -> Page:
        """Return a page as it is while the comparison holds, if it can be compared, or without one."""
        if self.comparison is None:
            return (
                page
                if page.against is None
                else page._replace(screen=page.alone, order=natural(page.alone), against=None)
            )
        if not _is_comparable(page.alone):
            return page
        from zmon.screen.compare import compared  # noqa: PLC0415 - a lookup starts without it

        against = self.comparison._replace(screen=page.alone)
        order = None if page.against is None else page.order
        return page._replace(screen=compared(page.alone, against.names), order=order, against=against)

    def _first_row(self) -> tuple[str, str]:
        """Return what line mode chooses: what the page was opened for, else no column, and the first row."""
        page = self.page
        if page.screen.layout != "list" or not page.screen.gridded:
            return "", ""
        return page.column, page.row or next(iter(self.sheet().keys), "")


def _thing(event: Event) -> Variable | None:
    """Return the row that an event is about, if its screen shows that under another name than its key."""
    table = {"DEVICE": "device", "CTLUNIT": "control_unit"}.get(event.screen)
    return Variable(table, "", event.thing) if table and event.thing else None
