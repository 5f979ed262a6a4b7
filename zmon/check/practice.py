"""What a check is, what it finds, and what it looks at.

Sentences and comparisons are in `rules/checks/*.toml` (`zmon.check.cases`): they name the properties of
`CheckInput`, and what Python finds for a check; `zmon.check.practices` lists them all.
"""

from __future__ import annotations

from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, absent, ratio, text_of
from zmon.base.record import NamedTuple
from zmon.kinds import (
    BLOCK,
    CHANNEL,
    CLAIM,
    CONTAINER,
    DASD,
    DEVICE,
    LAYER,
    MACHINE,
    MEMORY,
    MOUNT,
    NO_CSS,
    NO_DEVICES,
    NOT_COLLECTED,
    ORIGIN,
    SETTING,
    SWAP,
    TEXT,
    UNLISTED,
)
from zmon.machine.cpus import Processors
from zmon.topology.machine import has_list_of_maps
from zmon.topology.read_texts import unseen_aliases, unseen_dasd, unseen_disks
from zmon.topology.volumes import DASD_TYPES, short
from zmon.values.uid import find_uid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.interval import Interval
    from zmon.sample import Frame, Kind, Sample
    from zmon.topology.data_files import DataFile
    from zmon.topology.machine import Machine
    from zmon.topology.stack import BlockDevice
    from zmon.values.uid import Uid

EMULATED: Final = "HRC"
"""Vendor of disks that Hercules emulates, and manufacturer of its processors."""

NOT_HERE: Final = (NO_CSS.code, NO_DEVICES.code)
"""The codes of why there is no ccw device, where it was looked for."""

NO_LSDASD: Final = NOT_COLLECTED.about("lsdasd, which says what of the devices is a DASD")


class State(Enum):
    """The result of a check, the worst first."""

    BAD = "bad"
    LOOK = "look"
    UNKNOWN = "unknown"
    OK = "ok"
    NOT_APPLICABLE = "does not apply"


class Finding(NamedTuple):
    """What a check found."""

    state: State
    words: str
    """The value with its unit, or the reason: a sentence without its full stop."""
    advice: str = ""
    """What to do about what was found, where it is known better than what the check always advises."""


class Check(NamedTuple):
    """One check."""

    id: str
    """B1 to B34 are from the studies, H1 to H17 from IBM's Linux Health Checker, K1 to K4 from the kernel."""
    title: str
    reads: str
    """The files and calls."""
    good: str
    """What is good, in short."""
    advice: str
    """What to do where it is not, whatever was found."""
    source: str
    """Where the advice is from: `S000:129` is a line of a study (docs/studies.md)."""
    run: Callable[[CheckInput], Finding]


STUDIES: Final = {
    "S000": "Oracle on System z (2012)",
    "S001": "DB2 on zSeries (2003)",
    "S002": "Oracle, RAID and stripes (2012)",
    "S003": "SLES 11 SP2 on System z (2012)",
    "S004": "Oracle consolidation (2013)",
}
"""What the studies of docs/studies.md are called where advice says where it is from."""


def origin_of(source: str) -> str:
    """Return where advice is from, for people: `S001:441-445, S001:522-526` is DB2 on zSeries (2003)."""
    names = [STUDIES.get(place.partition(":")[0], place) for place in source.split(", ")]
    return ", ".join(dict.fromkeys(names))


class CheckResult(NamedTuple):
    """A check and what it found on one machine."""

    check: Check
    state: State
    words: str
    found_advice: str = ""
    """What to do about what was found; empty if that is what the check always advises."""

    @property
    def advice(self) -> str:
        """What to do, without a full stop."""
        return self.found_advice or self.check.advice


class OpenQuestion(NamedTuple):
    """What only a person can answer."""

    id: str
    words: str
    source: str


def reason_of(value: Value) -> Absent:
    """Return why there is no value to judge: what was read instead, if that is something else."""
    return value if isinstance(value, Absent) else absent(str(value))


