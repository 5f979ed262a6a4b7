"""`zmon import` makes recordings that show what their sources show."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from zmon.cli.main import main
from zmon.cli.output import FAILED, OK, USAGE
from zmon.kernel.capture_open import open_capture
from zmon.kernel.sampler import sample_once
from zmon.kinds import CLAIM
from zmon.session.machines import open_lab
from zmon.store import sample_copy
from zmon.store.reader import Recording
from zmon.topology.claims import claims_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.sample import Sample

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "tests/fixtures/sadf/restart.json"
HOT = ROOT / "recordings/hercules-one-hot-lcu.tar.gz"

SCREENS = tuple(
    path.stem for path in sorted((ROOT / "screens").glob("*.toml")) if path.stem not in {"menu", "details"}
)
"""Details is about one device, and the menu about none."""


@pytest.fixture
def out(tmp_path: Path) -> str:
    return str(tmp_path / "out.zmon")


def contents(sample: Sample) -> object:
    """Return all that a sample holds, to be compared."""
    frames = {
        name: (frame.keys, {field: list(frame.column(field)) for field in frame.columns}, frame.missing)
        for name, frame in sample.frames.items()
    }
    times = {name: list(frame.times) for name, frame in sample.frames.items()}
    return sample.at, sample.source, sample.nominal, sample.simulated, frames, times


def recorded(path: str) -> list[Sample]:
    recording = Recording(path)
    return [recording.sample(place) for place in range(len(recording))]


@pytest.mark.parametrize("name", ["hercules", "hyperion", "qemu"])
def test_a_recording_holds_all_that_the_capture_does(
    name: str, out: str, lay_out: Callable[[str], str]
) -> None:
    """Every kind, every value, every time and reason."""
    source = lay_out(name)
    assert main(["import", source, out]) == OK
    read = [sample_once(tree, source) for tree in open_capture(source).passes]
    assert [contents(sample) for sample in recorded(out)] == [contents(sample) for sample in read]


def test_an_archive_of_many_passes_too(out: str) -> None:
    """One after the other; without figures by the minute they are the same, and the file is smaller."""
    assert main(["import", str(HOT), out]) == OK
    size = Path(out).stat().st_size
    read = [contents(sample_once(tree, str(HOT))) for tree in open_capture(str(HOT)).passes]
    assert [contents(sample) for sample in recorded(out)] == read
    assert main(["import", str(HOT), out, "--force", "--no-rollups"]) == OK
    assert [contents(sample) for sample in recorded(out)] == read
    assert Path(out).stat().st_size < size


def test_every_screen_is_the_same(
    out: str, lay_out: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A screen cannot tell a recording from the capture that it was made of."""
    capture = lay_out("hercules")
    main(["import", capture, out])
    capsys.readouterr()
    for screen in SCREENS:
        shown = []
        for source in (capture, out):
            status = main(["show", screen, "--from", source, "--format", "json"])
            shown.append((status, capsys.readouterr().out))
        assert shown[0] == shown[1], screen


