"""What `--status` adds to an answer: the exit status and the first line that cron and Nagios read.

    EXCEPT WARNING - 1 exception, 1 open: look path-busy 50 since 14:30:00 ... | open=1 look=1 bad=0

0 is OK, 1 WARNING, 2 CRITICAL, and 3 UNKNOWN: whatever cannot be known, from a wrong option to a recording
whose recorder has stopped.  Behind the bar are figures that a monitor can plot.  CSV and JSON have no such
line, their exit status is the same.
"""

from __future__ import annotations

import time

from zmon.base.clock import END_OF_TIME
from zmon.base.event import BAD, LEVELS, LOOK, OPEN
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.plain_text import harmless
from zmon.base.record import NamedTuple
from zmon.cli.output import FAILED, complain, warn, write_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.base.event import ExceptionEntry, Exceptions
    from zmon.check.practice import CheckResult
    from zmon.diagnosis.diagnosis import Verdict
    from zmon.rule.grammar import Rule
    from zmon.session.timeline import Timeline

STATUS: Final = "--status"
OK, WARNING, CRITICAL, UNKNOWN = range(4)
NAMES: Final = ("OK", "WARNING", "CRITICAL", "UNKNOWN")
BY_WEIGHT: Final = (CRITICAL, WARNING, UNKNOWN, OK)
"""The order in which the state of several answers is looked for."""
FRESH_INTERVALS: Final = 10
FRESH_SECONDS: Final = 300.0
"""A last sample that is older than both, so many of its intervals and so long, says nothing of now."""
MOST_USUAL: Final = {"D1", "D2", "D4", "D4b"}
"""If one of these is not known, it is not known whether something is short; others need more sources."""
LONGEST: Final = 300
"""Characters of the words in a status line: more is cut off by what sends it on."""
MONTH: Final = 30.44 * 86_400
AGES: Final = (
    (365.25 * 86_400, "year"),
    (MONTH, "month"),
    (86_400.0, "day"),
    (3600.0, "hour"),
    (60.0, "minute"),
)


class ServiceState(NamedTuple):
    """How a service is, as a monitor has it."""

    level: int
    words: str
    figures: Mapping[str, float] = {}

    def line(self, service: str) -> str:
        """Return the status line; `|` ends the words there, so they have none of their own."""
        fields = " ".join(harmless(self.words).replace("|", "/").split())
        fields = fields if len(fields) <= LONGEST else f"{fields[: LONGEST - 3]}..."
        figures = " ".join(f"{name}={value:g}" for name, value in self.figures.items())
        return f"{service} {NAMES[self.level]} - {fields}{f' | {figures}' if figures else ''}"


def write_state(args: argparse.Namespace, service: str, state: ServiceState) -> int:
    """Print the status line, if text is wanted; returns the exit status."""
    if args.format == "text":
        write_text([state.line(service)])
    return state.level


def no_answer(args: argparse.Namespace, service: str, message: str, status: int = FAILED) -> int:
    """Print why there is no answer; returns the exit status `status`, with `--status` that of UNKNOWN."""
    if args.status:
        return not_known(service, message, text=args.format == "text")
    return complain(message, status)


def not_known(service: str, why: str, *, text: bool = True) -> int:
    """Print why the state of a service is not known; returns the exit status."""
    if text:
        write_text([ServiceState(UNKNOWN, why).line(service)])
    else:
        complain(why, UNKNOWN)
    return UNKNOWN


# states


def state_of_verdict(verdict: Verdict) -> ServiceState:
    """Return the state by a verdict: bad is what is certain and costs requests, worth a look any other."""
    from zmon.diagnosis.stretch import timed_claim  # noqa: PLC0415 - most states need none

    many = len(verdict.diagnoses)
    figures = {"diagnoses": many, "waiting": round(verdict.waiting, 1)}
    if many:
        first = max(verdict.diagnoses, key=lambda diagnosis: diagnosis.is_bad)
        more = f"; {many - 1} more" if many > 1 else ""
        level = CRITICAL if verdict.is_bad else WARNING
        claim = timed_claim(first).removesuffix(".")
        return ServiceState(level, f"{claim} ({first.id}, {first.confidence}){more}", figures)
    if verdict.damage:
        return ServiceState(UNKNOWN, verdict.sentence.removesuffix("."))
    if verdict.may_wait:
        return ServiceState(UNKNOWN, verdict.may_wait, figures)
    lacking = [unknown for unknown in verdict.unknown if unknown.id in MOST_USUAL]
    if lacking:
        why = f"{', '.join(unknown.id for unknown in lacking)} cannot be judged: {lacking[0].source}"
        return ServiceState(UNKNOWN, f"nothing is found, but {why}")
    return ServiceState(OK, verdict.sentence.removesuffix("."), figures)


