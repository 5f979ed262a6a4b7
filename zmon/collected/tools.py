"""The names of the tools whose outputs people collect, and what these list all of."""

from __future__ import annotations

from typing import Final

from zmon.kinds import ALL_ALIASES, ALL_DASD, ALL_DISKS, ALL_OFFLINE

ALL_SWAP: Final = "all-swap"
"""All swap areas in use."""
ALL_LISTED: Final = frozenset({ALL_ALIASES, ALL_DASD, ALL_DISKS, ALL_OFFLINE, ALL_SWAP})
"""What outputs may list all of."""
TOOLS: Final = frozenset({
    "asmcmd", "blkid", "btrfs", "cat", "chzdev", "cryptsetup", "dasdview", "df", "dmesg", "dmsetup",
    "drbdadm", "fdasd", "fdisk", "findmnt", "hcp", "hostname", "hostnamectl", "journalctl", "kfod", "losetup",
    "ls", "lsblk", "lschp", "lscpu", "lscss", "lsdasd", "lsluns", "lsqeth", "lsscsi", "lstape", "lszdev",
    "lszfcp", "lvdisplay", "lvm", "lvs", "lvscan", "mdadm", "mmlsdisk", "mmlsnsd", "mount", "multipath",
    "multipathd", "parted", "pvdisplay", "pvs", "pvscan", "raw", "sfdisk", "sqlplus", "stratis", "swapon",
    "targetcli", "udevadm", "uname", "vgdisplay", "vgs", "virsh", "vmcp", "ziorep_config",
})  # fmt: skip
"""Commands that are known behind any prompt, whether zmon reads what they print or not."""
LVM_CHANGES: Final = (
    r"(?:lvm +)?(?:pvmove|pvcreate|pvremove|pvchange|vg(?:extend|reduce|create|remove|split|merge|rename)"
    r"|lv(?:create|extend|reduce|resize|remove|convert|rename)|fsadm)"
)
MDADM_CHANGES: Final = (
    r"mdadm(?=.*\s(?:-[CASGafrF]\b|--(?:create|assemble|stop|grow|add|re-add|fail|remove|replace)))"
)
BTRFS_CHANGES: Final = r"(?:btrfs +(?:d[a-z]* +(?:a|d|rem)|rep[a-z]* +s)[a-z]*)"
"""Commands that change what lies on what."""
