"""`zmon export` writes counters as they were read."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from zmon.base.absent import absent
from zmon.cli.main import main
from zmon.cli.output import FAILED, OK, READER_LEFT, USAGE
from zmon.kinds import KINDS
from zmon.sample import Frame, Instant, Sample
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Export = Callable[..., tuple[int, str, str]]

pytestmark = pytest.mark.usefixtures("utc")


@pytest.fixture
def export(recorded: Any, capsys: pytest.CaptureFixture[str]) -> Export:
    """Run `zmon export` on a recording: its status, what it wrote and what it said."""

    def run(*words: str, source: str = "") -> tuple[int, str, str]:
        capsys.readouterr()
        status = main(["export", source or recorded.path, *words])
        return (status, *capsys.readouterr())

    return run


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_csv_has_every_counter_of_every_reading(recorded: Any, export: Export) -> None:
    """A row for each device and sample, in their order."""
    status, out, said = export("--kind", "cmf")
    rows = table(out)
    frames = [sample.frames["cmf"] for sample in recorded.samples]
    assert (status, said) == (OK, "")
    assert [int(row["connect [ns]"]) for row in rows] == [
        n for frame in frames for n in frame.columns["connect"]
    ]
    assert [row["key"] for row in rows] == [key for frame in frames for key in frame.keys]


def test_the_heading_has_units(export: Export) -> None:
    """Behind the names of the fields, where there are any."""
    heading = next(csv.reader(io.StringIO(export("--kind", "cmf")[1])))
    assert heading[:6] == [
        "sample", "read_at", "key", "ssch [start and resume subchannel]", "samples [operations with times]",
        "connect [ns]",
    ]  # fmt: skip
    assert heading[-1] == "uid"


def test_times_are_utc(recorded: Any, export: Export) -> None:
    """That of the sample, and that at which the row was read, to the ns."""
    late = recorded.samples[0].frames["cpu"]
    late = Frame(late.kind, late.keys, late.columns, [now - 1_500_000_001 for now in late.times])
    path = recorded.path + ".late"
    writer = Writer(path, durable=False)
    writer.append(recorded.samples[0]._replace(frames={"cpu": late}))
    writer.close()
    row = table(export("--kind", "cpu", source=path)[1])[0]
    assert (row["sample"], row["read_at"]) == (
        "2026-11-21T14:30:00.000000000Z",
        "2026-11-21T14:29:58.499999999Z",
    )


def test_slow_sources_have_a_row_when_they_were_read(export: Export) -> None:
    """Not one per sample."""
    rows = table(export("--kind", "lpar_cpu", "--key", "SECLPAR1/0")[1])
    assert len(rows) == 31
    assert len({row["read_at"] for row in rows}) == 31


def test_jsonl_holds_all_kinds(recorded: Any, export: Export) -> None:
    """Each row says of what kind it is, behind a line that describes that."""
    status, out, _said = export("--format", "jsonl", "--to", "begin")
    found = objects(out)
    first = recorded.samples[0]
    assert status == OK
    assert [line["describes"] for line in found if "describes" in line] == sorted(first.frames)
    assert sum("key" in line and "kind" in line for line in found) == sum(
        len(f.keys) for f in first.frames.values()
    )
    described = next(line for line in found if line.get("describes") == "cmf")
    assert described["fields"]["connect"] == {"meaning": "counter", "unit": "ns"}


def test_values_are_what_was_read(export: Export) -> None:
    """Numbers as numbers, texts as texts, nothing as null."""
    found = objects(export("--format", "jsonl", "--kind", "dasd", "--key", "7003", "--to", "begin")[1])[1]
    assert (
        found.items() >= {"key": "0.0.7003", "name": "dasdd", "volser": "QVOL03", "megabytes": 8000}.items()
    )
    assert found["state"] is None


def test_no_field_is_called_like_a_column_of_ours() -> None:
    """It would take its place."""
    names = {field.name for kind in KINDS.values() for field in kind.fields}
    assert names & {"sample", "read_at", "kind", "key", "absent", "describes", "missing"} == set()


def test_reasons(export: Export) -> None:
    """Why a value is absent, in a column of its own or an object."""
    words = ["--kind", "device", "--key", "7000", "--fields", "vendor,online", "--reasons", "--to", "begin"]
    said = "/home/secret/incident.zmon: not understood: 'jane.doe'"
    (row,) = table(export(*words)[1])
    assert (row["vendor"], row["online"], row["absent"]) == ("", "1", f"vendor: {said}")
    assert objects(export(*words, "--format", "jsonl")[1])[1]["absent"] == {"vendor": said}


def test_a_kind_that_could_not_be_read(tmp_path: Path, export: Export) -> None:
    """Has no rows; with the reasons there is one line."""
    frame = Frame(KINDS["lpar"], [], {}, [], absent("needs an LPAR"))
    writer = Writer(str(tmp_path / "a.zmon"), durable=False)
    writer.append(Sample(Instant(10**18, 1, "b"), {"lpar": frame}))
    writer.close()
    words = ["--kind", "lpar", "--format", "jsonl"]
    found = objects(export(*words, "--reasons", source=str(tmp_path / "a.zmon"))[1])
    assert found[1] == {
        "sample": "2001-09-09T01:46:40.000000000Z",
        "kind": "lpar",
        "missing": "needs an LPAR",
    }
    assert export(*words, source=str(tmp_path / "a.zmon"))[0] == FAILED


@pytest.mark.parametrize("words", [["--key", "7001,0.0.7003"], ["--key", "7001", "--key", "7003"]])
def test_keys(words: list[str], export: Export) -> None:
    """Bus ids, or the numbers in them."""
    assert {row["key"] for row in table(export("--kind", "cmf", *words)[1])} == {"0.0.7001", "0.0.7003"}


def test_fields(export: Export) -> None:
    """In the order in which they were asked for."""
    heading = export("--kind", "cmf", "--fields", "connect,ssch")[1].splitlines()[0]
    assert heading == "sample,read_at,key,connect [ns],ssch [start and resume subchannel]"


def test_a_part(export: Export) -> None:
    """Samples from T0 to T1, and no other."""
    rows = table(export("--kind", "memory", "--from", "14:31", "--to", "+2s")[1])
    assert [row["sample"][11:19] for row in rows] == ["14:31:00", "14:31:01", "14:31:02"]
    assert len(table(export("--kind", "memory", "--from", "-2s")[1])) == 3


def test_a_terminal_obeys_nothing_of_it(tmp_path: Path, export: Export) -> None:
    """Whatever labels and keys hold, in either format."""
    frame = Frame(KINDS["guest"], ["\x1b[2J"], {"used_cpu": [1]}, [5])
    disks = Frame(KINDS["block"], ["sda"], {"label": ["\x1b]0;x\x07"], "model": [absent("\x1bc")]}, [5])
    path = str(tmp_path / "a.zmon")
    writer = Writer(path, durable=False)
    writer.append(Sample(Instant(10**18, 5, "b"), {"guest": frame, "block": disks}))
    writer.close()
    for form in ("csv", "jsonl"):
        for kind in ("guest", "block"):
            status, out, err = export("--kind", kind, "--format", form, "--reasons", source=path)
            assert status == OK
            assert not {"\x1b", "\x07"} & {*out, *err}


def test_a_reader_that_leaves_is_no_mistake(recorded: Any) -> None:
    """`| head -1`."""
    words = [sys.executable, "-m", "zmon", "export", recorded.path, "--kind", "cmf"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: S603 - our own
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"sample,read_at,key,")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == READER_LEFT


# roll-ups


def test_minutes(recorded: Any, export: Export) -> None:
    """Mean, lowest, highest and count of each figure, as the recording has them."""
    status, out, said = export("--rollups", "minutes", "--kind", "device", "--key", "7003", "--fields", "io")
    rows = table(out)
    assert (status, said) == (OK, "")
    assert out.splitlines()[0] == "begin,thing,label,io,io_min,io_max,io_count"
    assert [row["begin"][11:16] for row in rows] == ["14:30", "14:31", "14:32", "14:33", "14:34", "14:35"]
    counts = [sample.frames["cmf"].columns["ssch"][3] for sample in recorded.samples]
    rates = [after - before for before, after in pairwise(counts)][60:119]
    assert float(rows[1]["io_max"]) >= max(rates)
    assert float(rows[1]["io_min"]) <= min(rates)
    assert float(rows[1]["io"]) == pytest.approx(sum(rates) / len(rates), rel=0.05)
    assert {row["label"] for row in rows} == {"QVOL03"}


def test_quarters_of_all_screens(export: Export) -> None:
    """JSON lines hold any."""
    found = objects(export("--rollups", "quarters", "--format", "jsonl")[1])
    assert {"device", "lpar", "cpu"} <= {line["screen"] for line in found}
    assert {line["begin"] for line in found} == {"2026-11-21T14:30:00.000000000Z"}


def test_memory_does_not_grow_with_the_recording(recorded: Any) -> None:
    """What was written is forgotten."""
    code = (
        "import resource, sys; from zmon.cli.main import main; main(sys.argv[1:]);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    peaks = []
    for end in ("14:30:30", "14:35:30"):
        words = ["export", recorded.path, "--format", "jsonl", "--to", end]
        done = subprocess.run(  # noqa: S603 - our own words
            [sys.executable, "-c", code, *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=True,
        )
        peaks.append(int(done.stderr.split()[-1]))
    assert peaks[1] < peaks[0] + 12_000, os.uname().machine


def test_a_recording_without_roll_ups_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It need not be old."""
    out = str(tmp_path / "plain.zmon")
    assert main(["import", "--no-rollups", "tests/fixtures/sadf/restart.json", out]) == 0
    assert main(["export", out, "--rollups", "minutes"]) != 0
    assert "--no-rollups" in capsys.readouterr().err


