"""What sar recorded becomes samples whose intervals give sar's figures back."""

from __future__ import annotations

import io
import json
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from zmon.base.absent import Absent
from zmon.interval import RESTARTED, Interval
from zmon.kinds import BLOCK, CHANNEL, CPU, KINDS, MACHINE, MEMORY
from zmon.machine.view import View
from zmon.store import sadf
from zmon.store.sadf import SadfError, disk_name, read_sadf
from zmon.tables import key_figures
from zmon.tables.filled import fill

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.sample import Kind, Sample

FILE = Path(__file__).parents[1] / "fixtures/sadf/restart.json"
REAL = FILE.read_bytes()
SECOND = 10**9

UTC = 1_795_270_294 * SECOND
"""2026-11-21 14:11:34, when the first interval of the fixture begins."""


def read(data: bytes) -> list[Sample]:
    return list(read_sadf(io.BytesIO(data)))


def made(*entries: dict[str, Any], **names: object) -> list[Sample]:
    """Return the samples of a report with these entries, ten seconds apart if they do not say."""
    for number, entry in enumerate(entries, 1):
        stamp = {"date": "2020-02-29", "time": f"00:{number // 6:02}:{number % 6}0", "utc": 1, "interval": 10}
        entry["timestamp"] = {**stamp, **entry.get("timestamp", {})}
    host = {"nodename": "a", "sysname": "Linux", "release": "4.4", "machine": "s390x", **names}
    return read(
        json.dumps({"sysstat": {"hosts": [{**host, "statistics": entries, "restarts": []}]}}).encode()
    )


def disk(**figures: object) -> dict[str, Any]:
    """Return an entry with one disk."""
    return {"disk": [{"disk-device": "dasda", **figures}]}


def last(samples: list[Sample], kind: Kind, key: str, field: str) -> Value:
    """Return a value of the last interval; a rate for counters."""
    delta = Interval(samples[-2], samples[-1]).of(kind)
    counts = kind.by_name[field].meaning.value == "counter"
    return delta.rate(field)[delta.index[key]] if counts else delta.cell(key, field)


def screen(name: str, samples: list[Sample], place: int) -> dict[str, Value]:
    """Return the first row of a screen."""
    table = fill(name, View(Interval(samples[place - 1], samples[place])))
    return {column: values[0] for column, values in table.columns.items()}


def test_device_shows_what_sar_shows() -> None:
    """The figures are those of `sar -d`, see the fixture's README."""
    row = screen("device", read(REAL), 2)
    shown = {name: round(row[name], 2) for name in ("io", "ios", "await", "resp", "queue", "reqkb")}  # type: ignore[arg-type]  # numbers
    assert shown == {"io": 2720, "ios": 2720, "await": 0.13, "resp": 0.13, "queue": 0.36, "reqkb": 169.46}


def test_discards_are_no_megabytes_read_or_written() -> None:
    """They are requests to sar, and sectors of their own."""
    assert screen("device", read(REAL), 2)["mbs"] == pytest.approx((153_630 + 153_694) * 1024 / 1e6)


def test_what_sar_counts_together_is_not_split() -> None:
    """The share of reads is not known."""
    assert screen("device", read(REAL), 2)["read"] is sadf.TOGETHER


def test_device_says_that_sar_counts_together() -> None:
    """Rq/s would be reads and writes alone."""
    first, second, *_ = read(REAL)
    assert any(" sar " in note for note in fill("device", View(Interval(first, second))).notes)


def test_an_idle_disk_has_a_rate_but_no_wait() -> None:
    """Nothing waited."""
    row = screen("device", read(REAL), 1)
    assert (row["io"], row["mbs"], isinstance(row["await"], Absent)) == (0.0, 0.0, True)


def test_the_first_sample_is_the_begin_of_the_first_interval() -> None:
    """So that the first entry has its rates."""
    first, second = read(REAL)[:2]
    assert (first.at.utc, second.at.utc, Interval(first, second).seconds) == (UTC, UTC + 2 * SECOND, 2.0)


def test_utc_and_the_steady_clock_are_the_same() -> None:
    """The time stamps are all there is."""
    assert all(sample.at.utc == sample.at.steady for sample in read(REAL))


