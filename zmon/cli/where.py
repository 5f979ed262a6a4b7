"""Show where a file is, or what is on a disk: zmon where /db/file, zmon where 7201, zmon where dasdb.

A file, directory, mount point or tablespace is followed down: volume, disk, virtual and real device, label,
logical control unit (LCU), channel paths.  A disk, partition, logical volume, device number, label or LCU is
followed up: file systems, swap, files, tablespaces.  A THING with several meanings is answered for each.

Every answer says how certain it is: exact (byte by byte), shares (how much on which disk), set (on one or
more of these), assumed (from the path alone, or a rule of the site), unknown.  Exit status 1: not found.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
import sys
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.cli.csv_output import CsvWriter, add_csv_safe_argument
from zmon.cli.listing import LISTINGS, add_listings, status, unplaced
from zmon.cli.looking import Progress, add_looking_arguments, columns, look, look_at
from zmon.cli.status import FAILED, USAGE, complain
from zmon.kinds import LAYER

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.placement.word_lookup import LookupResult, WordMeaning
    from zmon.topology.machine import Machine

BUS: Final = re.compile(r"[0-9a-fA-F]{1,2}\.[0-3]\.[0-9a-fA-F]{4}")
"""A bus id, which is looked for among devices though it looks like the name of a file."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `zmon where`."""
    parser.add_argument(
        "thing",
        nargs="+",
        metavar="THING",
        help="a path, disk, UUID=, bus id, device number, label, logical volume, LCU, tablespace or database",
    )
    parser.add_argument(
        "-r", "--recursive", action="store_true", help="look at each file in a directory and below"
    )
    parser.add_argument(
        "-e",
        "--evidence",
        action="store_true",
        help="print the source of each step: file and line, ioctl, answer of CP",
    )
    parser.add_argument(
        "-f",
        "--format",
        choices=("text", "csv", "json"),
        default="text",
        help="text for people (default), csv: a record per part of a file on a disk, json: everything",
    )
    add_csv_safe_argument(parser)
    add_listings(parser)
    add_looking_arguments(parser)
    parser.epilog = LISTINGS


def run(args: argparse.Namespace) -> int:
    """Print where things lie; returns the exit status."""
    if sys.stdout is None:
        return complain("standard output is closed")
    if args.at and not args.source:
        complain("--at is a time in a recording: name one with --from")
        return USAGE
    if args.recursive and args.source:
        complain("--recursive works on this machine only; a capture shows the files that it has without it")
        return USAGE
    try:
        unread: list[str] = []
        found = _captured(args, unread) if args.source else _live(args, unread)
    except ValueError as error:
        return complain(str(error))
    whole = _told(found, args, unread)
    everything = [one for each in found.values() for one in each]
    if everything or args.format == "json":
        _print(args, everything)
    return status(args) if whole and all(one.is_there for one in everything) else FAILED


def _told(found: Mapping[str, list[LookupResult]], args: argparse.Namespace, unread: Sequence[str]) -> bool:
    """Say what was not found, or has no place, and why; True when there is nothing to say."""
    whole = True
    for word, each in found.items():
        reasons = unplaced(args, word)
        if not each and not reasons:
            reasons = [_nothing(word, args, unread)]
        for reason in reasons:
            complain(f"{word or repr(word)}: {reason}")
        whole = whole and not reasons
    for word, each in found.items():
        if not args.source and any(_is_nowhere(one) for one in each):
            complain(f"{word}: not on this machine; name a capture or a recording that has it with --from")
    return whole


def _is_nowhere(one: LookupResult) -> bool:
    """Tell whether a path was asked for of this machine, where there is nothing."""
    from zmon.kernel.file_extents import NOT_THERE  # noqa: PLC0415 - --help needs none of it

    reasons = {answer.real for answer in one.locations}
    return not one.there and not reasons.isdisjoint(NOT_THERE)


# what words mean


