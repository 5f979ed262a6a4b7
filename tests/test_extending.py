"""docs/extending.md shows how PRESSURE was added, and PRESSURE is captured, recorded and replayed."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, Final

import pytest

from zmon.cli.main import main

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
BLOCKS: Final = re.findall(r"^```\w+ (\S+)\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
"""Each example: the file that it is of, and its lines."""

TIMES: Final = ((1_000_000, 500_000), (3_000_000, 500_000))
"""Microseconds of waiting, some and full, at two instants ten seconds apart."""


@pytest.mark.parametrize(("path", "lines"), BLOCKS)
def test_an_example_is_what_the_file_says(path: str, lines: str) -> None:
    """Line by line and in this order; `...` stands for lines that are left out."""
    rest = (ROOT / path).read_text(encoding="utf-8").splitlines()
    for line in lines.splitlines():
        if line != "...":
            assert line in rest, f"{path} has no line {line!r} any more"
            del rest[: rest.index(line) + 1]


def test_every_step_is_shown() -> None:
    """Kind, reader, registration, table, screen, what it is about, figure, rule, diagnosis, check."""
    assert {path for path, _ in BLOCKS} == {
        "zmon/kinds.py", "zmon/kernel/proc_pressure.py", "zmon/registry.py", "zmon/tables/pressure.py",
        "zmon/machine/lost_time.py", "zmon/machine/partitions.py", "screens/pressure.toml",
        "screens/menu.toml", "screens/channel.toml", "screens/device.toml", "screens/devlog.toml",
        "screens/check.toml", "figures/device.toml", "screens/redisp.toml", "rules/storage.toml",
        "rules/diagnoses/pending.toml", "zmon/diagnosis/pending.py", "rules/checks/memory.toml",
    }  # fmt: skip


@pytest.fixture
def capture(tmp_path: Path) -> str:
    """Return an unpacked capture of two passes of a machine that waits for I/O."""
    for number, (some, full) in enumerate(TIMES, 1):
        folder = tmp_path / f"capture/pass-{number:04}/proc/pressure"
        folder.mkdir(parents=True)
        for name in ("cpu", "io", "memory"):
            text = "".join(
                f"{part} avg10=20.00 avg60=2.00 avg300=0.20 total={total}\n"
                for part, total in (("some", some), ("full", full))
            )
            file = folder / name
            file.write_text(text)
            at = 1_700_000_000 + 10 * number
            os.utime(file, (at, at))
    return str(tmp_path / "capture")


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """Return PRESSURE as JSON."""
    capsys.readouterr()
    assert main(["show", "PRESSURE", "-f", "json", *words]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_the_example_is_captured_recorded_and_replayed(
    capture: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """2 of 10 seconds were waited; a recording of the capture says the same."""
    of_capture = shown(capsys, "--from", capture)
    assert [row["some"] for row in of_capture["rows"]] == [20.0, 20.0, 20.0]
    assert [row["full"] for row in of_capture["rows"]] == [None, 0.0, 0.0]

    recording = str(tmp_path / "pressure.zmon")
    assert main(["import", capture, recording]) == 0
    assert shown(capsys, "--from", recording)["rows"] == of_capture["rows"]


def test_a_screen_of_ones_own_stands_in_the_menu(
    capture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One file with a code is all that it takes: the menu has it, and the code opens it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = tmp_path / "zmon/screens/waits.toml"
    file.parent.mkdir(parents=True)
    file.write_text('id = "WAITS"\ncommand = "WAITS"\ntitle = "My waits"\ntable = "pressure"\nmenu = "W"\n')
    for operands in (["MENU"], ["MENU", "ALL"]):
        assert main(["show", *operands, "--from", capture]) == 0
        assert re.search(r"Other screens\n.* W\. My waits\n", capsys.readouterr().out)
    assert main(["show", "W", "--from", capture]) == 0
    assert capsys.readouterr().out.startswith(" WAITS ")