def test_after_a_restart_comes_another_boot() -> None:
    """It begins where the interval of the first entry after it begins."""
    samples = read(REAL)
    assert [(s.at.utc - UTC) // SECOND for s in samples] == [0, 2, 4, 6, 14, 15, 16]
    assert len({s.at.boot for s in samples[:4]}) == len({s.at.boot for s in samples[4:]}) == 1
    assert Interval(samples[3], samples[4]).void is RESTARTED


def test_each_cpu_has_its_times() -> None:
    """In ns; `all` is left out, as zmon adds up itself."""
    samples = read(REAL)[:3]
    assert samples[-1].frame(CPU).keys == ["0", "1"]
    assert [last(samples, CPU, "1", n) for n in ("system", "idle", "online")] == [77.7e6, 678.8e6, 1]


def test_memory_and_its_total() -> None:
    """The total was MemTotal of the machine, though sadf does not print it."""
    samples = read(REAL)
    found = [last(samples, MEMORY, "memory", n) for n in ("total", "free", "available", "swap_total")]
    assert found == [24_684_084 * 1024, 23_799_580 * 1024, 24_188_576 * 1024, 0]


def test_the_begin_of_an_interval_has_no_gauges() -> None:
    """They are printed for its end."""
    assert read(REAL)[0].frame(MEMORY).cell("memory", "free") is sadf.BEFORE


def test_the_machine_is_named() -> None:
    """What sar's header has."""
    frame = read(REAL)[0].frame(MACHINE)
    found = [frame.cell("machine", n) for n in ("hostname", "kernel", "architecture", "environment")]
    assert found == ["vm", "6.18.44", "x86_64", "none"]


def test_on_z_the_environment_is_not_known() -> None:
    """An LPAR or a guest, sar does not tell."""
    assert made(disk(tps=1))[0].frame(MACHINE).cell("machine", "environment") is sadf.NOT_RECORDED


def test_every_kind_says_why_it_is_not_there() -> None:
    """Sar records no channels."""
    sample = read(REAL)[0]
    assert (set(sample.frames), sample.frame(CHANNEL).missing) == (set(KINDS), sadf.NOT_RECORDED)


def test_every_row_has_all_fields() -> None:
    """None is lacking without a reason."""
    sample = read(REAL)[-1]
    assert all(set(sample.frame(k).columns) == set(k.by_name) for k in (BLOCK, CPU, MEMORY, MACHINE))


def test_every_screen_can_be_filled() -> None:
    """With whatever is there."""
    before, after = read(REAL)[1:3]
    for name in ("channel", "control_unit", "cache", "lpar", "cpu", "itself"):
        fill(name, View(Interval(before, after)))


def test_comments_become_notes() -> None:
    """After the last sample."""
    notes: list[tuple[int, str]] = []
    for _sample in read_sadf(str(FILE), lambda utc, text: notes.append((utc, text))):
        assert not notes
    assert notes == [(UTC + 6 * SECOND, "load test")]


def test_sectors_are_read_from_kilobytes_where_there_are_no_sectors() -> None:
    """A sector has 512 bytes."""
    samples = made(disk(tps=1, rkB=2.5))
    assert last(samples, BLOCK, "dasda", "sectors_read") == 5.0


def test_the_first_versions_are_read() -> None:
    """10.1.1 printed sectors, avgqu-sz, and all CPU times under a name of their own."""
    load = {"cpu": "0", "usr": 10.0, "nice": 0.0, "sys": 20.0, "iowait": 1.0, "steal": 2.0, "irq": 3.0}
    entry = disk(**{"tps": 4.0, "rd_sec": 8.0, "wr_sec": 16.0, "avgqu-sz": 0.5, "await": 2.5, "svctm": 1.0})
    entry["cpu-load-all"] = [{**load, "soft": 4.0, "guest": 5.0, "idle": 55.0}]
    samples = made(entry)
    found = [
        last(samples, BLOCK, "dasda", n) for n in ("requests", "request_ms", "sectors_written", "weighted_ms")
    ]
    assert found == [4.0, 10.0, 16.0, 500.0]
    assert [last(samples, CPU, "0", n) for n in ("user", "guest", "softirq")] == [150e6, 50e6, 40e6]


def test_where_discards_are_not_printed_requests_have_none() -> None:
    """So the size of a request is that of reads and writes."""
    assert screen("device", made(disk(tps=2.0, rd_sec=8.0, wr_sec=8.0)), 1)["reqkb"] == 4.0


def test_discards_that_are_not_printed_are_absent() -> None:
    """Before 12.1.2 there were none."""
    assert last(made(disk(tps=1)), BLOCK, "dasda", "sectors_discarded") is sadf.NOT_PRINTED


def test_without_all_the_system_has_interrupts_in_it() -> None:
    """So neither is known by itself."""
    load = {"cpu": "0", "user": 10.0, "nice": 0.0, "system": 20.0, "iowait": 0.0, "steal": 0.0, "idle": 70.0}
    samples = made({"cpu-load": [load]})
    assert [last(samples, CPU, "0", n) for n in ("user", "system", "irq", "idle")] == [
        100e6,
        sadf.ALL_SYSTEM,
        sadf.ALL_SYSTEM,
        700e6,
    ]


def test_where_there_are_no_single_cpus_all_stands_for_them() -> None:
    """The total load is the mean times their number, and no single CPU is named."""
    load = {
        "cpu": "all",
        "user": 10.0,
        "nice": 0.0,
        "system": 20.0,
        "iowait": 1.0,
        "steal": 4.0,
        "idle": 65.0,
    }
    interval = Interval(*made({"cpu-load": [load]}, **{"number-of-cpus": 4}))
    shown = fill("cpu", View(interval))
    assert shown.columns["proc"] == ["ALL"]
    assert [shown.columns[n][0] for n in ("busy", "wait", "steal")] == [30.0, 66.0, 4.0]
    assert [shown.facts[n] for n in ("load", "running", "present")] == [120.0, 4, 4]
    figures = key_figures.cpu_figures(View(interval))
    assert (figures["busy"], figures["online"], figures["busiest"]) == (30.0, 4, key_figures.ONLY_ALL)


@pytest.mark.parametrize("number", [None, 0, -1, 1e9, "2"])
def test_without_the_number_of_cpus_the_total_load_is_absent(number: object) -> None:
    """Their mean is known all the same."""
    load = {
        "cpu": "all",
        "usr": 10.0,
        "nice": 0.0,
        "sys": 5.0,
        "iowait": 0.0,
        "steal": 0.0,
        "irq": 0.0,
        "soft": 0.0,
    }
    entry = {"cpu-load": [{**load, "guest": 0.0, "gnice": 0.0, "idle": 85.0}]}
    shown = fill("cpu", View(Interval(*made(entry, **{"number-of-cpus": number}))))
    assert shown.columns["busy"] == [15.0]
    assert shown.facts["load"] is shown.facts["running"] is sadf.NO_NUMBER


def test_without_disks_the_reason_says_how_to_print_them() -> None:
    """Not zero disks."""
    missing = made({})[0].frame(BLOCK).missing
    assert missing is not None
    assert "-- -d" in missing.reason


@pytest.mark.parametrize(
    ("memory", "total"),
    [
        # until 11.7.3: all but free
        (
            {
                "memfree": 600,
                "memused": 400,
                "memused-percent": 40.0,
                "buffers": 50,
                "cached": 50,
                "slab": 100,
            },
            1000,
        ),
        # until 12.7.7: without buffers, cache and slabs
        (
            {
                "memfree": 600,
                "memused": 200,
                "memused-percent": 20.0,
                "buffers": 50,
                "cached": 50,
                "slab": 100,
            },
            1000,
        ),
        # since 12.7.8, which prints `shared`: all but available
        ({"memfree": 600, "avail": 700, "memused": 300, "memused-percent": 30.0, "shared": 1}, 1000),
    ],
)
def test_the_total_of_memory_follows_in_each_version(memory: dict[str, int], total: int) -> None:
    """From what that version calls used."""
    assert last(made({"memory": memory}), MEMORY, "memory", "total") == total * 1024


@pytest.mark.parametrize(
    "memory",
    [
        {"memfree": 600, "memused": 200, "memused-percent": 20.0, "buffers": 50, "cached": 50},
        {"memfree": 600, "memused": 0, "memused-percent": 0.0, "buffers": 50, "cached": 50, "slab": 100},
        {"memfree": 600, "memused": 200, "memused-percent": 90.0, "buffers": 50, "cached": 50, "slab": 100},
    ],
)
def test_a_total_that_does_not_follow_is_absent(memory: dict[str, int]) -> None:
    """Nothing is guessed."""
    assert last(made({"memory": memory}), MEMORY, "memory", "total") is sadf.NO_TOTAL


def test_swapping_is_a_rate_of_pages() -> None:
    """`-W` prints it."""
    assert last(made({"swap-pages": {"pswpin": 2.5, "pswpout": 0.1}}), MEMORY, "memory", "swapped_out") == 0.1


def test_counters_are_whole_numbers_whose_rounding_does_not_add_up_in_a_rate() -> None:
    """Half a count per interval at the most."""
    samples = made(*[disk(tps=0.33) for _ in range(30)])
    column = [s.frame(BLOCK).cell("dasda", "requests") for s in samples]
    assert column == [3 * n for n in range(31)]


def test_the_seconds_are_those_between_the_time_stamps() -> None:
    """Sadf rounds the length of an interval, and sums have to be right."""
    samples = made(disk(tps=10.0), {**disk(tps=10.0), "timestamp": {"time": "00:00:21"}})
    assert last(samples, BLOCK, "dasda", "requests") == 10.0
    assert samples[-1].frame(BLOCK).cell("dasda", "requests") == 100 + 110


def test_two_entries_in_one_second_are_two() -> None:
    """An interval of a second may end within the second of the one before."""
    stamp = {"time": "00:00:10", "interval": 1}
    samples = made({**disk(tps=1.0), "timestamp": stamp}, {**disk(tps=7.0), "timestamp": stamp})
    assert last(samples, BLOCK, "dasda", "requests") == 7.0


def test_a_disk_that_comes_later_has_no_rate_at_first() -> None:
    """And one that went and came again goes on."""
    samples = made(disk(tps=1.0), {}, disk(tps=1.0), disk(tps=3.0))
    assert last(samples[:-1], BLOCK, "dasda", "requests").__class__ is Absent
    assert last(samples, BLOCK, "dasda", "requests") == 3.0


@pytest.mark.parametrize("rate", [-5.0, 1e300, 1e15 + 1])
def test_a_rate_that_cannot_be_is_absent(rate: float) -> None:
    """Sadf prints such where a counter fell."""
    assert last(made(disk(tps=rate)), BLOCK, "dasda", "requests") is sadf.FELL


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("dasda", "dasda"),
        ("dev94-0", "dasda"),
        ("dev94-100", "dasdz"),
        ("dev94-104", "dasdaa"),
        ("dev94-2808", "dasdaaa"),
        ("dev8-0", "dev8-0"),
        ("dev253-4", "dev253-4"),
    ],
)
def test_a_dasd_gets_its_name_back(printed: str, name: str) -> None:
    """It has four minors; other numbers are given out as disks come."""
    assert disk_name(printed) == name


