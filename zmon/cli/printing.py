"""The printing of `zmon show`: move along the tape and print each interval as text, CSV or JSON."""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent
from zmon.cli.csv_output import CsvWriter
from zmon.cli.listing import asked
from zmon.cli.people import are_heard, listing_of, people
from zmon.cli.progress import patience
from zmon.cli.status import FAILED, OK, USAGE, complain
from zmon.cli.tape import open_tape, when
from zmon.kinds import CONTAINER, MACHINE
from zmon.screen.export import document, record_names, records, sentence, text
from zmon.screen.frame import WIDTH
from zmon.session.command import CommandError
from zmon.session.dialogue import Dialogue, meant
from zmon.session.tape import NoMark, Watch
from zmon.tables.view import NoSuchThing, needs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.interval import Interval
    from zmon.sample import Kind
    from zmon.screen.definition import Screens
    from zmon.session.tape import Tape

LEAST_WIDTH: Final = 40
"""On a terminal that is narrower lines run over."""


def print_screen(screens: Screens, args: argparse.Namespace) -> int:
    """Print a screen as often as it is wanted; returns the exit status."""
    with ExitStack() as waiting:
        waiting.enter_context(patience(args.source))
        return _print_screen(screens, args, waiting.close)


def _print_screen(screens: Screens, args: argparse.Namespace, ready: Callable[[], None]) -> int:
    """Print a screen; `ready` is called before its first line."""
    screen = meant(screens, args.screen, " ".join(args.operand))
    needed = needs(screen.table)
    try:
        listing = listing_of(args)
        told = people(args, listing)
        # MACHINE stands in every header; one sample more than intervals makes the first interval
        more = are_heard(args) or (args.source and CONTAINER in needed.told)  # the source may hold files
        kinds = (MACHINE, *needed.kinds, *(needed.told if more else ()))
        far = needed.period or needed.history or args.at or args.since or args.compare
        last = None if far else args.count + 1
        containers = () if listing is None else list(asked(listing))
        watch = Watch(open_tape(args, kinds=kinds, last=last, containers=containers))
        other = _other(args, kinds) if args.other else None
    except ValueError as error:
        return complain(str(error))
    dialogue: Dialogue | None = None
    try:
        for _ in _intervals(watch, args, needed=screen.layout != "menu"):
            first = dialogue is None
            dialogue = dialogue or _opened(Dialogue(watch, screens, people=told), args, other)
            dialogue.sheet()
            ready()
            _print(dialogue, args, first=first)
    except CommandError as error:
        complain(str(error))
        # a thing that is not there was asked for rightly, and may be there tomorrow
        return FAILED if isinstance(error.__cause__, NoSuchThing) else USAGE
    finally:
        watch.tape.close()
        if other is not None:
            other.tape.close()
    return OK


def _other(args: argparse.Namespace, kinds: Sequence[Kind]) -> Watch:
    """Return who looks at the recording that is compared with."""
    parts = vars(args) | {"source": args.other, "at": args.compare}
    return Watch(open_tape(argparse.Namespace(**parts), kinds=kinds))


def _opened(dialogue: Dialogue, args: argparse.Namespace, other: Watch | None) -> Dialogue:
    dialogue.open(args.screen, " ".join(args.operand))
    if other is not None:
        dialogue.compare(_there(other, dialogue.watch.interval, args), before=other.history)
    elif args.compare or args.compare_since:
        dialogue.compare(_window(dialogue.watch, args))
    if args.where:
        dialogue.where(" ".join(args.where))
    if args.sort:
        column = dialogue.sortable(args.sort.removeprefix("-"))
        falling = (column.sort == "desc") is not args.sort.startswith("-")
        dialogue.sort(column.name, "DESC" if falling else "ASC")
    return dialogue


def _intervals(watch: Watch, args: argparse.Namespace, *, needed: bool) -> Iterator[None]:
    """Move the watch to each interval that is to be printed."""
    if watch.tape.live and (args.at or args.since):
        raise CommandError("--at and --since are times in a recording: name one with --from")
    if watch.tape.live:
        yield from _live(watch, args.count if needed else 0, args.interval)
        return
    if args.at:
        from zmon.session.when import outside  # noqa: PLC0415 - most lookups name no time

        utc = _time(args.at, watch.tape)
        watch.seek(utc)
        said = outside(utc, watch.tape.span())
        if said:
            complain(said)
    else:
        watch.to_end()
    if args.since:
        _see_order(watch, args)
        _widen(watch, args.since)
        yield
        return
    steps = 1
    while steps < args.count and watch.back() is not None:
        steps += 1
    if steps > 1 and watch.interval is not None and watch.interval.before is None:
        watch.forward()  # the first sample has no interval before it
        steps -= 1
    yield
    for _ in range(steps - 1):
        watch.forward()
        yield


