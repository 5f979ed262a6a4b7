"""Where /proc or /sys is hidden, nothing is said not to be there: no reader, and no command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from zmon.cli.main import main
from zmon.cli.output import FAILED
from zmon.kernel.capture_open import open_capture
from zmon.kernel.capture_tree import moment
from zmon.kernel.sampler import EVERYTHING, Sampler, sample_once
from zmon.kernel.tree import ALWAYS, HiddenError, LiveTree
from zmon.kinds import (
    ADAPTER,
    BLOCK,
    CHANNEL,
    CLAIM,
    CONTAINER,
    DEVICE,
    LAYER,
    LUN,
    MEMORY,
    NO_ADAPTER,
    PCI_FUNCTION,
    SWAP,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PART: Final = "9 8 0:2 / /proc rw - proc proc rw,subset=pid\n"
NOT_READ: Final = {CLAIM.name, CONTAINER.name}
"""Kinds that are read if somebody asks for them."""


def of_none(root: Path) -> None:
    """Leave both as empty directories: a chroot."""
    (root / "proc").mkdir()
    (root / "sys").mkdir()


def of_processes(root: Path) -> None:
    """Show processes alone, and no /sys."""
    (root / "proc/7/task/7").mkdir(parents=True)
    (root / "proc/7/mountinfo").write_text(PART)
    (root / "proc/self").symlink_to("7")


@pytest.mark.parametrize("hide", [of_none, of_processes])
def test_no_reader_concludes_that_there_is_none(tmp_path: Path, hide: Callable[[Path], None]) -> None:
    """A kind without rows has for its reason what hides them, also in the second sample."""
    hide(tmp_path)
    sampler = Sampler(LiveTree(str(tmp_path)), EVERYTHING._replace(processes=True, cache=True))
    for _ in range(2):
        sample = sampler.sample()
        for name, frame in sample.frames.items():
            if not frame.keys and name not in NOT_READ:
                assert frame.missing is not None, name
                assert "mounted" in frame.missing.reason, f"{name}: {frame.missing.reason}"


def test_none_is_said_where_one_could_look(tmp_path: Path) -> None:
    """A machine that shows both and has nothing in them."""
    (tmp_path / "proc/7").mkdir(parents=True)
    (tmp_path / "proc/self").symlink_to("7")
    for name in ("stat", "diskstats"):
        (tmp_path / "proc" / name).write_text("")
    (tmp_path / "proc/swaps").write_text("Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n")
    (tmp_path / "sys/devices").mkdir(parents=True)
    (tmp_path / "sys/block").mkdir()
    sample = Sampler(LiveTree(str(tmp_path)), EVERYTHING).sample()
    assert sample.frame(SWAP).missing is None
    reasons = [frame.missing.reason for frame in sample.frames.values() if frame.missing is not None]
    assert not [reason for reason in reasons if "mounted" in reason and "debugfs" not in reason]


@pytest.mark.parametrize("path", ["proc/swaps", "sys/block/vda/size", "sys/block"])
def test_a_file_that_may_be_hidden_is_not_missing(tmp_path: Path, path: str) -> None:
    """Readers conclude from FileNotFoundError what a machine does not have."""
    tree = LiveTree(str(tmp_path))
    for ask in (tree.read, tree.entries, tree.link):
        with pytest.raises(HiddenError, match=path):
            ask(path)


def test_a_process_that_has_ended_is_missing_all_the_same(tmp_path: Path) -> None:
    """`subset=pid` hides no process."""
    of_processes(tmp_path)
    tree = LiveTree(str(tmp_path))
    for path in ("proc/8/stat", "proc/self/none"):
        with pytest.raises(FileNotFoundError):
            tree.read(path)
    with pytest.raises(HiddenError, match="subset=pid"):
        tree.read("proc/sysinfo")


# --- what commands say -------------------------------------------------------------------------

COMMANDS: Final = (
    "show OVERVIEW -i 0.1", "show DEVICE -i 0.1 -f csv", "where /etc/passwd", "where 7000", "check",
    "diagnose -i 0.1", "spread files.csv", "whatif processors 3 -i 0.1", "plot CPU.busy --for 0.2 -i 0.1",
    "capture c.tar.gz --force -n 1", "record days -n 1", "record days --dry-run -i 0.1",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_says_what_is_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """On standard error, before anything else."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(ALWAYS, "proc/hidden", "nothing")
    (tmp_path / "files.csv").write_text("TS1,/etc/passwd\n")
    main(command.split())
    first, *others = capsys.readouterr().err.splitlines()
    assert first.startswith("zmon")
    assert "/proc/hidden" in first
    assert "/proc/hidden" not in "".join(others)


