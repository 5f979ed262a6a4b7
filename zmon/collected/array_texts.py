"""Arrays of md in texts: /proc/mdstat, `mdadm --detail`, `--examine` and `--scan`.

    md0 : active raid1 dasdp1[0] dasdq1[1](F)                       /proc/mdstat, and below it
          2403648 blocks super 1.2 [2/1] [U_]                       how many devices it has, and how many work
       0      94       61        0      active sync   /dev/dasdp1   mdadm --detail /dev/md0, a row a slot
       -       0        0        1      removed
    ARRAY /dev/md/0 level=raid1 num-devices=2 ...                   mdadm --detail --scan; -v adds `devices=`

Where a member's data begin only `mdadm --examine` of the member has.  A device that is counted and does not
work is a member that is lost, whatever stands in its place; it keeps its use if it is named.
Sources: mdadm, Detail.c, super0.c, super1.c, maps.c; Linux, drivers/md/md.c, raid1.c, raid5.c, raid10.c.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.base.ranges import many
from zmon.base.sizes import KIB, SECTOR
from zmon.collected.bare_names import PATH_OR_BARE, below_dev
from zmon.collected.facts import Array, plain
from zmon.collected.numbers import fits, is_of_kernel
from zmon.collected.reading import Reading, line
from zmon.kinds import LAYER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText
_LEVEL: Final = r"linear|raid[0-9]{1,2}|multipath|faulty|container"
UNCOUNTED: Final = frozenset({"raid0", "linear"})
"""Levels whose arrays run with all devices or not at all; /proc/mdstat does not count these."""
_WITHOUT_DATA: Final = re.compile(r"\((?:F|S|R|J)\)")
"""Marks of members in /proc/mdstat that hold no data of the array, or not all."""
_IDLE: Final = {"F": "faulty member", "S": "spare"}
"""What the marks of members mean that may stay for long, as mdadm says it."""
_OF_CONTAINER: Final = re.compile(r"external:[^/]+")
"""The metadata of a container in /proc/mdstat; that of an array in one names it, `external:/md127/0`."""
_DATA_LAYOUT: Final = r"(?:algorithm ([0-9]{1,2})|([0-9]{1,3}) (near|far|offset)-copies)"
_COUNT: Final = r"\[([0-9]{1,5})/([0-9]{1,5})\] \[[U_]+\]"
_SECTORS: Final = KIB // SECTOR
_CODES: Final = {
    "left-asymmetric": 0, "right-asymmetric": 1, "left-symmetric": 2, "right-symmetric": 3, "parity-first": 4,
    "parity-last": 5, "ddf-zero-restart": 8, "ddf-N-restart": 9, "ddf-N-continue": 10,
    "left-asymmetric-6": 16, "right-asymmetric-6": 17, "left-symmetric-6": 18, "right-symmetric-6": 19,
    "parity-first-6": 20, "original": 1, "alternate": 2,
}  # fmt: skip
"""What md/layout says, by mdadm's words; of raid6 with the algorithms of raid5 the same."""
_PLAIN: Final = {"raid0": 0, "raid1": 0, "linear": 0, "raid4": 0}
"""Levels whose layout mdadm prints only if it is another."""


def lose_members(facts: Facts, array: str, titles: list[str]) -> str:
    """Say that an array has members which do not work; return the words that stand for them."""
    lost = [f"?{array}.{nth}" for nth in range(len(titles))]
    facts.lost.update(zip(lost, titles, strict=True))
    if lost:
        # the kernel, and so lsblk, lists only devices that are there
        facts.partial[array] = " ".join(lost)
    return " ".join(lost)


def idle(facts: Facts, device: str, what: str, array: str, place: str) -> None:
    """Say of a device that an array has it without data of the array: it is faulty, or a spare."""
    facts.lent[device, f"{what} of {array} on {plain(device)}"] = place
    facts.idle.setdefault(array, set()).add(device)


def note_state(facts: Facts, array: str, state: str, place: str) -> None:
    """Say that an array is not just in use: it lacks devices, or its data are moved."""
    facts.failed[array, f"array {array}: {state}"] = place


