from __future__ import annotations

import argparse
import itertools
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from zmon.base.event import What
from zmon.cli import subcommands
from zmon.cli.main import main
from zmon.cli.output import FAILED, OK, USAGE
from zmon.recorder.lock import Lock, running
from zmon.store.day import day_file, days
from zmon.store.reader import Recording

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 30
"""Seconds after which a process that says nothing hangs."""


@pytest.fixture
def root(tmp_path: Path) -> str:
    """Make the smallest machine."""
    (tmp_path / "root/proc").mkdir(parents=True)
    (tmp_path / "root/proc/stat").write_text("cpu  1 2 3 4 5 6 7 0 0 0\ncpu0 1 2 3 4 5 6 7 0 0 0\n")
    (tmp_path / "root/proc/meminfo").write_text("MemTotal: 4 kB\n")
    (tmp_path / "root/proc/diskstats").write_text("")
    (tmp_path / "root/sys/block").mkdir(parents=True)
    return str(tmp_path / "root")


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Where recordings go; it need not be there."""
    return str(tmp_path / "var/zmon")


def recorded(folder: str) -> int:
    """Count the samples of a directory; each file must be in order."""
    total = 0
    for file in days(folder).days:
        recording = Recording(file.path)
        total += len(recording)
        recording.close()
    return total


def test_a_machine_is_recorded(root: str, folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As many samples as asked for; nothing goes to standard output."""
    assert main(["record", folder, "--root", root, "-i", "0.1", "-n", "3"]) == OK
    said = capsys.readouterr()
    assert said.out == ""
    first, second = said.err.splitlines()[:2]
    assert first == f"zmon record: recording into {folder}, a sample every 0.1 s"
    assert "a day" in second
    assert recorded(folder) == 3
    assert running(folder) is None