MOUNTS: Final = {
    "/sys": "mount -t tmpfs zmon /sys",
    "subset=pid": "mount -t proc -o subset=pid zmon /proc",
    "/proc": "mount -t tmpfs zmon /proc",
}
"""What is said, and how it is made so."""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
@pytest.mark.parametrize("said", MOUNTS)
def test_what_is_hidden_is_told_with_real_mounts(said: str) -> None:
    """Of disks OVERVIEW says that they are unknown, not that there are none."""
    script = f'{MOUNTS[said]} && exec "{sys.executable}" -m zmon show OVERVIEW -i 0.1'
    command = ["unshare", "-m", "-p", "-f", "sh", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if "unshare:" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"no mounts here: {done.stderr}")
    assert done.returncode == 0, done.stderr
    assert "disks" in done.stderr
    assert said in done.stderr
    (devices,) = (line for line in done.stdout.splitlines() if line.startswith(" Devices"))
    assert "unknown" in devices


ANSWERS: Final = [
    ("/sys", "check H16", "H16"),
    ("/proc", "where swap", "swap"),
    ("subset=pid", "where swap", "swap"),
]
"""What is hidden, a command, and what it is asked about."""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
@pytest.mark.parametrize(("hidden", "command", "thing"), ANSWERS)
def test_no_command_says_that_there_is_none_where_it_cannot_be_seen(
    hidden: str, command: str, thing: str
) -> None:
    """A check of it is unknown, and a name may be that of what was not read."""
    script = f'{MOUNTS[hidden]} && exec "{sys.executable}" -m zmon {command}'
    done = subprocess.run(  # noqa: S603
        ["unshare", "-m", "-p", "-f", "sh", "-c", script],  # noqa: S607 - any unshare
        capture_output=True,
        text=True,
        check=False,
    )
    if "unshare:" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"no mounts here: {done.stderr}")
    said = (done.stdout + done.stderr).splitlines()
    lines = [line for line in said if not {thing, f"{thing}:"}.isdisjoint(line.split()[:2])]
    assert all(hidden in line for line in lines)
    assert lines


# --- captures ----------------------------------------------------------------------------------

NO_PROC: Final = "/proc is not"
NO_SYS: Final = "/sys is not"
IN_PART: Final = "subset=pid"
CAPTURED: Final = {
    NO_SYS: {
        "proc/stat": "",
        "proc/diskstats": "",
        "proc/7/net/dev": "Inter-|\n face |\n",
        "proc/7/mountinfo": PART,
    },
    NO_PROC: {"sys/devices/system/cpu/online": "0\n", "sys/module/zfcp/parameters/datarouter": "Y\n"},
    IN_PART: {"sys/devices/system/cpu/online": "0\n", "proc/7/mountinfo": PART},
}  # fmt: skip
"""What a capture has of /proc and /sys, by what it says of the rest."""


def captured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, *, unpacked: bool = False) -> str:
    """Return the path of a capture that `zmon capture` made of such a root."""
    root = tmp_path / "root"
    for path, content in CAPTURED[said].items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    if "proc/7/mountinfo" in CAPTURED[said]:
        (root / "proc/self").symlink_to("7")
    monkeypatch.chdir(tmp_path)
    assert main(["capture", "c.tar.gz", "--root", str(root), "-n", "1"]) == 0
    if unpacked:
        subprocess.run(["tar", "xzf", "c.tar.gz"], check=True)  # noqa: S607 - any tar
    return "pass-0001" if unpacked else "c.tar.gz"


