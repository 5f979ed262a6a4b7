from __future__ import annotations

import os
import shutil
import sqlite3
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.clock import DAY
from zmon.recorder.roll import MAX_FAILURES, Roll, unfit
from zmon.sample import Instant, Sample
from zmon.store.check import find_damage
from zmon.store.day import day_file, days
from zmon.store.file_format import Damaged, RecordingError
from zmon.store.reader import Recording
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOON = 1_795_262_400 * 10**9  # 2026-11-21 12:00 UTC
SECOND = 10**9


def sample(utc: int) -> Sample:
    return Sample(Instant(utc, utc, "boot"), {})


def caused(words: str, cause: BaseException) -> RecordingError:
    """Return what `raise RecordingError(words) from cause` raises."""
    error = RecordingError(words)
    error.__cause__ = cause
    return error


class Shelf:
    """Stands for the disk: books by path, and what is wrong with it at the moment."""

    def __init__(self) -> None:
        self.books: dict[str, list[int]] = {}
        self.log: list[str] = []
        self.full: Exception | None = None
        self.closed_to: dict[str, Exception] = {}
        self.aside: Exception | None = None

    def open(self, path: str) -> Book:
        """Open a book as a writer would: the file is there from then on."""
        if self.full:
            raise self.full
        if path in self.closed_to:
            raise self.closed_to[path]
        with open(path, "ab"):
            pass
        self.log.append(f"open {os.path.basename(path)}")
        return Book(self, path)


class Book:
    """Stands for a writer."""

    def __init__(self, shelf: Shelf, path: str) -> None:
        self.shelf = shelf
        self.path = path

    def append(self, sample: Sample) -> None:
        """Keep the sample's time."""
        if self.shelf.full:
            raise self.shelf.full
        self.shelf.books.setdefault(os.path.basename(self.path), []).append(sample.at.utc)

    def note(self, utc: int, text: str) -> None:
        """Keep the words."""
        if self.shelf.full:
            raise self.shelf.full
        self.shelf.log.append(f"note {text} {utc}")

    def gone(self) -> str:
        """It is always in its place."""
        return ""

    def leave(self) -> Iterator[Sample]:
        """Never called."""
        raise NotImplementedError

    def problem(self) -> Exception | None:
        """Tell once."""
        found, self.shelf.aside = self.shelf.aside, None
        return found

    def close(self) -> None:
        """Close, which may fail as well."""
        self.shelf.log.append(f"close {os.path.basename(self.path)}")
        if self.shelf.full:
            raise self.shelf.full


@pytest.fixture
def shelf() -> Shelf:
    """Nothing is wrong."""
    return Shelf()


@pytest.fixture
def said() -> list[str]:
    """What people were told."""
    return []


@pytest.fixture
def roll(tmp_path: Path, shelf: Shelf, said: list[str]) -> Roll:
    """Record into a directory of its own."""
    return Roll(str(tmp_path), shelf.open, said.append)


FULL = caused("x: no room left", sqlite3.OperationalError("database or disk is full"))


def test_each_day_has_its_file(roll: Roll, shelf: Shelf) -> None:
    """At midnight UTC the file of the day is closed before the next is opened."""
    midnight = day_file("", NOON).end
    for utc in (midnight - 1, midnight, midnight + 1):
        roll.append(sample(utc))
    roll.close()
    assert shelf.books == {"2026-11-21.zmon": [midnight - 1], "2026-11-22.zmon": [midnight, midnight + 1]}
    assert shelf.log == [
        "open 2026-11-21.zmon", "close 2026-11-21.zmon", "open 2026-11-22.zmon", "close 2026-11-22.zmon",
    ]  # fmt: skip


def test_a_clock_that_was_put_back_leads_back_to_the_day_before(roll: Roll, shelf: Shelf) -> None:
    """Its file is continued."""
    midnight = day_file("", NOON).end
    for utc in (midnight - 1, midnight, midnight - SECOND):
        roll.append(sample(utc))
    assert shelf.books["2026-11-21.zmon"] == [midnight - 1, midnight - SECOND]


