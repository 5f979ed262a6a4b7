"""What zmon writes is its owner's alone: it names processes, files and tablespaces that only root may see."""

from __future__ import annotations

import ast
import os
import re
import stat
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

import zmon
from tests.conftest import ListTimeline
from tests.syntax import nodes, parsed
from zmon.base.shipped import shipped
from zmon.cli.main import main
from zmon.recorder.lock import mode_of_files
from zmon.screen.definition import load_screens
from zmon.session import commands
from zmon.session.session import Session
from zmon.store.reader import Recording
from zmon.store.writer import Writer
from zmon.ui.history import CommandHistory

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(zmon.__file__).parent
OTHERS: Final = {
    "base/own_files.py": "the one place that makes such a file",
    "base/toml.py": "the parsed form of a file that comes with zmon, beside bytecode",
    "exposition/textfile.py": "metrics, which another user's program collects; no process or file is named",
    "kernel/capture_write.py": "mkstemp gives it to its owner alone",
    "recorder/lock.py": "the recorder's process, host and begin, which other users are told",
    "store/open.py": "a copy to read, in a directory of mkdtemp",
    "store/writer.py": "a recording that is there",
    "ui/terminal.py": "/dev/null",
}
"""Where else in zmon something is opened to write, and why that is no file that others must not read."""
MAKERS: Final = ("sqlite3.connect", "tempfile.", "shutil.copy", ".write_bytes", ".write_text", ".touch")
"""The begin or the end of the names of other functions that make files."""


def makes_a_file(node: ast.AST) -> bool:
    """Return whether an expression may make a file: open to write, a flag to create, SQLite, a copy."""
    if isinstance(node, ast.Attribute):
        return node.attr in {"O_CREAT", "O_TMPFILE"}
    if not isinstance(node, ast.Call):
        return False
    called = ast.unparse(node.func)
    if called in {"open", "io.open", "os.fdopen"}:
        source = ast.unparse(node)
        return "own_files.create(" not in source and re.search(r"'[wxa][bt+]*'", source) is not None
    return called.startswith(MAKERS) or called.endswith(MAKERS)


def test_one_place_makes_files() -> None:
    """Who opens a file to write elsewhere says here why its mode does not matter."""
    found = {
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        if any(map(makes_a_file, nodes(parsed(path))))
    }
    assert found == set(OTHERS)


@pytest.fixture
def _open_umask() -> Iterator[None]:
    """Let umask take nothing."""
    before = os.umask(0)
    yield
    os.umask(before)


def modes(directory: Path) -> dict[str, int]:
    """Return the mode of each file below a directory."""
    files = (path for path in sorted(directory.rglob("*")) if path.is_file())
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in files}


@pytest.mark.usefixtures("_open_umask")
def test_each_writer_makes_files_for_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recordings and SQLite's files beside them, cuts, imports, captures, screens, commands."""
    (tmp_path / "root/proc").mkdir(parents=True)
    (tmp_path / "root/proc/stat").write_text("cpu 1 2 3\n")
    out = tmp_path / "out"
    out.mkdir()
    monkeypatch.chdir(out)
    with closing(Writer(str(out / "recorded.zmon"))):
        assert {*modes(out)} > {"recorded.zmon"}
        assert {*modes(out).values()} == {0o600}
    recording = str(ROOT.parent / "recordings/hercules-two-hot-files-before.zmon")
    with closing(Recording(recording)) as source:
        samples = [source.sample(number) for number in range(2)]
    session = Session(ListTimeline(samples), load_screens(shipped("screens")), "DEVICE")
    session.next()
    session.next()
    commands.write(session, "screen.txt")
    CommandHistory(str(out / "commands")).add("DEVICE")
    for words in (
        ["cut", recording, "cut.zmon", "--to", "+5s"],
        ["import", str(ROOT.parent / "recordings/hercules-one-hot-lcu.tar.gz"), "imported.zmon"],
        ["capture", "capture.tar.gz", "--passes", "1", "--root", str(tmp_path / "root")],
        ["record", "days", "-n", "1", "--root", str(tmp_path / "root")],
    ):
        assert main(words) == 0, words
    made = modes(out)
    assert made.pop("recorder.lock", 0o644) == 0o644
    assert len(made) == 7
    assert {*made.values()} == {0o600}


@pytest.mark.usefixtures("_open_umask")
def test_the_group_reads_what_the_service_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In systemd's state directory alone; the service's umask takes no more than what others might read."""
    state, root = tmp_path / "state", tmp_path / "root"
    (root / "proc").mkdir(parents=True)
    (root / "proc/stat").write_text("cpu 1 2 3\n")
    monkeypatch.setenv("STATE_DIRECTORY", f"{tmp_path}/first:{state}")
    assert main(["record", str(state), "-n", "1", "--root", str(root)]) == 0
    (mode,) = (mode for name, mode in modes(state).items() if name.endswith(".zmon"))
    assert mode == 0o640
    assert mode_of_files(str(tmp_path), os.environ) == mode_of_files("/x", {}) == 0o600


def test_a_recording_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    """Its owner has said who may read it."""
    path = tmp_path / "recorded.zmon"
    for _ in range(2):
        Writer(str(path)).close()
        path.chmod(0o640)
    assert modes(tmp_path) == {"recorded.zmon": 0o640}
