"""What CP has taken away since an answer is no claim about the present: consoles, operators, ranges."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from zmon.cli.main import main
from zmon.cp import answer_reader

if TYPE_CHECKING:
    from pathlib import Path

_DISKS: Final = "".join(
    f"10:11:20 DASD {vdev} 3390 DB{vdev} R/W      10016 CYL ON DASD  {rdev} SUBCHANNEL = 000{place}\n"
    for place, (vdev, rdev) in enumerate((("0104", "8B05"), ("0105", "8B06"), ("0106", "8B07")))
)
_VOLUMES: Final = "DASD 7602 ATTACHED TO LINDB01  7602 R/W LX7602\nDASD 7603 CP SYSTEM LX7603   2\n"


@pytest.mark.parametrize(("events", "gone"), [
    ("10:11:40 DETACH 0104\n10:11:40 DASD 0104 DETACHED\n", {"8B05"}),
    ("DASD 0104 DETACHED BY MAINT\n", {"8B05"}),
    ("0104-0105 DETACHED\n", {"8B05", "8B06"}),
    ("DASD 7602 DETACHED LINDB01 7602\n", {"7602"}),
    ("DASD 7602 DETACHED LINDB01 7602 BY MAINT\n", {"7602"}),
    ("DETACH 7603 FROM SYSTEM\nDASD 7603 DETACHED\n", {"7603"}),
    ("DASD 7603 DETACHED SYSTEM\n", {"7603"}),
    ("DASD 0107 DETACHED\n", set()),
    ("DASD 0104 DETACHED\nDASD 0104 LINKED R/W\n", set()),
    ("DASD 0104 DETACHED\nDASD 8B05 ATTACHED TO LNX1 0104\n", set()),
    (f"DASD 0104 DETACHED\n{_DISKS}", set()),
])  # fmt: skip
def test_a_device_that_cp_has_taken_away_is_gone(events: str, gone: set[str]) -> None:
    """Of an event after an answer, until CP names the device again; the others stay as they were."""
    claims = answer_reader.parse((_DISKS + _VOLUMES + events).encode(), "a.txt").claims()
    assert {claim.rdev for claim in claims if claim.gone} == gone
    there = {claim.rdev for claim in claims if not claim.gone}
    attached = {"8B05"} if "LINKED" in events or "TO LNX1" in events else set()  # on which volume is not said
    assert there == {"8B05", "8B06", "8B07", "7602", "7603"} - gone - attached


@pytest.mark.parametrize("asked", ["0104", "8B05", "DB0104"])
def test_where_says_when_a_device_was_taken_away(
    asked: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By each of its names, with the time and the line; where Linux has it that is a contradiction."""
    linux = "\nbox1:~ # lsdasd\n0.0.0105  active  dasdb  94:4  ECKD  4096  7042MB  1802880\n"
    events = "10:11:40 DASD 0104 DETACHED\n10:11:41 DASD 0105 DETACHED\n"
    (tmp_path / "a.txt").write_text(_DISKS + events + linux)
    assert main(["where", asked, "0105", "--from", str(tmp_path), "-f", "json"]) == 0
    gone, there = json.loads(capsys.readouterr().out)
    assert gone["disks"] == []
    assert "detached 10:11:40 line 4" in gone["claimed"][0]
    assert "detached 10:11:41 line 5" in there["disks"][0]["conflicts"][0]
    assert isinstance(there["disks"][0]["rdev"], dict)
