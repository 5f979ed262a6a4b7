"""Options that several subcommands share, and the types of their values."""

from __future__ import annotations

import argparse
import math
import re
from typing import TYPE_CHECKING, Final

from zmon.cli.output import OK

if TYPE_CHECKING:
    from zmon.sample import Kind

MIN_SECONDS: Final = 0.1
MAX_SECONDS: Final = 86_400.0
"""Bounds of an interval between samples."""

LISTING_HELP: Final = """\
LISTING describes the tablespaces of a database; zmon recognises the format:
  Db2                  db2look -l, LIST TABLESPACE CONTAINERS,
                       MON_GET_CONTAINER, db2pd
  Oracle               DBA_DATA_FILES and its like, DDL, ASM disks
  PostgreSQL, MariaDB  the server: postgresql://HOST/DATABASE,
                       mariadb://USER@HOST; its data directory; catalogues
  any                  CSV with tablespace,path
- is standard input.  A password belongs in ~/.pgpass, PGPASSWORD, ~/.my.cnf
or MYSQL_PWD, because everybody can see a command line.
"""
"""What a listing is, for the help of a subcommand."""

TIMES: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
SIZES: Final = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


# types


def seconds(words: str) -> float:
    """Read an interval in seconds."""
    value = _number(words)
    if not MIN_SECONDS <= value <= MAX_SECONDS:
        raise argparse.ArgumentTypeError(
            f"{words!r} is no interval: write seconds from {MIN_SECONDS:g} to {MAX_SECONDS:g}"
        )
    return value


def pause(words: str) -> float:
    """Read the seconds between two passes of a capture, which may be none."""
    value = _number(words)
    if not 0 <= value <= 86400:
        raise argparse.ArgumentTypeError(f"{words!r} is no number of seconds from 0 to 86400")
    return value


def _number(words: str) -> float:
    try:
        return float(words)
    except ValueError:
        return math.nan


def positive(words: str) -> int:
    """Read a number of things, at least one."""
    if not words.isdecimal() or not 1 <= int(words) <= 1_000_000_000:
        raise argparse.ArgumentTypeError(f"{words!r} is no number of 1 or more")
    return int(words)


def passes(words: str) -> int:
    """Read the number of passes of a capture."""
    if not (words.isascii() and words.isdigit() and 1 <= int(words[:9]) <= 9999 and len(words) < 9):
        raise argparse.ArgumentTypeError(f"{words!r} is no number from 1 to 9999")
    return int(words)


def partitions(words: str) -> tuple[int, ...]:
    """Read numbers of Db2's partitions: `0-3,8`."""
    numbers: set[int] = set()
    for part in words.split(","):
        first, _, last = part.partition("-")
        if not first.isdecimal() or not (last or first).isdecimal() or len(part) > 9:
            raise argparse.ArgumentTypeError(f"{words!r} are no numbers of partitions: write 0-3,8")
        low, high = int(first), int(last or first)
        if not low <= high <= 999:
            raise argparse.ArgumentTypeError(f"{part!r} is no range of partitions, which have numbers to 999")
        numbers.update(range(low, high + 1))
    return tuple(sorted(numbers))


def length(words: str) -> int:
    """Read a length of time such as `10m`; returns ns."""
    return round(_amount(words, TIMES, "a length of time: write 90s, 10m, 12h, 30d or 4w") * 10**9)


def size(words: str) -> int:
    """Read a number of bytes such as `2G`."""
    return round(
        _amount(words.upper().removesuffix("B").removesuffix("I"), SIZES, "a size: write 500M or 2G")
    )


def _amount(words: str, units: dict[str, int], wanted: str) -> float:
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)([A-Za-z])", words, re.ASCII)
    if match is None or match[2] not in units or not float(match[1]):
        raise argparse.ArgumentTypeError(f"{words!r} is not {wanted}")
    return float(match[1]) * units[match[2]]


def kinds(words: str) -> list[Kind]:
    """Read names of kinds, separated by commas."""
    from zmon.kinds import KINDS  # noqa: PLC0415 - other commands start without the list of all fields

    names = [name.strip() for name in words.split(",")]
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(KINDS)}")
    return [KINDS[name] for name in names]


def archive(words: str) -> str:
    """Read the name of a capture that will be written."""
    if not words.endswith((".tar.gz", ".tgz")):
        raise argparse.ArgumentTypeError(f"{words!r} does not end in .tar.gz, which is what will be written")
    return words


def source(words: str) -> str:
    """Read the name of a source; an empty one never means this machine.

    `lab:` alone asks which scenarios there are: they are listed as help is, and zmon ends.
    """
    if not words:
        raise argparse.ArgumentTypeError(
            "'' names no recording and no capture; without --from this machine is shown"
        )
    if words == "lab:":
        from zmon.cli.lab import print_scenarios  # noqa: PLC0415 - loads the simulator

        print_scenarios()
        raise SystemExit(OK)
    return words