class Dasd(NamedTuple):
    """A DASD that is online: a base or an alias."""

    busid: str
    uid: Uid | None
    is_alias: bool
    block: str
    """Its block device; empty for an alias."""
    chpids: str
    lcu: str
    """Key of its LCU by its uid; empty if it has none."""
    is_eckd: bool
    is_emulated: bool

    @property
    def number(self) -> str:
        """Its device number as people say it: `7000`."""
        return self.busid.rpartition(".")[2].upper()


class OnlyRow:
    """The one row of a kind: its fields by their names, absent with their reasons."""

    def __init__(self, frame: Frame, key: str) -> None:
        """Read a field when asked."""
        self._frame, self._key = frame, key

    def __getattr__(self, name: str) -> Any:
        """Return a field."""
        return self._frame.cell(self._key, name)


STANDING: Final = (MACHINE, DEVICE, DASD, LAYER, MOUNT, SWAP, CONTAINER, CLAIM, SETTING, TEXT, ORIGIN)
"""What says the same for minutes: of a finding that rests on nothing else another look makes the same."""
STANDING_FIELDS: Final = {CHANNEL: ("configure", "status", "type"), BLOCK: ("block_size",)}
"""The fields of other kinds that do so, too."""


class CheckInput:
    """What checks look at: a machine at one instant, and the interval that ended then, if there is one.

    It notes whether something was looked at that is of this instant alone.
    """

    def __init__(self, machine: Machine, interval: Interval | None = None) -> None:
        """Look at nothing yet."""
        self.machine = machine
        self.is_of_now = False
        """Whether something was looked at that may be different in the next sample."""
        self._interval = interval
        self._sample = machine.sample if interval is None else interval.after
        """All that was read; the machine may have been made of parts of it."""

    def frame(self, kind: Kind) -> Frame:
        """Return what was read of a kind."""
        self.is_of_now |= kind not in STANDING
        return self._sample.frame(kind)

    @property
    def sample(self) -> Sample:
        """All that was read."""
        self.is_of_now = True
        return self._sample

    def without_counts(self, kind: Kind) -> Frame:
        """Return what was read of a kind, with those of its fields that stand."""
        frame = self._sample.frame(kind)
        columns = {name: frame.columns[name] for name in STANDING_FIELDS[kind] if name in frame.columns}
        return frame.but(columns=columns)

    def standing(self) -> Iterator[Frame]:
        """Yield what findings rest on that are not of this instant alone."""
        yield from map(self._sample.frame, STANDING)
        yield from map(self.without_counts, STANDING_FIELDS)

    # machine

    @cached_property
    def host(self) -> OnlyRow:
        """The fields of the kind MACHINE."""
        return OnlyRow(self.frame(MACHINE), "machine")

    @property
    def memory(self) -> OnlyRow:
        """The fields of the kind MEMORY."""
        return OnlyRow(self.frame(MEMORY), "memory")

    @property
    def cached(self) -> Number:
        """The part of the memory in the page cache."""
        return ratio(self.memory.cached, self.memory.total, "the size of the memory was read as 0")

    @property
    def environment(self) -> str:
        """`lpar`, `zvm`, `kvm` or `none`; empty if it is not known."""
        return self.machine.host.environment

    @property
    def is_on_z(self) -> bool:
        """Whether this is Linux on IBM Z."""
        architecture = self.host.architecture
        if isinstance(architecture, Absent):
            return (
                self.environment in {"lpar", "zvm"}
                or bool(self.frame(DEVICE).keys)
                or any(text_of(name).startswith("dasd") for name in self.frame(LAYER).column("name"))
            )
        return str(architecture).startswith("s390")

    @property
    def may_be_on_z(self) -> bool:
        """Whether this is Linux on IBM Z, or nothing was seen that tells."""
        is_open = isinstance(self.devices, Absent) and self.devices.code not in NOT_HERE
        return self.is_on_z or (is_open and isinstance(self.host.architecture, Absent))

    @property
    def why_no_devices(self) -> str:
        """Why there is no ccw device, where there can be none: devices that cannot be seen are not none."""
        if isinstance(self.devices, Absent) and self.devices.code in NOT_HERE:
            return self.devices.reason
        return f"not Linux on IBM Z: {text_of(self.host.architecture)}"

    @property
    def is_guest(self) -> bool:
        """Whether this is a guest of z/VM."""
        return self.environment == "zvm"

    @property
    def is_elsewhere(self) -> bool:
        """Whether this is surely no guest of z/VM."""
        is_other = not self.is_on_z and not isinstance(self.host.architecture, Absent)
        return not self.is_guest and (bool(self.environment) or is_other)

    @cached_property
    def release(self) -> tuple[int, int] | None:
        """Version of the kernel: (6, 12); None if it is not known."""
        fields = text_of(self.host.kernel).partition("-")[0].split(".")
        return (
            (int(fields[0]), int(fields[1])) if len(fields) > 1 and all(map(_is_short, fields[:2])) else None
        )

    # settings

    @cached_property
    def settings(self) -> Mapping[str, Value]:
        """The values of settings by their names."""
        frame = self.frame(SETTING)
        return dict(zip(frame.keys, frame.column("value"), strict=True)) if frame.keys else {}

    def setting(self, name: str) -> Value:
        """Return a setting; absent with the reason if it was not read."""
        if name in self.settings:
            return self.settings[name]
        frame = self.frame(SETTING)
        if not frame.keys:
            return frame.missing or absent("no setting was read")
        return absent("it is not set")

    def number(self, name: str) -> Number:
        """Return a setting that is a number."""
        value = self.setting(name)
        if isinstance(value, str):
            return int(value) if _is_short(value) else absent(f"{value[:40]!r} is no number")
        return value

    def settings_of(self, prefix: str) -> dict[str, Value]:
        """Return the settings whose names begin so, by the rest of the name."""
        return {name[len(prefix) :]: v for name, v in self.settings.items() if name.startswith(prefix)}

    @property
    def cmdline(self) -> Absent | None:
        """Why the boot parameters were not read, which are the settings `cmdline/NAME`."""
        is_unread = "cmdline" in self.settings or not self.settings
        return reason_of(self.setting("cmdline")) if is_unread else None

    # disks

    def read(self, kind: Kind) -> Sequence[str] | Absent:
        """Return the keys of a kind; why there are none, if it was not read at all."""
        frame = self.frame(kind)
        return frame.keys or frame.missing or ()

    @property
    def devices(self) -> Sequence[str] | Absent:
        """The devices of the channel subsystem."""
        return self.read(DEVICE)

    @property
    def layers(self) -> Sequence[str] | Absent:
        """The numbers of block devices."""
        return self.read(LAYER)

    @cached_property
    def dasds(self) -> Sequence[Dasd]:
        """The DASDs that are online, aliases among them; texts of tools do not name the driver."""
        frame = self.frame(DEVICE)
        names = ("driver", "online", "uid", "alias", "block", "chpids", "discipline", "vendor")
        rows = zip(frame.keys, *map(frame.column, names), strict=True)
        disks = []
        for busid, driver, online, text, alias, block, chpids, discipline, vendor in rows:
            is_told = isinstance(driver, Absent) and (alias == 1 or text_of(block).startswith("dasd"))
            if online == 1 and (is_told or text_of(driver).startswith("dasd-")):
                uid = find_uid(text)
                disks.append(
                    Dasd(
                        busid, uid, alias == 1, text_of(block), text_of(chpids), uid.lcu if uid else "",
                        (is_told or driver == "dasd-eckd") and discipline in {"ECKD", "PAV"},
                        EMULATED in {vendor, uid.vendor if uid else ""},
                    )
                )  # fmt: skip
        return disks

    @cached_property
    def bases(self) -> Sequence[Dasd]:
        """The DASDs that hold data."""
        return [dasd for dasd in self.dasds if not dasd.is_alias]

    @property
    def are_emulated(self) -> bool:
        """Whether no disk is a real one."""
        return all(dasd.is_emulated for dasd in self.bases)

    @cached_property
    def lsdasd(self) -> Absent | None:
        """Why it is not known which devices are DASDs: nothing lists them all, or says of one that it is."""
        frame = self.frame(DEVICE)
        names = ("online", "driver", "alias", "devtype", "uid")
        is_open = any(
            (online == 1 or (isinstance(online, Absent) and find_uid(uid) is not None))
            and isinstance(driver, Absent)
            and isinstance(alias, Absent)
            and (text_of(devtype).startswith(DASD_TYPES) or find_uid(uid) is not None)
            for online, driver, alias, devtype, uid in zip(*map(frame.column, names), strict=True)
        )
        return NO_LSDASD if is_open else unseen_dasd(self._sample)

    @cached_property
    def disk_list(self) -> Absent | None:
        """Why there may be more disks than were read."""
        return unseen_disks(self._sample)

    @property
    def mount_list(self) -> Absent | None:
        """Why it is not known what is mounted; None if it is, or if files of databases are known."""
        return None if self.machine.files else self.frame(MOUNT).missing

    @property
    def stray_aliases(self) -> Sequence[Dasd]:
        """The aliases whose LCU is not known."""
        return [dasd for dasd in self.dasds if dasd.is_alias and dasd.uid is None]

    @cached_property
    def alias_list(self) -> Absent | None:
        """Why there may be more aliases than were read."""
        return unseen_aliases(self._sample)

    def lcu_name(self, key: str) -> str:
        """Return the name of an LCU."""
        unit = self.machine.lcus.get(key)
        return f"LCU {short(unit.name)}" if unit else key

    @cached_property
    def nodes(self) -> Sequence[BlockDevice]:
        """All block devices."""
        stack = self.machine.stack
        return [node for node in map(stack.node, self.machine.layers.keys) if node is not None]

    @cached_property
    def luns(self) -> Sequence[BlockDevice]:
        """The SCSI disks behind FCP adapters: one for each path to a LUN."""
        return [node for node in self.nodes if isinstance(node.wwpn, str) and isinstance(node.lun, str)]

    @property
    def ports(self) -> Absent | None:
        """Why it is not known which SCSI disks are behind FCP adapters: their ports were not collected."""
        reasons = (node.wwpn for node in self.nodes if is_scsi(node) and isinstance(node.wwpn, Absent))
        return next((why for why in reasons if why.code == NOT_COLLECTED.code), None)

    @cached_property
    def has_list_of_maps(self) -> bool:
        """Whether it is known what multipath joins."""
        return has_list_of_maps(self._sample)

    @cached_property
    def multipaths(self) -> Sequence[BlockDevice]:
        """The multipath devices."""
        return [node for node in self.nodes if node.multipath]

    # files of databases

    @property
    def files(self) -> Sequence[DataFile]:
        """The files of databases that are known."""
        return self.machine.files

    @property
    def listing(self) -> Absent | None:
        """Why the files of databases were not read, if they were asked for."""
        missing = self.frame(CONTAINER).missing
        return missing if missing is not None and missing.code != UNLISTED.code else None

    # what happened in the interval

    def rates(self, kind: Kind, field: str) -> dict[str, Number]:
        """Return what a counter grew by in a second, by key; nothing without an interval."""
        self.is_of_now = True
        if self._interval is None or self._interval.before is None:
            return {}
        delta = self._interval.of(kind)
        return dict(zip(delta.keys, delta.rate(field), strict=True)) if len(delta) else {}

    @property
    def busy(self) -> dict[str, float]:
        """Of each disk that counts, the part of the time in which it had a request: 0 to 1."""
        self.is_of_now = True
        return self._busy

    @cached_property
    def _busy(self) -> dict[str, float]:
        rates = self.rates(BLOCK, "io_ms")
        return {key: float(rate) / 1000 for key, rate in rates.items() if not isinstance(rate, Absent)}

    @property
    def cpu_busy(self) -> Number:
        """The part of the processors' time that was used or taken by others, 0 to 1."""
        self.is_of_now = True
        if self._interval is None:
            return absent("processor time was not measured")
        cpus = Processors(self._interval)
        return 1.0 - cpus.average(cpus.wait) / 100.0


def is_scsi(node: BlockDevice) -> bool:
    """Return whether a block device is a SCSI disk by its name."""
    return node.sort == "disk" and text_of(node.name).startswith("sd")


def _is_short(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) < 16
