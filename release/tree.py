"""The directory with zmon and all it needs: pure Python, the same bytes from the same commit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from parts import ROOT, parts

if TYPE_CHECKING:
    from pathlib import Path

LEFT_OUT: Final = ("bin", "**/__pycache__", "**/*.dist-info/RECORD", "**/*.dist-info/direct_url.json",
                   "**/*.dist-info/REQUESTED", "**/*.dist-info/INSTALLER")  # fmt: skip
"""What pip adds that depends on the machine, and scripts with its path."""


def epoch() -> int:
    """Return the time that every file of a delivery gets, in seconds since 1970: that of the last commit.

    `SOURCE_DATE_EPOCH` takes its place where it is set, as reproducible-builds.org defines it.

    Raises:
        CalledProcessError: it is not set, and this is no checkout.
    """
    if (given := os.environ.get("SOURCE_DATE_EPOCH", "")).isdecimal():
        return int(given)
    command = ["git", "log", "-1", "--format=%ct"]
    return int(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def fill(tree: Path, wheel: Path) -> None:
    """Install zmon's wheel and the packages of the lock file into an empty directory.

    Raises:
        CalledProcessError: pip could not fetch a package, or its hash differs; pip has written why.
        RuntimeError: a package contains a compiled file, which would run on one architecture only.
    """
    tree.mkdir(parents=True)
    wanted = tree.parent / "requirements.txt"
    wanted.write_text("".join(f"{part.line()}\n" for part in parts()))
    _install(tree, "--require-hashes", "--only-binary", ":all:", "-r", str(wanted))
    _install(tree, "--no-index", str(wheel))
    for pattern in LEFT_OUT:
        for path in sorted(tree.glob(pattern), reverse=True):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    compiled = [str(path.relative_to(tree)) for path in tree.rglob("*") if path.suffix in {".so", ".pyd"}]
    if compiled:
        raise RuntimeError(f"compiled files, which run on one architecture only: {', '.join(compiled)}")
    date(tree, epoch())


def _install(tree: Path, *what: str) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*command, "--no-compile", "--target", str(tree), *what], check=True)


def date(tree: Path, seconds: int) -> None:
    """Give each file and directory the same time and the usual permissions."""
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
            os.utime(path, (seconds, seconds))
