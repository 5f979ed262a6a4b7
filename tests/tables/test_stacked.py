"""STACKED and its rules: devices that Linux makes of others, beside the disks below them."""

from __future__ import annotations

import pytest

from tests.diagnosis.simulated import view_of
from zmon.base.absent import Absent
from zmon.cli.main import main
from zmon.tables.stacked import SUSPENDED, table


def test_a_request_is_compared_with_those_below() -> None:
    """What a request waits above the disks, times their rate, are the requests that wait there."""
    found = table(view_of("dm-queue"))
    assert found.keys == ["dm-0"]
    row = {name: values[0] for name, values in found.columns.items()}
    assert row["title"] == "lab-history"
    assert row["wait"] == pytest.approx(row["ios"] * (row["resp"] - row["below"]) / 1e3)  # type: ignore[operator]
    assert row["pieces"] == pytest.approx(1.0)


def test_a_suspended_device_has_no_times() -> None:
    """It completes nothing, so nothing is known of its requests, and none is invented."""
    found = table(view_of("dm-suspended"))
    row = {name: values[found.keys.index("dm-0")] for name, values in found.columns.items()}
    assert (row["suspended"], row["resp"], row["wait"]) == (1, SUSPENDED, SUSPENDED)
    assert row["blocked"] == 21


def test_a_machine_without_such_devices_lacks_nothing() -> None:
    """No row, and no reason why there is none: the rules hold for nothing there."""
    found = table(view_of("idle-day"))
    assert (found.keys, found.missing) == ([], None)
    assert not any(isinstance(value, Absent) for values in found.columns.values() for value in values)


@pytest.mark.usefixtures("short_scenarios")
@pytest.mark.parametrize(
    ("name", "line", "status"),
    [
        (
            "dm-suspended",
            "EXCEPT CRITICAL - 1 exception, 1 open: bad device-suspended: lab-history",
            2,
        ),
        ("dm-queue", "EXCEPT WARNING - 1 exception, 1 open: look queue-above: lab-history (dm-0): 6.", 1),
        ("small-stripes", "EXCEPT WARNING - 1 exception, 1 open: look small-stripes: lab-restored (dm-1)", 1),
        ("idle-day", "EXCEPT OK - no exceptions | ", 0),
        ("fcp-multibus-100", "EXCEPT OK - no exceptions | ", 0),
    ],
)
def test_what_a_diagnosis_finds_above_the_disks_is_an_exception(
    name: str, line: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """So cron, which asks EXCEPT alone, is not told that all is well; nothing is found where all is."""
    assert main(["show", "EXCEPT", "--from", f"lab:{name}", "--status"]) == status
    assert capsys.readouterr().out.startswith(line)
