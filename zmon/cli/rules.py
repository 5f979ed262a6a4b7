"""Lists the rules, or the exceptions that they find in a recording, a capture or the laboratory."""

from __future__ import annotations

import shlex
import sys
import textwrap
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent
from zmon.base.clock import DATED, clock, length
from zmon.base.event import BAD, LEVELS, ExceptionEntry
from zmon.base.plain_text import did_you_mean, harmless
from zmon.base.toml import PROFILES
from zmon.cli.inputs import has_inputs, user_inputs
from zmon.cli.output import FAILED, OK, USAGE, announced, complain, misused, progress, terminal_width
from zmon.cli.result import ResultTable, write_result
from zmon.cli.source_options import open_source, time_of
from zmon.interval import Interval
from zmon.machine.view import no_inputs
from zmon.rule.grammar import chosen_rules
from zmon.rule.rules_file import RuleError, own_rules
from zmon.rule.site_command import commands_in, fields_of, trusted_commands
from zmon.rule.watch import Watch, grouped
from zmon.screen.export import moment, plain
from zmon.session.exception_log import QuietTimes
from zmon.session.when import WhenError
from zmon.tables.exceptions import last_seen, not_judged

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from zmon.rule.grammar import Rule
    from zmon.rule.site_command import SiteCommand
    from zmon.session.timeline import Position, Timeline

HEADINGS: Final = ("begin", "end", "state", "level", "rule", "where", "many", "worst", "worst_at", "mean",
                   "intervals", "cause", "sentence", "digest")  # fmt: skip
"""Columns of an exception in CSV and JSON: times are UTC, `worst` and `mean` in the unit of the column."""
RULE_HEADINGS: Final = ("rule", "on", "look", "bad", "for", "cause", "say", "why", "commands")


def run(args: argparse.Namespace) -> int:
    """Print them; returns the exit status."""
    if args.format in {"prometheus", "grafana"} and args.source:
        return misused(f"--format {args.format} writes what a monitor reads, not the exceptions of a source")
    try:
        own = [*own_rules(), *args.rules]
        rules, profile, place = chosen_rules(own, args.site)
        if args.tried:
            return _try_commands(args.tried, rules, own)
        said = _said_of_profile(profile, place)
        return _print_log(args, rules) if args.source else _print_rules(args, rules, own, said)
    except RuleError as error:
        for mistake in error.args:
            complain(mistake)
        return USAGE
    except WhenError as error:
        return misused(str(error))
    except ValueError as error:
        return complain(str(error))


# the rules


def _said_of_profile(profile: str, place: str) -> str:
    """Return which profile is in force, and why."""
    if profile:
        return f"Limits are those of the profile {profile}: {place} chooses it."
    names = " or ".join(f'"{name}"' for name in PROFILES)
    return f"No profile is in force: no file of rules and no site file has profile = {names}."


def _said_of_commands(commands: Sequence[SiteCommand], rules: Sequence[Rule]) -> Iterator[str]:
    """Yield for each command what it is, and for which rules."""
    for command in commands:
        names = [rule.name for rule in rules if rule.logs and command.is_for(rule.name)]
        of = "all rules" if command.rules == ("*",) else ", ".join(names) or "no rule that is in force"
        level = f", if {LEVELS[BAD]}" if command.level == BAD else ""
        apart = f", {length(command.apart, short=True)} apart" if command.apart else ""
        limits = f"at {' and '.join(command.when)}{level}{apart}, for {command.seconds} s at most"
        yield f"{command.place} runs for {of}, {limits}: {command}"


def _doubt(paths: Sequence[str]) -> str:
    """Return why commands are not run; empty if they are, or if there are none."""
    try:
        trusted_commands(paths)
    except RuleError as error:
        return str(error)
    return ""


def _try_commands(name: str, rules: Sequence[Rule], paths: Sequence[str]) -> int:
    """Run the commands of a rule once with sample values; returns the exit status.

    Raises:
        RuleError: they cannot be trusted.
    """
    from zmon.recorder.command_runner import CommandRun, run_to_end  # noqa: PLC0415 - a list runs none

    rule = next((rule for rule in rules if rule.name == name), None)
    if rule is None:
        return misused(f"there is no rule {name!r}{did_you_mean(name, [rule.name for rule in rules])}")
    commands = [command for command in trusted_commands(paths) if command.is_for(name)]
    if not commands:
        return complain(f"no file of rules declares a command for {name}")
    status = OK
    for command in commands:
        run = CommandRun(command, fields_of(_sample_of(rule, command), command.when[0]))
        print(f"{command.place} runs: {harmless(shlex.join(command.filled(run.fields)))}", flush=True)
        outcome = run_to_end(run)
        status = FAILED if outcome.failure else status
        print(f"    {outcome.failure or 'ended with status 0'}")
        for line in outcome.output.splitlines():
            print(f"    | {harmless(line)}")
    return status


