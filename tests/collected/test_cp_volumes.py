"""Volumes that an answer of CP names, and that are no disk of this Linux."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from zmon.cli.main import main
from zmon.placement.word_lookup import MeaningKind

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.collected.conftest import Ask

    Where = Callable[[str], Any]

_TEXT: Final = """\
box1:~ # lsdasd
0.0.0200  active    dasda     94:0    ECKD         4096   7042MB    1802880
box1:~ # vmcp q cpowned
Slot  Vol-ID  Rdev  Type   Status
   1  VMRES1  7000  Own    Online and attached
   2  VMPAG1  7003  Own    Online and attached
   3  VMPAG2  7004  Own    Online and attached
box1:~ # vmcp q alloc map
                  EXTENT     EXTENT                         %    ALLOCATION
VOLID  RDEV      START        END      TOTAL   IN USE    HIGH USED TYPE
------ ---- ---------- ---------- ---------- -------- ------- ---- -------------
VMRES1 7000          1         20         20        1       1   5% DRCT ACTIVE
VMPAG1 7003          1       3338       3338       17      20   1% PAGE
box1:~ # vmcp q alloc spool
VMSPL1 7005          1       3338       3338       17      20   1%
box1:~ # vmcp q alloc all
DASD 7006 VMTDK1 3390 CKD-ECKD (UNITS IN CYLINDERS)
     TDISK TOTAL=00000003338 INUSE=00000000017 AVAIL=00000003321
     PAGE  TOTAL=00000000000 INUSE=00000000000 AVAIL=00000000000
box1:~ # vmcp q v dasd
DASD 0191 3390 VMUSR7 R/W         30 CYL ON DASD  D117 SUBCHANNEL = 0008
DASD 0200 3390 LX8SYS R/W      10016 CYL ON DASD  4A10 SUBCHANNEL = 0000
"""


@pytest.fixture
def where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Where:
    """Return a function that asks for a word in JSON and returns the only answer, or None."""
    (tmp_path / "a.txt").write_text(_TEXT)

    def ask(word: str) -> Any:
        if main(["where", word, "--from", str(tmp_path), "-f", "json"]):
            capsys.readouterr()
            return None
        (answer,) = json.loads(capsys.readouterr().out)
        return answer

    return ask


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("VMPAG1", "vmpag1", "7003"), "paging"),
        (("VMRES1", "7000"), "user directory"),
        (("VMTDK1", "7006"), "temporary disks"),
        (("VMPAG2", "7004"), "CP's own volume"),
        (("VMSPL1", "7005"), "spool"),
        (("VMUSR7", "D117", "0191"), "0191"),
    ],
)
def test_a_volume_of_cp_is_said_to_be_that(words: tuple[str, ...], told: str, where: Where) -> None:
    """By its label or number, with what CP uses it for and the text that has it; it is no disk."""
    for word in words:
        answer = where(word)
        assert answer["disks"] == []
        assert any(told in said and "a.txt:" in said for said in answer["claimed"])


def test_a_kind_of_which_a_volume_has_nothing_is_not_named(where: Where) -> None:
    """QUERY ALLOC ALL lists all kinds for each volume."""
    assert "paging" not in str(where("VMTDK1")["claimed"])


def test_what_is_a_disk_of_linux_is_that(where: Where) -> None:
    """And what no answer names is not found."""
    assert [disk["disk"] for disk in where("LX8SYS")["disks"]] == ["dasda"]
    assert "claimed" not in where("LX8SYS")
    assert where("VMXXX1") is None


def test_where_says_it_in_words(where: Where, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On one line each."""
    where("VMPAG1")
    assert main(["where", "VMPAG1", "--from", str(tmp_path)]) == 0
    first, *more = capsys.readouterr().out.splitlines()
    assert first == "VMPAG1: volume of z/VM, not on line in Linux"
    assert "paging" in " ".join(more)


