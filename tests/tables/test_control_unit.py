from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.diagnosis.simulated import view_of
from tests.goldens import facts
from zmon.base.absent import Absent, absent, text_of
from zmon.diagnosis.judged import verdict_of
from zmon.kinds import BLOCK, CMF, DASD, DEVICE, MACHINE, UNLISTED
from zmon.machine.blocks import TOO_BUSY
from zmon.machine.observation import NO_LCU
from zmon.machine.view import View
from zmon.tables.control_unit import findings, table
from zmon.tables.device import table as device_table
from zmon.tables.table import SUMMARY

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Value
    from zmon.interval import Interval
    from zmon.tables.table import Table

MS = 1_000_000


def disk(ssid: str, ua: str = "00", **more: Any) -> dict[str, Any]:
    return {"online": 1, "alias": 0, "uid": f"IBM.750000000L0001.{ssid}.{ua}", "cutype": "2107/e8",
            "chpids": "62 63", "block": absent("none"), **more}  # fmt: skip


def cmf(rate: float, conn: float = 1.0) -> dict[str, Any]:
    count = round(rate * 60)
    return {
        "ssch": count,
        "samples": count,
        "pending": 0,
        "disconnect": 0,
        "connect": round(count * conn * MS),
    }


@pytest.fixture
def fill(make_interval: Callable[..., Interval]) -> Callable[..., Table]:
    """Fill CTLUNIT from devices, their rates, and what Linux counted in a minute."""

    def filled(
        devices: dict[str, Any], measured: dict[str, Any], blocks: dict[str, Any] | None = None,
        dasd: dict[str, Any] | None = None, environment: str = "lpar",
    ) -> Table:  # fmt: skip
        before = {DEVICE: devices, CMF: {k: dict.fromkeys(v, 0) for k, v in measured.items()},
                  BLOCK: {k: dict.fromkeys(v, 0) for k, v in (blocks or {}).items()}}  # fmt: skip
        after = {DEVICE: devices, CMF: measured, BLOCK: blocks or {}, DASD: dasd or {}}
        if environment:
            after[MACHINE] = {"machine": {"environment": environment}}
        return table(View(make_interval(before, after)))

    return filled


def test_lost_channel_paths_are_named_beside_their_number(fill: Callable[..., Table]) -> None:
    """Paths does not count them, while CHPIDs lists all that are installed."""
    masks: dict[str, Any] = {"pim": 0xC0, "pam": 0xC0, "pom": 0xC0, "vpm": 0x80}
    found = fill({"0.0.7000": disk("2480", **masks), "0.0.7100": disk("2490")}, {})
    assert [str(cell) for cell in found.columns["paths"]] == ["1", "2"]
    (note,) = [one for one in found.notes if "lost" in one]
    assert facts(note) == "2480 63 62-63"


def test_an_alias_without_a_uid_may_be_of_any_lcu(fill: Callable[..., Table]) -> None:
    """The tool lsdasd lists aliases alone, without -u: then no LCU is said to have none, nor all together."""
    devices = {
        "0.0.7000": disk("2480"), "0.0.7100": disk("2490"),
        "0.0.70ff": disk("2480", alias=1, uid=absent("not collected: lsdasd -u")),
    }  # fmt: skip
    found = fill(devices, {})
    assert found.summary
    cells = [found.columns[name][row] for name in ("aliases", "aliasio", "mode") for row in (0, 1)]
    reasons = {getattr(cell, "reason", "") for cell in (*cells, found.summary.cells["aliases"])}
    assert [(facts(reason), "lsdasd -u" in reason) for reason in reasons] == [("1", True)]


def test_paths_that_were_not_read_are_not_none(fill: Callable[..., Table]) -> None:
    """A volume that is on line has one at least."""
    found = fill({"0.0.7000": disk("2480", chpids=absent("not read"))}, {"0.0.7000": cmf(1)})
    assert all(isinstance(found.columns[name][0], Absent) for name in ("paths", "chpids"))


def test_a_lost_path_is_not_counted(fill: Callable[..., Table]) -> None:
    """Paths are those that each device on line can use, as in DEVICE and IOCONF; one that is off has none."""
    whole = {"pim": 0xC0, "pam": 0xC0, "pom": 0xFF}
    for masks, online, left in ((whole, 1, 2), ({**whole, "pam": 0x80}, 1, 1), ({**whole, "pam": 0}, 0, 2)):
        disks = {"0.0.7000": disk("2480") | whole, "0.0.7001": disk("2480", "01", online=online) | masks}
        found = fill(disks, {busid: cmf(1) for busid in disks})
        assert [found.columns[name][0] for name in ("paths", "chpids")] == [left, "62 63"]


def test_shares_and_multiples_of_the_even_share(fill: Callable[..., Table]) -> None:
    """Shares sum to 100, multiples to the number of LCUs."""
    found = fill({f"0.0.7{n}00": disk(f"248{n}") for n in range(4)},
                 {f"0.0.7{n}00": cmf(rate) for n, rate in enumerate((60, 20, 20, 0))})  # fmt: skip
    assert found.columns["share"] == pytest.approx([60, 20, 20, 0])
    assert found.columns["fair"] == pytest.approx([2.4, 0.8, 0.8, 0])


