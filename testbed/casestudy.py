#!/usr/bin/env python3
"""Make `recordings/casestudy/`: a z/VM guest whose data lie on four of eight control units, most on one.

    testbed/casestudy.py

Nothing of it is measured.  The machine is invented after a case study of 2003 (DB2 on a zSeries, an ESS with
eight logical control units of 40 MB/s); its kernel files are written in the forms that kernels of today print
so that zmon reads them as it reads any capture.  Four streams read the four big tablespaces from end to end
and get what the saturated control unit leaves them.
"""

from __future__ import annotations

import gzip
import io
import json
import sys
import tarfile
from pathlib import Path
from typing import Final, NamedTuple

from docs.whole import write_whole
from zmon.lab.counters import disk_name

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / "recordings" / "casestudy"

SYSTEM: Final = "0100 LNXSYS 7021"
"""The volume of the root file system: vdev, label, rdev."""
DATA: Final = """\
043A HWZJZH 767E
0B54 YN9QKU 7249
0F41 RVWAPE 75D8
0FB9 JTBB73 75D3
10A0 FC6CJV 763E
1263 S3SCQU 72AD
1533 UB9JP5 7610
1790 TVKP7H 7273
1A9D 36GQMG 765D
1AEF XBZWT8 7555
1AF8 7DR2GA 76AC
24DF 8L9WTU 729A
27C0 7REHLC 7267
2911 9QXTU6 7618
2C4D PTMGX3 723E
2F03 FST86N 71B0
30DA 347BRP 7672
3373 X5GE25 765F
3493 PUNCFK 7112
355B GJUZH4 7611
37B8 H35Y7E 76B0
37CE 9XPNTH 7661
38F3 CGNXF3 76D8
3956 TWD9XU 713A
3A03 53QJTW 7622
3AD7 5J6RZH 712B
3B5D 3QRBDY 7266
3B6C MWU8LF 72BA
"""
"""Vdev, label and rdev of each volume of the data base; labels and vdevs follow no order."""
CMS: Final = (
    "0190 VMRES1 R/O 107 7010",
    "0191 VMUSR1 R/W 5 7011",
    "019D VMRES1 R/O 146 7010",
    "019E VMRES1 R/O 250 7010",
)
"""What every guest of this site has besides."""

CYLINDERS: Final = 3338
"""A 3390-3 without its first cylinder: minidisks from cylinder 1 to the end."""
TRACK: Final = 12 * 4096
DISK: Final = CYLINDERS * 15 * TRACK
PAGE: Final = 4096
GROUP: Final = 32768
"""Blocks of a group of ext3."""
TAKEN: Final = 516
"""Of these the first, which ext3 itself needs."""
PIECE: Final = 128 << 10
"""What one read of a table scan asks for."""
SERIAL: Final = "750000000F2001"
BEGIN: Final = 1_773_626_400
"""2026-03-16 02:00 UTC."""
STEP: Final = 30
MB: Final = 1_000_000
PATHS: Final = {0: "40 41 42 43 44 45", 1: "48 49 4a 4b 4c 4d"}
"""The channel paths to even and to odd control units."""

TABLESPACES: Final[dict[str, tuple[dict[int, int], int]]] = {
    "TSFACT1": ({6: 4, 2: 1}, 1),
    "TSFACT2": ({6: 4}, 2),
    "TSFACT3": ({6: 4, 1: 1, 5: 1}, 3),
    "TSFACT4": ({2: 4, 6: 1}, 4),
    "TSDIM": ({2: 2}, 0),
    "TSINDEX": ({2: 1, 1: 1}, 0),
    "TEMPSPACE1": ({1: 2, 5: 1}, 0),
    "TSSTAGE": ({5: 1}, 0),
}
"""On how many volumes of which control unit a tablespace lies, and which of the four queries reads it."""
PAGES: Final = {
    "TSFACT1": {6: 498_750, 2: 105_000},
    "TSFACT2": {6: 500_000},
    "TSFACT3": {6: 400_000, 1: 200_000, 5: 200_000},
    "TSFACT4": {2: 450_000, 6: 200_000},
    "TSDIM": {2: 60_000},
    "TSINDEX": {2: 80_000, 1: 80_000},
    "TSSTAGE": {5: 50_000},
}
"""Pages of 4 KiB of each of its files, by control unit."""
STREAMS: Final = (
    {1: 36.0},
    {1: 20.5, 2: 20.5},
    {1: 14.53, 2: 14.53, 3: 14.53},
    {1: 14.03, 2: 14.03, 3: 14.03, 4: 14.03},
)
"""MB/s of each query in the four intervals: what LCU 6 with its 40 MB/s leaves them."""
ANSWERS: Final = ({6: 12, 2: 11}, {6: 26, 2: 11}, {6: 44, 2: 11}, {6: 60, 2: 17})
"""Milliseconds of a read by control unit in the same; 11 where none is said."""