@pytest.mark.parametrize("above", ["", "CONSOLE  LNXS07   SPOOLED 03/17/26 AT 10:11:12\n", "Hi,\n"])
@pytest.mark.parametrize("below", ["", "10:12:02 \n\nbox1:~ # lsdasd\n0.0.0200  active    dasda     94:0\n"])
def test_a_console_with_times_holds_answers(
    above: str, below: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever stands above, and whether outputs of Linux follow or not."""
    (tmp_path / "c.txt").write_text(
        f"{above}10:11:20 Q V DASD\n"
        f"10:11:20 DASD 0200 3390 LX0200 R/W      10016 CYL ON DASD  8A10 SUBCHANNEL = 0000\n"
        f"10:11:20 DASD 0201 3390 DB0201 R/W      65520 CYL ON DASD  8A31 SUBCHANNEL = 0001\n{below}"
    )
    assert main(["where", "DB0201", "8A31", "--from", str(tmp_path), "-f", "json"]) == 0
    assert [answer["key"] for answer in json.loads(capsys.readouterr().out)] == ["DB0201", "8A31"]


_NO_VOLUMES: Final = """\
box1:~ # vmcp q v fcp
FCP  1A00 ON FCP   1B00 CHPID 70 SUBCHANNEL = 0008
     1A00 DEVTYPE FCP         VIRTUAL CHPID 70 FCP REAL CHPID 70
     1A00 QDIO ACTIVE         QIOASSIST NOT AVAILABLE
     WWPN C05076FFE5005611
box1:~ # vmcp q v osa
OSA  0600 ON OSA   0A00 SUBCHANNEL = 000A
box1:~ # vmcp q v all
CTCA 0500 NOT READY
CONS 0009 DISCONNECTED ON GUEST AT
box1:~ # vmcp q fcp free
FCP  1A01 FREE    , FCP  1A02 FREE    , FCP  1A03 OFFLINE
box1:~ # lsdasd
0.0.0200  active    dasda     94:0    ECKD         4096   7042MB    1802880
"""


@pytest.mark.parametrize(("words", "told"), [
    (("1A00", "1b00", "C05076FFE5005611", "0xc05076ffe5005611"), ("FCP", "1A00", "1B00", "C05076FFE5005611")),
    (("0600", "0A00"), ("OSA", "0600", "0A00")),
    (("0500",), ("CTCA", "0500")),
    (("0009",), ("CONS", "0009")),
    (("1A03",), ("FCP", "1A03", "OFFLINE")),
    (("1A01",), ("FCP", "1A01", "FREE")),
])  # fmt: skip
def test_a_device_that_is_no_volume_is_not_called_one(
    words: tuple[str, ...], told: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An FCP device, a network card, an adapter, a console: by any number, and the name of its port."""
    (tmp_path / "a.txt").write_text(_NO_VOLUMES)
    for word in words:
        assert main(["where", word, "--from", str(tmp_path), "-f", "json"]) == 0
        (answer,) = json.loads(capsys.readouterr().out)
        assert answer["means"] == MeaningKind.DEVICE_OF_CP.value
        assert all(what in answer["claimed"][0] for what in told)


def test_the_port_of_an_fcp_device_is_on_its_screen(show: Ask) -> None:
    """By CP, for the guest's own device; free ones are none of its adapters."""
    assert {key: row["wwpn"] for key, row in show("FCP", _NO_VOLUMES).items() if key.startswith("0.")} == {
        "0.0.1a00": "0xc05076ffe5005611"
    }


@pytest.mark.parametrize(("asked", "sort"), [("0201", "virtual disk of z/VM"), ("8A31", "volume of z/VM")])
def test_of_a_disk_of_the_guest_linux_may_have_it_until_all_dasds_are_listed(
    asked: str, sort: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A number of the guest's own is that of no volume; only a list of DASDs tells what Linux lacks."""
    virtual = (
        "box1:~ # vmcp q v dasd\nDASD 0201 3390 DB0201 R/W      65520 CYL ON DASD  8A31 SUBCHANNEL = 0001\n"
    )
    listed = "box1:~ # lsdasd\n0.0.0200  active    dasda     94:0    ECKD         4096   7042MB    1802880\n"
    (tmp_path / "a.txt").write_text(virtual)
    assert main(["where", asked, "--from", str(tmp_path)]) == 0
    first, *more = capsys.readouterr().out.splitlines()
    assert first == f"{asked}: {sort}"
    assert "not known: not collected: lsdasd" in " ".join(more)
    for command, lacking in (("lsdasd", "not on line in Linux"), ("lsdasd -a", "no disk of this Linux")):
        (tmp_path / "a.txt").write_text(virtual + listed.replace("lsdasd", command))
        assert main(["where", asked, "--from", str(tmp_path)]) == 0
        assert capsys.readouterr().out.splitlines()[0] == f"{asked}: {sort}, {lacking}"


def test_paths_to_a_device_are_an_answer_of_cp_also_without_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of what sort the device is they do not tell."""
    (tmp_path / "a.txt").write_text(
        "    Device 0A91, Status ONLINE\n     CHPIDs to Device 0A91 (PIM)  : 19 1B\n"
    )
    assert main(["where", "0A91", "--from", str(tmp_path), "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["means"] == MeaningKind.DEVICE_OF_CP.value
