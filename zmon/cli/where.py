"""Finds the disks and LCUs of a file, or the files of a disk or an LCU."""

from __future__ import annotations

import os
import posixpath
import re
import stat
from contextlib import contextmanager, suppress
from functools import partial

from zmon.base.absent import Absent, absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.plain_text import cells, harmless, padded
from zmon.base.ranges import many
from zmon.base.record import NamedTuple
from zmon.cli.inputs import listing_of, status, unplaced
from zmon.cli.output import (
    FAILED,
    FileCount,
    aligned,
    complain,
    enumerated,
    misused,
    some,
    terminal_width,
)
from zmon.cli.result import MIN_WIDTH, ResultTable, Sentence, write_result
from zmon.cli.source_options import NO_TEXTS, open_lookup, read_files, refused
from zmon.kernel.deadline import call_all_within
from zmon.kernel.file_extents import NOT_THERE
from zmon.kernel.open_file import live_mount_id
from zmon.kinds import CONTAINER
from zmon.placement.word_lookup import (
    DOWNWARDS,
    OF_PATHS,
    LookupResult,
    MeaningKind,
    WordMeaning,
    find,
    find_by_name,
    find_path,
    meanings,
)
from zmon.screen.number import DOTS, bytes_, fitted, percent, shorten
from zmon.topology.claims import IN_MEMORY, Grade
from zmon.topology.identity import EMULATED, NOT_ON_LINE
from zmon.topology.read_texts import first_of, lines_with
from zmon.values.path_state import UP

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number
    from zmon.placement.word_lookup import FileOnDisk, SameDisk
    from zmon.session.timeline import Timeline
    from zmon.topology.location import DiskShare, FileLocation
    from zmon.topology.machine import Machine
    from zmon.topology.volumes import Volume

BUS_ID: Final = r"[0-9a-fA-F]{1,2}\.[0-3]\.[0-9a-fA-F]{4}"
"""A bus id is looked for among devices, though it looks like the name of a file."""
CHANNEL_PATH: Final = r"(?:0\.)?([0-9a-fA-F]{2})"
"""The number of a channel path as CP and the kernel write it."""
LCU_WORDS: Final = frozenset({"LCU", "LSS", "SSID"})
"""Words before the number of a logical control unit."""
MAX_NAMED: Final = 20
"""Files, file systems and devices that are printed; the others are counted."""
MAX_REMARKS: Final = 5
"""Remarks of a kind that are printed; the others are counted."""
NAME_WIDTH: Final = 12
"""Characters of a disk's name, or of a label, at most."""
LCU_WIDTH: Final = 20
"""Characters of what an LCU is called, at most."""
INDENT: Final = ("  ", "    ")
"""What is before the first line of a sentence below a heading, and before its others."""
BAR_WIDTH: Final = 30
"""Characters of the longest bar."""
NO_SPACE: Final = "files of no tablespace"
ALL_UNKNOWN: Final = absent("how many bytes there are is not known of any of the files")


def run(args: argparse.Namespace) -> int:
    """Print the locations; returns the exit status."""
    if args.at and not args.source:
        return misused("--at is a time in a recording: name one with --from")
    if args.host and not args.source:
        return misused(NO_TEXTS)
    if args.recursive and args.source:
        return misused(
            "--recursive works on this machine only; a capture shows the files that it has without it"
        )
    args.thing = _things(args.thing)
    try:
        unread = _Unread()
        results = _captured(args, unread) if args.source else _live(args, unread)
    except ValueError as error:
        return refused(error)
    whole = _complain(results, args, unread)
    everything = [result for of_word in results.values() for result in of_word]
    if everything or args.format == "json":
        told = (document(result) for result in everything)
        sections = text(everything, evidence=args.evidence, width=terminal_width())
        write_result(args, table(everything), told, sections, reasons=True)
    return status(args) if whole and all(result.is_there for result in everything) else FAILED


