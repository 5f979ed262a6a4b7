"""The words of the command line: what each does, for help and completion, and how it is carried out.

They are those of the Toolkit, where it has them.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base import own_files
from zmon.base.clock import clock, told
from zmon.base.event import worst_of
from zmon.base.event_line import line as event_line
from zmon.base.plain_text import did_you_mean
from zmon.machine.figure import quoted
from zmon.machine.view import NoSuchThing
from zmon.screen import variable
from zmon.screen.definition import COMMAND_ITEMS, NoScreen, ScreenError
from zmon.screen.export import text
from zmon.screen.query import heading
from zmon.session.navigator import NO_SAMPLES, Arrival, CommandError, Navigator, UnreadError
from zmon.session.session import NO_SAMPLE, Session, SystemRequest, until_time
from zmon.session.timeline import NoteError
from zmon.session.when import not_once, outside, parse_when, whole
from zmon.tables.filled import definition, needs, shown_on
from zmon.tables.plot import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.screen.definition import Screen

SIDES: Final = ("_then", "_diff")
"""What `zmon.screen.compare` puts behind the name of a column that it shows beside the plain one."""

MAX_QUOTED: Final = 30
"""Characters of a word that is not understood that are repeated."""

OVERVIEW: Final = "OVERVIEW"
"""The screen that says what was wrong in an interval."""

NOT_PRINTED: Final = frozenset({"csv", "doc", "docx", "jpg", "json", "pdf", "png", "xls", "xlsx"})
"""The ends of files that a page of text would surprise in."""

PERIOD: Final = "\N{EN DASH}"
"""Stands between the begin and the end of a period that was typed with blanks."""
DAY: Final = (
    r"(?i)\b(today|yesterday|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*|[0-9]{4}-[0-9]{2}-[0-9]{2}) +"
    r"(?=[0-9]{1,2}:)"
)
"""A day before a time of it."""

NO_FLEET: Final = "This is one system. zmon fleet DIR shows many."
IN_SYSTEM: Final = "This is {} of a fleet. F3 goes back to the fleet, where OPEN {} shows that system."
NO_TOUR: Final = "There is no tour here. zmon demo has one."


class SurfaceRequest(NamedTuple):
    """A command that the surface has to carry out."""

    word: str
    operands: str


# along the timeline


def next_sample(session: Session, operands: str) -> None:
    """Go to the next sample, or to that of a time."""
    if operands:
        go(session, operands)
        return
    present = session.timeline.live and not session.live
    way = "NOW returns to the live machine" if present else "PREVSAMP goes to the previous one"
    session.move(session.cursor.next, f"This is the last sample. {way}.")


def previous_sample(session: Session, _operands: str) -> None:
    """Go to the sample before."""
    session.leave_present()
    session.move(session.cursor.previous, "This is the first sample. NEXTSAMP goes to the next one.")


def go(session: Session, operands: str) -> None:
    """Go to the sample of a time, to the first or to the last."""
    utc = _time(session, operands, session.utc)
    session.leave_present()
    cursor = session.cursor
    ends = {"begin": cursor.begin, "start": cursor.begin, "end": cursor.end}

    def seek() -> Arrival | None:
        interval = cursor.seek(utc)
        if interval is None:
            return None
        span = session.timeline.span()
        return Arrival(interval, outside(utc, span) or not_once(operands, utc, span) or cursor.onset())

    session.move(ends.get(operands.strip().casefold(), seek), NO_SAMPLES)


def _time(session: Session, text: str, present: int | None) -> int:
    """Return the time that words mean on the timeline; relative ones are counted from `present`.

    Raises:
        CommandError: they mean none, or live samples are not kept.
    """
    session.check_past()
    span = session.timeline.span() if session.live else session.span
    try:
        return whole(parse_when(text, time.time_ns(), present, span))
    except ValueError as error:
        raise CommandError(str(error)) from error


def _to_exception(session: Session, way: int, edge: str) -> None:
    """Go to the next exception or the one before; on the glass of those that are known by now.

    There another thread judges samples, and no key waits for it.
    """
    session.leave_present()
    cursor, log, is_glass = session.cursor, session.log, session.mover is not None

    def find() -> Arrival | None:
        before = cursor.position
        exception = cursor.find_exception(way, judged_only=is_glass)
        if exception is None:
            return None
        (event,) = session.named([exception[0]], exception[1])
        remark = log.remark() if way < 0 and before is not None and log.until < before.utc else ""
        return Arrival(exception[1], f"{event_line(event)}{'. ' * bool(remark)}{remark}")

    def none() -> str:
        any_exception = any(event.exception for event in Navigator.events(session))
        if remark := log.remark():
            return f"{edge.partition('. ')[0]} is known yet. {remark}"
        return edge if any_exception else "There are no exceptions."

    session.move(find, none)


def to_later_exception(session: Session, _operands: str) -> None:
    """Go to the next exception."""
    _to_exception(session, 1, "No later exception. PREVEXC goes to the previous one.")


def to_earlier_exception(session: Session, _operands: str) -> None:
    """Go to the exception before."""
    _to_exception(session, -1, "No earlier exception. NEXTEXC goes to the next one.")


def mark(session: Session, operands: str) -> None:
    """Mark the sample at the cursor."""
    name = operands.upper()
    if name not in {"A", "B"}:
        raise CommandError("Use MARK A or MARK B.")
    session.mark(name)
    session.message = f"Mark {name} is set at {told(session.marks[name].at.utc)}"
    comparison = session.comparison
    if comparison is not None and comparison.before is None and name in comparison.names:
        compare(session, " ".join(word for word in comparison.names if word in session.marks))


def average(session: Session, _operands: str) -> None:
    """Show the averages between the marks, where a screen can; by time, the intervals between them."""
    session.average()
    session.end_comparison()
    screen = session.page.screen
    if screen.layout == "menu":
        session.message = "AVERAGE changes nothing on the menu; lists opened from here show the averages"


def interim(session: Session, _operands: str) -> None:
    """Show the figures of each interval again."""
    session.end_average()
    session.end_comparison()


def note(session: Session, operands: str) -> None:
    """Record a note on the sample at the cursor."""
    utc = session.utc
    if not operands or utc is None:
        raise CommandError("What is to be noted? For example NOTE backup was moved to 22:00")
    _see_writable(session, "A note")
    try:
        session.timeline.note(utc, operands)
    except NoteError as error:
        raise CommandError(f"The note was not written: {error}") from error
    lost = "" if session.timeline.keeps_notes else "; not kept: start zmon with --record FILE"
    session.message = f"Noted at {told(utc)}{lost}"


def compare(session: Session, operands: str) -> None:
    """Compare the intervals that end at the marks, or at two times, or the averages of two periods.

    A single one is compared with the interval that is shown.
    """
    if operands.upper() in {"OFF", "END"}:
        if session.comparison is None:
            raise CommandError("Nothing is compared.")
        session.end_comparison()
        return
    wanted = operands.upper().split()
    chosen = bool(wanted) and {"A", "B"}.issuperset(wanted)
    if operands and not chosen:
        windows = _windows(session, operands)
        session.end_average()
        if windows[1:]:
            session.compare(windows[0], windows[1], names=("A", "B"))
        else:
            session.compare(windows[0])
        return
    for name in wanted:
        if name not in session.marks:
            raise CommandError(f"Mark {name} is not set: go to a sample and type MARK {name}")
    marks = {name: (None, _interval_end(session, name)) for name in wanted or sorted(session.marks)}
    if not marks:
        raise CommandError(
            "there is no mark: MARK A and MARK B at two samples, then COMPARE; or name two times, "
            "COMPARE 14:00 14:10, or a period, COMPARE 14:00-14:10"
        )
    if len(set(marks.values())) < len(marks):
        raise CommandError("A and B mark the same sample; go to another and mark that")
    session.end_average()
    (first, then), *others = marks.items()
    second, now = others[0] if others else ("Now", None)
    session.compare(then, now, names=(first, second))


def _interval_end(session: Session, name: str) -> int:
    """Return the end of the interval of a mark: of the one behind it, if the first sample is marked."""
    return _end_of_first(session, session.marks[name].at.utc)


def _end_of_first(session: Session, utc: int) -> int:
    """Return the time of the sample at a time, of the one behind it if that is the first of all."""
    timeline = session.timeline
    position = timeline.find(utc)
    if position is None:
        return utc
    following = timeline.next(position) if timeline.previous(position) is None else None
    return (following or position).utc


def _windows(session: Session, operands: str) -> list[tuple[int | None, int]]:
    """Return the one or two times or periods of a comparison; a time has no begin.

    Raises:
        CommandError: they are others, or the same.
    """
    session.leave_present()
    fields = re.sub(r" +- +", PERIOD, re.sub(DAY, r"\1_", operands)).split()
    windows = [_window(session, word.replace("_", " ")) for word in fields]
    if len(windows) > 2:
        raise CommandError("COMPARE takes one or two times or periods; a period is written 14:00-14:10")
    if len(windows) != len(set(windows)):
        raise CommandError(f"Both name what ends at {clock(windows[0][1])}; name another time")
    return windows


def _window(session: Session, text: str) -> tuple[int | None, int]:
    """Return the begin and the end of a period, or no begin and a time.

    Raises:
        CommandError: the words mean neither.
    """
    try:
        if PERIOD not in text:
            return None, _end_of_first(session, _time(session, text, session.utc))
    except CommandError as error:
        no_time = str(error)
    else:
        no_time = f"{text.replace(PERIOD, ' - ')!r} is no period; write 14:00-14:10"
    ends = [at for at, sign in enumerate(text) if sign in {PERIOD, "-"}]
    for at in ends:  # a date has such signs, too
        try:
            begin = _time(session, text[:at], session.utc)
            end = _time(session, text[at + 1 :], begin if text[at + 1 :].startswith("+") else session.utc)
        except CommandError:
            continue
        if end <= begin:
            raise CommandError(f"{text!r}: the earlier of a period stands first: 14:00-14:10")
        return begin, end
    raise CommandError(no_time)


# figures by time


def draw(session: Session, command: str, operands: str) -> None:
    """Open a screen about figures by time: those that are named, else what is chosen here."""
    fields, since = until_time(operands)
    screen = session.page.alone
    column, row = session.chosen()
    if session.page.against is not None:
        column = next((name for name in screen.by_name if column.removeprefix(name) in SIDES), column)
    drawable = variable.names(screen)
    if definition(screen.table).about_figures and not fields:
        session.open(command, f"{row} {since}".strip() if row else "")  # CORREL's rows are figures by name
        return
    argument = session.page.argument
    if (drawn := _drawn(session)) is not None:
        screen, column, row = drawn
        argument, drawable = row, variable.names(screen)
    if not (screen.drawn or fields):
        figure = figure_of(session, row if screen.table == "exceptions" else row.partition("open ")[2])
        if not figure:
            raise CommandError(variable.NO_FIGURES.format(screen.command))
        session.open(command, f"{figure} {since}".strip())
        return
    named = _column(fields[0], screen) if fields and drawable else ""
    if named:
        column, fields = named, fields[1:]
    elif fields and (not drawable or _names_screen(session, fields[0])):
        session.open(command, operands if drawable else _with_screen(session, operands))
        return
    if drawable and column not in drawable:
        column = variable.natural_column(screen)
        row = row if fields else _busiest(session, screen, column) or row
    rows = fields or [quoted(argument if needs(screen.table).history else row or argument)]
    session.open(command, " ".join([f"{screen.command}.{column}", *rows, since]) if drawable else "")


def figure_of(session: Session, number: str) -> str:
    """Return the figure that the exception of a number is about; empty if that is all rows, or none.

    Its name opens its screen, and PLOT draws it.
    """
    entries = (entry for entry in session.log.entries() if str(entry.number) == number and entry.key)
    return next(
        (
            f"{entry.table}.{rule.column} {quoted(entry.key)}"
            for entry in entries
            for rule in session.log.rules
            if rule.name == entry.rule
        ),
        "",
    )


def _with_screen(session: Session, operands: str) -> str:
    """Return a column with a row behind it as one of a screen: of CTLUNIT for an LCU, else of DEVICE."""
    word, _, row = operands.partition(" ")
    of_lcu = row.casefold().split(" ")[0] in variable.LCU_WORDS
    try:
        session.screens.find(word.partition(".")[0])
    except ScreenError:
        screen = session.screens.find("CTLUNIT" if of_lcu else "DEVICE")
        with suppress(variable.VariableError):
            return f"{screen.command}.{variable.figure(word, screen)} {row}" if row else operands
    return operands


def _drawn(session: Session) -> tuple[Screen, str, str] | None:
    """Return the screen, column and row that PLOT or CORREL shows first; None on another screen."""
    page = session.page
    argument = page.argument if definition(page.screen.table).about_figures else ""
    variables = parse(argument)[0] if argument else []
    described = variable.described(variables[0], session.screens) if variables else None
    return None if described is None else (described[0], variables[0].column, variables[0].key)


def _busiest(session: Session, screen: Screen, column: str) -> str:
    """Return the row with the highest value of a list that is not sorted by load, if the first is chosen."""
    view = session.view()
    if screen.layout != "list" or needs(screen.table).history or screen.sort == column or view is None:
        return ""
    view.inputs = session.inputs
    first = next(iter(session.row_keys()), "")
    return variable.busiest(screen, view, column) if session.chosen()[1] == first else ""


def _column(word: str, screen: Screen) -> str:
    """Return the column of the present screen that a word names; empty when it names none.

    Raises:
        CommandError: it names one that holds no figures.
    """
    try:
        return variable.figure(word, screen)
    except variable.VariableError as error:
        column = screen.by_name.get(word.lower())
        if column is None:
            return ""
        what = heading(column) or column.name
        example = variable.natural_column(screen)
        raise CommandError(f"{what} is no figure that changes; {example} is one: PLOT {example}") from error


def _names_screen(session: Session, word: str) -> bool:
    """Return whether a word names another screen, or its table, rather than a row of the present list."""
    name, dot, _ = word.partition(".")
    if not name[:1].isalpha() or any(word == key.rpartition(".")[2] for key in session.row_keys()):
        return False
    try:
        session.screens.find(name)
    except ScreenError:
        return bool(dot) and any(screen.table == name.lower() for screen in session.screens)
    return True


def to_worst(session: Session, operands: str) -> None:
    """Go to the worst interval of an exception, without a number of the worst, on OVERVIEW, which says why.

    Raises:
        CommandError: there is no such exception, or live samples are not kept.
    """
    entries, unjudged = session.log.entries(), session.log.remark()
    if not operands and not entries:
        raise CommandError(unjudged or "no exception was found")
    number = int(operands) if operands.isdecimal() and operands.isascii() and len(operands) < 9 else 0
    worst = next((entry for entry in entries if entry.number == number), None)
    if not operands:
        worst = worst_of(entries)
    if worst is None:
        why = unjudged or "EXCEPT lists them"
        raise CommandError(f"there is no exception {operands!r}; {why}")
    cursor, lasted = session.cursor, f"{clock(worst.begin)} to {clock(worst.end)}"
    figure = figure_of(session, str(worst.number)).partition(" ")[0].partition(".")[2]
    way = f"; {shown_on(worst.table)}.{figure} {quoted(worst.where)} shows it" if figure else ""

    def find() -> Arrival | None:
        shown = cursor.seek(worst.worst_end)
        text = f"The worst interval of exception {worst.number}, {lasted}: {worst.where} {worst.rule}{way}"
        return None if shown is None else Arrival(shown, text)

    session.leave_present()
    session.move(find, NO_SAMPLES)
    system = session.timeline.system_of(worst)
    if system:
        _enter(session, system, worst.worst_end, OVERVIEW)
        return
    if session.underway:
        session.waiting.append(OVERVIEW)
    else:
        session.open(OVERVIEW)


# a fleet


def open_system(session: Session, operands: str) -> None:
    """Go into the recording of a system of the fleet.

    Raises:
        CommandError: there is no fleet, no such system or time, or its recording is not at hand.
    """
    systems = session.timeline.systems
    if not systems and session.system and operands:
        raise CommandError(IN_SYSTEM.format(session.system, operands.partition(" ")[0][:MAX_QUOTED]))
    if not systems:
        raise CommandError(NO_FLEET)
    wanted, _, when = operands.partition(" ")
    name = next((system for system in systems if system.casefold() == wanted.casefold()), "")
    if not name:
        guess = did_you_mean(wanted, systems) if wanted else ""
        raise CommandError(f"Open which system? {wanted!r} is none of them{guess or '; GUESTS lists them'}")
    utc = _time(session, when, session.utc) if when else session.utc
    if utc is None:
        raise CommandError(NO_SAMPLES)
    _enter(session, name, utc)


def _enter(session: Session, name: str, utc: int, command: str = "") -> None:
    path = session.timeline.systems[name]
    if not path:
        raise CommandError(
            f"There is no recording of {name} at hand: zmon there, or zmon --from DIR, shows it."
        )
    session.opens = SystemRequest(name, path, utc, command)
    session.quit()


def to_fleet(session: Session, _operands: str) -> None:
    """Show the fleet at a glance; from a system that was opened from it, go back to it.

    Raises:
        CommandError: there is no fleet.
    """
    if session.timeline.fleet is not None:
        session.open("FLEET")
    elif session.system:
        session.quit()
    else:
        raise CommandError(NO_FLEET)


# pages


def sort(session: Session, operands: str) -> None:
    """Sort on a column, in a direction if one is named."""
    column, _, last = operands.rpartition(" ")
    if not column or last.upper() in {"ASC", "DESC"}:
        session.sort(column or last, last if column else "")
        return
    try:
        session.sort(operands)
    except CommandError:
        session.sortable(column)  # says what is wrong with that, if something is
        raise CommandError(f"{last!r} is no direction; write ASC or DESC behind the column") from None


def tour(session: Session, operands: str) -> None:
    """Go to a step of the tour, the next or the one before; open or close its panel.

    Raises:
        CommandError: there is no tour, or no such step.
    """
    guide = session.guide
    if guide is None:
        raise CommandError(NO_TOUR)
    word, many = operands.upper(), len(guide.tour.steps)
    if word in {"", "OFF"}:
        guide.shown = not word
        return
    steps = {"NEXT": guide.place + 1, "BACK": guide.place - 1}
    place = steps.get(word, int(word) - 1 if word.isdecimal() and len(word) < 6 else None)
    if place is None:
        raise CommandError(f"{operands!r} is not a step. Use TOUR NEXT, BACK, OFF or 1 to {many}.")
    if not 0 <= place < many:
        edge = "the last step. TOUR 1 begins again" if place >= many else "the first step"
        raise CommandError(f"This is {edge}." if word in steps else f"There are steps 1 to {many}.")
    guide.place, guide.shown = place, True
    session.end_comparison()
    if not guide.is_there(session.interval):
        session.go_to(guide.window.end)
    if not guide.shows(session.interval, session.page, session.screens):
        for command in guide.commands(guide.step):
            run(session, command)


def wanted_text(session: Session, text: str) -> str:
    """Return the text that LOCATE looks for: the words, or without any those of the last time.

    Raises:
        CommandError: there are none.
    """
    session.wanted = text or session.wanted
    if not session.wanted:
        raise CommandError("Locate what? For example /7000 or LOCATE PAY")
    return session.wanted


def leave(session: Session, _operands: str) -> None:
    """Leave the screen, from the first zmon; that is asked once."""
    if session.back():
        session.leaving = False
    else:
        session.leave("F3 or F12" if session.mover is None else "Esc, F3 or F12")  # no line has Esc


def _see_writable(session: Session, what: str) -> None:
    """Refuse to write where zmon was started with `--read-only`.

    Raises:
        CommandError: it was.
    """
    if session.read_only:
        raise CommandError(f"{what} is not written: zmon was started with --read-only")


def write(session: Session, file: str) -> None:
    """Write the screen to a file that does not exist yet: html or svg if its name says so, else text."""
    _see_writable(session, "A file")
    interval, page = session.interval, session.page
    if interval is None:
        raise CommandError("There is nothing to print yet")
    stamp = clock(interval.after.at.utc).replace(":", "")
    file = os.path.expanduser(file or f"{page.screen.command.lower()}-{stamp}.txt")
    form = os.path.splitext(file)[1].lower().removeprefix(".")
    if form in NOT_PRINTED:
        raise CommandError(f"PRINT writes .html, .svg, or text, not .{form}; zmon show prints csv and json")
    drawn = session.drawn.get("html" if form == "htm" else form)
    if drawn is not None:
        written = drawn()
    else:
        lines = text(
            session.sheet(),
            session.screens,
            interval,
            live=session.live,
            times=page.times,
            system=session.system,
        )
        written = "".join(f"{line}\n" for line in lines)
    try:
        with open(own_files.create(file), "w", encoding="utf-8") as stream:
            stream.write(written)
    except FileExistsError:
        raise CommandError(f"{file} already exists. Choose another name.") from None
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error.strerror}") from error
    session.message = f"Written to {os.path.abspath(file)}"


# which command it is


class Command(NamedTuple):
    """A word of the command line: what it does, in help and completion, and how."""

    word: str
    shortest: int
    """Characters that must be given."""
    operand: str
    help: str
    run: Callable[[Session, str], object] | None = None
    """None if the surface has to carry it out."""
    waits: bool = False
    """Whether it is about the sample at the cursor, and so waits until a move has arrived."""

    @property
    def spelled(self) -> str:
        """The word with what is enough of it in capitals: `REFresh`."""
        return self.word[: self.shortest] + self.word[self.shortest :].lower()


COMMANDS: Final = (
    Command("HELP", 1, "[name]", "explain this screen, or a column, screen or command; ? or HELP KEYS: keys"),
    Command("SORT", 2, "column [ASC|DESC]", "sort on a column, named as its heading: SORT MB/s", sort),
    Command(
        "WHERE", 1, "[condition ...]", "show rows that meet all conditions, such as resp>10; without: all",
        Session.where,
    ),
    Command("LOCATE", 2, "text", "go to the next row that contains a text; also /text"),
    Command("TOP", 3, "", "go to the first row"),
    Command("BOTTOM", 3, "", "go to the last row"),
    Command("REFRESH", 3, "", "take a sample now"),
    Command(
        "NEXTSAMP", 5, "[time]", "go to the next sample, or to a time; live: take a sample now", next_sample
    ),
    Command("PREVSAMP", 5, "", "go to the previous sample", previous_sample),
    Command("GO", 2, "time", "go to a time: 14:32, -10m, +1h, yesterday 14:30, begin, end", go, waits=True),
    Command("PLAY", 3, "[speed]", "play: 1, 2, 5, 10, 30, 60, 120, 300 or 600; -10 is backwards"),
    Command("PAUSE", 3, "", "stop playing; live: hold the screen"),
    Command("NEXTEXC", 5, "", "go to the next exception: a limit, a gap, a restart ...", to_later_exception),
    Command("PREVEXC", 5, "", "go to the previous exception", to_earlier_exception),
    Command("WORST", 3, "[number]", "go to the worst interval of an exception, or of the worst", to_worst),
    Command("EVENTS", 2, "", "list the events: exceptions, gaps, restarts, notes"),
    Command("MARK", 3, "A|B", "mark this sample", mark, waits=True),
    Command("AVERAGE", 2, "", "show the averages between the marks A and B", average, waits=True),
    Command("INTERIM", 3, "", "end AVERAGE and COMPARE: show the figures of each interval again", interim),
    Command(
        "COMPARE", 4, "[A B|time [time]|from-to [from-to]]|OFF",
        "on all lists, the interval at mark A beside that at B; COMPARE t1 t2: those at two times; t1-t2: the"
        " average of a period; one alone is beside this interval; OFF ends it",
        compare, waits=True,
    ),
    Command("NOTE", 4, "text", "add a note to this sample, if samples are recorded", note, waits=True),
    Command("NOW", 3, "", "return from the past to the live machine"),
    Command(
        "PLOT", 3, "[column] [row ...] [since]", "draw a column by time: PLOT resp 7000 -10m; also GRAPH",
        lambda s, operands: draw(s, "PLOT", operands), waits=True,
    ),
    Command(
        "CORREL", 3, "[column] [row] [since]", "list what moved with a column: CORREL resp 7000 -10m",
        lambda s, operands: draw(s, "CORREL", operands), waits=True,
    ),
    Command(
        "TOUR", 2, "[NEXT|BACK|OFF|step]", "in zmon demo: open the tour, go a step on or back, close it",
        tour, waits=True,
    ),
    Command(
        "OPEN", 2, "system [time]", "in zmon fleet: go into the recording of a system; F3 comes back",
        open_system, waits=True,
    ),
    Command("FLEET", 4, "", "in zmon fleet: show all systems, from one of them go back to all", to_fleet),
    Command("PANE", 3, "ON|OFF", "show below a list what lies behind the row under the cursor, or hide it"),
    Command(
        "PRINT", 2, "[file]", "write this screen to a file: NAME.html, NAME.svg, or else as text",
        write, waits=True,
    ),
    Command("RETURN", 3, "", "leave this screen", leave),
    Command("QUIT", 4, "", "leave zmon; also q, EXIT", lambda s, _: s.quit()),
)  # fmt: skip
"""The words that are no screens."""

ALIASES: Final = {**COMMAND_ITEMS, "Q": "QUIT", "EXIT": "QUIT", "GRAPH": "PLOT"}
"""Other words for commands."""

AT_ONCE: Final = {"HELP", "RETURN", "QUIT"}
"""Commands that need no sample."""

ELSEWHERE: Final = {
    "WHATIF": ": type zmon whatif CHANGE on the command line of the system; MOVES shows moves, MOVES 4 four",
}
"""What is no command here, and where it is one."""

OF_ONE: Final = "ENTER on a guest opens its own screens"

CONTROL: Final = {"FC", "FCONTROL"}
"""What people used to write before some commands of the Toolkit: `FC BENCHMRK DEVICE 7000`."""

QUESTION: Final = "?"
"""What people write who look for help: it lists the keys, or explains the words behind it."""


def find_command(word: str) -> Command | None:
    """Return the command that a word or its beginning names."""
    wanted = ALIASES.get(word.upper(), word.upper())
    for command in COMMANDS:
        if command.word.startswith(wanted) and len(wanted) >= command.shortest:
            return command
    return None


def run(session: Session, line: str) -> SurfaceRequest | None:
    """Carry out a command line; returns the command when the surface has to do it, such as HELP or PLAY.

    Raises:
        CommandError: it is not understood or cannot be done.
    """
    line = _uncontrolled(line.strip())
    if line.startswith(("/", QUESTION)):
        session.leaving = False
        rest = line.lstrip(line[0]).strip() if line[0] == QUESTION else line[1:].strip()
        if line.startswith("/"):
            return SurfaceRequest("LOCATE", wanted_text(session, rest))
        return SurfaceRequest("HELP", rest or "KEYS")
    if not line:
        return None
    word, *behind = line.split(maxsplit=1)
    operands = "".join(behind)
    command = find_command(word)
    session.leaving = session.leaving and command is not None and command.word == "RETURN"
    if command is not None and operands and not command.operand:
        raise CommandError(f"{command.word} takes no operand {operands!r}; write {command.word} alone")
    if (session.underway and _waits(session, command, operands)) or _is_early(session, command, word):
        _wait(session, line)
    elif command is None:
        _open_screen(session, word, operands)
    elif command.word == "NEXTSAMP" and session.live and not operands:
        return SurfaceRequest("REFRESH", "")
    elif command.run is None:
        if command.word == "LOCATE":
            operands = wanted_text(session, operands)
        return SurfaceRequest(command.word, operands)
    else:
        _carry_out(session, command, operands, line)
    return None


def _carry_out(session: Session, command: Command, operands: str, line: str) -> None:
    """Carry out a command that is the session's; one that waits for the sample waits for its table, too."""
    assert command.run is not None  # noqa: S101 - the surface has the others
    try:
        command.run(session, operands)
    except UnreadError:
        if not command.waits:
            raise
        _wait(session, line)


