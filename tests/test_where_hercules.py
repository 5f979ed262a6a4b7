"""What zmon says of files on emulated DASDs is what was found there, byte for byte, on the raw disks."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from zmon.cli.main import main

RECORDING: Final = "recordings/hercules-lvm.tar.gz"
TRUTH: Final[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "fixtures/placed/hercules-lvm.json").read_text()
)
"""What `testbed/byte_by_byte.py` found in the run that made the recording, and the unique ids of lsdasd."""
FILES: Final[dict[str, Any]] = {file["path"]: file for file in TRUTH["files"]}


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Read no site file of whoever runs the tests."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody"))


def answer(path: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Ask where a file lies."""
    assert main(["where", path, "--from", RECORDING, "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    (said,) = found["where"]
    return dict(said)


@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize("kind", ["bytes", "copies"])
def test_each_disk_has_the_bytes_that_were_found_there(
    path: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """First copies and further ones apart."""
    found = {disk["busids"][0]: disk[kind] for disk in FILES[path]["disks"] if disk.get(kind)}
    said = {disk["busid"]: disk[kind] for disk in answer(path, capsys)["disks"] if disk[kind]}
    assert said == found


@pytest.mark.parametrize("path", FILES)
def test_each_lcu_has_the_bytes_that_were_found_there(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An LCU is what unique ids have in common but for the unit."""
    found, said = Counter[str](), Counter[str]()
    for disk in FILES[path]["disks"]:
        lcu = TRUTH["uids"][disk["busids"][0]].rpartition(".")[0]
        found[lcu] += disk.get("bytes", 0) + disk.get("copies", 0)
    for disk in answer(path, capsys)["disks"]:
        said[disk["key"]] += disk["bytes"] + disk["copies"]
    assert said == found


@pytest.mark.parametrize("path", FILES)
def test_the_answer_is_exact(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    """All that was written has a place."""
    said = answer(path, capsys)
    assert (said["grade"], said["mapped"]) == ("exact", FILES[path]["written"])


def test_of_a_thin_volume_the_disks_alone_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Without the pool's map zmon names the disks that hold it, and claims no more."""
    (file,) = TRUTH["thin"]
    said = answer(file["path"], capsys)
    disks = {disk["busid"] for disk in said["disks"]}
    assert (said["grade"], said["unplaced"]) == ("set", file["written"])
    assert disks == {disk["busids"][0] for disk in file["disks"]}


def test_the_copies_on_an_lcu_are_told_with_its_files(capsys: pytest.CaptureFixture[str]) -> None:
    """A mirror writes them there, though no byte of the first copy is."""
    assert main(["where", "LCU 7100", "--from", RECORDING]) == 0
    assert "mirror     0 +2M copies in 1 file" in capsys.readouterr().out


def test_a_known_hole_has_no_unknown_place(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a file on a thin volume 2 of 3 MiB are stored; all are 40 MiB, of which 38 are on known disks."""
    assert main(["spread", "--by", "disk", "--from", RECORDING]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert printed.startswith("9 tablespaces, 9 files, 40M over 7 disks")
    assert "5 % of the bytes " in printed
    assert "first copy" in printed
