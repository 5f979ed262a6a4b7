from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.frames import frame_of
from tests.goldens import facts
from tests.placement.study import FILES, SECOND, sample
from zmon.base.absent import Absent, absent
from zmon.interval import Interval
from zmon.kinds import CONTAINER, DEVICE
from zmon.machine.view import View
from zmon.tables.tablespaces import files_table, spread_table

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.tables.table import Table


def fill(**more: object) -> Table:
    after = sample(when=10 * SECOND, sectors={6: 800_000, 2: 200_000}, **more)  # type: ignore[arg-type]  # as of `sample`
    return spread_table(View(Interval(sample(), after)))


def test_one_row_per_tablespace() -> None:
    """Keyed by the database too, because names repeat in other databases."""
    found = fill()
    assert found.keys == ["PROD.T1", "PROD.T2", "PROD.T3", "PROD.T4"]
    assert found.columns["files"] == [4, 4, 4, 4]


def test_bytes_and_traffic_stand_side_by_side() -> None:
    """T3 lies on 2.7 LCUs, and is idle: on two of them it lies alone."""
    found = fill()
    assert found.columns["effective"][2] == pytest.approx(8 / 3)
    assert isinstance(found.columns["teffective"][2], Absent)
    assert found.columns["teffective"][0] == pytest.approx(1.0)
    assert found.columns["worst"][0] == "LCU 2486"


def test_what_traffic_rests_on_is_shown() -> None:
    """T1 and T2 lie on one disk: their bytes share its traffic; T4 has its own."""
    found = fill()
    assert found.columns["basis"] == ["bytes", "bytes", "fitted", "alone"]
    assert "Traffic of files: 14 by bytes" in found.notes


def test_traffic_is_an_estimate() -> None:
    """Wherever it is shown; bytes are none."""
    found = fill()
    assert found.is_estimate("mbs", 0)
    assert not found.is_estimate("effective", 0)


def test_the_line_of_all() -> None:
    """On 1.8 of 4 LCUs that hold files."""
    summary = fill().summary
    assert summary is not None
    assert summary.cells["effective"] == pytest.approx(1.8, abs=0.05)
    assert summary.cells["units"] == 4


def test_the_note_says_what_an_even_spread_may_give() -> None:
    """And names the LCU that has most."""
    fullest, note, *_ = fill().notes
    assert facts(fullest) == "2486 80"
    assert facts(note).startswith("4 3.20 2486")


def test_logs_beside_data_are_told() -> None:
    """On the row and below."""
    found = fill(roles={"/db/t4.0": "log"})
    assert found.columns["logs"] == ["no", "no", "no", "yes"]
    assert any("Logs share 1" in note for note in found.notes)


def test_the_first_sample_has_bytes_alone() -> None:
    """Traffic comes with the next one."""
    found = spread_table(View(Interval(None, sample())))
    assert found.columns["effective"][0] == pytest.approx(1.0)
    assert isinstance(found.columns["mbs"][0], Absent)


def test_without_files_there_are_no_rows() -> None:
    """And the reason says what to do."""
    bare = sample([])
    found = spread_table(View(Interval(None, bare)))
    assert found.keys == []
    assert found.missing is not None


def said_of_all(without: str = "", **cells: Value) -> tuple[list[Value], str]:
    """Return the counts of unplaced files and the note on files, without a frame and with other cells."""
    made = sample(when=10 * SECOND)
    kept = made.frame(CONTAINER)
    rows = {
        key: {field.name: kept.cell(key, field.name) for field in CONTAINER.fields} | cells
        for key in kept.keys
    }
    frames = {**made.frames, CONTAINER.name: frame_of(CONTAINER, rows, 0)}
    frames.pop(without, None)
    found = spread_table(View(Interval(None, made._replace(frames=frames))))
    (note,) = (note for note in found.notes if f"{len(FILES)} of {len(FILES)} files are" in note)
    return found.columns["unplaced"], note


def test_files_that_lie_nowhere_are_counted() -> None:
    """With the first reason below."""
    counts, note = said_of_all(number=absent("on NFS"))
    assert counts == [4, 4, 4, 4]
    assert "not placed" in note
    assert f" {FILES[0][0]}: on NFS" in note


def test_a_file_on_a_disk_without_lcu_is_placed() -> None:
    """As FILES has it, whose rows show the disk."""
    counts, note = said_of_all("device")
    assert counts == [0, 0, 0, 0]
    assert f" {FILES[0][0]}: dasdg: no uid" in note


def test_traffic_and_places_need_no_lcu() -> None:
    """Disks of a KVM guest are on no LCU: megabytes and grade are those that FILES has of the same files."""
    early, late = sample(), sample(when=10 * SECOND, sectors={6: 800_000, 2: 200_000})
    on_disks = [
        one._replace(frames={key: frame for key, frame in one.frames.items() if key != DEVICE.name})
        for one in (early, late)
    ]
    view = View(Interval(*on_disks))
    files, found = files_table(view), spread_table(view)
    by_space: dict[Value, float] = {}
    for space, load in zip(files.columns["tablespace"], files.columns["mbs"], strict=True):
        by_space[space] = by_space.get(space, 0.0) + load  # type: ignore[assignment,operator]  # a number
    assert by_space["T1"] > 0
    assert found.columns["mbs"] == pytest.approx([by_space[space] for space in found.columns["tablespace"]])
    assert {*found.columns["grade"], *files.columns["grade"]} == {"exact"}
    assert found.summary
    assert files.summary
    assert found.summary.cells["mbs"] == pytest.approx(files.summary.cells["mbs"])
    assert all(isinstance(cell, Absent) for cell in found.columns["teffective"])


def test_the_grade_is_that_of_the_worst_file() -> None:
    """Also of one that is on a known disk with an unknown number of bytes; FILES has the same grades."""
    made = sample(when=10 * SECOND)
    kept = made.frame(CONTAINER)
    rows = {key: {field.name: kept.cell(key, field.name) for field in CONTAINER.fields} for key in kept.keys}
    only_path = absent("the path alone")
    rows[FILES[0][0]] |= {"size": only_path, "ranges": only_path, "unplaced": only_path}
    view = View(
        Interval(None, made._replace(frames={**made.frames, CONTAINER.name: frame_of(CONTAINER, rows, 0)}))
    )
    found, files = spread_table(view), files_table(view)
    worst = {
        space: {
            grade
            for one, grade in zip(files.columns["tablespace"], files.columns["grade"], strict=True)
            if one == space
        }
        - {"exact"}
        for space in ("T1", "T2", "T3", "T4")
    }
    assert worst == {"T1": {"shares"}, "T2": set(), "T3": set(), "T4": set()}
    assert found.columns["grade"] == ["shares", "exact", "exact", "exact"]
    assert found.columns["unplaced"] == [1, 0, 0, 0]
    assert found.summary is not None
    assert found.summary.cells["grade"] == "shares"