class Volume(NamedTuple):
    """One minidisk, and what of the data base is on it."""

    vdev: str
    label: str
    rdev: str
    mount: str
    tablespace: str
    pages: int
    query: int

    @property
    def lcu(self) -> int:
        """Its control unit, which at this site is the second digit of the real device number."""
        return int(self.rdev[1])


def volumes() -> list[Volume]:
    """Return the volumes of the data base by vdev, each given to a tablespace that still needs one there."""
    needed = [
        (name, lcu, query)
        for name, (counts, query) in TABLESPACES.items()
        for lcu, n in counts.items()
        for _ in range(n)
    ]
    found = []
    for place, line in enumerate(DATA.splitlines(), 1):
        vdev, label, rdev = line.split()
        name, lcu, query = next(one for one in needed if one[1] == int(rdev[1]))
        needed.remove((name, lcu, query))
        pages = PAGES.get(name, {}).get(lcu, 0)
        found.append(Volume(vdev, label, rdev, f"/db2/d{place:02}", name, pages, query))
    return found


# --- what people bring --------------------------------------------------------------------------------------


def ddl(disks: list[Volume]) -> str:
    """Return the tablespaces as db2look of version 7 prints them: no blank between a path and its pages."""
    lines = [
        "-- This CLP file was created using DB2LOOK Version 7.1",
        "-- Database Name: DWPROD         ",
        "",
        "CONNECT TO DWPROD;",
        "",
        "------------------------------------",
        "-- DDL Statements for TABLESPACES --",
        "------------------------------------",
        "",
    ]
    for name in TABLESPACES:
        own = [disk for disk in disks if disk.tablespace == name]
        if name == "TEMPSPACE1":
            using = ",\n\t\t".join(f"'{disk.mount}/temp'" for disk in own)
            lines += [
                f"CREATE SYSTEM TEMPORARY TABLESPACE {name} IN NODEGROUP IBMTEMPGROUP",
                f"\t PAGESIZE {PAGE} MANAGED BY SYSTEM ",
                f"\t USING ({using}) ",
                "\t EXTENTSIZE 32",
                "",
            ]
        else:
            using = ",\n\t\t".join(f"FILE '{disk.mount}/{name.lower()}.data'{disk.pages}" for disk in own)
            lines += [
                f"CREATE REGULAR TABLESPACE {name} IN NODEGROUP IBMDEFAULTGROUP",
                f"\t PAGESIZE {PAGE} MANAGED BY DATABASE ",
                f"\t USING ({using}) ",
                "\t EXTENTSIZE 32",
            ]
        lines += [
            "\t PREFETCHSIZE 128",
            "\t BUFFERPOOL IBMDEFAULTBP",
            "\t OVERHEAD 24.100000",
            "\t TRANSFERRATE 0.900000;",
            "",
        ]
    return "\n".join([*lines, "COMMIT WORK;", "", "CONNECT RESET;", ""])


def answers(disks: list[Volume]) -> str:
    """Return what QUERY VIRTUAL DASD prints."""
    vdev, label, rdev = SYSTEM.split()
    rows = [(vdev, label, "R/W", CYLINDERS, rdev)]
    rows += [(v, name, mode, int(size), real) for v, name, mode, size, real in map(str.split, CMS)]
    rows += [(disk.vdev, disk.label, "R/W", CYLINDERS, disk.rdev) for disk in disks]
    lines = [
        f"DASD {v} 3390 {name:<6} {mode} {size:>10} CYL ON DASD {real:>5} SUBCHANNEL = {place:04X}"
        for place, (v, name, mode, size, real) in enumerate(rows)
    ]
    return "\n".join(["q v dasd", *lines, ""])


