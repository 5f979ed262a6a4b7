from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.frames import frame_of
from tests.machine.test_unit_loads import BACKUP, DB, SECOND, sample
from zmon.base.absent import Absent, absent
from zmon.interval import Interval
from zmon.kinds import LAYER, OPEN_FILE
from zmon.machine.view import View
from zmon.machine.wait_devices import NO_DISK, WaitDevices
from zmon.values.wait_place import CALL, ONLY_DISK, OPEN_FILES

if TYPE_CHECKING:
    from zmon.base.absent import Value

NOT_KNOWN = absent("not known")
DIRECT = "submit_bio_wait"


def devices() -> WaitDevices:
    """Return where things wait on a machine: the backup reads one disk, the database two."""
    zero = {(DB, "94:0"): (0, 0), (DB, "94:4"): (0, 0), (BACKUP, "94:4"): (0, 0)}
    before = sample(0, zero, {"94:0": (0, 0), "94:4": (0, 0)})
    after = sample(10, dict.fromkeys(zero, (51200, 100)), {"94:0": (51200, 90), "94:4": (102400, 90)})
    rows: dict[str, dict[str, Value]] = {
        "7 4": {"process": "7", "device": "94:0"}, "7 5": {"process": "7", "device": "94:4"},
    }  # fmt: skip
    files = frame_of(OPEN_FILE, rows, 10 * SECOND)
    return WaitDevices(View(Interval(before, after._replace(frames={**after.frames, "open_file": files}))))


def test_what_the_system_call_tells_is_no_estimate() -> None:
    """It comes before all else."""
    found = devices().of("94:4", CALL, "7", BACKUP, DIRECT)
    assert (found.device, found.evidence, found.is_estimate) == ("dasdb", CALL, False)


def test_open_files_are_candidates() -> None:
    """Each disk below them."""
    found = devices().of(NOT_KNOWN, NOT_KNOWN, "7", DB, DIRECT)
    assert (found.device, found.evidence, found.is_estimate) == ("dasda, dasdb", OPEN_FILES, True)


def test_the_only_disk_of_a_unit_is_likely() -> None:
    """Of one that uses two nothing is said."""
    found = devices().of(NOT_KNOWN, NOT_KNOWN, "8", BACKUP, DIRECT)
    assert (found.device, found.evidence, found.is_estimate) == ("dasdb", ONLY_DISK, True)
    other = devices().of(NOT_KNOWN, NOT_KNOWN, "8", DB, DIRECT)
    assert isinstance(other.device, Absent)
    assert not other.is_estimate


@pytest.mark.parametrize("place", ["kernel_clone", "rwsem_down_write_slowpath", "some_function"])
def test_a_task_that_waits_for_something_else_is_on_no_disk(place: str) -> None:
    """A child that it started, a lock, a place that nobody knows: that it has files open says nothing."""
    found = devices().of(NOT_KNOWN, NOT_KNOWN, "7", DB, place)
    assert found.device is NO_DISK
    assert not found.is_estimate


def test_where_the_place_is_not_known_open_files_are_candidates() -> None:
    """Nothing says that it does not wait for a disk."""
    assert devices().of(NOT_KNOWN, NOT_KNOWN, "7", DB, NOT_KNOWN).evidence == OPEN_FILES


def test_a_loop_device_has_its_name() -> None:
    """A number says nothing to anybody; it is given only where the kernel names no such device."""
    both = (sample(second, {(DB, "94:0"): (0, 0)}, {"94:0": (0, 0), "7:0": (0, 0)}) for second in (0, 10))
    found = WaitDevices(View(Interval(*both)))
    assert found.device(["94:0", "7:0", "7:1"]) == "dasda, loop0, 7:1"


def test_a_device_over_a_file_has_the_disk_on_which_the_file_lies() -> None:
    """A volume on a loop device: units count nothing there, and its I/O waits at the disk below."""
    layers: dict[str, dict[str, Value]] = {
        "94:0": {"name": "dasda", "sort": "disk", "size": 1000},
        "7:0": {"name": "loop0", "sort": "loop", "size": 8, "below": "94:0", "table": "0 8 linear 94:0 100"},
        "253:0": {"name": "dm-0", "sort": "dm", "size": 8, "below": "7:0", "table": "0 8 linear 7:0 0"},
        "7:1": {"name": "loop1", "sort": "loop", "size": 8, "file": "/srv/image"},
    }
    layer = frame_of(LAYER, layers, 0)
    both = (sample(second, {(DB, "94:0"): (0, 0)}, {"94:0": (0, 0)}) for second in (0, 10))
    before, after = (one._replace(frames={**one.frames, "layer": layer}) for one in both)
    found = WaitDevices(View(Interval(before, after)))
    assert found.device(found.disks("253:0")) == "dasda"
    assert found.device(found.disks("7:1")) == "loop1"