def test_a_full_disk_is_said_once_and_its_end_too(roll: Roll, shelf: Shelf, said: list[str]) -> None:
    """What could not be recorded meanwhile is counted."""
    assert roll.append(sample(NOON))
    shelf.full = FULL
    for number in range(3):
        assert not roll.append(sample(NOON + number))
    shelf.full = None
    assert roll.append(sample(NOON + 3))
    full, again = said
    assert full.startswith("x: no room left; ")
    assert again.endswith(": 3")
    assert shelf.books == {"2026-11-21.zmon": [NOON, NOON + 3]}
    assert (roll.appended, roll.lost) == (2, 0)


def test_another_trouble_is_said_too(roll: Roll, shelf: Shelf, said: list[str]) -> None:
    """And the same again after it was over."""
    for trouble in (FULL, OSError(5, "Input/output error", "x"), FULL, None, FULL):
        shelf.full = trouble
        roll.append(sample(NOON))
    assert [words.split(";")[0] for words in said] == [
        "x: no room left", "x: Input/output error", "recording again", "x: no room left",
    ]  # fmt: skip


def test_after_a_while_the_file_is_opened_afresh(roll: Roll, shelf: Shelf, said: list[str]) -> None:
    """Some troubles end with the file that had them; quietly."""
    roll.append(sample(NOON))
    shelf.full = FULL
    for number in range(MAX_FAILURES):
        roll.append(sample(NOON + number))
    assert shelf.log[-1] == "close 2026-11-21.zmon"
    assert len(said) == 1
    shelf.full = None
    roll.append(sample(NOON))
    assert shelf.log[-1] == "open 2026-11-21.zmon"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (RecordingError("newer"), True),
        (Damaged("a part is damaged"), True),
        (caused("damaged", _corrupt := sqlite3.DatabaseError("malformed")), True),
        (FULL, False),
        (caused("another", BlockingIOError(11, "busy")), False),
    ],
)
def test_only_what_is_in_a_file_makes_it_unfit(error: RecordingError, expected: bool) -> None:
    """A disk without room will be emptied, another program will end."""
    _corrupt.sqlite_errorname = "SQLITE_CORRUPT"
    assert unfit(error) is expected


def test_the_rest_of_a_day_goes_on_in_another_file(
    roll: Roll, shelf: Shelf, said: list[str], tmp_path: Path
) -> None:
    """Where that of the day cannot be continued; what comes later goes on there."""
    first = str(tmp_path / "2026-11-21.zmon")
    (tmp_path / "2026-11-21.zmon").touch()
    shelf.closed_to[first] = RecordingError("2026-11-21.zmon: newer")
    roll.append(sample(NOON))
    roll.close()
    roll.append(sample(NOON + 1))
    assert shelf.books == {"2026-11-21-2.zmon": [NOON, NOON + 1]}
    (words,) = said
    assert words.startswith("2026-11-21.zmon: newer; ")
    assert words.endswith(f" {tmp_path / '2026-11-21-2.zmon'}")
    assert (tmp_path / "2026-11-21.zmon").read_bytes() == b""


def test_a_file_can_be_closed_for_good(roll: Roll, shelf: Shelf) -> None:
    """What comes on its day goes to another; the next day begins with its first, as ever."""
    midnight = day_file("", NOON).end
    roll.append(sample(NOON))
    roll.turn()
    roll.append(sample(NOON + 1))
    roll.turn()
    roll.append(sample(midnight))
    assert shelf.books == {
        "2026-11-21.zmon": [NOON], "2026-11-21-2.zmon": [NOON + 1], "2026-11-22.zmon": [midnight],
    }  # fmt: skip


def test_a_disk_without_room_gets_no_second_file(roll: Roll, shelf: Shelf, tmp_path: Path) -> None:
    """However often it is tried."""
    (tmp_path / "2026-11-21.zmon").touch()
    shelf.closed_to[str(tmp_path / "2026-11-21.zmon")] = FULL
    for _ in range(3):
        assert not roll.append(sample(NOON))
    assert os.listdir(tmp_path) == ["2026-11-21.zmon"]


def test_a_directory_that_is_gone_is_a_trouble_like_others(shelf: Shelf, said: list[str]) -> None:
    """Nothing is raised."""
    roll = Roll("/nowhere/at/all", shelf.open, said.append)
    assert not roll.append(sample(NOON))
    roll.note(NOON, "words")
    (words,) = said
    assert words.startswith("/nowhere/at/all: No such file or directory; ")