def directory(disks: list[Volume]) -> str:
    """Return the guest's entry in the user directory, which knows labels and no device numbers."""
    vdev, label, _rdev = SYSTEM.split()
    own = [f"   MDISK {disk.vdev} 3390 0001 END {disk.label} MR" for disk in disks]
    return "\n".join(
        [
            "USER LINDB01 XXXXXXXX 4G 8G G",
            "   IPL 0100",
            "   MACHINE ESA 4",
            f"   MDISK {vdev} 3390 0001 END {label} MR",
            "* --- data base, cylinders 1-END ---",
            *own,
            "   LINK MAINT 0190 0190 RR",
            "   LINK MAINT 019E 019E RR",
            "",
        ]
    )


def real(disks: list[Volume]) -> str:
    """Return what QUERY DASD prints on a user id of class B: labels with real device numbers."""
    _vdev, label, rdev = SYSTEM.split()
    rows = sorted(
        [(rdev, label), ("7010", "VMRES1"), ("7011", "VMUSR1"), *((disk.rdev, disk.label) for disk in disks)]
    )
    return "\n".join(
        ["query dasd", *(f"DASD {number} CP SYSTEM {name:<6}   1 " for number, name in rows), ""]
    )


SITE: Final = """\
# What only the people of this site know: device number 7nXX is on logical control unit n.
[[lcu_by_number]]
serial = "*"
pattern = "7nXX"

[capacity]
lcu = 40            # MB/s of one logical control unit
"""


# --- where the files lie ------------------------------------------------------------------------------------


