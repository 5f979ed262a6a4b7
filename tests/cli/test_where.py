from __future__ import annotations

import csv
import io
import json
import os
import stat
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.casestudy import VOLUMES, WAYS, counted, unit
from tests.goldens import compare
from zmon.cli import where
from zmon.cli.main import main
from zmon.cli.source_options import read_files

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

FILE = "/db2/d01/tsfact1.data"
SPACES = ["TSFACT1", "TSFACT2", "TSFACT3", "TSFACT4", "TSDIM", "TSINDEX", "TEMPSPACE1", "TSSTAGE"]

pytestmark = pytest.mark.usefixtures("utc", "eighty")


@pytest.fixture
def eighty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Make lines of 80 columns, and no site file of whoever runs the tests."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody"))


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Look something up, which must end with a status; returns what is printed."""

    def lookup(*words: str, status: int = 0) -> str:
        assert main(["where", *words]) == status
        return capsys.readouterr().out

    return lookup


@pytest.fixture
def complaint(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Look something up that cannot be answered; returns what is complained of."""

    def lookup(*words: str, status: int = 1) -> str:
        assert main(["where", *words]) == status
        return capsys.readouterr().err

    return lookup


def documents(printed: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(printed)
    return found


def records(printed: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(printed)))


# --- the case study, told in three ways -----------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_every_way_puts_the_volumes_on_the_same_units(way: str, ask: Callable[..., str]) -> None:
    """CP, a user directory with QUERY DASD, and unique ids agree."""
    (found,) = documents(ask("DWPROD", "-f", "json", *WAYS[way]))
    disks = {disk["disk"]: disk["called"] if way != "uid" else disk["lcu"]
             for answer in found["where"] for disk in answer["disks"]}  # fmt: skip
    assert counted(disks.values()) == VOLUMES


@pytest.mark.parametrize("way", WAYS)
def test_every_way_puts_the_root_elsewhere(way: str, ask: Callable[..., str]) -> None:
    """The system's volume is on control unit 0."""
    (found,) = documents(ask("/", "-f", "json", *WAYS[way]))
    (disk,) = found["where"][0]["disks"]
    assert unit(disk["lcu"]) == "0"


