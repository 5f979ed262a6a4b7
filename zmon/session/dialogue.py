"""The state of a dialogue: a stack of pages over a tape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.screen.definition import ScreenError
from zmon.screen.number import LEFT, clock
from zmon.screen.query import QueryError, find_column, heading, listed, parse_conditions
from zmon.screen.sheet import Order, Sheet, natural
from zmon.session.command import CommandError
from zmon.session.page import BOTH, Against, Filling, Page, of_one
from zmon.session.traveller import Traveller
from zmon.tables import DRAWN
from zmon.tables.view import NoSuchThing, check, needs, nobody

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.screen.definition import Column, Screen, Screens
    from zmon.screen.query import Condition
    from zmon.session.command import Given
    from zmon.session.guide import Guide
    from zmon.session.page import Window
    from zmon.session.tape import Watch
    from zmon.session.traveller import Found, Move
    from zmon.tables.history import History
    from zmon.tables.table import Table
    from zmon.topology.machine import UserInputs


def meant(screens: Screens, word: str, operands: str = "") -> Screen:
    """Return the screen that a word names; with a device behind it, DEVICE is the page of that device.

    Raises:
        ScreenError: there is no such screen.
    """
    screen = screens.find(word)
    if operands and screen.command == "DEVICE" and not chosen_rows(screen, operands):
        return screens.find("DETAILS")
    return screen


def chosen_rows(screen: Screen, operands: str) -> str:
    """Return operands as conditions, if they choose rows of a list; empty when they name what it is about.

    `LCU 7600`, a heading and a value, is a condition on DEVICE and on lists that are about nothing; on these
    `7600` alone is one on the first column.
    """
    if not operands or not screen.columns or screen.table in DRAWN:
        return ""
    if any(sign in operands for sign in "=<>~"):
        return operands
    free = screen.layout == "list" and not screen.argument and not needs(screen.table).history
    if not (free or screen.command == "DEVICE"):
        return ""
    word, _, value = operands.partition(" ")
    texts = [column for column in screen.columns if column.format in LEFT]
    if value:
        try:
            return f"{find_column(word, texts).name}={value.strip()}"
        except QueryError:
            pass
    return f"{screen.columns[0].name}={operands}" if free and texts[:1] == [screen.columns[0]] else ""


class Dialogue(Traveller):
    """The state of a dialogue: a stack of pages over a tape."""

    def __init__(
        self, watch: Watch, screens: Screens, first: str = "MENU", people: Callable[[], UserInputs] = nobody
    ) -> None:
        """Open on a screen; the watch must stand on a sample before a sheet is asked for.

        `people` gives what was told of the machine besides.
        """
        super().__init__(watch)
        self.screens = screens
        self.people = people
        self.chosen: Callable[[], tuple[str, str]] = self._first_row
        """Which column and row of the present list are chosen; empty where none is."""
        self.guide: Guide | None = None
        """Who leads through a tour, if there is one."""
        self.pages: list[Page] = []
        self.ended = False
        self.leaving = False
        """Whether it was asked if zmon is to be left; the next command to leave does it."""
        self._sheet: Sheet | None = None
        self._shown: tuple[object, Page] | None = None
        self._table: Table | None = None
        self._filled: tuple[object, ...] | None = None
        self.open(first)

    @property
    def page(self) -> Page:
        """What is shown now."""
        return self.pages[-1]

    def show(self, page: Page) -> None:
        """Show another page in the place of the present one."""
        self.pages[-1] = page

    def open(self, word: str, operands: str = "") -> None:
        """Open the screen that a word names, on top of the present one.

        `operands` is the thing that the screen is about (`DEVICE 7000`) or conditions (`DEVICE resp>10`).

        Raises:
            CommandError: there is no such screen, thing or column.
        """
        try:
            screen = meant(self.screens, word, operands)
            page = self._page(screen, operands)
            if page.argument and self.mover is not None and self._looks_back(page):
                check(screen.table, self._filling(page).view)  # the rest is filled in the background
            elif page.argument:
                self._sheet_of(page)  # raises when there is no such thing
            elif page.conditions and chosen_rows(screen, operands) != operands:
                self._see_rows(page, operands)
        except (ScreenError, QueryError, NoSuchThing) as error:
            raise CommandError(str(error)) from error
        if screen.layout == "menu":
            self.pages.clear()  # the menu is where every way begins
        self.pages.append(page)

    def _page(self, screen: Screen, operands: str) -> Page:
        """Return the page of a screen about a thing, or of the rows that meet conditions.

        Raises:
            CommandError: it cannot be about that, or needs to be about something.
            QueryError: a condition is not understood.
        """
        page = Page(screen, order=natural(screen))
        chosen = chosen_rows(screen, operands)
        if chosen:
            return page._replace(conditions=self._conditions(page, chosen))
        if operands and screen.table in DRAWN:
            from zmon.session.figures import variables  # noqa: PLC0415 - a lookup starts without it

            operands = variables(self, operands)
        if operands and not screen.argument:
            other = f"; write {screen.command} alone or with conditions" if screen.columns else ""
            raise CommandError(f"{screen.command} takes no operand {operands!r}{other}")
        if screen.layout == "page" and not operands:
            raise CommandError(f"{screen.command} needs an operand: {screen.argument}")
        return page._replace(argument=operands, screen=of_one(screen) if operands else screen)

    def _see_rows(self, page: Page, operands: str) -> None:
        """See that conditions which stand for a name leave rows.

        Raises:
            NoSuchThing: they do not.
        """
        if page.conditions and not len(self._sheet_of(page)):
            command = page.screen.command
            raise NoSuchThing(f"{operands!r} is not on {command}. {command} without operand lists all.")

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

    def arrive(self, move: Move, found: Found | None) -> bool:
        """Look at what a move has found; the menu, which shows no figures, says the time."""
        arrived = super().arrive(move, found)
        if arrived and not self.said and self.page.screen.layout == "menu" and self.watch.utc is not None:
            self.said = f"Now at {clock(self.watch.utc)}"
        return arrived

    def leave(self, key: str) -> None:
        """Leave zmon if this was asked before, else ask; `key` names what has to come again."""
        self.ended = self.leaving
        self.said = "" if self.leaving else f"{key} again leaves zmon; QUIT leaves at once"
        self.leaving = True

    def back(self) -> bool:
        """Leave the present screen; return False on the first."""
        if len(self.pages) < 2:
            return False
        self.pages.pop()
        return True

    def _conditions(self, page: Page, operands: str) -> tuple[Condition, ...]:
        if operands and not page.screen.columns:
            raise CommandError(f"{page.screen.command} has no rows to choose from; lists such as DEVICE have")
        return parse_conditions(operands, page.screen.columns)

    def sort(self, words: str, direction: str = "") -> None:
        """Sort the present screen on a column; naming it again turns the direction round.

        Raises:
            CommandError: there is no such column, or it cannot be sorted on.
        """
        column = self.sortable(words)
        order = natural(self.page.screen, column.name)
        present = self.page.order
        if direction:
            order = Order(column.name, direction.upper().startswith("D"))
        elif order == present and present is not None:
            order = present._replace(descending=not present.descending)
        self.show(self.page._replace(order=order))

    def sortable(self, words: str) -> Column:
        """Return the column of the present screen to sort on; without words it is the one that was chosen.

        Raises:
            CommandError: there is no such column, or it cannot be sorted on.
        """
        screen = self.page.screen
        known = [column for column in screen.columns if column.sort]
        if not known:
            raise CommandError(f"{screen.command} has no rows to sort; lists such as DEVICE have")
        words = words or self.chosen()[0]
        if not words:
            raise CommandError(f"Sort on which column? There are {listed(known)}")
        try:
            return find_column(words, known)
        except QueryError as error:
            try:
                other = find_column(words, screen.columns)
            except QueryError:
                raise CommandError(str(error)) from error
        what = heading(other) or other.name
        raise CommandError(f"{screen.command} cannot be sorted on {what}; it can on {listed(known)}")

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

        Raises:
            CommandError: there is no sample yet, or what the page is about is gone.
        """
        now = (self.watch.interval, self.page)
        if self._sheet is None or self._shown != now:
            try:
                self._sheet, self._shown = self._sheet_of(self.page), now
            except NoSuchThing as error:
                raise CommandError(f"{error}; RETURN goes back") from error
        return self._sheet

    def _sheet_of(self, page: Page) -> Sheet:
        filling = self._filling(page)
        if self._table is None or self._filled != filling.about:
            self.accept(filling, filling.table())
        assert self._table is not None  # noqa: S101 - it was accepted
        return Sheet(page.screen, self._table, page.order, page.conditions)

    def _filling(self, page: Page) -> Filling:
        view = self.watch.view(page.argument)
        if view is None:
            raise CommandError("There is no sample yet. NEXTSAMP takes or opens the first.")
        view.limits = self.screens.limits
        view.people = self.people
        return Filling(page, view)

    def filling(self) -> Filling:
        """Return the work that `sheet` would have to do first, to have it done beforehand.

        Raises:
            CommandError: there is no sample yet.
        """
        return self._filling(self.page)

    def _looks_back(self, page: Page) -> bool:
        """Tell whether filling the table of a page reads samples before the present ones."""
        needed = needs(page.screen.table)
        return page.against is not None or needed.history or (needed.period and not self.watch.tape.live)

    @property
    def laborious(self) -> bool:
        """Whether `sheet` would have to read samples before the present ones."""
        view = self.watch.view(self.page.argument)
        if view is None or self._filled == Filling(self.page, view).about:
            return False
        return self._looks_back(self.page)

    def accept(self, filling: Filling, table: Table) -> None:
        """Take a table that was filled elsewhere; it serves as long as its interval is the present one."""
        self._table, self._filled = table, filling.about

    def run(self, line: str) -> Given | None:
        """Carry out a command line.

        Returns the command when it is one that the surface has to carry out itself (HELP, LOCATE, TOP,
        BOTTOM, PRINT, REFRESH, PLAY, PAUSE, EVENTS, NOW), else None.

        Raises:
            CommandError: it is not understood or cannot be done.
        """
        from zmon.session.line import carry_out  # noqa: PLC0415 - a lookup gives no commands

        return carry_out(self, line)

    def compare(
        self,
        then: Window,
        now: Window | None = None,
        before: History | None = None,
        names: tuple[str, str] = BOTH,
    ) -> None:
        """Show the present list for two times side by side; by default the later is the present interval.

        If `then` is on another tape, `before` is what came before it there.  `names` stand above the figures.

        Raises:
            CommandError: it is no list of things, or there is nothing at that time.
        """
        from zmon.screen.compare import compared  # noqa: PLC0415 - a lookup starts without it

        page = self.page
        screen = page.against.screen if page.against is not None else page.screen
        if screen.layout != "list" or needs(screen.table).history:
            raise CommandError(f"{screen.command} cannot be compared; lists such as DEVICE can")
        both = compared(screen, names)
        new = Page(both, page.argument, None, (), Against(screen, then, now, before, names))
        try:
            if self.mover is None:
                self._sheet_of(new)
        except NoSuchThing as error:
            raise CommandError(str(error)) from error
        self.show(new)

    def _first_row(self) -> tuple[str, str]:
        """Return what is chosen where nobody can choose: nothing, and the first row."""
        if self.page.screen.layout != "list" or not self.page.screen.gridded:
            return "", ""
        return "", next(iter(self.sheet().keys), "")
