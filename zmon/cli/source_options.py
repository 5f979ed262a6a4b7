"""What options name as the source: this machine, a capture, a recording or a simulated machine."""

from __future__ import annotations

import os
import shlex
import time
from contextlib import ExitStack, closing, contextmanager
from functools import cache

from zmon.base import ranges
from zmon.base.clock import SECOND
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.plain_text import harmless
from zmon.base.record import NamedTuple
from zmon.cli.inputs import claims_with_cp, containers_of, files_in_groups, site_of
from zmon.cli.output import FAILED, USAGE, announced, complain, warn
from zmon.kinds import (
    ADAPTER,
    CLAIM,
    CONTAINER,
    DASD,
    DEVICE,
    LAYER,
    LUN,
    MACHINE,
    MOUNT,
    PATH,
    SWAP,
    TARGET_PORT,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from zmon.base.listed_file import ListedFile
    from zmon.kernel.sampler import Choice
    from zmon.listing.listing import Listing
    from zmon.machine.view import View
    from zmon.sample import Kind, Sample
    from zmon.session.live_buffer import LiveBuffer
    from zmon.session.navigator import Navigator
    from zmon.session.recording import Excerpt
    from zmon.session.timeline import Timeline
    from zmon.topology.machine import Machine, UserInputs

SIMULATED: Final = "lab:"
"""What the name of a simulated machine begins with."""

IDENTITY: Final = (MACHINE, DEVICE, DASD, MOUNT, SWAP, LAYER, PATH)
"""The kinds from which a lookup follows how files, devices and disks depend on each other."""
AS_GIVEN: Final = {
    "--from": "source", "--host": "host", "--site": "site", "--cp-file": "cp_file", "--cp-user": "cp_user",
    "--cp-member": "cp_member", "--listing": "listing", "--database": "database", "--base-dir": "base_dir",
    "--terminator": "terminator", "--partitions": "partitions",
}  # fmt: skip
"""The options that other commands need for the same answer, and where their values are."""
NO_TEXTS: Final = "--host chooses among collected texts: name them with --from"
NAMED: Final = 3
"""Files of a directory that are named; the others are counted."""
STORED: Final = (CONTAINER, CLAIM, ADAPTER, LUN, TARGET_PORT)
"""Kinds that captures and recordings hold besides; of this machine they are read as the options say, and an
adapter is not asked for its load."""
MISSING: Final = "no file that there is"


def is_simulated(source: str | None) -> bool:
    """Tell whether a source is a simulated machine."""
    return (source or "").startswith(SIMULATED)


def see_recorded(source: str) -> None:
    """See that a source that will be described or copied is not a simulated machine.

    Raises:
        RecordingError: it is one.
    """
    from zmon.store.file_format import RecordingError  # noqa: PLC0415 - most commands start without the store

    if is_simulated(source):
        raise RecordingError(
            f"{source}: a simulated machine, no recording; zmon import makes a recording of it"
        )


# timelines


def choice_of(
    args: argparse.Namespace, kinds: Collection[Kind] | None = None, containers: Sequence[ListedFile] = ()
) -> Choice:
    """Return which sources the options choose, limited to the `kinds` if there are any."""
    from zmon.kernel.sampler import EVERYTHING, Choice  # noqa: PLC0415 - a recording needs no machine

    return Choice(
        EVERYTHING.kinds if kinds is None else kinds,
        cache=args.cache,
        hypervisor=not args.no_hypervisor,
        exact=args.exact,
        containers=tuple(containers),
        cp=args.cp,
        processes=args.processes,
    )


def open_source(  # noqa: PLR0913 - one for each way to confine or widen it
    args: argparse.Namespace,
    *,
    follow: bool = False,
    keep: bool = False,
    kinds: Collection[Kind] | None = None,
    last: int | None = None,
    containers: Sequence[ListedFile] = (),
) -> Timeline:
    """Return the timeline of the source that the options name.

    Args:
        args: the options.
        follow: of this machine, listen to hot-plug events.
        keep: of this machine, keep samples: in the file of --record, with a recorder that runs, or in memory.
        kinds: only these kinds are needed.
        last: number of samples at the end that are needed.
        containers: of this machine, files to look at; captures and recordings have those of their time.

    Raises:
        CaptureError, RecordingError, ScenarioError: the source cannot be used.
    """
    timeline = _opened(args, kinds, last) if args.source else None
    if timeline is not None:
        vars(args).setdefault("opened", []).append(timeline)
    else:
        from zmon.kernel.udev import watch  # noqa: PLC0415 - a capture needs no live machine
        from zmon.session.machines import LiveTimeline  # noqa: PLC0415 - likewise

        warn_of_hidden()
        choice = choice_of(args, kinds, containers)
        timeline = LiveTimeline(
            choice, args.interval, watch() if follow else None, buffer=_buffer(args) if keep else None
        )
    if getattr(args, "host", "") and timeline.texts is None:
        from zmon.kernel.capture_text import NoSuchHost  # noqa: PLC0415 - a mistake alone needs it

        raise NoSuchHost(NO_TEXTS)
    timeline.site = getattr(args, "site", "")
    timeline.asked = tuple(as_given(args))
    return timeline


def warn_of_hidden(root: str = "/") -> None:
    """Print what of this machine cannot be seen from here, and why."""
    from zmon.kernel.tree import LiveTree, lacking  # noqa: PLC0415 - other sources need no machine

    if hidden := lacking(LiveTree(root)):
        warn(hidden)


def as_given(args: argparse.Namespace) -> Iterator[str]:
    """Yield the options that name the source and what users supply, for commands that are to be pasted.

    The address of a server is left out: it may hold a password.
    """
    for option, name in AS_GIVEN.items():
        value = getattr(args, name, None)
        for item in value if isinstance(value, list) else [value]:
            text = ",".join(map(str, item)) if isinstance(item, tuple) else str(item or "")
            if text and "://" not in text:
                yield from (option, text)


def _opened(args: argparse.Namespace, kinds: Collection[Kind] | None, last: int | None) -> Timeline:
    """Return the timeline of a simulated machine, of recordings or of a capture."""
    if is_simulated(args.source):
        from zmon.session.machines import open_lab  # noqa: PLC0415 - loads the simulator

        return open_lab(args.source)
    from zmon.store.day import is_source  # noqa: PLC0415 - this machine needs no recording

    if is_source(args.source):
        from zmon.session.recording import open_recording  # noqa: PLC0415 - a capture needs no SQLite

        return open_recording(args.source)
    from zmon.kernel.capture_tree import CaptureError, NoCaptureError  # noqa: PLC0415 - this machine needs no archive
    from zmon.session.machines import open_capture  # noqa: PLC0415 - likewise

    try:
        tree = open_capture(args.source, choice_of(args, kinds), last, getattr(args, "host", ""))
    except ValueError as error:
        other = other_directory(args.source) if isinstance(error, NoCaptureError) else None
        raise damaged_recording(args.source) or other or error from error
    strange = [*tree.strange]
    if strange and getattr(args, "strict", False):
        raise CaptureError(f"{'; '.join(map(harmless, strange))} (--strict)")
    for line in (*tree.remarks, *strange):
        warn(harmless(line))
    return tree


_LOOKED_AT: Final = ", and in none of its files an output begins that zmon reads"


def other_directory(path: str) -> ValueError | None:
    """Return what a directory holds that is neither a capture nor day files; None if it is no directory."""
    from zmon.store.file_format import RecordingError, is_recording  # noqa: PLC0415 - only a mistake needs it

    try:
        names = sorted(os.listdir(path))
    except OSError:
        return None
    paths = {name: os.path.join(path, name) for name in names}
    own = [name for name, file in paths.items() if os.path.isfile(file) and is_recording(file)]
    what = f"the recordings {ranges.names(own, NAMED)}" if own else ranges.names(names, NAMED) or "nothing"
    if own:
        why = f"in a directory they are named as 2026-03-17.zmon; --from {paths[own[0]]} opens the first"
    else:
        why = (
            "expected are recordings, a capture, what dbginfo.sh, sos or supportconfig wrote, or texts of"
            f" tools such as lsdasd{_LOOKED_AT * bool(names)}; see docs/sources.md"
        )
        if listings := [name for name, file in paths.items() if os.path.isfile(file) and _is_listing(file)]:
            why += f"; of databases zmon spread reads {ranges.names(listings, NAMED)}"
    return RecordingError(f"{path} holds {what}: {why}")


def _is_listing(path: str) -> bool:
    """Return whether a file lists where a database has its files."""
    from zmon.listing.listing import MAX_HEAD, ListingError, read_listing  # noqa: PLC0415 - likewise

    if os.path.getsize(path) > MAX_HEAD:
        return False
    try:
        read_listing(path)
    except ListingError:
        return False
    return True


def damaged_recording(path: str) -> ValueError | None:
    """Return what is wrong with a file that by its name or first bytes is a recording; None if it is none."""
    from zmon.store.file_format import SQLITE_HEAD, RecordingError, head_of  # noqa: PLC0415 - only a mistake needs it

    if not os.path.isfile(path) or not (path.endswith(".zmon") or head_of(path, 16) == SQLITE_HEAD):
        return None
    from zmon.recorder.info import recording_info  # noqa: PLC0415 - only a damaged recording needs it

    recording = recording_info(path)
    return RecordingError(recording.cause or recording.problem, path)


def source_instead(arguments: Iterable[str], command: str = "zmon") -> str:
    """Return how to open the first of some words that is a recording, a capture or a file without --from.

    It is empty if none is one, nor looks like one.
    """
    for word in arguments:
        what = _source_named(word)
        if what:
            shown = shlex.quote(harmless(word))
            return f"{shown} is {what}: type {command} --from {shown if what != MISSING else 'FILE'}"
    return ""


def _source_named(word: str) -> str:
    """Return what a word names that `--from` may take; empty if that is nothing."""
    from zmon.kernel.capture_open import ARCHIVES  # noqa: PLC0415 - only a mistake needs it
    from zmon.store.day import is_source  # noqa: PLC0415 - likewise

    if is_simulated(word):
        return "a simulated machine"
    if os.path.isdir(word):
        return "a directory of recordings" if is_source(word) else "a directory"
    if os.path.isfile(word):
        return "a recording" if is_source(word) else "an archive" if word.endswith(ARCHIVES) else "a file"
    return MISSING if word.endswith((".zmon", *ARCHIVES)) else ""


def _buffer(args: argparse.Namespace) -> LiveBuffer:
    """Return what keeps live samples.

    Raises:
        RecordingError: the file of --record cannot be written.
    """
    from zmon.recorder.lock import recorder_here  # noqa: PLC0415 - only live screens need it
    from zmon.session import live_buffer  # noqa: PLC0415 - likewise

    if args.record:
        return live_buffer.FileBuffer(args.record)
    recorder = recorder_here(os.environ)
    if recorder is None:
        return live_buffer.MemoryBuffer()
    return live_buffer.RecorderBuffer(recorder.directory)


def time_of(text: str, timeline: Timeline, present: int | None = None) -> int:
    """Return the time that words name, in ns since 1970; distances count from `present`, else from the end.

    Raises:
        WhenError: they name none.
    """
    from zmon.session.when import parse_when, whole  # noqa: PLC0415 - most commands name no time

    span = timeline.span()
    if present is None and span is not None:
        present = span[1]
    utc = whole(parse_when(text, time.time_ns(), present, span))
    tell_not_once(text, utc, span)
    return utc


def tell_not_once(text: str, utc: int, span: tuple[int, int] | None) -> None:
    """Print which time words mean that the clock has shown twice or never; see `zmon.session.when`."""
    from zmon.session.when import not_once  # noqa: PLC0415 - most commands name no time

    if remark := not_once(text, utc, span):
        _warn_once(remark)


@cache
def _warn_once(remark: str) -> None:
    warn(remark)


def begin_of(text: str, timeline: Timeline, end: int | None) -> int:
    """Return the time that words name as the begin of what lasts until `end`, in ns since 1970.

    Without an end it lasts until the last sample.  Where it ends at midnight, `00:00` is the midnight before.

    Raises:
        WhenError: they name none.
    """
    begin, span = time_of(text, timeline, end), timeline.span()
    end = span[1] if end is None and span is not None else end
    if end is None or begin // SECOND != end // SECOND:
        return begin
    earlier = time_of(text, timeline, end - SECOND)
    return earlier if begin - earlier > SECOND else begin


def seek(navigator: Navigator, text: str) -> str:
    """Go to the sample of a time; returns a remark if nothing was recorded then, else nothing.

    Raises:
        WhenError: the words name no time.
    """
    from zmon.session.when import outside  # noqa: PLC0415 - most commands name no time

    utc = time_of(text, navigator.timeline)
    navigator.seek(utc)
    return outside(utc, navigator.timeline.span())


def paced(count: int, seconds: float) -> Iterator[int]:
    """Yield the number that is left, `count` times: each `seconds` after the one before was due."""
    due = time.monotonic()
    for left in reversed(range(count)):
        due += seconds
        time.sleep(max(0.0, due - time.monotonic()))
        yield left


def go_to_end(navigator: Navigator) -> None:
    """Go to the last sample, and print a remark if later ones cannot be read."""
    navigator.end()
    position = navigator.cursor.position
    if position is None:
        return
    section, following = position.section, position.number + 1
    if following < len(section) and section.sample(following) is None:
        count = len(section) - following
        unread = f"the last {count:,} samples" if count > 1 else "the last sample"
        warn(
            f"{section.name}: {unread} cannot be read, the one before is taken; zmon info --check has details"
        )


# recordings to copy


def open_excerpt(args: argparse.Namespace) -> Excerpt:
    """Return the part of a recording from `--from` to `--to`; there are samples in it.

    Raises:
        RecordingError: it is no recording, or cannot be used.
        WhenError: the words name no time, or there is no sample between the times.
    """
    from zmon.session.recording import Excerpt  # noqa: PLC0415 - other sources need no store
    from zmon.session.when import WhenError  # noqa: PLC0415 - likewise
    from zmon.store.file_format import NO_RECORDING, RecordingError, is_recording  # noqa: PLC0415 - likewise

    see_recorded(args.source)
    try:
        excerpt = Excerpt(args.source)
    except RecordingError as error:
        if os.path.isfile(args.source) and not is_recording(args.source):
            raise RecordingError(f"{args.source}: {NO_RECORDING}") from error
        raise
    with ExitStack() as opened:
        opened.enter_context(closing(excerpt))
        span = excerpt.span()
        if span is None:
            raise RecordingError(f"{args.source}: nothing has been recorded")
        excerpt.confine(args.begin, args.end, time.time_ns())
        for text, utc in ((args.begin, excerpt.begin), (args.end, excerpt.end)):
            tell_not_once(text or "", utc, span)
        if not len(excerpt):
            first, last = map(utc_clock, span)
            raise WhenError(f"no sample lies in that time; there are samples from {first} to {last} UTC")
        opened.pop_all()
    return excerpt


def left_out(excerpt: Excerpt) -> list[str]:
    """Return what of a recording could not be read."""
    lines = [f"left out: {problem}" for problem in excerpt.problems()]
    if excerpt.unread:
        lines.append(f"left out: {excerpt.unread:,} samples whose times cannot be read")
    damage = excerpt.damage()
    return [*lines, damage] if damage else lines


def refused(error: ValueError) -> int:
    """Print why a source or a time cannot be used; returns the status, that of a typo for a time."""
    from zmon.session.when import WhenError  # noqa: PLC0415 - an error alone needs it

    return complain(str(error), USAGE if isinstance(error, WhenError) else FAILED)


def utc_clock(ns: int) -> str:
    """Write an instant of UTC in whole seconds."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(ns // SECOND))


# machines to look something up in


class Lookup(NamedTuple):
    """The machine that a lookup is about, and the view that traffic is of, if that is wanted."""

    machine: Machine
    view: View | None
    timeline: Timeline
    """Where the machine is from."""
    strangers: Sequence[str] = ()
    """What of the listing is of another machine, a sentence each."""


@contextmanager
def open_lookup(
    args: argparse.Namespace,
    listing: Listing | None = None,
    *,
    adds: bool = False,
    traffic: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Lookup]:
    """Open the machine that the options name, with the files of a listing on it.

    Without a listing the files are those that the capture or the recording holds; if a listing `adds`, those
    as well.  A recording is read as far as the machine is asked, so the machine can be asked only within this
    context.

    Raises:
        CaptureError, RecordingError, SiteError, WhenError: the source, the site or the time is unusable.
        OSError: it cannot be read.
    """
    from zmon.topology.machine import Machine  # noqa: PLC0415 - other sources need no topology

    listed = None if listing is None or not args.source else listing
    inputs = _inputs(args, listed, listing, adds=adds)
    kinds = (*IDENTITY, *(_observed() if traffic else ()), *(STORED if args.source else ()))
    with ExitStack() as opened:
        with announced(args.source):
            timeline = opened.enter_context(
                closing(open_source(args, kinds=kinds, last=None if args.at or traffic else 2))
            )
            navigator = _navigator(args, timeline, traffic=traffic)
        interval = navigator.interval
        assert interval is not None  # noqa: S101 - `_navigator` sees to it
        sample = interval.after
        if not args.source:
            from zmon.kernel.file_sample import with_files  # noqa: PLC0415 - a recording has them
            from zmon.kernel.tree import LiveTree  # noqa: PLC0415 - likewise

            sample = with_files(LiveTree(), sample, containers_of(listing), progress)
        strangers = () if listing is None else listing.strangers(host_of(sample))
        if not traffic:
            yield Lookup(Machine(sample, inputs), None, timeline, strangers)
            return
        from zmon.interval import Interval  # noqa: PLC0415 - likewise
        from zmon.machine.topology import machine_of  # noqa: PLC0415 - only traffic needs tables
        from zmon.machine.view import View  # noqa: PLC0415 - likewise

        view = View(Interval(interval.before, sample), history=navigator.history, inputs=lambda: inputs)
        yield Lookup(machine_of(view), view, timeline, strangers)


def _observed() -> tuple[Kind, ...]:
    """Return the kinds that show traffic, and whether requests wait."""
    from zmon.machine.observed import KINDS  # noqa: PLC0415 - only traffic needs them

    return KINDS


def host_of(sample: Sample) -> str:
    """Return the name of the machine that a sample is of; empty if it is not known."""
    names = sample.frame(MACHINE).column("hostname")
    return next((name for name in names if isinstance(name, str)), "")


def read_files(
    args: argparse.Namespace,
    paths: Iterable[str],
    mounts: Mapping[str, str] | None = None,
    *,
    root: str = "/",
    progress: Callable[[int], None] | None = None,
) -> Machine:
    """Return this machine as far as a few files need it: their mounts and the devices below them.

    `mounts` has the ids of the mounts that directories are on, by their paths.  The kernel's files are those
    below `root`.

    Raises:
        SiteError: the site's file cannot be used.
        OSError: a file of answers cannot be read.
    """
    from zmon.kernel.file_sample import sample_files  # noqa: PLC0415 - other sources have samples
    from zmon.kernel.tree import LiveTree  # noqa: PLC0415 - likewise
    from zmon.topology.machine import Machine  # noqa: PLC0415 - likewise

    warn_of_hidden(root)
    return Machine(sample_files(LiveTree(root), paths, mounts, progress), _inputs(args))


def _navigator(args: argparse.Namespace, timeline: Timeline, *, traffic: bool) -> Navigator:
    """Return a navigator at the interval of a lookup: the last, or that at a time."""
    from zmon.session.navigator import Navigator  # noqa: PLC0415 - a lookup of one file needs none

    navigator = Navigator(timeline)
    if args.source and args.at:
        said = seek(navigator, args.at)
        if said:
            warn(said)
    elif args.source:
        go_to_end(navigator)
    else:
        navigator.next()
        if traffic:
            time.sleep(args.interval)
            navigator.next()
    if navigator.interval is None:
        raise OSError(0, "there is no sample in it", args.source)
    return navigator


def _inputs(
    args: argparse.Namespace,
    listed: Listing | None = None,
    listing: Listing | None = None,
    *,
    adds: bool = False,
) -> UserInputs:
    """Return what users supplied; the claims of CP follow when they are asked for."""
    from zmon.topology.machine import UserInputs  # noqa: PLC0415 - other sources need no topology

    files = None if listed is None else list(containers_of(listed))
    groups = files_in_groups(listing)
    return UserInputs(site_of(args.site), claims_with_cp(args), files, in_disk_groups=groups, adds=adds)