def test_what_fails_beside_the_samples_is_said(roll: Roll, shelf: Shelf, said: list[str]) -> None:
    """The samples are safe all the same."""
    shelf.aside = RecordingError("x: it fails")
    assert roll.append(sample(NOON))
    (words,) = said
    assert words.startswith("x: it fails; ")


def test_a_file_that_cannot_be_closed_is_said(roll: Roll, shelf: Shelf, said: list[str]) -> None:
    """It is not closed twice."""
    roll.append(sample(NOON))
    shelf.full = FULL
    roll.close()
    roll.close()
    (words,) = said
    assert words.startswith("x: no room left; ")
    assert shelf.log.count("close 2026-11-21.zmon") == 1


def test_a_note_goes_to_the_file_of_its_day(roll: Roll, shelf: Shelf) -> None:
    """Which is opened if it is not."""
    roll.note(NOON, "maintenance")
    assert shelf.log == ["open 2026-11-21.zmon", f"note maintenance {NOON}"]


def test_days_of_a_real_writer_can_be_read(tmp_path: Path, said: list[str]) -> None:
    """Also while the present one is being written, and by somebody who stays."""
    midnight = day_file("", NOON).end
    roll = Roll(str(tmp_path), Writer, said.append)
    roll.append(sample(midnight - SECOND))
    reader = Recording(str(tmp_path / "2026-11-21.zmon"))
    roll.append(sample(midnight))
    roll.append(sample(midnight + SECOND))
    last = Recording(str(tmp_path / "2026-11-22.zmon"))
    assert reader.span() == (midnight - SECOND, midnight - SECOND)
    assert last.span() == (midnight, midnight + SECOND)
    reader.close()
    last.close()
    roll.close()
    assert said == []
    assert "2026-11-22.zmon-wal" not in os.listdir(tmp_path)


class Patient(Writer):
    """Waits for the sealing, so that tests know what is sealed."""

    def __init__(self, path: str) -> None:
        super().__init__(path, sealed=5)

    def append(self, sample: Sample) -> None:
        """Seal every five samples, and return when that is done."""
        super().append(sample)
        self.settle()


TAKEN = ["removed", "replaced by another recording", "replaced by an empty file", "renamed",
         "directory renamed", "directory removed"]  # fmt: skip


def take_away(folder: Path, how: str) -> None:
    """Do to the day's file what a person might do while it is written."""
    path, kept = folder / "2026-11-21.zmon", folder.parent / "kept"
    if how == "removed":
        path.unlink()
    elif how == "replaced by an empty file":
        path.unlink()
        path.touch()
    elif how == "replaced by another recording":
        with closing(Writer(str(kept))) as other:
            other.append(sample(NOON - SECOND))
        kept.rename(path)
    elif how == "renamed":
        path.rename(kept)
    elif how == "directory renamed":
        folder.rename(kept)
    else:
        shutil.rmtree(folder)


@pytest.mark.parametrize("later", [1, 5, 12])
@pytest.mark.parametrize("leftovers", [True, False])
@pytest.mark.parametrize("how", TAKEN)
def test_a_file_that_is_taken_away_costs_no_sample_that_comes(
    tmp_path: Path, said: list[str], how: str, leftovers: bool, later: int
) -> None:
    """It is said once, and the day goes on in another file with what was not sealed of a removed one."""
    folder = tmp_path / "folder"
    folder.mkdir()
    roll = Roll(str(folder), Patient, said.append, lambda: folder.mkdir(exist_ok=True))
    for number in range(8):
        assert roll.append(sample(NOON + number * SECOND))
    take_away(folder, how)
    if not leftovers:
        for tail in ("-wal", "-shm"):
            (folder / f"2026-11-21.zmon{tail}").unlink(missing_ok=True)
    taken = {}
    if how.startswith("replaced"):
        taken = {folder / "2026-11-21.zmon": (folder / "2026-11-21.zmon").read_bytes()}
    for number in range(8, 8 + later):
        assert roll.append(sample(NOON + number * SECOND))
    roll.close()
    assert len(said) == 1
    assert "2026-11-21" in said[0]
    assert {path: path.read_bytes() for path in taken} == taken
    if taken:  # SQLite would join them with the other file
        assert not [name for name in os.listdir(folder) if name.startswith("2026-11-21.zmon-")]
    fresh = [file for file in days(str(folder)).days if Path(file.path) not in taken]
    assert len(fresh) == 1
    first = 8 if "renamed" in how else 5  # five samples were sealed, and ended with the file
    assert utcs(fresh[0].path) == [NOON + number * SECOND for number in range(first, 8 + later)]
    if how == "renamed":
        assert utcs(str(tmp_path / "kept")) == [NOON + number * SECOND for number in range(8)]
    if how == "directory renamed" and leftovers:
        kept = tmp_path / "kept" / "2026-11-21.zmon"
        assert utcs(str(kept)) == [NOON + number * SECOND for number in range(8)]


