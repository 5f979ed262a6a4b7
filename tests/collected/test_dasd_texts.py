"""What lsdasd and dasdview say of DASD."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collected.texts import (
    LSDASD,
    LSDASD_COMPATIBLE,
    LSDASD_LONG,
    LSDASD_PATHS,
    LSDASD_UID,
    facts_in,
    row,
)
from zmon.base.absent import absent
from zmon.cli.main import main
from zmon.collected.dasd_texts import mask_paths
from zmon.kinds import DEVICE
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.collected.conftest import Ask
    from zmon.base.absent import Value

VIEW = """\

--- general DASD information --------------------------------------------------
device node            : /dev/dasdb
busid                  : 0.0.7101
type                   : ECKD
device type            : hex 3390  \tdec 13200

--- DASD geometry -------------------------------------------------------------
number of cylinders    : hex 7ff8  \tdec 32760
blocksize              : hex 1000  \tdec 4096

--- extended DASD information -------------------------------------------------
CU type  (SenseID)     : hex 3990  \tdec 14736
CU model (SenseID)     : hex e9  \tdec 233
device type  (SenseID) : hex 3390  \tdec 13200
device model (SenseID) : hex c  \tdec 12

volume identifier       : ascii  '??????'
                        : ebcdic 'DB7101'
                        : hex    c4c2f7f1f0f1
