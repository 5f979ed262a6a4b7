"""The machine that a lookup is about: this one, a captured or a recorded one, with what people tell of it."""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, NamedTuple

from zmon.cli.listing import asked, scattered
from zmon.cli.people import add_site_argument
from zmon.cli.progress import patience
from zmon.cli.status import complain
from zmon.cli.tape import add_tape_arguments, open_tape, seek
from zmon.cli.told import add_cp_arguments, claims_of
from zmon.kinds import BLOCK, CLAIM, CONTAINER, DASD, DEVICE, LAYER, MACHINE, MOUNT, SWAP
from zmon.topology.claims import claims_in

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from zmon.absent import Value
    from zmon.interval import Interval
    from zmon.listing.listing import Listing
    from zmon.sample import Frame
    from zmon.session.tape import Tape
    from zmon.topology.data_files import DiskGroupFile, ListingEntry
    from zmon.topology.machine import Machine, UserInputs

IDENTITY = (MACHINE, DEVICE, DASD, MOUNT, SWAP, LAYER)
"""What tells how a machine hangs together."""
KEPT = (CONTAINER, CLAIM)
"""What captures and recordings hold besides, which of this machine is asked as the options say."""


class Looked(NamedTuple):
    """What was looked at."""

    machine: Machine
    interval: Interval | None
    """That traffic is of; None when it was not asked for."""