def _sample_of(rule: Rule, command: SiteCommand) -> ExceptionEntry:
    """Return an exception of a rule that says of itself that it is none."""
    now = time.time_ns()
    limit = rule.look if rule.bad is None else rule.bad
    text = "zmon rules --try: this is a trial, and nothing is wrong"
    value = 0.0 if limit is None else limit
    places = ("a trial", now, now, command.level, value, now, now, value, value, 1, text, rule.cause)
    return ExceptionEntry(rule.name, rule.digest, rule.table, "", *places)


def _print_rules(args: argparse.Namespace, rules: Sequence[Rule], paths: Sequence[str], profile: str) -> int:
    if args.format == "prometheus":
        from zmon.exposition.alert_rules import alert_rules  # noqa: PLC0415 - other formats need none

        sys.stdout.write(alert_rules(rules))
        return 0
    if args.format == "grafana":
        from zmon.exposition.grafana import dashboard  # noqa: PLC0415 - other formats need none

        sys.stdout.write(dashboard())
        return 0

    commands = commands_in(paths)

    def text() -> Iterator[str]:
        for rule in rules:
            over = f" / {rule.per}" if rule.per else ""
            on = f"{rule.table}.{rule.column}{over}"
            yield f"{rule.name}: {on} {rule.sense} {_limits(rule)}{_lasting(rule)}"
            for text in (*map(str, rule.when), rule.why):
                yield from _indented(text)
        for note in (profile, *_said_of_commands(commands, rules), _doubt(paths)):
            yield from textwrap.wrap(note, terminal_width())

    rows: list[list[Any]] = []
    for rule in rules:
        on = f"{rule.table}.{rule.column}"
        run = "; ".join(str(command) for command in commands if command.is_for(rule.name))
        rows.append([rule.name, on, rule.look, rule.bad, rule.lasting, rule.cause, rule.say, rule.why, run])
    table = ResultTable(RULE_HEADINGS, rows)
    write_result(args, table, table, [text()])
    return 0


def _indented(text: str) -> list[str]:
    return textwrap.wrap(text, terminal_width() - 4, initial_indent="    ", subsequent_indent="    ")


def _limits(rule: Rule) -> str:
    limits = (("look", rule.look), ("bad", rule.bad))
    if rule.compares:  # they have a level, and nothing that it begins at
        return next(word for word, limit in limits if limit is not None)
    return ", ".join(f"{word} {limit:g}" for word, limit in limits if limit is not None)


def _lasting(rule: Rule) -> str:
    if rule.share is not None:
        return f" in {rule.share[0]} of {rule.share[1]} intervals"
    return f" for {length(rule.lasting, short=True)}" if rule.lasting else ""


# the log


def _print_log(args: argparse.Namespace, rules: Sequence[Rule]) -> int:
    until = 0
    with announced(args.source), closing(open_source(args)) as timeline, progress("judging"):
        inputs = user_inputs(args) if has_inputs(args) else no_inputs
        watch = Watch(rules, inputs)
        quiet = QuietTimes(watch.rules, inputs)
        for before, after in _pairs(args, timeline):
            interval = Interval(before.sample, after.sample)
            watch.follow(interval, quiet.rules_at(before, after, interval))
            until = after.utc
    entries = grouped(watch.log())
    table = ResultTable(HEADINGS, [_row(entry) for entry in entries])
    unknown = {name: why.reason for name, why in watch.unknown.items()}
    document = {"exceptions": table, "average": round(watch.average, 3), "unknown": unknown}
    write_result(args, table, document, [_lines(entries, watch, until)])
    return 0


def _pairs(args: argparse.Namespace, timeline: Timeline) -> Iterator[tuple[Position, Position]]:
    """Yield the samples of the time that is asked for, each with the one behind it."""
    span = timeline.span()
    if span is None:
        raise ValueError("the source has no samples")
    begin = time_of(args.since, timeline) if args.since else span[0]
    end = time_of(args.until, timeline) if args.until else span[1]
    position = timeline.find(begin) or timeline.next()
    while position is not None:
        before, position = position, timeline.next(position)
        if position is None or position.utc > end:
            return
        yield before, position


def _lines(entries: Sequence[ExceptionEntry], watch: Watch, until: int) -> Iterator[str]:
    if not entries:
        yield "No exceptions."
    for entry in entries:
        state = [entry.state or "still open", last_seen(entry, until)]
        lasted = ", ".join([length(entry.seconds, short=True), *filter(None, state)])
        yield f"{clock(entry.begin, DATED)}  {lasted}  {LEVELS[entry.level]}  {entry.rule}"
        yield from _indented(entry.words)
    for line in not_judged(watch.unknown):
        yield from textwrap.wrap(line, terminal_width(), subsequent_indent="    ")


def _row(entry: ExceptionEntry) -> list[Any]:
    mean = None if isinstance(entry.mean, Absent) else round(entry.mean, 3)
    return [
        moment(entry.begin),
        moment(entry.end),
        entry.state or "open",
        LEVELS[entry.level],
        entry.rule,
        entry.where,
        entry.many,
        plain(entry.worst),
        moment(entry.worst_end),
        mean,
        entry.intervals,
        entry.cause,
        entry.sentence,
        entry.digest,
    ]
