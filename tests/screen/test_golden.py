"""Whole screens, compared with the text files in tests/golden.

`ZMON_GOLDEN=write pytest tests/screen/test_golden.py` writes them anew; read the difference
before it is kept.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ListTimeline
from tests.goldens import compare
from zmon.base.absent import absent
from zmon.base.shipped import shipped
from zmon.cli.main import main
from zmon.kinds import (
    BLOCK,
    CACHE,
    CHANNEL,
    CMF,
    CPU,
    DASD,
    DEVICE,
    LPAR,
    LPAR_CPU,
    MACHINE,
    MEMORY,
    NO_BLOCK_OF_ALIAS,
    PHYSICAL_CPU,
    SOURCE,
)  # fmt: skip
from zmon.machine.period import Busy, Period
from zmon.machine.view import View
from zmon.registry import NO_CACHE
from zmon.rule.grammar import load_rules
from zmon.sample import Instant, Sample, frame_of
from zmon.screen.definition import load_screens
from zmon.screen.export import text
from zmon.screen.sheet import Sheet, natural
from zmon.session.commands import run
from zmon.session.page import FillTask, Page
from zmon.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval
    from zmon.sample import Kind

    Rows = dict[Kind, dict[str, dict[str, Any]]]

pytestmark = pytest.mark.usefixtures("utc")

RECORDING = Path(__file__).parents[2] / "recordings" / "hercules-four-queries.zmon"
SECONDS = 60
TENTH = 100_000_000
"""ns in a tenth of a second."""
MS = 1_000_000


# --- screens of captured machines -----------------------------------------------------------------------

BY_TIME = [
    "SYSSUMLG", "REDISP", "DEVLOG", "BENCHMRK", "CTLULOG", "CHANLOG", "PROCLOG", "PAGELOG", "LPARLOG",
]  # fmt: skip
CAPTURED = ["CHANNEL", "CTLUNIT", "DEVICE", "CACHEXT", "CPU", "LPAR", "ZMON", "MENU", *BY_TIME]


@pytest.mark.parametrize("screen", [*CAPTURED, "DEVICE 7000", "DEVICE 0190", "DEVLOG 7000"])
@pytest.mark.parametrize("machine", ["hercules", "hyperion", "qemu"])
def test_captured_machines(
    machine: str, screen: str, lay_out: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Two passes of a real kernel under an emulator, printed by the command that people use."""
    if (machine, screen) == ("hyperion", "DEVICE 0190"):
        screen = "DEVICE 0X7100"
    assert main(["show", *screen.split(), "--from", lay_out(machine)]) == 0
    compare(f"{machine}-{screen.replace(' ', '-')}", capsys.readouterr().out.splitlines())


@pytest.mark.parametrize("asked", ["DASDSTAT", "DASDSTAT 7001", "DASDSTAT 0.0.7001 READS TOTAL"])
def test_histograms(asked: str, lay_out: Callable[[str], str], capsys: pytest.CaptureFixture[str]) -> None:
    """What the driver of a real kernel counted, as bars."""
    assert main(["show", *asked.split(), "--from", lay_out("dasdstat")]) == 0
    compare(f"histograms-{asked.replace(' ', '-')}", capsys.readouterr().out.splitlines())


