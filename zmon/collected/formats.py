"""Which texts zmon understands, and what each of them answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.collected import (
    block_texts,
    channel_texts,
    dasd_texts,
    machine_texts,
    mapper_texts,
    mount_texts,
    udev_texts,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText


class TextFormat(NamedTuple):
    """The output of one command, or a copied file."""

    name: str
    """As it is in docs/sources.md."""
    tools: frozenset[str]
    """The first words of its commands; paths of copied files."""
    parse: Callable[[CollectedText, Facts], None]
    answers: str
    """What follows from it, for docs/sources.md."""
    seen: str
    """Where its layout is from."""


FORMATS: Final = (
    TextFormat("lsdasd, with -a, -u, -l or -c", frozenset({"lsdasd", "proc/dasd/devices"}),
               dasd_texts.parse_lsdasd,
               "name, number, size and state of each DASD; with -u or -l its uid: LCU and unit address;"
               " with -l which channel paths are lost, and why",
               "source; no output of a real machine"),
    TextFormat("dasdview -i, -x, -l", frozenset({"dasdview"}), dasd_texts.parse_dasdview,
               "type, cylinders, label", "source"),
    TextFormat("lscss, also --vpm", frozenset({"lscss"}), channel_texts.parse_lscss,
               "subchannels, types, channel paths and masks of each device", "source, real output"),
    TextFormat("lschp", frozenset({"lschp"}), channel_texts.parse_lschp,
               "channel paths: state, type, PCHID", "source, real output"),
    TextFormat("lszfcp -D", frozenset({"lszfcp"}), channel_texts.parse_lszfcp,
               "FCP adapter, port and LUN of SCSI disks, with lsscsi or multipath", "source"),
    TextFormat("lsscsi", frozenset({"lsscsi"}), channel_texts.parse_lsscsi,
               "names of SCSI disks", "real output"),
    TextFormat("lsblk, with -P or -J, and a column MAJ:MIN", frozenset({"lsblk"}), block_texts.parse_lsblk,
               "what lies on what, from partitions to logical volumes", "source, real output"),
    TextFormat("/proc/partitions", frozenset({"proc/partitions"}), block_texts.parse_partitions,
               "names, numbers, sizes", "real output"),
    TextFormat("ls -l of /dev/disk/by-* or /dev/mapper", frozenset({"ls"}), block_texts.parse_links,
               "names by path, id and UUID; adapter, port and LUN of SCSI disks", "real output"),
    TextFormat("dmsetup table, ls, info", frozenset({"dmsetup"}), mapper_texts.parse_dmsetup,
               "bytes of logical volumes on disks, exactly", "source, real output"),
    TextFormat("multipath -ll", frozenset({"multipath", "multipathd"}), mapper_texts.parse_multipath,
               "WWIDs, path groups, states of paths", "real output"),
    TextFormat("pvs, lvs", frozenset({"pvs", "lvs"}), mapper_texts.parse_lvm,
               "which disks are physical volumes; on which of them a logical volume can be, if no"
               " dmsetup table is there", "source, real output"),
    TextFormat("udevadm info -e", frozenset({"udevadm"}), udev_texts.parse_udevadm,
               "nearly all that lsdasd, lscss and lsblk have, labels, serial numbers, starts of partitions",
               "source, real output"),
    TextFormat("btrfs filesystem show", frozenset({"btrfs"}), mount_texts.parse_btrfs,
               "all devices of a btrfs", "real output"),
    TextFormat("/proc/swaps, swapon", frozenset({"swapon", "proc/swaps"}), mount_texts.parse_swaps,
               "active swap", "real output"),
    TextFormat("lscpu", frozenset({"lscpu"}), machine_texts.parse_lscpu,
               "machine type, LPAR or guest of z/VM or KVM", "real output"),
    TextFormat("uname -a", frozenset({"uname"}), machine_texts.parse_uname,
               "host name, kernel", "real output"),
)  # fmt: skip
"""All formats; mounts and answers of CP are read by `mount_texts` and `zmon.cp`."""

MOUNTS: Final = frozenset({"mount", "findmnt", "proc/mounts", "proc/self/mounts"})
"""Commands and files that list mounts."""