def test_a_report_of_sar_is_recognised(out: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What it is and what it came to is said on stderr."""
    assert main(["import", str(REPORT), out]) == OK
    said = capsys.readouterr()
    size = Path(out).stat().st_size
    assert said.out == ""
    assert said.err.splitlines() == [
        f"{REPORT}: a report of sar",
        f"{out}: 7 samples, 2026-11-21 14:11:34 to 2026-11-21 14:11:50 UTC, {size:,} bytes",
    ]


def test_a_capture_is_recognised(
    out: str, lay_out: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """With how many passes it has."""
    source = lay_out("hercules")
    main(["import", source, out])
    assert capsys.readouterr().err.startswith(f"{source}: a capture, 2 passes\n{out}: 2 samples, ")


def test_answers_of_cp_in_a_capture_are_taken_along(out: str, tmp_path: Path) -> None:
    """They are claims in every sample, as when the capture itself is looked at."""
    root = tmp_path / "capture" / "pass-0001"
    for name, content in {
        "proc/diskstats": "",
        "cp/virtual-dasd.txt": "DASD 0201 3390 LX4A01 R/W      10016 CYL ON DASD  4A01 SUBCHANNEL = 0000\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    assert main(["import", str(tmp_path / "capture"), out]) == OK
    (sample,) = recorded(out)
    assert [claim.rdev for claim in claims_in(sample.frame(CLAIM))] == ["4A01"]


@pytest.mark.usefixtures("short_scenarios")
def test_a_scenario_is_recorded_and_stays_simulated(out: str) -> None:
    """The recording holds all that the laboratory tells, and says where it comes from."""
    assert main(["import", "lab:shark-before", out]) == OK
    found = recorded(out)
    tape = open_lab("lab:shark-before")
    assert contents(found[5]) == contents(list(tape.samples())[5])
    assert all(sample.simulated for sample in found)


def test_a_report_may_come_through_a_pipe(out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`sadf -j FILE -- -A | zmon import - OUT`."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(REPORT.read_bytes())))
    assert main(["import", "-", out]) == OK
    assert len(recorded(out)) == 7


def test_comments_become_notes(out: str) -> None:
    """At the time at which they were made."""
    main(["import", str(REPORT), out])
    recording = Recording(out)
    begin, end = recording.span() or (0, 0)
    assert [e.text for e in recording.events(begin, end) if e.what.value == "note"] == ["load test"]


def test_a_restart_is_an_event(out: str) -> None:
    """From the last sample before it to the first after it."""
    main(["import", str(REPORT), out])
    recording = Recording(out)
    begin, end = recording.span() or (0, 0)
    restart = next(e for e in recording.events(begin, end) if e.what.value == "restart")
    assert ((restart.begin - begin) // 10**9, (restart.end - begin) // 10**9) == (6, 14)


def test_progress_is_shown_on_a_terminal(
    out: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many samples, and until when."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(sample_copy, "PROGRESS_SAMPLES", 3)
    main(["import", str(REPORT), out])
    assert capsys.readouterr().err.splitlines()[1] == "3 samples, until 2026-11-21 14:11:38"


def test_an_existing_file_is_kept(out: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The message says what to do."""
    Path(out).write_text("dear to me")
    assert main(["import", str(REPORT), out]) == FAILED
    assert "--force" in capsys.readouterr().err
    assert Path(out).read_text() == "dear to me"


def test_force_overwrites_it(out: str) -> None:
    """And does not add to it."""
    for _ in range(2):
        assert main(["import", "--force", str(REPORT), out]) == OK
    assert len(recorded(out)) == 7


def test_force_overwrites_nothing_for_a_source_that_cannot_be_read(out: str) -> None:
    """Not even if it can be opened."""
    Path(out).write_text("dear to me")
    assert main(["import", "--force", str(ROOT / "pyproject.toml"), out]) == FAILED
    assert Path(out).read_text() == "dear to me"


def test_the_source_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever it is called."""
    (tmp_path / "a").write_bytes(REPORT.read_bytes())
    (tmp_path / "b").symlink_to("a")
    assert main(["import", "--force", str(tmp_path / "a"), str(tmp_path / "b")]) == FAILED
    assert f"{tmp_path}/b is the source" in capsys.readouterr().err
    assert (tmp_path / "a").read_bytes() == REPORT.read_bytes()


def test_a_directory_is_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not even by force."""
    assert main(["import", "--force", str(REPORT), str(tmp_path)]) == FAILED
    assert f"{tmp_path} is a directory" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x96\xd5\x75\x21\x0c\x06", "`sadf -j "),
        (b"14:11:36  vda  0.00\n", "`sadf -j FILE -- -A`"),
        (b'{"a": 1}', "`sadf -j FILE -- -A`"),
        (b"", "`sadf -j FILE -- -A`"),
        (REPORT.read_bytes().replace(b'"utc": 1', b'"utc": 0'), "-T and -t of sadf"),
        (
            b'{"sysstat": {"hosts": [{"nodename": "a", "statistics": []}]}}',
            "nothing in it",
        ),
    ],
)
def test_what_cannot_be_imported_is_said(
    content: bytes, said: str, tmp_path: Path, out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what to do, and nothing is written."""
    (tmp_path / "source").write_bytes(content)
    assert main(["import", str(tmp_path / "source"), out]) == FAILED
    assert said in capsys.readouterr().err
    assert not Path(out).exists()


def test_what_comes_before_a_mistake_is_kept(
    tmp_path: Path, out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The mistake is said, and what there is."""
    (tmp_path / "cut.json").write_bytes(REPORT.read_bytes()[:4000])
    assert main(["import", str(tmp_path / "cut.json"), out]) == FAILED
    said = capsys.readouterr().err
    assert "entry 3 " in said
    assert f"{out}: 3 samples, " in said
    assert len(recorded(out)) == 3


def test_a_source_that_is_not_there_is_named(out: str, capsys: pytest.CaptureFixture[str]) -> None:
    """No traceback."""
    assert main(["import", "/nowhere/at/all", out]) == FAILED
    assert "/nowhere/at/all cannot be read: No such file or directory" in capsys.readouterr().err


def test_a_directory_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No traceback either."""
    assert main(["import", str(REPORT), str(tmp_path / "no/out.zmon")]) == FAILED
    assert "no/out.zmon" in capsys.readouterr().err


def test_two_names_are_needed() -> None:
    """Usage."""
    with pytest.raises(SystemExit) as left:
        main(["import", "x"])
    assert left.value.code == USAGE
