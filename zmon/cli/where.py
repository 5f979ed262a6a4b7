"""Where something lies, and what lies there: zmon where /db/file, zmon where 7201, zmon where dasdb.

THING is whatever you have in hand.  A file, directory, mount point or tablespace is followed down: volume,
disk, virtual and real device, label, logical control unit (LCU), channel paths.  A disk, device number, label
or LCU is followed up: file systems, files, tablespaces.  What can mean several things is answered for each.

How sure an answer is stands with it: exact (byte by byte), shares, set (one of these), assumed.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from typing import TYPE_CHECKING, Final

from zmon.cli.listing import LISTINGS, add_listing_arguments
from zmon.cli.looking import Progress, add_looking_arguments, columns, look, look_at
from zmon.cli.status import FAILED, OK, USAGE, complain

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from zmon.placement.found import Found

BUS: Final = re.compile(r"[0-9a-fA-F]{1,2}\.[0-3]\.[0-9a-fA-F]{4}")
"""A bus id, which no file name is taken for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `zmon where`."""
    parser.add_argument(
        "thing", nargs="+", metavar="THING", help="a path, disk, device number, label, LCU or tablespace"
    )
    parser.add_argument(
        "-l",
        "--listing",
        action="append",
        default=[],
        metavar="LISTING",
        help="tablespaces and their files: a file or a server's address; may stand several times",
    )
    add_listing_arguments(parser)
    parser.add_argument(
        "-r", "--recursive", action="store_true", help="of a directory, look at each file in it and below"
    )
    parser.add_argument(
        "-e", "--evidence", action="store_true", help="say what told it, and where that stands"
    )
    add_looking_arguments(parser)
    parser.add_argument("-f", "--format", choices=("text", "csv", "json"), default="text")
    parser.epilog = LISTINGS


def run(args: argparse.Namespace) -> int:
    """Print where things lie; returns the exit status."""
    if sys.stdout is None:
        return complain("standard output is closed")
    if args.at and not args.source:
        complain("--at is a time in a recording: name one with --from")
        return USAGE
    if args.recursive and args.source:
        complain("--recursive looks into directories of this machine: a capture has the files that it has")
        return USAGE
    try:
        found = _found(args)
    except ValueError as error:
        return complain(str(error))
    for word, each in found.items():
        if not each:
            complain(f"{word}: {_nothing(word, args)}")
    _print(args, [one for each in found.values() for one in each])
    return OK if all(found.values()) else FAILED


def _found(args: argparse.Namespace) -> dict[str, list[Found]]:
    """Return for each word what is known of each of its meanings.

    Raises:
        ValueError: a source, a listing or the site's file cannot be used.
    """
    words = list(dict.fromkeys(args.thing))
    plain = [] if args.source else [word for word in words if _is_plain(word)]
    found = {} if args.listing or len(plain) < len(words) or args.source else _down(args, plain)
    if not found:
        found = _all(args, words)
        left = [word for word in plain if not found[word]]
        found |= _down(args, left) if left else {}
    return found


def _is_plain(word: str) -> bool:
    """Tell whether a word is a path of this machine, which need only be followed down."""
    looks = "/" in word or ("." in word and not BUS.fullmatch(word))
    try:
        return looks and not stat.S_ISBLK(os.stat(word).st_mode)
    except (OSError, ValueError):
        return "/" in word and not word.startswith("/dev/") and os.path.isabs(word)


def _down(args: argparse.Namespace, words: Sequence[str]) -> dict[str, list[Found]]:
    """Follow paths of this machine down, and look at nothing else."""
    from zmon.kernel.fdinfo import live_mount_id  # noqa: PLC0415 - --help needs none of it
    from zmon.placement.found import Found, at_mount  # noqa: PLC0415 - likewise
    from zmon.placement.meaning import Meaning, Sort  # noqa: PLC0415 - likewise

    paths = {word: os.path.abspath(word) for word in words}
    mounts = {word: live_mount_id(word) for word in words if os.path.isdir(word) and not args.recursive}
    machine = look_at(args, [path for word, path in paths.items() if word not in mounts], mounts.values())
    found: dict[str, list[Found]] = {}
    for word, path in paths.items():
        if word in mounts:
            meaning = Meaning(word, Sort.DIRECTORY, path)
            found[word] = [Found(meaning, (at_mount(path, machine.mounts.by_id[mounts[word]], machine),))]
        else:
            below = path.rstrip("/") + "/"
            answers = [
                answer for name, answer in machine.answers.items() if name == path or name.startswith(below)
            ]
            sort = Sort.DIRECTORY if os.path.isdir(word) else Sort.FILE
            found[word] = [Found(Meaning(word, sort, path), tuple(answers))]
    return found


def _all(args: argparse.Namespace, words: Sequence[str]) -> dict[str, list[Found]]:
    """Look at a whole machine for all that words may mean there."""
    from zmon.cli.listing import listed  # noqa: PLC0415 - --help needs none of it
    from zmon.placement.found import find  # noqa: PLC0415 - likewise
    from zmon.placement.meaning import meanings  # noqa: PLC0415 - likewise

    progress = Progress()
    try:
        machine = look(
            args,
            listed(args, args.listing) if args.listing else None,
            paths=[] if args.source else [os.path.abspath(word) for word in words if os.path.isfile(word)],
            progress=progress.files,
        ).machine
    finally:
        progress.end()
    return {
        word: [find(meaning, machine) for name in _names(word, args) for meaning in meanings(name, machine)]
        for word in words
    }


def _names(word: str, args: argparse.Namespace) -> list[str]:
    """Return a word as it is and, when it names something here, its path from the root."""
    here = not args.source and os.path.lexists(word)
    return list(dict.fromkeys((os.path.abspath(word), word) if here else (word,)))


def _nothing(word: str, args: argparse.Namespace) -> str:
    """Say why nothing was found, and what might help."""
    if "/" in word and not args.source:
        return "no such file or device, and no tablespace of that name"
    known = "of the capture or recording" if args.source else "of this machine"
    more = "" if args.listing else "; tablespaces need --listing"
    return (
        f"nothing {known} goes by that name: no file, mount, disk, device number, label or LCU{more}; real"
        " device numbers and labels of z/VM need --cp-file or --cp"
    )


def _print(args: argparse.Namespace, found: Sequence[Found]) -> None:
    if args.format == "json":
        import json  # noqa: PLC0415 - text needs none

        from zmon.cli.where_data import document  # noqa: PLC0415 - likewise

        print(json.dumps([document(one) for one in found]))
    elif args.format == "csv":
        import csv  # noqa: PLC0415 - likewise

        from zmon.cli.where_data import records  # noqa: PLC0415 - likewise

        csv.writer(sys.stdout, lineterminator="\n").writerows(records(found))
    else:
        from zmon.cli.where_text import text  # noqa: PLC0415 - programs read no text

        for line in text(found, evidence=args.evidence, width=columns()):
            print(line)
    sys.stdout.flush()
