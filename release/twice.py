"""Builds what is delivered twice from the last commit, in different surroundings: `make dist-twice`.

The two builds differ in directory, time zone, locale, umask and the seed of hashes.  Exit status 0: each file
has the same bytes, and the checksums are those of the files; 1: it names the files for which that is not so.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from parts import ROOT

SURROUNDINGS: Final = (
    ("a", 0o022, {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"}),
    ("another/place", 0o077, {"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "1", "COLUMNS": "200"}),
)
"""Directory, umask and environment of each build."""
SUMS: Final = "SHA256SUMS"


def main() -> int:
    """Build twice and compare; returns the exit status."""
    with tempfile.TemporaryDirectory(prefix="zmon-dist-") as work:
        first, second = (
            build(Path(work, place), umask, environment) for place, umask, environment in SURROUNDINGS
        )
        wrong = [*differences(first, second), *unlisted(first)]
        for line in wrong or [f"the same bytes twice: {', '.join(sorted(os.listdir(first)))}"]:
            print(line)
    return bool(wrong)


def build(place: Path, umask: int, environment: dict[str, str]) -> Path:
    """Build the last commit in a clone; returns the directory of what was built.

    Raises:
        CalledProcessError: it could not be built.
    """
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, place], check=True)
    more = {"PYTHONPATH": str(place), **environment}
    command = [sys.executable, str(place / "release/build.py")]
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