def _live(args: argparse.Namespace, unread: list[str]) -> dict[str, list[LookupResult]]:
    """Return for each word what is known of each of its meanings on this machine.

    `unread` takes the reasons why words may mean something that is not known.

    A path is only followed down, which costs the same however many disks there are.  Other words may be the
    name of anything, and so may all words when there is a listing: then the whole machine is looked at.

    Raises:
        ValueError: a listing or the site's file cannot be used.
    """
    from zmon.placement.word_lookup import DOWNWARDS  # noqa: PLC0415 - --help needs none

    words = list(dict.fromkeys(args.thing))
    here = _here(words)
    found: dict[str, list[LookupResult]] = {word: [] for word in words}
    names = words if args.listing else [word for word in words if not here[word].is_path(word)]
    if names:
        found |= _all(args, {word: here[word] for word in names}, unread)
    if args.recursive:  # what is in directories is looked at anew
        found = {
            word: [one for one in each if one.meaning.sort not in DOWNWARDS] for word, each in found.items()
        }
    followed = {word for word, each in found.items() if any(one.meaning.sort in DOWNWARDS for one in each)}
    paths = {
        word: each
        for word, each in here.items()
        if word not in followed and (each.is_path(word) or each.is_there)
    }
    for word, one in (_down(args, paths) if paths else {}).items():
        found[word].insert(0, one)
    return found


class _Here(NamedTuple):
    """What a word leads to on this machine, taken as a path."""

    is_there: bool = False
    """Something that can be followed down by its path, if only because it does not answer."""
    device: str = ""
    """The number of a block device."""
    mount: str = ""
    """The id of the mount that a directory is on; empty for what is none."""

    def is_path(self, word: str) -> bool:
        """Tell whether the word can only be a path of this machine."""
        if self.is_there:
            return "/" in word or ("." in word and not BUS.fullmatch(word))
        return word.startswith("/") and not word.startswith("/dev/")


def _here(words: Iterable[str]) -> dict[str, _Here]:
    """Tell what words lead to; one that does not answer keeps no other waiting."""
    from zmon.kernel.worker import call_all_within  # noqa: PLC0415 - a capture never waits

    found = call_all_within({word: partial(_led, word) for word in words})
    known = {word: _Here() if isinstance(one, Exception) else one for word, one in found.items()}
    return {word: known.get(word, _Here(is_there=True)) for word in words}


def _led(word: str) -> _Here:
    from zmon.kernel.open_file import live_mount_id  # noqa: PLC0415 - a capture has no paths

    try:
        state = os.stat(word)
        if stat.S_ISBLK(state.st_mode):
            return _Here(device=f"{os.major(state.st_rdev)}:{os.minor(state.st_rdev)}")
        mount = live_mount_id(_from_root(word)) if stat.S_ISDIR(state.st_mode) else ""
        return _Here(is_there=True, mount=mount)
    except (OSError, ValueError):
        return _Here(is_there="\0" not in word and os.path.islink(word))


def _down(args: argparse.Namespace, words: Mapping[str, _Here]) -> dict[str, LookupResult]:
    """Follow paths of this machine down, and look at nothing else."""
    from zmon.placement.word_lookup import (  # noqa: PLC0415 - --help needs none of it
        LookupResult,
        MeaningKind,
        WordMeaning,
        find_below,
        find_mount,
    )

    paths = {word: _from_root(word) for word in words}
    mounts = {} if args.recursive else {word: here.mount for word, here in words.items() if here.mount}
    progress = Progress()
    try:
        files = [path for word, path in paths.items() if word not in mounts]
        machine = look_at(
            args, files, {paths[word]: mount for word, mount in mounts.items()}, progress=progress.files
        )
    finally:
        progress.end()
    found: dict[str, LookupResult] = {}
    for word, path in paths.items():
        meaning = WordMeaning(word, MeaningKind.DIRECTORY if words[word].mount else MeaningKind.FILE, path)
        mount = machine.mounts.by_id.get(mounts.get(word, ""))
        if mount is not None:
            found[word] = find_mount(meaning, mount, machine)
        elif path in machine.locations:  # and not what is below it, if that was asked for, too
            found[word] = LookupResult(meaning, (machine.locations[path],))
        else:
            found[word] = find_below(meaning, machine)
    return found


