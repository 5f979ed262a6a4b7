"""What users supply about a machine: listings of tablespaces, saved answers of CP, site files."""

from __future__ import annotations

import os
from functools import cache

from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.toml import site_files
from zmon.cli.output import OK, PARTLY, warn

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator

    from zmon.base.listed_file import ListedFile
    from zmon.cp.claim_sources import FileClaims, FileReport
    from zmon.listing.containers import Container
    from zmon.listing.listing import Listing
    from zmon.topology.claims import Claim
    from zmon.topology.data_files import DiskGroupFile
    from zmon.topology.machine import UserClaims, UserInputs
    from zmon.topology.site import Site

MAX_PARTS: Final = 10
"""Parts that are not understood and are printed; the others are counted."""


# listings


def read_listings(args: argparse.Namespace, sources: list[str], *, name: bool = True) -> Listing:
    """Return the listings in files and of servers as one.

    What of them is not understood goes to standard error: with `name` each part, else how many there are.

    Raises:
        ListingError: a source cannot be used, or not all of it with `--strict`.
    """
    from zmon.listing.containers import Options  # noqa: PLC0415 - most lookups have no listing
    from zmon.listing.listing import UNKNOWN_MACHINE, ListingError, read_listing  # noqa: PLC0415 - likewise

    options = Options(args.database, args.base_dir, args.terminator, args.partitions)
    machine = UNKNOWN_MACHINE if getattr(args, "source", None) else ""
    listing = read_listing(sources, options, machine=machine)
    args.read = listing
    if not listing.unread:
        return listing
    count = len(listing.unread)
    what = (
        f"{count:,} part{'s' * (count != 1)} of the listing {'were' if count != 1 else 'was'} not understood"
    )
    if args.strict:
        raise ListingError("; ".join((f"{what} (--strict)", *listing.unread[:MAX_PARTS])))
    for part in listing.unread[:MAX_PARTS] if name else ():
        warn(part)
    warn(f"{what}: files may be missing from the answer")
    args.partly = True
    return listing


def listing_of(args: argparse.Namespace) -> Listing | None:
    """Return the listing that `--listing` names; None if it names none.

    Raises:
        ListingError: it cannot be used.
    """
    return read_listings(args, args.listing) if args.listing else None


def unplaced(args: argparse.Namespace, word: str) -> list[str]:
    """Return which containers of the tablespace or database of a name have no usable path, and why."""
    listing: Listing | None = getattr(args, "read", None)
    if listing is None:
        return []
    wanted = word.casefold()
    names = []
    for container in listing.containers:
        full = f"{container.database}.{container.tablespace}"
        if wanted in {name.casefold() for name in (container.database, container.tablespace, full) if name}:
            names.append(container)
    return _without_place(names)


def _is_in(said: str, container: Container) -> bool:
    return bool(container.problem) and container.problem in said


def _without_place(containers: Iterable[Container]) -> list[str]:
    """Return which of some containers have no usable path, and why."""
    from zmon.listing.asm import is_in_group  # noqa: PLC0415 - most lookups have no listing

    reasons: dict[str, list[Container]] = {}
    for container in containers:
        if not (container.is_usable or is_in_group(container)):
            reasons.setdefault(container.problem or "it is no path from the root", []).append(container)
    return [
        f"{numbers[0].path or 'a container without a path'} [{numbers[0].place}]"
        f"{f' and {len(numbers) - 1:,} more' if numbers[1:] else ''} cannot be placed: {reason}"
        for reason, numbers in reasons.items()
    ]


def status(args: argparse.Namespace) -> int:
    """Return the exit status of an answer, which depends on whether the listings were understood."""
    return PARTLY if getattr(args, "partly", False) else OK


def containers_of(listing: Listing | None) -> Iterator[ListedFile]:
    """Yield the containers of a listing that have a usable path, in the form for the kernel's reader."""
    if listing is None:
        return
    from zmon.base.listed_file import UNSAID, ListedFile  # noqa: PLC0415 - most lookups have no listing
    from zmon.listing.containers import DEVICE  # noqa: PLC0415 - likewise

    for container in (container for container in listing.containers if container.is_usable):
        size = container.bytes_declared
        yield ListedFile(
            container.located,
            container.database,
            container.tablespace,
            container.role,
            container.place,
            UNSAID if size is None else size,
            container.kind == DEVICE,
        )


def files_in_groups(listing: Listing | None) -> tuple[DiskGroupFile, ...]:
    """Return the files of a listing in Oracle's disk groups, whose disks are among its `containers_of`."""
    if listing is None:
        return ()
    from zmon.listing.asm import disk_group_files  # noqa: PLC0415 - most lookups have no listing

    return disk_group_files(listing.containers, listing.disk_groups)


# answers of CP