"""


def test_a_line_of_lsdasd_gives_name_number_size_and_state() -> None:
    """An alias and a device that is offline have no disk; an unformatted one has no size."""
    facts = facts_in(LSDASD, "lsdasd -a")
    assert row(facts, "layer", "94:4") == {
        "name": "dasdb", "sort": "disk", "busid": "0.0.7101", "size": 5896620 * 8,
    }  # fmt: skip
    assert row(facts, "device", "0.0.7102")["readonly"] == 1
    assert row(facts, "device", "0.0.71f0") == {"online": 1, "alias": 1, "discipline": "ECKD"}
    assert row(facts, "device", "0.0.7200") == {"online": 0}
    assert "size" not in row(facts, "layer", "94:12")
    assert set(facts.rows["layer"]) == {"94:0", "94:4", "94:8", "94:12"}


STATES = """\
box1:~ # lsdasd
0.0.0100  active      dasda     94:0    ECKD         4096   2347MB    601020
0.0.0101  active(ro)  dasdb     94:4    ECKD         4096   2347MB    601020
0.0.0102  n/f         dasdc     94:8    ECKD
0.0.0103  n/f   (ro)  dasdd     94:12   ECKD
0.0.0104  basic       dasde     94:16   ECKD
0.0.0105  active(ro)            :       ECKD
"""


@pytest.mark.parametrize(
    ("disk", "told", "unformatted"),
    [
        ("dasda", [], []),
        ("dasdb", ["read-only"], []),
        ("dasdc", [], ["dasdc"]),
        ("dasdd", ["read-only"], ["dasdd"]),
        ("dasde", ["basic"], []),
    ],
)
def test_the_state_of_a_disk_is_told(
    disk: str, told: list[str], unformatted: list[str], where: Callable[[str, str], dict[str, Any]]
) -> None:
    """That it is read-only, not formatted, or that its driver has not read its format yet."""
    answer = where(disk, STATES)
    states = answer.get("states", [])
    assert len(states) == len(told)
    assert all(word in said for word, said in zip(told, states, strict=True))
    assert answer["not_formatted"] == unformatted


def test_every_state_of_lsdasd_and_of_the_kernel_is_understood(show: Callable[..., Any]) -> None:
    """Those before a disk is ready, too; IOCONF has them."""
    facts = facts_in(STATES)
    assert {key: row(facts, "dasd", key)["state"] for key in facts.rows["dasd"]} == {
        "0.0.0100": "active", "0.0.0101": "active", "0.0.0102": "active n/f", "0.0.0103": "active n/f",
        "0.0.0104": "basic",
    }  # fmt: skip
    assert row(facts, "device", "0.0.0105")["readonly"] == 1
    rows = {entry["devices"]: entry["status"] for entry in show("IOCONF", STATES).values()}
    assert rows["0104"] == "basic"
    for state in ("basic", "detected", "new"):
        proc = f"0.0.0104(none) at ( 94: 16) is dasde : {state}\n"
        told = facts_in(proc, file="proc/dasd/devices")
        assert row(told, "dasd", "0.0.0104")["state"] == state


def test_lsdasd_u_gives_the_uid_of_disks_and_aliases() -> None:
    """The uid names box, LCU and unit address; the token of a minidisk stays."""
    facts = facts_in(LSDASD_UID, "lsdasd -u")
    assert (
        row(facts, "device", "0.0.7101")["uid"]
        == "IBM.750000000ABCD1.7100.01.00000000000012340000000000000000"
    )
    assert row(facts, "device", "0.0.71f0") == {"uid": "IBM.750000000ABCD1.7100.f0", "alias": 1}
    assert row(facts, "device", "0.0.71f1") == {"uid": "IBM.750000000ABCD1.7100.xx", "alias": 1}


def test_the_long_form_and_that_of_proc_say_the_same() -> None:
    """Number, name and uid; a DASD that is offline has no number."""
    facts = facts_in(LSDASD_LONG, "lsdasd --long")
    assert row(facts, "device", "0.0.7101")["uid"] == "IBM.750000000ABCD1.7100.01"
    assert row(facts, "device", "0.0.7101")["chpids"] == "70 71 72 73"
    assert row(facts, "device", "0.0.7200") == {"online": 0}
    old = facts_in(LSDASD_COMPATIBLE, "", "proc/dasd/devices")
    assert row(old, "layer", "94:4") == row(facts_in(LSDASD), "layer", "94:4")
    assert row(facts, "layer", "94:4").items() <= row(old, "layer", "94:4").items()


@pytest.mark.parametrize(
    ("pim", "masks"), [(None, (0xF8, "c0 00 08 20 40 10")), (0x6E, (0x6E, "60 00 02 08 20 04"))]
)
def test_paths_in_use_are_those_that_the_driver_uses(pim: int | None, masks: tuple[int, str]) -> None:
    """The masks are of the slots that another source tells, else of the first ones."""
    facts = facts_in(LSDASD_PATHS, "lsdasd -l")
    columns: dict[str, Value] = {field.name: absent("not read") for field in DEVICE.fields}
    columns |= {} if pim is None else {"pim": pim, "chpids": "60 61 62 63 64"}
    mask_paths(facts, frame_of(DEVICE, {"0.0.1a01": columns}, 1))
    told = row(facts, "device", "0.0.1a01")
    assert (told["pim"], told["path_masks"]) == masks
    assert told["chpids"] == "60 61 62 63 64"


@pytest.mark.parametrize("lacking", ["paths_installed", "paths_in_use"])
def test_without_the_paths_in_use_none_is_lost(lacking: str) -> None:
    """Nor without those that are installed."""
    content = "".join(line for line in LSDASD_PATHS.splitlines(keepends=True) if lacking not in line)
    facts = facts_in(content, "lsdasd -l")
    mask_paths(facts, empty_frame(DEVICE, "not read"))
    assert "path_masks" not in row(facts, "device", "0.0.1a01")


@given(st.text(max_size=40), st.integers(0, len(LSDASD_PATHS)))
def test_any_paths_are_read_without_an_error(content: str, at: int) -> None:
    """Lost ones are among those that are installed."""
    facts = facts_in(LSDASD_PATHS[:at] + content + LSDASD_PATHS[at + 1 :], "lsdasd -l")
    mask_paths(facts, empty_frame(DEVICE, "not read"))
    for busid in facts.rows.get("device", {}):
        told = row(facts, "device", busid)
        assert not int(str(told.get("path_masks", "0")).split()[0], 16) & ~int(str(told.get("pim", 0)))


def test_dasdview_gives_types_cylinders_and_the_label() -> None:
    """The label is that in EBCDIC: in ASCII it is unreadable on a volume in the compatible layout."""
    facts = facts_in(VIEW, "dasdview -x -l /dev/dasdb")
    assert row(facts, "device", "0.0.7101") == {
        "block": "dasdb", "online": 1, "discipline": "ECKD", "cutype": "3990/e9", "devtype": "3390/0c",
    }  # fmt: skip
    assert row(facts, "dasd", "0.0.7101")["volser"] == "DB7101"
    assert row(facts, "dasd", "0.0.7101")["cylinders"] == 32760


@pytest.mark.parametrize("listed", ["", "0.0.1a01  active  dasdp  94:60  ECKD  4096  2347MB  601020\n"])
def test_unique_ids_that_a_loop_prints_by_names_are_those_of_the_disks(listed: str, where: Ask) -> None:
    """With or without a text that has the bus id; other disks may be there."""
    rows = "dasdp IBM.75000000AAAA1.1a00.01\ndasdq IBM.75000000AAAA1.1b00.02\n"
    loop = 'for d in /sys/block/dasd*; do echo "$(basename $d) $(cat $d/device/uid)"; done'
    said = where("dasdp", f"box1:~# {loop}\n{rows}box1:~# lsdasd\n{listed}")
    assert said["disks"][0]["lcu"] == "LCU 1A00"


_FBA: Final = VIEW.replace("ECKD", "FBA ").replace("dec 4096", "dec 512")


def test_cylinders_of_a_disk_that_is_not_eckd_are_no_size() -> None:
    """The kernel makes the geometry of FBA up; its sectors are in /sys and in what parted prints."""
    assert "cylinders" not in row(facts_in(_FBA, "dasdview -x /dev/dasdb"), "dasd", "0.0.7101")
    size = facts_in("20000\n", file="sys/devices/css0/0.0.0016/0.0.7101/block/dasdb/size")
    assert row(size, "layer", "dasdb")["size"] == 20000
    parted = facts_in("BYT;\n/dev/dasdb:5000s:dasd:2048:2048:dasd:IBM S390 DASD drive:;\n", "parted -sm")
    assert row(parted, "layer", "dasdb")["size"] == 20000


@pytest.mark.parametrize(("code", "size"), [("hex 0 \tdec 0 \tNOT", "...."), ("hex 2 \tdec 2 \tCDL", "22G")])
def test_a_disk_of_which_dasdview_says_that_it_is_not_formatted_has_no_size(
    code: str, size: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever its cylinders would hold."""
    (tmp_path / "a.txt").write_text(VIEW.replace("volume id", f"format  : {code} formatted\n\nvolume id"))
    main(["where", "dasdb", "--from", str(tmp_path)])
    main(["show", "DEVICE", "7101", "--from", str(tmp_path)])
    said = capsys.readouterr().out
    assert ("Not formatted: dasdb" in said) is (size == "....")
    assert re.search(rf"Size +: +{re.escape(size)} ", said)
