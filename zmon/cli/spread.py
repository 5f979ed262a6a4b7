"""Shows how evenly tablespaces are spread over LCUs, disks or sides, and which moves would help."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from zmon.absent import absent
from zmon.cli.inputs import files_in_groups, is_usable, read_listings, status
from zmon.cli.output import FAILED, FileCount, complain, misused, terminal_width, write_result
from zmon.cli.sources import open_lookup
from zmon.cli.spread_output import document, matrix_records, move_records, text
from zmon.kinds import CONTAINER
from zmon.listing.asm import is_in_group, name_in_group
from zmon.listing.containers import UNKNOWN
from zmon.listing.listing import ListingError
from zmon.placement.items import FilePlacement, UnitKind, placement_of
from zmon.placement.spread_report import SpreadQuery, report_spread
from zmon.topology.claims import Grade
from zmon.topology.site import SiteError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.cli.sources import Lookup
    from zmon.listing.listing import Listing
    from zmon.placement.items import Item
    from zmon.placement.spread_report import SpreadReport

UNITS = {"lcu": "LCU", "disk": "disk", "side": "side"}


def run(args: argparse.Namespace) -> int:
    """Print the spread; returns the exit status."""
    if sys.stdout is None:
        return complain("standard output is closed")
    if not args.listing and not args.source:
        return misused(
            "a listing of tablespaces is needed: a file, a server's address, or - ; see zmon spread --help"
        )
    if args.at and not args.source:
        return misused("--at is a time in a recording: name one with --from")
    try:
        return _spread(args)
    except (ListingError, SiteError) as error:
        return complain(str(error))


def _spread(args: argparse.Namespace) -> int:
    listing = read_listings(args, args.listing, name=args.format == "csv") if args.listing else None
    count = FileCount()
    try:
        with open_lookup(args, listing, traffic=args.traffic, progress=count) as lookup:
            count.end()
            return _answer(args, listing, lookup)
    finally:
        count.end()


def _answer(args: argparse.Namespace, listing: Listing | None, lookup: Lookup) -> int:
    """Print what was found; returns the exit status."""
    found = placement_of(lookup.machine, by=UnitKind(args.by), interval=lookup.interval)
    if listing is not None:
        items = tuple(_mirrored(found.items, listing))
        found = found._replace(items=items, rows=found.rows + _unusable(listing))
    if not found.rows:
        why = lookup.machine.missing(CONTAINER) or "give a listing"
        return complain(f"no file of a tablespace is known: {why}")
    wanted = SpreadQuery(
        what=UNITS[args.by],
        traffic=args.traffic,
        seconds=lookup.interval.seconds if lookup.interval is not None else SpreadQuery().seconds,
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
    disks = {
        device for one in files_in_groups(listing) for device in one.devices
    }  # files there have their own problem
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
    groups = {
        name_in_group(container): f"group {container.container_id}"
        for container in listing.containers
        if container.role == "log" and container.container_id is not None
    }
    for item in items:
        yield item._replace(mirror=groups[item.name]) if item.name in groups else item


# output


def _print(args: argparse.Namespace, answer: SpreadReport, listing: Listing | None) -> None:
    notes: Sequence[str] = () if listing is None else listing.notes
    unread: Sequence[str] = () if listing is None else listing.unread
    products = partial(
        _product,
        {}
        if listing is None
        else {
            name_in_group(container).rstrip("/"): listing.product(container)
            for container in listing.containers
        },
    )
    plan = answer.plan
    write_result(
        args,
        lambda: text(answer, products, notes, terminal_width(), unread),
        lambda: move_records(plan, products) if plan is not None else matrix_records(answer),
        lambda: document(answer, products, notes, unread),
    )


def _product(known: Mapping[str, str], path: str) -> str:
    """Return the product that a container belongs to: its own, or that of the listed directory it is in."""
    while path and path not in known:
        path = path.rpartition("/")[0]
    return known.get(path, "")