# options


def add_format(parser: argparse.ArgumentParser, *formats: str, text: str | None = None) -> None:
    """Add `--format`, the first one being the default, and `--csv-safe` if one is CSV."""
    parser.add_argument("-f", "--format", choices=formats, default=formats[0], help=text)
    if "csv" in formats:
        parser.add_argument(
            "--csv-safe",
            action="store_true",
            help="in CSV, put ' before a name that a spreadsheet would take for a formula",
        )


def add_source(parser: argparse.ArgumentParser) -> None:
    """Add `--from`, `--interval` and what switches expensive sources."""
    parser.add_argument(
        "--from",
        dest="source",
        type=source,
        metavar="SOURCE",
        help="a recording (file or directory), a capture (archive or directory) or a simulated machine"
        " (lab:NAME) instead of this machine; lab: lists the scenarios",
    )
    parser.add_argument(
        "-i", "--interval", type=seconds, default=2.0, metavar="S", help="seconds between samples (default 2)"
    )
    add_choice(parser)


def add_choice(parser: argparse.ArgumentParser) -> None:
    """Add what switches expensive sources on or off."""
    for option, text in (
        ("--cache", "read cache statistics of the storage controllers: one I/O per volume a minute"),
        ("--exact", "read exact channel measurement of each DASD; may wait for its I/O"),
        ("--cp", "ask CP for the disks of this guest every 10 minutes (needs root and z/VM)"),
        ("--no-hypervisor", "do not read data of partitions and guests from the hypervisor"),
    ):
        parser.add_argument(option, action="store_true", help=text)


def add_recording(parser: argparse.ArgumentParser) -> None:
    """Add SOURCE, the recording that is described or copied."""
    parser.add_argument(
        "source", metavar="SOURCE", type=source, help="a recording, or a directory of them, one per day"
    )


def add_window(parser: argparse.ArgumentParser) -> None:
    """Add SOURCE, `--from` and `--to`; both options are times here."""
    add_recording(parser)
    parser.add_argument(
        "--from",
        dest="begin",
        metavar="T0",
        help="from this time on: 14:32, yesterday 14:30, -10m (before the end)",
    )
    parser.add_argument("--to", dest="end", metavar="T1", help="up to this time; +5m is counted from T0")


def add_lookup(parser: argparse.ArgumentParser) -> None:
    """Add what a lookup needs: `--site`, `--at`, and the options of CP and of sources."""
    _add_site(parser)
    parser.add_argument("--at", metavar="TIME", help="time in a recording: 14:32, -10m")
    add_cp(parser)
    add_source(parser)


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Add `--site`, `--cp-file` and `--listing`, each with the options that belong to it."""
    _add_site(parser)
    add_cp(parser)
    add_listings(parser)


def _add_site(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--site", default="", metavar="FILE", help="site file, see docs/site.md")


def add_cp(parser: argparse.ArgumentParser) -> None:
    """Add `--cp-file`, `--cp-user` and `--cp-member`; `--cp` is among the expensive sources."""
    parser.add_argument(
        "--cp-file",
        action="append",
        default=[],
        metavar="FILE",
        help="saved answers of CP (QUERY VIRTUAL DASD, QUERY DASD ...) or user directory entries; - is "
        "standard input, and the option may stand several times",
    )
    parser.add_argument(
        "--cp-user", default="", metavar="USERID", help="whose disks of a user directory these are"
    )
    parser.add_argument(
        "--cp-member", default="", metavar="SYSTEM", help="on which member of a single system image it runs"
    )


def add_listings(parser: argparse.ArgumentParser, what: str = "tablespaces and their files") -> None:
    """Add `--listing`, and what helps to read one."""
    parser.add_argument(
        "-l",
        "--listing",
        action="append",
        default=[],
        metavar="LISTING",
        help=f"{what}: a file or a server's address, see zmon spread --help; may be repeated",
    )
    add_listing_details(parser)


def add_listing_details(parser: argparse.ArgumentParser) -> None:
    """Add what helps to read a listing: `--database`, `--base-dir`, `--terminator`, `--partitions`."""
    for option, name, text in (
        ("--database", "NAME", "name of the database; of a server: only this one"),
        ("--base-dir", "DIR", "directory in which relative paths start"),
        ("--terminator", "C", "character that ends a DDL statement, as after db2 -td"),
    ):
        parser.add_argument(option, default="", metavar=name, help=text)
    parser.add_argument(
        "--partitions", type=partitions, default=(), metavar="N,N-N", help="Db2's database partitions"
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="fail if part of a listing is not understood; else warn, with exit status 3",
    )