def placed(disks: list[Volume]) -> str:
    """Return what `zmon capture --containers tablespaces.ddl` finds: each file, and where its bytes lie.

    ext3 has its own blocks at the begin of each group; a tablespace of directories has a tag in each.
    """
    lines = ddl(disks).splitlines()
    rows = []
    for place, disk in enumerate(disks, 1):
        temporary = not disk.pages
        named = f"{disk.mount}/temp" if temporary else f"{disk.mount}/{disk.tablespace.lower()}.data"
        path = f"{named}/SQLTAG.NAM" if temporary else named
        listed = next(number for number, line in enumerate(lines, 1) if f"'{named}'" in line)
        size = 512 if temporary else disk.pages * PAGE
        ranges, left, group = [], -(-size // PAGE), 0
        while left:
            begin, blocks = group * GROUP + TAKEN, min(left, GROUP - TAKEN)
            ranges.append(f"{begin * PAGE:x}+{blocks * PAGE:x}")
            left, group = left - blocks, group + 1
        row = {
            "path": path,
            "database": "DWPROD",
            "tablespace": disk.tablespace,
            "role": "temp" if temporary else "data",
            "listed": f"tablespaces.ddl:{listed}",
            "declared": {"absent": "the listing does not say its size"} if temporary else size,
            "real": path,
            "number": f"94:{place * 4 + 1}",
            "mount": str(30 + place),
            "ranges": " ".join(ranges),
            "said": f"FS_IOC_FIEMAP: {len(ranges)} extents",
            "size": size,
            "unplaced": 0,
            "unwritten": 0,
            "shared": 0,
            "encoded": 0,
        }
        rows.append(json.dumps(row))
    return "".join(f"{row}\n" for row in rows)


# --- what the kernel shows ----------------------------------------------------------------------------------


def machine(disks: list[Volume], *, uids: bool) -> list[dict[str, bytes | str]]:
    """Return the passes: paths with contents, or with the text of a link."""
    vdev, label, rdev = SYSTEM.split()
    everything = [Volume(vdev, label, rdev, "/", "", 0, 0), *disks]
    still: dict[str, bytes | str] = {
        "proc/sysinfo": SYSINFO.encode(),
        "proc/version": b"Linux version 6.1.0-31-s390x (invented) #1 SMP\n",
        "proc/sys/kernel/hostname": b"lindb01\n",
        "proc/sys/kernel/osrelease": b"6.1.0-31-s390x\n",
        "proc/sys/kernel/arch": b"s390x\n",
        "proc/sys/kernel/random/boot_id": b"c0ffee00-2003-4000-8000-000000000001\n",
        "sys/devices/css0/cm_enable": b"0\n",
    }
    mounts = ["21 1 0:20 / /sys rw - sysfs sysfs rw", "22 1 0:21 / /proc rw - proc proc rw"]
    listed = []
    for place, disk in enumerate(everything):
        name, number, bus = disk_name(place), place * 4, f"0.0.{disk.vdev.lower()}"
        channel = f"sys/devices/css0/0.0.{place:04x}"
        device = f"{channel}/{bus}"
        block = f"{device}/block/{name}"
        paths = f"{PATHS[disk.lcu % 2]} 00 00 \n"
        uid = (
            f"IBM.{SERIAL}.{disk.rdev[:2]}00.{disk.rdev[2:].lower()}.{1:08x}{CYLINDERS:08x}{0:016x}\n"
            if uids
            else "\n"
        )
        still |= {
            f"{channel}/type": b"0\n",
            f"{channel}/chpids": paths.encode(),
            f"{channel}/pimpampom": b"fc fc ff\n",
            f"{channel}/vpm": b"fc\n",
            f"{channel}/driver": "../../../bus/css/drivers/io_subchannel",
            f"{device}/driver": "../../../../bus/ccw/drivers/dasd-eckd",
            f"{device}/devtype": b"3390/0a\n",
            f"{device}/cutype": b"2105/e8\n",
            f"{device}/online": b"1\n",
            f"{device}/availability": b"good\n",
            f"{device}/cmb_enable": b"0\n",
            f"{device}/status": b"online\n",
            f"{device}/discipline": b"ECKD\n",
            f"{device}/alias": b"0\n",
            f"{device}/readonly": b"0\n",
            f"{device}/use_diag": b"0\n",
            f"{device}/hpf": b"0\n",
            f"{device}/ese": b"0\n",
            f"{device}/vendor": b"IBM\n" if uids else b"\n",
            f"{device}/uid": uid.encode(),
            f"{device}/path_masks": b"fc 00 00 00 00 00\n",
            f"sys/bus/ccw/devices/{bus}": f"../../../devices/css0/0.0.{place:04x}/{bus}",
            f"sys/block/{name}": f"../devices/css0/0.0.{place:04x}/{bus}/block/{name}",
            f"{block}/device": f"../../../{bus}",
            f"{block}/dev": f"94:{number}\n".encode(),
            f"{block}/size": f"{DISK // 512}\n".encode(),
            f"{block}/ro": b"0\n",
            f"{block}/queue/logical_block_size": b"4096\n",
            f"{block}/queue/nr_requests": b"64\n",
            f"{block}/{name}1/dev": f"94:{number + 1}\n".encode(),
            f"{block}/{name}1/partition": b"1\n",
            f"{block}/{name}1/start": b"192\n",
            f"{block}/{name}1/size": f"{DISK // 512 - 192}\n".encode(),
            f"run/udev/data/b94:{number}": f"E:ID_SERIAL=0X{disk.vdev}\nE:ID_TYPE=disk\n".encode(),
        }
        mounts.append(f"{30 + place} 1 94:{number + 1} / {disk.mount} rw,relatime - ext3 /dev/{name}1 rw")
        size = f"active at blocksize: 4096, {DISK // 4096} blocks, {DISK >> 20} MB"
        listed.append(f"{bus}(ECKD) at ( 94:{number:6}) is {name:<8}    : {size}")
    still |= {
        "ioctl/containers.json": placed(disks).encode(),
        "proc/self/mountinfo": "".join(f"{line}\n" for line in mounts).encode(),
        "proc/dasd/devices": "".join(f"{line}\n" for line in listed).encode(),
    }
    passes = []
    reads = [0.0] * len(everything)
    waits = [0.0] * len(everything)
    total = {query: sum(disk.pages for disk in disks if disk.query == query) for query in range(5)}
    for number in range(len(STREAMS) + 1):
        if number:
            for place, disk in enumerate(everything):
                rate = (
                    STREAMS[number - 1].get(disk.query, 0.0) * disk.pages / total[disk.query]
                    if disk.query
                    else 0.0
                )
                count = rate * MB * STEP / PIECE
                reads[place] += count
                waits[place] += count * ANSWERS[number - 1].get(disk.lcu, 11)
        passes.append(still | moving(number, reads, waits))
    return passes


def moving(number: int, reads: list[float], waits: list[float]) -> dict[str, bytes | str]:
    """Return the files that differ from pass to pass."""
    up, busy = 400_000 + number * STEP, number * STEP * 100 * 0.55
    lines = []
    for place, (count, wait) in enumerate(zip(reads, waits, strict=True)):
        done, ms, name = 9_000 + int(count), 90_000 + int(wait), disk_name(place)
        row = (done, 0, done * PIECE // 512, ms, 40, 0, 320, 400, 0, ms, ms)
        lines += [
            f"  94 {place * 4:7} {name} {' '.join(map(str, row))}\n",
            f"  94 {place * 4 + 1:7} {name}1 {' '.join(map(str, row))}\n",
        ]
    cpu = f"{int(busy)} 0 {int(busy / 5)} {int(number * STEP * 100 - busy)} 0 0 0 0 0 0"
    return {
        "proc/diskstats": "".join(lines).encode(),
        "proc/uptime": f"{up}.00 {up * 2}.00\n".encode(),
        "proc/stat": f"cpu  {cpu}\ncpu0 {cpu}\n".encode(),
        "proc/meminfo": MEMINFO.encode(),
    }


MEMINFO: Final = """\
MemTotal:        4096000 kB
MemFree:          120000 kB
MemAvailable:    2300000 kB
Buffers:           60000 kB
Cached:          2100000 kB
SwapTotal:             0 kB
SwapFree:              0 kB
"""

SYSINFO: Final = """\
Manufacturer:         IBM
Type:                 9672
Model:                ZX7              ZX7
Sequence Code:        0000000000012003
Plant:                00
CPUs Total:           10
CPUs Configured:      10
CPUs Standby:         0
CPUs Reserved:        0

LPAR Number:          2
LPAR Characteristics: Shared
LPAR Name:            ZVMPRD1
LPAR Adjustment:      1000
LPAR CPUs Total:      4
LPAR CPUs Configured: 4
LPAR CPUs Standby:    0
LPAR CPUs Reserved:   0

VM00 Name:            LINDB01
VM00 Control Program: z/VM    7.3.0
VM00 Adjustment:      1000
VM00 CPUs Total:      2
VM00 CPUs Configured: 2
VM00 CPUs Standby:    0
VM00 CPUs Reserved:   0
"""

NOTES: Final = """\
zmon capture, pass {number} of {passes}
simulated: invented after a case study, not measured; testbed/casestudy.py makes it
begin {begin}.000 (s since 1970)
end {begin}.500
files {files}

not read (path, mode, reason):
"""


def archive(passes: list[dict[str, bytes | str]]) -> bytes:
    """Return the passes as a capture; the same bytes whenever it is made."""
    packed = io.BytesIO()
    with (
        gzip.GzipFile("", "wb", 9, packed, mtime=0) as zipped,
        tarfile.TarFile(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for number, files in enumerate(passes):
            begin = BEGIN + number * STEP
            notes = NOTES.format(number=number + 1, passes=len(passes), begin=begin, files=len(files))
            for path, content in {"CAPTURE.txt": notes.encode(), **files}.items():
                member = tarfile.TarInfo(f"pass-{number + 1:04}/{path}")
                member.mtime, member.mode = begin, 0o644
                if isinstance(content, str):
                    member.type, member.linkname = tarfile.SYMTYPE, content
                    tar.addfile(member)
                else:
                    member.size = len(content)
                    tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def contents() -> dict[str, bytes]:
    """Return all files of the example by name."""
    disks = volumes()
    words = {
        "tablespaces.ddl": ddl(disks), "cp.txt": answers(disks), "directory.txt": directory(disks),
        "qdasd.txt": real(disks), "site.toml": SITE,
    }  # fmt: skip
    return {name: text.encode() for name, text in words.items()} | {
        "machine.tar.gz": archive(machine(disks, uids=False)),
        "machine-uid.tar.gz": archive(machine(disks, uids=True)),
    }


def main() -> int:
    """Write all files of the example."""
    FOLDER.mkdir(exist_ok=True)
    found = contents()
    for name, content in found.items():
        write_whole(FOLDER / name, content)
    print(f"{FOLDER.relative_to(ROOT)}: {sum(map(len, found.values())) >> 10} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
