"""Outputs of commands as tests give them to the readers: layouts as tools print them, names invented."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.collected.collection import facts_of
from zmon.collected.transcript import form_of, outputs
from zmon.kernel.capture_text import CollectedText

if TYPE_CHECKING:
    from zmon.collected.facts import Facts

LSDASD: Final = """\
Bus-ID    Status    Name      Device  Type         BlkSz  Size      Blocks
================================================================================
0.0.0100  active      dasda     94:0    ECKD         4096   2347MB    601020
0.0.7101  active      dasdb     94:4    ECKD (ESE)   4096   23033MB   5896620
0.0.7102  active(ro)  dasdc     94:8    ECKD         4096   23033MB   5896620
0.0.7103  n/f         dasdd     94:12   ECKD
0.0.71f0  alias                         ECKD
0.0.7200  offline
"""
TWO_UIDS: Final = """\
box1:~ # lsdasd -u
0.0.1a01  dasdp     IBM.75000000AAAA1.1a00.01
0.0.1b02  dasdq     IBM.75000000AAAA1.1b00.02
"""
TWO_PATHS: Final = """\
box1:~ # lsblk
NAME        MAJ:MIN RM  SIZE RO TYPE  MOUNTPOINT
sda           8:0    0   60G  0 disk
`-mpatha    253:0    0   60G  0 mpath /db
sdb           8:16   0   60G  0 disk
`-mpatha    253:0    0   60G  0 mpath /db
"""
FDASD_HEAD: Final = """\

Disk /dev/dasdp:
  cylinders ............: 1113
  tracks per cylinder ..: 15
  blocks per track .....: 12
  bytes per block ......: 4096
  volume label .........: VOL1
  volume serial ........: 0X1A01
  max partitions .......: 3

 ------------------------------- tracks -------------------------------
               Device      start      end   length   Id  System
"""
"""What fdasd -p prints of a disk above its partitions."""
LSDASD_UID: Final = """\
Bus-ID    Name      UID
================================================================================
0.0.0100  dasda       IBM.750000000ABCD1.7000.01
0.0.7101  dasdb       IBM.750000000ABCD1.7100.01.00000000000012340000000000000000
0.0.7102  dasdc       IBM.750000000ABCD1.7200.02
0.0.71f0  alias       IBM.750000000ABCD1.7100.f0
0.0.71f1  alias       IBM.750000000ABCD1.7100.xx
"""
LSDASD_LONG: Final = """\
0.0.7101/dasdb/94:4
  status:				active
  type: 				ECKD
  blksz:				4096
  size: 				23033MB
  blocks:				5896620
  use_diag:				0
  readonly:				0
  hpf:					1
  uid:  				IBM.750000000ABCD1.7100.01
  paths_installed: 			70 71 72 73

0.0.7200
  status:				offline
"""
LSDASD_PATHS: Final = """\
0.0.1a01/dasdp/94:60
  status:				active
  type: 				ECKD
  blksz:				4096
  size: 				7043MB
  blocks:				1803060
  uid:  				IBM.75000000AAAA1.1a00.01
  paths_installed: 			60 61 62 63 64
  paths_in_use: 			60 61
  paths_non_preferred: 			\n  paths_invalid_cabling: 		64
  paths_cuir_quiesced: 			62
  paths_invalid_hpf_characteristics: 	61
  paths_error_threshold_exceeded: 	63

