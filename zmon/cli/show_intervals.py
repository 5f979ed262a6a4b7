"""Moves along a source and prints a screen for each interval as text, CSV or JSON."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack

from zmon.base.absent import Absent
from zmon.base.clock import HOUR, SECOND
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.cli.inputs import has_inputs, inputs_and_files, status
from zmon.cli.output import FAILED, USAGE, WHOLE, announced, complain, say, write_csv, write_json, write_text
from zmon.cli.source_options import begin_of, go_to_end, open_source, paced, seek, time_of
from zmon.kinds import CONTAINER, KINDS, MACHINE
from zmon.machine.view import NoSuchThing
from zmon.screen.export import document, record_names, records, sentence, text
from zmon.screen.header import WIDTH
from zmon.session.navigator import CommandError, Navigator
from zmon.session.page import find_screen
from zmon.session.session import Session
from zmon.tables.filled import needs

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from zmon.interval import Interval
    from zmon.machine.figure import Needs
    from zmon.sample import Kind
    from zmon.screen.definition import Screen, Screens
    from zmon.session.timeline import Timeline

LEAD: Final = HOUR
"""ns before the time that is asked for, in which an exception may have begun that is open then."""
MIN_WIDTH: Final = 40
"""On a terminal that is narrower lines run over."""


def show_intervals(screens: Screens, args: argparse.Namespace) -> int:
    """Print the screen for as many intervals as are wanted; returns the exit status."""
    with ExitStack() as waiting:
        waiting.enter_context(announced(args.source))
        return _show(screens, args, waiting.close)


def _show(screens: Screens, args: argparse.Namespace, ready: Callable[[], None]) -> int:
    """Print the screen; `ready` is called before its first line."""
    screen = find_screen(screens, args.screen, " ".join(args.operand))
    needed = needs(screen.table)
    rows = args.count if needed.history else 0
    args.count = args.count or 1
    args.processes |= needed.on_demand
    try:
        inputs, containers = inputs_and_files(args)
        kinds = _kinds(args, needed)
        # one sample more than intervals makes the first interval
        far = needed.period or needed.history or args.at or args.since or args.compare
        last = None if far else args.count + 1
        timeline = open_source(args, kinds=kinds, last=last, containers=containers)
        session = Session(timeline, screens, inputs=inputs)
        session.looked_back = _looked_back(screen, args)
        _judge(session, args)
        other = _other(args, kinds) if args.other else None
    except ValueError as error:
        return _no_answer(args, screen, str(error), FAILED)
    try:
        return _print_all(session, args, other, ready, rows)
    except CommandError as error:
        # a thing that does not exist now may exist tomorrow: the command line is right
        status = FAILED if isinstance(error.__cause__, NoSuchThing) else USAGE
        return _no_answer(args, screen, str(error), status)
    except ValueError as error:  # WhenError, or a file that was damaged meanwhile
        from zmon.session.when import WhenError  # noqa: PLC0415 - an error alone needs it

        return _no_answer(args, screen, str(error), USAGE if isinstance(error, WhenError) else FAILED)
    finally:
        session.timeline.close()
        if other is not None:
            other.timeline.close()


def _print_all(
    session: Session,
    args: argparse.Namespace,
    other: Navigator | None,
    ready: Callable[[], None],
    rows: int,
) -> int:
    """Print each interval, of a screen by time `rows` at most; returns the exit status."""
    screen = find_screen(session.screens, args.screen, " ".join(args.operand))
    needed, state, first = needs(screen.table), None, True
    if args.status and (why := _unasked(args, session.timeline, needed)):
        return _no_answer(args, screen, why, FAILED)
    if args.since and (needed.exceptions or screen.table == "diagnosis"):
        from zmon.cli.service_status import say_where_it_ends  # noqa: PLC0415 - most lookups need none

        say_where_it_ends(args, session.timeline)
    if needed.history and args.source:
        args.count = 1  # a screen by time has all intervals at once
    for left in moves_to(session, args, needed=screen.layout != "menu"):
        if left and needed.history:
            continue
        if first:
            if rows and args.source and not args.since:
                _go_back(session, rows)
            _open(session, args, other)
        session.sheet()
        ready()
        if args.status:
            state = _write_state(session, args)
        _print(session, args, first=first)
        first = False
    return status(args) if state is None else state


def _kinds(args: argparse.Namespace, needed: Needs) -> Sequence[Kind]:
    """Return the kinds that the samples need; every header needs MACHINE."""
    if needed.exceptions:
        return tuple(KINDS.values())
    more = has_inputs(args) or (args.source and CONTAINER in needed.topology)  # the source may hold files
    return MACHINE, *needed.kinds, *(needed.topology if more else ())


def _judge(session: Session, args: argparse.Namespace) -> None:
    """Have exceptions known where they are shown: of the time that is asked for, and of an hour before."""
    if needs(session.screens.find(args.screen).table).exceptions:
        end = time_of(args.at, session.timeline) if args.at and args.source else None
        begin = begin_of(args.since, session.timeline, end) if args.since and args.source else 0
        session.log.confine(begin - LEAD, end)


def _looked_back(screen: Screen, args: argparse.Namespace) -> int | None:
    """Return how many intervals the curves of the screen show; those of a page as many as there may be."""
    if screen.layout != "dashboard":
        return None
    if args.format in WHOLE:
        from zmon.diagnosis.recent import MAX_RECENT  # noqa: PLC0415 - most screens look back on none

        return MAX_RECENT
    if args.format != "text":
        return 1
    from zmon.screen.dashboard import curve_room  # noqa: PLC0415 - most screens are none

    return curve_room(_width() or WIDTH)


def _no_answer(args: argparse.Namespace, screen: Screen, message: str, status: int) -> int:
    """Print why the screen cannot be printed; returns the exit status."""
    if not args.status:
        return complain(message, status)
    from zmon.cli.service_status import no_answer  # noqa: PLC0415 - most lookups are for no service check

    return no_answer(args, screen.command, message, status)


def _unasked(args: argparse.Namespace, timeline: Timeline, needed: Needs) -> str:
    """Return why nothing is known of the time that is asked about; empty if something is."""
    from zmon.cli.service_status import unsampled  # noqa: PLC0415 - most lookups need none

    if args.count > 1 and not needed.history:
        return "--status is about one interval: leave out --count"
    return unsampled(args, timeline)


def _write_state(session: Session, args: argparse.Namespace) -> int:
    """Print the status line of the screen that is shown; returns the exit status."""
    from zmon.cli import service_status as service  # noqa: PLC0415 - most lookups need none

    screen, view, keys = session.page.screen, session.view(session.page.argument), session.sheet().keys
    assert view is not None  # noqa: S101 - the sheet was filled from it
    if screen.table == "check":
        from zmon.tables.checked import results_of  # noqa: PLC0415 - likewise

        state = service.state_of_checks(results_of(view, keys))
    elif screen.table == "exceptions":
        from zmon.tables.exceptions import exceptions_of  # noqa: PLC0415 - likewise

        exceptions = exceptions_of(view)
        shown = [entry for entry in exceptions.entries if str(entry.number) in keys]
        state = service.state_of_exceptions(shown, exceptions, session.log.rules)
    else:
        from zmon.diagnosis.judged import verdict_of  # noqa: PLC0415 - likewise

        if view.interval.before is None:
            raise ValueError("there are no two samples in this time")
        state = service.state_of_verdict(verdict_of(view))
        if screen.table == "overview" and (entries := session.open_exceptions()):
            exceptions = view.history.exceptions(0, None)
            state = service.together(
                [state, service.state_of_exceptions(entries, exceptions, session.log.rules)]
            )
    return service.write_state(args, screen.command, state)


def _other(args: argparse.Namespace, kinds: Sequence[Kind]) -> Navigator:
    """Return a navigator of the recording to compare with."""
    parts = vars(args) | {"source": args.other, "at": args.compare}
    return Navigator(open_source(type(args)(**parts), kinds=kinds))


def _open(session: Session, args: argparse.Namespace, other: Navigator | None) -> None:
    """Open the page that is to be printed."""
    session.open(args.screen, " ".join(args.operand))
    if other is not None:
        session.compare(_there(other, session.interval, args), before=other.history)
    elif args.compare or args.compare_since:
        session.compare(_window(session, args))
    if args.where:
        session.where(" ".join(args.where))
    if args.sort:
        column = session.sortable(args.sort.removeprefix("-"))
        falling = (column.sort == "desc") is not args.sort.startswith("-")
        session.sort(column.name, "DESC" if falling else "ASC")


def moves_to(navigator: Navigator, args: argparse.Namespace, *, needed: bool = True) -> Iterator[int]:
    """Move the navigator to each interval that the options choose; yields the number that is left.

    Raises:
        CommandError, WhenError: there is no sample then, or a time is none.
    """
    if navigator.live and (args.at or args.since):
        raise CommandError("--at and --since are times in a recording: name one with --from")
    if navigator.live:
        yield from _live(navigator, args.count if needed else 0, args.interval)
        return
    if args.at:
        remark = seek(navigator, args.at) or ("" if args.since else navigator.cursor.onset())
        if remark:
            complain(remark)
    else:
        go_to_end(navigator)
    if args.since:
        _see_order(navigator, args)
        _widen(navigator, args.since)
        yield 0
        return
    steps = 1
    while steps < args.count and navigator.previous() is not None:
        steps += 1
    if steps > 1 and navigator.interval is not None and navigator.interval.before is None:
        navigator.next()  # the first sample has no interval before it
        steps -= 1
    yield steps - 1
    for left in reversed(range(steps - 1)):
        navigator.next()
        yield left


def _see_order(navigator: Navigator, args: argparse.Namespace) -> None:
    """Check that `--since` is before the end of the interval.

    Raises:
        CommandError: it is not; says both times.
    """
    from zmon.session.when import written  # noqa: PLC0415 - most lookups name no time

    interval = navigator.interval
    if interval is None:
        return
    end = time_of(args.at, navigator.timeline) if args.at else interval.after.at.utc
    begin = begin_of(args.since, navigator.timeline, interval.after.at.utc)
    if begin // SECOND > end // SECOND:
        behind = "--at" if args.at else "the last sample"
        raise CommandError(f"--since must be before {behind}: {written(begin)} is after {written(end)}")


def _window(navigator: Navigator, args: argparse.Namespace) -> tuple[int | None, int]:
    """Return the time that the interval is compared with.

    Raises:
        CommandError: the words mean no time before another.
    """
    if navigator.live or not args.compare:
        raise CommandError(
            "--compare is a time in a recording: name one with --from, and --compare-since with it"
        )
    end = _recorded(args.compare, navigator.timeline)
    interval = navigator.interval
    if args.compare_since:
        begin = _recorded(args.compare_since, navigator.timeline, end)
        if begin >= end:
            raise CommandError(f"{args.compare_since!r} is not before {args.compare!r}")
        return begin, end
    if args.since and interval is not None and interval.before is not None:
        return end - (interval.after.at.utc - interval.before.at.utc), end
    return None, end


def _there(other: Navigator, here: Interval | None, args: argparse.Namespace) -> Interval:
    """Return the interval of another recording that is compared with one of this: as long, if it is long.

    Raises:
        CommandError: it holds none.
    """
    if args.compare:
        other.seek(_recorded(args.compare, other.timeline))
    else:
        go_to_end(other)
    if args.compare_since:
        _widen(other, args.compare_since)
    elif args.since and here is not None and not isinstance(here.seconds, Absent):
        _widen(other, f"-{here.seconds:.0f}s")
    if other.interval is None or other.interval.before is None:
        raise CommandError(
            f"{other.timeline.name}: there are no two samples in the time that is compared with"
        )
    return other.interval


def _recorded(text: str, timeline: Timeline, present: int | None = None) -> int:
    """Return the time that words name; print a remark if the recording has no samples of it.

    Raises:
        WhenError: they name none.
    """
    from zmon.session.when import outside  # noqa: PLC0415 - most lookups name no time

    utc = time_of(text, timeline) if present is None else begin_of(text, timeline, present)
    remark = outside(utc, timeline.span())
    if remark:
        complain(remark)
    return utc


def _widen(navigator: Navigator, text: str) -> None:
    """Make one interval from a time to the current sample.

    Raises:
        CommandError: it is no time before that.
    """
    interval = navigator.interval
    if interval is None:
        return
    try:
        _average(navigator, _recorded(text, navigator.timeline, interval.after.at.utc))
    except CommandError as error:
        raise CommandError(f"{text!r}: there is no sample so long before the end of the interval") from error


def _average(navigator: Navigator, begin: int) -> None:
    """Make one interval from a time to the current sample."""
    interval = navigator.interval
    assert interval is not None  # noqa: S101 - there is a current sample
    navigator.mark("B")
    navigator.seek(begin)
    navigator.mark("A")
    navigator.seek(interval.after.at.utc)
    navigator.average()


def _go_back(navigator: Navigator, rows: int) -> None:
    """Make one interval of the last ones up to the current sample, of which a screen by time shows each."""
    end = navigator.interval
    if end is None or end.before is None:
        return
    for _ in range(rows):
        if navigator.previous() is None:
            break
    begin = navigator.interval
    navigator.seek(end.after.at.utc)
    if begin is not None and begin.after.at.utc < end.after.at.utc:
        _average(navigator, begin.after.at.utc)


def _live(navigator: Navigator, count: int, seconds: float) -> Iterator[int]:
    """Take samples `seconds` apart, and yield the number that is left; without a count take one."""
    navigator.next()
    if not count:
        yield 0
    for left in paced(count, seconds):
        navigator.next()
        yield left


def _width() -> int | None:
    """Return the width of the terminal; None if the output goes to no terminal."""
    if not sys.stdout.isatty():
        return None
    return max(os.get_terminal_size().columns or WIDTH, MIN_WIDTH)  # a serial line does not know its width


def _print(session: Session, args: argparse.Namespace, *, first: bool) -> None:
    """Print the present interval; CSV has its heading before the first."""
    sheet, screens, interval = session.sheet(), session.screens, session.interval
    assert interval is not None  # noqa: S101 - the session has moved to one
    if args.format in WHOLE:
        from zmon.ui import web_page  # noqa: PLC0415 - loads Textual

        print(web_page.page_in(args.format, session, args.width, args.top), end="")
        return
    live, width = session.live, _width()
    shown = (sheet if width is None else sheet.in_room(width).within(width)).with_letters()
    if args.format == "json":
        write_json(document(sheet, screens, interval, args.top, args.source or ""))
    elif args.format == "csv":
        rows = records(sheet, interval, args.top)
        write_csv((*([record_names(sheet)] if first else []), *rows), safe=args.csv_safe)
    else:
        write_text(text(shown, screens, interval, live=live, most=args.top, width=width))
    if args.format == "text" and (behind := shown.screen.behind):
        more = f"{behind} more column{'s' * (behind > 1)}"
        advice = f"{more}: widen the terminal, or have all of them with | cat or --format csv"
        for line in sentence(advice, width):
            say(line)
