"""The options that say what people tell of a machine, the same everywhere, and what they come to."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from zmon.cli.listing import add_listings, asked, listed, scattered
from zmon.cli.told import add_cp_arguments, hearing
from zmon.topology.site import site_files

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from zmon.listing.listing import Listing
    from zmon.topology.machine import UserInputs
    from zmon.topology.site import Site


def add_site_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--site`."""
    parser.add_argument("--site", default="", metavar="FILE", help="site file, see docs/site.md")


def add_people_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--site`, `--cp-file` and `--listing`, each with what belongs to it."""
    add_site_argument(parser)
    add_cp_arguments(parser)
    add_listings(parser)


def are_heard(args: argparse.Namespace) -> bool:
    """Tell whether the options say anything, or there is a file in which the site does."""
    return bool(args.site or args.cp_file or args.listing or site_files(os.environ))


def listing_of(args: argparse.Namespace) -> Listing | None:
    """Return what `--listing` names; None when it names nothing.

    Raises:
        ListingError: it cannot be used.
    """
    return listed(args, args.listing) if args.listing else None


def people(args: argparse.Namespace, listing: Listing | None = None) -> Callable[[], UserInputs]:
    """Return who gives, when first asked, what people tell; the files that the options name are read now.

    An error in a site file that was not named is no reason to show nothing: it is remarked.

    Raises:
        SiteError: the site file that is named cannot be used.
        OSError: a file that is named cannot be read.
    """
    hear = hearing(args)
    told = _site(args.site) if args.site else None
    files = None if listing is None else list(asked(listing))
    grouped = scattered(listing)
    notes = () if listing is None else (*listing.unread, *listing.notes)

    @cache
    def give() -> UserInputs:
        from zmon.topology.machine import UserInputs  # noqa: PLC0415 - most screens ask nobody
        from zmon.topology.site import NO_SITE, SiteError  # noqa: PLC0415 - most screens ask nobody

        try:
            return UserInputs(told or _site(), hear, files, notes, grouped)
        except (SiteError, OSError) as error:
            return UserInputs(NO_SITE, hear, files, notes, grouped, (f"Not used: {error}",))

    return give


def _site(named: str = "") -> Site:
    from zmon.topology.site_file import read_site  # noqa: PLC0415 - most screens ask nobody

    return read_site(os.environ, named)