@pytest.mark.parametrize("way", WAYS)
def test_most_of_the_data_are_on_one_unit(way: str, ask: Callable[..., str]) -> None:
    """On 6, and none outside of 1, 2, 5 and 6."""
    on: dict[str, int] = {}
    for row in records(ask(*SPACES, "-f", "csv", *WAYS[way])):
        on[unit(row["lcu"])] = on.get(unit(row["lcu"]), 0) + int(row["bytes"] or 0)
    assert (sorted(on), max(on, key=on.__getitem__), on["6"] > sum(on.values()) / 2) == (
        sorted(VOLUMES),
        "6",
        True,
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("width", [80, 120])
def test_a_file_and_a_tablespace(
    way: str, width: int, ask: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer as people see it."""
    monkeypatch.setenv("COLUMNS", str(width))
    printed = ask(FILE, "TSFACT1", *WAYS[way]).splitlines()
    assert all(len(line) <= width for line in compare(f"casestudy-where-{way}-{width}", printed))


def test_what_lies_on_things(ask: Callable[..., str]) -> None:
    """Upwards from a real device number, a label, a partition and a control unit."""
    compare("casestudy-where-up", ask("767E", "YN9QKU", "dasdc1", "LCU 1", *WAYS["cp"]).splitlines())


def test_what_told_it(ask: Callable[..., str]) -> None:
    """Each step with the file and the line."""
    compare("casestudy-where-evidence", ask(FILE, "--evidence", *WAYS["directory"]).splitlines())


@pytest.mark.parametrize("way", WAYS)
def test_the_spread(way: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The tablespaces by control units, and how even they are."""
    listing = WAYS[way][3]
    rest = WAYS[way][:2] + WAYS[way][4:]
    assert main(["spread", listing, *rest]) == 0
    compare(f"casestudy-spread-{way}", capsys.readouterr().out.splitlines())


def test_the_spread_by_traffic(capsys: pytest.CaptureFixture[str]) -> None:
    """In the last interval control unit 6 is full, and moves would help."""
    words = ["--traffic", "--moves", "4"]
    assert main(["spread", WAYS["cp"][3], *WAYS["cp"][:2], *WAYS["cp"][4:], *words]) == 0
    compare("casestudy-spread-traffic", capsys.readouterr().out.splitlines())


def test_a_file_stands_in_three_lines(ask: Callable[..., str]) -> None:
    """What it is, the way down, and the disk with all its names."""
    file, way, disk = ask(FILE, *WAYS["cp"]).splitlines()
    assert (file, way.strip(), disk.strip()) == (
        f"{FILE}  2G  exact",
        "/db2/d01 (ext3) > dasdb1 > dasdb",
        "dasdb  vdev 043A  rdev 767E  label HWZJZH  LCU 6 (assumed)  CHPIDs 40-45",
    )


def test_what_nobody_looked_at_is_placed_by_its_name(ask: Callable[..., str]) -> None:
    """And says so."""
    path, _why, *others = ask("/db2/d01/new.file", *WAYS["cp"], status=1).splitlines()
    assert path == "/db2/d01/new.file  assumed"
    assert any("dasdb1" in line for line in others)


def test_what_is_listed_and_was_not_looked_at(ask: Callable[..., str], tmp_path: Path) -> None:
    """The listing stands for it, and is named."""
    listing = tmp_path / "more.csv"
    listing.write_text("tablespace,path\nTSNEW,/db2/d01/new.file\n")
    words = ask("/db2/d01/new.file", "--from", WAYS["cp"][1], "--listing", str(listing)).splitlines()
    assert words[0] == "/db2/d01/new.file  assumed"
    assert str(listing)[-9:] in "".join(line.strip() for line in words[1:4])


def test_a_listing_does_not_hide_what_a_capture_holds(ask: Callable[..., str], tmp_path: Path) -> None:
    """Neither by path, nor by tablespace, nor on a disk."""
    listing = tmp_path / "more.csv"
    listing.write_text("X,/db2/d26/other.data\n")
    options = (*WAYS["uid"][:2], "-l", str(listing))
    assert ask("/db2/d14/tsfact2.data", *options).startswith("/db2/d14/tsfact2.data  2G  exact\n")
    assert "DWPROD.TSFACT2  4 files  8G  exact" in ask("TSFACT2", *options)
    assert "DWPROD.TSFACT2    2G in 1 file" in ask("dasdo", *options)


def test_a_listing_of_another_machine_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The same path may be another file."""
    listing = tmp_path / "other.csv"
    listing.write_text("# host: otherhost\nT,/db2/d14/tsfact2.data\n")
    assert main(["where", "T", "-l", str(listing), *WAYS["uid"][:2]]) == 0
    assert "otherhost, and this is lindb01" in capsys.readouterr().err


def test_a_directory_of_a_capture_has_the_files_below(ask: Callable[..., str]) -> None:
    """Those that are listed or were looked at."""
    (found,) = documents(ask("/db2", "-f", "json", *WAYS["uid"]))
    assert (found["means"], len(found["where"])) == ("directory", 28)


def test_the_size_of_a_file_on_one_disk_may_be_unknown(ask: Callable[..., str]) -> None:
    """Then there is no choice of disks, and nothing says that there is."""
    (found,) = documents(ask("/db2/d04/new.file", "-f", "json", *WAYS["cp"], status=1))
    (disk,) = found["where"][0]["disks"]
    assert "this disk alone" in disk["bytes"]["absent"]


def test_a_word_that_means_several_things_is_answered_for_each(ask: Callable[..., str]) -> None:
    """The number of a device, in the guest and outside, and an LCU of that number."""
    found = documents(ask("7200", "7600", "-f", "json", *WAYS["uid"]))
    assert [one["means"] for one in found] == ["logical control unit", "logical control unit"]


@pytest.mark.usefixtures("short_scenarios")
def test_an_adapter_has_the_paths_over_it(ask: Callable[..., str]) -> None:
    """Not the paths over another adapter to the same disks; the files are on each of them."""
    options = ("--from", "lab:fcp-one-adapter", "--at", "09:02")
    heading, _names, *rest = ask("fc61", *options).splitlines()
    assert heading == "fc61 (0.0.fc61): bus id, 16 disks over 32 paths"
    assert [line.split()[1] for line in rest[:32]] == ["0.0.fc61"] * 32
    (found,) = documents(ask("fc61", "-f", "json", *options))
    assert {disk["busid"] for disk in (*found["disks"], *found["paths"])} == {"0.0.fc61"}
    rows = records(ask("fc61", "-f", "csv", *options))
    assert {(row["disk"][:2], row["busid"], bool(row["path"])) for row in rows} == {("sd", "0.0.fc61", True)}


@pytest.mark.usefixtures("short_scenarios")
def test_a_multipath_device_has_all_its_paths(ask: Callable[..., str]) -> None:
    """Each with its adapter, its port and its channel path."""
    heading, _names, *rest = ask("FCP8000", "--from", "lab:fcp-one-adapter", "--at", "09:02").splitlines()
    assert heading.endswith(": block device, 1 disk over 4 paths")
    assert [(line.split()[0], line.split()[1], line.split()[-1]) for line in rest[:4]] == [
        ("sda", "0.0.fc60", "60"),
        ("sdq", "0.0.fc61", "61"),
        ("sdag", "0.0.fc60", "60"),
        ("sdaw", "0.0.fc61", "61"),
    ]


@pytest.mark.usefixtures("short_scenarios")
def test_what_is_lost_of_the_ways_to_a_disk_is_told(ask: Callable[..., str]) -> None:
    """An adapter that is offline, the paths over it, and a channel path that no device can use."""
    options = ("--from", "lab:fcp-one-adapter")
    first, *_ = ask("fc61", *options).splitlines()
    assert first == "fc61 (0.0.fc61): bus id, offline, 16 disks over 32 paths, 0 usable"
    heading, names, *rest = ask("FCP8000", *options).splitlines()
    assert heading.endswith(": block device, 1 disk over 4 paths, 2 usable")
    assert names.split()[-1] == "State"
    assert [line.split()[-1] for line in rest[:4]] == ["active", "transport-offline"] * 2
    assert ask("sdq", *options).splitlines()[0].endswith(", 1 disk, path not used: transport-offline")
    (found,) = documents(ask("FCP8000", "-f", "json", *options))
    assert [path["not_used"] for path in found["paths"]] == ["", "transport-offline"] * 2
    assert ask("0X8000", "--from", "lab:path-lost").splitlines()[1].endswith("CHPIDs 50-53  lost 52")
    found = documents(ask("0X8000", "-f", "json", "--from", "lab:path-lost"))[0]
    assert [disk["lost_chpids"] for disk in found["disks"]] == ["52"]


def test_a_device_that_is_offline(ask: Callable[..., str]) -> None:
    """It is found, in each format, with what is known of it."""
    options = ("--from", "recordings/hercules-lvm.tar.gz")
    first, device, *_ = ask("7203", *options).splitlines()
    assert first == "7203 (0.0.7203): bus id, no disk"
    assert device.startswith("  3390-1 on 3990/ec, offline, CHPIDs 72: ")
    (row,) = records(ask("7203", "-f", "csv", *options))
    assert (row["busid"], row["chpids"], row["disk"]) == ("0.0.7203", "72", "")
    (found,) = documents(ask("7203", "-f", "json", *options))
    assert (found["device"]["status"], found["disks"]) == ("offline", [])


# --- what ends how --------------------------------------------------------------------------------------


def test_nothing_goes_by_that_name(complaint: Callable[..., str]) -> None:
    """It is complained of, and the others are answered."""
    assert complaint("NOSUCH", FILE, *WAYS["uid"]).startswith("zmon: NOSUCH: not found in recordings/")


def test_help_for_what_was_not_found_is_what_was_not_given(complaint: Callable[..., str]) -> None:
    """Who gave a listing is not told to give one."""
    words = complaint("NOSUCH", *WAYS["uid"])
    assert ("--listing" in words, "--cp-file" in words) == (False, True)


def test_a_file_that_does_not_exist(ask: Callable[..., str], on_disk: Path) -> None:
    """The reason stands there, and the status says it."""
    assert "it does not exist" in ask(str(on_disk / "no"), status=1)


def test_a_file_of_another_machine(complaint: Callable[..., str], on_disk: Path) -> None:
    """Who asks here for what is in a capture is told how to ask for that."""
    path = str(on_disk / "no")
    said = complaint(path)
    assert said.startswith(f"zmon: {path}: ")
    assert "--from" in said


def test_an_empty_word_means_nothing(complaint: Callable[..., str]) -> None:
    """No label is empty."""
    assert "not found" in complaint("", *WAYS["uid"])


@pytest.mark.parametrize("words", [["--at", "-10m"], ["-r", "--from", "x"]])
def test_what_is_asked_wrongly(words: list[str], complaint: Callable[..., str]) -> None:
    """Options that do not go together."""
    assert complaint("/", *words, status=2)


def test_a_source_that_is_not_there(complaint: Callable[..., str]) -> None:
    """One sentence."""
    assert complaint("/", "--from", "/nonexistent/x").count("\n") == 1


# --- this machine ---------------------------------------------------------------------------------------


@pytest.fixture
def here(on_disk: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty directory."""
    folder = on_disk / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def paths(printed: str) -> list[str]:
    return [answer["path"] for one in documents(printed) for answer in one["where"]]


def test_a_file_here(here: Path, ask: Callable[..., str]) -> None:
    """By its path from here, and from the root."""
    (here / "a.dat").write_bytes(bytes(8192))
    assert paths(ask("a.dat", str(here / "a.dat"), "-f", "json")) == [str(here / "a.dat")] * 2


def test_a_path_that_goes_up_behind_a_link(here: Path, ask: Callable[..., str]) -> None:
    """The kernel follows the link first."""
    (here / "real" / "sub").mkdir(parents=True)
    (here / "real" / "file").write_text("x")
    (here / "link").symlink_to("real/sub")
    (found,) = documents(ask("link/../file", "-f", "json"))
    assert found["where"][0]["real"] == str(here / "real" / "file")


def test_a_directory_is_where_its_file_system_is(here: Path, ask: Callable[..., str]) -> None:
    """All of it; what is in it is not looked at."""
    (here / "one").write_text("x")
    assert paths(ask(".", "-f", "json")) == [str(here)]


@pytest.mark.parametrize("word", ["db", "db/", "./db", "7201"])
def test_each_file_of_a_directory(word: str, here: Path, ask: Callable[..., str]) -> None:
    """However the directory is named."""
    folder = here / word.strip("./")
    folder.mkdir()
    for name in ("1", "2"):
        (folder / name).write_text("x")
    assert sorted(paths(ask(word, "-r", "-f", "json"))) == [str(folder / "1"), str(folder / "2")]


def test_files_with_holes_take_less_room(here: Path, ask: Callable[..., str]) -> None:
    """Both sizes are told."""
    (here / "db").mkdir()
    for name in ("1", "2"):
        with (here / "db" / name).open("wb") as file:
            file.write(b"x" * 8192)
            file.truncate(1 << 20)
            os.fsync(file.fileno())
    first = ask("db", "-r").splitlines()[0]
    assert "2 files  2M" in first
    one = ask("db/1").splitlines()[0]
    if "exact" in first:  # not every file system tells where a file is
        assert ", 16K on disk  exact" in first
        assert "  1M, 8K on disk  exact" in one


def test_a_file_that_fills_its_size_has_one_size(here: Path, ask: Callable[..., str]) -> None:
    """That its last block is not full is no news."""
    with (here / "one").open("wb") as file:
        file.write(b"x" * 5000)
        os.fsync(file.fileno())
    assert "on disk" not in ask("./one").splitlines()[0]


def test_hard_links_are_counted_once(here: Path, ask: Callable[..., str]) -> None:
    """They are one file of several names; each name by itself is answered in full."""
    (here / "db").mkdir()
    with (here / "db" / "1").open("wb") as file:
        file.write(b"x" * 8192)
        os.fsync(file.fileno())
    (here / "db" / "2").hardlink_to(here / "db" / "1")
    said = ask("db", "-r")
    if "exact" in said:  # not every file system tells where a file is
        assert "1 file and 1 more  8K  exact" in said.splitlines()[0]
        assert "a hard link" in " ".join(said.split())
        assert "8K  exact" in ask("db/2").splitlines()[0]


def test_hard_links_without_a_known_place_are_counted_once(here: Path, ask: Callable[..., str]) -> None:
    """The inode shows that they are one file, also before the file system has placed its bytes."""
    (here / "db").mkdir()
    (here / "db" / "1").write_bytes(b"x" * 8192)
    (here / "db" / "2").hardlink_to(here / "db" / "1")
    (here / "db" / "3").write_bytes(b"y" * 8192)
    assert "2 files and 1 more  16K" in ask("db", "-r").splitlines()[0]


def test_a_file_that_has_the_name_of_a_number(here: Path, ask: Callable[..., str]) -> None:
    """It is found though devices are looked for too."""
    (here / "7201").write_text("x")
    assert str(here / "7201") in paths(ask("7201", "-f", "json"))


def test_links_that_lead_round(here: Path, ask: Callable[..., str]) -> None:
    """They end in a reason."""
    (here / "loop").symlink_to("loop")
    assert "loop" in ask("loop", status=1)


def test_several_words_have_a_line_between_them(here: Path, ask: Callable[..., str]) -> None:
    """And stand in the order in which they were given."""
    for name in ("b.x", "a.x"):
        (here / name).write_text("x")
    first, second = ask("b.x", "a.x").split("\n\n")
    assert ("b.x" in first, "a.x" in second) == (True, True)


def test_a_link_in_a_directory_is_no_failure(here: Path, ask: Callable[..., str]) -> None:
    """It is named, and not followed."""
    (here / "file").write_text("x")
    (here / "link").symlink_to("file")
    assert "is not followed" in ask(".", "-r")


def test_a_listing_of_this_machine(here: Path, ask: Callable[..., str]) -> None:
    """Its tablespaces can be asked for, and one with a file that is gone fails."""
    (here / "a").write_bytes(bytes(4096))
    (here / "list.csv").write_text(f"tablespace,path\nTS1,{here}/a\nTS2,{here}/gone\n")
    assert paths(ask("TS1", "--listing", "list.csv", "-f", "json")) == [str(here / "a")]
    assert "it does not exist" in ask("TS2", "--listing", "list.csv", status=1)


def test_a_listed_file_is_known_by_its_tablespace(here: Path, ask: Callable[..., str]) -> None:
    """Also when its path is asked for."""
    (here / "a").write_bytes(bytes(4096))
    (here / "list.csv").write_text(f"tablespace,path\nTS1,{here}/a\n")
    (row,) = {row["tablespace"] for row in records(ask("./a", "-l", "list.csv", "-f", "csv"))}
    assert row == "TS1"


# --- names that would do harm ---------------------------------------------------------------------------

NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=60)


@example(name="a\n\x1b[2J\x9b31m.b")
@example(name="a,b\"c\r\n'.d")
@example(name="\u202egnp.exe.")
@example(name="=1+1.x")
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=NAMES)
@pytest.mark.parametrize("form", ["text", "csv", "json"])
def test_no_name_reaches_the_terminal_or_breaks_a_record(
    form: str, name: str, here: Path, ask: Callable[..., str]
) -> None:
    """Nothing that is printed moves the cursor, and a file stays one record."""
    path = os.fsencode(here) + b"/x." + name.encode()[:200]
    with open(path, "wb") as file:
        file.write(bytes(4096))
    printed = ask("./x." + os.fsdecode(path.split(b"/x.", 1)[1]), "-f", form)
    os.unlink(path)
    assert all(line.isprintable() for line in printed.splitlines())
    assert "\r" not in printed
    if form == "csv":
        assert len(printed.splitlines()) == 1 + len(records(printed)) == 2


