"""`zmon info` says what is in a recording, and what is wrong with it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from zmon.cli.main import main
from zmon.cli.output import FAILED, OK
from zmon.recorder import forecast
from zmon.recorder.info import PARTS
from zmon.recorder.lock import Lock
from zmon.store.file_format import NO_RECORDING
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable

    Info = Callable[..., tuple[int, Any, str]]

pytestmark = pytest.mark.usefixtures("utc")


@pytest.fixture
def info(capsys: pytest.CaptureFixture[str]) -> Info:
    """Run `zmon info --format json`: its status, what it found, and what it said."""

    def run(path: object, *words: str) -> tuple[int, Any, str]:
        capsys.readouterr()
        status = main(["info", str(path), "--format", "json", *words])
        out, err = capsys.readouterr()
        return status, json.loads(out), err

    return run


def lines(text: str) -> dict[str, str]:
    """Return the first lines of a text by their names."""
    return {line[2:14].strip(): line[16:] for line in text.partition("\n\n")[0].splitlines()[1:]}


def test_text_tells_what_there_is(recorded: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Times, samples, interval, machine, kinds and bytes."""
    assert main(["info", recorded.path]) == OK
    text = capsys.readouterr().out
    found = lines(text)
    size = os.path.getsize(recorded.path)
    assert text.startswith(recorded.path + "\n")
    assert found["from"] == "2026-11-21 14:30:00 UTC"
    assert found["to"] == "2026-11-21 14:35:19 UTC, 5 min 19 s later"
    assert (found["samples"], found["interval"], found["restarts"]) == ("310", "1 s, 1 s were meant", "0")
    assert (found["gaps"], found["format"], found["bytes"]) == ("1, 11 s in all", "3", f"{size:,}")
    assert (found["LPAR"], found["host"], found["kernel"]) == ("SECLPAR1", "SECHOST7", "6.12.0-55.el10")
    assert "\n  device              20        9\n" in text


def test_json_has_it_as_numbers(recorded: Any, info: Info) -> None:
    """Nothing is written for people only."""
    status, found, said = info(recorded.path)
    assert (status, said) == (OK, "")
    assert (found["from"], found["to"]) == ("2026-11-21T14:30:00.000+00:00", "2026-11-21T14:35:19.000+00:00")
    assert found["samples"] == 310
    assert found["interval"] == {"meant": 1.0, "typical": 1.0}
    assert found["events"].items() >= {"gap": 1, "note": 1, "went": 1}.items()
    assert found["seconds_without_samples"] == 11
    assert found["kinds"]["lpar_cpu"] == {"rows": 4, "columns": 10, "missing": None}
    assert found["written_by"] is None


def test_parts_make_up_the_file(recorded: Any, info: Info) -> None:
    """No byte is told twice, and none is missing."""
    _status, found, _said = info(recorded.path)
    assert sum(found["parts"].values()) == found["bytes"] == os.path.getsize(recorded.path)
    assert {"segments of cmf", PARTS["still"], "times of samples", "roll-ups"} <= set(found["parts"])


