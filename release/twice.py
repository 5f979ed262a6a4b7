"""Builds what is delivered twice from the last commit, in different surroundings: `make dist-twice`.

The two builds differ in directory, time zone, locale, umask and the seed of hashes, and in Python where
there is another one.  Exit status 0: each file has the same bytes, and the checksums are those of the
files; 1: it names the files for which that is not so.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from parts import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable

SURROUNDINGS: Final = (
    ("a", 0o022, {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"}),
    ("another/place", 0o077, {"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "1", "COLUMNS": "200"}),
)
"""Directory, umask and environment of each build."""
SUMS: Final = "SHA256SUMS"
MINORS: Final = (14, 13, 12, 11)
"""The Pythons that zmon is tested with, 3.14 to 3.11."""


def main() -> int:
    """Build twice and compare; returns the exit status."""
    with tempfile.TemporaryDirectory(prefix="zmon-dist-") as work:
        pythons = (sys.executable, second_python(Path(work)))
        first, second = (
            build(python, Path(work, place), umask, environment)
            for python, (place, umask, environment) in zip(pythons, SURROUNDINGS, strict=True)
        )
        wrong = [*differences(first, second), *unlisted(first)]
        for line in wrong or [f"the same bytes twice: {', '.join(sorted(os.listdir(first)))}"]:
            print(line)
    return bool(wrong)


def second_python(work: Path) -> str:
    """Return what the second build runs with, and say which it is: another Python, if one can be found.

    Raises:
        CalledProcessError: what the lock file names could not be installed for it.
    """
    directories = (*map(Path, os.get_exec_path()), *Path.home().glob(".pyenv/versions/*/bin"))
    own = platform.python_version()
    other = another_python(directories, sys.version_info.minor)
    if other is None:
        print(f"built twice with Python {own}: there is no other from 3.{MINORS[-1]} to 3.{MINORS[0]} here")
        return sys.executable
    print(f"built with Python {own}, and with {other}", flush=True)
    subprocess.run([other, "-m", "venv", work / "venv"], check=True)
    python = str(work / "venv/bin/python")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "--require-hashes", "-r", str(ROOT / "requirements.lock")], check=True)
    subprocess.run([*install, "--no-deps", "--no-build-isolation", "--editable", str(ROOT)], check=True)
    return python


def another_python(directories: Iterable[Path], own: int) -> Path | None:
    """Return the newest Python of another minor version that can make environments; None without one."""
    places = [*directories]
    for minor in MINORS:
        for program in (place / f"python3.{minor}" for place in places):
            if minor == own or not os.access(program, os.X_OK):
                continue
            asked = [
                str(program),
                "-c",
                "import ensurepip, venv",
            ]  # pyenv's stand-ins may be there and do nothing
            if not subprocess.run(asked, check=False, capture_output=True).returncode:
                return program
    return None


def build(python: str, place: Path, umask: int, environment: dict[str, str]) -> Path:
    """Build the last commit in a clone; returns the directory of what was built.

    Raises:
        CalledProcessError: it could not be built.
    """
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, place], check=True)
    more = {"PYTHONPATH": str(place), **environment}
    command = [python, str(place / "release/build.py")]
    done = subprocess.run(command, env=os.environ | more, umask=umask, stdout=subprocess.DEVNULL, check=False)
    if done.returncode > 1:  # 1: a tool for one of the packages is missing, as the builder says
        done.check_returncode()
    return place / "dist"


def differences(first: Path, second: Path) -> list[str]:
    """Return what differs between the files of two directories; nothing if they have the same bytes."""
    names = sorted({*os.listdir(first), *os.listdir(second)})
    content = [{file.name: file.read_bytes() for file in each.iterdir()} for each in (first, second)]
    return [
        f"{name}: {'other bytes' if all(name in each for each in content) else 'built once only'}"
        for name in names
        if content[0].get(name) != content[1].get(name)
    ]


def unlisted(directory: Path) -> list[str]:
    """Return the files whose checksum is missing or wrong in the list of checksums."""
    lines = (line.split("  ", 1) for line in (directory / SUMS).read_text().splitlines())
    listed = {name: digest for digest, name in lines}
    files = (file for file in sorted(directory.iterdir()) if file.name != SUMS)
    return [
        f"{file.name}: not the checksum in {SUMS}"
        for file in files
        if listed.get(file.name) != hashlib.sha256(file.read_bytes()).hexdigest()
    ]


if __name__ == "__main__":
    sys.exit(main())