class Mdstat(Reading):
    """The arrays of /proc/mdstat."""

    tool = "mdstat"
    heading = r"Personalities :(?: \[[a-z0-9]+\])*\s*$"
    first = r"md\w{1,40} : (?:in)?active "
    nothing = (
        r"Personalities :.*|unused devices:.*|read_ahead .*",
        r"\s*bitmap: .*",
        r"\s*(?:\([0-9]+/[0-9]+\) *)?finish=\S+ speed=\S+",  # the end of a row that was cut
    )

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without an array."""
        super().__init__(text, facts)
        self._array = ""
        self._members: dict[str, tuple[str, str, list[str], list[str]]] = {}
        """Of each array the level, the text, its devices and those of them that hold its data."""
        self._counts: dict[str, tuple[int, int]] = {}
        self._sized: set[str] = set()
        """Arrays of which the second line was read, or its beginning."""
        self._rebuilt: set[str] = set()
        """Arrays that have devices for all their data, of which some are written to just now."""

        self._containers: set[str] = set()
        """Arrays that only hold the devices of others, and have no slots that could be empty."""
        self._idle: dict[str, list[tuple[str, str]]] = {}
        """The spares and the faulty members of each array, with their marks."""

    def lost(self) -> None:
        """Know no array."""
        self._array = ""

    blank = lost

    def place_of(self, number: int) -> str:
        """Return where a line is; the tool is named even of the file, as two copies of it are compared."""
        return f"{self.tool}, {self.text.place(number)}"

    @line(
        rf"\s*(md\w{{1,40}}) : (active|inactive|broken)(?: \([a-z-]+\))*(?: ({_LEVEL}))?"
        r"((?: \S{1,64}\[[0-9]{1,5}\](?:\([A-Z]\))*)*)\s*"
    )
    def array(self, match: re.Match[str]) -> None:
        """Take the first line of an array, which names its devices."""
        self._array, level, listed = match[1], match[3] or "", match[4]
        devices = [word.partition("[")[0] for word in listed.split()]
        whole = [word.partition("[")[0] for word in listed.split() if not _WITHOUT_DATA.search(word)]
        self._members[self._array] = level, self.place, devices, whole
        self._counts.pop(self._array, None)
        self._sized.discard(self._array)
        for device in devices:
            self.facts.name_device(device, self.place)
        idle_members = re.findall(r" (\S{1,64}?)\[[0-9]{1,5}\]\(([FS])\)", listed)
        if match[2] != "active":  # the kernel marks all its devices as spares
            note_state(self.facts, self._array, match[2], self.place)
            idle_members = [(device, mark) for device, mark in idle_members if mark == "F"]
        self._idle[self._array] = idle_members

    @line(
        r"\s*([0-9]{1,18}) blocks(?: super (\S+))?(?: level [0-9],)?(?: ([0-9]{1,9})[kK] chunks?,?)?"
        rf"(?: [0-9]{{1,9}}k rounding)?(?: {_DATA_LAYOUT})?(?: {_COUNT})?\s*"
    )
    def sized(self, match: re.Match[str]) -> bool:
        """Take the second line of an array, or its beginning: its size, and how many devices work."""
        size, metadata, chunk, *rest = match.groups()
        if not self._array or self._array in self._sized:
            return False
        self._sized.add(self._array)
        if _OF_CONTAINER.fullmatch(metadata or ""):
            self._containers.add(self._array)
            return True
        row: dict[str, Value] = {"size": int(size) * _SECTORS}
        if chunk:
            row["chunk"] = int(chunk) * KIB
        self.facts.say(LAYER, self._array, self.place, **row)
        self._count(*rest)
        return True

    @line(rf"\s*{_DATA_LAYOUT}(?: {_COUNT})?\s*", rf"\s*()()(){_COUNT}\s*")
    def counted(self, match: re.Match[str]) -> bool:
        """Take the end of a second line that was cut in two."""
        if self._array not in self._sized or self._array in self._counts:
            return False
        self._count(*match.groups())
        return True

    def _count(self, algorithm: str, copies: str, how: str, count: str, working: str) -> None:
        """Take the layout of an array, and how many devices it has and how many work."""
        if algorithm:
            self.facts.say(LAYER, self._array, self.place, layout=int(algorithm))
        elif copies:
            self.facts.say(LAYER, self._array, self.place, layout=_copies_code({how: int(copies)}))
        if count:
            self._counts[self._array] = int(count), int(working)

    @line(r"\s*(?:\[[=>.]+\]\s+)?(recovery|resync|reshape|check)\s*=\s*([0-9.]+%|[A-Z]+)(?:\s.*)?")
    def changing(self, match: re.Match[str]) -> bool:
        """Take what the kernel does with the data of an array, and how far that is."""
        if self._array:
            note_state(self.facts, self._array, f"{match[1]} at {match[2]}", self.place)
            self._rebuilt |= {self._array} if match[1] == "recovery" else set()
        return bool(self._array)

    def end(self) -> None:
        """Say which devices each array has, and which of its slots have none.

        A device without a mark has a slot, though its data may not be all there yet.
        """
        for array, (level, place, devices, whole) in self._members.items():
            count, working = self._counts.get(array, (0, 0))
            idle_members = self._idle.get(array, [])
            for device, mark in idle_members:
                idle(self.facts, device, _IDLE[mark], array, place)
            spares = {device for device, mark in idle_members if mark == "S"}
            marked = [device for device in devices if device not in {*whole, *spares}]
            if count:
                lacking = max(0, count - len(whole))
                unready = count - working - lacking
                if unready > 0 and array not in self._rebuilt:
                    states = many(unready, "device")
                    note_state(self.facts, array, f"{states} of {count} not in sync", place)
                titles = [f"not working: {device}" for device in marked][:lacking]
                titles += [f"{REMOVED}: {array}"] * (lacking - len(titles))
            else:
                titles = []
            lost = lose_members(self.facts, array, titles)
            is_whole = array in self._containers or (level in UNCOUNTED and len(devices) > 1)
            if not count and not is_whole:
                self.facts.partial[array] = lost = f"?{array}.more"
                self.facts.leave_open(lost, f"whether {array} has further members")
            below = " ".join([*devices, lost])
            self.facts.say(LAYER, array, place, name=array, sort="md", level=level, below=below.strip())


REMOVED: Final = "removed"
"""The state of a slot without a device."""
_WORKING: Final = frozenset({"active", "sync", "writemostly", "failfast", "set-A", "set-B", "set-C", "set-D"})
_STATES: Final = _WORKING | {
    "blocked", "faulty", "journal", "missing", "rebuilding", "removed", "replacement", "spare",
}  # fmt: skip
"""The words for the state of a device; source: mdadm, Detail.c, super0.c, super1.c."""
_UUID: Final = r"[0-9a-f]{8}(?::[0-9a-f]{8}){3}"
_USUAL: Final = frozenset({"clean", "active", "write-pending", "active-idle", "read-auto", "readonly"})
"""The states of an array that is just in use.  Source: mdadm, Detail.c; Linux, drivers/md/md.c."""
_INACTIVE: Final = "inactive"
"""The state of an array that does not run; mdadm prints raid0 as its level."""
_MOVING: Final = frozenset({"reshaping", "recovering"})
"""Those in which data do not lie where they will."""
_PROGRESS: Final = ("Rebuild Status", "Reshape Status", "Resync Status", "Check Status")
_ROW: Final = (
    r"\s*(?:[0-9]{1,5}|-)\s+([0-9]{1,4})\s+([0-9]{1,8})\s+([0-9]{1,5}|-)(?:\s+([a-z][a-zA-Z -]*?))?"
    rf"(?:\s{{3,}}(?:({PATH_OR_BARE})|missing))?\s*"
)


class Mdadm(Reading):
    """What mdadm prints of arrays, and of devices that belong to some."""

    tool = "mdadm"
    heading = r"/dev/(?:md[\w/.:-]+|(?:dasd|sd|vd|nvme|dm-|loop)[a-z0-9]+|mapper/[\w.-]+):\s*$"
    first = r"(?:INACTIVE-)?ARRAY /dev/|\s+(?:Raid Level|Array UUID) : "
    nothing = (
        r"\s*Number\s+Major\s+Minor\s+RaidDevice(?:\s+State)?\s*", r"mdadm: .*",
        r"\s+(?:spares|level|num-devices|devices|name|container|member|metadata)=\S.*",
        r"\s*MBR Magic : .*|Partition\[[0-9]\] : .*|this\s+[0-9].*", r"/dev/\S+: .*",  # --query
    )  # fmt: skip

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without an array."""
        super().__init__(text, facts)
        self._name = self._begun = ""
        asked = re.fullmatch(r"/dev/(md[\w/-]{1,60})", self.operand) if self.is_filtered else None
        self._asked = asked[1] if asked else ""
        """The array of the command, until its first line is read, which a filter may have left out."""
        self._told: dict[str, str] = {}
        self._slots: dict[int, tuple[str, str]] = {}
        self._states: dict[int, str] = {}
        self._below: list[str] = []
        self._idle: list[tuple[str, str]] = []
        """The spares of the array and its faulty members, and which of these each is."""
        self._is_whole = True
        self._rebuilt: dict[int, str] = {}
        """The devices on which the data of a slot are written just now."""
        self._exported: dict[str, str] = {}
        """What `--detail --export` says of the array."""
        self._scanned: tuple[str, str, int] | None = None

    def lost(self) -> None:
        """Know no array; that of the line before may have more members."""
        self._is_whole, self._asked = False, ""
        self._finish()

    def gap(self) -> None:
        """Know that the array may have more members."""
        self._is_whole = False

    @line(rf"({PATH_OR_BARE}):")
    def head(self, match: re.Match[str]) -> None:
        """Take the first line about an array, or about a device that belongs to one."""
        self._finish()
        self._name, self._begun = below_dev(match[1]), self.place

    @line(r"\s*([A-Z][\w' -]{1,30}?) :(?: (.*))?")
    def told(self, match: re.Match[str]) -> bool:
        """Take a line about the array; if it comes again the first line of another one is missing."""
        if not self._name or match[1] in self._told:
            return False
        self._told[match[1]] = (match[2] or "").strip()
        return True

    @line(_ROW)
    def row(self, match: re.Match[str]) -> bool:
        """Take a device of the array, or an empty slot."""
        major, minor, slot = match.groups()[:3]
        states = match[4] or ""  # mdadm prints none of an array that is not active
        device = below_dev(match[5] or "")
        number = f"{major}:{minor}"
        is_whole = {*states.split()} <= _STATES
        if device and is_of_kernel(device) and not fits(device, number):
            return False
        if self._asked and not self._name:
            self._name, self._begun, self._asked = self._asked, self.place, ""
        is_again = self.is_filtered and slot != "-" and int(slot) in self._slots
        is_cut = not states and not (device and slot == "-")
        if not self._name or not is_whole or is_again or is_cut:
            return False
        if "Magic" in self._told:
            return True  # as the device had it, when it was written last
        works = {*states.split()} <= _WORKING and number != "0:0"
        if number != "0:0":
            self._below.append(number)
            self.facts.name_device(device, self.place, number)
        if "rebuilding" in states and device and slot != "-":
            self._rebuilt[int(slot)] = device
        elif slot != "-":
            if works or int(slot) not in self._slots:
                self._slots[int(slot)] = (number, device) if works else ("", "")
            if not works:
                self._states[int(slot)] = states
        else:
            self._take_idle(states, device, number)
        return True

    def _take_idle(self, states: str, device: str, number: str) -> None:
        """Take a device without a slot."""
        if "faulty" in states:
            self._states[-len(self._states) - 1] = f"faulty: {device or number}"
        mark = "F" if "faulty" in states else "S" if "spare" in states else ""
        if mark and device:
            self._idle.append((device, _IDLE[mark]))

    @line(r"(MD_[A-Z]+(?:_\S+)?)=(.*)")
    def exported(self, match: re.Match[str]) -> None:
        """Take a line of `--detail --export`: of the array, or of a device of it."""
        if not self._exported:
            self._begun = self.place
        self._exported[match[1]] = match[2].strip("\"'")

    @line(r"(?:INACTIVE-)?ARRAY /dev/(\S{1,250})((?:\s+[a-zA-Z-]+=\S+)*)\s*")
    def scanned(self, match: re.Match[str]) -> bool:
        """Take an array of --scan; with -v its devices follow."""
        self._finish()
        told = dict(word.split("=", 1) for word in match[2].split())
        if not re.fullmatch(_UUID, told.get("UUID", "")):
            return False
        key = self.facts.name_device(match[1], self.place)
        self.facts.say(LAYER, key, self.place, level=told.get("level", ""), links=_link(match[1]))
        self.facts.array_names.setdefault(told.get("UUID", ""), []).append(key)
        self._scanned = key, self.place, _number(told.get("num-devices", ""))
        return True

    @line(r"\s+devices=(\S+)\s*")
    def devices(self, match: re.Match[str]) -> bool:
        """Take the devices of the array of the line before; one that does not work may be among them."""
        names = [*map(below_dev, match[1].split(","))]
        if self._scanned is None or not all(is_of_kernel(name) or "/" in name for name in names):
            return False
        key, place, count = self._scanned
        devices = [self.facts.name_device(name, self.place) for name in names]
        titles = [f"{REMOVED}: {key}"] * max(0, count - len(devices))
        below = " ".join([*devices, lose_members(self.facts, key, titles)]).strip()
        self.facts.say(LAYER, key, place, sort="md", below=below)
        self._scanned = None
        return True

    def end(self) -> None:
        """Take the last array."""
        self._finish()

    def _finish(self) -> None:
        name, told = self._name, self._told
        if name and "Magic" in told:
            self._say_device(name, told)
        elif name and ("Raid Level" in told or self._below):
            self._say_array(name, told)
        if self._exported:
            self._say_exported(self._exported)
        self._exported, self._rebuilt = {}, {}
        self._name, self._told, self._slots, self._states, self._below, self._idle = "", {}, {}, {}, [], []
        self._is_whole, self._scanned = not self.is_filtered, None

    def _say_device(self, name: str, told: Mapping[str, str]) -> None:
        facts, place = self.facts, self._begun
        facts.name_device(name, place)
        facts.say_content(name, place, "linux_raid_member", told.get("Array UUID", told.get("UUID", "")))
        offset, size = (_number(told.get(what, "")) for what in ("Data Offset", "Avail Dev Size"))
        if told.get("Version", "").startswith("1"):
            facts.data_areas.setdefault(name, (offset, size))

    def _say_exported(self, told: Mapping[str, str]) -> None:
        """Say which devices an array has, and which of its slots have none."""
        facts, place, level = self.facts, self._begun, told.get("MD_LEVEL", "")
        asked = self.operand.removeprefix("/dev/")
        name = asked or "md/" * ("MD_DEVNAME" in told) + told.get("MD_DEVNAME", "")
        if not name:
            self.strange.append(self.number)
            return
        key = facts.name_device(name, place)
        facts.array_names.setdefault(told.get("MD_UUID", ""), []).append(key)
        devices = {
            below_dev(device): told.get(f"{word.removesuffix('_DEV')}_ROLE", "")
            for word, device in told.items()
            if word.endswith("_DEV")
        }
        below = [facts.name_device(device, place) for device in devices]
        for device, role in devices.items():
            if role == "spare" and level != _CONTAINER:
                idle(facts, device, _IDLE["S"], key, place)
        working = len(devices) if level == _CONTAINER else sum(map(str.isdecimal, devices.values()))
        count = _number(told.get("MD_DEVICES", ""))
        titles = [f"{REMOVED}: {key}"] * max(0, count - working)
        if not count or self.is_filtered:
            titles = [f"not understood: members of {key}"]
        lost = lose_members(facts, key, titles)
        names = " ".join([*below, lost]).strip()
        level = "" if level == _CONTAINER else level
        facts.say(LAYER, key, place, sort="md", links=_link(name), level=level, below=names)

    def _say_array(self, name: str, told: Mapping[str, str]) -> None:
        facts, place, is_inactive = self.facts, self._begun, told.get("State") == _INACTIVE
        level = "" if is_inactive else told.get("Raid Level", "")
        key = facts.name_device(name, place)
        facts.array_names.setdefault(told.get("UUID", ""), []).append(key)
        row: dict[str, Value] = {"level": level, "layout": _layout(level, told.get("Layout", ""))}
        if size := _number(told.get("Array Size", "")):
            row["size"] = size * _SECTORS
        if chunk := re.fullmatch("([0-9]{1,9})K", told.get("Chunk Size", "")):
            row["chunk"] = int(chunk[1]) * KIB
        for device, what in self._idle:
            idle(facts, device, what, key, place)
        count = _number(told.get("Raid Devices", ""))
        working = {slot for slot, (number, _device) in self._slots.items() if number} | self._rebuilt.keys()
        states = [word for word in re.split(r",\s*", told.get("State", "")) if word and word not in _USUAL]
        if states:
            shares = [told[what] for what in _PROGRESS if told.get(what)]
            note_state(facts, key, f"{', '.join(states)}{f' ({shares[0]})' if shares else ''}", place)
        for device in self._rebuilt.values():
            facts.failed[device, f"member of the array {key} on {device}: rebuilding"] = place
        lacking = sorted({*range(min(count, MAX_SLOTS))} - working)
        faulty = [title for slot, title in self._states.items() if slot < 0]
        titles = [
            faulty.pop(0) if faulty and self._states.get(slot, REMOVED) == REMOVED
            else f"{self._states.get(slot, 'not listed')}: {key} {slot}"
            for slot in lacking
        ]  # fmt: skip
        if is_inactive:
            facts.partial[key] = more = f"?{key}.more"
            facts.leave_open(more, f"whether {key} has further members")
            below = " ".join([*dict.fromkeys(self._below), more])
            facts.hint(LAYER, key, place, below=below)
            facts.say(LAYER, key, place, sort="md", links=_link(name))
            return
        is_full = count > 0 and {*range(min(count, MAX_SLOTS))} <= self._slots.keys()
        if not count or not (self._is_whole or is_full):
            titles.append(f"not understood: members of {key}")
        elif self._is_whole and not titles and count == len(self._slots) and _MOVING.isdisjoint(states):
            version, used = told.get("Version", ""), _number(told.get("Used Dev Size", "")) * _SECTORS
            facts.arrays[key] = Array({**self._slots}, version in {"0.90", "1.0"}, used, place)
        below = " ".join([*dict.fromkeys(self._below), lose_members(facts, key, titles)]).strip()
        facts.say(LAYER, key, place, sort="md", links=_link(name), below=below, **row)


