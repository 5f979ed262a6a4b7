from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.frames import frame_of
from tests.machine.test_unit_loads import BACKUP, DB, SECOND
from tests.machine.test_unit_loads import sample as counted
from tests.tables.test_user import simulated
from tests.tables.test_wait_states import process
from tests.tables.test_wait_states import sample as looked
from zmon.base.absent import Absent
from zmon.interval import Interval
from zmon.kinds import OPEN_FILE
from zmon.machine.view import NoSuchThing, View
from zmon.tables.user import disk_table
from zmon.tables.user_details import table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value
    from zmon.sample import Sample
    from zmon.tables.table import Table

FILES: dict[str, dict[str, Value]] = {
    "5 4": {"process": "5", "unit": DB, "file": "/db/data", "device": "94:0", "access": "both"},
    "6 9": {"process": "6", "unit": DB, "file": "/db/data", "device": "94:0", "access": "read"},
    "6 3": {"process": "6", "unit": DB, "file": "/db/help", "device": "94:0", "access": "read"},
    "9 3": {"process": "9", "unit": BACKUP, "file": "/b", "device": "94:4", "access": "write"},
}


def both(second: int, read: int, processes: Mapping[str, Mapping[str, Value]]) -> Sample:
    """Return a sample with what units and their processes did."""
    units = {(DB, "94:0"): (read, read // 4096), (BACKUP, "94:4"): (read // 8, 1)}
    found = counted(second, units, {"94:0": (read, 9), "94:4": (read, 9)})
    more = looked(second, processes, second)
    files = frame_of(OPEN_FILE, FILES, second * SECOND)
    kinds = ("process_rounds", "process")
    frames = {**found.frames, **{name: more.frames[name] for name in kinds}, "open_file": files}
    return found._replace(frames=frames)


def view(argument: str) -> View:
    """Return ten seconds in which two processes of the database read, one three times as much."""
    before = both(10, 0, {"5": process(DB), "6": process(DB), "9": process(BACKUP)})
    after = both(20, 8_000_000, {
        "5": process(DB, read_bytes=6_000_000, io=2), "6": process(DB, read_bytes=2_000_000),
        "9": process(BACKUP, dirtied_bytes=5),
    })  # fmt: skip
    return View(Interval(before, after), argument=argument)


def rows(found: Table, sort: str) -> list[dict[str, Value]]:
    """Return the lines of disks, processes or files."""
    lines = [{name: values[row] for name, values in found.columns.items()} for row in range(len(found.keys))]
    return [line for line in lines if line["sort"] == sort]


def test_a_user_has_disks_processes_and_files() -> None:
    """Each leads on to its own screen."""
    found = table(view("db2inst1"))
    (disk,) = rows(found, "disk")
    assert (disk["name"], disk["mbs"], disk["share"], disk["door"]) == ("dasda", 0.8, 100.0, "DEVICE dasda")
    assert [line["door"] for line in rows(found, "process")] == ["UPROC 5", "UPROC 6"]
    files = rows(found, "file")
    assert [(line["name"], line["addr"], line["what"]) for line in files] == [
        ("/db/data", "dasda", "open for reading and writing by 5 and 6"),
        ("/db/help", "dasda", "open for reading by 6"),
    ]
    assert found.facts["unit"] == "db2inst1"


def test_what_a_process_has_of_it_is_an_estimate() -> None:
    """The bytes of the unit in the ratio of what the processes moved; those of the disk are measured."""
    found = table(view(DB))
    mbs = {line["name"]: line["mbs"] for line in rows(found, "process")}
    assert mbs == {"db2sysc 5": pytest.approx(0.6), "db2sysc 6": pytest.approx(0.2)}
    estimates = {line: found.is_estimate("mbs", row) for row, line in enumerate(found.keys)}
    assert estimates["process 5"]
    assert not estimates["94:0"]
    assert isinstance(rows(found, "file")[0]["mbs"], Absent)


def test_without_a_name_it_is_the_one_that_moves_most() -> None:
    """So it can be opened from anywhere."""
    assert table(view("")).facts["unit"] == "db2inst1"
    assert table(view("backup.service")).facts["unit"] == "backup"


def test_a_name_that_nobody_has_is_refused() -> None:
    """With where to find one."""
    with pytest.raises(NoSuchThing, match=r"'nobody'.*\bUSER\b"):
        table(view("nobody"))


def test_its_disks_are_those_of_userio() -> None:
    """The same question has the same answer; of processes it says that none are simulated."""
    found = simulated("shark-before", 150, 152)
    lines = disk_table(found)
    known = {
        addr: mbs
        for unit, addr, mbs in zip(*(lines.columns[name] for name in ("unit", "addr", "mbs")), strict=True)
        if unit == "db2inst1"
    }
    details = table(View(found.interval, argument="db2inst1", inputs=found.inputs))
    assert {line["name"]: line["mbs"] for line in rows(details, "disk")} == known
    parts = [row for row, what in enumerate(details.columns["what"]) if "%" in str(what)]
    assert parts  # of tablespaces: nobody counts them
    assert all(details.is_estimate("what", row) for row in parts)
    assert any(note.startswith("Processes and files:") for note in details.notes)