def add_looking_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--site`, `--at`, and the options of tapes and of CP."""
    add_site_argument(parser)
    parser.add_argument("--at", metavar="TIME", help="time in a recording: 14:32, -10m")
    add_cp_arguments(parser)
    add_tape_arguments(parser)


@contextmanager
def look(
    args: argparse.Namespace,
    listing: Listing | None = None,
    *,
    traffic: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Looked]:
    """Look at the machine that the options mean, and at the files of a listing on it.

    Without any the files are those that the capture or the recording holds.  A recording is read as far as
    the machine is asked, so it stays open, and the machine is asked, only within this context.

    Raises:
        CaptureError, RecordingError, SiteError, WhenError: what is named cannot be used.
        OSError: it cannot be read.
    """
    from zmon.topology.machine import Machine  # noqa: PLC0415 - --help needs none

    listed = None if listing is None or not args.source else list(asked(listing))
    people = _people(args, listed, scattered(listing))
    kinds = (*IDENTITY, *((BLOCK,) if traffic else ()), *(KEPT if args.source else ()))
    with ExitStack() as opened:
        with patience(args.source):
            tape = opened.enter_context(closing(open_tape(args, kinds=kinds, last=None if args.at else 2)))
            interval = _interval(args, tape, traffic=traffic)
        sample = interval.after
        if not args.source:
            from zmon.kernel.file_extents import read_containers  # noqa: PLC0415 - a recording has them
            from zmon.kernel.mountinfo import OTHER, read_hidden, read_mounts  # noqa: PLC0415 - likewise
            from zmon.kernel.tree import LiveTree  # noqa: PLC0415 - likewise

            wanted = () if listing is None else asked(listing)
            containers = read_containers(LiveTree(), wanted, progress=progress)
            frames = {**sample.frames, CONTAINER.name: containers}
            paths = [path for path in containers.keys if OTHER.match(path)]
            mounts = read_mounts(LiveTree(), None, paths) if paths else sample.frame(MOUNT)
            frames[MOUNT.name] = read_hidden(LiveTree(), mounts)
            sample = sample._replace(frames=frames)
        yield Looked(Machine(sample, people), interval if traffic else None)


def look_at(
    args: argparse.Namespace,
    paths: Iterable[str],
    mounts: Mapping[str, str] | None = None,
    *,
    root: str = "/",
    progress: Callable[[int], None] | None = None,
) -> Machine:
    """Look at a few files of this machine, at mounts, and at what they lie on; at nothing else.

    `mounts` has the ids of the mounts that directories are on, by their paths.

    The kernel's files are those below `root`.

    Raises:
        SiteError: the site's file cannot be used.
        OSError: a file of answers cannot be read.
    """
    from zmon.kernel.ccw_device import read_devices  # noqa: PLC0415
    from zmon.kernel.dasd_ioctl import read_identity  # noqa: PLC0415
    from zmon.kernel.file_extents import ListedFile, read_containers  # noqa: PLC0415 - --help needs none of it
    from zmon.kernel.mountinfo import read_mounts  # noqa: PLC0415
    from zmon.kernel.sys_block import read_layers  # noqa: PLC0415
    from zmon.kernel.sysinfo import read_machine  # noqa: PLC0415
    from zmon.kernel.tree import LiveTree  # noqa: PLC0415
    from zmon.sample import Instant, Sample  # noqa: PLC0415
    from zmon.topology.machine import Machine  # noqa: PLC0415

    tree = LiveTree(root)
    paths = list(paths)
    containers = read_containers(tree, map(ListedFile, paths), progress=progress)
    seen = map(str, containers.column("mount"))
    below = (
        number for number in map(str, containers.column("number")) if number[:2] == "0:"
    )  # of an overlay
    mounts = mounts or {}
    mounted = read_mounts(tree, {*mounts.values(), *seen, *below}, [*paths, *mounts])
    layers = read_layers(tree, _devices(containers, mounted))
    disks = {
        str(layers.cell(key, "busid")): (str(layers.cell(key, "name")), key)
        for key in layers.keys
        if isinstance(layers.cell(key, "busid"), str)
    }
    frames = (
        containers,
        mounted,
        layers,
        read_devices(tree, disks),
        read_identity(tree, disks),
        read_machine(tree),
    )
    at = Instant(time.time_ns(), time.monotonic_ns(), "")
    sample = Sample(at, {frame.kind.name: frame for frame in frames}, tree.name)
    return Machine(sample, _people(args))


def columns() -> int:
    """Return the width of the terminal; 80 where there is none."""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said):
        return int(said)
    return os.get_terminal_size(1).columns if os.isatty(1) else 80


def _devices(containers: Frame, mounts: Frame) -> set[str]:
    """Return the numbers of the block devices that files, or their file systems, are on."""
    several = {word.partition("=")[2] for cell in mounts.column("devices") for word in _words(cell)}
    return several | {
        str(number)
        for number in (*containers.column("number"), *mounts.column("number"))
        if str(number)[:2] != "0:"
    }


def _words(cell: Value) -> list[str]:
    return cell.split() if isinstance(cell, str) else []


def _interval(args: argparse.Namespace, tape: Tape, *, traffic: bool) -> Interval:
    """Return the interval that is looked at: the last, or that at a time; alone if no traffic is wanted."""
    from zmon.session.tape import Watch  # noqa: PLC0415 - --help needs none

    watch = Watch(tape)
    if args.source and args.at:
        said = seek(watch, args.at)
        if said:
            complain(said)
    elif args.source:
        watch.to_end()
    else:
        watch.forward()
        if traffic:
            time.sleep(args.interval)
            watch.forward()
    if watch.interval is None:
        raise OSError(0, "there is no sample in it", args.source)
    return watch.interval


def _people(
    args: argparse.Namespace,
    listed: Sequence[ListingEntry] | None = None,
    grouped: Sequence[DiskGroupFile] = (),
) -> UserInputs:
    """Return what people tell, CP among them if it is to be asked; who is a guest is told later."""
    from zmon.topology.machine import UserClaims, UserInputs  # noqa: PLC0415 - --help needs none
    from zmon.topology.site_file import read_site  # noqa: PLC0415 - --help needs none

    site = read_site(os.environ, args.site)
    return UserInputs(
        site,
        lambda guest: UserClaims(claims_in(claims_of(args, guest=guest))),
        listed,
        in_disk_groups=grouped,
    )


class Progress:
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
