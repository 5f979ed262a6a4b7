#!/usr/bin/env python3
"""Pack what `texts.sh` or `texts-kvm.sh` left into a fixture of tests/collected: texts_kept.py OUT FIXTURE.

The archive has for each stage `STAGE/commands`, `STAGE/texts/FILE` and below `STAGE/tree` the kernel files of
the same moment, as far as they tell what is built on what.  Outputs that say nothing of disks are left out.
"""

from __future__ import annotations

import io
import re
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

UNKEPT: Final = re.compile(
    r"ps |lsmod|lspci|ip |vmstat|iostat|free|uptime|dmesg -T|vgcfgbackup|lvmconfig|mdadm (-V|--examine /dev)"
    r"|multipath (-t|-d|-v3)|multipathd show config|dmsetup (targets|version)|dasdview -[cj]"
    r"|cat (/etc/os-release|/proc/(crypto|interrupts|stat|filesystems|devices|meminfo|uptime))"
    r"|udevadm info /dev|lsblk -O$"
)
"""Beginnings of command lines that are left out."""
KEPT: Final = re.compile(
    r"CAPTURE\.txt|ioctl/|syscall/|multipathd/|run/udev/|etc/|sys/(block|dev|bus/ccw|firmware)/"
    r"|sys/class/(block|fc_|scsi_|nvme)|sys/devices/(?!system/)"
    r"|proc/(self|[0-9]+$|[0-9]+/(mountinfo|ns)|dasd/|sys/|swaps|partitions|mounts|sysinfo|version|cmdline|devices|uptime)"
)
"""Beginnings of the paths of kernel files that are kept."""


def members(out: Path) -> Iterator[tuple[tarfile.TarInfo, bytes]]:
    """Yield what is kept of each stage, in an order that stays."""
    for capture in sorted(out.glob("*/capture.tar.gz")):
        stage, commands = capture.parent.name, capture.parent / "commands"
        kept = []
        for row in commands.read_text().splitlines() if commands.exists() else ():
            _status, file, line = row.split("\t", 2)
            printed = commands.parent / "texts" / file
            if printed.exists() and printed.stat().st_size and not UNKEPT.match(line):
                kept.append(row)
                yield _file(f"{stage}/texts/{file}", printed.read_bytes())
        if kept:
            yield _file(f"{stage}/commands", "".join(f"{row}\n" for row in kept).encode())
        yield from _of_tree(stage, capture)


def _of_tree(stage: str, capture: Path) -> Iterator[tuple[tarfile.TarInfo, bytes]]:
    with tarfile.open(capture) as tar:
        for member in tar:
            path = member.name.partition("/")[2]
            if not KEPT.match(path):
                continue
            file = tar.extractfile(member) if member.isreg() else None
            member.name = f"{stage}/tree/{path}"
            member.pax_headers = {}
            member.mtime = int(member.mtime)
            yield member, file.read() if file else b""


def _file(name: str, content: bytes) -> tuple[tarfile.TarInfo, bytes]:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    return entry, content


def main(out: Path, fixture: Path) -> None:
    """Write the archive."""
    fixture.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fixture, "w:xz", preset=9) as tar:
        for entry, content in members(out):
            tar.addfile(entry, io.BytesIO(content))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
