"""Show how evenly tablespaces are spread over LCUs: zmon spread LISTING, zmon spread postgresql://host/db.

Prints tablespaces by LCU (logical control unit), how even each is, what an even spread would give, and with
--moves N which files to move.  It counts bytes, or with --traffic what is read and written, and prints the
assumptions.  With a recording or capture (--from) that contains files, LISTING may be left out.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from zmon.cli.csv_output import CsvWriter, add_csv_safe_argument
from zmon.cli.listing import LISTINGS, add_listing_arguments, is_usable, status
from zmon.cli.looking import Progress, add_looking_arguments, columns, look
from zmon.cli.status import FAILED, USAGE, complain
from zmon.cli.tape import positive

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

    from zmon.cli.looking import Looked
    from zmon.listing.listing import Listing
    from zmon.placement.items import FilePlacement, Item
    from zmon.placement.spread_report import SpreadReport

ACROSS = {"lcu": "LCU", "disk": "disk", "side": "side"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `zmon spread`."""
    parser.add_argument(
        "listing", nargs="*", metavar="LISTING", help="a file, a server's address, or - for standard input"
    )
    add_listing_arguments(parser)
    parser.add_argument(
        "--by", choices=tuple(ACROSS), default="lcu", help="units to spread over (default lcu)"
    )
    parser.add_argument(
        "--traffic",
        action="store_true",
        help="count what is read and written: live between two samples, or in the last interval of --from",
    )
    parser.add_argument(
        "--lcus",
        action="append",
        default=[],
        metavar="NAMES",
        help="LCUs for the data, separated by commas: 1,2,LSS 0* (default: see docs/spread.md)",
    )
    parser.add_argument(
        "--moves",
        type=positive,
        default=0,
        metavar="N",
        help="propose up to N moves; zmon moves nothing itself",
    )
    parser.add_argument(
        "--pin",
        action="append",
        default=[],
        metavar="PATTERN",
        help="files or tablespaces that must not be moved: '/db/log*'",
    )
    add_looking_arguments(parser)
    parser.add_argument("-f", "--format", choices=("text", "csv", "json"), default="text")
    add_csv_safe_argument(parser)
    parser.epilog = LISTINGS


def run(args: argparse.Namespace) -> int:
    """Print the spread; returns the exit status."""
    from zmon.listing.listing import ListingError  # noqa: PLC0415 - --help needs no listing
    from zmon.topology.site import SiteError  # noqa: PLC0415 - likewise

    if sys.stdout is None:
        return complain("standard output is closed")
    if not args.listing and not args.source:
        complain(
            "a listing of tablespaces is needed: a file, a server's address, or - ; see zmon spread --help"
        )
        return USAGE
    if args.at and not args.source:
        complain("--at is a time in a recording: name one with --from")
        return USAGE
    try:
        return _spread(args)
    except (ListingError, SiteError) as error:
        return complain(str(error))


def _spread(args: argparse.Namespace) -> int:
    from zmon.cli.listing import listed  # noqa: PLC0415 - --help needs none of it

    listing = listed(args, args.listing, name=args.format == "csv") if args.listing else None
    progress = Progress()
    try:
        with look(args, listing, traffic=args.traffic, progress=progress.files) as looked:
            progress.end()
            return _answer(args, listing, looked)
    finally:
        progress.end()


