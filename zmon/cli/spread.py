"""How evenly tablespaces lie on logical control units: zmon spread LISTING, zmon spread postgresql://host/db.

Prints tablespaces by LCUs, how even each is, what an even spread would give, and with --moves N which files
to move.  Bytes count, or with --traffic what is read and written.  What the answer rests on is printed with
it.  From a recording or a capture (--from) the listing may be left out: the files in it are looked at.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from zmon.cli.listing import LISTINGS, add_listing_arguments, asked, is_usable
from zmon.cli.status import FAILED, OK, USAGE, complain
from zmon.cli.tape import add_tape_arguments, positive
from zmon.cli.told import add_cp_arguments

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

    from zmon.interval import Interval
    from zmon.kernel.tree import Tree
    from zmon.placement.listing import Listing
    from zmon.placement.report import Report
    from zmon.placement.resolved import Row
    from zmon.sample import Frame, Sample

ACROSS = {"lcu": "LCU", "disk": "disk", "side": "side"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `zmon spread`."""
    parser.add_argument(
        "listing", nargs="*", metavar="LISTING", help="a file, a server's address, or - for standard input"
    )
    add_listing_arguments(parser)
    parser.add_argument(
        "--by", choices=tuple(ACROSS), default="lcu", help="over what it is spread (default lcu)"
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
        help="the LCUs that data may lie on, by comma: 1,2,LSS 0*; by default all that this Linux sees",
    )
    parser.add_argument(
        "--moves", type=positive, default=0, metavar="N", help="suggest up to N moves; zmon moves nothing"
    )
    parser.add_argument(
        "--pin",
        action="append",
        default=[],
        metavar="PATTERN",
        help="files or tablespaces that stay where they are: '/db/log*'",
    )
    parser.add_argument("--site", default="", metavar="FILE", help="what the site knows; see docs/site.md")
    parser.add_argument("--at", metavar="TIME", help="of a recording, as it was then: 14:32, -10m")
    add_cp_arguments(parser)
    add_tape_arguments(parser)
    parser.add_argument("-f", "--format", choices=("text", "csv", "json"), default="text")
    parser.epilog = LISTINGS


class _Looked(NamedTuple):
    """What was looked at."""

    sample: Sample
    interval: Interval | None


def run(args: argparse.Namespace) -> int:
    """Print the spread; returns the exit status."""
    from zmon.placement.listing import ListingError  # noqa: PLC0415 - --help needs no listing
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
    from zmon.placement.report import Wanted, report  # noqa: PLC0415 - likewise
    from zmon.placement.resolved import By, resolved  # noqa: PLC0415 - likewise
    from zmon.topology.machine import Machine  # noqa: PLC0415 - likewise
    from zmon.topology.site import read_site  # noqa: PLC0415 - likewise

    listing = listed(args, args.listing) if args.listing else None
    site = read_site(os.environ, args.site)
    progress = _Progress()
    looked = _look(args, listing, progress)
    machine = Machine(looked.sample, site)
    paths = None if listing is None else _paths(listing)
    found = resolved(machine, by=By(args.by), interval=looked.interval, paths=paths)
    if listing is not None:
        found = found._replace(rows=found.rows + _unusable(listing))
    progress.end()
    if not found.rows:
        why = looked.sample.frames["container"].missing if "container" in looked.sample.frames else None
        return complain(f"no file of a tablespace is known: {why.reason if why else 'give a listing'}")
    wanted = Wanted(
        what=ACROSS[args.by],
        traffic=args.traffic,
        seconds=looked.interval.seconds if looked.interval is not None else Wanted().seconds,
        available=tuple(name.strip() for names in args.lcus for name in names.split(",") if name.strip()),
        pins=tuple(args.pin),
        moves=args.moves,
    )
    try:
        answer = report(found, wanted)
    except ValueError as error:
        return complain(f"--lcus: {error}")
    _print(args, answer, listing)
    return OK if any(item.bytes_on for item in found.items) else FAILED


# what is looked at


def _look(args: argparse.Namespace, listing: Listing | None, progress: _Progress) -> _Looked:
    """Return the sample that is looked at, with its files, and the interval that traffic is of."""
    from zmon.cli.tape import open_tape, when  # noqa: PLC0415 - --help needs no machine
    from zmon.kinds import BLOCK, CONTAINER, DASD, DEVICE, LAYER, MACHINE, MOUNT  # noqa: PLC0415 - likewise
    from zmon.tape.tape import Watch  # noqa: PLC0415 - likewise

    kinds = [MACHINE, DEVICE, DASD, *([BLOCK] if args.traffic else [])]
    if args.source:
        kinds += [MOUNT, LAYER, CONTAINER]
    watch = Watch(open_tape(args, kinds=tuple(kinds), last=None if args.at else 2))
    try:
        if args.source and args.at:
            watch.seek(when(args.at, watch.tape))
        elif args.source:
            watch.to_end()
        else:
            watch.forward()
            if args.traffic:
                time.sleep(args.interval)
                watch.forward()
    finally:
        watch.tape.close()
    if watch.interval is None:
        raise OSError(0, "there is no sample in it", args.source)
    sample = watch.interval.after
    more = _frames(args, sample, listing, progress)
    sample = sample._replace(frames={**sample.frames, **{frame.kind.name: frame for frame in more}})
    return _Looked(sample, watch.interval if args.traffic else None)


