"""zmon.tables.tablespaces: the files of tablespaces, chosen by whatever a person has in hand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.simulated import view_of
from tests.placement.study import FILES, MIB, NO, SECOND, filled, sample, site
from zmon.base.absent import Absent
from zmon.interval import Interval
from zmon.kinds import CONTAINER, SOURCE, UNLISTED
from zmon.machine.topology import NOTHING_ON, machine_of
from zmon.machine.view import NoSuchThing, View
from zmon.placement.pieces import FilePiece
from zmon.tables.tablespaces import ALL_EMPTY, _missed, choose, files_table, spread_table
from zmon.topology.machine import UserClaims, UserInputs
from zmon.topology.volumes import bare

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.tables.table import Table

INPUTS = UserInputs(site())
ON_6 = [path for path, _space, _mib, lcu in FILES if lcu == 6]


def fill(argument: str = "", inputs: UserInputs = INPUTS, **more: object) -> Table:
    after = sample(when=10 * SECOND, sectors={6: 800_000, 2: 200_000}, **more)  # type: ignore[arg-type]  # as of `sample`
    return files_table(View(Interval(sample(**more), after), argument=argument, inputs=lambda: inputs))  # type: ignore[arg-type]  # likewise


def test_without_an_argument_all_files_are_shown() -> None:
    """Keyed by path and disk."""
    assert fill().keys == [f"{path} 94:{4 * lcu}" for path, _space, _mib, lcu in FILES]


@pytest.mark.parametrize(
    ("argument", "paths"),
    [
        ("LCU 6", ON_6),
        ("lcu 6", ON_6),
        ("SSID 2486", ON_6),
        ("LCU 2486", ON_6),
        ("2486", ON_6),
        ("7600", ON_6),
        ("0.0.7600", ON_6),
        ("dasdg", ON_6),
        ("dasdg1", ON_6),
        ("/v6", ON_6),
        ("T4", [f"/db/t4.{number}" for number in range(4)]),
        ("prod.t4", [f"/db/t4.{number}" for number in range(4)]),
        ("/db/t3.2", ["/db/t3.2"]),
        ("/db", [path for path, _space, _mib, _lcu in FILES]),
        ("PROD", [path for path, _space, _mib, _lcu in FILES]),
    ],
)
def test_files_are_chosen_by_anything_in_hand(argument: str, paths: list[str]) -> None:
    """A name of an LCU, a number, a bus id, a disk, a partition, a mount, a tablespace, a path."""
    assert fill(argument).columns["path"] == paths


def test_what_belongs_to_no_tablespace_is_chosen_by_what_it_is_for() -> None:
    """As SPREAD names it."""
    found = fill("PROD.(log)", files=[("/log/1", "", 3, 1), ("/a", "A", 1, 1)], roles={"/log/1": "log"})
    assert found.columns["path"] == ["/log/1"]


def test_it_says_what_a_word_was_taken_for() -> None:
    """A number may be taken for several things; the sentence says that it is an LCU, the column need not."""
    found = fill("LCU 6")
    assert (found.notes[0], found.columns["lcu"][0]) == ("Chosen: LCU 6", "6")


def test_a_word_without_meaning_is_refused() -> None:
    """It says what there could be."""
    with pytest.raises(NoSuchThing, match="'NOSUCH' "):
        fill("NOSUCH")


def test_a_disk_without_files_says_so() -> None:
    """It is no error."""
    assert fill("LCU 0").missing is NOTHING_ON


def test_without_a_listing_it_says_how_to_give_one() -> None:
    """With the option."""
    assert fill(files=[]).missing is UNLISTED


@pytest.mark.parametrize("word", ["LCU 9999", "T4"])
def test_without_a_listing_no_word_is_said_to_be_wrong(word: str) -> None:
    """What is missing is the listing."""
    with pytest.raises(NoSuchThing, match=rf"\(--listing\).* {word}$"):
        fill(word, files=[])


def test_a_row_says_where_the_file_lies() -> None:
    """On which disk, and what that is outside of this Linux."""
    found = fill("/db/t1.0")
    row = {name: values[0] for name, values in found.columns.items()}
    said = ("tablespace", "database", "role", "size", "disk", "rdev", "lcu", "grade", "share", "mount")
    assert tuple(row[name] for name in said) == (
        "T1", "PROD", "data", 6 * MIB, "dasdg", "7600", "6", "exact", 100.0, "/v6"
    )  # fmt: skip


def test_a_disk_with_several_paths_has_the_names_that_device_shows() -> None:
    """A file on FCP8104 is not on one of its paths, and its LSS is what CTLUNIT calls it."""
    view = view_of("fcp-failover")
    found = files_table(view)
    row = found.columns["path"].index("/ora/10/data.dbf")
    assert [found.columns[name][row] for name in ("disk", "label", "lcu")] == ["dm-9", "FCP8104", "81"]


def test_what_was_not_measured_is_not_idle() -> None:
    """The first sample has no traffic, and so nothing that it rests on; the reason is that of the traffic."""
    view = View(Interval(None, sample()), inputs=lambda: INPUTS)
    files, spread = files_table(view), spread_table(view)
    assert files.columns["basis"] == files.columns["mbs"]
    assert {isinstance(basis, Absent) for basis in (*files.columns["basis"], *spread.columns["basis"])} == {
        True
    }


def test_traffic_is_an_estimate() -> None:
    """40.96 MB/s were read from the disk, by all of its files."""
    found = fill("LCU 6")
    assert sum(found.columns["mbs"]) == pytest.approx(40.96)  # type: ignore[arg-type]  # numbers
    assert found.is_estimate("mbs", 0)


@pytest.mark.parametrize("told", [True, False])
def test_only_what_cp_does_not_tell_is_asked_for(monkeypatch: pytest.MonkeyPatch, told: bool) -> None:
    """A word without meaning asks for answers of CP only where no real device is known."""
    disk = bare("94:0", NO)._replace(rdev="7600" if told else NO)
    machine = machine_of(View(Interval(None, sample())))
    monkeypatch.setitem(vars(machine), "volumes", {"94:0": disk})
    with pytest.raises(NoSuchThing) as refused:
        choose(machine, "NOSUCH")
    assert ("--cp-file" in str(refused.value)) is not told


def test_the_line_of_all() -> None:
    """How many files, how large, how busy."""
    summary = fill("T4").summary
    assert summary is not None
    assert (summary.title, summary.cells["size"]) == (">> 4 files <<", 12 * MIB)


def test_files_without_a_place_are_counted_and_named_by_tablespace() -> None:
    """The line below the rows says how many they are, so that it is not read as speaking of all rows."""
    made = sample()
    lost: dict[str, Value] = {"tablespace": "T9", "real": NO, "number": NO, "ranges": NO}
    gone = filled(CONTAINER, {"/db/gone": lost, "/db/lost": lost}, 0)
    view = View(Interval(None, made._replace(frames={**made.frames, "container": gone})))
    assert files_table(view).notes[0].startswith("2 files are not placed (T9): ")


def test_files_that_are_counted_elsewhere_are_not_called_empty() -> None:
    """They count no bytes, because another file has the same ones; empty ones have none."""
    made = sample()
    machine = machine_of(View(Interval(None, made)))
    location = next(iter(machine.locations.values()))._replace(disks=(), notes=(), lacking=())
    file = machine.files[0]

    def said(**parts: object) -> str:
        pieces = [
            FilePiece(file._replace(path=path), location._replace(size=0, **parts), None)  # type: ignore[arg-type]
            for path in ("/db/a", "/db/b")
        ]
        return _missed(pieces)

    assert said().endswith(ALL_EMPTY)
    assert said(lacking=("it is /db/c",)).endswith("it is /db/c")


def test_what_is_not_placed_is_a_row_with_the_reason() -> None:
    """In the cells and below the rows."""
    made = sample()
    gone = filled(CONTAINER, {"/db/gone": {"tablespace": "T9", "real": NO, "number": NO, "ranges": NO}}, 0)
    view = View(Interval(None, made._replace(frames={**made.frames, "container": gone})))
    found = files_table(view)
    assert found.keys == ["/db/gone"]
    disk = found.columns["disk"][0]
    assert isinstance(disk, Absent)
    (note,) = found.notes
    assert re.fullmatch(rf"1 file .*\(T9\): {disk.reason}", note)


def test_a_server_that_did_not_answer_stands_below() -> None:
    """With its reason, also in a recording."""
    made = sample()
    said: dict[str, Value] = {"state": "ok", "reason": "postgresql://h/d: refused"}
    frames = {**made.frames, "source": filled(SOURCE, {"containers": said}, 0)}
    notes = files_table(View(Interval(None, made._replace(frames=frames)), inputs=lambda: INPUTS)).notes
    assert notes[-1].endswith(": postgresql://h/d: refused")


def test_remarks_on_what_people_tell_stand_below() -> None:
    """Lines that were not understood, and what could not be used."""
    inputs = UserInputs(
        claims_of=lambda _guest: UserClaims((), ("cp.txt: lines not understood: 3",)),
        problems=("Not used: x",),
    )
    assert fill(inputs=inputs).notes[1:] == ("Not used: x", "cp.txt: lines not understood: 3")