def _see_order(watch: Watch, args: argparse.Namespace) -> None:
    """See that `--since` is before the end of the interval.

    Raises:
        CommandError: it is not; says both times.
    """
    from zmon.session.when import SECOND, written  # noqa: PLC0415 - most lookups name no time

    stand = watch.interval
    if stand is None:
        return
    end = _time(args.at, watch.tape) if args.at else stand.after.at.utc
    begin = _time(args.since, watch.tape, stand.after.at.utc)
    if begin // SECOND > end // SECOND:
        behind = "--at" if args.at else "the last sample"
        raise CommandError(f"--since must be before {behind}: {written(begin)} is after {written(end)}")


def _window(watch: Watch, args: argparse.Namespace) -> tuple[int | None, int]:
    """Return the time that the interval is compared with.

    Raises:
        CommandError: the words mean no time before another.
    """
    if watch.tape.live or not args.compare:
        raise CommandError(
            "--compare is a time in a recording: name one with --from, and --compare-since with it"
        )
    end = _time(args.compare, watch.tape)
    interval = watch.interval
    if args.compare_since:
        begin = _time(args.compare_since, watch.tape, end)
        if begin >= end:
            raise CommandError(f"{args.compare_since!r} is not before {args.compare!r}")
        return begin, end
    if args.since and interval is not None and interval.before is not None:
        return end - (interval.after.at.utc - interval.before.at.utc), end
    return None, end


def _there(other: Watch, here: Interval | None, args: argparse.Namespace) -> Interval:
    """Return the interval of another recording that is compared with one of this: as long, if it is long.

    Raises:
        CommandError: it holds none.
    """
    if args.compare:
        other.seek(_time(args.compare, other.tape))
    else:
        other.to_end()
    if args.compare_since:
        _widen(other, args.compare_since)
    elif args.since and here is not None and not isinstance(here.seconds, Absent):
        _widen(other, f"-{here.seconds:.0f}s")
    if other.interval is None or other.interval.before is None:
        raise CommandError(f"{other.tape.name}: there are no two samples in the time that is compared with")
    return other.interval


def _time(words: str, tape: Tape, present: int | None = None) -> int:
    """Return the time that words mean on a tape.

    Raises:
        CommandError: they mean none.
    """
    from zmon.session.when import WhenError  # noqa: PLC0415 - most lookups name no time

    try:
        return when(words, tape, present)
    except WhenError as error:
        raise CommandError(str(error)) from error


def _widen(watch: Watch, words: str) -> None:
    """Have one interval from a time to where the watch stands.

    Raises:
        CommandError: it is no time before that.
    """
    stand = watch.interval
    if stand is None:
        return
    watch.mark("B")
    begin = _time(words, watch.tape, stand.after.at.utc)
    watch.seek(begin)
    watch.mark("A")
    watch.seek(stand.after.at.utc)
    try:
        watch.average()
    except NoMark as error:
        raise CommandError(f"{words!r}: there is no sample so long before the end of the interval") from error


def _live(watch: Watch, count: int, seconds: float) -> Iterator[None]:
    """Take samples so many seconds apart; without a count one sample is enough."""
    watch.forward()
    if not count:
        yield
    due = time.monotonic()
    for _ in range(count):
        due += seconds
        time.sleep(max(0.0, due - time.monotonic()))
        watch.forward()
        yield


def _width() -> int | None:
    """Return how wide a terminal the output goes to is; None where it is none."""
    if not sys.stdout.isatty():
        return None
    return max(os.get_terminal_size().columns or WIDTH, LEAST_WIDTH)  # a serial line does not know its width


def _print(dialogue: Dialogue, args: argparse.Namespace, *, first: bool) -> None:
    """Print the present interval; CSV has its heading before the first."""
    sheet, interval = dialogue.sheet(), dialogue.watch.interval
    assert interval is not None  # noqa: S101 - the watch has moved
    if args.format == "json":
        import json  # noqa: PLC0415 - a screen of text starts without it

        print(json.dumps(document(sheet, dialogue.screens, interval, args.top)))
    elif args.format == "csv":
        writer = CsvWriter(sys.stdout, safe=args.csv_safe)
        writer.writerows([record_names(sheet)] if first else [])
        writer.writerows(records(sheet, interval, args.top))
    else:
        width = _width()
        sheet = sheet if width is None else sheet.within(width)
        for line in text(
            sheet, dialogue.screens, interval, live=dialogue.watch.tape.live, most=args.top, width=width
        ):
            print(line)
        if behind := sheet.screen.behind:
            more = f"{behind} more column{'s' * (behind > 1)}"
            told = f"{more}: widen the terminal, or have all of them with | cat or --format csv"
            print(*sentence(told, width), sep="\n", file=sys.stderr)
    sys.stdout.flush()
