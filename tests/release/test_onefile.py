"""`zmon.pyz` runs, unpacks itself once, trusts no cache of others, installs and removes itself."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import onefile
import pytest
import start

if TYPE_CHECKING:
    from pathlib import Path

MAIN = "import os, sys\ndef run_process():\n    print(__file__, *sys.argv[1:])\n    return 7\n"
"""Stands for zmon: it tells from where it was loaded."""


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Build the file from a small tree."""
    tree, share = tmp_path / "made/tree", tmp_path / "made/share"
    (tree / "zmon/cli").mkdir(parents=True)
    for name in ("zmon/__init__.py", "zmon/cli/__init__.py"):
        (tree / name).write_text("")
    (tree / "zmon/cli/main.py").write_text(MAIN)
    (share / "man/man1").mkdir(parents=True)
    (share / "man/man1/zmon.1.gz").write_bytes(b"page")
    target = tmp_path / "zmon.pyz"
    onefile.write(target, tree, share, "1.0", 1_700_000_000)
    return target


def run(archive: Path, *words: str, home: Path | str) -> subprocess.CompletedProcess[str]:
    """Run it as a user with this home."""
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "TMPDIR": str(archive.parent)}
    command = [sys.executable, str(archive), *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603


def test_the_first_start_unpacks_and_the_second_uses_it(archive: Path, tmp_path: Path) -> None:
    """Both run zmon from the cache, with the words and the exit status of the program."""
    first = run(archive, "show", home=tmp_path)
    (place,) = (tmp_path / ".cache/zmon").iterdir()
    assert first.stdout.split() == [str(place / "zmon/cli/main.py"), "show"]
    assert first.returncode == 7
    (place / "zmon/cli/main.py").write_text(MAIN.replace("print(", "print('kept', "))
    assert run(archive, home=tmp_path).stdout.startswith("kept")


def test_another_tree_is_unpacked_beside_it(archive: Path, tmp_path: Path) -> None:
    """Also where the version stayed the same: the digest names the directory."""
    run(archive, home=tmp_path)
    tree = tmp_path / "made/tree"
    (tree / "zmon/cli/main.py").write_text(MAIN + "\n")
    onefile.write(archive, tree, tmp_path / "made/share", "1.0", 1_700_000_000)
    run(archive, home=tmp_path)
    assert len(list((tmp_path / ".cache/zmon").iterdir())) == 2


@pytest.mark.parametrize("home", ["/dev/null", "shared"])
def test_a_cache_that_is_no_use_is_left_alone(archive: Path, tmp_path: Path, home: str) -> None:
    """One that cannot be written, or that others can write into: a directory for this run takes its place."""
    if home == "shared":
        place = tmp_path / "shared/.cache/zmon"
        place.mkdir(parents=True)
        place.chmod(0o777)
        home = str(tmp_path / "shared")
    is_run_from_elsewhere(archive, home)


def is_run_from_elsewhere(archive: Path, home: Path | str) -> None:
    """Hold that zmon runs from a directory for this run alone, and says why."""
    done = run(archive, home=home)
    loaded = done.stdout.strip()
    assert done.returncode == 7
    assert loaded.startswith(f"{archive.parent}/zmon-")
    assert not os.path.exists(loaded)
    assert done.stderr.startswith("zmon: no cache is used, ")


@pytest.mark.parametrize("level", [".cache", ".cache/zmon", ".cache/zmon/IDENTITY"])
def test_no_link_is_followed_to_a_cache(archive: Path, tmp_path: Path, level: str) -> None:
    """Who can turn the link could put a program behind it; nothing is written there."""
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    run(archive, home=home)
    (place,) = (home / ".cache/zmon").iterdir()
    linked = home / level.replace("IDENTITY", place.name)
    linked.rename(elsewhere)
    linked.symlink_to(elsewhere)
    before = sorted(elsewhere.rglob("*"))
    is_run_from_elsewhere(archive, home)
    assert sorted(elsewhere.rglob("*")) == before


@pytest.mark.parametrize("level", ["", ".cache", ".cache/zmon", ".cache/zmon/IDENTITY"])
def test_a_level_that_others_can_write_makes_no_cache(archive: Path, tmp_path: Path, level: str) -> None:
    """Who can write into a directory can change what lies in it."""
    home = tmp_path / "home"
    run(archive, home=home)
    (place,) = (home / ".cache/zmon").iterdir()
    (home / level.replace("IDENTITY", place.name)).chmod(0o770)
    is_run_from_elsewhere(archive, home)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
@pytest.mark.parametrize("level", ["", ".cache", ".cache/zmon", "IDENTITY", "IDENTITY/zmon/cli/main.py"])
def test_what_belongs_to_another_user_is_not_run(archive: Path, tmp_path: Path, level: str) -> None:
    """A home of another user, and what one left in a cache that is private by now."""
    home = tmp_path / "home"
    run(archive, home=home)
    (place,) = (home / ".cache/zmon").iterdir()
    os.chown(home / level.replace("IDENTITY", f".cache/zmon/{place.name}"), 12345, 12345)
    is_run_from_elsewhere(archive, home)


def test_a_link_left_in_the_cache_is_not_run(archive: Path, tmp_path: Path) -> None:
    """Not in place of any file."""
    run(archive, home=tmp_path)
    (place,) = (tmp_path / ".cache/zmon").iterdir()
    program = place / "zmon/cli/main.py"
    program.rename(tmp_path / "main.py")
    program.symlink_to(tmp_path / "main.py")
    is_run_from_elsewhere(archive, tmp_path)


def test_the_same_input_gives_the_same_bytes(archive: Path, tmp_path: Path) -> None:
    """Whatever the times of the files are."""
    other = tmp_path / "other.pyz"
    os.utime(tmp_path / "made/tree/zmon/cli/main.py", (1, 1))
    onefile.write(other, tmp_path / "made/tree", tmp_path / "made/share", "1.0", 1_700_000_000)
    assert other.read_bytes() == archive.read_bytes()


def test_an_installation_is_upgraded_and_removed_without_a_trace(archive: Path, tmp_path: Path) -> None:
    """What zmon did not write stays."""
    prefix = tmp_path / "opt"
    done = run(archive, "install", "--prefix", str(prefix), home=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"{prefix}/bin/zmon\n"), done.stderr
    ran = subprocess.run([prefix / "bin/zmon", "a b"], capture_output=True, text=True, check=False)  # noqa: S603
    assert ran.stdout == f"{prefix}/lib/zmon/zmon/cli/main.py a b\n"
    assert (prefix / "share/man/man1/zmon.1.gz").read_bytes() == b"page"
    unit = (prefix / "share/zmon/zmon-record.service").read_text()
    assert f"ExecStart={prefix}/bin/zmon record" in unit
    assert f"{prefix}/share/doc/zmon/record.md" in unit
    assert "/opt/zmon" not in unit.replace(str(prefix), "")
    for name in ("zmon/zmon.sysusers", "doc/zmon/record.md"):
        assert (prefix / "share" / name).exists()
    (prefix / "bin/other").write_text("")
    (tmp_path / "made/share/man/man1/zmon.1.gz").rename(tmp_path / "made/share/man/man1/zmon-new.1.gz")
    onefile.write(archive, tmp_path / "made/tree", tmp_path / "made/share", "2.0", 1_700_000_000)
    assert run(archive, "install", "--prefix", str(prefix), home=tmp_path).returncode == 0
    assert os.listdir(prefix / "share/man/man1") == ["zmon-new.1.gz"]
    assert run(archive, "install", "--prefix", str(prefix), "--uninstall", home=tmp_path).returncode == 0
    assert [str(path.relative_to(prefix)) for path in prefix.rglob("*")] == ["bin", "bin/other"]


def test_nothing_to_remove_is_said(archive: Path, tmp_path: Path) -> None:
    """A message and exit status 1, no traceback."""
    done = run(archive, "install", "--prefix", str(tmp_path / "none"), "--uninstall", home=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"zmon: {tmp_path}/none/lib/zmon/installed: No such file or directory\n"


def test_an_old_python_starts_a_newer_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest of those that zmon is tested with, wherever PATH has it."""
    for name in ("a/python3.12", "b/python3.13", "b/python3.99"):
        program = tmp_path / name
        program.parent.mkdir(exist_ok=True)
        program.touch(0o755)
    started = []
    monkeypatch.setenv("PATH", f"{tmp_path}/a:{tmp_path}/b")
    monkeypatch.setattr(sys, "version_info", (3, 9, 0))
    monkeypatch.setattr(sys, "argv", ["zmon.pyz", "show"])
    monkeypatch.setattr(os, "execv", lambda *call: started.append(call))
    start.main()  # type: ignore[no-untyped-call]  # it has to run on any Python 3
    assert started[0] == (f"{tmp_path}/b/python3.13", [f"{tmp_path}/b/python3.13", "zmon.pyz", "show"])


def test_an_old_python_alone_says_what_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what to install, and exit status 1."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "version_info", (3, 9, 0))
    assert start.main() == 1  # type: ignore[no-untyped-call]
    assert capsys.readouterr().err.startswith("zmon: Python 3.11 or newer is needed, this is 3.9")


def test_start_parses_on_an_old_python() -> None:
    """What runs before the version is checked has no syntax that Python 3.6 does not know."""
    import ast  # noqa: PLC0415

    ast.parse((onefile.HERE / "start.py").read_text(), feature_version=(3, 6))
