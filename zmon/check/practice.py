"""What a check is, what it finds, and what it looks at.

A check is a pure function of `CheckInput`; `zmon.check.practices` lists them all.
"""

from __future__ import annotations

from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Final

from zmon.base import ranges
from zmon.base.absent import Absent, absent, text_of
from zmon.base.record import NamedTuple
from zmon.kinds import BLOCK, DEVICE, LAYER, MACHINE, MEMORY, NOT_COLLECTED, SETTING
from zmon.machine.cpus import Processors
from zmon.topology.volumes import short
from zmon.values.uid import find_uid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.interval import Interval
    from zmon.sample import Kind
    from zmon.topology.machine import Machine
    from zmon.topology.stack import BlockDevice
    from zmon.values.uid import Uid

EMULATED: Final = "HRC"
"""Vendor of disks that Hercules emulates, and manufacturer of its processors."""


DASD_TYPES: Final = ("3390", "3380", "9345", "9336", "3370")
"""Types of devices that are DASDs, bases or aliases."""
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


def ok(words: str) -> Finding:
    """Return that all is as it is advised."""
    return Finding(State.OK, words)


def look(words: str, advice: str = "") -> Finding:
    """Return that it deserves a look; and what to do, in whole sentences, where that is known."""
    return Finding(State.LOOK, words, _as_advice(advice))


def bad(words: str, advice: str = "") -> Finding:
    """Return that it costs time, or is a risk; and what to do, in whole sentences, where that is known."""
    return Finding(State.BAD, words, _as_advice(advice))


def unknown(why: Value) -> Finding:
    """Return that it cannot be read, and why."""
    return Finding(State.UNKNOWN, text_of(why) if isinstance(why, str) else _reason(why))


def skip(words: str) -> Finding:
    """Return that the check means nothing on this machine, and why."""
    return Finding(State.NOT_APPLICABLE, words)


def _as_advice(sentences: str) -> str:
    """Return sentences as they stand behind `Do:`, where a full stop follows."""
    return f"{sentences[:1].lower()}{sentences[1:]}".removesuffix(".")


def _reason(why: Value) -> str:
    return why.reason if isinstance(why, Absent) else str(why)


def several(names: Iterable[str]) -> str:
    """Return names as a part of a sentence: `7000, 7001, 7002, 7003 and 5 more`."""
    return ranges.names(list(dict.fromkeys(names)))


def percent(part: float) -> str:
    """Return a part of a whole as people write it: `51 %`."""
    return f"{100 * part:.0f} %"


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


