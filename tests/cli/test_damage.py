"""What of a recording cannot be read is said by every command that copies or checks one."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from tests.store.machine import samples
from tests.store.test_damaged import written
from zmon.cli.info import MALFORMED
from zmon.cli.main import main
from zmon.cli.output import FAILED, OK
from zmon.cli.service_status import UNKNOWN
from zmon.store.file_format import NO_RECORDING
from zmon.store.writer import Writer


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a whole recording, as one file."""
    found = tmp_path / "a.zmon"
    with closing(Writer(str(found), sealed=10**9)) as writer:
        for sample in islice(samples(5), 14):
            writer.append(sample)
    return found


def damage(path: Path, change: str) -> None:
    """Change a row without its checksum."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert connection.execute(change).rowcount


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE segment SET crc = crc + 1 WHERE kind = 'block'",
        "UPDATE still SET crc = crc + 1",
        "UPDATE kind SET name = 'blocc', crc = crc + 1 WHERE name = 'block'",
    ],
)
def test_what_is_damaged_is_said_and_changes_the_status(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str
) -> None:
    """Of an export and of a cut; of one that is whole nothing is said."""
    for broken in (False, True):
        if broken:
            damage(path, change)
        for words in (
            ["export", str(path), "--kind", "block"],
            ["cut", str(path), str(tmp_path / f"cut-{broken}.zmon")],
        ):
            assert main(words) == (FAILED if broken else OK), words
            assert (f"{path}: " in capsys.readouterr().err) is broken
    assert (tmp_path / "cut-True.zmon").exists()


DAMAGES = {
    "channel measurement": "UPDATE segment SET crc = crc + 1 WHERE kind = 'cmf'",
    "block layer": "UPDATE segment SET crc = crc + 1 WHERE kind = 'block'",
    "still": "UPDATE still SET crc = crc + 1",
    "index of segments": "UPDATE latest SET segment = segment - 1",
    "last sample": "DELETE FROM sample WHERE n = (SELECT max(n) FROM sample)",
    "sample before": "DELETE FROM sample WHERE n = (SELECT max(n) - 1 FROM sample)",
}
READERS = (
    ("show", "DEVICE"),
    ("show", "OVERVIEW"),
    ("plot", "DEVICE.io"),
    ("diagnose",),
    ("rules",),
    ("check",),
    ("where", "7000"),
)
"""Commands that read what is damaged above."""


@pytest.mark.parametrize("change", DAMAGES.values(), ids=DAMAGES)
def test_whoever_reads_what_is_damaged_says_so(
    path: Path, capsys: pytest.CaptureFixture[str], change: str
) -> None:
    """A sentence names the file and the command that tells more, and the status is that of a failure."""
    whole = {words: (main([*words, "--from", str(path)]), capsys.readouterr()) for words in READERS}
    damage(path, change)
    told = 0
    for words, (status, before) in whole.items():
        found, now = main([*words, "--from", str(path)]), capsys.readouterr()
        assert status == OK, (words, before.err)
        assert f"zmon info --check {path}" not in before.err
        assert "sample" in change or "Nothing is short" not in now.out  # without a sample others are whole
        if found == OK:  # it has not read what is damaged
            assert now == before, words
            continue
        told += 1
        assert found == FAILED
        assert f"zmon: {path}: " in now.err
        assert "zmon info --check" in now.err or "no two samples" in now.err
    assert told > 2
    assert main(["info", "--check", str(path)]) == FAILED


def test_a_verdict_that_rests_on_what_is_damaged_is_not_known(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a sentence, in JSON, and as the state of a service check."""
    damage(path, DAMAGES["channel measurement"])
    main(["diagnose", "--from", str(path), "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    assert "cmf" in found["damage"]
    assert main(["diagnose", "--from", str(path), "--status"]) == UNKNOWN


def test_a_fleet_names_the_system_whose_recording_is_damaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In its row, on standard error and by the status."""
    path = tmp_path / "fleet/b.zmon"
    path.parent.mkdir()
    shutil.copy(Path(__file__).parents[2] / "recordings/hercules-two-hot-files-before.zmon", path)
    damage(path, "UPDATE segment SET crc = crc + 1 WHERE kind = 'machine'")
    assert main(["fleet", str(path.parent), "guests", "--format", "json"]) == FAILED
    out, err = capsys.readouterr()
    assert "machine" in json.loads(out)["guests"][0]["state"]
    assert f"zmon info --check {path}" in err


def test_a_last_sample_that_cannot_be_read_is_not_left_out_silently(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The one before is shown, and a message says so."""
    commands = (["show", "DEVICE"], ["where", "7000"])
    for words in commands:
        main([*words, "--from", str(path)])
        assert "zmon info --check" not in capsys.readouterr().err
    damage(path, "UPDATE sample SET crc = crc + 1 WHERE n = (SELECT max(n) FROM sample)")
    for words in commands:
        main([*words, "--from", str(path)])
        assert "zmon info --check" in capsys.readouterr().err


def test_a_file_that_cannot_be_opened_was_not_checked(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is never said to have no damage."""
    body = bytearray(path.read_bytes())
    body[body.find(b"CREATE TABLE") + 13] = 0xC1
    (tmp_path / "b.zmon").write_bytes(body)
    (tmp_path / "c.zmon").write_bytes(b"")
    for name in ("b.zmon", "c.zmon"):
        assert main(["info", "--check", str(tmp_path / name)]) == FAILED
        assert "not checked" in (out := capsys.readouterr().out)
        assert "no damage" not in out


def test_no_byte_of_the_schema_ends_info(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """SQLite quotes what is damaged, and that may be no UTF-8."""
    whole = path.read_bytes()
    begin = whole.find(b"CREATE TABLE")
    for place in range(begin, begin + 3000, 97):
        body = bytearray(whole)
        body[place] = 0x80
        (tmp_path / "b.zmon").write_bytes(body)
        assert main(["info", str(tmp_path / "b.zmon")]) in {OK, FAILED}
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.timeout(20)
def test_what_is_no_file_is_not_waited_for(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pipe or a directory with the name of a day's file is named; the other days are told of."""
    folder = tmp_path / "folder"
    folder.mkdir()
    os.mkfifo(folder / "2026-11-17.zmon")
    (folder / "2026-11-18.zmon").mkdir()
    shutil.copy(path, folder / "2026-11-21.zmon")
    for words in (["info", str(folder)], ["info", "--check", str(folder)]):
        assert main(words) == FAILED
        told = capsys.readouterr()
        assert "14" in told.out
        assert [told.err.count(f"2026-11-{day}.zmon: ") for day in (17, 18)] == [1, 1]
        assert "a pipe" in told.err
    pipe = str(folder / "2026-11-17.zmon")
    for words in (["info", pipe], ["export", pipe], ["show", "DEVICE", "--from", pipe]):
        assert main(words) != OK


def test_a_look_at_a_recording_that_was_cut_off_leaves_nothing_beside_it(tmp_path: Path) -> None:
    """Whatever is left of it."""
    whole = written(tmp_path / "whole.zmon", sealed=7)
    folder = tmp_path / "folder"
    folder.mkdir()
    for size in range(4096, len(whole), 9 * 4096 + 100):
        (folder / "a.zmon").write_bytes(whole[:size])
        main(["info", str(folder / "a.zmon")])
        assert os.listdir(folder) == ["a.zmon"]


@pytest.mark.parametrize("words", [["show", "DEVICE", "--from"], ["import"]])
def test_a_damaged_recording_is_no_capture(
    words: list[str], path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its name or its first bytes; the message is that of `zmon info`."""
    zero, head = tmp_path / "zero.zmon", tmp_path / "head.zmon"
    zero.write_bytes(b"")
    head.write_bytes(b"\xff" * 200 + path.read_bytes()[200:])
    for file, why in ((zero, "an empty file"), (head, NO_RECORDING)):
        more = [str(tmp_path / "out.zmon")] if words == ["import"] else []
        assert main([*words, str(file), *more]) == FAILED
        said = capsys.readouterr().err
        assert f"{file}: {why}" in said
        assert "capture again" not in said
        assert "tar archive" not in said


def test_the_words_of_sqlite_come_once(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """However many pages are damaged."""
    whole = path.read_bytes()
    many = 0
    for page in range(1, len(whole) // 4096):
        body = bytearray(whole)
        body[page * 4096 : page * 4096 + 200] = b"\x05" * 200
        (tmp_path / "b.zmon").write_bytes(body)
        main(["info", "--check", str(tmp_path / "b.zmon")])
        said = capsys.readouterr().out
        assert said.count("malformed)") <= 1
        assert "*** in database" not in said
        many += MALFORMED in said
    assert many


def test_how_much_of_a_cut_off_recording_is_there_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what helps: whoever copied it can do so again."""
    cut = tmp_path / "cut.zmon"
    whole = Path("recordings/lab-shark-before.zmon").read_bytes()
    cut.write_bytes(whole[: len(whole) // 2])
    assert main(["show", "DEVICE", "--from", str(cut)]) == 1
    said = capsys.readouterr().err
    assert f"{len(whole) // 2:,} of {len(whole):,} bytes" in said