def _wait(session: Session, line: str) -> None:
    session.waiting.append(line)
    session.message = f"{line}: waits for the sample"


def _waits(session: Session, command: Command | None, operands: str) -> bool:
    """Return whether a command waits for the cursor: for its sample, or behind one that waits for that."""
    if command is None:
        return bool(session.waiting or operands)
    if command.word in {*AT_ONCE, "NOW"}:
        return False
    return bool(session.waiting) or command.waits or (command.word == "NEXTSAMP" and bool(operands))


def _is_early(session: Session, command: Command | None, word: str) -> bool:
    """Return whether a word opens a plan that is made when more is known than a preview shows."""
    if not session.is_preview or command is not None:
        return False
    try:
        return definition(session.screens.find(word).table).is_plan
    except (ScreenError, KeyError):  # it is no screen, or the menu, which has no table
        return False


def _uncontrolled(line: str) -> str:
    """Leave out the word that the Toolkit has before some of its commands."""
    word, _, rest = line.partition(" ")
    return rest.strip() if word.upper() in CONTROL and rest.strip() else line


def _open_screen(session: Session, word: str, operands: str) -> None:
    """Open the screen that a word on the command line names."""
    if word.upper() in CONTROL:  # no abbreviation of a screen: it is what stands before a command
        raise _unknown(session, word)
    if "." in word and _open_figure(session, [word, *operands.split()]):
        return
    try:
        session.screens.find(word)
    except NoScreen as error:
        raise _unknown(session, word) from error
    except ScreenError as error:
        raise CommandError(str(error)) from error
    session.open(word, operands)


