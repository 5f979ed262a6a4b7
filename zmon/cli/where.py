"""Finds the disks and LCUs that a file is on, or what is on a disk or an LCU."""

from __future__ import annotations

import os
import posixpath
import re
import stat
import sys
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from zmon.cli.inputs import listing_of, status, unplaced
from zmon.cli.output import FAILED, FileCount, complain, misused, terminal_width, write_result
from zmon.cli.sources import open_lookup, read_files
from zmon.cli.where_output import document, records, text
from zmon.kernel.deadline import call_all_within
from zmon.kernel.file_extents import NOT_THERE
from zmon.kernel.open_file import live_mount_id
from zmon.kinds import LAYER
from zmon.placement.word_lookup import (
    DOWNWARDS,
    LookupResult,
    MeaningKind,
    WordMeaning,
    find,
    find_below,
    find_by_name,
    find_mount,
    meanings,
)
from zmon.record import NamedTuple

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.topology.machine import Machine

BUS_ID: Final = re.compile(r"[0-9a-fA-F]{1,2}\.[0-3]\.[0-9a-fA-F]{4}")
"""A bus id is looked for among devices, though it looks like the name of a file."""


def run(args: argparse.Namespace) -> int:
    """Print where things lie; returns the exit status."""
    if sys.stdout is None:
        return complain("standard output is closed")
    if args.at and not args.source:
        return misused("--at is a time in a recording: name one with --from")
    if args.recursive and args.source:
        return misused(
            "--recursive works on this machine only; a capture shows the files that it has without it"
        )
    try:
        unread: list[str] = []
        found = _captured(args, unread) if args.source else _live(args, unread)
    except ValueError as error:
        return complain(str(error))
    whole = _complain(found, args, unread)
    everything = [one for each in found.values() for one in each]
    if everything or args.format == "json":
        write_result(
            args,
            lambda: text(everything, evidence=args.evidence, width=terminal_width()),
            lambda: records(everything),
            lambda: [document(one) for one in everything],
        )
    return status(args) if whole and all(one.is_there for one in everything) else FAILED


def _complain(
    found: Mapping[str, list[LookupResult]], args: argparse.Namespace, unread: Sequence[str]
) -> bool:
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
            return "/" in word or ("." in word and not BUS_ID.fullmatch(word))
        return word.startswith("/") and not word.startswith("/dev/")


def _here(words: Iterable[str]) -> dict[str, _Here]:
    """Tell what words lead to; one that does not answer keeps no other waiting."""
    found = call_all_within({word: partial(_path_of, word) for word in words})
    known = {word: _Here() if isinstance(one, BaseException) else one for word, one in found.items()}
    return {word: known.get(word, _Here(is_there=True)) for word in words}


def _path_of(word: str) -> _Here:
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
    paths = {word: _from_root(word) for word in words}
    mounts = {} if args.recursive else {word: here.mount for word, here in words.items() if here.mount}
    count = FileCount()
    try:
        files = [path for word, path in paths.items() if word not in mounts]
        machine = read_files(
            args, files, {paths[word]: mount for word, mount in mounts.items()}, progress=count
        )
    finally:
        count.end()
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
            found[word] = [find(meaning, machine) for meaning in known.values()]
    return found


def _captured(args: argparse.Namespace, unread: list[str]) -> dict[str, list[LookupResult]]:
    """Return for each word what is known of each of its meanings in a capture or a recording; see `_live`.

    Raises:
        ValueError: it, a listing or the site's file cannot be used.
    """
    found = {}
    with _whole(args) as machine:
        unread += _unread(machine)
        for word in dict.fromkeys(args.thing):
            path = posixpath.normpath(word) if word.startswith("/") else word
            known = [meaning._replace(word=word) for meaning in meanings(path, machine)]
            found[word] = [find(meaning, machine) for meaning in known]
            if not known and word.startswith("/") and not word.startswith("/dev/"):
                found[word].append(find_by_name(WordMeaning(word, MeaningKind.FILE, path), machine))
    return found


@contextmanager
def _whole(args: argparse.Namespace) -> Iterator[Machine]:
    """Look at the whole machine that is meant; it is asked within this context only."""
    count = FileCount()
    try:
        with open_lookup(args, listing_of(args), adds=True, progress=count) as lookup:
            count.end()
            yield lookup.machine
    finally:
        count.end()


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