def _frames(
    args: argparse.Namespace, sample: Sample, listing: Listing | None, progress: _Progress
) -> Iterable[Frame]:
    """Return the frames that a sample lacks: of this machine, or of the capture that is looked at."""
    from zmon.cli.told import claims_of  # noqa: PLC0415 - --help needs none
    from zmon.kinds import CLAIM, CONTAINER, LAYER, MACHINE, MOUNT  # noqa: PLC0415 - likewise

    tree = _tree(args)
    guest = sample.frame(MACHINE).cell("machine", "guest_name")
    claims = claims_of(args, tree if args.source else None, guest if isinstance(guest, str) else "")
    if claims.missing is None or CLAIM.name not in sample.frames:
        yield claims
    if tree is None:
        return
    from zmon.kernel.container import read_containers  # noqa: PLC0415 - a recording has them
    from zmon.kernel.layers import read_layers  # noqa: PLC0415 - likewise
    from zmon.kernel.mountinfo import read_mounts  # noqa: PLC0415 - likewise

    if MOUNT.name not in sample.frames:
        yield read_mounts(tree)
    if LAYER.name not in sample.frames:
        yield read_layers(tree)
    if listing is not None:
        yield read_containers(tree, asked(listing), progress=progress.files)
    elif CONTAINER.name not in sample.frames:
        yield read_containers(tree, ())


def _tree(args: argparse.Namespace) -> Tree | None:
    """Return the tree of this machine, or of a capture's last pass; None for a recording."""
    if not args.source:
        from zmon.kernel.tree import LiveTree  # noqa: PLC0415 - a recording has none

        return LiveTree()
    from zmon.recording.magic import is_source  # noqa: PLC0415 - this machine is no recording

    if is_source(args.source):
        return None
    from zmon.kernel.archive import open_capture  # noqa: PLC0415 - likewise

    passes = open_capture(args.source).passes
    return passes[-1] if passes else None


# what is listed


def _paths(listing: Listing) -> Callable[[str], bool]:
    """Return what tells whether a path is one of a listing's, or in one of its directories."""
    paths = {container.located.rstrip("/") or "/" for container in listing.containers if is_usable(container)}

    def is_listed(path: str) -> bool:
        while path not in paths:
            above = path.rpartition("/")[0]
            if not above:
                return False
            path = above
        return True

    return is_listed


def _unusable(listing: Listing) -> tuple[Row, ...]:
    """Return rows for what cannot be looked at, so that nothing that is listed is missing."""
    from zmon.absent import absent  # noqa: PLC0415 - --help needs none
    from zmon.placement.resolved import Row  # noqa: PLC0415 - likewise
    from zmon.topology.evidence import Grade  # noqa: PLC0415 - likewise

    why = "it is a name of ASM and no path: list the disks of the group too"
    return tuple(
        Row(
            container.path,
            container.database,
            container.tablespace,
            container.role,
            container.place,
            absent("not looked at") if container.bytes_declared is None else container.bytes_declared,
            0,
            0,
            Grade.UNKNOWN,
            container.problem or why,
        )
        for container in listing.containers
        if not is_usable(container)
    )


# printing


def _print(args: argparse.Namespace, answer: Report, listing: Listing | None) -> None:
    notes: Sequence[str] = () if listing is None else listing.notes
    products = _products(listing)
    if args.format == "json":
        import json  # noqa: PLC0415 - text needs none

        from zmon.cli.spread_data import document  # noqa: PLC0415 - likewise

        print(json.dumps(document(answer, products, notes)))
    elif args.format == "csv":
        import csv  # noqa: PLC0415 - likewise

        from zmon.cli.spread_data import matrix_records, move_records  # noqa: PLC0415 - likewise

        moves = answer.plan is not None
        csv.writer(sys.stdout, lineterminator="\n").writerows(
            move_records(answer.plan, products) if moves and answer.plan else matrix_records(answer)
        )
    else:
        from zmon.cli.spread_text import text  # noqa: PLC0415 - programs read no text

        for line in text(answer, products, notes, _width()):
            print(line)
    sys.stdout.flush()


def _products(listing: Listing | None) -> Callable[[str], str]:
    """Return what tells the product of a container: by itself, or by the directory that is listed."""
    if listing is None:
        return lambda _path: ""
    known = {container.located.rstrip("/"): listing.product(container) for container in listing.containers}

    def product(path: str) -> str:
        while path and path not in known:
            path = path.rpartition("/")[0]
        return known.get(path, "")

    return product


def _width() -> int:
    """Return the width of the terminal; 80 where there is none."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    return os.get_terminal_size(1).columns if os.isatty(1) else 80


class _Progress:
    """Says on a terminal how far it is when it takes long."""

    PATIENCE = 1.0

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._shown = False

    def files(self, count: int) -> None:
        """Say how many files were looked at."""
        if sys.stderr.isatty() and time.monotonic() - self._begun > self.PATIENCE:
            print(f"\r{count:,} files looked at ", end="", file=sys.stderr, flush=True)
            self._shown = True

    def end(self) -> None:
        """Wipe it out."""
        if self._shown:
            print("\r" + " " * 40 + "\r", end="", file=sys.stderr, flush=True)