def state_of_exceptions(
    entries: Sequence[ExceptionEntry], exceptions: Exceptions, rules: Iterable[Rule]
) -> ServiceState:
    """Return the state by some exceptions of a time, and by how far that time is known."""
    judged = (exceptions.until - exceptions.begin) / 1e9
    longest = max((rule.lasting for rule in rules), default=0.0)
    figures = {"open": sum(entry.state == OPEN for entry in entries)}
    figures |= {LEVELS[level]: sum(entry.level == level for entry in entries) for level in (LOOK, BAD)}
    if entries:
        worst = min(entries, key=lambda entry: (-entry.level, entry.state != OPEN, entry.heaviness))
        many = f"{len(entries)} exception{'s' * (len(entries) > 1)}, {figures['open']} open"
        return ServiceState(
            worst.level, f"{many}: {LEVELS[worst.level]} {worst.rule}: {worst.words}", figures
        )
    if judged <= 0:
        return ServiceState(UNKNOWN, "nothing can be judged: there are no two samples")
    if exceptions.until < exceptions.end:
        return ServiceState(UNKNOWN, "not all samples of that time are judged")
    if judged < longest:
        why = f"only {judged:.0f} s were judged, and rules need up to {longest:.0f} s"
        return ServiceState(UNKNOWN, f"no exception is found, but {why}")
    unjudged = f"; not judged: {', '.join(exceptions.unknown)}" if exceptions.unknown else ""
    return ServiceState(OK, f"no exceptions{unjudged}", figures)


def state_of_checks(results: Sequence[CheckResult]) -> ServiceState:
    """Return the state by checks; without one that is ok, worth a look or bad it is not known."""
    from zmon.check.practices import worst  # noqa: PLC0415 - show starts without checks

    states = [result.state.value for result in results]
    figures = {state: states.count(state) for state in ("bad", "look", "unknown", "ok")}
    text = ", ".join(f"{count} {state}" for state, count in figures.items() if count)
    state_found = worst(results).value
    if state_found in LEVELS:
        first = next(result for result in results if result.state.value == state_found)
        text = f"{text}: {first.check.id} {first.check.title}: {first.words}"
        return ServiceState(LEVELS.index(state_found), text, figures)
    if figures["ok"]:
        return ServiceState(OK, text, figures)
    return ServiceState(
        UNKNOWN, f"no check has a result: {results[0].words}" if results else "there are no checks"
    )


def together(states: Sequence[ServiceState]) -> ServiceState:
    """Return the state of several answers: that of the worst, with the words of all that are not OK."""
    level = next(level for level in BY_WEIGHT if any(state.level == level for state in states))
    said = sorted(
        (state for state in states if level == OK or state.level),
        key=lambda said_state: BY_WEIGHT.index(said_state.level),
    )
    figures = {name: value for state in states for name, value in state.figures.items()}
    return ServiceState(level, "; ".join(dict.fromkeys(state.words for state in said)), figures)


# whether there are samples of the time that is asked about


def say_where_it_ends(args: argparse.Namespace, timeline: Timeline) -> None:
    """Print when an old recording ends, if a length of time is asked about that is counted from there."""
    if (args.since or "").startswith("-") and not args.at and _age(timeline):
        from zmon.session.when import written  # noqa: PLC0415 - only an old recording needs it

        end = (timeline.span() or (0, 0))[1]
        warn(f"the last sample is of {written(end)}, and {args.since} is counted from there")


def unsampled(args: argparse.Namespace, timeline: Timeline) -> str:
    """Return why there are no samples of the time that options ask about; empty if there are some.

    Without `--at` that is now, if a recording is asked.
    """
    if timeline.live:
        return ""
    if timeline.span() is None:
        return "there are no samples"
    if not args.at and (age := _age(timeline)):
        return f"the last sample is {age} old"
    from zmon.cli.source_options import time_of  # noqa: PLC0415 - only a time needs it
    from zmon.session.when import written  # noqa: PLC0415 - likewise

    end = time_of(args.at, timeline) if args.at else END_OF_TIME
    last = timeline.find(end)
    if last is None:
        return f"there is no sample of {written(end)} or before"
    if args.at and (age := _late(timeline, end)):
        return f"there is no sample of {written(end)}; the last one before is {age} older"
    begin = time_of(args.since, timeline, end if args.at else None) if args.since else 0
    return f"there is no sample from {written(begin)} on" if last.utc < begin else ""


def _age(timeline: Timeline) -> str:
    """Return how old the last sample of a recording is, in words, if it says nothing of now; else nothing.

    What is live, captured or simulated has no such age.
    """
    span = timeline.span()
    recorded = span is not None and not timeline.live and timeline.recordings(*span)
    return _late(timeline, time.time_ns()) if recorded else ""


def _late(timeline: Timeline, utc: int) -> str:
    """Return how much later a time is than the last sample before it, in words, if that is much."""
    last = timeline.find(utc)
    if last is None:
        return ""
    before = timeline.previous(last)
    interval = 0.0 if before is None else (last.utc - before.utc) / 1e9
    late = (utc - last.utc) / 1e9
    return "" if late <= max(FRESH_SECONDS, FRESH_INTERVALS * interval) else age_in_words(late)


def age_in_words(seconds: float) -> str:
    """Write an age in its largest unit: `8 months`, `1 hour`, `12 minutes`."""
    size, unit = next(((size, unit) for size, unit in AGES if seconds >= size), AGES[-1])
    count = int(seconds / size)
    return f"{count} {unit}{'s' * (count != 1)}"
