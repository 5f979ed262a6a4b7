"""The files of a simulated machine, as arithmetic and the forms of the kernel want them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.witness.answers import readings_of
from tests.witness.kernel_files import BEGIN, TICK, KernelFiles, Names
from tests.witness.looks import AS_BUILT
from tests.witness.machines import MACHINES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.witness.counters import Reading

NAME = "full-zvm"


@pytest.fixture(scope="module")
def taken() -> list[Reading]:
    return readings_of(MACHINES[NAME])


@pytest.fixture(scope="module")
def root(taken: list[Reading], tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("capture")
    KernelFiles(MACHINES[NAME], AS_BUILT).write(taken[50::10], str(directory), cache=True, cmf=True)
    return directory


def test_each_pass_has_the_time_of_its_reading(root: Path) -> None:
    """Of all files, to the nanosecond."""
    assert sorted(os.listdir(root)) == ["pass-0001", "pass-0002"]
    for which, second in (("pass-0001", 50), ("pass-0002", 60)):
        times = {path.lstat().st_mtime_ns for path in (root / which).rglob("*") if not path.is_dir()}
        assert times == {(BEGIN + second) * 10**9}


def test_averages_of_channel_measurement_give_the_ticks_back(root: Path, taken: list[Reading]) -> None:
    """`ceil(average * count / 128000)` ticks, exactly below 128,000 operations."""
    measured = root / "pass-0002/sys/bus/ccw/devices/0.0.8001/cmf"
    count = int((measured / "sample_count").read_text())
    counts = taken[60].subchannels["8001"]
    assert count == counts.samples
    for name, seconds in (("disconnect", counts.disconnect), ("connect", counts.connect)):
        average = int((measured / f"avg_device_{name}_time").read_text())
        assert -(-average * count // TICK) == int(seconds * 1e9 / TICK)


def test_links_lead_somewhere(root: Path) -> None:
    """Those of /sys/block and of the bus, within the pass; drivers are not captured."""
    links = [path for path in (root / "pass-0001").rglob("*") if path.is_symlink() and path.name != "driver"]
    assert len(links) > 30
    assert all(path.resolve().is_dir() for path in links)


def test_what_is_not_measured_is_not_there(taken: list[Reading], tmp_path: Path) -> None:
    """Neither averages nor cache counts; a program that switched measurement on would find the switch."""
    KernelFiles(MACHINES[NAME], AS_BUILT).write(taken[60:], str(tmp_path), cache=False, cmf=False)
    assert not [*tmp_path.rglob("cmf")][1:]  # the module's parameters
    assert not [*tmp_path.rglob("BIODASDPSRD.bin")]
    switches = {path.read_text().strip() for path in tmp_path.rglob("cmb_enable")}
    assert switches == {"0"}


def test_other_names_and_another_order_are_one_to_one() -> None:
    """No two volumes, aliases or paths get the same name."""
    names = Names(renamed=True, permuted=True)
    numbers = [f"{high:02x}{low:02x}" for high in range(256) for low in (0, 1, 255)]
    assert len({names.number(number) for number in numbers}) == len(numbers)
    assert len({names.chpid(chpid) for chpid in range(256)}) == 256
    machine = MACHINES[NAME]
    assert KernelFiles(machine, names).called("8001")[:2] == ["8d01", "dasdp"]
    assert KernelFiles(machine, AS_BUILT).called("8001")[:2] == ["8001", "dasda"]
