"""Messages of the kernel in texts: dmesg, journalctl, and system logs, as far as they are about disks.

    [  134.7] dasd-eckd 0.0.7100: New DASD 3390/0A (CU 3990/01) with 3339 cylinders, 15 heads, 224 sectors
    [  134.8] dasd-eckd 0.0.7100: DASD with 4 KB/block, 2404080 KB total size, 48 KB/track, ...
    [  134.9]  dasdh:VOL1/  ZM7100: dasdh1
    [   73.7] dasd-fba 0.0.0190: New FBA DASD 9336/10 (CU 6310/01) with 611 MB and 512 B/blk
    [  180.1] dasd-eckd 0.0.7100: No operational channel path is left for the device
    [  174.9] sd 0:0:0:0: [sda] 131072 512-byte logical blocks: (67.1 MB/64.0 MiB)
    [   58.2] device-mapper: multipath: 251:0: Failing path 8:64.
    [    3.1] EXT4-fs (dasda2): mounted filesystem with ordered data mode. Opts: (null)
    [    5.0] Adding 1048572k swap on /dev/dasda1.  Priority:-2 extents:1 across:1048572k
    Mar 17 09:12:00 box1 multipathd[4554]: mpatha: sdak - tur checker reports path is down

They are of an earlier time, so what any other text or file has goes first.  Which name belongs to which bus
id they do not say, and many devices may come at once: it is that of the message before if the label is the
one that dasdfmt makes of that number.
Source: Linux, drivers/s390/block/dasd.c, dasd_eckd.c, dasd_fba.c, block/partitions/ibm.c, drivers/scsi/sd.c,
fs/ext4/super.c, fs/xfs/xfs_mount.c, mm/swapfile.c, arch/s390/kernel/early.c; multipath-tools,
multipathd/main.c.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final

from zmon.base.absent import Absent
from zmon.base.sizes import KIB, SECTOR
from zmon.collected.dasd_texts import BUSID, dasd_named
from zmon.collected.facts import values_of
from zmon.collected.fcp_texts import ADDRESS
from zmon.collected.machine_texts import running
from zmon.collected.numbers import NUMBER, disk_name, is_of_kernel, name_of_number, sort_of
from zmon.collected.reading import Reading, line
from zmon.kernel.zfcp import ONLINE
from zmon.kinds import ADAPTER, DASD, DEVICE, LAYER, MACHINE, MPATH
from zmon.values.dasd_state import UNFORMATTED
from zmon.values.fcp_state import FAILED

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText
    from zmon.sample import Kind

_TIME: Final = r"[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,+Z-]{8,32}"
_STAMP: Final = (
    rf"(?:<[0-9]{{1,3}}>)?(?:(?:(?:{_TIME}) )?(?:\S{{1,255}} )?kernel: )?"
    r"(?:\[[^\]\n]{1,40}\](?:\[[ A-Z0-9]{1,10}\])? )?"
)
"""What stands before a message: of syslog or the journal, and of the kernel itself."""
_STAMPED: Final = rf"(?:(?:{_TIME}) (?:\S{{1,255}} )?kernel: |\[ *[0-9]+\.[0-9]{{6}}\]).{{0,40}}?"
_OF_DISKS: Final = (
    rf"zfcp(?:\.[0-9a-f]{{6}})?:? {BUSID}: |scsi host[0-9]+: zfcp|dasd(?:\(\w+\)|-\w+(?:\.[0-9a-f]{{6}})?): "
    rf"|(?:sd|scsi) {ADDRESS}: (?:rejecting I/O|\[\w+\] killing request)|.*\bLOOP DOWN\b|Hardware name: "
)
"""How messages begin that say something of adapters, disks or the machine, whether it is used or not."""
_FAILS: Final = r"(?:.*\s)?(?:Buffer I/O error on dev(?:ice)? dm-[0-9]|\bdm-[0-9]+: INTEGRITY AEAD ERROR).*"
"""What drivers say of mapped devices that fail."""
_BY_DAEMON: Final = rf"(?:(?:{_TIME}) )?(?:\S{{1,255}} )?multipathd(?:\[[0-9]+\])?: "
"""What stands before a message of the daemon of multipath."""
OF_FORMAT: Final = ("block_size", "blocks")
"""What a DASD that is not formatted has not, and had when it was."""
_SORT: Final = r"[0-9A-F]{4}/[0-9A-F]{2}"
TROUBLE: Final = re.compile(
    r"I/O error|[Ee]rror occurred in the DASD device driver|: Failing path |rejecting I/O to"
    r"|INTEGRITY AEAD ERROR|No operational channel path is left|No verified channel paths remain"
)
"""What the kernel says of a device that does not work."""
MENDED: Final = re.compile(r": Reinstating path |A channel path to the device has become operational")
"""What it says of one that works again."""
BOOTED: Final = re.compile(r"(?:^|[\]:] +)Linux version ")
"""What it says first."""


class KernelLog(Reading):
    """What drivers say of disks; the last of several messages counts."""

    tool = "dmesg"
    tells = ("device", "dasd", "layer", "adapter", "machine")
    first = (
        rf"{_STAMP}(?:dasd-(?:eckd|fba) {BUSID}: (?:New |DASD with |A channel path |No (?:oper|verif))"
        r"| dasd[a-z]{1,4}:(?:VOL1|LNX1|CMS1)/ "
        r"|device-mapper: multipath: .*ing path |Buffer I/O error on dev(?:ice)? )"
        rf"|{_STAMPED}(?:{_OF_DISKS}|EXT[234]-fs (?:warning|error) \(device "
        r"|(?:EXT[234]-fs|XFS) \(\S+\): .*[Mm]ount|Kernel command line: )"
        r"|\[[^\]\n]{1,40}\](?:\[[ A-Z0-9]+\])? Linux version "
    )
    nothing: ClassVar[tuple[str, ...]] = (rf"(?!{_STAMP}(?:{_OF_DISKS})).*",)  # messages about anything else

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin with nothing."""
        super().__init__(text, facts)
        self._told: dict[tuple[str, str], dict[str, Value]] = {}
        """By kind and key of the row."""
        self._places: dict[tuple[str, str], str] = {}
        self._labels: dict[str, tuple[str, str]] = {}
        """Labels of DASDs by their names, each with the text."""
        self._sizes: dict[str, int] = {}
        """Sectors of DASDs by their bus ids."""
        self._last = ""
        """The bus id of the DASD in the last message about what one is."""
        self._named: dict[str, str] = {}
        """The names of DASDs by their bus ids."""
        self._failed: dict[str, str] = {}
        """The paths of multipath that have failed, by their names, each with the text."""
        self._used: dict[str, tuple[str, str]] = {}
        """What devices were used for, each with the text."""
        self._maps: dict[str, tuple[str, list[str]]] = {}
        """Paths of maps that the daemon of multipath names, with the text."""

    @classmethod
    def knows(cls, row: str) -> bool:
        """Return whether a line looks like a message: it has a stamp, or is one that is read."""
        is_stamped = re.match(rf"(?=\S){_STAMP}", row)
        return bool(is_stamped and is_stamped.end()) or any(
            pattern.fullmatch(row) for pattern, name in cls._lines if name
        )

    @line(
        rf"{_STAMP}dasd-eckd ({BUSID}): New DASD ({_SORT}) \(CU ({_SORT})\) with ([0-9]{{1,10}}) cylinders, "
        r"[0-9]{1,5} heads, [0-9]{1,5} sectors(, read-only device)?\s*",
        rf"{_STAMP}dasd\(eckd\): ({BUSID}): ({_SORT})\(CU:({_SORT})\) Cyl:([0-9]{{1,10}})"
        r" Head:[0-9]+ Sec:[0-9]+()\s*",
    )
    def eckd(self, match: re.Match[str]) -> None:
        """Take a DASD that was set on line."""
        busid, devtype, cutype, cylinders, readonly = match.groups()
        self._keep_device(busid, devtype, cutype, readonly)
        self._keep(DASD, busid, discipline="ECKD", cylinders=int(cylinders))

    @line(
        rf"{_STAMP}dasd-eckd ({BUSID}): DASD with ([0-9]{{1,2}})(?:\.5)? KB/block, "
        r"([0-9]{1,12}) KB total size, [0-9]{1,5} KB/track, (?:compatible|linux) disk layout\s*",
        rf"{_STAMP}dasd\(eckd\): ({BUSID}): \(([0-9]{{1,2}})kB blks\): ([0-9]{{1,12}})kB"
        r" at [0-9]+kB/trk \w+ disk layout\s*",
    )
    def formatted(self, match: re.Match[str]) -> None:
        """Take the format of a DASD; blocks of 512 bytes are 0 KB, as the kernel prints it."""
        busid, block, size = match[1], int(match[2]) * KIB, int(match[3]) * KIB
        self._last = busid
        self._sizes[busid] = size // SECTOR
        if block:
            self._keep(DASD, busid, block_size=block, blocks=size // block)

    @line(
        rf"{_STAMP}dasd(?:-eckd|-fba)? ({BUSID}): (?:No operational channel path is left for the device"
        r"|No verified channel paths remain for the device"
        r"|A channel path to the device (has become) operational)\.?\s*"
    )
    def paths(self, match: re.Match[str]) -> None:
        """Take that the last channel path of a DASD was lost, or that one came back."""
        self._keep(DEVICE, match[1], vpm="" if match[2] else 0)

    @line(
        rf"{_STAMP}dasd-fba ({BUSID}): New FBA DASD ({_SORT}) \(CU ({_SORT})\) with [0-9]{{1,10}} MB"
        r" and ([0-9]{3,5}) B/blk(, read-only device)?\s*"
    )
    def fba(self, match: re.Match[str]) -> None:
        """Take an FBA disk that was set on line."""
        busid, devtype, cutype, block, readonly = match.groups()
        self._keep_device(busid, devtype, cutype, readonly)
        self._keep(DASD, busid, discipline="FBA", block_size=int(block))

    @line(
        rf"{_STAMP} ?(dasd[a-z]{{1,4}}):(?:(?:VOL1|LNX1|CMS1)/ *([A-Z0-9$#@]{{1,6}}):|\([a-zA-Z]+\))?"
        r"((?: dasd\w+)*)\s*"
    )
    def scanned(self, match: re.Match[str]) -> bool:
        """Take label and partitions of a DASD."""
        disk, label, parts = match[1], match[2], match[3].split()
        if any(disk_name(part) != disk for part in parts):
            return False
        if label:
            self._labels[disk] = label, self.place
        if self._last and label == f"0X{self._last[-4:].upper()}":
            self._named[self._last] = disk
        self._keep_disk(disk)
        for part in parts:
            self._keep(LAYER, part, name=part, sort="partition")
        return True

    @line(
        rf"{_STAMP}(?:sd|virtio_blk) \S{{1,64}}: \[((?:sd|vd)[a-z]{{1,4}})\] ([0-9]{{1,15}}) "
        r"([0-9]{3,5})-byte logical blocks.*"
    )
    def block(self, match: re.Match[str]) -> None:
        """Take the size of a SCSI or virtio disk."""
        self._keep_disk(match[1], int(match[2]) * int(match[3]) // SECTOR)

    @line(rf"{_STAMP}Linux version .*")
    def booted(self, _match: re.Match[str]) -> None:
        """Know that what was said before is of another boot: devices may have other names since."""
        for told in (self._told, self._labels, self._sizes, self._named, self._failed, self._used):
            told.clear()

    @line(rf"{_STAMP}device-mapper: multipath: (?:{NUMBER}: )?(Failing|Reinstating) path ({NUMBER})\.?\s*")
    def path(self, match: re.Match[str]) -> None:
        """Take that a path of multipath has failed, or works again."""
        name = name_of_number(match[2])
        self._failed.pop(name, None)
        if match[1] == "Failing":
            self._failed[name] = self.place

    @line(_FAILS)
    def failing(self, _match: re.Match[str]) -> None:
        """Take a failure of a mapped device, by whose name `account` has the line."""

    @line(rf"{_BY_DAEMON}(\S{{1,128}}): (sd[a-z]{{1,4}}) - .*\bpath is (down|up)\s*")
    def checked(self, match: re.Match[str]) -> None:
        """Take what the daemon of multipath says of a path."""
        title, name, state = match.groups()
        self._failed.pop(name, None)
        self._keep_disk(name)
        if state == "down":
            self._failed[name] = self.place
        self._maps.setdefault(title, (self.place, []))[1].append(name)

    @line(
        rf"{_STAMP}(EXT[234]-fs|XFS|BTRFS \w+)(?: \([^()]*\))? \((?:device )?([^()\s:]{{1,128}})\): "
        r"((?i:un|re-?)?)[Mm]ount(?:ed|ing)\b.*"
    )
    def mounted(self, match: re.Match[str]) -> None:
        """Take that a file system was mounted, or that it is not any more."""
        self._use(
            match[2], f"{match[1].partition('-')[0].partition(' ')[0].lower()} that was mounted", match[3]
        )

    @line(rf"{_STAMP}Adding [0-9]+k swap on /dev/(\S+?)\.\s.*")
    def swapped(self, match: re.Match[str]) -> None:
        """Take an area that was swapped to."""
        self._use(match[1], "swap area", "")

    @line(rf"{_STAMP}Kernel command line: (?:.*\s)?root=/dev/(?!ram|nfs)([^\s:]{{1,250}})(?:\s.*)?")
    def root(self, match: re.Match[str]) -> None:
        """Take the device that the kernel was told to mount first."""
        name = match[1].rpartition("/")[2]
        self._used[match[1]] = f"root in the command line of the kernel, on {name}", self.place

    @line(rf"{_STAMP}zfcp(?:\.[0-9a-f]{{6}})?:? ({BUSID}): The local link (is down|has been restored).*")
    def link(self, match: re.Match[str]) -> None:
        """Take whether the port of an adapter has a link."""
        self._keep(ADAPTER, match[1], port_state="Linkdown" if match[2] == "is down" else ONLINE)

    @line(rf"{_STAMP}Hardware name: IBM +([0-9]{{4}}) .*\((LPAR|z/VM [^()]*|KVM[^()]*)\)\s*")
    def machine(self, match: re.Match[str]) -> None:
        """Take the machine type, and what runs this Linux."""
        self._keep(MACHINE, "machine", type=match[1], **running(match[2]))

    def _use(self, name: str, what: str, undone: str) -> None:
        self._used.pop(name, None)
        self._keep_disk(disk_name(name))
        if undone.casefold() != "un":
            self._used[name] = f"{what} when the kernel said so, on {name}", self.place

    def _keep(self, kind: Kind, key: str, **values: Value) -> None:
        self._told[kind.name, key] = {**self._told.get((kind.name, key), {}), **values}
        self._places[kind.name, key] = self.place

    def _keep_device(self, busid: str, devtype: str, cutype: str, readonly: str | None) -> None:
        self._last = busid
        self._keep(DEVICE, busid, devtype=devtype.lower(), cutype=cutype.lower())
        if readonly:  # one that was not may be by now
            self._keep(DEVICE, busid, readonly=1)

    def _keep_disk(self, name: str, size: int = 0) -> None:
        if is_of_kernel(name):
            self._keep(LAYER, name, name=name, sort=sort_of(name, is_below=False))
        if size:
            self._keep(LAYER, name, size=size)

    def end(self) -> None:
        """Say what the last messages about each disk say, where nothing else does."""
        kinds = {kind.name: kind for kind in (ADAPTER, DEVICE, DASD, LAYER, MACHINE)}
        self._name_disks()
        for path, place in self._failed.items():
            self.facts.path_states.setdefault(path, ({"state": FAILED}, place))
        self._say_uses()
        for (kind, key), values in self._told.items():
            lost: tuple[str, ...] = OF_FORMAT if kind == DASD.name and self._is_unformatted(key) else ()
            if kind == ADAPTER.name and isinstance(self.facts.value(ADAPTER, key, "port_state"), str):
                continue
            if kind == DEVICE.name and "in_use" in self.facts.paths.get(key, {}):
                lost = (*lost, "vpm")  # lsdasd -l says which there are
            kept = {name: value for name, value in values.items() if name not in lost}
            self.facts.hint(kinds[kind], key, self._places[kind, key], **kept)
        for disk, (label, place) in self._labels.items():
            busid = dasd_named(self.facts, disk)
            if busid and not self._is_unformatted(busid):
                self.facts.hint(DASD, busid, place, volser=label)
            elif not busid:  # no text has its number
                self.facts.hint(LAYER, disk, place, serial=label)
        for busid, size in self._sizes.items():
            name = self.facts.value(DASD, busid, "name")
            if isinstance(name, str) and size and not self._is_unformatted(busid):
                self.facts.hint(LAYER, name, self.place, size=size)

    def _say_uses(self) -> None:
        """Say what disks were used for, where no list of it is there, which is of a later time."""
        rows = self.facts.rows.get(LAYER.name, {}).values()
        listed = {title for row in rows for title in values_of(row, "mapped")}
        for title, (place, paths) in self._maps.items():
            if title not in listed:  # what multipath lists has all paths
                more = f"?{title}.more"
                self.facts.leave_open(more, f"a path of {title}")
                below = " ".join(dict.fromkeys([*paths, more]))
                self.facts.hint(LAYER, title, place, mapped=title, sort="dm", uuid=MPATH, below=below)
        for disk, (title, place) in () if self.facts.mount_lists else self._used.items():
            self.facts.lent[disk, title] = place

    def _name_disks(self) -> None:
        """Say which bus ids disks have, if no other text has that of the disk, or the disk of that."""
        for busid, disk in self._named.items():
            if not dasd_named(self.facts, disk) and isinstance(self.facts.value(DASD, busid, "name"), Absent):
                place = self._labels[disk][1]
                self.facts.hint(DASD, busid, place, name=disk)
                self.facts.hint(LAYER, disk, place, busid=busid)

    def _is_unformatted(self, busid: str) -> bool:
        """Return whether another text says of a DASD that it is not formatted now."""
        return self.facts.value(DASD, busid, "state") in UNFORMATTED