_CONTAINER: Final = "container"
"""The level of what holds arrays of a controller's metadata: each of its devices is there without a slot."""
MAX_SLOTS: Final = 4096
"""Maximum number of devices of an array."""


def _link(name: str) -> str:
    return "" if is_of_kernel(name) else name


def _number(printed: str) -> int:
    match = re.match(r"([0-9]{1,18})(?![\w.])", printed)
    return int(match[1]) if match else 0


def _layout(level: str, printed: str) -> Value:
    """Return the number that md/layout has; empty where it does not follow."""
    copies = re.findall(r"(near|far|offset)=([0-9]{1,3})", printed)
    if level == "raid10" and copies:
        return _copies_code({how: int(count) for how, count in copies})
    return _CODES.get(printed, "" if printed else _PLAIN.get(level, ""))


def _copies_code(copies: Mapping[str, int]) -> int:
    far = copies.get("far", copies.get("offset", 1))
    return copies.get("near", 1) + (far << 8) + (0x10000 if "offset" in copies else 0)


def fill_arrays(facts: Facts) -> None:
    """Say where the data of arrays begin on their members, where `mdadm --examine` or their version tells.

    An array that has another name on its members than in the kernel is one all the same, by its UUID.
    """
    for names in facts.array_names.values():
        kernel = {name for name in names if is_of_kernel(name)}
        if len(kernel) == 1:
            facts.aliases.update(dict.fromkeys({*names} - kernel, *kernel))
    for key, array in facts.arrays.items():
        members = []
        for slot, (number, name) in sorted(array.slots.items()):
            offset, size = facts.data_areas.get(name, (-1, 0))
            if array.begins_at_once and offset < 0:
                offset, size = 0, array.used
            if offset < 0:
                break
            members.append(f"{slot}={number}@{offset}" + (f"+{size}" if size else ""))
        else:
            facts.say(LAYER, key, array.place, members=" ".join(members))