"""
LSDASD_COMPATIBLE: Final = """\
0.0.7101(ECKD) at ( 94:  4) is dasdb  : active at blocksize 4096, 5896620 blocks, 23033 MB
"""
LSCSS: Final = """\
Device   Subchan.  DevType CU Type Use  PIM PAM POM  CHPIDs
----------------------------------------------------------------------
0.0.0900 0.0.001f  1732/01 1731/01 yes  80  80  ff   15000000 00000000
0.0.7101 0.0.021d  3390/0e 3990/e9 yes  f0  f0  ff   19293909 00000000
0.0.7200 0.0.031d  3390/0e 3990/e9      f0  f0  ff   1a2a3a0a 00000000
none     0.0.0325                       f0  f0  ff   1a2a3a0a 00000000
"""
LSCSS_VPM: Final = """\
Device   Subchan.  DevType CU Type Use  PIM PAM POM VPM CHPIDs
------------------------------------------------------------------------
0.0.7101 0.0.021d  3390/0e 3990/e9 yes  f0  f0  ff  e0  19293909 00000000
"""
LSCHP: Final = """\
CHPID  Vary  Cfg.  Type  Cmg  Shared   PCHID
============================================
0.30   1     1     1b    2    1        0390
0.34   1     0     1b    -    -        0580
0.fe   0     1     24    3    1       (0704)
"""
LSBLK: Final = """\
NAME              MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT
dasda              94:0    0  2.3G  0 disk\x20
├─dasda1           94:1    0    1G  0 part /boot
└─dasda2           94:2    0  1.3G  0 part /
dasdb              94:4    0 22.5G  0 disk\x20
└─dasdb1           94:5    0 22.5G  0 part\x20
  └─db2vg-data    253:0    0   45G  0 lvm  /db2/d01
dasdc              94:8    0 22.5G  0 disk\x20
└─dasdc1           94:9    0 22.5G  0 part\x20
  ├─db2vg-data    253:0    0   45G  0 lvm  /db2/d01
  └─db2vg-swap    253:1    0    1G  0 lvm  [SWAP]
sda                 8:0    0   10G  0 disk\x20
└─mpatha          253:2    0   10G  0 mpath\x20
  └─mpatha1       253:3    0   10G  0 part  /fcp
"""
DMSETUP_TABLE: Final = """\
db2vg-data: 0 47163392 linear 94:5 2048
db2vg-data: 47163392 47163392 linear 94:9 2048
db2vg-swap: 0 2097152 linear 94:9 47165440
"""
MULTIPATH: Final = """\
mpatha (36005076309ffc5630000000000000200) dm-2 IBM,2107900
size=10G features='1 queue_if_no_path' hwhandler='1 alua' wp=rw
|-+- policy='service-time 0' prio=50 status=active
| |- 0:0:0:1 sda 8:0   active ready running
| `- 1:0:0:1 sdb 8:16  failed faulty offline
`-+- policy='service-time 0' prio=10 status=enabled
  `- 1:0:1:1 sdc 8:32  active undef running
"""


def text(content: str, command: str = "", file: str = "") -> CollectedText:
    """Return the output of a command as it stands in a text."""
    form = form_of(command or file)
    return CollectedText("all.txt", 1, command, file, content, 7, form=form.name if form else "")


def facts_in(content: str, command: str = "", file: str = "") -> Facts:
    """Return what is found in an output; without a command in what it is cut into."""
    cut = [text(content, command, file)] if command or file else [*outputs("all.txt", content.encode(), 7)]
    return facts_of(cut)[0]


def row(facts: Facts, kind: str, key: str) -> dict[str, object]:
    """Return the first values of a row."""
    return {name: found[0].value for name, found in facts.rows[kind][key].items() if found}


REMOVED_PATHS = """\
mpathk (36005076300ffffff0000000000001c01) dm-3 IBM,2107900
size=20G features='0' hwhandler='1 alua' wp=rw
`-+- policy='service-time 0' prio=50 status=active
  |- 0:0:0:7 sdk 8:160 active ready running
  `- #:#:#:# -   8:176 failed undef unknown
mpathl (36005076300ffffff0000000000001c02) dm-4 ##,##
size=20G features='0' hwhandler='1 alua' wp=rw
`-+- policy='service-time 0' prio=0 status=enabled
  |- #:#:#:# -   8:192 failed undef unknown
  `- #:#:#:# -   8:208 failed undef unknown
"""
"""What `multipath -ll` prints of paths whose disks were removed."""
