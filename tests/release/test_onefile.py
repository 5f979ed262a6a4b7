"""`zmon.pyz` runs, unpacks itself once, trusts no cache of others, installs and removes itself."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
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


def run(
    archive: Path, *words: str, home: Path | str, temporary: Path | None = None, mask: int = 0o022
) -> subprocess.CompletedProcess[str]:
    """Run it as a user with this home, directory for temporary files, and umask."""
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "TMPDIR": str(temporary or archive.parent)}
    return subprocess.run(  # noqa: S603
        [sys.executable, archive, *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        umask=mask,
    )


def test_the_first_start_unpacks_and_the_second_uses_it(archive: Path, tmp_path: Path) -> None:
    """Both run zmon from the cache, with the words and the exit status of the program."""
    first = run(archive, "show", home=tmp_path)
    (place,) = (tmp_path / ".cache/zmon").iterdir()
    assert first.stdout.split() == [str(place / "tree/zmon/cli/main.py"), "show"]
    assert (first.returncode, first.stderr) == (7, "")
    (place / "tree/zmon/cli/main.py").write_text(MAIN.replace("print(", "print('kept', "))
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
@pytest.mark.parametrize("level", ["", ".cache", ".cache/zmon", "IDENTITY"])
def test_what_belongs_to_another_user_is_not_run(archive: Path, tmp_path: Path, level: str) -> None:
    """A home of another user, and what one left in a cache that is private by now."""
    home = tmp_path / "home"
    run(archive, home=home)
    (place,) = (home / ".cache/zmon").iterdir()
    os.chown(home / level.replace("IDENTITY", f".cache/zmon/{place.name}"), 12345, 12345)
    is_run_from_elsewhere(archive, home)


@pytest.mark.parametrize("spoil", ["opened for a while", "a module added", "no seal", "another tree"])
def test_a_tree_that_was_changed_is_unpacked_anew(archive: Path, tmp_path: Path, spoil: str) -> None:
    """Others may have written while it was open, even into files of this user, whatever it looks like now."""
    run(archive, home=tmp_path)
    (place,) = (tmp_path / ".cache/zmon").iterdir()
    tree, program = place / "tree", place / "tree/zmon/cli/main.py"
    program.write_text("raise SystemExit('a program of another user')")
    if spoil == "opened for a while":
        tree.chmod(0o777)
        tree.chmod(0o700)
    elif spoil == "a module added":
        (tree / "os.py").write_text("")
    elif spoil == "no seal":
        (place / "seal").unlink()
    else:
        tree.rename(place / "before")
        shutil.copytree(place / "before", tree)
    done = run(archive, home=tmp_path)
    assert (done.stdout.strip(), done.returncode, done.stderr) == (str(program), 7, "")
    assert [level.name for level in (tmp_path / ".cache/zmon").iterdir()] == [place.name]
    assert sorted(level.name for level in place.iterdir()) == ["seal", "tree"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
def test_a_seal_of_another_user_counts_for_nothing(archive: Path, tmp_path: Path) -> None:
    """Whatever it says."""
    run(archive, home=tmp_path)
    (place,) = (tmp_path / ".cache/zmon").iterdir()
    (place / "tree/zmon/cli/main.py").write_text("raise SystemExit('a program of another user')")
    os.chown(place / "seal", 12345, 12345)
    assert run(archive, home=tmp_path).returncode == 7


@pytest.mark.parametrize("mask", [0o000, 0o777])
def test_only_its_user_reads_or_writes_the_cache(archive: Path, tmp_path: Path, mask: int) -> None:
    """Whatever the umask says."""
    done = run(archive, home=tmp_path, mask=mask)
    assert done.returncode == 7, done.stderr
    for path in (tmp_path / ".cache/zmon").rglob("*"):
        if "__pycache__" not in path.parts:
            assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_many_first_starts_at_once_make_one_cache(archive: Path, tmp_path: Path) -> None:
    """The quickest makes it, and each runs zmon from there."""
    with ThreadPoolExecutor(8) as starts:
        done = [*starts.map(lambda _: run(archive, home=tmp_path), range(8))]
    (place,) = (tmp_path / ".cache/zmon").iterdir()
    assert {start.stdout.strip() for start in done} == {str(place / "tree/zmon/cli/main.py")}
    assert {start.stderr for start in done} == {""}


@pytest.mark.parametrize("temporary", ["shared", "file", "linked"])
def test_a_temporary_directory_of_others_is_not_used(archive: Path, tmp_path: Path, temporary: str) -> None:
    """Who can rename what lies there could put a program in its place; /tmp, or another, is used instead."""
    place = tmp_path / temporary
    if temporary == "file":
        place.write_text("")
    else:
        place.mkdir(mode=0o777)
        place.chmod(0o777)
    if temporary == "linked":
        place = tmp_path / "link"
        place.symlink_to(tmp_path / temporary)
    done = run(archive, home="/dev/null", temporary=place)
    assert done.returncode == 7
    assert not done.stdout.startswith(str(tmp_path))
    assert done.stderr.count("\n") == 1


def test_no_room_anywhere_is_said_in_a_sentence(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With each place and why, exit status 1 and no traceback; nothing is left there."""
    full = tmp_path / "full"
    full.mkdir()
    monkeypatch.setenv("TMPDIR", str(full))
    monkeypatch.setenv("HOME", "/dev/null")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(start, "ARCHIVE", str(archive))
    monkeypatch.setattr(start, "TEMPORARY", ("/dev/null/tmp", str(tmp_path / "none")))
    monkeypatch.setattr(sys, "argv", ["zmon.pyz"])
    monkeypatch.setattr(os, "fdopen", no_space)
    assert start.main() == 1  # type: ignore[no-untyped-call]
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith("zmon: there is no place to unpack zmon in")
    for place in (f"{full}: No space", "/dev/null: ", f"{tmp_path}/none: "):
        assert place in said[0]
    assert not [*full.iterdir()]


