"""Copies the kernel's files into an archive, to look at them on another machine."""

from __future__ import annotations

import sys
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from zmon.cli.inputs import containers_of, listing_of, status
from zmon.cli.output import FAILED, complain, say
from zmon.cli.source_options import warn_of_hidden
from zmon.kernel import btrfs, capture_json, file_extents, mountinfo
from zmon.kernel.capture_open import CaptureError, printable
from zmon.kernel.capture_write import CapturePlan, write_capture
from zmon.kernel.tree import LiveTree

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from zmon.cp.vmcp import Cp
    from zmon.kernel.capture_write import CapturePass, CaptureSummary
    from zmon.listing.listing import Listing


def run(args: argparse.Namespace) -> int:
    """Write the archive; all messages go to standard error."""

    def progress(number: int, capture_pass: CapturePass) -> None:
        if sys.stderr.isatty():
            took = (capture_pass.end - capture_pass.begin) / 1e9
            say(f"pass {number} of {args.passes}: {len(capture_pass.files):,} files in {took:.1f} s")

    if args.root == "/":
        warn_of_hidden()
    try:
        summary = write_capture(args.file, _plan(args), force=args.force, progress=progress)
    except FileExistsError:
        exists = f"{args.file} exists already; give another name, or --force to overwrite it"
        complain(exists, program="zmon capture")
    except OSError as error:
        complain(f"{args.file} cannot be written: {error.strerror}", program="zmon capture")
    except CaptureError as error:
        complain(str(error), program="zmon capture")
    except KeyboardInterrupt:
        complain("interrupted before a pass was complete; nothing was written", program="zmon capture")
    else:
        for line in report(args.file, summary):
            say(line)
        return status(args)
    return FAILED


def _plan(args: argparse.Namespace) -> CapturePlan:
    """Return the plan of the capture.

    Raises:
        CaptureError: the containers are not of this machine, or a listing cannot be used.
    """
    if args.listing and args.root != "/":
        raise CaptureError("--listing looks at the files of this machine: leave out --root")
    try:
        listing = listing_of(args)
    except ValueError as error:
        raise CaptureError(str(error)) from error
    return CapturePlan(
        args.root, args.passes, args.interval, args.all, args.processes, lambda: _beside(args, listing)
    )


def report(file: str, summary: CaptureSummary) -> list[str]:
    """Return a summary of the capture, and why files could not be read, most frequent reason first."""
    passes = "1 pass" if summary.passes == 1 else f"{summary.passes} passes"
    lines = [f"{file}: {passes}, {summary.files:,} files, {summary.bytes:,} bytes in {summary.seconds:.1f} s"]
    reasons = Counter(summary.refused.values())
    first = {why: path for path, why in reversed(summary.refused.items())}
    if reasons:
        lines.append("Could not be read:")
    lines += [f"{count:7,}  {why}: {printable(first[why])}" for why, count in reasons.most_common()]
    return lines


def _beside(args: argparse.Namespace, listing: Listing | None) -> Mapping[str, bytes | OSError]:
    """Return the other files of a pass: answers of CP and of file systems."""
    answers = dict(_answers()) if args.cp else {}
    if args.root != "/":
        return answers
    tree = LiveTree()
    if several := btrfs.written(mountinfo.read_mounts(tree)):
        answers[btrfs.CAPTURED] = several
    if listing is not None:
        answers[capture_json.CONTAINERS] = capture_json.containers_json(
            file_extents.read_containers(tree, containers_of(listing))
        )
    return answers


@cache  # its answers are kept for an hour, so one is enough for all passes
def _cp() -> Cp:
    from zmon.cp.vmcp import Cp  # noqa: PLC0415 - most captures do not ask CP

    return Cp()


def _answers() -> Mapping[str, bytes | OSError]:
    from zmon.cp.claim_sources import captured_answers  # noqa: PLC0415 - most captures do not ask CP

    return captured_answers(_cp())
