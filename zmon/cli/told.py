"""The options that say what CP or a user directory has told, and the claims they come to."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from zmon.cli.status import complain

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from zmon.cp.claim_sources import FileClaims, FileReport
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame
    from zmon.topology.claims import Claim
    from zmon.topology.machine import UserClaims


def add_cp_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--cp-file`, `--cp-user` and `--cp-member`; `--cp` says what is sampled, and stands there."""
    parser.add_argument(
        "--cp-file",
        action="append",
        default=[],
        metavar="FILE",
        help="saved answers of CP (QUERY VIRTUAL DASD, QUERY DASD ...) or user directory entries; - is "
        "standard input, and the option may stand several times",
    )
    parser.add_argument(
        "--cp-user", default="", metavar="USERID", help="whose disks of a user directory these are"
    )
    parser.add_argument(
        "--cp-member", default="", metavar="SYSTEM", help="on which member of a single system image it runs"
    )


def claims_of(args: argparse.Namespace, tree: Tree | None = None, guest: str = "") -> Frame:
    """Return all that the options, and the capture that is looked at if there is one, say of volumes.

    `guest` is the user id of this Linux where it is known.  What a person should know of the files goes to
    standard error; what they do not say is no error.

    Raises:
        OSError: a file cannot be read.
    """
    from zmon.topology.claims import claims_frame, claims_in  # noqa: PLC0415 - --help needs none

    claims: list[Claim] = []
    missing = "no answers of CP were given: --cp-file FILE, or as root --cp"
    if not (args.cp or args.cp_file or tree):
        return claims_frame(claims, time.monotonic_ns(), missing)
    from zmon.cp.claim_sources import claims_of_capture, claims_of_files  # noqa: PLC0415 - most look-ups need no CP

    user = args.cp_user or guest
    if args.cp:
        from zmon.cp.claim_sources import ask_claims  # noqa: PLC0415 - CP is asked only when a person wants it
        from zmon.cp.vmcp import Cp  # noqa: PLC0415 - likewise

        live = ask_claims(Cp())
        if live.missing is not None:
            missing = live.missing.reason
            complain(missing)
        claims += claims_in(live)
    if tree is not None:
        claims += claims_in(claims_of_capture(tree, user, args.cp_member))
    if args.cp_file:
        found = claims_of_files(args.cp_file, user, args.cp_member)
        claims += found.claims
        for line in remarks(found):
            complain(line)
        if not found.claims:
            missing = f"{', '.join(args.cp_file)}: nothing about volumes in it"
    return claims_frame(claims, time.monotonic_ns(), missing)


def hearing(args: argparse.Namespace) -> Callable[[str], UserClaims] | None:
    """Return who tells, to whom names this guest, what the files say of volumes; None where there are none.

    They are read now, and understood when it is asked for.

    Raises:
        OSError: a file cannot be read.
    """
    if not args.cp_file:
        return None
    from zmon.cp.claim_sources import claims_of_texts, origin_of, read_file  # noqa: PLC0415 - most look-ups need no CP
    from zmon.topology.machine import UserClaims  # noqa: PLC0415 - likewise

    texts = [(origin_of(path), read_file(path)) for path in dict.fromkeys(args.cp_file)]

    def hear(guest: str) -> UserClaims:
        found = claims_of_texts(texts, args.cp_user or guest, args.cp_member)
        return UserClaims(found.claims, tuple(remarks(found)))

    return hear


def remarks(found: FileClaims) -> list[str]:
    """Return what a person should know of files that were read: what is not understood, what contradicts."""
    lines = []
    for report in found.reports:
        if report.unknown or not report.counts:
            lines.append(
                f"{report.origin}: {report.content}; lines not understood: {report.unknown:,}{_which(report)}"
            )
        lines += report.notes
    return lines + found.conflicts


def _which(report: FileReport) -> str:
    """Return the numbers of the first lines that are not understood, in words."""
    if not report.lines:
        return ""
    more = " ..." if report.unknown > len(report.lines) else ""
    return f" (line{'s' * (report.unknown > 1)} {', '.join(map(str, report.lines))}{more})"
