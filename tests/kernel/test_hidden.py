"""Where /proc or /sys is hidden, nothing is said not to be there: no reader, and no command."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from zmon.cli.main import main
from zmon.kernel.sampler import EVERYTHING, Sampler
from zmon.kernel.tree import ALWAYS, HiddenError, LiveTree
from zmon.kinds import CLAIM, CONTAINER, SWAP

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