def test_what_another_writer_has_beside_its_file_stays(tmp_path: Path, said: list[str]) -> None:
    """A file that replaces the recorder's file may be in use, with a `-wal` and `-shm` of its own."""
    roll = Roll(str(tmp_path), Patient, said.append)
    assert roll.append(sample(NOON))
    path = tmp_path / "2026-11-21.zmon"
    for file in list(tmp_path.iterdir()):
        file.unlink()
    with closing(Writer(str(path))) as other:
        other.append(sample(NOON - SECOND))
        beside = {tail: Path(f"{path}{tail}").stat().st_ino for tail in ("-wal", "-shm")}
        assert roll.append(sample(NOON + SECOND))
        roll.close()
        assert {tail: Path(f"{path}{tail}").stat().st_ino for tail in beside} == beside
    assert utcs(str(path)) == [NOON - SECOND]
    assert utcs(str(tmp_path / "2026-11-21-2.zmon")) == [NOON, NOON + SECOND]


@pytest.mark.parametrize("how", ["truncated", "overwritten"])
def test_a_file_that_is_spoilt_in_its_place_is_left(tmp_path: Path, said: list[str], how: str) -> None:
    """The day goes on in another file, with the samples that were not sealed; the reason is said once."""
    roll = Roll(str(tmp_path), Patient, said.append)
    for number in range(8):
        assert roll.append(sample(NOON + number * SECOND))
    path = tmp_path / "2026-11-21.zmon"
    if how == "truncated":
        os.truncate(path, 0)
    else:
        with path.open("r+b") as file:
            file.write(b"\xa5" * 8192)
    spoilt = path.read_bytes()
    for number in range(8, 10):
        assert roll.append(sample(NOON + number * SECOND))
    roll.close()
    assert path.read_bytes() == spoilt  # the same samples are not in both files
    another = tmp_path / "2026-11-21-2.zmon"
    (words,) = said
    assert words.startswith(f"{path} was {how} ")
    assert f" {another}, " in words
    assert utcs(str(another))[-2:] == [NOON + 8 * SECOND, NOON + 9 * SECOND]


@pytest.mark.parametrize("sealed", [False, True])
def test_another_recording_that_is_copied_over_the_open_file_is_left_alone(
    tmp_path: Path, said: list[str], sealed: bool
) -> None:
    """It is valid and larger, so neither size nor first bytes give it away; the copy stays as it is."""
    other = tmp_path / "other.zmon"
    with closing(Writer(str(other), sealed=2)) as writer:
        for number in range(300):
            writer.append(sample(NOON - (400 - number) * SECOND))
    folder = tmp_path / "day"
    folder.mkdir()
    roll = Roll(str(folder), partial(Writer, sealed=4 if sealed else 60), said.append)
    path, another = folder / "2026-11-21.zmon", folder / "2026-11-21-2.zmon"
    for number in range(6):
        assert roll.append(sample(NOON + number * SECOND))
        time.sleep(0.02)
    os.utime(path)  # to touch it is not to change it
    assert roll.append(sample(NOON + 6 * SECOND))
    assert not said
    shutil.copyfile(other, path)
    for number in range(7, 9):
        assert roll.append(sample(NOON + number * SECOND))
    roll.close()
    (words,) = said
    assert words.startswith(f"{path} was overwritten ")
    assert f" {another}, " in words
    assert path.read_bytes() == other.read_bytes()
    assert utcs(str(another)) == [NOON + number * SECOND for number in (6, 7, 8)]