def test_metrics_of_the_past_have_times_and_the_wanted_labels(export: Export) -> None:
    """A value for each step, and a last line."""
    status, text, _ = export("--format", "openmetrics", "--step", "30s", "--label", "instance=LNX01")
    assert status == OK
    assert text.endswith("# EOF\n")
    lines = [line.split() for line in text.splitlines() if line.startswith("zmon_lcu_ssch_total")]
    assert lines
    assert all(name.startswith('zmon_lcu_ssch_total{instance="LNX01",box=') for name, _, _ in lines)
    times = [float(time) for name, _, time in lines if name == lines[0][0]]
    assert times == sorted(times)
    assert min(later - earlier for earlier, later in pairwise(times)) >= 30
    assert 'zmon_exceptions_open{instance="LNX01",severity="look"} ' in text
    assert "zmon_dasd_info" not in text


@pytest.mark.parametrize(
    "labels", [("lcu=X",), ("__name__=x",), ("instance=A", "instance=B")], ids=["zmon's", "reserved", "twice"]
)
def test_no_series_has_a_label_twice(export: Export, labels: tuple[str, ...]) -> None:
    """A label that zmon gives itself, or that is given twice, is refused: no server would read the text."""
    status, text, said = export("--format", "openmetrics", *(f"--label={label}" for label in labels))
    assert (status, text) == (USAGE, "")
    assert labels[0].partition("=")[0] in said