@pytest.mark.parametrize("said", CAPTURED)
@pytest.mark.parametrize("unpacked", [False, True])
def test_a_capture_without_them_is_not_of_a_machine_without_devices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, *, unpacked: bool
) -> None:
    """A kind that is read of what a pass lacks as a whole has that for its reason; archived and unpacked."""
    path = captured(tmp_path, monkeypatch, said, unpacked=unpacked)
    (only,) = open_capture(path).passes
    sample = sample_once(only, "")
    reasons = {
        name: frame.missing.reason for name, frame in sample.frames.items() if frame.missing is not None
    }
    kinds = (ADAPTER, LUN, CHANNEL, DEVICE, PCI_FUNCTION, LAYER) if said == NO_SYS else (BLOCK, MEMORY, SWAP)
    assert not [f"{kind.name}: {reasons[kind.name]}" for kind in kinds if said not in reasons[kind.name]]
    if said != NO_SYS:
        assert reasons[ADAPTER.name] == NO_ADAPTER.reason


def test_of_a_part_that_was_captured_only_files_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers go on to conclude from what is not in a directory that was captured."""
    (only,) = open_capture(captured(tmp_path, monkeypatch, NO_SYS)).passes
    with pytest.raises(FileNotFoundError):
        only.read("proc/sysinfo")
    with pytest.raises(HiddenError):
        only.entries("sys/class/fc_host")


SCREENS_OF_SYS: Final = ("FCP", "PCI", "CHANNEL", "CTLUNIT", "IOCONF", "DEVICE", "NETWORK", "STACKED")


@pytest.mark.parametrize("screen", SCREENS_OF_SYS)
def test_no_screen_of_a_capture_says_that_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], screen: str
) -> None:
    """It says that /sys is not in the capture, and so does standard error before it."""
    path = captured(tmp_path, monkeypatch, NO_SYS)
    capsys.readouterr()
    main(["show", screen, "--from", path])
    said = capsys.readouterr()
    (nothing,) = (line for line in said.out.splitlines() if "Nothing to show" in line)
    assert NO_SYS in nothing
    assert NO_SYS in said.err


@pytest.mark.parametrize(
    ("said", "id_", "state"),
    [(NO_SYS, "H16", "unknown"), (NO_SYS, "H1", "unknown"), (NO_SYS, "B1", "unknown"),
     (NO_PROC, "H16", "does not apply")],
)  # fmt: skip
def test_a_check_of_what_cannot_be_seen_is_unknown(  # noqa: PLR0913, PLR0917 - fixtures and the rule
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    said: str,
    id_: str,
    state: str,
) -> None:
    """Not one that does not apply: OSA devices may be there, and so may DASDs on a machine of any kind."""
    path = captured(tmp_path, monkeypatch, said)
    capsys.readouterr()
    main(["check", id_, "--from", path, "-f", "json"])
    (check,) = json.loads(capsys.readouterr().out)["checks"]
    assert check["state"] == state, check


@pytest.mark.parametrize("said", [NO_PROC, IN_PART])
def test_a_name_is_not_said_to_be_that_of_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], said: str
) -> None:
    """Of a swap area nothing is known where /proc cannot be seen."""
    path = captured(tmp_path, monkeypatch, said)
    capsys.readouterr()
    assert main(["where", "swap", "--from", path]) == FAILED
    assert said in capsys.readouterr().err.splitlines()[-1]


def test_a_pass_without_proc_was_made_when_its_notes_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files that tell when counters were read are all in /proc."""
    (only,) = open_capture(captured(tmp_path, monkeypatch, NO_PROC)).passes
    assert moment(only) == only.when("CAPTURE.txt") > 0
