"""Which texts zmon understands, and what each of them answers."""

from __future__ import annotations

from typing import Final

from zmon.collected.array_texts import Mdadm, Mdstat
from zmon.collected.asm_texts import AsmDisks, AsmQuery
from zmon.collected.block_texts import DiskStats, Links, Lsblk, Partitions
from zmon.collected.btrfs_texts import BtrfsShow
from zmon.collected.channel_texts import Lschp, Lscss
from zmon.collected.crypt_texts import Cryptsetup
from zmon.collected.dasd_texts import Dasdview, Lsdasd
from zmon.collected.fcp_texts import Lsluns, Lsscsi, Lszfcp
from zmon.collected.file_texts import MANY_FILES, Files
from zmon.collected.kernel_log_texts import KernelLog
from zmon.collected.lent_texts import Borrowers, Drbd
from zmon.collected.loop_texts import Losetup
from zmon.collected.lvm_display_texts import LvmDisplay
from zmon.collected.lvm_texts import Lvm
from zmon.collected.machine_texts import Hostname, Lscpu, Uname
from zmon.collected.mapper_texts import Bindings, Dmsetup, Multipath
from zmon.collected.mount_texts import FROM_TABLE, Df, Findmnt, MountCommand, MountInfo, ProcMounts
from zmon.collected.nsd_texts import Mmlsdisk, Mmlsnsd
from zmon.collected.partition_texts import Fdasd, Fdisk, Parted
from zmon.collected.pool_texts import ZfsList, ZpoolStatus
from zmon.collected.probert_texts import Probert
from zmon.collected.reading import Form
from zmon.collected.rear_texts import DiskLayout
from zmon.collected.signature_texts import Blkid
from zmon.collected.stratis_texts import Stratis
from zmon.collected.swap_texts import Swaps
from zmon.collected.udev_texts import Udevadm
from zmon.collected.virsh_texts import Processes, Virsh
from zmon.collected.zdev_texts import Lsqeth, Lstape, Lszdev
from zmon.collected.ziorep_texts import Ziorep