def test_an_lcu_is_the_sum_of_bases_and_aliases(fill: Callable[..., Table]) -> None:
    """I/O on an alias is counted on the alias; how many are busy shows whether they are enough."""
    found = fill({"0.0.7000": disk("2480"), "0.0.70ff": disk("2480", "xx", alias=1)},
                 {"0.0.7000": cmf(10), "0.0.70ff": cmf(300, 2.0)})  # fmt: skip
    assert [found.columns[n][0] for n in ("io", "units", "aliases", "active")] == pytest.approx(
        [310, 1, 1, 2]
    )
    assert found.columns["aliasuse"] == pytest.approx([0.6])
    assert found.columns["conn"] == pytest.approx([(10 * 1 + 300 * 2) / 310])
    impossible = fill({"0.0.7000": disk("2480"), "0.0.70ff": disk("2480", "xx", alias=1)},
                      {"0.0.7000": cmf(10), "0.0.70ff": cmf(600, 4.0)})  # fmt: skip
    assert impossible.columns["aliasuse"] == [TOO_BUSY]  # no alias is in use for 2.4 times the time


def test_the_queue_of_an_lcu_follows_from_its_own_times(fill: Callable[..., Table]) -> None:
    """Requests * (response - service), both of the whole LCU: 310/s * (5 - 1.97) ms."""
    requests = {"reads": 310 * 60, "writes": 0, "read_ms": 5 * 310 * 60, "write_ms": 0}
    found = fill(
        {"0.0.7000": disk("2480", block="dasda"), "0.0.70ff": disk("2480", "xx", alias=1)},
        {"0.0.7000": cmf(10), "0.0.70ff": cmf(300, 2.0)}, {"dasda": requests},
    )  # fmt: skip
    assert found.columns["resp"] == pytest.approx([5])
    assert found.columns["qued"] == pytest.approx([(310 * 5 - 10 * 1 - 300 * 2) / 1000])


def test_estimates_are_marked(fill: Callable[..., Table]) -> None:
    """Where Linux's requests stand in for starts."""
    requests = {"reads": 600, "writes": 0, "read_ms": 60, "write_ms": 0}
    found = fill({"0.0.7000": disk("2480", block="dasda"), "0.0.7100": disk("2481")}, {"0.0.7100": cmf(5)},
                 {"dasda": requests})  # fmt: skip
    assert [found.is_estimate("io", row) for row in (0, 1, SUMMARY)] == [True, False, True]


@pytest.mark.parametrize(("environment", "lss"), [("lpar", "2A"), ("kvm", "2A"), ("zvm", ""), ("", "")])
def test_the_lss_is_that_of_a_base(fill: Callable[..., Table], environment: str, lss: str) -> None:
    """In two hexadecimal digits; where this may be a guest of z/VM it may be another, as `where` says."""
    found = fill({"0.0.7000": disk("2480"), "0.0.6fff": disk("2480", "xx", alias=1)}, {},
                 dasd={"0.0.7000": {"lss": 0x2A}}, environment=environment)  # fmt: skip
    assert [text_of(cell) for cell in found.columns["lss"]] == [lss]


def test_what_is_not_measured_is_absent(fill: Callable[..., Table]) -> None:
    """Nobody knows which devices are active, so it is not zero of them."""
    found = fill({"0.0.7000": disk("2480")}, {})
    assert [type(found.columns[n][0]) for n in ("io", "share", "active", "aliasuse")] == [Absent] * 4


def test_without_a_uid_there_is_no_lcu(fill: Callable[..., Table]) -> None:
    """And the screen says so."""
    found = fill({"0.0.7000": {"online": 1, "uid": ""}}, {})
    assert found.missing is NO_LCU


def said(*rates: float) -> list[str]:
    """Return the findings on LCUs with these rates."""
    names = [f"248{n}" for n in range(len(rates))]
    return findings(called(names), {"io": list(rates), "ssid": names})


def called(names: list[str]) -> dict[str, str]:
    """Return what sentences call LCUs."""
    return {name: f"LCU {name}" for name in names}


def test_the_seeds_finding() -> None:
    """Eight LCUs, almost all I/O on two of them."""
    (sentence,) = said(1, 260, 0, 0, 0, 330, 2, 0)
    assert facts(sentence) == "2485 2481 99 6 8"


def test_lcus_of_two_boxes_with_the_same_id_are_told_apart(fill: Callable[..., Table]) -> None:
    """By the end of the serial number, in the column and in the sentence, as on OVERVIEW."""
    uids = {"0.0.7000": "IBM.750000000A1111.2480.00", "0.0.7100": "IBM.750000000B2222.2480.00"}
    found = fill({busid: {"online": 1, "uid": uid} for busid, uid in uids.items()}, {})
    assert found.columns["ssid"] == ["A1111.2480", "B2222.2480"]
    columns: dict[str, list[Value]] = {"io": [900, 1], "ssid": ["2480", "2480"]}
    (sentence,) = findings({"a": "LCU A1111.2480", "b": "LCU B2222.2480"}, columns)
    assert facts(sentence) == "A1111.2480 100 1 2"