def test_a_name_that_is_no_text(here: Path, ask: Callable[..., str]) -> None:
    """Its bytes are shown as numbers."""
    (here / os.fsdecode(b"x.\xff\xfe")).write_bytes(bytes(4096))
    assert r"x.\udcff\udcfe" in ask(os.fsdecode(b"x.\xff\xfe"))


def test_a_very_long_path(ask: Callable[..., str]) -> None:
    """It is cut in the middle."""
    assert max(map(len, ask("/" + "a" * 5000, status=1).splitlines())) <= 80


def test_a_name_with_a_nul(complaint: Callable[..., str]) -> None:
    """No kernel knows such a name."""
    assert complaint("a\0.b")


WORDS = st.sampled_from(["TSDIM", "dasdb", "043A", "0x767e", "0.0.043a", "94:4", "LCU 6", "/db2", "//", "."])


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    form=st.sampled_from(["text", "csv", "json"]),
    words=st.lists(WORDS | st.text(max_size=8), min_size=1, max_size=3),
)
def test_no_word_ends_a_lookup_badly(
    form: str, words: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """There is an answer, or a sentence."""
    status = main(["where", "-f", form, *WAYS["cp"], "--", *words])
    printed, said = capsys.readouterr()
    assert status in {0, 1}
    assert "a mistake in zmon" not in said
    assert printed or said


def test_a_block_device_by_whatever_path(here: Path, ask: Callable[..., str]) -> None:
    """A link to its node means the same device."""
    with os.scandir("/sys/dev/block") as listed:
        numbers = {entry.name for entry in listed}
    nodes = [node for node in sorted(os.listdir("/dev")) if _block(f"/dev/{node}") in numbers]
    if not nodes:
        pytest.skip("there is no block device here")
    (here / "link.to").symlink_to(f"/dev/{nodes[0]}")
    (found,) = documents(ask("link.to", "-f", "json"))
    assert (found["word"], found["means"], found["key"]) == (
        "link.to",
        "block device",
        _block(f"/dev/{nodes[0]}"),
    )


def _block(path: str) -> str:
    """Return the number of a block device; empty for anything else."""
    state = os.stat(path) if os.path.exists(path) else None
    if state is None or not stat.S_ISBLK(state.st_mode):
        return ""
    return f"{os.major(state.st_rdev)}:{os.minor(state.st_rdev)}"


@pytest.mark.parametrize(
    ("path", "reason"),
    [("relative/x", "relative path"), ("C:\\db\\x", "Windows"), ("", "no path")],
)
def test_a_tablespace_that_cannot_be_placed_says_why(
    tmp_path: Path, path: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is known, and not found; whether another file of it is placed does not matter."""
    listing = tmp_path / "list.csv"
    listing.write_text(f"tablespace,path\nTS1,{path}\nTS2,{tmp_path}\nTS2,{path}\n")
    for name, line in (("TS1", 2), ("ts2", 4)):
        assert main(["where", name, "-l", str(listing), "--from", WAYS["cp"][1]]) == 1
        said = capsys.readouterr().err
        assert f"[{listing}:{line}] cannot be placed: " in said
        assert reason in said
        assert "not found" not in said


def test_an_lcu_in_two_words_is_one_thing(
    capsys: pytest.CaptureFixture[str], complaint: Callable[..., str]
) -> None:
    """People write what they read on a screen: LCU 7600, as well as its number alone."""
    assert main(["where", "LCU", "7600", "7600", "--from", "recordings/lab-shark-before.zmon"]) == 0
    together, alone = [
        text.split("\n", 1)[1] for text in capsys.readouterr().out.rstrip("\n").split("\n\n")[:2]
    ]
    assert together == alone
    assert "LCU 76FF: not found" in complaint(
        "lcu", "76FF", "--from", "recordings/lab-shark-before.zmon", status=1
    ).replace("lcu", "LCU")


@pytest.mark.parametrize("word", ["directory", "file"])
def test_what_holds_a_path_cannot_be_seen_without_proc(
    word: str, ask: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not said to be used by nothing, and a directory stays one."""
    (tmp_path / "directory").mkdir()
    (tmp_path / "file").write_text("")

    def mount_id(_path: str) -> str:
        raise FileNotFoundError(2, "No such file or directory", "/proc/self/fdinfo/3")

    monkeypatch.setattr(where, "live_mount_id", mount_id)
    monkeypatch.setattr(where, "read_files", partial(read_files, root=str(tmp_path / "directory")))
    for path in (str(tmp_path / word), os.path.relpath(tmp_path / word)):
        (found,) = documents(ask(path, "-f", "json", status=1))
        assert found["means"] == word
        assert found["not_looked_at"] == ["what holds it (/proc is not mounted)"]
        said = ask(path, status=1)
        assert "/proc is not mounted" in said
        assert "use of it" not in said