@pytest.mark.parametrize(
    ("stamp", "said"),
    [
        ({"utc": 0}, "-T and -t"),
        ({"tz": "CEST"}, "-T and -t"),
        ({"time": "25:00:00"}, "25:00:00"),
        ({"date": None}, "None"),
        ({"date": "1900-01-01"}, "1900-01-01"),
        ({"interval": "x"}, "'x'"),
        ({"interval": -1}, "'-1.0'"),
        ({"interval": 1e10}, "'10000000000.0'"),
    ],
)
def test_a_time_that_is_none_is_said(stamp: dict[str, object], said: str) -> None:
    """Which entry, what was found, and what to do."""
    with pytest.raises(SadfError, match="entry 1: ") as error:
        made({"timestamp": stamp})
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"disk": 5}, r"\bdisk\b.*\bdisk-device\b.*'5\.0'"),
        ({"disk": [{"tps": 5}]}, r"\bdisk\b.*\bdisk-device\b.*tps"),
        ({"disk": [{"disk-device": "a", "tps": "many"}]}, r"\btps\b.*'many'"),
        ({"memory": []}, r"\bmemory\b.*'\[\]'"),
    ],
)
def test_an_entry_of_another_form_is_said(entry: dict[str, Any], said: str) -> None:
    """It is not passed over."""
    with pytest.raises(SadfError, match=said):
        made(entry)