def _from_root(word: str) -> str:
    """Return a path from the root, for the kernel to follow: what is before `..` may be a symbolic link."""
    path = os.path.join(os.getcwd(), word)
    return path if ".." in path.split("/") else os.path.normpath(path)


def _all(
    args: argparse.Namespace, words: Mapping[str, _Here], unread: list[str]
) -> dict[str, list[LookupResult]]:
    """Look at a whole machine for all that words may mean there."""
    from zmon.placement.word_lookup import meanings  # noqa: PLC0415 - --help needs none

    found: dict[str, list[LookupResult]] = {}
    with _whole(args) as machine:
        unread += _unread(machine)
        for word, here in words.items():
            also = here.device or (_from_root(word) if here.is_there else "")
            known = {
                (meaning.sort, meaning.key): meaning._replace(word=word)
                for name in dict.fromkeys(filter(None, (word, also)))
                for meaning in meanings(name, machine)
            }
            found[word] = _each(known.values(), machine)
    return found


def _captured(args: argparse.Namespace, unread: list[str]) -> dict[str, list[LookupResult]]:
    """Return for each word what is known of each of its meanings in a capture or a recording; see `_live`.

    Raises:
        ValueError: it, a listing or the site's file cannot be used.
    """
    from zmon.placement.word_lookup import MeaningKind, WordMeaning, find_by_name, meanings  # noqa: PLC0415 - likewise

    found = {}
    with _whole(args) as machine:
        unread += _unread(machine)
        for word in dict.fromkeys(args.thing):
            path = posixpath.normpath(word) if word.startswith("/") else word
            known = [meaning._replace(word=word) for meaning in meanings(path, machine)]
            found[word] = _each(known, machine)
            if not known and word.startswith("/") and not word.startswith("/dev/"):
                found[word].append(find_by_name(WordMeaning(word, MeaningKind.FILE, path), machine))
    return found


@contextmanager
def _whole(args: argparse.Namespace) -> Iterator[Machine]:
    """Look at the whole machine that is meant; it is asked within this context only."""
    from zmon.cli.listing import listed  # noqa: PLC0415 - --help needs none

    progress = Progress()
    try:
        listing = listed(args, args.listing) if args.listing else None
        with look(args, listing, progress=progress.files) as looked:
            progress.end()
            yield looked.machine
    finally:
        progress.end()


def _each(meant: Iterable[WordMeaning], machine: Machine) -> list[LookupResult]:
    from zmon.placement.word_lookup import find  # noqa: PLC0415 - --help needs none

    return [find(meaning, machine) for meaning in meant]


def _unread(machine: Machine) -> list[str]:
    """Say why disks cannot be looked up by name, if they cannot."""
    why = machine.missing(LAYER)
    return [f"block devices: {why}"] if why else []


def _nothing(word: str, args: argparse.Namespace, unread: Sequence[str]) -> str:
    """Say why nothing was found, and what might help."""
    known = f"in {args.source}" if args.source else "on this machine"
    if unread:
        return f"not found {known}, which does not have everything ({'; '.join(unread)})"
    if "/" in word:
        return f"there is no such file, device or logical volume {known}"
    more = [] if args.listing else ["tablespaces need --listing"]
    if not (args.cp or args.cp_file):
        more.append("device numbers and labels of z/VM need --cp-file or --cp")
    help_ = f" ({'; '.join(more)})" if more else ""
    return f"not found {known}: no file, disk, device number, label, LCU or tablespace has this name{help_}"


# printing


def _print(args: argparse.Namespace, found: Sequence[LookupResult]) -> None:
    if args.format == "json":
        import json  # noqa: PLC0415 - text needs none

        from zmon.cli.where_data import document  # noqa: PLC0415 - likewise

        print(json.dumps([document(one) for one in found]))
    elif args.format == "csv":
        from zmon.cli.where_data import records  # noqa: PLC0415 - likewise

        CsvWriter(sys.stdout, safe=args.csv_safe).writerows(records(found))
    else:
        from zmon.cli.where_text import text  # noqa: PLC0415 - programs read no text

        for line in text(found, evidence=args.evidence, width=columns()):
            print(line)
    sys.stdout.flush()