def test_what_every_kernel_has_and_is_not_there_is_said_at_the_start(
    root: str, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before the first sample, with what will be missing."""
    Path(root, "proc/diskstats").unlink()
    assert main(["record", folder, "--root", root, "--count", "1"]) == OK
    first = capsys.readouterr().err.splitlines()[0]
    assert "/proc/diskstats" in first
    assert "/proc/stat" not in first


def test_a_day_is_continued(root: str, folder: str) -> None:
    """By the next recorder, in the same file."""
    for _ in range(2):
        main(["record", folder, "--root", root, "-i", "0.1", "-n", "2"])
    assert recorded(folder) == 4


def test_only_what_is_wanted_is_recorded(root: str, folder: str) -> None:
    """What zmon itself costs is always there, and tasks, which are in the file of the CPUs."""
    main(["record", folder, "--root", root, "-i", "0.1", "-n", "1", "--only", "cpu"])
    recording = Recording(days(folder).days[0].path)
    assert set(recording.sample(0).frames) == {"cpu", "tasks", "source"}
    recording.close()


def test_a_dry_run_writes_nothing(root: str, folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Not even the directory; it says what recording would cost."""
    assert main(["record", folder, "--root", root, "-i", "0.1", "--dry-run"]) == OK
    said = capsys.readouterr()
    assert said.out == ""
    assert "bytes a sample" in said.err
    assert not os.path.exists(folder)


def test_a_second_recorder_is_refused(root: str, folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is told by whom."""
    os.makedirs(folder)
    with Lock(folder, 0):
        assert main(["record", folder, "--root", root, "-n", "1"]) == FAILED
    assert f"by process {os.getpid()} on" in capsys.readouterr().err


def test_a_directory_that_cannot_be_made_is_named(
    root: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence."""
    (tmp_path / "file").touch()
    assert main(["record", str(tmp_path / "file/zmon"), "--root", root, "-n", "1"]) == FAILED
    said = capsys.readouterr().err
    assert said.startswith(f"zmon: {tmp_path / 'file/zmon'} ")
    assert said.endswith(": Not a directory\n")


@pytest.mark.parametrize(
    ("words", "ns"), [("90s", 90), ("10m", 600), ("1.5h", 5400), ("30d", 2_592_000), ("4w", 2_419_200)]
)
def test_lengths_of_time_have_a_unit(words: str, ns: int) -> None:
    """Seconds to weeks."""
    assert subcommands.length(words) == ns * 10**9


@pytest.mark.parametrize(
    ("words", "count"),
    [("500M", 500 << 20), ("2G", 2 << 30), ("2GiB", 2 << 30), ("1.5k", 1536), ("1tb", 1 << 40)],
)
def test_sizes_have_a_unit(words: str, count: int) -> None:
    """Binary, as those of files are shown."""
    assert subcommands.size(words) == count


def test_kinds_are_found_by_name() -> None:
    """An unknown one is told which there are."""
    assert [kind.name for kind in subcommands.kinds("block, cmf")] == ["block", "cmf"]
    with pytest.raises(argparse.ArgumentTypeError, match="'disk' is none of machine, channel"):
        subcommands.kinds("block,disk")


def test_a_server_that_is_down_or_silent_keeps_no_sample(
    root: str, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is asked beside recording, which goes on without it and says so."""
    with socket.create_server(("127.0.0.1", 0)) as silent, socket.socket() as down:
        down.bind(("127.0.0.1", 0))
        servers = [f"mariadb://127.0.0.1:{one.getsockname()[1]}/db" for one in (silent, down)]
        words = [word for address in servers for word in ("-l", address)]
        assert main(["record", folder, "--root", root, "-i", "0.1", "-n", "2", *words]) == OK
    assert recorded(folder) == 2
    assert "mariadb" not in capsys.readouterr().out


def test_an_address_that_is_none_ends_it_at_once(
    root: str, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mistake of typing is told before anything is recorded."""
    assert main(["record", folder, "--root", root, "-n", "1", "-l", "oracle://h/d"]) == FAILED
    assert "oracle:// is no server" in capsys.readouterr().err
    assert not os.path.exists(folder)


def test_what_of_a_listing_is_not_understood_is_said(
    root: str, folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """When recording begins, with file and line."""
    (tmp_path / "list").write_text("tablespace,path,odd\nTS,/f,1\n")
    main(["record", folder, "--root", root, "-n", "1", "-l", str(tmp_path / "list")])
    assert f"zmon record: {tmp_path / 'list'}:1: not read: columns 'odd'" in capsys.readouterr().err


class Recorder:
    """`zmon record` in a process of its own, ten times a second."""

    def __init__(self, folder: str, root: str, **environment: str) -> None:
        words = ["record", folder, "--root", root, "-i", "0.1"]
        self.process = subprocess.Popen(  # noqa: S603 - our own words
            [sys.executable, "-m", "zmon", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=os.environ | environment, text=True,
        )  # fmt: skip
        self.folder = folder
        assert self.process.stderr is not None
        self.said = [self.process.stderr.readline(), self.process.stderr.readline()]
        """Its first two lines: the second comes after the second sample."""

    def end(self) -> tuple[int, str]:
        """Wait for its end; return its status, and what it wrote to standard output."""
        out, err = self.process.communicate(timeout=PATIENCE)
        self.said += err.splitlines()
        return self.process.returncode, out

    def kill(self) -> None:
        """End it if it runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


@pytest.fixture
def recorder(folder: str, root: str) -> Iterator[Recorder]:
    """Start a recorder that has recorded two samples."""
    started = Recorder(folder, root)
    yield started
    started.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_recorder_ends_cleanly(recorder: Recorder, number: signal.Signals) -> None:
    """With status 0, one file, and no lock."""
    recorder.process.send_signal(number)
    assert recorder.end() == (0, "")
    assert running(recorder.folder) is None
    assert len(os.listdir(recorder.folder)) == 2  # the day and the file of the lock
    assert recorded(recorder.folder) >= 2


def test_of_two_recorders_in_two_processes_one_is_refused(recorder: Recorder, root: str) -> None:
    """The first one does not notice."""
    second = Recorder(recorder.folder, root)
    assert second.end()[0] == FAILED
    assert f"by process {recorder.process.pid} on {os.uname().nodename} since 2" in second.said[0]
    assert recorder.process.poll() is None


def test_a_killed_recorder_leaves_what_it_recorded(recorder: Recorder, root: str) -> None:
    """And is in nobody's way."""
    recorder.process.kill()
    recorder.end()
    before = recorded(recorder.folder)
    assert before >= 2
    next_ = Recorder(recorder.folder, root)
    next_.process.terminate()
    assert next_.end()[0] == OK
    assert recorded(recorder.folder) >= before + 2


def test_a_hangup_has_a_service_begin_another_file(recorder: Recorder) -> None:
    """That of before is complete, one file alone, and may be taken away."""
    recorder.process.send_signal(signal.SIGHUP)
    another = os.path.join(recorder.folder, day_file("", time.time_ns(), 2).path)
    for _ in itertools.takewhile(lambda _: not os.path.exists(another), range(PATIENCE * 10)):
        select.select([], [], [], 0.1)
    names = os.listdir(recorder.folder)
    recorder.process.terminate()
    assert recorder.end()[0] == OK
    first, second = (file.path for file in days(recorder.folder).days)
    assert second == another
    assert os.path.basename(first) + "-wal" not in names
    assert recorded(recorder.folder) >= 3


def test_systemd_is_told(folder: str, root: str, tmp_path: Path) -> None:
    """That samples are recorded, that it lives, and that it ends."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.settimeout(PATIENCE)
        recorder = Recorder(folder, root, NOTIFY_SOCKET=str(tmp_path / "notify"), WATCHDOG_USEC="100000")
        try:
            assert listener.recv(100) == b"READY=1"
            assert listener.recv(100) == b"WATCHDOG=1"
            recorder.process.terminate()
            assert recorder.end()[0] == OK
            listener.setblocking(False)
            told = [listener.recv(100)]
            while told[-1] != b"STOPPING=1":
                told.append(listener.recv(100))
        finally:
            recorder.kill()


UNIT = Path(__file__).parent.parent.parent / "release/zmon-record.service"


def unit() -> dict[str, list[str]]:
    """Return the settings of the unit file: each name with its values in order."""
    found: dict[str, list[str]] = {}
    section = ""
    for line in UNIT.read_text().splitlines():
        if line.startswith("["):
            section = line
        elif line and not line.startswith("#"):
            name, equals, value = line.partition("=")
            assert equals, line
            assert section, line
            found.setdefault(name, []).append(value)
    return found


def test_the_unit_starts_what_there_is() -> None:
    """Its command is one that zmon understands."""
    (start,) = unit()["ExecStart"]
    program, name, *words = start.split()
    assert os.path.basename(program) == "zmon"
    assert name == "record"
    parser = argparse.ArgumentParser()
    subcommands.record(parser)
    args = parser.parse_args(words)
    assert args.directory is None  # systemd says where, in STATE_DIRECTORY
    assert args.keep
    assert args.size


def test_the_unit_may_do_no_more_than_the_documents_say() -> None:
    """docs/record.md names every capability and why."""
    settings = unit()
    allowed = " ".join(settings["CapabilityBoundingSet"]).split()
    assert " ".join(settings["AmbientCapabilities"]).split() == allowed
    text = (UNIT.parent.parent / "docs/record.md").read_text()
    assert all(f"`{name}`" in text for name in allowed)
    assert settings["NoNewPrivileges"] == ["yes"]
    assert settings["ProtectSystem"] == ["strict"]
    assert settings["StateDirectory"] == ["zmon"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here: apt install systemd")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    """Every line of it; that zmon is installed is not asked for."""
    lines = UNIT.read_text().splitlines()
    text = "\n".join("ExecStart=/bin/true" if line.startswith("ExecStart=") else line for line in lines)
    (tmp_path / UNIT.name).write_text(text + "\n")
    done = subprocess.run(  # noqa: S603 - our own words
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / UNIT.name)],  # noqa: S607 - wherever it is
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert [line for line in done.stderr.splitlines() if UNIT.name in line] == []


def test_metrics_are_kept_while_it_records(root: str, folder: str, tmp_path: Path) -> None:
    """In a file that is there as long as the recorder runs."""
    path = tmp_path / "zmon.prom"
    words = [
        sys.executable,
        "-m",
        "zmon",
        "record",
        folder,
        "--root",
        root,
        "-i",
        "0.1",
        "--metrics",
        str(path),
    ]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as process:  # noqa: S603 - ours
        end = time.monotonic() + PATIENCE
        while not path.exists() and time.monotonic() < end:
            assert process.poll() is None
        assert "zmon_sample_timestamp_seconds " in path.read_text()
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == OK
    assert not path.exists()


def test_a_file_that_node_exporter_would_not_read_is_refused(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its name, or because its directory is not there; nothing is recorded then."""
    with pytest.raises(SystemExit) as ended:
        main(["record", folder, "--metrics", str(tmp_path / "zmon.txt")])
    assert ended.value.code == USAGE
    assert main(["record", folder, "--metrics", str(tmp_path / "no/zmon.prom")]) == FAILED
    assert "no/zmon.prom: " in capsys.readouterr().err
    assert not Path(folder).exists()


SMALL = """
[[rule]]
name = "small"
on = "memory.total"
look = 1
say = "'{value}' bytes"
[[command]]
run = ["sh", "-c", "echo \\"$1 $ZMON_STATE\\" >> \\"$0\\"; exit 3", "%s", "{text}"]
"""
"""A rule that holds for the smallest machine, and a command that writes what it is told into a file."""


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Declare the command for this user; return its file."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    rules = tmp_path / "config" / "zmon" / "rules.toml"
    rules.parent.mkdir(parents=True)
    rules.write_text(SMALL % (tmp_path / "told"))
    for path in (rules, rules.parent, rules.parent.parent):
        path.chmod(0o755)
    return tmp_path / "told"


def notes(folder: str) -> list[str]:
    """Return the notes in the recordings of a directory."""
    texts = []
    for file in days(folder).days:
        recording = Recording(file.path)
        texts += [event.text for event in recording.events(0, 1 << 62) if event.what is What.NOTE]
        recording.close()
    return texts


def test_commands_of_exceptions_run_beside_recording(
    root: str, folder: str, told: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once for an exception; the next recorder knows it as open.  What fails is an event and said once."""
    for _ in range(2):
        assert main(["record", folder, "--root", root, "-i", "0.1", "-n", "30"]) == OK
        assert told.read_text() == "'4,096' bytes begin\n"
    assert notes(folder) == ["The command sh for the begin of small memory ended with status 3"]
    said = capsys.readouterr().err
    assert said.count("the command sh ended with status 3") == 1
    assert said.count("zmon record: commands of exceptions: ") == 2
    assert recorded(folder) == 60


def test_a_recorder_that_was_killed_tells_nothing_again(root: str, folder: str, told: Path) -> None:
    """What was open is in its file, also where the last recorder was too short to find it again."""
    assert main(["record", folder, "--root", root, "-i", "0.1", "-n", "30"]) == OK
    killed = Recorder(folder, root)
    killed.kill()
    assert main(["record", folder, "--root", root, "-i", "0.1", "-n", "30"]) == OK
    assert told.read_text() == "'4,096' bytes begin\n"


def test_commands_of_a_file_with_a_mistake_are_not_run(
    root: str, folder: str, told: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """That is said with its line when recording begins, which goes on."""
    path = told.parent / "config/zmon/rules.toml"
    path.write_text(path.read_text() + "lvl = 3\n")
    assert main(["record", folder, "--root", root, "-n", "1"]) == OK
    assert f"{path}:9: command.1.lvl: " in capsys.readouterr().err


def test_no_recording_runs_a_command(
    root: str, folder: str, told: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither who looks at its exceptions or judges it anew, nor a recorder whose rules others may write."""
    path = told.parent / "config/zmon/rules.toml"
    path.chmod(0o666)
    assert main(["record", folder, "--root", root, "-i", "0.1", "-n", "30"]) == OK
    assert f"others may write {path}" in capsys.readouterr().err
    path.chmod(0o644)
    assert main(["rules", "--from", folder]) == OK
    assert main(["show", "EXCEPT", "--from", folder]) == OK
    assert "'4,096' bytes" in capsys.readouterr().out
    assert not told.exists()


def test_a_command_that_runs_at_the_end_has_its_deadline(root: str, folder: str, told: Path) -> None:
    """The recorder waits for it, and what it says of its failure is in the recording."""
    os.mkfifo(told)
    path = told.parent / "config/zmon/rules.toml"
    path.write_text(path.read_text() + "seconds = 1\n")  # whoever opens a pipe waits for the other side
    assert main(["record", folder, "--root", root, "-i", "0.1", "-n", "30"]) == OK
    assert notes(folder) == ["The command sh for the begin of small memory was killed after 1 s"]