def _open_figure(session: Session, fields: Sequence[str]) -> bool:
    """Open the screen of a figure, CTLUNIT.resp 8000, on its column and row; return whether it is one."""
    if session.interval is None:
        raise CommandError(NO_SAMPLE)
    try:
        figures = variable.parse(fields, session.screens)
    except variable.VariableError:
        return False
    screen, column, rows = figures[0]
    if screen.layout == "page" or needs(screen.table).history:
        session.open(screen.command, " ".join(rows), column)
        return True
    missing, row = "", ""
    try:
        row = variable.resolve(figures[:1], session.interval, session.inputs)[0].key
    except (NoSuchThing, variable.VariableError) as error:
        missing = str(error)
    session.open(screen.command, column=column, row=row)
    session.message = missing
    return True


CLOCK: Final = re.compile(r"(?:[0-9]{4}-)?[0-9]{1,2}[:-][0-9]{2}(?::[0-9]{2})?")
"""What looks like the beginning of a time."""


def _unknown(session: Session, word: str) -> CommandError:
    """Return the error about a word that names nothing, with the name that may be meant."""
    is_fleet = session.timeline.fleet is not None
    words_of = (
        command.word for command in COMMANDS if is_fleet or command.run not in {open_system, to_fleet}
    )
    names = (*session.screens.commands, *words_of)
    typed = word if len(word) <= MAX_QUOTED else f"{word[:MAX_QUOTED]}..."
    elsewhere, meant = ELSEWHERE.get(word.upper()), did_you_mean(word, names)
    if not elsewhere and CLOCK.fullmatch(word):
        elsewhere = f"; GO {typed} goes to that time"
    instead = elsewhere or meant or "; HELP COMMANDS lists them"
    if is_fleet:
        instead = f" of a fleet{meant}" if meant and not elsewhere else f" of a fleet; {OF_ONE}"
    return CommandError(f"{typed!r} is no screen and no command{instead}")