class CheckInput:
    """What checks look at: a machine at one instant, and the interval that ended then, if there is one."""

    def __init__(self, machine: Machine, interval: Interval | None = None) -> None:
        """Look at nothing yet."""
        self.machine = machine
        self.interval = interval
        self.sample = machine.sample if interval is None else interval.after
        """All that was read; the machine may have been made of parts of it."""

    # machine

    def fact(self, name: str) -> Value:
        """Return a field of the kind MACHINE."""
        return self.sample.frame(MACHINE).cell("machine", name)

    def memory(self, name: str) -> Number:
        """Return a field of the kind MEMORY."""
        value = self.sample.frame(MEMORY).cell("memory", name)
        return absent("it is no number") if isinstance(value, str) else value

    @property
    def environment(self) -> str:
        """`lpar`, `zvm`, `kvm` or `none`; empty if it is not known."""
        return self.machine.host.environment

    @property
    def is_on_z(self) -> bool:
        """Whether this is Linux on IBM Z."""
        architecture = self.fact("architecture")
        if isinstance(architecture, Absent):
            return self.environment in {"lpar", "zvm"} or bool(self.sample.frame(DEVICE).keys)
        return str(architecture).startswith("s390")

    @property
    def elsewhere(self) -> Finding | None:
        """The finding of checks that are about Linux on IBM Z, on another machine."""
        if self.is_on_z:
            return None
        architecture = self.fact("architecture")
        if isinstance(architecture, Absent):
            return unknown(architecture)
        return skip(f"not Linux on IBM Z: {architecture}")

    @property
    def outside_zvm(self) -> Finding | None:
        """The finding of checks that are about guests of z/VM, on another machine."""
        if self.environment == "zvm":
            return None
        if self.environment or (self.elsewhere and self.elsewhere.state is State.NOT_APPLICABLE):
            return skip("only in a guest of z/VM")
        return unknown("whether this is a guest of z/VM is not known: /proc/sysinfo")

    @cached_property
    def release(self) -> tuple[int, int] | None:
        """Version of the kernel: (6, 12); None if it is not known."""
        words = text_of(self.fact("kernel")).partition("-")[0].split(".")
        return (int(words[0]), int(words[1])) if len(words) > 1 and all(map(_is_short, words[:2])) else None

    # settings

    @cached_property
    def settings(self) -> Mapping[str, Value]:
        """The values of settings by their names."""
        frame = self.sample.frame(SETTING)
        return dict(zip(frame.keys, frame.column("value"), strict=True)) if frame.keys else {}

    def setting(self, name: str) -> Value:
        """Return a setting; absent with the reason if it was not read."""
        if name in self.settings:
            return self.settings[name]
        frame = self.sample.frame(SETTING)
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

    # disks

    def missing(self, kind: Kind) -> Finding | None:
        """Return the finding of a check that needs a kind, if that was not read at all."""
        frame = self.sample.frame(kind)
        if frame.keys or frame.missing is None:
            return None
        return unknown(frame.missing)

    @cached_property
    def dasds(self) -> Sequence[Dasd]:
        """The DASDs that are online, aliases among them; texts of tools do not name the driver."""
        frame = self.sample.frame(DEVICE)
        names = ("driver", "online", "uid", "alias", "block", "chpids", "discipline", "vendor")
        rows = zip(frame.keys, *map(frame.column, names), strict=True)
        found = []
        for busid, driver, online, text, alias, block, chpids, discipline, vendor in rows:
            is_told = isinstance(driver, Absent) and (alias == 1 or text_of(block).startswith("dasd"))
            if online == 1 and (is_told or text_of(driver).startswith("dasd-")):
                uid = find_uid(text)
                found.append(
                    Dasd(
                        busid, uid, alias == 1, text_of(block), text_of(chpids), uid.lcu if uid else "",
                        (is_told or driver == "dasd-eckd") and discipline in {"ECKD", "PAV"},
                        EMULATED in {vendor, uid.vendor if uid else ""},
                    )
                )  # fmt: skip
        return found

    @property
    def bases(self) -> Sequence[Dasd]:
        """The DASDs that hold data."""
        return [one for one in self.dasds if not one.is_alias]

    def no_dasd(self, *, real: bool = False) -> Finding | None:
        """Return the finding of a check of DASD where there is none, or with `real` only emulated ones."""
        missing = self.sample.frame(DEVICE).missing
        if missing is not None:
            return skip(f"no DASD: {missing.reason}") if self.elsewhere else unknown(missing)
        if not self.bases:
            return unknown(NO_LSDASD) if self._may_have_dasds else skip("no DASD is online")
        if real and all(one.is_emulated for one in self.bases):
            return skip("the disks are emulated")
        return None

    @property
    def _may_have_dasds(self) -> bool:
        """Whether a device is online that may be a DASD, a base or an alias, and nothing says so."""
        frame = self.sample.frame(DEVICE)
        names = ("online", "driver", "alias", "devtype")
        return any(
            online == 1
            and isinstance(driver, Absent)
            and isinstance(alias, Absent)
            and text_of(devtype).startswith(DASD_TYPES)
            for online, driver, alias, devtype in zip(*map(frame.column, names), strict=True)
        )

    @property
    def stray_aliases(self) -> Finding | None:
        """The finding of a check of aliases if one may not be listed, or its LCU is not known."""
        if self._may_have_dasds:
            return unknown(NO_LSDASD)
        count = sum(1 for one in self.dasds if one.is_alias and one.uid is None)
        if not count:
            return None
        return unknown(f"{ranges.many(count, 'alias', 'aliases')} without a uid, so their LCU is not known")

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

    def no_lun(self) -> Finding | None:
        """Return the finding of a check of SCSI disks behind FCP where there is none."""
        layers = self.sample.frame(LAYER)
        if not layers.keys and layers.missing is not None:
            return unknown(layers.missing)
        if self.luns:
            return None
        for node in self.nodes:
            why = node.wwpn
            if is_scsi(node) and isinstance(why, Absent) and why.code == NOT_COLLECTED.code:
                return unknown(why)
        return skip("no SCSI disk behind FCP")

    # what happened in the interval

    def rates(self, kind: Kind, field: str) -> dict[str, Number]:
        """Return what a counter grew by in a second, by key; nothing without an interval."""
        if self.interval is None or self.interval.before is None:
            return {}
        delta = self.interval.of(kind)
        return dict(zip(delta.keys, delta.rate(field), strict=True)) if len(delta) else {}

    @cached_property
    def busy(self) -> dict[str, float]:
        """Of each disk that counts, the part of the time in which it had a request: 0 to 1."""
        rates = self.rates(BLOCK, "io_ms")
        return {key: float(rate) / 1000 for key, rate in rates.items() if not isinstance(rate, Absent)}

    @cached_property
    def cpu_busy(self) -> Number:
        """The part of the processors' time that was used or taken by others, 0 to 1."""
        if self.interval is None:
            return absent("processor time was not measured")
        cpus = Processors(self.interval)
        return 1.0 - cpus.average(cpus.wait) / 100.0


def is_scsi(node: BlockDevice) -> bool:
    """Return whether a block device is a SCSI disk by its name."""
    return node.sort == "disk" and text_of(node.name).startswith("sd")


def _is_short(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) < 16