def claims_loader(args: argparse.Namespace) -> Callable[[str], UserClaims] | None:
    """Return a function from this guest's user id to what the `--cp-file`s claim; None if there are none.

    The files are read now, and parsed when the function is called.

    Raises:
        OSError: a file cannot be read.
    """
    if not args.cp_file:
        return None
    from zmon.cp.claim_sources import claims_of_texts, origin_of, read_file  # noqa: PLC0415 - most lookups have no answers of CP
    from zmon.topology.machine import UserClaims  # noqa: PLC0415 - likewise

    texts = [(origin_of(path), read_file(path)) for path in dict.fromkeys(args.cp_file)]

    def load(guest: str) -> UserClaims:
        claims = claims_of_texts(texts, args.cp_user or guest, args.cp_member)
        return UserClaims(claims.claims, tuple(remarks(claims)), args.cp_user.upper())

    return load


def claims_with_cp(args: argparse.Namespace) -> Callable[[str], UserClaims]:
    """Return the same for a lookup: `--cp` asks CP too, and remarks go to standard error.

    Raises:
        OSError: a file cannot be read.
    """
    from zmon.topology.machine import UserClaims  # noqa: PLC0415 - only a lookup needs it here

    load = claims_loader(args)

    def claims(guest: str) -> UserClaims:
        claims: list[Claim] = []
        if args.cp:
            from zmon.cp.claim_sources import ask_claims  # noqa: PLC0415 - most lookups do not ask CP
            from zmon.cp.vmcp import Cp  # noqa: PLC0415 - likewise
            from zmon.topology.claims import claims_in  # noqa: PLC0415 - likewise

            live = ask_claims(Cp())
            if live.missing is not None:
                warn(live.missing.reason)
            claims += claims_in(live)
        if load is not None:
            saved = load(guest)
            for line in saved.remarks:
                warn(line)
            claims += saved.claims
        return UserClaims(claims, guest=args.cp_user.upper())

    return claims


def remarks(claims: FileClaims) -> list[str]:
    """Return the lines that were not understood, and the contradictions."""
    lines = []
    for report in claims.reports:
        if report.unknown or not report.counts:
            unknown = f"lines not understood: {report.unknown:,}{_numbers(report)}"
            lines.append(f"{report.origin}: {report.content}; {unknown}")
        lines += report.notes
    return lines + claims.conflicts


def _numbers(report: FileReport) -> str:
    """Return the numbers of the first lines that are not understood, in words."""
    if not report.lines:
        return ""
    more = " ..." if report.unknown > len(report.lines) else ""
    return f" (line{'s' * (report.unknown > 1)} {', '.join(map(str, report.lines))}{more})"


# all of it


def has_inputs(args: argparse.Namespace) -> bool:
    """Tell whether options name any, or there is a site file."""
    return bool(args.site or args.cp_file or args.listing or site_files(os.environ))


def inputs_and_files(args: argparse.Namespace) -> tuple[Callable[[], UserInputs], list[ListedFile]]:
    """Return what `user_inputs` does for the options, and the files that their listings name.

    Raises:
        ListingError, SiteError: a listing, or the site file that is named, cannot be used.
        OSError: a file that is named cannot be read.
    """
    if not has_inputs(args):
        from zmon.machine.view import no_inputs  # noqa: PLC0415 - a lookup of a file needs no table

        return no_inputs, []
    listing = listing_of(args)
    return user_inputs(args, listing), list(containers_of(listing))


def user_inputs(args: argparse.Namespace, listing: Listing | None = None) -> Callable[[], UserInputs]:
    """Return a function that returns the user inputs; the files that options name are read now.

    An error in a site file that no option names is only remarked on.

    Raises:
        SiteError: the site file that is named cannot be used.
        OSError: a file that is named cannot be read.
    """
    load = claims_loader(args)
    named = site_of(args.site) if args.site else None
    files = None if listing is None else list(containers_of(listing))
    groups = files_in_groups(listing)
    notes: tuple[str, ...] = ()
    if listing is not None:
        said = "\n".join(listing.unread)
        disks = {device for group in groups for device in group.devices}  # files there have their own problem
        nowhere = (
            container
            for container in listing.containers
            if container.path not in disks and not _is_in(said, container)
        )
        notes = (*listing.unread, *_without_place(nowhere), *listing.notes)

    @cache
    def give() -> UserInputs:
        from zmon.topology.machine import UserInputs  # noqa: PLC0415 - most screens need none
        from zmon.topology.site import NO_SITE, SiteError  # noqa: PLC0415 - likewise

        try:
            return UserInputs(named or site_of(), load, files, notes, groups)
        except (SiteError, OSError) as error:
            return UserInputs(NO_SITE, load, files, notes, groups, (f"Not used: {error}",))

    return give


def site_of(named: str = "") -> Site:
    """Return the site that the files of the machine and the user describe, and the one that is named.

    Raises:
        SiteError: a file cannot be used.
        OSError: the one that is named cannot be read.
    """
    if not named and not site_files(os.environ):
        from zmon.topology.site import NO_SITE  # noqa: PLC0415 - most lookups of devices need no site

        return NO_SITE
    from zmon.topology.site_file import read_site  # noqa: PLC0415 - most machines have no site file

    return read_site(os.environ, named)