def test_one_hot_lcu() -> None:
    """Said of one, and no advice: the verdict knows whether anything waits there."""
    assert [*map(facts, said(900, 100, 90, 90))] == ["2480 76"]


def test_an_lcu_with_its_fair_share_is_not_among_those_that_carry_the_load() -> None:
    """Only what has more than that."""
    assert [*map(facts, said(690, 260, 30, 20))] == ["2480 69 2 4"]


def test_an_lcu_is_idle_by_its_bytes_as_in_a_diagnosis() -> None:
    """The note counts as many as the verdict names, and calls them the same: of less than 0.1 % idle."""
    names = ["2480", "2481", "2482"]
    columns: dict[str, list[Value]] = {"io": [800.0, 100.0, 100.0], "mbs": [80.0, 30.0, 0.1]}
    columns["ssid"] = [*names]
    (finding,) = findings(called(names), columns)
    assert (facts(finding), finding.endswith(" idle")) == ("2480 80 1 3", True)
    view = view_of("shark-before")
    claim = verdict_of(view).diagnoses[0].claim
    assert facts(claim).startswith("7600 2 ")
    assert facts(table(view).notes[0]).endswith(" 2 4")


@pytest.mark.parametrize(
    "rates", [(100,), (100, 100), (50, 50, 50), (40, 35, 25), (60, 40), (3, 0, 0, 0), (0, 0), ()]
)
def test_an_even_or_idle_machine_gives_no_finding(rates: tuple[float, ...]) -> None:
    """One LCU cannot be uneven, and below ten I/O a second nobody waits."""
    assert said(*rates) == []


@given(st.lists(st.floats(0, 1e6), max_size=12))
def test_a_finding_names_at_most_half_of_the_lcus(rates: list[float]) -> None:
    """Else it would be no finding."""
    for sentence in said(*rates):
        assert 2 * sum(f"248{n}" in sentence.partition(" carr")[0] for n in range(len(rates))) <= 2 * len(
            rates
        )


def test_for_whom_the_busiest_lcu_works() -> None:
    """Its tablespaces are named, however even the load is."""
    names = ["2480", "2481"]
    columns: dict[str, list[Value]] = {
        "io": [50, 60],
        "ssid": [*names],
        "spaces": [UNLISTED, "PROD.T1 46%~, T2 38%~"],
    }
    assert findings(called(names), columns) == ["LCU 2481: PROD.T1 46%~, T2 38%~"]


def test_of_an_lcu_without_listed_files_nothing_is_said() -> None:
    """Another one's tablespaces do not stand in for them."""
    names = ["2480", "2481"]
    assert (
        findings(called(names), {"io": [60, 50], "ssid": names, "spaces": [UNLISTED, "PROD.T1 46%~"]}) == []
    )


def test_disks_on_no_lcu_have_rows_of_their_own(make_interval: Callable[..., Interval]) -> None:
    """They are no part of the LCUs' I/O, and no LCU that anything could be spread over."""
    still = {"reads": 0, "writes": 0, "read_ms": 0, "write_ms": 0, "sectors_read": 0, "sectors_written": 0}
    moved = still | {"reads": 600, "read_ms": 1200}
    ccw = {
        "0.0.0190": {"online": 1, "driver": "virtio_ccw", "block": "vda", "cutype": "3832/02"},
        "0.0.7000": {"online": 1, "driver": "dasd-eckd", "block": "dasda", "uid": "IBM.75.2482.00"},
    }
    names = ("vda", "dasda", "nvme0n1", "nvme0c0n1", "sda")
    maps = {name: {"map": "nvme0n1"} for name in names if name.startswith("nvme")}
    before = {name: still | maps.get(name, {}) for name in names}
    after = {name: moved | maps.get(name, {}) for name in names}
    found = table(View(make_interval({DEVICE: ccw, BLOCK: before}, {DEVICE: ccw, BLOCK: after})))
    assert found.keys == ["IBM.75.2482", "NVMe", "SCSI", "virtio"]
    assert (found.column("units"), found.column("io")) == ([1, 1, 1, 1], [10.0] * 4)
    assert found.summary is not None
    assert found.summary.cells["io"] == 10.0
    assert found.column("share")[0] == 100.0
    assert all(isinstance(share, Absent) for share in found.column("share")[1:])
    devices = device_table(View(make_interval({DEVICE: ccw, BLOCK: before}, {DEVICE: ccw, BLOCK: after})))
    assert dict(zip(devices.keys, devices.column("cu"), strict=True)) == {
        "0.0.0190": "virtio", "0.0.7000": "IBM.75.2482", "nvme0n1": "NVMe", "sda": "SCSI",
    }  # fmt: skip
