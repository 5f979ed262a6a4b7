"""The options that go with a listing of tablespaces, the same for every subcommand, and what they mean."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from zmon.cli.status import OK, PARTLY, complain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.kernel.file_extents import ListedFile
    from zmon.listing.container import Container
    from zmon.listing.listing import Listing
    from zmon.topology.data_files import DiskGroupFile

LISTINGS: Final = """\
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
    add_listing_arguments(parser)


def add_listing_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what helps to read a listing: `--database`, `--base-dir`, `--terminator`, `--partitions`."""
    parser.add_argument(
        "--database", default="", metavar="NAME", help="name of the database; of a server: only this one"
    )
    parser.add_argument(
        "--base-dir",
        default="",
        metavar="DIR",
        help="directory in which relative paths start",
    )
    parser.add_argument(
        "--terminator", default="", metavar="C", help="character that ends a DDL statement, as after db2 -td"
    )
    parser.add_argument(
        "--partitions",
        type=partitions,
        default=(),
        metavar="N,N-N",
        help="Db2's database partitions",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="fail if part of a listing is not understood; else warn, with exit status 3",
    )


def partitions(words: str) -> tuple[int, ...]:
    """Read numbers of partitions, for argparse: `0-3,8`."""
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


_NAMED: Final = 10
"""Parts that are not understood and are named on standard error; the others are counted."""


def listed(args: argparse.Namespace, sources: list[str], machine: str = "", *, name: bool = True) -> Listing:
    """Return the listing that the options mean, for files of a `machine`; empty for this one.

    What of it is not understood is told on standard error: with `name` each part, else how many there are.

    Raises:
        ListingError: a source cannot be used, or not all of it with `--strict`.
    """
    from zmon.listing.container import Options  # noqa: PLC0415 - --help needs no listing
    from zmon.listing.listing import ListingError, read_listing  # noqa: PLC0415 - likewise

    options = Options(args.database, args.base_dir, args.terminator, args.partitions)
    listing = read_listing(sources, options, machine=machine)
    args.read = listing
    if not listing.unread:
        return listing
    count = len(listing.unread)
    what = (
        f"{count:,} part{'s' * (count != 1)} of the listing {'were' if count != 1 else 'was'} not understood"
    )
    if args.strict:
        raise ListingError("; ".join((f"{what} (--strict)", *listing.unread[:_NAMED])))
    for part in listing.unread[:_NAMED] if name else ():
        complain(part)
    complain(f"{what}: files may be missing from the answer")
    args.partly = True
    return listing


def unplaced(args: argparse.Namespace, word: str) -> list[str]:
    """Say which containers of the tablespace or database that a word names cannot be looked at, and why."""
    listing: Listing | None = getattr(args, "read", None)
    if listing is None:
        return []
    from zmon.listing.asm_file import is_in_group  # noqa: PLC0415 - --help needs none

    wanted = word.casefold()
    reasons: dict[str, list[Container]] = {}
    for container in listing.containers:
        full = f"{container.database}.{container.tablespace}"
        names = {name.casefold() for name in (container.database, container.tablespace, full) if name}
        if wanted in names and not (is_usable(container) or is_in_group(container)):
            reasons.setdefault(container.problem or "it is no path from the root", []).append(container)
    return [
        f"{found[0].path or 'a container without a path'} [{found[0].place}]"
        f"{f' and {len(found) - 1:,} more' if found[1:] else ''} cannot be placed: {reason}"
        for reason, found in reasons.items()
    ]


def status(args: argparse.Namespace) -> int:
    """Return the exit status of an answer: that listings were not understood in all their parts, or none."""
    return PARTLY if getattr(args, "partly", False) else OK


def is_usable(container: Container) -> bool:
    """Tell whether what is listed is a path that can be looked at."""
    return not container.problem and container.located.startswith("/")


def asked(listing: Listing) -> Iterator[ListedFile]:
    """Return what of a listing can be looked at, as the kernel's reader is asked for it."""
    from zmon.kernel.file_extents import UNSAID, ListedFile  # noqa: PLC0415 - --help needs none

    for container in filter(is_usable, listing.containers):
        size = container.bytes_declared
        yield ListedFile(
            container.located,
            container.database,
            container.tablespace,
            container.role,
            container.place,
            UNSAID if size is None else size,
        )


def scattered(listing: Listing | None) -> tuple[DiskGroupFile, ...]:
    """Return what of a listing is in disk groups of Oracle, whose disks are among what is `asked`."""
    if listing is None:
        return ()
    from zmon.listing import asm_file  # noqa: PLC0415 - --help needs none

    return asm_file.scattered(listing.containers, listing.disk_groups)