def utcs(path: str) -> list[int]:
    """Return the times of a recording's samples, which is whole."""
    with closing(Recording(path)) as recording:
        assert list(find_damage(recording)) == []
        return [recording.sample(number).at.utc for number in range(len(recording))]


def test_what_cannot_be_saved_at_once_is_saved_when_that_is_possible(tmp_path: Path, said: list[str]) -> None:
    """A directory that is removed may not be there again for the next sample."""
    folder = tmp_path / "folder"
    folder.mkdir()
    roll = Roll(str(folder), Patient, said.append)
    assert roll.append(sample(NOON))
    shutil.rmtree(folder)
    assert not roll.append(sample(NOON + SECOND))
    folder.mkdir()
    assert roll.append(sample(NOON + 2 * SECOND))
    roll.close()
    assert utcs(str(folder / "2026-11-21.zmon")) == [NOON, NOON + 2 * SECOND]
    _gone, goes_on, again = (words.partition("; ")[2] for words in said)
    assert f" {folder / '2026-11-21.zmon'}, " in goes_on
    assert again.endswith(": 1")


def test_a_file_that_is_removed_before_the_recorder_ends_is_written_again(
    tmp_path: Path, said: list[str]
) -> None:
    """As far as it was not sealed."""
    roll = Roll(str(tmp_path), Writer, said.append)
    assert roll.append(sample(NOON))
    (tmp_path / "2026-11-21.zmon").unlink()
    roll.close()
    assert utcs(str(tmp_path / "2026-11-21.zmon")) == [NOON]


@pytest.fixture(scope="module")
def new_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], str]:
    """Make a directory for each example."""
    return lambda: str(tmp_path_factory.mktemp("roll"))


@given(st.lists(st.tuples(st.integers(0, DAY // 2), st.booleans()), max_size=30))
def test_whatever_the_disk_does_each_sample_is_recorded_or_counted(
    new_folder: Callable[[], str], steps: list[tuple[int, bool]]
) -> None:
    """In the file of its day, and never twice."""
    shelf, lost, kept, utc = Shelf(), 0, [], NOON
    said: list[str] = []
    roll = Roll(new_folder(), shelf.open, said.append)
    for step, works in steps:
        utc += step
        shelf.full = None if works else FULL
        if roll.append(sample(utc)):
            kept.append(utc)
        else:
            lost += 1
    assert [time for name in sorted(shelf.books) for time in shelf.books[name]] == kept
    assert (roll.appended, len(steps)) == (len(kept), len(kept) + lost)
    for name, times in shelf.books.items():
        assert {os.path.basename(day_file("", time).path) for time in times} == {name}


def test_a_file_that_turns_out_to_be_damaged_is_left(tmp_path: Path) -> None:
    """The day goes on in another one, and not a sample later."""
    shelf = Shelf()
    said: list[str] = []
    roll = Roll(str(tmp_path), shelf.open, said.append)
    assert roll.append(sample(NOON))
    damage = sqlite3.DatabaseError("malformed")
    damage.sqlite_errorname = "SQLITE_CORRUPT"
    shelf.full = caused("the file is damaged", damage)
    assert not roll.append(sample(NOON + SECOND))
    shelf.full = None
    assert roll.append(sample(NOON + 2 * SECOND))
    assert shelf.books == {"2026-11-21.zmon": [NOON], "2026-11-21-2.zmon": [NOON + 2 * SECOND]}


def test_the_time_zone_has_no_say_in_which_file_a_sample_goes_to(
    tmp_path: Path, zone: Callable[[str], None]
) -> None:
    """Nor has the hour that comes twice in autumn."""
    shelf = Shelf()
    roll = Roll(str(tmp_path), shelf.open, lambda _words: None)
    night = 1_793_494_800 * 10**9  # 2026-11-01 01:00 UTC
    for number, name in enumerate(("America/New_York", "Europe/Berlin", "Pacific/Kiritimati", "UTC")):
        zone(name)
        roll.append(sample(night + number * 3600 * SECOND))
    assert list(shelf.books) == ["2026-11-01.zmon"]
