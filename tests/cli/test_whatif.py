"""`zmon whatif`."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from tests.goldens import facts
from zmon.cli.main import main
from zmon.cli.output import FAILED, OK, USAGE
from zmon.cli.whatif import SO_ALREADY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    WhatIf = Callable[..., tuple[int, str, str]]

pytestmark = pytest.mark.usefixtures("utc")

SCENARIO = """\
base = "pav-3"
title = "short"
text = "for a test"
step = 1
drawn = 2
warm = 1

[[phases]]
name = "random"
seconds = 2
loads = ["random"]
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    """Return a short simulated machine: one volume, three aliases, 32 readers."""
    path = tmp_path / "short.toml"
    path.write_text(SCENARIO)
    return f"lab:{path}"


@pytest.fixture
def whatif(capsys: pytest.CaptureFixture[str], source: str) -> WhatIf:
    """Run `zmon whatif` on it: its status, what it printed and what it said."""

    def asked(*words: str) -> tuple[int, str, str]:
        status = main(["whatif", "--from", source, *words])
        return (status, *capsys.readouterr())

    return asked


def test_the_answer_in_words(whatif: WhatIf) -> None:
    """Seven aliases for three give twice the throughput; next limit, range and basis are printed."""
    status, printed, said = whatif("aliases", "7", "on", "volume", "8000")
    lines = " ".join(printed.split())
    assert (status, said) == (OK, "")
    assert lines.startswith(
        "What if: aliases 7 on volume 8000 Fitted to 2026-03-16 02:00:01 to 2026-03-16 02:00:02."
    )
    assert "Throughput: 1.9" in lines or "Throughput: 2.0" in lines
    assert "Next limit: volume 8000, 100 % busy." in lines
    assert "Confidence: fair: " in lines


def test_csv_and_json_have_the_same_figures(whatif: WhatIf) -> None:
    """Rows are LCUs and their sum; JSON has range, limits and confidence besides."""
    words = ("aliases 7 on volume 8000 and processors 8", "--format")
    rows = list(csv.reader(io.StringIO(whatif(*words, "csv")[1])))
    found = json.loads(whatif(*words, "json")[1])
    assert rows[0] == ["lcu", "io_now", "io_then", "mbs_now", "mbs_then", "resp_now", "resp_then"]
    assert [list(map(str, row.values())) for row in found["rows"]] == rows[1:]
    assert found["changes"] == ["aliases 7 on volume 8000", "processors 8"]
    assert found["times_low"] < found["times"] <= found["times_high"]
    assert found["times_bound"] is None  # how much the volume does is computed from its times, not measured
    assert found["rows"][-1]["io_then"] == pytest.approx(found["times"] * found["rows"][-1]["io_now"])
    assert (found["limit_now"], found["limit_then"]) == ("volume 8000", "volume 8000")


def test_changes_may_stand_in_a_file(whatif: WhatIf, tmp_path: Path) -> None:
    """A file has the same words as the command line."""
    path = tmp_path / "changes.toml"
    path.write_text('changes = ["aliases 7 on volume 8000"]\n')
    assert whatif(str(path))[1] == whatif("aliases 7 on volume 8000")[1]


CASE = (
    *("--from", "recordings/casestudy/machine.tar.gz", "--cp-file", "recordings/casestudy/cp.txt"),
    *("--site", "recordings/casestudy/site.toml"),
)
TABLES = "recordings/casestudy/tablespaces.ddl"


def test_the_moves_of_moves_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """How many they are and what is copied, as on MOVES; without channel measurement they gain, too."""
    assert main(["whatif", "moves", *CASE, "--listing", TABLES, "-f", "json"]) == OK
    found = json.loads(capsys.readouterr().out)
    assert found["changes"] == ["the 11 moves of MOVES, 21.2 GiB to copy"]
    assert found["times"] > 1.5
    assert found["limit_then"] == "1 processor"


@pytest.mark.parametrize(
    "change", ["processors 2", "paths 12", "aliases 0", "use all paths", "move TSFACT2 to LCU 7600"]
)
def test_what_is_so_already_has_no_figure(change: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Two of such changes neither; with another one it is left out."""
    source = ["whatif", "--from", "recordings/lab-shark-before.zmon"]
    assert main([*source, f"{change} and {change}"]) == USAGE
    assert capsys.readouterr() == ("", f"zmon: {SO_ALREADY}\n")
    assert main([*source, f"{change} and processors 4"]) == OK


def test_a_tablespace_of_two_databases_is_named_with_both(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """It was said to be none, and others with similar names were offered."""
    other = tmp_path / "test.ddl"
    with open(TABLES, encoding="utf-8") as tables:
        other.write_text(tables.read().replace("DWPROD", "DWTEST").replace("/db2/", "/test/"))
    words = ["move", "TSFACT1", "to", "LCU", "5", "--listing", TABLES, "--listing", str(other)]
    assert main(["whatif", *words, *CASE]) == USAGE
    assert "write DWPROD.TSFACT1 or DWTEST.TSFACT1" in capsys.readouterr().err


def test_a_machine_without_io_has_no_answer(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A time without I/O says nothing of a change."""
    path = tmp_path / "idle.toml"
    path.write_text(SCENARIO + "\n[loads.idle]\ncustomers = 1\nsteps = [{ think_ms = 1000 }]\n")
    path.write_text(path.read_text().replace('loads = ["random"]', 'loads = ["idle"]'))
    assert main(["whatif", "--from", f"lab:{path}", "processors", "8"]) == FAILED
    out, err = capsys.readouterr()
    assert (out, " I/O" in err) == ("", True)


def test_a_gain_that_is_less_than_the_error_has_no_number(capsys: pytest.CaptureFixture[str]) -> None:
    """All was measured, and yet it is less than what the model errs by; JSON has what is computed."""
    words = ["whatif", "--from", "recordings/lab-shark-before.zmon", "move /db2/d11/tsfact2.data to LCU 7500"]
    assert main(words) == OK
    assert "\nThroughput: the same within the model's error of 20 %.\n" in capsys.readouterr().out
    assert main([*words, "-f", "json"]) == OK
    found = json.loads(capsys.readouterr().out)
    assert found["times_low"] < 1 < found["times"]
    assert found["within_error"]
    words[-1] = "stripe TSFACT2 over LCU 7100,7200,7500,7600"
    assert main([*words, "-f", "json"]) == OK
    sure = json.loads(capsys.readouterr().out)
    assert sure["times_low"] > 1
    assert not sure["within_error"]
    assert sure["confidence"] == "high"


def test_blanks_between_words_and_changes_do_not_matter(whatif: WhatIf) -> None:
    """However many there are: a line is read once."""
    assert (
        whatif("aliases 7 on volume 8000 and double the paths")[1]
        == whatif("  aliases \t 7 on", "volume 8000   AND \n double the paths ; ")[1]
    )


def test_what_diagnose_names_whatif_does_not_call_no_queue(capsys: pytest.CaptureFixture[str]) -> None:
    """One path does all I/O: what waits is said as SPREAD and MOVES say it."""
    assert main(["whatif", "--from", "lab:fcp-failover", "use", "all", "paths", "--format", "json"]) == OK
    waits = json.loads(capsys.readouterr().out)["waits"]
    assert facts(waits) == "4 10"
    assert waits.endswith(" (see DIAGNOSE)")
