#!/usr/bin/env python3
"""Cut an archive of `sos report` down to a fixture of tests/collected: archive_kept.py ARCHIVE FIXTURE.

What zmon may read stays, and of what it must pass over a sample of each kind: other outputs, links at the
top, logs, settings.  Paths, links, times and contents are those of the archive.
"""

from __future__ import annotations

import re
import sys
import tarfile
from typing import Final

LEFT_OUT: Final = re.compile(
    r"usr/|lib/|sos_reports/sos\.|sos_logs/sos\.log"
    r"|proc/(?:kallsyms|[0-9]{2,}/(?!mountinfo|mounts)|sys/(?!kernel/|vm/)|irq/|fs/(?!ext4/dm-0/)|vmallocinfo|slabinfo|zoneinfo)"
    r"|sys/(?:module/(?!dasd)|kernel/(?!debug/sched)|devices/(?:system|virtual/block/(?:ram|loop[1-9]))|firmware|fs/cgroup)"
    r"|etc/(?:lvm/(?:archive|profile|lvm\.conf)|systemd|sysctl\.d)"
    r"|sos_commands/(?:systemd/(?!timedatectl)|process/(?!ps_aux)|scsi/(?!lsscsi|udevadm_info_-a_(?:lo$|.*\.1$))"
    r"|kernel/(?:modinfo|sysctl|ls_|dmesg_-T)|logs/journalctl_--no-pager$|process/ps_auxf|filesys/dumpe2fs_.*[0-9]$|memory/slabtop|block/udevadm_info_-a_.*[1-9])"
)
"""What is left out, by the beginnings of paths in the archive."""


def main(archive: str, fixture: str) -> None:
    """Write the members that are kept."""
    with tarfile.open(archive) as whole, tarfile.open(fixture, "w:xz", preset=9) as kept:
        for member in whole:
            path = member.name.partition("/")[2]
            if LEFT_OUT.match(path) or f"{path}/" in {"lib/", "usr/"}:
                continue
            kept.addfile(member, whole.extractfile(member) if member.isreg() else None)


if __name__ == "__main__":
    main(*sys.argv[1:3])
