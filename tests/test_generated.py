from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs.generated import PARTS, ROOT, changes, sums
from zmon.cli.main import main

CAPTURE = "recordings/hercules-one-hot-lcu.tar.gz"


def test_what_has_changed_is_what_has_another_sum() -> None:
    """Files that were edited before are no change, as long as nothing writes them again."""
    before = {"edited": "1", "page": "2", "old": "3"}
    assert changes(before, before) == []
    assert changes(before, {"edited": "1", "page": "4", "fresh": "5"}) == [
        "new     fresh", "gone    old", "changed page",
    ]  # fmt: skip


@pytest.mark.skipif(shutil.which("git") is None or not Path(ROOT, ".git").exists(), reason="no git")
def test_files_have_sums_whether_they_are_text_or_not() -> None:
    """Pages, pictures, recordings and goldens are all looked at."""
    names = {"docs/screens.md", "docs/pictures/menu.svg", "recordings/lab-shark-before.zmon"}
    assert sums().keys() >= names | {"tests/golden/frozen/commands.txt"}


def test_each_part_can_be_made() -> None:
    """A part is a target of the Makefile."""
    targets = re.findall(r"^(\w+): ", (Path(ROOT) / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(PARTS) <= set(targets)


def test_a_recording_is_the_same_bytes_whenever_it_is_made(tmp_path: Path) -> None:
    """Whatever order sets have in a process; else each `make recordings` would change all of them."""
    for seed in ("1", "2"):
        command = [sys.executable, "-m", "zmon", "import", CAPTURE, str(tmp_path / f"{seed}.zmon")]
        surroundings = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run(command, env=surroundings, cwd=ROOT, check=True, capture_output=True)  # noqa: S603 - zmon itself
    first, second = (file.read_bytes() for file in sorted(tmp_path.glob("*.zmon")))
    assert first == second


def test_a_cut_of_a_cut_is_the_same_bytes(tmp_path: Path) -> None:
    """Kinds without rows are recorded without their fields, in the first cut as in the next."""
    cuts = [str(tmp_path / f"{number}.zmon") for number in (1, 2, 3)]
    source = str(Path(ROOT) / "recordings/qemu-one-path-of-two.zmon")
    for before, cut in zip([source, *cuts], cuts, strict=False):
        assert main(["cut", before, cut]) == 0
    first, second, third = (Path(cut).read_bytes() for cut in cuts)
    assert first == second == third
