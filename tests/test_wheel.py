"""What is built is complete: screens and recordings are found in an installation."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.interpreter

ROOT = Path(__file__).parent.parent
ALONE = "import sys; sys.path[:0] = [sys.argv.pop(1)]; from zmon.cli.main import main; sys.exit(main())"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel with what is installed here, so that no network is needed."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        check=True, capture_output=True,
    )  # fmt: skip
    (built,) = folder.glob("zmon-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Install it alone: to be unpacked is all that a wheel of pure Python needs."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return str(folder)


def run(installed: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run zmon from there, far from the checkout, without any other package."""
    paths = {"PATH": os.environ.get("PATH", ""), "HOME": installed, "TERM": "dumb"}
    command = [sys.executable, "-I", "-S", "-c", ALONE, installed, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=installed, env=paths)  # noqa: S603


def test_screens_are_found(installed: str) -> None:
    """`zmon show MENU` knows all screens, without a checkout and without a single other package."""
    done = run(installed, "show", "MENU")
    assert (done.returncode, done.stderr) == (0, "")
    assert " 13. I/O device load*" in done.stdout


def test_scenarios_are_found(installed: str) -> None:
    """`zmon lab list` knows those that come along."""
    done = run(installed, "lab", "list")
    assert (done.returncode, done.stderr) == (0, "")
    assert "shark-before" in done.stdout


def test_every_data_file_is_packed(wheel: Path) -> None:
    """Each screen, figure, rule and recording of the checkout, below the package."""
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    here = {
        f"zmon/{p.relative_to(ROOT)}"
        for d in ("screens", "figures", "rules", "recordings")
        for p in (ROOT / d).rglob("*")
        if p.is_file() and p.parent.name != "__pycache__"
    }
    assert here - packed == set()


def test_nothing_else_is_packed(wheel: Path) -> None:
    """No tests, no captures, no caches: the package, its data and what describes it."""
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
        assert [name for name in archive.namelist() if "__pycache__" in name] == []
    assert tops == {"zmon", wheel.name.removesuffix("-py3-none-any.whl") + ".dist-info"}


def test_the_command_is_declared(wheel: Path) -> None:
    """`zmon` is what an installation puts into the path."""
    with zipfile.ZipFile(wheel) as archive:
        (entry,) = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
        assert "zmon = zmon.cli.main:run_process" in archive.read(entry).decode()
