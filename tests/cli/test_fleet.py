"""`zmon fleet` shows the systems of a directory together, for people and for programs."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.disk_cache import kept_file, sources_digest
from zmon.cli import live
from zmon.cli.main import main
from zmon.cli.output import FAILED, OK, USAGE
from zmon.lab.guest_fleet import write_fleet
from zmon.trends.rollup import recording_with_trends

pytestmark = pytest.mark.usefixtures("utc")


@pytest.fixture(scope="session")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the recordings of four simulated guests, which share three boxes."""

    def write(path: Path) -> None:
        write_fleet(str(path), lambda each: recording_with_trends(each, durable=False), 720, guests=4)

    made = kept_file("fleets", sources_digest("zmon.lab.guest_fleet", "zmon.trends.rollup"), write)
    return shutil.copytree(made, tmp_path_factory.mktemp("fleet") / "f")


def test_many_systems_are_on_one_screen(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All views, what is simulated and what is not seen, and how to look closer."""
    assert main(["fleet", str(fleet)]) == OK
    text = capsys.readouterr().out
    lines = text.splitlines()
    assert lines[0].startswith("SIMULATED  4 of 4 systems report, 2003-03-17 00:00:00 to 2003-03-17 00:12:00")
    assert lines[1].startswith("lnx004 fills LCU 7600 of box 750000000F2002: ")
    for title in ("Guests", "Boxes", "LCUs across guests", "Channel paths", "Exceptions"):
        assert title in lines
    shared = next(line for line in lines[2:] if "750000000F2002" in line and "7600" in line and "%" in line)
    assert {"lnx001", "lnx004"} <= {
        word for word in shared.replace(",", " ").split() if word.startswith("lnx")
    }
    closer = next(line for line in lines if line.startswith("Look closer: "))
    assert str(fleet) in closer


def test_the_document_shows_what_the_laboratory_gives(
    fleet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its example is of as many guests and as long as the fleet of these tests."""
    page = (Path(__file__).parents[2] / "docs" / "fleet.md").read_text(encoding="utf-8")
    assert "--guests 4 --for 12m" in page
    assert main(["fleet", str(fleet)]) == OK
    said = capsys.readouterr().out.splitlines()[1]
    assert said in page.replace("\n", " ")


def test_the_command_that_looks_closer_works(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It opens the recording of that system at that time."""
    main(["fleet", str(fleet), "exceptions", "--format", "json"])
    row = json.loads(capsys.readouterr().out)["exceptions"][0]
    assert main(["show", "CTLUNIT", "--from", row["path"], "--at", row["end"]]) == OK
    assert "7600" in capsys.readouterr().out


def test_programs_get_rows(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """CSV of one view, JSON of all; what is not known is empty, or null."""
    assert main(["fleet", str(fleet), "guests", "--format", "csv"]) == OK
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["guest"] for row in rows] == ["lnx004", "lnx002", "lnx001", "lnx003"]
    assert all(float(row["io"]) > 0 for row in rows)
    assert main(["fleet", str(fleet), "--format", "json"]) == OK
    document = json.loads(capsys.readouterr().out)
    assert document["simulated"] is True
    assert {"guests", "boxes", "lcus", "channels", "exceptions", "notes"} <= document.keys()
    assert document["filling"]["guest"] == "lnx004"
    assert document["conclusion"].startswith("lnx004 fills LCU 7600 of box 750000000F2002: ")
    assert sum(row["io"] for row in document["lcus"]) == pytest.approx(
        sum(row["io"] for row in document["guests"])
    )
    assert main(["fleet", str(fleet), "--format", "csv"]) == USAGE


@pytest.mark.parametrize(("view", "screen"), [("channels", "chpids"), ("exceptions", "except")])
def test_a_view_has_the_name_of_its_screen_too(
    fleet: Path, view: str, screen: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a screen that of its view: one need not know which surface called it so."""
    printed = []
    for word in (view, screen):
        assert main(["fleet", str(fleet), word]) == OK
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{view}\n{screen}\nq\n"))
    assert main(["fleet", str(fleet), "--line"]) == OK
    _, first, second, *_ = capsys.readouterr().out.split(" Command ===> ")
    assert first.partition("\n")[2] == second.partition("\n")[2]
    assert f" {screen.upper()} " in first


def test_who_fills_an_lcu_is_a_view_too(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row for each guest on each LCU, which the text of all views leaves out."""
    assert main(["fleet", str(fleet), "fillers"]) == OK
    text = capsys.readouterr().out
    assert "Who fills which LCU" in text
    assert main(["fleet", str(fleet)]) == OK
    assert "Who fills which LCU" not in capsys.readouterr().out
    assert main(["fleet", str(fleet), "fillers", "--format", "csv"]) == OK
    assert capsys.readouterr().out.startswith("guest,lcu,box,io,share,")


def test_a_time_can_be_chosen(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the words of all commands; one that is none is refused."""
    assert main(["fleet", str(fleet), "guests", "--since=-5m"]) == OK
    assert "2003-03-17 00:07:00 to 2003-03-17 00:12:00" in capsys.readouterr().out
    assert main(["fleet", str(fleet), "--since=-5m"]) == OK
    assert "LCUs across guests" in capsys.readouterr().out
    assert main(["fleet", str(fleet), "--at", "soon"]) == USAGE
    assert main(["fleet", str(fleet), "--since", "2003-03-18 00:00"]) == USAGE


def test_one_that_cannot_be_read_does_not_hide_the_others(
    fleet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is listed with the reason, in letters that a terminal can show, and named on stderr; status 1."""
    shutil.copytree(fleet / "lnx001", tmp_path / "lnx001")
    (tmp_path / "bad\x1b[31m.zmon").write_bytes(b"no recording")
    for name in ("lost+found", ".snapshot"):
        (tmp_path / name).mkdir()  # no systems
    assert main(["fleet", str(tmp_path), "guests"]) == FAILED
    text, said = capsys.readouterr()
    assert "\x1b" not in text + said
    assert said.count(f"{tmp_path}/bad") == 1
    assert text.startswith("SIMULATED  1 of 2 systems reports, ")
    assert "lnx001" in text
    assert "Figures are of 1 of 2 recorded systems: " in text


def test_one_whose_exceptions_are_lost_is_named(
    fleet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In its row, below the tables and on stderr; status 1."""
    for name in ("lnx001", "lnx004"):
        shutil.copytree(fleet / name, tmp_path / name)
    (path,) = (tmp_path / "lnx004").glob("*.zmon")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM judged")
    assert main(["fleet", str(tmp_path), "--format", "json"]) == FAILED
    text, said = capsys.readouterr()
    assert said.count(f"zmon info --check {tmp_path}/lnx004") == 1
    data = json.loads(text)
    rows = {row["guest"]: row for row in data["guests"]}
    assert isinstance(rows["lnx001"]["bad"], int)
    assert not isinstance(rows["lnx004"]["bad"], int)
    assert "judged" in rows["lnx004"]["state"]
    assert any("lnx004" in note for note in data["notes"])
    assert {row["guest"] for row in data["exceptions"]} <= {"lnx001"}


def test_a_directory_without_recordings_says_what_it_should_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And one that is not there says so."""
    assert main(["fleet", str(tmp_path)]) == FAILED
    assert capsys.readouterr().err.startswith(f"zmon: {tmp_path}: ")
    assert main(["fleet", str(tmp_path / "no")]) == FAILED
    assert capsys.readouterr().err == f"zmon: {tmp_path}/no: No such file or directory\n"
    (tmp_path / "x.zmon").write_bytes(b"no recording")
    assert main(["fleet", str(tmp_path)]) == FAILED
    assert f"{tmp_path}/x.zmon: " in capsys.readouterr().err


def test_the_screens_in_line_mode(
    fleet: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the fleet into a system and back; no figure of a list is cut at 80 columns."""
    commands = "GUESTS\nOPEN lnx002\nF3\nFILLERS guest=lnx002\nOPEN lnx9\nq\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(commands))
    assert main(["fleet", str(fleet), "--line"]) == OK
    text = capsys.readouterr().out
    glance, guests, system, back, fillers = text.split(" Command ===> ")[:5]
    assert glance.startswith(" FLEET ")
    assert "Filled by" in glance
    assert guests.splitlines()[1].startswith(" GUESTS ")
    assert system.splitlines()[1].startswith(" OVERVIEW ")
    assert " GUESTS " in back
    assert "lnx002" in fillers
    assert "lnx001" not in fillers
    assert "'lnx9' is none of them" in text
    assert all(len(line) < 80 for line in text.splitlines())


def test_a_system_that_is_gone_is_said_and_the_fleet_stays(
    fleet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recording may be moved while one looks on."""
    folder = tmp_path / "f"
    shutil.copytree(fleet, folder)

    opened = live.opened

    def moved(*about: Any) -> Any:
        shutil.rmtree(folder / "lnx001")
        return opened(*about)

    monkeypatch.setattr(live, "opened", moved)
    monkeypatch.setattr("sys.stdin", io.StringIO("OPEN lnx001\nq\n"))
    assert main(["fleet", str(folder), "--line"]) == OK
    text = capsys.readouterr().out
    assert "lnx001 cannot be opened" in text
    assert text.count(" FLEET ") == 2