def test_newer_versions_name_the_zone() -> None:
    """Since 12.7.1, in the place of `utc`."""
    entry = disk(tps=1.0)
    samples = read(REAL.replace(b'"utc": 1', b'"tz": "UTC"'))
    assert ([s.at for s in samples], len(made(entry))) == ([s.at for s in read(REAL)], 2)


VALUES = some.recursive(
    some.none() | some.booleans() | some.floats(allow_nan=False) | some.integers() | some.text(max_size=8),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
PLACES = [
    (name, None) for name in ("timestamp", "cpu-load", "swap-pages", "memory", "disk")
] + [("timestamp", name) for name in ("date", "time", "utc", "interval")] + [
    ("memory", "memfree"), ("memory", "memused-percent"), ("swap-pages", "pswpin"),
]  # fmt: skip


@given(some.sampled_from(PLACES), VALUES, some.integers(0, 4))
def test_anything_in_the_place_of_anything(place: tuple[str, str | None], value: object, number: int) -> None:
    """Only SadfError comes out."""
    whole = deepcopy(json.loads(REAL))
    entry = whole["sysstat"]["hosts"][0]["statistics"][number]
    name, inner = place
    if inner is None:
        entry[name] = value
    else:
        entry[name][inner] = value
    try:
        read(json.dumps(whole).encode())
    except SadfError:
        return


@given(some.integers(0, len(REAL) - 1), some.binary(max_size=6), some.integers(0, 8))
def test_a_damaged_report_is_refused_or_read(place: int, data: bytes, over: int) -> None:
    """Only SadfError comes out, and every screen can be filled from what is read."""
    try:
        samples = read(REAL[:place] + data + REAL[place + over :])
    except SadfError:
        return
    for before, after in pairwise(samples):
        fill("device", View(Interval(before, after)))
