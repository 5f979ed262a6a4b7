"""A prediction on a real s390x kernel, and what was recorded after the change: a table of docs/whatif.md."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zmon.cli.main import main

if TYPE_CHECKING:
    import pytest

PROJECT = Path(__file__).parents[2]
RECORDING = str(PROJECT / "recordings" / "hercules-two-hot-files-{}.zmon")
LCU = "HRC.ZZ000000000001.7000"


def answer(words: list[str], when: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Return what a command prints of one of the recordings."""
    assert main([*words, "--from", RECORDING.format(when), "--since", "begin", "-f", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_moving_one_of_two_hot_files(capsys: pytest.CaptureFixture[str]) -> None:
    """What is measured after it is within the range, and the confidence is low, as docs/whatif.md says."""
    predicted = answer(["whatif", "move HOT2 to volume 7001"], "before", capsys)
    (now,) = [row for row in predicted["rows"] if row["lcu"] == "LCU 7000"]
    after = answer(["show", "CTLUNIT"], "after", capsys)
    (then,) = [row for row in after["rows"] if row["key"] == LCU]
    times = then["io"] / now["io_now"]
    assert predicted["times_low"] < times < predicted["times_high"]
    assert predicted["resp_low"] < then["resp"] < predicted["resp_high"]
    assert predicted["confidence"] == "low"


def test_the_document_has_these_figures(capsys: pytest.CaptureFixture[str]) -> None:
    """docs/whatif.md prints what the recordings give now."""
    predicted = answer(["whatif", "move HOT2 to volume 7001"], "before", capsys)
    (now,) = [row for row in predicted["rows"] if row["lcu"] == "LCU 7000"]
    (then,) = [row for row in answer(["show", "CTLUNIT"], "after", capsys)["rows"] if row["key"] == LCU]
    text = (PROJECT / "docs" / "whatif.md").read_text(encoding="utf-8")
    rates = re.search(
        r"\| I/O per second \| (\S+) \| (\S+) \((\S+) times\) \| (\S+) to (\S+) \| (\S+) \((\S+) times\)",
        text,
    )
    assert rates is not None
    assert rates.groups() == (
        f"{now['io_now']:.0f}",
        f"{now['io_then']:.0f}",
        f"{predicted['times']:.2f}",
        f"{predicted['times_low'] * now['io_now']:.0f}",
        f"{predicted['times_high'] * now['io_now']:.0f}",
        f"{then['io']:.0f}",
        f"{then['io'] / now['io_now']:.2f}",
    )
    assert f"| response, ms | {now['resp_now']:.1f} | {now['resp_then']:.1f} |" in text
    assert f"| {predicted['resp_low']:.1f} to {predicted['resp_high']:.1f} | {then['resp']:.1f} |" in text