def test_a_day_is_estimated_as_the_recorder_does(
    recorded: Any, info: Info, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From as many samples on, at their usual distance: a file grows in steps."""
    _status, found, _said = info(recorded.path)
    assert found["bytes_per_day"] is None
    main(["info", recorded.path])
    assert f"bytes, {forecast.TOO_FEW}\n" in capsys.readouterr().out
    monkeypatch.setattr(forecast, "MIN_SAMPLES", len(recorded.samples))
    _status, found, _said = info(recorded.path)
    assert found["bytes_per_day"] == pytest.approx(86_400 * found["bytes_per_sample"])
    earlier = forecast.earlier(os.path.dirname(recorded.path), 10**9)
    assert earlier is not None
    assert found["bytes_per_day"] == pytest.approx(earlier.day)


def test_check_finds_nothing_wrong(recorded: Any, info: Info, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a whole file."""
    status, found, _said = info(recorded.path, "--check")
    assert (status, found["damage"]) == (OK, [])
    main(["info", recorded.path, "--check"])
    assert capsys.readouterr().out.endswith(f"\n{recorded.path}: no damage was found\n")


@pytest.fixture
def damaged(recorded: Any, tmp_path: Path) -> Path:
    path = tmp_path / "damaged.zmon"
    shutil.copy(recorded.path, path)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE segment SET body = zeroblob(50) WHERE kind = 'cmf' AND first = 60")
    connection.commit()
    connection.close()
    return path


def test_check_finds_damage(damaged: Path, info: Info) -> None:
    """And all else is told as of a whole file."""
    status, found, _said = info(damaged, "--check")
    assert status == FAILED
    assert any("segment" in sentence for sentence in found["damage"])
    assert found["samples"] == 310


def test_without_check_damage_is_not_looked_for(damaged: Path, info: Info) -> None:
    """It would take as long as the file is large."""
    status, found, _said = info(damaged)
    assert status == OK
    assert "damage" not in found


def test_a_truncated_file(recorded: Any, tmp_path: Path, info: Info) -> None:
    """What can be said is said, and that it is not whole."""
    path = tmp_path / "cut.zmon"
    path.write_bytes(Path(recorded.path).read_bytes()[:80_000])
    status, found, said = info(path, "--check")
    assert status == FAILED
    assert (found["bytes"], found["format"]) == (80_000, 3)
    assert said or found["damage"]


def test_a_newer_file(recorded: Any, tmp_path: Path, info: Info) -> None:
    """It says which format it has, its span, and what to do."""
    path = tmp_path / "newer.zmon"
    shutil.copy(recorded.path, path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    status, found, said = info(path)
    assert status == FAILED
    assert (found["format"], found["samples"]) == (99, 310)
    assert found["to"] == "2026-11-21T14:35:19.000+00:00"
    assert "newer zmon (format 99)" in said
    assert said.count(str(path)) == 1


def test_what_is_no_recording(tmp_path: Path, info: Info) -> None:
    """Is said, with its size."""
    (tmp_path / "x").write_bytes(b"something else")
    status, found, said = info(tmp_path / "x")
    assert (status, found["format"], found["bytes"]) == (FAILED, None, 14)
    assert said == f"zmon: {tmp_path / 'x'}: {NO_RECORDING}\n"
    assert "zmon import" in NO_RECORDING


def test_what_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    """No traceback."""
    assert main(["info", "/nowhere/at/all"]) == FAILED
    assert capsys.readouterr().err == "zmon: /nowhere/at/all: No such file or directory\n"


def test_views_are_never_asked(tmp_path: Path, info: Info) -> None:
    """A file may call a view what should be a table, and it may be endless."""
    path = tmp_path / "hostile.zmon"
    connection = sqlite3.connect(path)
    connection.executescript(
        "PRAGMA application_id = 0x7A6D6F6E; PRAGMA user_version = 1;"
        " CREATE VIEW sample AS WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a)"
        " SELECT n, n AS utc FROM a; CREATE VIEW segment AS SELECT * FROM sample;"
    )
    connection.close()
    status, found, _said = info(path, "--check")
    assert (status, found["samples"]) == (FAILED, None)


def test_who_writes_is_told(recorded: Any, tmp_path: Path, info: Info) -> None:
    """By the number of the process."""
    writer = Writer(str(tmp_path / "now.zmon"))
    writer.append(recorded.samples[0])
    writer.append(recorded.samples[1])
    _status, found, _said = info(tmp_path / "now.zmon")
    writer.close()
    assert found["written_by"] == f"process {os.getpid()}"
    assert found["samples"] == 2
    assert info(tmp_path / "now.zmon")[1]["written_by"] is None


@pytest.fixture
def days(recorded: Any, tmp_path: Path) -> Path:
    """Return a directory of a day, another that is empty, and something else."""
    directory = tmp_path / "days"
    directory.mkdir()
    for name, part in (("2026-11-20", recorded.samples[:100]), ("2026-11-21", recorded.samples[150:])):
        writer = Writer(str(directory / f"{name}.zmon"), durable=False)
        for sample in part:
            writer.append(sample)
        writer.close()
    (directory / "README").write_text("x")
    return directory


def test_a_directory(days: Path, info: Info) -> None:
    """All files as one, and each; a gap between them counts."""
    status, found, _said = info(days)
    assert status == OK
    assert [file["samples"] for file in found["files"]] == [100, 160]
    assert (found["samples"], found["strangers"]) == (260, ["README"])
    assert (found["from"], found["to"]) == (found["files"][0]["from"], found["files"][1]["to"])
    assert found["events"]["gap"] == 2
    assert found["seconds_without_samples"] == 51 + 11
    assert found["bytes"] == sum(file["bytes"] for file in found["files"])


def test_a_directory_as_text(days: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each file."""
    main(["info", str(days), "--check"])
    text = capsys.readouterr().out
    assert "\n  2026-11-20.zmon   2026-11-20" not in text
    assert "\n  2026-11-20.zmon   2026-11-21 14:30:00  2026-11-21 14:31:39        100 " in text
    assert text.count("no damage") == 2


def test_a_recorder_of_the_directory_is_told(days: Path, info: Info) -> None:
    """Since when and where."""
    with Lock(str(days), 1_795_271_400 * 10**9):
        _status, found, _said = info(days)
    assert found["written_by"].startswith(f"process {os.getpid()} on ")
    assert found["written_by"].endswith("since 2026-11-21 14:30:00 UTC")


def test_a_broken_file_hides_no_other(days: Path, info: Info) -> None:
    """It is among the files, with what is wrong."""
    (days / "2026-11-22.zmon").write_bytes(b"broken")
    status, found, said = info(days)
    assert (status, found["samples"]) == (FAILED, 260)
    assert found["files"][2]["problem"] == NO_RECORDING
    assert f"2026-11-22.zmon: {NO_RECORDING}" in said


def test_an_empty_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There is nothing to tell of."""
    assert main(["info", str(tmp_path)]) == FAILED
    assert f"{tmp_path} " in capsys.readouterr().err


def test_a_terminal_obeys_nothing_of_a_recording(
    recorded: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever names of hosts and files hold."""
    path = tmp_path / "a\x1b[2Jb.zmon"
    writer = Writer(str(path), durable=False)
    writer.append(recorded.samples[0]._replace(source="\x1b]0;owned\x07"))
    writer.close()
    main(["info", str(path), "--check"])
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert "\x07" not in out + err
