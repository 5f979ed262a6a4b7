"""zmon.machine.device_names: which device a word names."""

from __future__ import annotations

import json

import pytest

from tests.placement.study import filled
from zmon.base.absent import absent
from zmon.base.shipped import shipped
from zmon.cli.main import main
from zmon.interval import Interval
from zmon.kinds import BLOCK, DASD, DEVICE, LAYER
from zmon.machine import device_names
from zmon.machine.device_names import find_device
from zmon.machine.devices import address
from zmon.machine.view import NoSuchThing, View
from zmon.sample import Instant, Sample
from zmon.screen.definition import load_screens
from zmon.screen.query import parse_conditions
from zmon.screen.sheet import Sheet
from zmon.tables.device import table as device_table
from zmon.topology.volumes import bare

RECORDING = "recordings/lab-shark-before.zmon"
DISKS = {"0.0.7000": "dasda", "0.1.7000": "dasdb", "0.0.0191": "dasdc", "0.0.0200": "dasdd"}
LABELS = {"dasda": "LX7000", "dasdb": "LX7000", "dasdc": "0X0191", "dasdd": "0X0200"}
TOLD = {
    "0.0.0191": bare("94:8", absent("x"))._replace(rdev="6E7F", volser="VOL191", label="0X0191"),
    "0.0.0200": bare("94:12", absent("x"))._replace(rdev="0191", volser="VOL200", label="0X0200"),
}
"""What CP tells: the real volumes of two disks."""


@pytest.fixture
def view(monkeypatch: pytest.MonkeyPatch) -> View:
    """Look at four disks, of two of which CP tells the real volume; one disk is SCSI."""
    blocks = {name: {"size": 1} for name in (*LABELS, "sda")}
    frames = {
        "device": filled(DEVICE, {key: {"online": 1, "block": name} for key, name in DISKS.items()}, 0),
        "dasd": filled(DASD, {key: {"name": n, "volser": LABELS[n]} for key, n in DISKS.items()}, 0),
        "block": filled(BLOCK, blocks, 0),
    }
    monkeypatch.setattr(device_names, "volumes_of", lambda _view: TOLD)
    return View(Interval(None, Sample(Instant(0, 0, "b"), frames)))


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("0.0.7000", "0.0.7000"), ("0.1.7000", "0.1.7000"), ("191", "0.0.0191"), ("0191", "0.0.0191"),
        ("dasdb", "0.1.7000"), ("0x0191", "0.0.0191"), ("vol191", "0.0.0191"), ("6e7f", "0.0.0191"),
        ("SDA", "sda"), (" DASDA ", "0.0.7000"), ("VOL200", "0.0.0200"),
        ("17000", "0.1.7000"), ("07000", "0.0.7000"),
    ],
)  # fmt: skip
def test_a_device_goes_by_several_names(view: View, word: str, key: str) -> None:
    """Bus id, number, real number, Linux name, the volume's label and Linux's own; case does not matter."""
    assert find_device(view, word) == key


@pytest.mark.parametrize("word", ["7000", "LX7000"])
def test_a_name_that_means_several_is_refused(view: View, word: str) -> None:
    """The message says which they are."""
    with pytest.raises(NoSuchThing, match=r"0\.0\.7000 or 0\.1\.7000"):
        find_device(view, word)


def test_a_device_of_another_subchannel_set_is_shown_with_it(view: View) -> None:
    """Its number alone is that of another device; the column has room for the bus id."""
    assert list(map(address, DISKS)) == ["7000", "0.1.7000", "0191", "0200"]
    screen = load_screens(shipped("screens")).find("DEVICE")
    sheet = Sheet(screen, device_table(view))
    lines = [sheet.line(place) for place in range(len(sheet))]
    assert sum(line.startswith(" 7000     ") for line in lines) == 1
    assert sum(line.startswith(" 0.1.7000 ") for line in lines) == 1


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("addr=7000", ["0.0.7000"]), ("addr=0.0.7000", ["0.0.7000"]), ("addr=0.1.7000", ["0.1.7000"]),
        ("addr=*7000", ["0.0.7000", "0.1.7000"]), ("addr=0.0.01*", ["0.0.0191"]),
        ("addr~7000", ["0.0.7000", "0.1.7000"]),
    ],
)  # fmt: skip
def test_a_condition_takes_a_number_or_a_bus_id(view: View, text: str, keys: list[str]) -> None:
    """DEVICE shows 7000, lsdasd 0.0.7000."""
    screen = load_screens(shipped("screens")).find("DEVICE")
    sheet = Sheet(screen, device_table(view), None, parse_conditions(text, screen.columns))
    assert sheet.keys == keys


@pytest.mark.parametrize("word", ["9999", "", " ", "no", "\x1b[2J"])
def test_a_name_that_means_nothing_is_refused(view: View, word: str) -> None:
    """The message says where to look."""
    with pytest.raises(NoSuchThing, match=r"\bDEVICE\b"):
        find_device(view, word)


@pytest.mark.parametrize("word", ["dm-0", "vg-data"])
def test_a_device_that_is_made_of_others_is_shown_elsewhere(view: View, word: str) -> None:
    """OVERVIEW names one that is suspended: whoever asks DEVICE for it is told where it is."""
    layer = {"name": "dm-0", "mapped": "vg-data", "sort": "dm"}
    view.interval.after.frames["layer"] = filled(LAYER, {"253:0": layer}, 0)  # type: ignore[index]  # a dict
    with pytest.raises(NoSuchThing, match=r"\bSTACKED\b"):
        find_device(view, word)


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize("word", ["HWZJZH", "767E", "0x043a"])
@pytest.mark.parametrize("command", ["DEVICE", "DEVLOG", "BENCHMRK", "DASDSTAT", "PLOT DEVICE.resp"])
def test_every_screen_takes_the_names_that_others_show(
    capsys: pytest.CaptureFixture[str], command: str, word: str
) -> None:
    """Both labels of a volume and its real device number name its device, wherever a device is named."""
    assert main(["show", *command.split(), word, "--from", RECORDING]) == 0
    assert "043a" in capsys.readouterr().out.lower()


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize("column", ["DEVICE.resp", "DEVLOG.resp"])
def test_a_chart_takes_the_names_that_screens_show(capsys: pytest.CaptureFixture[str], column: str) -> None:
    """What is drawn of a device may be asked for by the label that CP tells of its volume."""
    assert main(["plot", column, "HWZJZH", "--from", RECORDING, "--since", "-2m", "-f", "csv"]) == 0
    assert "0.0.043a" in capsys.readouterr().out


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize(
    ("command", "column"), [("DEVLOG", "label"), ("REDISP", "label"), ("CACHEXT", "volser")]
)
def test_one_label_is_shown_everywhere(capsys: pytest.CaptureFixture[str], command: str, column: str) -> None:
    """Screens show the label that CP tells of a volume, not the one that Linux reads on the minidisk."""
    assert main(["show", command, "--from", RECORDING, "-f", "json"]) == 0
    labels = {row[column] for row in json.loads(capsys.readouterr().out.splitlines()[0])["rows"]}
    assert "X5GE25" in labels
    assert not any(str(label).startswith("0X") for label in labels)
