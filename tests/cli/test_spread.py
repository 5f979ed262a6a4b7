from __future__ import annotations

import csv
import io
import json
import os
from typing import TYPE_CHECKING

import pytest

from zmon.base.absent import absent
from zmon.cli.main import main
from zmon.cli.output import FAILED, OK, PARTLY, USAGE
from zmon.listing.listing import read_listing
from zmon.placement.listed_containers import products_of
from zmon.placement.move_statements import DB2_SMS
from zmon.topology.data_files import unknown_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def listing(on_disk: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write files, and a listing that names them, a directory and what is not there."""
    monkeypatch.setenv("HOME", str(on_disk))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(on_disk))
    monkeypatch.setenv("COLUMNS", "250")  # paths of temporary files are long
    folder = on_disk / "folder"
    folder.mkdir()
    for name in ("a", "b\x1b[2J\nc"):
        (folder / name).write_bytes(b"zmon" * 4096)
    (on_disk / "alone").write_bytes(b"zmon" * 65536)
    os.sync()
    made = on_disk / "list.csv"
    made.write_text(
        f"tablespace,path\nTS1,{on_disk}/alone\nTS2,{folder}\nTS3,{on_disk}/gone\nTS4,relative/x\n"
    )
    return str(made)


def test_what_is_listed_is_never_missing(listing: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is not there, and one whose place nobody tells, are rows with a reason."""
    main(["spread", listing, "--by", "disk"])
    printed = capsys.readouterr().out
    assert "gone of TS3" in printed
    assert "relative/x of TS4" in printed
    assert "relative path" in printed


@pytest.mark.usefixtures("listing")
@pytest.mark.parametrize("kind", ["PATH", ""])
def test_files_of_a_directory_of_db2_are_not_moved_by_statements(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Db2 makes them itself; a container with files in it is a directory, whatever the listing calls it."""
    made = tmp_path / "mon.csv"
    made.write_text(
        f"TBSP_NAME,CONTAINER_NAME,CONTAINER_TYPE,TOTAL_PAGES,TBSP_PAGE_SIZE\nT,{tmp_path}/folder,{kind},9,4096\n"
    )
    main(["spread", str(made), "--by", "disk", "--moves", "5", "--format", "json"])
    assert "ADD (FILE" not in capsys.readouterr().out
    files = [unknown_file(f"{tmp_path}/folder/a", absent("not looked at"))]
    products = products_of(read_listing([str(made)]), files)
    assert products(f"{tmp_path}/folder/a") == DB2_SMS


def test_names_are_harmless(listing: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A directory may hold a file with orders to the terminal in its name."""
    main(["spread", listing, "--moves", "5"])
    assert "\x1b" not in capsys.readouterr().out


def test_without_an_lcu_the_way_out_is_told(listing: str, capsys: pytest.CaptureFixture[str]) -> None:
    """On a machine without DASD; the exit status says that nothing was placed."""
    status = main(["spread", listing])
    printed = capsys.readouterr().out
    assert status in {OK, FAILED}
    if status == FAILED:
        assert "--by disk" in printed


def test_csv_and_json(listing: str, capsys: pytest.CaptureFixture[str]) -> None:
    """For programs."""
    main(["spread", listing, "--by", "disk", "--format", "csv"])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["tablespace"] for row in rows] == ["TS1", "TS2", "TS3", "TS4"]
    main(["spread", listing, "--by", "disk", "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    assert [row["tablespace"] for row in found["problems"]][-1] == "TS4"


def test_times_are_of_recordings(listing: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Live there is only now."""
    assert main(["spread", listing, "--at", "-5m"]) == USAGE
    assert "--from" in capsys.readouterr().err


def test_a_listing_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Is said, in a sentence."""
    assert main(["spread", str(tmp_path / "none.ddl")]) == FAILED
    assert "none.ddl" in capsys.readouterr().err


def test_an_lcu_that_nobody_knows(listing: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Is refused, with those there are."""
    assert main(["spread", listing, "--lcus", "LCU 99"]) == FAILED
    assert "'LCU 99' names none" in capsys.readouterr().err


def test_what_is_not_placed_is_counted(listing: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A tablespace of which no file has a place is one of those that are counted and named."""
    main(["spread", listing, "--by", "disk"])
    printed = capsys.readouterr().out
    assert printed.startswith("4 tablespaces, 5 files,")
    assert any(line.startswith("TS4 ") for line in printed.splitlines())


@pytest.fixture
def mistyped(on_disk: Path, listing: str) -> str:
    """Write a listing of which one statement is mistyped."""
    made = on_disk / "mistyped.ddl"
    made.write_text(
        f"CREATE TABLESPACE A MANAGED BY DATABASE USING (FILE '{on_disk}/alone' 1);\n"
        "CREATE TABLESPAC B MANAGED BY SYSTEM USING ('/b');\n"
    )
    assert listing
    return str(made)


@pytest.mark.parametrize("form", ["text", "csv", "json"])
def test_what_is_not_understood_is_told_and_changes_the_exit_status(
    mistyped: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In every form of the answer, with file, line and words."""
    status = main(["spread", mistyped, "--by", "disk", "-f", form])
    said = capsys.readouterr()
    assert status in {PARTLY, FAILED}  # failed where no disk is known
    assert "zmon: 1 part of the listing " in said.err
    told = said.err if form == "csv" else said.out
    assert f"{mistyped}:2: statement not understood: " in " ".join(told.split())
    assert "CREATE TABLESPAC B" in " ".join(told.split())


def test_strict_gives_no_answer(mistyped: str, capsys: pytest.CaptureFixture[str]) -> None:
    """When a part of the listing is not understood."""
    assert main(["spread", mistyped, "--strict"]) == FAILED
    said = capsys.readouterr()
    assert said.out == ""
    assert "TABLESPAC B" in said.err


def test_a_listing_that_is_understood_is_well_with_strict(
    listing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """That a file cannot be placed is another matter."""
    main(["spread", listing, "--strict", "--by", "disk"])
    assert "TS1" in capsys.readouterr().out


# --- of a capture ---------------------------------------------------------------------------------------

CAPTURE = ["--from", "recordings/casestudy/machine-uid.tar.gz"]


@pytest.fixture
def spread(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., str]:
    """Return a function from a listing and options to what is printed, white space as one blank."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")

    def run(text: str, *options: str, status: int = OK) -> str:
        made = tmp_path / "given"
        made.write_text(text)
        assert main(["spread", str(made), *CAPTURE, *options]) == status
        return " ".join("".join(capsys.readouterr()).split())

    return run


def test_a_raw_device_is_on_its_own_disk(spread: Callable[..., str]) -> None:
    """And not on that of the root file system."""
    ddl = "CREATE TABLESPACE T PAGESIZE 4096 MANAGED BY DATABASE USING (DEVICE '{}' 1000);\n"
    printed = spread(ddl.format("/dev/dasdb1"))
    assert "All is on LCU 7600" in printed
    assert " exact" in printed
    printed = spread(ddl.format("/dev/nosuch"), status=FAILED)
    assert "/dev/nosuch of T" in printed


def test_disks_of_asm_without_their_groups(spread: Callable[..., str]) -> None:
    """They are where `zmon where` finds them."""
    head = "GROUP_NUMBER,DISK_NUMBER,NAME,FAILGROUP,PATH,TOTAL_MB\n"
    printed = spread(f"{head}1,0,D0,D0,/dev/dasdb1,2000\n1,1,D1,D1,/dev/dasdc1,2000\n")
    assert "over 2 LCUs" in printed
    assert "7200 7600" in printed


def test_one_file_written_in_several_ways_counts_once(spread: Callable[..., str]) -> None:
    """A capture has no symbolic links to follow."""
    ways = ("/db2/d01/tsfact1.data", "/db2/d01/../d01/tsfact1.data", "/db2/./d01//tsfact1.data")
    assert spread("".join(f"T,{path}\n" for path in ways)).startswith("1 tablespace, 1 file, 2G over 1 LCU")


def test_the_first_sample_has_no_traffic(capsys: pytest.CaptureFixture[str]) -> None:
    """It is not known, and not none, although some files are empty."""
    words = ["--from", "recordings/lab-shark-before.zmon", "--at", "03:00", "--traffic"]
    assert main(["spread", *words]) == FAILED
    assert "first sample: differences" in capsys.readouterr().out


def test_a_remark_on_statements_is_printed_once(spread: Callable[..., str]) -> None:
    """For each sort of statement, not for each tablespace."""
    head = "TBSP_NAME,CONTAINER_NAME,TBSP_PAGE_SIZE,TBSP_USING_AUTO_STORAGE\n"
    files = {
        "A": ("01/tsfact1", "05/tsfact1"),
        "B": ("11/tsfact2", "14/tsfact2"),
        "C": ("17/tsfact2", "18/tsfact2"),
    }
    rows = [f"{name},/db2/d{each}.data,4096,{int(name == 'C')}\n" for name in files for each in files[name]]
    printed = spread(head + "".join(rows), "--moves", "20", "--lcus", "*", "--how")
    assert printed.count("DROP (FILE") == 2
    assert printed.count("ALTER STOGROUP <storage group of C>") == 1


def test_a_file_of_two_tablespaces_is_counted_once_and_told(spread: Callable[..., str]) -> None:
    """The second is not dropped without a word."""
    printed = spread("A,/db2/d01/tsfact1.data\nB,/db2/d01/tsfact1.data\n")
    assert printed.startswith("2 tablespaces, 2 files, 2G over 1 LCU, by bytes, 1 not placed")
    assert "/db2/d01/tsfact1.data of B [" in printed
    assert " for A, " in printed


def test_the_host_of_a_listing_is_compared_with_the_capture(spread: Callable[..., str]) -> None:
    """And not with this machine."""
    row = "T,/db2/d01/tsfact1.data\n"
    assert "lindb01" not in spread(f"# host: lindb01\n{row}")
    assert " otherhost, and this is lindb01" in spread(f"# host: otherhost\n{row}")


SITE = [
    *("--from", "recordings/casestudy/machine.tar.gz", "--cp-file", "recordings/casestudy/cp.txt"),
    *("--site", "recordings/casestudy/site.toml"),
]


def test_no_moves_are_better_than_the_best_spread(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where only some LCUs are available: the others keep at most what they hold."""
    words = ["--lcus", "1,2", "--moves", "5", "-f", "json"]
    assert main(["spread", "recordings/casestudy/tablespaces.ddl", *SITE, *words]) == OK
    found = json.loads(capsys.readouterr().out)["what_if"]
    assert 1.7 < found["moves"]["times"] < found["even_spread"]["times"] == pytest.approx(2.13, abs=0.01)
    assert main(["spread", "recordings/casestudy/tablespaces.ddl", *SITE, *words[:-2]]) == OK
    printed = " ".join(capsys.readouterr().out.split())
    assert "32G over 4 LCUs (2 available)" in printed


def test_moves_are_answered_in_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    """Four moves, what they give and what that rests on: 25 lines at most."""
    for source in (
        ("--from", "lab:shark-before", "--traffic"),
        ("--from", "recordings/casestudy/machine-uid.tar.gz", "recordings/casestudy/tablespaces.ddl"),
    ):
        assert main(["spread", *source, "--moves", "4"]) == OK
        assert len(capsys.readouterr().out.splitlines()) <= 25


def test_what_matches_nothing_is_told(spread: Callable[..., str], tmp_path: Path) -> None:
    """It may be mistyped."""
    site = tmp_path / "site.toml"
    site.write_text('[capacity]\nlcu = 40\n"LCU 66" = 40\n"LCU 7600" = 50\n')
    row = "T,/db2/d01/tsfact1.data\n"
    printed = spread(row, "--pin", "NOSUCH*", "--pin", "T", "--site", str(site))
    assert " LCU 66 " in printed
    assert "--pin 'NOSUCH*' " in printed
    assert "--pin 'T'" not in printed


@pytest.mark.parametrize("name", ["dasdb", "043A", "0.0.043a", "94:4", "0X043A"])
def test_a_disk_has_several_names(name: str, spread: Callable[..., str]) -> None:
    """Each means it."""
    printed = spread("T,/db2/d01/tsfact1.data\n", "--by", "disk", "--lcus", name)
    assert "1 tablespace, 1 file, 2G over 1 disk" in printed


def test_a_reason_stands_once_for_all_files(spread: Callable[..., str]) -> None:
    """The side of no storage server is known here."""
    rows = "".join(f"T,/db2/d{number:02}/tsfact1.data\n" for number in (1, 5, 7))
    printed = spread(rows, "--by", "side", status=FAILED)
    assert printed.count("and 2 more: ") == 1


def test_a_number_may_be_too_large(capsys: pytest.CaptureFixture[str]) -> None:
    """Not less than 1."""
    with pytest.raises(SystemExit):
        main(["spread", "x", "--moves", "9" * 5000])
    assert "is more than 1,000,000,000" in capsys.readouterr().err


CASESTUDY = "recordings/casestudy/machine-uid.tar.gz"
SEEN = """tablespace,path,role,bytes
A,/db2/d01/tsfact1.data,data,2042880000
B,/db2/d02/tsfact1.data,data,430080000
"""


@pytest.fixture
def answer_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], str]:
    """Return a function for the answer about two files of a capture and one more line, its words in a row."""
    source = os.path.abspath(CASESTUDY)
    monkeypatch.chdir(tmp_path)

    def answer(line: str) -> str:
        (tmp_path / "l.csv").write_text(f"{SEEN}{line}\n")
        main(["spread", "l.csv", "--from", source, "--moves", "3"])
        return " ".join(capsys.readouterr().out.split())

    return answer


def test_a_mistyped_path_makes_no_lcu_a_target(answer_with: Callable[[str], str]) -> None:
    """By its path it would be on the disk of the system."""
    out = answer_with("GHOST,/nowhere/file.dat,data,100")
    assert "over 2 LCUs" in out
    assert "left out: LCU 7000" in out
    assert "/nowhere/file.dat of GHOST [l.csv:4]: not seen: " in out
    assert "-> LCU 7000" not in out
    assert "path on LCU 7000" not in out


def test_a_file_that_was_not_seen_is_named(answer_with: Callable[[str], str]) -> None:
    """Where others of its file system were seen it counts."""
    out = answer_with("A,/db2/d01/mistyped.data,data,100")
    assert ": /db2/d01/mistyped.data of A [l.csv:4], on /db2/d01" in out


def test_where_the_load_is_new_no_move_is_of_use(capsys: pytest.CaptureFixture[str]) -> None:
    """The hours before show it, as on screens: who makes it is to be found."""
    words = ["--from", "recordings/lab-healthy-day.zmon", "--at", "14:40", "--traffic", "--moves", "3"]
    assert main(["spread", *words]) == OK
    printed = " ".join(capsys.readouterr().out.split())
    assert "because LCU 8000 has " in printed


@pytest.mark.parametrize("screen", ["SPREAD", "FILES"])
def test_screens_say_which_listed_file_they_lack(
    screen: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In `zmon spread` it is counted; without a usable path it is in no sample, and in no row of a screen."""
    (tmp_path / "l.csv").write_text("tablespace,path,role\nGOOD,/db2/d05/x,log\nODD,relative/path,weird\n")
    assert main(["show", screen, *CAPTURE, "-l", str(tmp_path / "l.csv")]) == PARTLY
    printed = capsys.readouterr().out
    assert "l.csv:3: 'weird' is no role" in printed
    assert f"relative/path [{tmp_path}/l.csv:3] cannot be placed: relative path" in printed


def test_files_without_a_size_lie_on_lcus_all_the_same(spread: Callable[..., str]) -> None:
    """By their paths, as FILES has it: what is missing is not the LCU."""
    printed = spread("tablespace,path,role\nA,/db2/d05/x,data\nL,/db2/d05/y,log\n", status=FAILED)
    assert printed.startswith("No spread of 2 files of 2 tablespaces: ")
    assert " on LCU 7600; " in printed
    assert "--by disk" not in printed


def test_a_listing_is_taken_as_where_takes_it(listing: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With -l or without, and both together."""
    answers = []
    for given in ([listing], ["-l", listing], ["--listing", listing]):
        main(["spread", *given, "--by", "disk", "-f", "json"])
        answers.append(json.loads(capsys.readouterr().out)["tablespaces"])
    assert answers[1:] == answers[:1] * 2


def test_the_bytes_of_files_of_unknown_size_are_absent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Absent is never zero: neither in CSV nor in JSON."""
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/a.txt").write_text("0.0.7001  active  dasdb  94:4  ECKD  4096  7043MB  1803060\n")
    (tmp_path / "l.csv").write_text("tablespace,path\nT1,/x/t1\n")
    asked = ["spread", str(tmp_path / "l.csv"), "--from", str(tmp_path / "texts"), "-f"]
    main([*asked, "csv"])
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["files"], row["bytes"], row["bytes_unplaced"]) == ("1", "", "")
    main([*asked, "json"])
    (space,) = json.loads(capsys.readouterr().out)["tablespaces"]
    assert (space["bytes"], space["bytes_unplaced"]) == (None, None)
