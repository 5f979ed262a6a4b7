"""What a sample says of its instant; what it does not know has no series."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.frames import frame_of
from zmon.base.absent import absent
from zmon.base.event import BAD, LOOK, ExceptionEntry
from zmon.exposition.gauges import (
    MAX_EXCEPTIONS,
    adapter_families,
    exception_families,
    machine_families,
    path_families,
)
from zmon.kinds import ADAPTER, MACHINE, PATH, SOURCE
from zmon.sample import Frame, Instant, Sample

if TYPE_CHECKING:
    from zmon.base.absent import Value


def sample(*frames: Frame, simulated: bool = False) -> Sample:
    """Return a sample of some frames."""
    return Sample(Instant(5, 5, "boot"), {frame.kind.name: frame for frame in frames}, simulated=simulated)


def by_name(families: object) -> dict[str, list[tuple[str, str]]]:
    """Return the samples of families by name."""
    return {family.metric.name: list(family.samples) for family in families}  # type: ignore[attr-defined]


def test_a_machine_says_what_it_runs_in() -> None:
    """A guest has a name; an LPAR has none, and the label is missing."""
    row: dict[str, Value] = {
        "guest_name": "LNX01",
        "environment": "zvm",
        "sequence": "00A1",
        "lpar_name": absent("a guest"),
    }
    found = by_name(machine_families(sample(frame_of(MACHINE, {"machine": row}, 5))))
    assert found["zmon_host_info"] == [('{guest="LNX01",hypervisor="zvm",cpc="00A1"}', "1")]
    assert "zmon_simulated" not in found
    assert by_name(machine_families(sample(simulated=True)))["zmon_simulated"] == [("", "1")]


def test_a_source_is_up_or_not() -> None:
    """What is off, absent or fails counts as 0; ZMON says why."""
    states: dict[str, dict[str, Value]] = {
        "dasd": {"state": "ok"},
        "cp": {"state": "off"},
        "zfcp": {"state": "hangs"},
    }
    found = by_name(machine_families(sample(frame_of(SOURCE, states, 5))))
    assert found["zmon_source_up"] == [
        ('{source="dasd"}', "1"), ('{source="cp"}', "0"), ('{source="zfcp"}', "0"),
    ]  # fmt: skip


def test_only_maps_that_lost_a_path_list_them() -> None:
    """The others are counted by state."""
    rows: dict[str, dict[str, Value]] = {
        "8:0": {"map": "dm-0", "name": "sda", "state": "active"},
        "8:16": {"map": "dm-0", "name": "sdb", "state": "failed"},
        "8:32": {"map": "dm-1", "name": "sdc", "state": "active"},
        "8:48": {"map": "dm-1", "name": "sdd", "state": absent("not read")},
    }
    found = by_name(path_families(sample(frame_of(PATH, rows, 5))))
    assert found["zmon_paths"] == [('{state="active"}', "2"), ('{state="failed"}', "1")]
    assert found["zmon_path_state"] == [
        ('{map="dm-0",path="sda",state="active"}', "1"), ('{map="dm-0",path="sdb",state="failed"}', "1"),
    ]  # fmt: skip


def test_an_adapter_without_measurement_has_its_state_alone() -> None:
    """Utilisation that is not read is no 0."""
    rows: dict[str, dict[str, Value]] = {
"0.0.fc00": {"port_name": "0xc05076ffe5005611", "port_state": "Online", "processor": 25,
                         "ports": 4, "ports_online": 3}}  # fmt: skip
    found = by_name(adapter_families(sample(frame_of(ADAPTER, rows, 5))))
    assert found["zmon_fcp_adapter_up"] == [('{adapter="0.0.fc00"}', "1")]
    assert found["zmon_fcp_adapter_busy_ratio"] == [('{adapter="0.0.fc00",part="processor"}', "0.25")]
    assert found["zmon_fcp_ports"] == [
        ('{adapter="0.0.fc00",state="online"}', "3"), ('{adapter="0.0.fc00",state="lost"}', "1"),
    ]  # fmt: skip


def entry(number: int, level: int) -> ExceptionEntry:
    """Return an open exception of a device."""
    key = f"0.0.{number:04x}"
    return ExceptionEntry(
        "resp", "00", "device", key, "", 1, 5, level, 20.0, 1, 5, 10.0, 15.0, 3, f"{key} is slow"
    )


def test_no_exception_is_a_measured_zero_and_many_are_cut() -> None:
    """All are counted, the heaviest have a series of their own, and none comes twice."""
    none = by_name(exception_families([]))
    assert none["zmon_exceptions_open"] == [('{severity="bad"}', "0"), ('{severity="look"}', "0")]
    entries = [entry(number, LOOK) for number in range(150)] + [entry(7000, BAD), entry(7000, BAD)]
    found = by_name(exception_families(entries))
    assert found["zmon_exceptions_open"] == [('{severity="bad"}', "2"), ('{severity="look"}', "150")]
    assert len(found["zmon_exception"]) == MAX_EXCEPTIONS
    assert found["zmon_exception"][0] == ('{rule="resp",severity="bad",object="0.0.1b58"}', "1")
