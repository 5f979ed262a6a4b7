"""Copy the kernel's files into an archive, to look at them on another machine.

Reads what zmon reads from the kernel, once or several times.  Use the archive with --from FILE.tar.gz.  Rates
need at least two passes.

zmon switches nothing on and writes only the archive.  Without root some files cannot be read; the summary
names them.  The archive contains the names of your disks, partitions and mount points.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from zmon.cli.listing import add_listings, asked, listed
from zmon.kernel.capture_open import CaptureError, printable
from zmon.kernel.capture_write import SELDOM_SECONDS, CapturePlan, write_capture

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.cp.vmcp import Cp
    from zmon.kernel.capture_write import CapturePass, CaptureSummary
    from zmon.listing.listing import Listing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `zmon capture`."""
    parser.add_argument("file", metavar="FILE.tar.gz", type=_archive, help="the archive to write")
    parser.add_argument(
        "-n", "--passes", metavar="PASSES", type=_passes, default=2, help="how often to read (%(default)s)"
    )
    parser.add_argument(
        "-i",
        "--interval",
        metavar="SECONDS",
        type=_seconds,
        default=SELDOM_SECONDS,
        help="from one pass to the next (%(default)g); below 10 the data of other partitions is left out",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="also what is costly: cache statistics (one I/O for each DASD), the exact channel "
        "measurement of each DASD (may wait for I/O), other partitions however short the interval",
    )
    parser.add_argument(
        "--cp",
        action="store_true",
        help="also what CP answers to every guest: its disks, devices, load (needs root and z/VM)",
    )
    add_listings(parser, "tablespaces whose files are looked up")
    parser.add_argument("--root", metavar="DIR", default="/", help="read below DIR instead of /")
    parser.add_argument("--force", action="store_true", help="overwrite FILE.tar.gz")


def _archive(text: str) -> str:
    if not text.endswith((".tar.gz", ".tgz")):
        raise argparse.ArgumentTypeError(f"{text!r} does not end in .tar.gz, which is what will be written")
    return text


def _passes(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= 9999 and len(text) < 9):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 9999")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= 86400:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0 to 86400")
    return seconds


def run(args: argparse.Namespace) -> int:
    """Write the archive; everything said goes to stderr."""

    def progress(number: int, found: CapturePass) -> None:
        if sys.stderr.isatty():
            took = (found.end - found.begin) / 1e9
            _say(f"pass {number} of {args.passes}: {len(found.files):,} files in {took:.1f} s")

    try:
        summary = write_capture(args.file, _plan(args), force=args.force, progress=progress)
    except FileExistsError:
        _say(f"zmon capture: {args.file} exists already; give another name, or --force to overwrite it")
    except OSError as error:
        _say(f"zmon capture: {args.file} cannot be written: {error.strerror}")
    except CaptureError as error:
        _say(f"zmon capture: {error}")
    except KeyboardInterrupt:
        _say("zmon capture: interrupted before a pass was complete; nothing was written")
    else:
        for line in report(args.file, summary):
            _say(line)
        return 0
    return 1


def _plan(args: argparse.Namespace) -> CapturePlan:
    """Return what is to be captured.

    Raises:
        CaptureError: containers are asked for that are not of this machine, or a listing is no use.
    """
    listing = None
    if args.listing:
        if args.root != "/":
            raise CaptureError("--listing looks at the files of this machine: leave out --root")
        try:
            listing = listed(args, args.listing)
        except ValueError as error:
            raise CaptureError(str(error)) from error
    return CapturePlan(args.root, args.passes, args.interval, args.all, lambda: _beside(args, listing))


def report(file: str, summary: CaptureSummary) -> list[str]:
    """Return what a capture came to, and what could not be read and why, most frequent first."""
    passes = "1 pass" if summary.passes == 1 else f"{summary.passes} passes"
    lines = [f"{file}: {passes}, {summary.files:,} files, {summary.bytes:,} bytes in {summary.seconds:.1f} s"]
    reasons = Counter(summary.refused.values())
    first = {why: path for path, why in reversed(summary.refused.items())}
    if reasons:
        lines.append("Could not be read:")
    lines += [f"{count:7,}  {why}: {printable(first[why])}" for why, count in reasons.most_common()]
    return lines


def _beside(args: argparse.Namespace, listing: Listing | None) -> Mapping[str, bytes | OSError]:
    """Return what goes into a pass besides the kernel's files: answers of CP and of file systems."""
    found = dict(_answers()) if args.cp else {}
    if args.root != "/":
        return found
    from zmon.kernel import btrfs, capture_json, file_extents, mountinfo  # noqa: PLC0415 - --help needs none of it
    from zmon.kernel.tree import LiveTree  # noqa: PLC0415 - likewise

    tree = LiveTree()
    if several := btrfs.written(mountinfo.read_mounts(tree)):
        found[btrfs.CAPTURED] = several
    if listing is not None:
        found[capture_json.CONTAINERS] = capture_json.containers_json(
            file_extents.read_containers(tree, asked(listing))
        )
    return found


@cache
def _cp() -> Cp:
    from zmon.cp.vmcp import Cp  # noqa: PLC0415 - most captures ask nobody

    return Cp()


def _answers() -> Mapping[str, bytes | OSError]:
    """Ask CP, once for all passes."""
    from zmon.cp.claim_sources import captured_answers  # noqa: PLC0415 - likewise

    return captured_answers(_cp())


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