FORMS: Final = (
    Form("lsdasd, with any of its options", r"lsdasd\b|proc/dasd/devices", Lsdasd,
         "name, number, size and state of each DASD; with -u or -l its uid: LCU and unit address;"
         " with -l which channel paths are lost, and why", "source, real output"),
    Form("dasdview -i, -x, -l", r"dasdview\b", Dasdview,
         "type, cylinders, label; of configuration data the uid and the LSS", "source, real output"),
    Form("lscss, also --vpm", r"lscss\b", Lscss,
         "subchannels, types, channel paths and masks of each device", "source, real output"),
    Form("lschp", r"lschp\b", Lschp, "channel paths: state, type, PCHID", "source, real output"),
    Form("lszfcp, with -H, -P, -D, -e, -a, -V", r"lszfcp\b", Lszfcp,
         "FCP adapters, ports and LUNs; with -e which of them have failed; with -a all that the kernel's"
         " files have; port and LUN of SCSI disks, with lsscsi or multipath their names", "source"),
    Form("lsscsi", r"lsscsi\b", Lsscsi, "names of SCSI disks, with -l their states", "real output"),
    Form("lszdev, with any columns, and -i", r"lszdev\b(?!.* --base)|chzdev\b.*\s--export\b", Lszdev,
         "which devices are on line; bus ids of DASDs, ports and LUNs of SCSI disks", "source, real output"),
    Form("lsluns, lsluns -a", r"lsluns\b", Lsluns, "FCP adapters, ports and LUNs that have failed",
         "source"),
    Form("ziorep_config -A, -D -t, -M -t", r"ziorep_config\b", Ziorep,
         "FCP adapters; port and LUN of SCSI disks, and which multipath joins", "source"),
    Form("lsqeth, lsqeth -p", r"lsqeth\b", Lsqeth, "devices of network cards", "source"),
    Form("lstape, lstape -V", r"lstape\b", Lstape, "tape devices and their types", "source"),
    Form("losetup -a, losetup -l", r"losetup\b", Losetup,
         "files of loop devices, and so the disks below them", "source, real output"),
    Form("lsblk, in any form and with any columns", r"lsblk\b", Lsblk,
         "what lies on what, from partitions to logical volumes, and what is mounted", "source, real output"),
    Form("/proc/partitions", r"proc/partitions", Partitions, "names, numbers, sizes", "real output"),
    Form("/proc/diskstats", r"proc/diskstats", DiskStats, "names, numbers", "source, real output"),
    Form("ls -l of /dev/disk/by-*, /dev/mapper or other links in /dev",
         r"ls\b.*/dev/(?:disk|mapper)\b.*|ls (?:-\w+ )*-\w*[Rl]\w* (?:-\w+ )*/dev(?:/\S*)?(?:\s.*)?", Links,
         "names by path, id, UUID and of rules; adapter, port and LUN of SCSI disks", "real output"),
    Form("dmsetup table, status, ls, ls --tree, deps, info", r"dmsetup (?:table|status|ls|deps|info)\b.*",
         Dmsetup, "bytes of logical volumes on disks, exactly; without tables their disks; states of paths",
         "source, real output"),
    Form("cryptsetup status", r"cryptsetup status\b.*", Cryptsetup, "disks of encrypted devices", "source"),
    Form("multipath -ll",
         r"multipath\b(?! -t)|multipathd (?:-k)?['\"]?(?:s[how]*|l[ist]*) (?:t|m|p)[a-z]*\b.*",
         Multipath, "WWIDs, path groups, states of paths", "source, real output"),
    Form("/etc/multipath/bindings, wwids", r"(?:etc|var/lib)/multipath/(?:bindings|wwids)", Bindings,
         "names of multipath devices by their WWIDs", "source"),
    Form("mdadm --detail, --examine, --scan", r"mdadm\b", Mdadm,
         "devices of arrays, also those that do not work; with --examine of all where their data begin",
         "source"),
    Form("/proc/mdstat", r"proc/mdstat", Mdstat, "devices of arrays, and how many of them work", "source"),
    Form("pvs, vgs, lvs", r"(?:lvm )?(?:(?:pvs|vgs|lvs)\b|(?:pv|vg|lv)display (?:-C|--columns)\b).*", Lvm,
         "which disks are physical volumes; on which of them a logical volume can be, if no"
         " dmsetup table is there", "source, real output"),
    Form("pvdisplay, vgdisplay -v, lvdisplay -m, pvscan, lvscan",
         r"(?:lvm )?(?:(?:pv|vg|lv)display|(?:pv|vg|lv)scan)\b.*", LvmDisplay,
         "the same, and the devices of each segment", "source, real output"),
    Form("udevadm info -e", r"udevadm info\b.*", Udevadm,
         "nearly all that lsdasd, lscss and lsblk have, labels, serial numbers, starts of partitions",
         "source, real output"),
    Form("probert, in JSON", r"probert\b", Probert,
         "what lies on what, labels, serial numbers, and what is mounted", "real output"),
    Form("blkid, as lines, with -o list, export or json", r"blkid\b|oracleasm querydisk\b", Blkid,
         "what is on devices; names by UUID and label; the devices of a btrfs; with -p starts of partitions",
         "source, real output"),
    Form("mmlsnsd -m, -X", r"mmlsnsd\b", Mmlsnsd, "which devices of this host are NSDs of GPFS",
         "real output"),
    Form("mmlsdisk", r"mmlsdisk\b", Mmlsdisk,
         "which file system is a GPFS, where df does not print that; states of NSDs", "source"),
    Form("asmcmd lsdsk, afd_lsdsk, kfod", r"asmcmd\b.*\b(?:afd_)?lsdsk\b|kfod\b", AsmDisks,
         "which devices are disks of ASM", "real output"),
    Form("v$asm_disk in SQL*Plus", r"sqlplus\b", AsmQuery,
         "which devices are disks of ASM, and which of them are offline or missing", "real output"),
    Form("raw -qa, targetcli ls", r"raw (?:-\S+ )*-\S*q|targetcli\b.*\bls\b", Borrowers,
         "which devices are raw ones, or exported to other hosts", "source"),
    Form("/etc/drbd.d, drbdadm dump", r"etc/drbd\.(?:d/\S+|conf)|drbdadm dump\b", Drbd,
         "disks of devices of DRBD", "source"),
    Form("virsh domblklist, dumpxml", r"virsh (?:-\S+ )*(?:domblklist|dumpxml)\b", Virsh,
         "which devices and files are disks of KVM guests of this host", "source"),
    Form("ps, of QEMU", r"ps\b|pgrep -\w*a", Processes, "devices and files that are disks of KVM guests",
         "source"),
    Form("btrfs filesystem show, usage, device usage",
         r"btrfs (?:f[a-z]* [su]|d[a-z]* u)[a-z]*\b.*", BtrfsShow, "all devices of a btrfs",
         "source, real output"),
    Form("zpool status", r"zpool status\b.*", ZpoolStatus,
         "which devices are in pools of ZFS, which are missing or do not work", "source"),
    Form("stratis blockdev, pool, filesystem list", r"stratis (?:-\S+ )*(?:blockdev|pool|fs|filesystem)\b",
         Stratis, "which devices are in pools of Stratis, and its file systems", "source"),
    Form("zfs list", r"zfs list\b", ZfsList, "what is mounted from pools of ZFS", "source"),
    Form("fdasd -p, -i", r"fdasd\b", Fdasd,
         "cylinders and label of a DASD, where its partitions begin", "source, real output"),
    Form("fdisk -l, sfdisk -l, -d, -J", r"s?fdisk\b", Fdisk,
         "sizes of disks, where their partitions begin", "source, real output"),
    Form("parted -l, print", r"parted\b", Parted,
         "partitions; where they begin if it was asked for sectors or bytes", "real output"),
    Form("files of /sys and /proc by their paths, as of grep, head and tail", MANY_FILES, Files,
         "attributes of devices that are named, and what files of /proc have as above", "source"),
    Form("/proc/swaps, swapon", r"swapon\b|proc/swaps", Swaps, "active swap", "real output"),
    Form("/proc/self/mountinfo", r"proc/(?:self|1)/mountinfo", MountInfo, "which file system a path is on",
         "kernel's source"),
    Form("/proc/mounts", r"proc/(?:self/|1/)?mounts|etc/mtab", ProcMounts, "which file system a path is on",
         "real output"),
    Form("mount", r"mount(?: -[lv]+| (?:-t|--types)[ =]\S+)*(?=\s*(?:$|[|>2]))", MountCommand,
         "which file system a path is on", "source, real output"),
    Form("findmnt, in any form", rf"findmnt\b(?!.* {FROM_TABLE})", Findmnt, "which file system a path is on",
         "source, real output"),
    Form("df", r"df\b", Df, "which file system a path is on, without its type", "source, real output"),
    Form("dmesg, journalctl -k",
         r"(?:dmesg|journalctl)\b.*|var/log/(?:messages|syslog|dmesg|boot\.msg|kern\.log)", KernelLog,
         "cylinders, size and label of DASDs when they were set on line; what any other text has goes first",
         "real output"),
    Form("disklayout.conf of ReaR", r"(?:cat )?(?:\S*/)?disklayout\.conf", DiskLayout,
         "what lies on what, and was mounted, when ReaR saved it; what any other text has goes first",
         "source"),
    Form("lscpu", r"lscpu\b", Lscpu, "machine type, LPAR or guest of z/VM or KVM", "real output"),
    Form("uname -a", r"uname\b", Uname, "host name, kernel", "real output"),
    Form("hostname", r"hostname|etc/hostname", Hostname, "host name", "real output"),
)  # fmt: skip
"""All forms; answers of CP are read by `zmon.cp`."""