def no_space(file: int, mode: str) -> None:
    """Stand for writing to a full file system."""
    os.close(file)
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), mode)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a full file system")
@pytest.mark.parametrize("options", ["ro", "size=4k"])
def test_a_temporary_directory_without_room_is_left(archive: Path, tmp_path: Path, options: str) -> None:
    """One that is full or read-only: another is used."""
    place = tmp_path / "mounted"
    place.mkdir()
    script = f'mount -t tmpfs -o {options} zmon "{place}" && exec "$@"'
    command = ["unshare", "-m", "sh", "-c", script, "sh", sys.executable, str(archive)]
    environment = {"HOME": "/dev/null", "PATH": os.environ["PATH"], "TMPDIR": str(place)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    if "unshare" in done.stderr or "mount" in done.stderr.split("zmon:")[0]:
        pytest.skip("no mounts here")
    assert done.returncode == 7, done.stderr
    assert not done.stdout.startswith(str(place))


def test_a_first_start_at_a_terminal_says_that_it_unpacks(archive: Path, tmp_path: Path) -> None:
    """Because it can take half a minute; the second start says nothing."""
    lines = []
    for _ in range(2):
        leader, follower = os.openpty()
        environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
        subprocess.run([sys.executable, archive], env=environment, stderr=follower, check=False)  # noqa: S603
        os.write(follower, b"end\n")
        with open(leader, encoding="utf-8") as terminal:
            lines.append([*iter(terminal.readline, "end\n")])
        os.close(follower)
    assert [len(said) for said in lines] == [1, 0]
    assert str(tmp_path / ".cache/zmon") in lines[0][0]


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_off_says_so(archive: Path, tmp_path: Path, part: float) -> None:
    """Python finds no ZIP file in it, and shows the sentence as a line with a mistake."""
    content = archive.read_bytes()
    archive.write_bytes(content[: max(200, int(len(content) * part))])
    done = run(archive, home=tmp_path)
    assert done.returncode == 1
    assert "'zmon.pyz is not whole: copy it again" in done.stderr
    assert len(done.stderr.splitlines()) == 4


def test_a_file_that_was_damaged_says_so(archive: Path, tmp_path: Path) -> None:
    """In a sentence, with exit status 1; nothing of it is kept."""
    content = bytearray(archive.read_bytes())
    with zipfile.ZipFile(archive) as opened:
        content[opened.getinfo("tree/zmon/cli/main.py").header_offset + 60] ^= 255
    archive.write_bytes(content)
    done = run(archive, home=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(f"zmon: {archive} cannot be read (")
    assert not [*(tmp_path / ".cache/zmon").iterdir()]


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
    """The newest of those that zmon is tested with, wherever PATH has it, that can be started."""
    for name, status in {
        "a/python3.12": 0,
        "a/python3.14": 127,
        "b/python3.13": 0,
        "b/python3.99": 0,
    }.items():
        program = tmp_path / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\nexit {status}\n")
        program.chmod(0o755)
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
