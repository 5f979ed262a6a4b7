"""The screens of the case study: from the LCU to its tablespaces, their files, and the device below them."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest

from tests.casestudy import WAYS
from tests.goldens import compare
from zmon.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

SCREENS = ["CTLUNIT", "FILES", "FILES LCU 6", "DEVICE 043a", "DEVICE cu=LCU 2", "SPREAD"]


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, utc: None) -> None:  # noqa: ARG001 - clocks show UTC
    """Use no site file of whoever runs the tests."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def shown(capsys: pytest.CaptureFixture[str], screen: str, *options: str) -> list[str]:
    assert main(["show", *screen.split(), *options]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("screen", SCREENS)
def test_told_by_cp_and_the_site(screen: str, capsys: pytest.CaptureFixture[str]) -> None:
    """No device has a unique id, and yet LCU 6 is found, and for whom it works."""
    name = screen.replace(" ", "-").replace("=", "-")
    compare(f"casestudy-{name}", shown(capsys, screen, *WAYS["cp"]))


@pytest.mark.parametrize("screen", ["CTLUNIT", "FILES 043a"])
def test_told_by_unique_ids(screen: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody need tell anything but where the files are."""
    compare(f"casestudy-uid-{screen.replace(' ', '-')}", shown(capsys, screen, *WAYS["uid"]))


@pytest.mark.parametrize("screen", ["CTLUNIT", "DEVICE 043a"])
def test_a_directory_tells_the_same_as_cp(screen: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What lies where does not depend on who tells it."""
    assert shown(capsys, screen, *WAYS["directory"]) == shown(capsys, screen, *WAYS["cp"])


def test_a_path_is_whole_in_what_programs_read(capsys: pytest.CaptureFixture[str]) -> None:
    """Only people see the middle left out."""
    heading, first, *_ = shown(capsys, "FILES TEMPSPACE1", *WAYS["cp"], "-f", "csv")
    assert heading.startswith("from,to,key,path") or "path" in heading
    assert "/temp/" in first


@pytest.mark.parametrize("way", ["cp", "uid"])
def test_a_disk_has_one_number_one_label_and_one_lcu(way: str, capsys: pytest.CaptureFixture[str]) -> None:
    """DEVICE, FILES, CTLUNIT and `zmon where` spell them alike."""
    rows = {}
    for screen, key in (("DEVICE", "dasd"), ("FILES", "disk")):
        table = csv.DictReader(shown(capsys, screen, *WAYS[way], "-f", "csv"))
        rows[screen] = next(row for row in table if row[key] == "dasdb")
    device, file = rows["DEVICE"], rows["FILES"]
    label = device["label"].partition(">")[0]  # without one DEVICE has the name in Linux
    assert (device["addr"], label) == (file["vdev"], file["label"])
    assert device["lcu"] == file["lcu"]
    units = [row["ssid"] for row in csv.DictReader(shown(capsys, "CTLUNIT", *WAYS[way], "-f", "csv"))]
    assert device["lcu"] in units
    assert main(["where", "dasdb", *WAYS[way]]) == 0
    said = capsys.readouterr().out
    assert f"vdev {file['vdev']}" in said
    assert file["label"] in said
    assert file["lcu"] in said


def test_a_minidisk_with_two_labels_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """On DEVICE for all of them, on the page of one for itself."""
    assert any("29 minidisks " in line for line in shown(capsys, "DEVICE", *WAYS["cp"]))
    page = "\n".join(shown(capsys, "DEVICE 043a", *WAYS["cp"]))
    assert "VOLSER      :  HWZJZH" in page
    assert "Disk label: 0X043A" in page
