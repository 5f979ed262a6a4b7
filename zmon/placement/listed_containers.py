"""What a listing says about items: their product, copies of logs, and containers without a usable path."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.listing.asm import is_in_group, name_in_group
from zmon.listing.containers import UNKNOWN
from zmon.placement.items import FilePlacement, Hindrance
from zmon.placement.move_statements import DB2, DB2_AUTOMATIC, DB2_SMS, DB2_UNKNOWN, product_of
from zmon.topology.claims import Grade

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from zmon.listing.listing import Listing
    from zmon.placement.items import Placement
    from zmon.topology.data_files import DataFile, DiskGroupFile


STAYING: Final = {DB2_AUTOMATIC: Hindrance.AUTOMATIC, DB2_SMS: Hindrance.MANAGED}
"""Products whose files cannot be moved one by one, with the reason."""


def with_listing(
    placement: Placement,
    listing: Listing,
    products: Callable[[str], str],
    in_groups: Iterable[DiskGroupFile] = (),
) -> Placement:
    """Return a placement with what a listing adds; see `products_of`, and `disk_group_files` for `in_groups`.

    Logs get the group whose copies they are; files that Db2 makes or places itself are pinned.  Containers
    without a usable path become rows, so that no listed container is missing.
    """
    mirrors = {
        name_in_group(container): f"group {container.container_id}"
        for container in listing.containers
        if container.role == "log" and container.container_id is not None
    }
    items = (item._replace(mirror=mirrors.get(item.name, item.mirror)) for item in placement.items)
    items = (
        item if item.pinned or item.is_log else item._replace(pinned=STAYING.get(products(item.name)))
        for item in items
    )
    disks = {
        device for in_group in in_groups for device in in_group.devices
    }  # files there have their own problem
    unusable = (
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
        if not (container.is_usable or is_in_group(container) or container.path in disks)
    )
    return placement._replace(items=tuple(items), rows=(*placement.rows, *unusable))


def products_of(listing: Listing | None, files: Iterable[DataFile] = ()) -> Callable[[str], str]:
    """Return a function that gives the product of a path, as statements need it.

    Of the files, those that were found are no directories.
    """
    if listing is None:
        return lambda _: ""
    products = {
        name_in_group(container).rstrip("/"): product_of(listing.product(container), container.storage)
        for container in listing.containers
    }
    seen = {file.path for file in files if not file.unseen}
    return partial(_product, products, seen)


def _product(product_of: Mapping[str, str], seen: Collection[str], path: str) -> str:
    """Return the product that a container belongs to: its own, or that of the listed directory it is in."""
    above = path
    while above and above not in product_of:
        above = above.rpartition("/")[0]
    product = product_of.get(above, "")
    if product == DB2_UNKNOWN and path in seen:
        return DB2 if above == path else DB2_SMS
    return product
