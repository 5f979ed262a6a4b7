"""Checks of processors, network, dumps, names and monitoring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, text_of
from zmon.base.ranges import many
from zmon.check.practice import Check, bad, look, ok, percent, several, skip, unknown
from zmon.kinds import BLOCK

if TYPE_CHECKING:
    from zmon.check.practice import CheckInput, Finding
    from zmon.topology.volumes import Volume

FULL: Final = 0.9
BUFFERS: Final = ((500, 16), (900, 32), (1900, 64))
"""MB of memory up to which this many buffers are enough for an OSA device; 128 for more."""
MOST_BUFFERS: Final = 128
MOST_NAMED: Final = 0.8
"""Part of the labels that have the device number in them, from which on that is the rule there."""
RECORDERS: Final = frozenset({"pmlogger", "sadc", "zmon"})


def virtual_processors(given: CheckInput) -> Finding:
    """B23: a guest has no more processors than its LPAR."""
    if given.outside_zvm:
        return given.outside_zvm
    virtual, real = given.fact("vm_cpus_configured"), given.fact("lpar_cpus_configured")
    if not isinstance(virtual, int) or not isinstance(real, int):
        return unknown(virtual if isinstance(virtual, Absent) else real)
    words = f"{many(virtual, 'virtual processor')}, {real} in the LPAR of z/VM"
    return bad(words) if virtual > real else ok(words)


def processors_for_fcp(given: CheckInput) -> Finding:
    """B25: processors do not limit what FCP could move."""
    excused = given.no_lun()
    if excused:
        return excused
    rates: dict[str, float] = {}
    for name in ("reads", "writes"):
        for key, rate in given.rates(BLOCK, name).items():
            rates[key] = rates.get(key, 0.0) + (0.0 if isinstance(rate, Absent) else rate)
    if isinstance(given.cpu_busy, Absent) or not rates:
        return unknown("the load was not measured: this takes two samples")
    names = {str(node.name) for node in given.luns}
    disks = [key for key in rates if key.startswith(("dasd", "sd"))]
    fcp = sum(rates[key] for key in disks if key in names)
    words = f"processors {percent(given.cpu_busy)} busy, {fcp:,.0f} FCP requests/s"
    half = sum(rates[key] for key in disks) / 2
    return look(words) if fcp and fcp > half and given.cpu_busy >= FULL else ok(words)


def capacity(given: CheckInput) -> Finding:
    """H14: the machine runs at the speed that was bought."""
    if given.elsewhere:
        return given.elsewhere
    adjustment, reason = given.number("capacity/adjustment"), given.number("capacity/reason")
    if isinstance(adjustment, Absent) and isinstance(reason, Absent):
        if not given.settings:
            return unknown(adjustment)
        return skip("/proc/sysinfo has no line about a change of capacity")
    if (not isinstance(adjustment, Absent) and adjustment < 100) or (
        not isinstance(reason, Absent) and reason
    ):
        return bad(f"capacity adjustment {_shown(adjustment)}, reason {_shown(reason)}")
    return ok("capacity adjustment 100, no reason for a change")


def _shown(value: object) -> str:
    return "not known" if isinstance(value, Absent) else str(value)


def recorder(given: CheckInput) -> Finding:
    """B27: something records day and night."""
    programs = given.setting("programs")
    if isinstance(programs, Absent):
        return given.elsewhere or unknown(programs)
    running = RECORDERS.intersection(str(programs).split())
    names = {"zmon": "zmon record"}
    if running:
        return ok(f"{several(names.get(name, name) for name in sorted(running))} runs")
    return given.elsewhere or look("neither zmon record, sadc nor pmlogger runs")


def _named_volumes(given: CheckInput) -> list[Volume]:
    disks = given.machine.volumes.values() if given.bases else ()
    return [volume for volume in disks if isinstance(volume.volser, str) and isinstance(volume.rdev, str)]


def labels(given: CheckInput) -> Finding:
    """B28: the label of a volume has its real device number in it."""
    excused = given.no_dasd()
    if excused:
        return excused
    volumes = _named_volumes(given)
    if len(volumes) < 2:
        known = f"of {len(volumes)} of {many(len(given.bases), 'disk')}" if volumes else "of no disk"
        return unknown(f"label and real device number are known {known}; it takes two disks")
    other = [f"{v.volser} is {v.rdev}" for v in volumes if not str(v.volser).endswith(str(v.rdev)[-4:])]
    words = f"{len(volumes) - len(other)} of {many(len(volumes), 'label')} end in the device number"
    if len(other) > (1 - MOST_NAMED) * len(volumes):
        return look(words)
    return look(f"{words}, not: {several(other)}") if other else ok(words)


def number_blocks(given: CheckInput) -> Finding:
    """B29: a block of 256 device numbers is one LCU."""
    excused = given.no_dasd()
    if excused:
        return excused
    blocks: dict[str, set[str]] = {}
    for volume in given.machine.volumes.values() if given.bases else ():
        if isinstance(volume.rdev, str) and not isinstance(volume.lcu, Absent):
            blocks.setdefault(volume.rdev[:-2], set()).add(volume.key)
    if not blocks:
        return unknown("the real device numbers or the LCUs are not known")
    mixed = [f"{block}xx ({len(keys)} LCUs)" for block, keys in sorted(blocks.items()) if len(keys) > 1]
    if mixed and all(one.is_emulated for one in given.bases):
        return skip("the disks are emulated")
    if mixed:
        return look(f"numbers of several LCUs in one block: {several(mixed)}")
    return ok(f"{many(len(blocks), 'block')} of numbers, each of one LCU")


def network(given: CheckInput) -> Finding:
    """B31: nothing is set for it on kernels of today."""
    return (
        skip("for information only: Linux learns the topology of processors by itself")
        if (given.is_on_z)
        else skip("only on IBM Z")
    )


def expanded_storage(given: CheckInput) -> Finding:
    """B34: z/VM has had no expanded storage since 6.4."""
    return given.outside_zvm or skip("z/VM 6.4 and later have no expanded storage")


def fstab(given: CheckInput) -> Finding:
    """H9: file systems are not mounted by names that depend on the order of detection."""
    excused = given.no_dasd()
    if excused:
        return excused
    count = given.number("fstab/dasd")
    if isinstance(count, Absent):
        return unknown(count)
    return look(f"{many(int(count), 'line')} with /dev/dasdX") if count else ok("no line with /dev/dasdX")


def network_buffers(given: CheckInput) -> Finding:
    """H16: an OSA device has buffers for the memory there is."""
    rows = given.settings_of("qeth/")
    if not rows:
        return skip("no OSA or HiperSockets device") if given.settings else unknown(given.setting("qeth"))
    total = given.memory("total")
    counts = {name.partition("/")[0]: value for name, value in rows.items() if isinstance(value, int)}
    if isinstance(total, Absent) or not counts:
        return unknown(total if isinstance(total, Absent) else next(iter(rows.values())))
    wanted = next((number for size, number in BUFFERS if total <= size << 20), MOST_BUFFERS)
    few = [f"{busid} has {count}" for busid, count in counts.items() if count < wanted]
    if few:
        return look(f"{several(few)} of {wanted} buffers")
    return ok(f"{wanted} buffers or more for {many(len(counts), 'device')}")


def dumps(given: CheckInput) -> Finding:
    """H17: a crash leaves a dump, and an oops is a crash."""
    if given.elsewhere:
        return given.elsewhere
    action, kdump = given.setting("on_panic"), given.setting("kexec_crash_loaded")
    if isinstance(action, Absent) and isinstance(kdump, Absent):
        return unknown(action)
    dump = kdump == "1" or "dump" in text_of(action)
    oops = given.setting("kernel.panic_on_oops")
    if not dump:
        return look(f"no dump is taken: on_panic is {text_of(action) or 'not known'}, kdump is not loaded")
    if oops == "0":
        return look("a dump is taken after a panic, but an oops does not panic: kernel.panic_on_oops is 0")
    return ok("a dump is taken by kdump" if kdump == "1" else f"on_panic is {action}")


CHECKS: Final = (
    Check("B23", "virtual processors", "/proc/sysinfo: VM00 CPUs, LPAR CPUs", "no more than the LPAR has",
          "define as few virtual processors as the guest needs, and never more than the z/VM LPAR has",
          "S004:531-532", virtual_processors),
    Check("B25", "processors for FCP", "/proc/stat, /proc/diskstats", "less than 90 % busy",
          "give Linux more processors: FCP takes about 14 % more processor time than ECKD",
          "S000:188-191, S000:852-853, S000:871-874", processors_for_fcp),
    Check("B27", "permanent monitoring", "/proc/*/comm", "zmon record, sadc or pmlogger runs",
          "start zmon record as a service: after an incident only a recording helps", "S004:326-334",
          recorder),
    Check("B28", "labels have the device number", "udev, BIODASDINFO2, CP", "all labels",
          "let the label of a volume end in its real device number: then the disk of a file is found in"
          " minutes", "S001:441-445, S001:522-526", labels),
    Check("B29", "device numbers show the LCU", "/sys/bus/ccw/devices/*/uid, CP", "one LCU for 256 numbers",
          "number devices so that the first digits name the LCU; tell zmon in site.toml", "S001:389-398",
          number_blocks),
    Check("B31", "network of guests, topology", "-", "-", "-", "S003:65-93, S003:240-246", network),
    Check("B34", "reorder, expanded storage", "/proc/sysinfo", "-", "-", "S004:366, S004:534",
          expanded_storage),
    Check("H9", "device nodes in fstab", "/etc/fstab", "no /dev/dasdX",
          "name file systems by UUID or /dev/disk/by-path", "lnxhc fs_fstab_dasd_devnodes", fstab),
    Check("H14", "capacity of the machine", "/proc/sysinfo: Capacity Adj. Ind., Capacity Ch. Reason",
          "100, no reason", "ask at the HMC why the machine runs slower: power saving, cooling, or a limit",
          "lnxhc cpu_capacity", capacity),
    Check("H16", "buffers of OSA devices", "/sys/devices/qeth/*/buffer_count",
          "128 from 1,900 MB of memory on", "write 128 into buffer_count while the device is offline",
          "lnxhc net_qeth_buffercount", network_buffers),
    Check("H17", "dump after a crash", "/sys/firmware/shutdown_actions/on_panic,"
          " /sys/kernel/kexec_crash_loaded, panic_on_oops", "a dump, and panic_on_oops 1",
          "configure kdump or dumpconf, and set kernel.panic_on_oops=1",
          "lnxhc ras_dump_on_panic, ras_panic_on_oops", dumps),
)  # fmt: skip
"""The checks of this module."""