class _Unread:
    """Why words may mean something that is not known."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.kinds: list[str] = []
        """What of the whole machine was not read, and why."""
        self.lines: dict[str, list[str]] = {}
        """Which lines of texts have a word by which nothing was found."""
        self.has_claims = False
        """Whether CP or a directory has said something of volumes."""


def _complain(results: Mapping[str, list[LookupResult]], args: argparse.Namespace, unread: _Unread) -> bool:
    """Complain about words that were not found or cannot be placed; True if there are none."""
    whole = True
    for word, of_word in results.items():
        reasons = unplaced(args, word)
        if not of_word and not reasons:
            reasons = [_nothing(word, args, unread)]
        for reason in reasons:
            complain(f"{word or repr(word)}: {reason}")
        whole = whole and not reasons
    for word, of_word in results.items():
        real = {answer.real for result in of_word if not result.there for answer in result.locations}
        if not args.source and not NOT_THERE.isdisjoint(real):
            complain(f"{word}: not on this machine; name a capture or a recording that has it with --from")
    return whole


# what words mean


def _things(words_given: Iterable[str]) -> list[str]:
    """Return what is looked for, once each: `LCU 7600` is one thing, though a shell makes two words of it."""
    things: list[str] = []
    for word in words_given:
        if things and things[-1].upper() in LCU_WORDS:
            things[-1] += f" {word}"
        else:
            things.append(word)
    return list(dict.fromkeys(things))


def _live(args: argparse.Namespace, unread: _Unread) -> dict[str, list[LookupResult]]:
    """Return the lookup results of each word on this machine, one for each of its meanings.

    A path is only followed down, which costs the same however many disks there are.  Other words may be the
    name of anything, and so may all words if there is a listing: these need the whole machine.

    Raises:
        ValueError: a listing or the site's file cannot be used.
    """
    things = args.thing
    here = _here(things)
    results: dict[str, list[LookupResult]] = {word: [] for word in things}
    names = things if args.listing else [word for word in things if not here[word].is_path(word)]
    if names:
        results |= _all(args, {word: here[word] for word in names}, unread)
    if args.recursive:  # directories are read below
        results = {
            word: [answer for answer in of_word if answer.meaning.sort not in DOWNWARDS]
            for word, of_word in results.items()
        }
    followed = {
        word
        for word, of_word in results.items()
        if any(answer.meaning.sort in DOWNWARDS for answer in of_word)
    }
    paths = {
        word: of_word
        for word, of_word in here.items()
        if word not in followed and (of_word.is_path(word) or of_word.is_there)
    }
    for word, result in (_down(args, paths) if paths else {}).items():
        results[word].insert(0, result)
    return results


class _Here(NamedTuple):
    """The file on this machine that a word names as a path."""

    is_there: bool = False
    """Whether it can be followed down by its path, also because it does not answer."""
    device: str = ""
    """The number of a block device."""
    is_directory: bool = False
    mount: str = ""
    """The id of the mount that a directory is on; empty for other files, and where /proc does not tell."""

    def is_path(self, word: str) -> bool:
        """Tell whether the word can only be a path of this machine."""
        if self.is_there:
            return "/" in word or ("." in word and not re.fullmatch(BUS_ID, word))
        return word.startswith("/") and not word.startswith("/dev/")


def _here(things: Iterable[str]) -> dict[str, _Here]:
    """Return the files that words name as paths; one that hangs does not delay the others."""
    answers = call_all_within({word: partial(_here_of, word) for word in things})
    here = {
        word: _Here() if isinstance(answer, BaseException) else answer for word, answer in answers.items()
    }
    return {word: here.get(word, _Here(is_there=True)) for word in things}


def _here_of(word: str) -> _Here:
    try:
        state = os.stat(word)
        if stat.S_ISBLK(state.st_mode):
            return _Here(device=f"{os.major(state.st_rdev)}:{os.minor(state.st_rdev)}")
        is_directory, mount = stat.S_ISDIR(state.st_mode), ""
        with suppress(OSError):
            mount = live_mount_id(_from_root(word)) if is_directory else ""
        return _Here(is_there=True, is_directory=is_directory, mount=mount)
    except (OSError, ValueError):
        return _Here(is_there="\0" not in word and os.path.islink(word))


def _down(args: argparse.Namespace, things: Mapping[str, _Here]) -> dict[str, LookupResult]:
    """Follow paths of this machine down, and look at nothing else."""
    paths = {word: _from_root(word) for word in things}
    mounts = {} if args.recursive else {word: here.mount for word, here in things.items() if here.mount}
    files = [path for word, path in paths.items() if word not in mounts]
    with FileCount() as count:
        machine = read_files(
            args, files, {paths[word]: mount for word, mount in mounts.items()}, progress=count
        )
    results: dict[str, LookupResult] = {}
    for word, path in paths.items():
        sort = MeaningKind.DIRECTORY if things[word].is_directory else MeaningKind.FILE
        meaning = WordMeaning(word, sort, path)
        results[word] = find_path(meaning, machine, machine.mounts.by_id.get(mounts.get(word, "")))
    return results


def _from_root(word: str) -> str:
    """Return an absolute path; the kernel resolves `..`, because a symbolic link may precede it."""
    path = os.path.join(os.getcwd(), word)
    return path if ".." in path.split("/") else os.path.normpath(path)


def _all(
    args: argparse.Namespace, paths: Mapping[str, _Here], unread: _Unread
) -> dict[str, list[LookupResult]]:
    """Return the lookup results of words that need the whole machine."""
    results: dict[str, list[LookupResult]] = {}
    with _whole(args, unread) as (machine, _timeline):
        for word, here in paths.items():
            also = here.device or (_from_root(word) if here.is_there else "")
            places = {
                (meaning.sort, meaning.key): meaning._replace(word=word)
                for name in dict.fromkeys(filter(None, (word, also)))
                for meaning in meanings(name, machine)
            }
            results[word] = [find(meaning, machine, is_live=True) for meaning in places.values()]
    return results


def _captured(args: argparse.Namespace, unread: _Unread) -> dict[str, list[LookupResult]]:
    """Return the lookup results of each word in a capture or a recording.

    Raises:
        ValueError: it, a listing or the site's file cannot be used.
    """
    results = {}
    with _whole(args, unread) as (machine, timeline):
        for word in args.thing:
            path = posixpath.normpath(word) if word.startswith("/") else word
            meant = meanings(path, machine)
            results[word] = [find(meaning._replace(word=word), machine) for meaning in meant]
            if not meant:
                before, _, number = word.partition(" ")
                name = number if before.upper() in LCU_WORDS else word
                unread.lines[word] = [*lines_with(name, machine.sample, _holding(name, timeline))]
            if not meant and word.startswith("/") and not word.startswith("/dev/"):
                results[word].append(find_by_name(WordMeaning(word, MeaningKind.FILE, path), machine))
    return results


def _holding(word: str, timeline: Timeline) -> Iterator[tuple[str, str]]:
    """Yield the lines of collected texts that have a word; see `lines_holding`."""
    if timeline.texts is not None:
        from zmon.collected.collection import lines_holding  # noqa: PLC0415 - most machines are no texts

        yield from lines_holding(word, timeline.texts, timeline.name)


@contextmanager
def _whole(args: argparse.Namespace, unread: _Unread) -> Iterator[tuple[Machine, Timeline]]:
    """Open the whole machine, which can be asked only within this context."""
    listing = listing_of(args)
    with FileCount() as count, open_lookup(args, listing, adds=True, progress=count) as lookup:
        count.end()
        for sentence in lookup.strangers:
            complain(sentence)
        for why, names in lookup.machine.unread.items():
            unread.kinds.append(f"{' and '.join(names)}: {why}")
        if listing is not None and not args.source and (why := lookup.machine.missing(CONTAINER)):
            unread.kinds.append(f"files of the listing: {why}")
        unread.has_claims = bool(lookup.machine.claims)
        yield lookup.machine, lookup.timeline


def _nothing(word: str, args: argparse.Namespace, unread: _Unread) -> str:
    """Return why nothing was found, and what might help."""
    place = f"in {args.source}" if args.source else "on this machine"
    if lines := unread.lines.get(word):
        return f"not found {place} by this name, but {'; '.join(lines)}"
    if "/" in word and not unread.kinds:
        return f"there is no such file, device or logical volume {place}"
    more = [] if args.listing else ["tablespaces need --listing"]
    if not (args.cp or args.cp_file or unread.has_claims):
        more.append("device numbers and labels of z/VM need --cp-file or --cp")
    if path := re.fullmatch(CHANNEL_PATH, word):
        more.append(f"channel paths are not looked up: zmon show DEVICE chpids~{path[1]} lists their disks")
    help_ = f" ({'; '.join(more)})" if more and "/" not in word else ""
    if unread.kinds:
        return f"not found {place}, which does not have everything: {'; '.join(unread.kinds)}{help_}"
    return f"not found {place}: no file, disk, device number, label, LCU or tablespace has this name{help_}"


# text


def text(
    results: Sequence[LookupResult], *, evidence: bool, width: int
) -> Iterator[Iterator[str | Sentence]]:
    """Yield the answers, a section each."""
    words_asked = [answer.meaning.word for answer in results]
    for result in results:
        several = words_asked.count(result.meaning.word) > 1
        yield _said(result, max(width, MIN_WIDTH), several=several, evidence=evidence)
    of_used = (result.unseen for result in results if _is_used(result) and not result.is_unrecorded)
    if unseen := next(of_used, ()):
        yield iter([Sentence(first_of("Not looked at", unseen, width))])


def _is_used(result: LookupResult) -> bool:
    """Return whether uses of disks were found, beside which there may be others."""
    return bool(result.mounts or result.files)


def _said(result: LookupResult, width: int, *, several: bool, evidence: bool) -> Iterator[str | Sentence]:
    if several and not result.volumes:  # of disks the heading says it
        yield Sentence(f"{result.meaning.word} as {result.meaning.sort.value}:")
    if result.volumes or result.meaning.sort is MeaningKind.DEVICE or not result.locations:
        yield from _disks(result, width)
    elif len(result.locations) == 1:
        yield from _file(result.locations[0], width, result.lost_chpids)
    else:
        yield from _files(result, width)
    yield from (Sentence(remark, *INDENT) for remark in _remarks(result))
    if evidence and (sources := _evidence(result)):
        yield "  Sources:"
        yield from (Sentence(source, "    ", "      ") for source in sources)


# downwards


def _file(answer: FileLocation, width: int, lost: Mapping[str, str]) -> Iterator[str | Sentence]:
    size = "" if isinstance(answer.size, Absent) else f"  {bytes_(answer.size)}"
    on_disk = answer.on_disk
    if not isinstance(on_disk, Absent) and on_disk < answer.size and answer.unplaced == 0:
        size += f", {bytes_(on_disk)} on disk"  # where it is more, the last block is not full
    about = f"{size}  {answer.grade}"
    yield f"{shorten(answer.path, width - len(about))}{about}"
    yield from (Sentence(f"{told[:1].upper()}{told[1:]}.", *INDENT) for told in answer.elsewhere)
    if answer.unseen:
        place = "By its path it would be on:" if answer.steps else "Where it would be is not known:"
        yield Sentence(f"{answer.unseen}.  {place}", *INDENT)
    yield from _located(answer, width, lost)


def _located(answer: FileLocation, width: int, lost: Mapping[str, str]) -> Iterator[str | Sentence]:
    """Print the layers down to where they branch, and the disks, which are the deepest devices below that."""
    depths = [step.depth for step in answer.steps]
    names = []
    for place, step in enumerate(answer.steps):
        if depths.count(step.depth) > 1:
            break
        what = f" ({step.what})" if place == 0 or step.what not in {"disk", "partition"} else ""
        names.append(f"{step.title}{what}")
    yield Sentence(" > ".join(names), *INDENT)
    shares = answer.disks
    whole = sum(share.bytes for share in shares if not isinstance(share.bytes, Absent))
    parts = [""]
    if len(shares) > 1:
        parts = [f"{_part(share.bytes, whole)}{_copies(share.copies)}" for share in shares]
    yield from _table([share.volume for share in shares], parts, width, lost=lost)


def _part(count: Number, whole: float) -> str:
    if isinstance(count, Absent):
        return " some?"
    return f"{bytes_(count):>6} {percent(100 * count / whole if whole else 0):>3}%"


def _copies(count: Number) -> str:
    return f" +{bytes_(count)} copies" if not isinstance(count, Absent) and count else ""


def _files(result: LookupResult, width: int) -> Iterator[str | Sentence]:
    """Print the files of a tablespace or a directory: all together by LCU, then each."""
    answers = result.locations
    is_directory = result.meaning.sort is MeaningKind.DIRECTORY
    once = [answer for answer in answers if not answer.same_as]
    files = [a for a in result.there if not isinstance(a.size, Absent)] if is_directory else answers
    files = [answer for answer in files if not answer.same_as]
    size = sum(answer.size for answer in files if not isinstance(answer.size, Absent))
    others = len(answers) - len(files)  # links, mounts, pipes, and what could not be looked at
    said = f"{many(len(files), 'file')}{f' and {others:,} more' if others else ''}"
    grade = min((answer.grade for answer in files), default=Grade.UNKNOWN)
    about = f"  {said}  {bytes_(size)}{_on_disk(once, size)}  {grade}"
    yield f"{shorten(result.meaning.key, width - len(about))}{about}"
    units = _sums(pair for answer in once for pair in _by_lcu(answer))
    if units and (unplaced := sum(map(_not_placed, once))):
        units.append((NOT_PLACED, len(once), unplaced))
    sums = [0 if isinstance(count, Absent) else count for _name, _many, count in units]
    whole, room = sum(sums), max((cells(name) for name, _many, _count in units), default=0)
    for (name, _many, count), total in zip(units, sums, strict=True):
        bar = "#" * round(BAR_WIDTH * total / whole) if whole else ""
        yield f"  {padded(name, room)} {_part(count, whole)}  {bar}".rstrip()
    yield from _each(answers[:MAX_NAMED], width)
    yield from _more(len(answers), "entries; --format csv has all")


def _by_lcu(answer: FileLocation) -> Iterable[tuple[str, Number]]:
    """Return the bytes of a file by LCU; what is on whichever disks of one LCU is all there."""
    lcus = {share.volume.lcu for share in answer.disks}
    is_open = any(isinstance(share.bytes, Absent) for share in answer.disks)
    if (
        is_open
        and len(lcus) == 1
        and isinstance(next(iter(lcus)), str)
        and not isinstance(answer.size, Absent)
    ):
        return [(_lcu(answer.disks[0].volume), answer.size - answer.holes)]
    return [(_lcu(share.volume), share.bytes) for share in answer.disks]


def _not_placed(answer: FileLocation) -> int:
    """Return the bytes of a file of which no disk, or not how many on which, is known."""
    counts = [count for _lcu_name, count in _by_lcu(answer)]
    is_open = any(isinstance(count, Absent) for count in counts) or bool(answer.lacking and not answer.disks)
    if not is_open or isinstance(answer.size, Absent):
        return 0
    placed = sum(count for count in counts if not isinstance(count, Absent))
    return max(0, int(answer.size - answer.holes - placed))


def _on_disk(answers: Sequence[FileLocation], size: float) -> str:
    """Return the room of files on disk if it differs from their size: holes, blocks partly filled."""
    counts = [answer.on_disk for answer in answers]
    placed = sum(count for count in counts if not isinstance(count, Absent))
    if any(isinstance(count, Absent) for count in counts) or bytes_(placed) == bytes_(size):
        return ""
    return f", {bytes_(placed)} on disk"


def _sums(counted: Iterable[tuple[str, Number]]) -> list[tuple[str, int, Number]]:
    """Return the number of files and their bytes by name, most first; absent if those of none are known."""
    counts: dict[str, list[Number]] = {}
    for name, count in counted:
        counts.setdefault(name, []).append(count)
    sums: list[tuple[str, int, Number]] = []
    for name, numbers in counts.items():
        numbers_seen = [int(count) for count in numbers if not isinstance(count, Absent)]
        sums.append((name, len(numbers), sum(numbers_seen) if numbers_seen else ALL_UNKNOWN))
    return sorted(
        sums, key=lambda unit_sum: (0 if isinstance(unit_sum[2], Absent) else -unit_sum[2], unit_sum[0])
    )


def _each(answers: Sequence[FileLocation], width: int) -> Iterator[str | Sentence]:
    """Print the files, each with its disks and their LCUs, or why it has none."""
    rows = []
    for answer in answers:
        disks = ", ".join(dict.fromkeys(text_of(share.volume.disk) for share in answer.disks))
        lcus = ", ".join(dict.fromkeys(_lcu(share.volume) for share in answer.disks))
        size = "" if isinstance(answer.size, Absent) else bytes_(answer.size)
        rows.append((answer, size, shorten(disks, NAME_WIDTH), shorten(lcus, LCU_WIDTH)))
    columns = [max(map(cells, column)) for column in zip(*(row[2:] for row in rows), strict=True)]
    room = min(max(cells(harmless(row[0].path)) for row in rows), width - sum(columns) - 14)
    for answer, size, disks, lcus in rows:
        if disks:
            yield f"  {fitted(answer.path, room)}{size:>6}  {padded(disks, columns[0])}  {lcus}".rstrip()
        else:
            why = "".join(answer.nowhere[:1])
            yield Sentence(f"{shorten(answer.path, width - 4)}: {why or 'not on a disk'}", *INDENT)


# upwards


def _heading(result: LookupResult, width: int) -> str:
    """Say what a word means, on how many disks that is, and over how many paths."""
    meaning, count = result.meaning, len(result.volumes)
    key = "" if meaning.key.casefold() == meaning.word.casefold() else f" ({meaning.key})"
    if meaning.sort is MeaningKind.DEVICE and not meaning.key[:1].isdigit():
        key = ""  # no text has its number
    about = f": {meaning.sort.value}{', offline' * result.offline}"
    about += f", {count:,} disk{'s' * (count != 1)}" if count else ""
    about += f", {len(result.missing):,} missing" if result.missing else ""
    if result.device is not None:
        about += ", no disk"
    elif meaning.sort in {MeaningKind.OF_CP, MeaningKind.DISK_OF_GUEST} and not result.unseen:
        about += ", not on line in Linux" if result.may_be_offline else ", no disk of this Linux"
    about += _over(result, count)
    return f"{shorten(meaning.word + key, width - len(about))}{about}"


def _disks(result: LookupResult, width: int) -> Iterator[str | Sentence]:
    yield _heading(result, width)
    claimed = some(result.claimed, MAX_REMARKS) if result.device is None else [result.device.words]
    yield from (Sentence(said, *INDENT) for said in claimed)
    if claimed:
        if result.unseen:
            yield Sentence(f"Whether this Linux has it is not known: {'; '.join(result.unseen)}", *INDENT)
        return
    if result.locations:
        yield from _located(result.locations[0], width, result.lost_chpids)
    else:
        shown = result.paths or result.volumes
        yield from _table(shown, [""] * len(shown), width, result, lost=result.lost_chpids)
    yield from (Sentence(text, *INDENT) for text in _made_of(result))
    yield from _more(len(result.mounts), "file systems")
    spaces = _sums((on_disk.file.space or NO_SPACE, on_disk.bytes) for on_disk in result.files)
    room = min(max((cells(harmless(name)) for name, _many, _size in spaces), default=0), width - 28)
    copies = _sums((on_disk.file.space or NO_SPACE, on_disk.copies) for on_disk in result.files)
    copied = {name: _copies(count) for name, _many, count in copies}
    for name, count, size in spaces:
        written = "some?" if isinstance(size, Absent) else bytes_(size)
        yield f"  {fitted(name, room)}{written:>6}{copied[name]} in {many(count, 'file')}"
    if not _is_used(result):
        yield Sentence(_unused(result, width - len(INDENT[1])), *INDENT)


def _over(result: LookupResult, count: int) -> str:
    """Say over how many paths so many disks are reached."""
    if (why := result.unused.get(result.meaning.key)) and len(result.paths) <= count:
        return f", path not used: {why}"
    if len(result.paths) > count or (result.more_paths and not result.paths and count == 1):
        paths = many(len(result.paths) or 1, "path")
        return f" over {paths}{' or more' * result.more_paths}{_usable(result)}"
    if result.has_no_path:
        return " over no path" if count == 1 else ", one or more of them over no path"
    return "".join(
        f" over {_those_meant(result.meaning, same)}{', not joined by multipath' * same.is_apart}"
        for same in result.same[:1]
        if same.is_sure and count == 1
    )


def _those_meant(meaning: WordMeaning, same: SameDisk) -> str:
    """Say how many paths a disk has, and of an adapter, a port or a LUN how many of these are its own."""
    every = 1 + len(same.others)
    own = len(meaning.disks) if meaning.sort in OF_PATHS else every
    return f"{own:,} of {every:,} paths" if own < every else f"{every:,} paths"


def _usable(result: LookupResult) -> str:
    """Say how many of the paths can be used, if that is known of all and some cannot."""
    reasons = [result.unused.get(path.number) for path in result.paths]
    is_said = any(reasons) and None not in reasons and not result.more_paths
    return f", {reasons.count(''):,} usable" if is_said else ""


def _made_of(result: LookupResult) -> Iterator[str]:
    """Yield other paths to disks, the devices that are built on them, and the file systems on these."""
    for same in result.same[:MAX_NAMED]:
        how = f"{'' if same.is_sure else 'perhaps '}the same LUN as {enumerated(same.others, MAX_NAMED)}"
        yield f"{same.disk}: {how}, over another path{' that multipath does not join' * same.is_apart}"
    yield from (f"{title[:1].upper()}{title[1:]}" for title in result.missing[:MAX_NAMED])
    if others := _built(result):
        yield f"Made of it: {enumerated(others, MAX_NAMED)}"
    for mount in result.mounts[:MAX_NAMED]:
        part = "" if mount.whole else ", perhaps" if mount.is_possible else ", in part"
        fstype = f"{mount.fstype} " if mount.point and mount.fstype else ""
        yield f"{mount.title} ({fstype}on {mount.device}{part}{mount.note})"


def _built(result: LookupResult) -> list[str]:
    mounted = {mount.device for mount in result.mounts}
    others = [name for name in result.devices if name not in mounted]
    return [name for name in others if not any(other.startswith(f"{name} (") for other in others)]


def _unused(result: LookupResult, width: int) -> str:
    """Say that no use of disks was found, and what was not looked at."""
    used = "no mount, no active swap and no listed file on it"
    if result.is_unrecorded:
        return "What lies on it was not recorded"
    if result.unseen and result.meaning.sort in DOWNWARDS:
        return first_of("Cannot be seen", result.unseen, width)
    if result.unseen:
        said = f"No{' other' * bool(_built(result))} use of it was found, but not looked at"
        return first_of(said, result.unseen, width)
    if _built(result):
        return f"{used[0].upper()}{used[1:]}"
    return f"Not used here: {used}, and no device built on it"


def _more(count: int, what: str) -> Iterator[str]:
    if count > MAX_NAMED:
        yield f"  and {count - MAX_NAMED:,} more {what}"


# disks


NOT_PLACED: Final = "not placed"
"""What stands for the LCU of bytes of which none is known."""
HEADING: Final = (
    "Disk", "Adapter", "Bus id", "vdev", "rdev", "Label", "WWPN", "LUN", "LCU", " Bytes    %", "State",
    "CHPIDs", "Lost",
)  # fmt: skip
NAMES: Final = (
    "", "adapter ", "bus id ", "vdev ", "rdev ", "label ", "WWPN ", "LUN ", "", "", "path ",
    "CHPIDs ", "lost ",
)  # fmt: skip
"""Prefixes of the cells of a single disk, which is printed without a heading."""
MAX_STATE: Final = 20
"""Characters of the state of a path at most."""
CHPIDS: Final = HEADING.index("CHPIDs")


def _table(
    volumes: Sequence[Volume],
    parts: Sequence[str],
    width: int,
    result: LookupResult | None = None,
    *,
    lost: Mapping[str, str],
) -> Iterator[str]:
    """Print disks below each other, one a line; the channel paths are left out where they do not fit.

    Those of a single disk are on a line of their own then.
    Of a lookup with paths the adapter of each is printed, too, and whether it is used if one is not.
    """
    rows = []
    if volumes:
        rows = [_row(volume, part, result, lost) for volume, part in zip(volumes, parts, strict=True)]
    used = [any(column) for column in zip(*rows, strict=True)]
    if len(rows) == 1:
        titled = zip(NAMES, rows[0], strict=True)
        rows = [tuple(f"{name * (name not in cell)}{cell}" if cell else "" for name, cell in titled)]
    elif rows:
        rows.insert(0, HEADING)
    columns = [
        max(map(cells, column)) * any_ for any_, column in zip(used, zip(*rows, strict=True), strict=True)
    ]
    if sum(columns) + 2 * sum(used) <= width:
        yield from aligned(rows, columns)
    elif len(rows) == 1:
        yield from aligned([row[:CHPIDS] for row in rows], columns[:CHPIDS])
        yield from aligned([row[CHPIDS:] for row in rows], columns[CHPIDS:])
    else:
        columns[CHPIDS] = 0
        yield from aligned(rows, columns)


def _row(volume: Volume, part: str, result: LookupResult | None, lost: Mapping[str, str]) -> tuple[str, ...]:
    """Return the cells of a disk: a DASD has numbers and a label, a SCSI disk a port and a unit."""
    unknown = DOTS if volume.has_busid else ""
    is_numbered = isinstance(volume.vdev, str) or isinstance(volume.rdev, str)
    assumed = not isinstance(volume.lcu, Absent) and volume.grade is not Grade.EXACT
    return (
        shorten(text_of(volume.disk).partition(": ")[0] or volume.number, NAME_WIDTH),
        harmless(text_of(volume.busid)) if result and result.paths else "",
        harmless(str(volume.busid)) if volume.has_busid and not is_numbered else "",
        harmless(text_of(volume.vdev)),
        harmless(text_of(volume.rdev)) or unknown,
        shorten(text_of(volume.volser), NAME_WIDTH) or unknown,
        harmless(text_of(volume.wwpn)),
        harmless(text_of(volume.lun)),
        f"{shorten(_lcu(volume), LCU_WIDTH)}{f' ({volume.grade})' if assumed else ''}",
        part,
        _state(volume, result),
        ranges(text_of(volume.chpids).lower()),
        ranges(lost.get(volume.number, "").lower()),
    )


def _state(volume: Volume, result: LookupResult | None) -> str:
    """Return the state of a path as MPATH has it; nothing where all that are printed may be used."""
    shown = () if result is None or result.meaning.key in result.unused else result.paths or result.volumes
    if result is None or not any(result.unused.get(path.number) for path in shown):
        return ""
    why = result.unused.get(volume.number)
    return DOTS if why is None else shorten(why, MAX_STATE) or UP


def ranges(chpids: str) -> str:
    """Return channel paths with three or more in a row as a range: `40 41 42 50` as `40-42 50`."""
    runs: list[list[str]] = []
    for word in chpids.split():
        if runs and int(word, 16) == int(runs[-1][-1], 16) + 1:
            runs[-1].append(word)
        else:
            runs.append([word])
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else " ".join(run) for run in runs)


def _lcu(volume: Volume) -> str:
    if isinstance(volume.lcu, Absent) and volume.lcu.code == IN_MEMORY.code:
        return "no LCU"
    return "LCU ?" if isinstance(volume.lcu_name, Absent) else harmless(str(volume.lcu_name))


# remarks


def _remarks(result: LookupResult) -> Iterator[str]:
    """Yield contradictions, notes and the reasons of unknown values, each once."""
    volumes = _volumes(result).values()
    lacks_lcu = [volume.lcu for volume in volumes if isinstance(volume.lcu, Absent)]
    unknown = dict.fromkeys(why.reason for why in lacks_lcu)
    alone = len(result.locations) == 1  # of several, each is printed with its file
    lacking = [
        (bool(answer.disks), reason)
        for answer in result.locations
        for reason in answer.lacking
        if reason not in unknown
    ]
    remarks: dict[str, Iterable[str]] = {
        "Contradiction": (conflict for volume in volumes for conflict in volume.conflicts),
        "Note": (
            *(
                note
                for answer in result.locations
                if answer.disks or alone
                for note in (*(() if alone else answer.elsewhere), *answer.notes)
            ),
            *result.states,
            *(
                evidence.said
                for volume in volumes
                for evidence in volume.evidence
                if (EMULATED in evidence.said and isinstance(volume.lcu, str)) or NOT_ON_LINE in evidence.said
            ),
        ),
        "On no known disk": (reason for placed, reason in lacking if alone and not placed),
        "For more": (reason for placed, reason in lacking if placed),
        "No LCU": (why.reason for why in lacks_lcu if why.code == IN_MEMORY.code),
        "LCU not known": (why.reason for why in lacks_lcu if why.code != IN_MEMORY.code),
        "Not formatted": result.unformatted,
        "Not used": (
            f"{'a path' if path.startswith(why) else f'path {path}'} of {title}: {why}"
            for title, paths in result.lost_paths.items()
            for path, why in paths.items()
        ),
        "Lost": (f"CHPID {chpid}: {why}" for chpid, why in result.why_lost.items()),
    }
    for what, sentences in remarks.items():
        yield from (f"{what}: {sentence}" for sentence in some(dict.fromkeys(sentences), MAX_REMARKS))


def _volumes(result: LookupResult) -> dict[str, Volume]:
    by_number = {volume.number: volume for volume in result.volumes}
    return by_number | {
        share.volume.number: share.volume for answer in result.locations for share in answer.disks
    }


def _evidence(result: LookupResult) -> Iterable[str]:
    lines = [
        f"{evidence.source}: {evidence.said}" for answer in result.locations for evidence in answer.evidence
    ]
    volumes = _volumes(result).values()
    lines += [
        f"{evidence.source}: {evidence.said} ({evidence.grade})"
        for volume in volumes
        for evidence in volume.evidence
    ]
    return dict.fromkeys(lines)


VOLUME_FIELDS = (
    "number", "disk", "busid", "vdev", "rdev", "volser", "label", "lcu", "called", "key", "serial", "ssid",
    "lss", "ua", "side", "chpids", "cylinders", "wwpn", "lun",
)  # fmt: skip
"""Fields of a volume that are printed as they are."""


# JSON


def document(result: LookupResult) -> Any:
    """Return one meaning of a word; a value that is not known is `{"absent": REASON}`."""
    return {
        "word": result.meaning.word,
        "means": result.meaning.sort.value,
        "key": result.meaning.key,
        "where": [_answer(answer, result) for answer in result.locations],
        "offline": result.offline,
        "disks": [_volume(volume) | _lost(volume, result) for volume in result.volumes],
        "paths": [_volume(volume) | _lost(volume, result) for volume in result.paths],
        "more_paths": result.more_paths,
        "same": result.same,
        "device": result.device,
        "devices": result.devices,
        "mounts": [
            _fields(mount, "point", "fstype", "device", "disks", "whole")
            | {"perhaps": mount.is_possible, "process": mount.seen_by}
            | ({"swap_file": mount.swap_file} if mount.swap_file else {})
            for mount in result.mounts
        ],
        "on_it": [
            _fields(on_disk.file, "path", "database", "tablespace", "role")
            | {"bytes": on_disk.bytes, "copies": on_disk.copies, "grade": on_disk.location.grade}
            for on_disk in result.files
        ],
        "why_lost": result.why_lost,
        "not_formatted": result.unformatted,
        "not_looked_at": result.unseen,
        **({"lost_paths": result.lost_paths} if result.lost_paths else {}),
        **({"missing": result.missing} if result.missing else {}),
        **({"claimed": result.claimed} if result.claimed else {}),
        **({"states": result.states} if result.states else {}),
    }


def _answer(answer: FileLocation, result: LookupResult) -> dict[str, Any]:
    return {
        **_fields(answer, "path", "real"),
        "mount": answer.mount if isinstance(answer.mount, Absent) else answer.mount.point,
        **_fields(answer, "size", "mapped", "unplaced", "unwritten", "steps"),
        "disks": [
            _volume(share.volume)
            | _fields(share, "bytes", "copies")
            | {"lost_chpids": result.lost_chpids.get(share.volume.number, "")}
            for share in answer.disks
        ],
        **_fields(answer, "grade", "evidence", "lacking"),
        "notes": (*answer.elsewhere, *answer.notes),
        "seen": not answer.unseen,
    }


def _volume(volume: Volume) -> dict[str, Any]:
    return {
        **_fields(volume, *VOLUME_FIELDS),
        "lcu_grade": volume.grade,
        "lcu_evidence": volume.evidence,
        "conflicts": volume.conflicts,
    }


def _lost(volume: Volume, result: LookupResult) -> dict[str, str]:
    """Return why a path is not used, and the channel paths that cannot be used; each may be empty."""
    number = volume.number
    return {"not_used": result.unused.get(number, ""), "lost_chpids": result.lost_chpids.get(number, "")}


def _fields(thing: object, *names: str) -> dict[str, Any]:
    return {name: getattr(thing, name) for name in names}


# CSV


def table(results: Iterable[LookupResult]) -> ResultTable:
    """Return a row for each part of a file on a disk, or for each disk that is meant."""
    columns = (
        "word", "means", "path", "tablespace", "size", "bytes", "copies", "grade", *VOLUME_FIELDS,
        "lcu_grade",
    )  # fmt: skip
    rows = (
        [result.meaning.word, result.meaning.sort.value, *row]
        for result in results
        for row in (_upwards(result) if result.volumes or result.device else _downwards(result))
    )
    return ResultTable(columns, rows)


def _downwards(result: LookupResult) -> Iterator[list[Any]]:
    for answer in result.locations:
        name = "" if answer.thing == answer.path else answer.thing
        if not answer.disks:
            yield [answer.path, name, answer.size, "", "", answer.grade, *[""] * (len(VOLUME_FIELDS) + 1)]
        for share in answer.disks:
            yield _record(answer, name, share)


def _upwards(result: LookupResult) -> Iterator[list[Any]]:
    """Yield the files on each disk, and the disks on which there are none."""
    there: dict[str, list[tuple[FileOnDisk, DiskShare]]] = {}
    for on_disk in result.files:
        for share in on_disk.location.disks:
            there.setdefault(_joined(share.volume), []).append((on_disk, share))
    for volume in result.volumes:
        for on_disk, share in there.get(_joined(volume), ()):
            yield _record(on_disk.location, on_disk.file.space, share._replace(volume=volume))
        if _joined(volume) not in there:
            yield [*[""] * 6, *_values(volume)]
    if result.device is not None:
        columns = {"busid": result.device.busid, "lcu": result.device.lcu, "chpids": result.device.chpids}
        yield [*[""] * 6, *(columns.get(name, "") for name in VOLUME_FIELDS), ""]


def _joined(volume: Volume) -> str:
    """Return what all paths to a disk have in common: the device that joins them, else the disk itself."""
    return volume.number if isinstance(volume.joined, Absent) else str(volume.joined)


def _record(answer: FileLocation, tablespace: str, share: DiskShare) -> list[Any]:
    cells = [answer.path, tablespace, answer.size, share.bytes, share.copies, answer.grade]
    return cells + _values(share.volume)


def _values(volume: Volume) -> list[Any]:
    return [*(getattr(volume, name) for name in VOLUME_FIELDS), volume.grade]
