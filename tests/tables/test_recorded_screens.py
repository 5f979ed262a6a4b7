"""What screens say of the shipped recordings, where a figure alone would mislead."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from zmon.cli.main import main
from zmon.kinds import NO_CMF_TIMES
from zmon.machine.blocks import TOO_BUSY
from zmon.machine.channel_paths import UNTIMED
from zmon.tables.key_figures import NOT_COMPARED

if TYPE_CHECKING:
    from collections.abc import Callable

    Show = Callable[..., Any]

pytestmark = pytest.mark.usefixtures("utc")

RECORDINGS = Path(__file__).parents[2] / "recordings"


@pytest.fixture(scope="module")
def queries(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return two minutes of four queries on an emulated machine: screens by time read all that there is."""
    path = str(tmp_path_factory.mktemp("queries") / "part.zmon")
    whole = str(RECORDINGS / "hercules-four-queries.zmon")
    assert main(["cut", whole, "--from", "15:12", "--to", "15:14", path]) == 0
    return path


@pytest.fixture
def show(queries: str, capsys: pytest.CaptureFixture[str]) -> Show:
    """Return how to show a screen of a recording as a document."""

    def shown(screen: str, *options: str, recording: str = queries) -> Any:
        assert main(["show", screen, "--from", str(RECORDINGS / recording), *options, "-f", "json"]) == 0
        return json.loads(capsys.readouterr().out)

    return shown


@pytest.fixture
def typed(
    queries: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """Return how to type commands over a recording."""

    def replayed(*lines: str, recording: str = queries) -> str:
        monkeypatch.setattr("sys.stdin", StringIO("\n".join([*lines, ""])))
        assert main(["replay", "--line", str(RECORDINGS / recording)]) == 0
        return " ".join(capsys.readouterr().out.split())

    return replayed


@pytest.mark.parametrize("screen", ["REDISP", "SYSSUMLG"])
def test_an_idle_path_is_not_the_busiest_where_the_load_of_others_is_unknown(show: Show, screen: str) -> None:
    """All I/O was on 70, whose connect time nothing measured; 72 was named, with 0 %."""
    document = show(screen, "--at", "15:14")
    assert document["rows"][-1]["chpid"] is None
    reasons = {one["reason"] for one in document["absent"] if one["column"] == "chpid"}
    assert NOT_COMPARED.reason in reasons


def test_channel_names_the_paths_whose_load_is_unknown(show: Show) -> None:
    """Under the table."""
    document = show("CHANNEL", "--at", "15:14")
    assert f"Load unknown: 70, 71 ({UNTIMED.reason})" in document["notes"]


def test_cpu_figures_of_redisp_add_up(show: Show) -> None:
    """User was without nice, Sys without interrupts: Busy was more than their sum."""
    rows = [row for row in show("REDISP")["rows"] if row["busy"] is not None]
    for row in rows:
        assert row["busy"] == pytest.approx(row["user"] + row["system"])
    assert rows


def test_what_is_read_every_ten_seconds_is_marked_where_it_is_repeated(show: Show) -> None:
    """LPAR said it as if it were measured in each interval of two seconds."""
    document = show("LPAR")
    (note,) = (note for note in document["notes"] if note.startswith("~"))
    assert ", 15:1" in note
    assert {"busy", "load", "wait"} <= {one["column"] for one in document["estimated"]}
    document = show("LPARLOG")
    marked = next(one["rows"] for one in document["estimated"] if one["column"] == "busy")
    assert 0 < len(marked) < len(document["rows"]) + 1
    assert any(note.startswith("~ LPAR: repeated ") for note in document["notes"])


def test_figures_of_the_partition_are_explained_only_where_they_are_seen(typed: Callable[..., str]) -> None:
    """SYSSUMLG has none of them, and REDISP only far to the right."""
    assert "~ LPAR: repeated" not in typed("SYSSUMLG")
    assert "~ LPAR: repeated" not in typed("REDISP")
    assert "~ LPAR: repeated" in typed("REDISP", *["RIGHT"] * 6)
    assert "~ LPAR: repeated" in typed("LPARLOG")


def test_the_devices_of_a_path_are_asked_for_in_words(typed: Callable[..., str]) -> None:
    """As those of an LCU are; the inner name of a column is nowhere on the screen."""
    out = typed("CHANNEL", recording="lab-shark-before.zmon")
    assert ": DEVICE CHPID 40" in out
    assert "chpids~" not in out
    assert "30DA 3390-3" in typed("DEVICE CHPID 40", recording="lab-shark-before.zmon")


def test_the_mark_of_estimates_is_explained_on_ctlunit(show: Show) -> None:
    """As DEVICE explains it."""
    notes = show("CTLUNIT", "--since", "15:12", "--at", "15:14")["notes"]
    assert any(note.startswith("~ I/O: ") for note in notes)


def test_no_disk_is_busier_than_all_of_the_time(show: Show) -> None:
    """The kernel of the case study counted 153 %."""
    document = show("DEVICE", recording="casestudy/machine.tar.gz")
    assert all((row["lbusy"] or 0) <= 110 for row in document["rows"])
    reasons = {one["reason"] for one in document["absent"] if one["column"] == "lbusy"}
    assert reasons == {TOO_BUSY.reason}


@pytest.mark.parametrize(
    ("screen", "subject"),
    [
        ("LPAR", "Against LPAR.busy HERCULES/0"),
        ("REDISP", "Against REDISP.busy"),
        ("PAGELOG", "Against PAGELOG.used"),
        ("CPU", "Against CPU.busy"),
    ],
)
def test_correl_alone_takes_the_load_of_a_screen(
    typed: Callable[..., str], screen: str, subject: str
) -> None:
    """On LPAR it took the number of processors, which never changes: 180 rows of dots."""
    out = typed(screen, "CORREL")
    assert subject in out
    assert "REDISP .... .... ...." not in out
    assert ": PLOT" in out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("WHERE nonsense>3", "there are Tablespace, Size, Files, By bytes LCUs, of, "),
        ("SORT nonsense", "there are Tablespace, Size, Files, By bytes LCUs, of, "),
        ("MENU\nCORREL resp", "'resp' is "),
    ],
)
def test_messages_name_headings_not_inner_names(typed: Callable[..., str], line: str, said: str) -> None:
    """What a person sees on the screen can be typed."""
    assert said in typed("SPREAD", line, recording="lab-shark-before.zmon")


def test_that_requests_are_not_timed_is_said_of_a_disk_with_io(show: Show) -> None:
    """Measurement is off for disks that nobody uses: to switch it on would give nothing for those in use."""
    (said,) = [one["words"] for one in show("OVERVIEW")["rows"] if one["name"] == "Pend, Disc, Conn"]
    assert said == NO_CMF_TIMES.reason
