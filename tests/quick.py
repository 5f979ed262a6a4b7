"""Run the tests that changed files can break by their names, and the rules of the house: `make test-quick`.

A test module mirrors each module, so its name says what it is about. What breaks elsewhere `make test` finds.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT: Final = Path(__file__).parents[1]
HOUSE: Final = ("tests/test_house.py", "tests/test_import_hygiene.py")
"""The rules of the house, which any change can break."""
SCREENS: Final = ("tests/screen/test_screens.py", "tests/screen/test_menu_items.py", "tests/test_manual.py")
READERS: Final = {
    "docs": ("tests/test_manual.py", "tests/test_documents.py", "tests/test_extending.py"),
    "figures": SCREENS,
    "rules": ("tests/rule/test_*.py",),
    "screens": SCREENS,
}
"""Tests of those who read a directory's files, as patterns."""
MOST: Final = 200
"""Test modules at most; beyond, only those are run that have the very name of a changed module."""


def patterns(file: str, *, direct: bool = False) -> list[str]:
    """Return patterns of the test modules that a changed file can break; `direct`: of its very name alone."""
    path = PurePath(file)
    top, *folders = path.parts[:-1] or ("",)
    if top == "tests":
        return [file] if path.name.startswith("test_") and path.suffix == ".py" else []
    mirrors = []
    if path.suffix == ".py":
        name = f"test_{path.stem}"
        folder = PurePath("tests", *([] if top == "zmon" else [top]), *folders)
        places = (folder,) if top == "zmon" else (folder, PurePath("tests"))
        mirrors = [str(place / f"{name}{end}.py") for place in places for end in ("", "_*")[: 2 - direct]]
    return [*mirrors, *READERS.get(top, ())]


def chosen(changed: Iterable[str]) -> list[str]:
    """Return the test modules that there are for changed files, and the rules of the house."""
    files = list(changed)
    for direct in (False, True):
        wanted = {pattern for file in files for pattern in patterns(file, direct=direct)}
        tests = {path.relative_to(ROOT).as_posix() for pattern in wanted for path in ROOT.glob(pattern)}
        if len(tests) <= MOST:
            break
    return sorted(tests | set(HOUSE))


def git(*words: str) -> list[str]:
    """Return the lines that git says; none where it fails, as it does for a branch that is not there."""
    said = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603, S607 - git of this machine
    return said.stdout.splitlines() if said.returncode == 0 else []


def changed_files() -> list[str]:
    """Return the files that differ from where this branch left `main`, committed or not."""
    base = git("merge-base", "HEAD", "origin/main") or git("merge-base", "HEAD", "main") or ["HEAD"]
    return git("diff", "--name-only", *base) + git("ls-files", "--others", "--exclude-standard")


def main() -> int:
    """Say which test modules are chosen, and run them."""
    changed = changed_files()
    tests = chosen(changed)
    why = f"{len(changed)} changed files" if changed else "nothing differs from main: the rules of the house"
    sys.stderr.write("\n  ".join([f"{why}:", *tests]) + "\n")
    return pytest.main(tests)


if __name__ == "__main__":
    sys.exit(main())