def _answer(args: argparse.Namespace, listing: Listing | None, looked: Looked) -> int:
    """Print what was found; returns the exit status."""
    from zmon.kinds import CONTAINER  # noqa: PLC0415 - --help needs none of it
    from zmon.placement.items import UnitKind, placement_of  # noqa: PLC0415 - likewise
    from zmon.placement.spread_report import SpreadQuery, report_spread  # noqa: PLC0415 - likewise

    found = placement_of(looked.machine, by=UnitKind(args.by), interval=looked.interval)
    if listing is not None:
        items = tuple(_mirrored(found.items, listing))
        found = found._replace(items=items, rows=found.rows + _unusable(listing))
    if not found.rows:
        why = looked.machine.missing(CONTAINER) or "give a listing"
        return complain(f"no file of a tablespace is known: {why}")
    wanted = SpreadQuery(
        what=ACROSS[args.by],
        traffic=args.traffic,
        seconds=looked.interval.seconds if looked.interval is not None else SpreadQuery().seconds,
        available=tuple(name.strip() for names in args.lcus for name in names.split(",") if name.strip()),
        pins=tuple(args.pin),
        moves=args.moves,
    )
    try:
        answer = report_spread(found, wanted)
    except ValueError as error:
        return complain(f"--lcus: {error}")
    _print(args, answer, listing)
    return status(args) if any(item.bytes_on for item in found.items) else FAILED


# what is listed


def _unusable(listing: Listing) -> tuple[FilePlacement, ...]:
    """Return rows for what cannot be looked at, so that nothing that is listed is missing."""
    from zmon.absent import absent  # noqa: PLC0415 - --help needs none
    from zmon.cli.listing import scattered  # noqa: PLC0415 - likewise
    from zmon.listing.asm_file import is_in_group  # noqa: PLC0415 - likewise
    from zmon.listing.container import UNKNOWN  # noqa: PLC0415 - likewise
    from zmon.placement.items import FilePlacement  # noqa: PLC0415 - likewise
    from zmon.topology.claims import Grade  # noqa: PLC0415 - likewise

    disks = {device for one in scattered(listing) for device in one.devices}  # files there tell their problem
    return tuple(
        FilePlacement(
            container.path,
            container.database,
            container.tablespace or (f"({container.role})" if container.role != UNKNOWN else ""),
            container.role,
            container.place,
            absent("not looked at") if container.bytes_declared is None else container.bytes_declared,
            0,
            0,
            Grade.UNKNOWN,
            container.problem or "it is no path from the root",
        )
        for container in listing.containers
        if not (is_usable(container) or is_in_group(container) or container.path in disks)
    )


def _mirrored(items: Iterable[Item], listing: Listing) -> Iterable[Item]:
    """Yield items, logs with the group whose copies they are."""
    from zmon.listing.asm_file import name  # noqa: PLC0415 - --help needs none

    groups = {
        name(container): f"group {container.container_id}"
        for container in listing.containers
        if container.role == "log" and container.container_id is not None
    }
    for item in items:
        yield item._replace(mirror=groups[item.name]) if item.name in groups else item


# printing


def _print(args: argparse.Namespace, answer: SpreadReport, listing: Listing | None) -> None:
    notes: Sequence[str] = () if listing is None else listing.notes
    unread: Sequence[str] = () if listing is None else listing.unread
    products = _products(listing)
    if args.format == "json":
        import json  # noqa: PLC0415 - text needs none

        from zmon.cli.spread_data import document  # noqa: PLC0415 - likewise

        print(json.dumps(document(answer, products, notes, unread)))
    elif args.format == "csv":
        from zmon.cli.spread_data import matrix_records, move_records  # noqa: PLC0415 - likewise

        moves = answer.plan is not None
        CsvWriter(sys.stdout, safe=args.csv_safe).writerows(
            move_records(answer.plan, products) if moves and answer.plan else matrix_records(answer)
        )
    else:
        from zmon.cli.spread_text import text  # noqa: PLC0415 - programs read no text

        for line in text(answer, products, notes, columns(), unread):
            print(line)
    sys.stdout.flush()


def _products(listing: Listing | None) -> Callable[[str], str]:
    """Return what tells the product of a container: by itself, or by the directory that is listed."""
    if listing is None:
        return lambda _path: ""
    from zmon.listing.asm_file import name  # noqa: PLC0415 - a recording has no listing

    known = {name(container).rstrip("/"): listing.product(container) for container in listing.containers}

    def product(path: str) -> str:
        while path and path not in known:
            path = path.rpartition("/")[0]
        return known.get(path, "")

    return product