def test_histograms_of_two_captures(
    lay_out: Callable[[str], str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one picture, here of one capture, whose begin was busy with setting up."""
    monkeypatch.chdir(Path(lay_out("dasdstat")).parent)
    sources = ["--from", "dasdstat", "--with", "dasdstat", "--compare", "22:00:58"]
    assert main(["show", "DASDSTAT", *sources]) == 0
    compare("histograms-compared", capsys.readouterr().out.splitlines())


# --- the recording that ships ---------------------------------------------------------------------------


@pytest.mark.parametrize("screen", ["CTLUNIT", "DEVICE"])
@pytest.mark.parametrize("minutes", [1, 5])
def test_recording(minutes: int, screen: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Recorded on s390x: the quiet log alone, and four queries on one control unit."""
    where = ["--from", str(RECORDING), "--at", f"begin+{minutes}m"]
    assert main(["show", screen, *where]) == 0
    compare(f"four-queries-{screen}-{minutes}m", capsys.readouterr().out.splitlines())


# --- a machine as no emulator is ------------------------------------------------------------------------


def cmf(rate: float, pend: float, disc: float, conn: float, cuwt: float = 0.0) -> dict[str, Any]:
    """Return what CMF counts in a minute, from starts per second and ms per start."""
    count = round(rate * SECONDS)
    times = {"pending": pend, "disconnect": disc, "connect": conn, "cu_queue": cuwt}
    return {"ssch": count, "samples": count, "elapsed": SECONDS * 1000 * MS, "error": 0,
            **{name: round(count * ms * MS) for name, ms in times.items()}}  # fmt: skip


def block(busid: str, rate: float, resp: float, reads: float = 1.0) -> dict[str, Any]:
    """Return what /proc/diskstats counts in a minute."""
    count = round(rate * SECONDS)
    read = round(count * reads)
    return {"busid": busid, "reads": read, "writes": count - read, "read_ms": round(read * resp),
            "write_ms": round((count - read) * resp), "sectors_read": 8 * read,
            "sectors_written": 8 * (count - read), "weighted_ms": round(count * resp),
            "in_flight": int(count > 0), "nr_requests": 128, "size": 20_000_000}  # fmt: skip


def disk(
    ua: str, block: str = "", ssid: str = "2482", paths: str = "62 63 72 73", **more: Any
) -> dict[str, Any]:
    """Return the attributes of a DASD on line."""
    return {"online": 1, "alias": 0, "uid": f"IBM.750000000L0001.{ssid}.{ua}", "devtype": "3390/0c",
            "cutype": "2107/e8", "chpids": paths, "pim": 0xF0, "pam": 0xF0, "pom": 0xF0, "vpm": 0xF0,
            "block": block or NO_BLOCK_OF_ALIAS,
            "status": "online", "availability": "good", "discipline": "ECKD", "hpf": 1,
            "driver": "dasd-eckd", "subchannel": f"0.0.00{ua}", **more}  # fmt: skip


DEVICES: Rows = {
    DEVICE: {
        "0.0.0200": disk("00", "dasda", "1153"),
        "0.0.0620": {"online": 1, "devtype": "3088/08", "cutype": "3088/08", "chpids": "08", "pim": 0x80,
                     "pam": 0x80, "pom": 0x80, "driver": "ctcm", "alias": 0},
        "0.0.7200": disk("00", "dasdb"),
        "0.0.7207": disk("07", "dasdc"),
        "0.0.7600": disk("00", "dasdd", "2484", devtype="3390/0a"),
    },
    CMF: {
        "0.0.0200": cmf(1.1, 0.1, 0.0, 0.3),
        "0.0.0620": cmf(1.7, 0.2, 601, 0.1),
        "0.0.7200": cmf(112.2, 0.2, 3.1, 4.9),
        "0.0.7207": cmf(96.6, 0.2, 0.4, 3.2),
        "0.0.7600": cmf(38.0, 0.1, 0.2, 0.9),
    },
    BLOCK: {
        "dasda": block("0.0.0200", 1.1, 0.4), "dasdb": block("0.0.7200", 112.2, 61.4),
        "dasdc": block("0.0.7207", 96.6, 12.7), "dasdd": block("0.0.7600", 38.0, 1.3, reads=0.25),
    },
    DASD: {
        "0.0.0200": {"volser": "VMRES1", "name": "dasda", "lss": 0x11, "cylinders": 262668},
        "0.0.7200": {"volser": "LX7200", "name": "dasdb", "lss": 0x24},
        "0.0.7207": {"volser": "LX7207", "name": "dasdc", "lss": 0x24},
        "0.0.7600": {"volser": "LX7600", "name": "dasdd", "lss": 0x26},
    },
}  # fmt: skip

LPARS: Rows = {
    LPAR: {
        "LNXPROD": {"number": 3, "upid": "03", "cpus": 4, "own": 1, "os": "LNXPROD", "group": ""},
        "LNXTEST": {"number": 4, "upid": "04", "cpus": 2, "own": 0, "os": "", "group": ""},
        "VMPROD": {"number": 1, "upid": "01", "cpus": 2, "own": 0, "os": "ZVM", "group": "G1"},
    },
    LPAR_CPU: {
        f"{name}/{cpu}": {
            "type": kind, "lpar": name, "cpu": str(cpu), "online": online, "capped": capped,
            "dedicated": int(weight == 0xFFFF), "weight": weight, "cap_type": 0, "cap_group": 0,
            "accumulated": busy * SECONDS * 10_000, "dispatched": round((busy - over) * SECONDS * 10_000),
            "wait": wait * SECONDS * 10_000, "online_time": online * SECONDS * 1_000_000,
            "clock": SECONDS * 1_000_000,
        }
        for name, cpu, kind, online, capped, weight, busy, over, wait in (
            ("LNXPROD", 0, "IFL", 1, 0, 300, 65, 0.6, 33), ("LNXPROD", 1, "IFL", 1, 0, 300, 80, 0.5, 5),
            ("LNXPROD", 2, "IFL", 0, 0, 300, 0, 0, 0), ("LNXTEST", 0, "IFL", 1, 1, 100, 6, 0.2, 94),
            ("VMPROD", 0, "CP", 1, 0, 0xFFFF, 100, 0, 0),
        )
    },
    PHYSICAL_CPU: {
        str(number): {"type": kind, "dedicated": dedicated, "management": 600_000,
                      "clock": SECONDS * 1_000_000}
        for number, kind, dedicated in ((0, "CP", 1), (1, "IFL", 0), (2, "IFL", 0), (3, "IFL", 0))
    },
}  # fmt: skip

FICON = {"type": 0x1B, "cmg": 2, "timestamp": 468_750, "max_bus_cycles": 100_000, "max_work_units": 10_000,
         "data_unit_size": 4096, "bus_cycles_cpc": 1_500_000, "status": "online", "configure": 1, "shared": 1,
         "chid": "0124", "speed": "16G"}  # fmt: skip

CHANNELS: Rows = {
    CHANNEL: {
        "0.10": FICON | {"type": 0x11, "work_units_cpc": 0, "work_units": 0, "read_cpc": 0, "written_cpc": 0},
        "0.62": FICON | {"work_units_cpc": 444_000, "work_units": 150_000,
                          "read_cpc": 1_200_000, "written_cpc": 60},
        "0.63": FICON | {"work_units_cpc": 426_000, "work_units": 120_000,
                          "read_cpc": 900_000, "written_cpc": 60},
        "0.72": {"type": 0x05, "cmg": 1, "timestamp": 468_750, "busy_cpc": 56_250, "busy": 28_125,
                 "status": "online", "configure": 1, "shared": 0, "chid": "", "speed": "0"},
        "0.73": {"type": 0x24, "cmg": 3, "timestamp": 468_750, "data_sent_cpc": 600_000_000,
                 "data_sent": 300_000_000, "data_unit_size": 1, "data_unit_size_cpc": 1, "status": "online"},
    },
}  # fmt: skip

CACHES: Rows = {
    CACHE: {
        key: {
            "ssid": ssid, "caching": "A", "fast_write": "A", "duplex": "-", "device_status": "00",
            "reads": reads * 60, "read_hits": round(reads * hits * 60), "seq_reads": seq * 60,
            "seq_read_hits": seq * 60, "writes": writes * 60, "write_hits": writes * 60, "seq_writes": 0,
            "seq_write_hits": 0, "cfw_reads": 0, "cfw_read_hits": 0, "cfw_writes": 0, "cfw_write_hits": 0,
            "dfw_normal": writes * 60, "dfw_sequential": 0, "staged": 6, "seq_staged": 60, "destaged": 600,
            "dfw_delayed": 0, "inhibited": 0, "bypassed": 0,
        }
        for key, ssid, reads, hits, seq, writes in (
            ("0.0.0200", "1153", 0.7, 1.0, 0, 0.4), ("0.0.7000", "2482", 0, 1.0, 0, 0),
            ("0.0.7200", "2482", 101, 0.68, 0, 11.3), ("0.0.7207", "2482", 0, 1.0, 96.6, 0),
            ("0.0.7600", "2484", 0, 1.0, 0, 38.0),
        )
    },
}  # fmt: skip

WORK: Rows = {
    CPU: {
        "0": {"user": 30 * TENTH, "nice": 0, "system": 18 * TENTH, "irq": TENTH, "softirq": 2 * TENTH,
              "idle": 500 * TENTH, "iowait": 43 * TENTH, "steal": 6 * TENTH, "guest": 0, "guest_nice": 0,
              "polarization": "vertical:high", "address": "0", "online": 1},
        "1": {"user": 300 * TENTH, "nice": 6 * TENTH, "system": 120 * TENTH, "irq": 3 * TENTH,
              "softirq": 9 * TENTH, "idle": 0, "iowait": 60 * TENTH, "steal": 102 * TENTH, "guest": 0,
              "guest_nice": 0, "polarization": "vertical:low", "address": "1", "online": 1},
        "2": {"address": "2", "online": 0},
    },
    MEMORY: {"memory": {"total": 8 << 30, "available": 3 << 30, "free": 1 << 30, "buffers": 100 << 20,
                        "cached": 2 << 30, "swap_total": 2 << 30, "swap_free": 1 << 30,
                        "swapped_in": 600, "swapped_out": 7200}},
}  # fmt: skip

LPAR_MACHINE: Rows = {
    MACHINE: {"machine": {"type": "8561", "model": "T01", "sequence": "00000000000A1B2",
                          "environment": "lpar",
                          "lpar_name": "LNXPROD", "lpar_number": 3, "lpar_characteristics": "Shared",
                          "lpar_cpus_shared": 4, "lpar_cpus_dedicated": 0, "cap_weight_ifl": 0,
                          "cap_absolute_ifl": 250}},
    SOURCE: {"disks": {"state": "ok", "reads_what": "/proc/diskstats, cmf/*", "every": 0, "rows": 9,
                       "calls": 30,
                       "spent": 42_500_000, "cpu": 20_000_000, "errors": 0, "reason": ""},
             "cache": {"state": "off", "reads_what": "BIODASDPSRD", "every": 60, "rows": 0, "calls": 0,
                       "spent": 0, "cpu": 0, "errors": 0, "reason": NO_CACHE}},
    **DEVICES, **LPARS, **CHANNELS, **CACHES, **WORK,
}  # fmt: skip

# a volume with two HyperPAV aliases and one with a base-PAV alias, in two of three LCUs
PAV_MACHINE: Rows = {
    MACHINE: LPAR_MACHINE[MACHINE],
    DEVICE: {
        "0.0.7000": disk("00", "dasda", "2480"), "0.0.7100": disk("00", "dasdb", "2481"),
        "0.0.7200": disk("00", "dasdc", "2482"),
        "0.0.70fe": disk("xx", "", "2480", alias=1), "0.0.70ff": disk("xx", "", "2480", alias=1),
        "0.0.71ff": disk("00", "", "2481", alias=1),
    },
    CMF: {
        "0.0.7000": cmf(400, 0.1, 1.0, 0.9), "0.0.7100": cmf(20, 0.1, 0.0, 0.4), "0.0.7200": cmf(0, 0, 0, 0),
        "0.0.70fe": cmf(300, 0.1, 1.5, 1.4), "0.0.70ff": cmf(290, 0.1, 1.5, 1.4),
        "0.0.71ff": cmf(5, 0.1, 0, 0.4),
    },
    BLOCK: {"dasda": block("0.0.7000", 990, 12.0), "dasdb": block("0.0.7100", 25, 0.6),
            "dasdc": block("0.0.7200", 0, 0)},
    DASD: {"0.0.7000": {"volser": "LX7000", "name": "dasda", "lss": 0x22}},
}  # fmt: skip


def nothing_yet(rows: Rows) -> Rows:
    """Return the same things with every counter at zero."""
    return {
        kind: {
            key: {name: 0 if kind.by_name[name].meaning.value in {"counter", "age", "clock"} else value
                  for name, value in fields.items()}
            for key, fields in things.items()
        }
        for kind, things in rows.items()
    }  # fmt: skip


def guest() -> Rows:
    """Return the same disks as a z/VM guest sees them: channel paths without load."""
    paths = {name: {"type": 0x1B, "status": "online"} for name in ("0.62", "0.63", "0.72", "0.73")}
    machine = {"type": "8561", "sequence": "00000000000A1B2", "environment": "zvm", "control_program": "z/VM"}
    busy = cmf(40, 0.2, 0.5, 20.0)  # connected for 80 % of the time, over two paths
    devices = dict(DEVICES[DEVICE]) | {
        "0.0.7600": disk("00", "dasdd", "2484", paths="62 63", pim=0xC0, pam=0xC0)
    }
    return DEVICES | {CHANNEL: paths, MACHINE: {"machine": machine}, DEVICE: devices,
                      CMF: DEVICES[CMF] | {"0.0.7600": busy}}  # fmt: skip


def shares(*percent: int) -> Busy:
    """Return figures whose distribution is the given one."""
    figures = Busy()
    figures.seconds, figures.ranges = 100.0, [*percent, *[0] * (10 - len(percent))]
    figures.busy_seconds = {2: 58.0, 3: 55.0, 71: 9.0, 72: 9.0}.get(percent[0], 0.0)
    return figures


def period() -> Period:
    """Return the figures of the documented FCX107."""
    found = Period()
    found.begin, found.end = (Instant(second * 1_000_000_000, 0, "") for second in (48_543, 50_823))
    found.channels = {
        "0.62": shares(2, 3, 5, 11, 18, 26, 21, 14), "0.63": shares(3, 4, 6, 13, 19, 25, 19, 11),
        "0.72": shares(71, 26, 3), "0.10": shares(100),
    }  # fmt: skip
    return found


MACHINES = {"lpar": LPAR_MACHINE, "pav": PAV_MACHINE, "guest": guest()}


def screen_of(interval: Interval, command: str, argument: str = "") -> list[str]:
    """Draw a screen of an interval."""
    screens = load_screens(shipped("screens"))
    screen = screens.find(command)
    view = View(interval, period if command == "CHANNEL" else Period, argument)
    table = FillTask(Page(screen, argument), view, rules=load_rules()).table()
    return list(text(Sheet(screen, table, natural(screen)), screens, interval, live=True))


@pytest.fixture
def draw(make_interval: Callable[..., Interval]) -> Callable[..., list[str]]:
    """Draw a screen of one of the machines made by hand."""

    def drawn(machine: str, command: str, argument: str = "") -> list[str]:
        rows = MACHINES[machine]
        return screen_of(make_interval(nothing_yet(rows), rows, SECONDS), command, argument)

    return drawn


@pytest.mark.parametrize(
    ("machine", "command", "argument"),
    [
        ("lpar", "CHANNEL", ""), ("lpar", "DEVICE", ""), ("lpar", "CTLUNIT", ""), ("lpar", "CACHEXT", ""),
        ("lpar", "LPAR", ""), ("lpar", "CPU", ""), ("lpar", "ZMON", ""), ("lpar", "DETAILS", "7200"),
        ("pav", "DEVICE", ""), ("pav", "CTLUNIT", ""), ("pav", "DETAILS", "70ff"),
        ("guest", "CHANNEL", ""), ("guest", "LPAR", ""),
    ],
)  # fmt: skip
def test_machines_made_by_hand(
    machine: str, command: str, argument: str, draw: Callable[..., list[str]]
) -> None:
    """An LPAR with all that is measured there, a machine with aliases, a guest with estimates."""
    compare("-".join(filter(None, (machine, command, argument))), draw(machine, command, argument))


def later(rows: Rows, factor: float) -> Rows:
    """Return the same things with every counter so many times as far."""
    counts = {"counter", "age", "clock"}
    return {
        kind: {
            key: {name: round(value * factor)
                  if isinstance(value, (int, float)) and kind.by_name[name].meaning.value in counts else value
                  for name, value in fields.items()}
            for key, fields in things.items()
        }
        for kind, things in rows.items()
    }  # fmt: skip


def an_hour(rows: Rows) -> Session:
    """Look at a machine that does more and less work in six minutes, with a gap of ten after the fourth."""
    samples = []
    done, minute = 0.0, 0
    for work, minutes in ((0, 1), (0.5, 1), (1, 1), (1.5, 1), (3, 10), (1, 1), (0.1, 1)):
        done, minute = done + work, minute + minutes
        at = 1_700_000_000_000_000_000 + minute * SECONDS * 1_000_000_000
        frames = {kind.name: frame_of(kind, even(things), at) for kind, things in later(rows, done).items()}
        samples.append(Sample(Instant(at, at, "boot"), frames, nominal=SECONDS))
    session = Session(ListTimeline(samples), load_screens(shipped("screens")))
    session.end()
    return session


def even(things: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return rows that all have the same fields."""
    names = {name: None for fields in things.values() for name in fields}
    unread = absent("not given in this test")
    return {key: {name: fields.get(name, unread) for name in names} for key, fields in things.items()}


@pytest.mark.parametrize("command", [*BY_TIME, "DEVLOG 7200", "BENCHMRK DEVICE 7207", "CTLULOG 2482",
                                     "CHANLOG 62", "PROCLOG 1", "LPARLOG vmprod"])  # fmt: skip
def test_an_hour_made_by_hand(command: str) -> None:
    """Rows of a minute, a gap that is said, and the mean of what is known above them."""
    session = an_hour(LPAR_MACHINE)
    run(session, command)
    interval = session.interval
    assert interval is not None
    drawn = list(text(session.sheet(), session.screens, interval, live=False))
    compare(f"hour-{command.replace(' ', '-')}", drawn)
    assert sum("no samples since" in line for line in drawn) == 1


@pytest.mark.parametrize(
    ("address", "numbers"),
    [
        ("0620", "  .2  601   .1  601  601    .0 ...."),
        ("7200", "  .2  3.1  4.9  8.2 61.4    .0 5.97"),
        ("7207", "  .2   .4  3.2  3.8 12.7    .0  .86"),
        ("7600", "  .1   .2   .9  1.2  1.3    .0  .00"),
        ("0200", "  .1   .0   .3   .4   .4    .0  .00"),
        (">> A", "  .2  1.6  3.6  5.4 32.9    .0 6.83"),
    ],
)
def test_the_numbers_of_the_documented_fcx108(
    address: str, numbers: str, draw: Callable[..., list[str]]
) -> None:
    """Times, queues and the line for all DASD come out as in the reference; the sum of queues is ours."""
    line = next(line for line in draw("lpar", "DEVICE") if line[1:5] == address)
    assert line[44:79].translate(str.maketrans("*!", "  ")).rstrip() == numbers


def test_the_rows_of_the_documented_fcx107(draw: Callable[..., list[str]]) -> None:
    """Work units of 74 % are 74, and the distribution stands where the original has it."""
    lines = [line[:80] for line in draw("lpar", "CHANNEL")]
    assert " 62     FICON   ....    74   58      2     3     5    11    18    26    21    14" in lines
    assert " 63     FICON   ....    71   55      3     4     6    13    19    25    19    11" in lines
    assert " 10     OSD     ....     0    0    100     0     0     0     0     0     0     0" in lines


def test_the_rows_of_the_documented_fcx177(draw: Callable[..., list[str]]) -> None:
    """Rates and percentages of the reference; without activity there are dots, never zero."""
    lines = [line[:77] for line in draw("lpar", "CACHEXT")]
    assert " 0200 3390-A VMRES1 1153 A A - 00   1.1   1.1    .7    .0    .4   64 100  100" in lines
    assert " 7200 3390-9 LX7200 2482 A A - 00   112   112   101    .0  11.3   90  71   68" in lines
    assert " 7207 3390-9 LX7207 2482 A A - 00  96.6  96.6    .0  96.6    .0  100 100  100" in lines
    assert " 7600 3390-3 LX7600 2484 A A - 00  38.0  38.0    .0    .0  38.0    0 100 ...." in lines
    assert [line[64:77] for line in lines if line[1:5] == "7000"] == [".... ... ...."]


def test_the_places_on_the_documented_fcx110(draw: Callable[..., list[str]]) -> None:
    """Labels, colons, values and units of the page stand in the columns of the original."""
    lines = draw("lpar", "DETAILS", "7200")[2:]
    assert (lines[0].index("7200"), lines[0].index("( LINUX )")) == (30, 35)
    assert [(at, lines[1][at:].split()[0]) for at in (16, 46, 75)] == [
        (16, "3390-9"),
        (46, ".2ms"),
        (75, "92%"),
    ]
    assert [(at, lines[2][at:].split()[0]) for at in (16, 45)] == [(16, "LX7200"), (45, "3.1ms")]
    assert [line[24:] for line in lines[9:11]] == ["    62    63    72    73", "    ON    ON    ON    ON"]


@pytest.mark.parametrize("machine", sorted(MACHINES))
@pytest.mark.parametrize("command", ["CHANNEL", "DEVICE", "CTLUNIT", "CACHEXT", "CPU", "LPAR", "ZMON"])
def test_no_line_is_longer_than_its_screen(
    machine: str, command: str, draw: Callable[..., list[str]]
) -> None:
    """Only marks take more room than the columns; column 1 is blank."""
    lines = draw(machine, command)
    screen = load_screens(shipped("screens")).find(command)
    width = max(screen.width + len(screen.columns), 79)
    rows = [line for line in lines if not line.startswith((" ~", " The", " LCU", " Nothing", " No"))]
    assert max(map(len, rows)) <= width
    assert {line[0] for line in lines if line} == {" "}
