"""Which service loads an LCU: the same answer from a capture and its recording."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from zmon.cli.main import main
from zmon.cli.output import OK

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("utc")

BLOCK = "sys/devices/virtual/block"
DAY = ("--from", "recordings/lab-healthy-day.zmon", "--at", "14:40")


def lines(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    """Return the rows of a screen."""
    assert main(["show", *words, "-f", "json"]) == OK
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["rows"]
    return found


def machine(root: Path, second: int) -> None:
    """Write a pass of a capture: two disks, a logical volume on both, two services; after some seconds."""
    begin, done = 1_700_000_000, 1_048_576 * second
    io = "{} rbytes={} wbytes=0 rios={} wios=0 dbytes=0 dios=0\n".format
    group = "sys/fs/cgroup/system.slice"
    disks = [(94, 0, "dasda", 2 * done), (94, 4, "dasdb", done), (253, 0, "dm-0", 2 * done)]
    files = {
        "CAPTURE.txt": f"zmon capture\nbegin {begin + second}.000 (s since 1970)\n",
        "proc/diskstats": "".join(
            f" {major} {minor} {name} {read // 4096} 0 {read // 512} 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
            for major, minor, name, read in disks
        ),
        "sys/fs/cgroup/cgroup.controllers": "io\n",
        f"{group}/db2inst1.service/cpu.stat": f"usage_usec {second * 500_000}\n",
        f"{group}/db2inst1.service/io.stat": "".join(
            (io("253:0", 2 * done, 2), io("94:0", done, 1), io("94:4", done, 1))
        ),
        f"{group}/a b\x1b[31m.service/cpu.stat": "usage_usec 0\n",
        f"{group}/a b\x1b[31m.service/io.stat": io("94:0", done // 2, 1),
        f"{BLOCK}/dm-0/dm/uuid": "LVM-a\n",
        **{f"{BLOCK}/{name}/dev": f"{major}:{minor}\n" for major, minor, name, _ in disks},
        **{f"{BLOCK}/{name}/size": "1000000\n" for _, _, name, _ in disks},
    }
    links = {f"sys/block/{name}": f"../../{BLOCK}/{name}" for _, _, name, _ in disks}
    links |= {f"{BLOCK}/dm-0/slaves/{name}": f"../../{name}" for name in ("dasda", "dasdb")}
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
        os.utime(root / path, (begin + second, begin + second))
    for path, target in links.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).symlink_to(target)


def test_a_login_session_fills_an_lcu(capsys: pytest.CaptureFixture[str]) -> None:
    """OVERVIEW names who, ENTER on it shows on which disks, LCU and tablespaces; so does USER lcu=."""
    users = {row["name"]: row for row in lines(capsys, "OVERVIEW", *DAY) if row["section"] == "user"}
    assert users["user 1000, session 7"]["where"] == "8000"
    word, operand = users["user 1000, session 7"]["command"].split(" ")
    details = [row for row in lines(capsys, word, operand, *DAY) if row["sort"] == "disk"]
    users_there = lines(capsys, "USER", "lcu=8000", *DAY)
    for own in (details, [row for row in users_there if row["unit"] == "user 1000, session 7"]):
        assert len(own) == 8
        assert {row["lcu"] for row in own} == {"8000"}
        assert {(row.get("spaces") or row["what"]).split(" ")[0] for row in own} == {
            "SHOP.CUSTOMER",
            "SHOP.ORDERS",
            "SHOP.HISTORY",
        }
    assert {row["unit"] for row in lines(capsys, "USER", "postgresql", *DAY)} == {"postgresql"}
    assert [row["unit"] for row in lines(capsys, "USER", "cpu>10", *DAY)] == ["postgresql"]


def test_a_capture_and_its_recording_show_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A logical volume counts once, what nobody is charged for is a row, and a hostile name is harmless."""
    for number in (1, 2):
        machine(tmp_path / f"capture/pass-{number:04}", 10 * number)
    capture, recording = str(tmp_path / "capture"), str(tmp_path / "own.zmon")
    assert main(["import", capture, recording]) == OK
    capsys.readouterr()
    captured, recorded = (lines(capsys, "USER", "--from", source) for source in (capture, recording))
    assert captured == recorded
    megabytes = {row["unit"]: row["mbs"] for row in captured}
    assert megabytes == {
        "db2inst1": pytest.approx(2 * 1.048576, rel=0.01),
        "a b?[31m": pytest.approx(0.524288, rel=0.01),
        "not accounted for": pytest.approx(0.524288, rel=0.01),
    }
    anonymous = str(tmp_path / "anonymous.zmon")
    assert main(["cut", recording, anonymous, "--anonymise"]) == OK
    capsys.readouterr()
    shown = lines(capsys, "USER", "--from", anonymous)
    assert sorted(row["mbs"] for row in shown) == sorted(megabytes.values())
    assert not [row for row in shown if "db2inst1" in json.dumps(row)]
