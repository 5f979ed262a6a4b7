"""`zmon cut` makes a recording of a part of one, and a stranger's of it."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zlib
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.conftest import Made, make
from zmon.cli.main import main
from zmon.cli.output import FAILED, OK, USAGE
from zmon.kinds import CPU
from zmon.sample import DAMAGED, Frame
from zmon.store.file_format import RecordingError
from zmon.store.reader import Recording
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.base.absent import Value
    from zmon.sample import Sample

pytestmark = pytest.mark.usefixtures("utc")

SECOND = 10**9
BEGIN = 1_795_271_400 * SECOND
SECRETS = (
    "SECHOST7", "SECLPAR1", "SECLPAR2", "SECGST", "SECSYS", "SECPLEX", "SECGROUP", "SECHWGRP", "QVOL",
    "SEC01", "DEC0DE5EC", "secret", "SECDISK", "SECMODEL", "SECTOKEN", "0x500507630300c562", "jane.doe",
)  # fmt: skip


@pytest.fixture(scope="module")
def recorded(sparse: Made) -> Made:
    """Return a recording of which a cut has all that it may have, and no more samples."""
    return sparse


@pytest.fixture
def out(tmp_path: Path) -> str:
    return str(tmp_path / "out.zmon")


@pytest.fixture(scope="module")
def part(recorded: Made, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a cut of some minutes, which tests only read."""
    path = str(tmp_path_factory.mktemp("cut") / "part.zmon")
    assert main(["cut", recorded.path, "--from", "14:31:10", "--to", "14:34:30", path]) == OK
    return path


@pytest.fixture(scope="module")
def anonymous(recorded: Made, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return an anonymous cut of all of it, which tests only read."""
    path = str(tmp_path_factory.mktemp("cut") / "anonymous.zmon")
    assert main(["cut", "--anonymise", recorded.path, path]) == OK
    return path


def plain(frame: Frame | None) -> Any:
    """Return all that a frame holds, to be compared."""
    if frame is None:
        return None
    columns = {name: list(values) for name, values in frame.columns.items()}
    return frame.kind.name, list(frame.keys), columns, list(frame.times), frame.missing, plain(frame.prior)


def contents(sample: Sample) -> Any:
    """Return all that a sample holds, to be compared."""
    frames = {name: plain(frame) for name, frame in sample.frames.items()}
    return sample.at, sample.source, sample.nominal, sample.simulated, frames


def read(path: str) -> list[Any]:
    recording = Recording(path)
    found = [contents(recording.sample(number)) for number in range(len(recording))]
    recording.close()
    return found


def events(path: str) -> list[Any]:
    recording = Recording(path)
    found = recording.events(0, 1 << 62)
    recording.close()
    return found


def told(path: str) -> list[Any]:
    """Return the events without the limits of virtual processors, which follow from the samples."""
    return [event for event in events(path) if "/" not in event.thing]


def test_a_cut_has_the_samples_of_the_time_and_the_one_before(recorded: Made, out: str) -> None:
    """Every kind, value, time, reason and reading before."""
    assert main(["cut", recorded.path, "--from", "14:31:10", "--to", "14:32:05", out]) == OK
    assert read(out) == [contents(sample) for sample in recorded.samples[13:26]]


def test_without_times_all_of_it_is_copied(recorded: Made, out: str) -> None:
    """Which also mends what is not in order any more."""
    assert main(["cut", recorded.path, out]) == OK
    assert read(out) == [contents(sample) for sample in recorded.samples]
    assert sorted(map(str, events(out))) == sorted(map(str, events(recorded.path)))


LOOKS = (
    ("14:31:10", "json"),
    ("14:32:30.5", "json"),
    ("14:32:30.5", "text"),
    ("14:33:25", "json"),
    ("14:34:30", "json"),
)
"""The first time of the part, one within it, one in the gap and the last."""


@pytest.mark.parametrize("screen", ["DEVICE", "CTLUNIT", "LPAR", "CPU", "ZMON", "DEVICE 7003"])
def test_a_screen_cannot_tell_the_cut_from_the_whole(
    screen: str, recorded: Made, part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Byte for byte, from T0 to T1."""
    for at, form in LOOKS:
        shown = []
        for source in (recorded.path, part):
            status = main(["show", *screen.split(), "--from", source, "--at", at, "--format", form])
            shown.append((status, capsys.readouterr().out))
        assert shown[0] == shown[1], at


@pytest.mark.parametrize("screen", ["SYSSUMLG", "DEVLOG", "DEVLOG 7003", "PROCLOG", "LPARLOG SECLPAR2"])
def test_a_screen_by_time_is_the_same_for_that_time(
    screen: str, recorded: Made, part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every row of the cut is one of the whole, and there are all but what comes before."""
    whole: list[Any] = []
    rest: list[Any] = []
    for source, rows in ((recorded.path, whole), (part, rest)):
        main(["show", *screen.split(), "--from", source, "--at", "14:34:30", "--format", "json"])
        rows.extend(json.loads(capsys.readouterr().out)["rows"])
    assert rest == [row for row in whole if row["key"] >= rest[0]["key"]]
    assert len(rest) > 20


def test_distances_are_counted_from_the_end(recorded: Made, out: str) -> None:
    """With or without a sign of equality; a later end from the begin."""
    for words in (
        ["--from", "-10s"],
        ["--from=-10s"],
        ["--from", "-10s", "--to", "+10s"],
        ["--from=end-10s"],
    ):
        assert main(["cut", recorded.path, *words, "--force", out]) == OK
        assert len(read(out)) == 4


def test_what_happened_in_that_time_is_copied(recorded: Made, out: str) -> None:
    """Notes, limits cut at the edges, gaps, what went; once."""
    main(["cut", recorded.path, "--from", "14:31:50", "--to", "14:34:20", out])
    found = [(e.what.value, (e.begin - BEGIN) / SECOND, (e.end - BEGIN) / SECOND, e.thing) for e in told(out)]
    assert found == [
        ("limit", 110, 150, "SECLPAR2"),
        ("note", 130, 130, ""),
        ("gap", 195, 210, ""),
        ("went", 255, 255, "dasda"),
    ]


def test_no_sample_before_a_gap_is_taken_along(recorded: Made, out: str) -> None:
    """It is not what happened before T0; that there was a gap is said."""
    main(["cut", recorded.path, "--from", "14:33:25", "--to", "14:33:40", out])
    assert len(read(out)) == 3
    assert [(e.what.value, (e.begin - BEGIN) / SECOND) for e in told(out)] == [("gap", 205)]


def test_days_are_joined(recorded: Made, out: str, tmp_path: Path) -> None:
    """A cut goes across files; what was not read again between them is not new."""
    days = tmp_path / "days"
    days.mkdir()
    make(days / "2026-11-20.zmon", range(0, 100, 5))
    main(["cut", recorded.path, "--from", "14:31:40", str(days / "2026-11-21.zmon")])
    assert main(["cut", str(days), out]) == OK
    times = [sample[0].utc for sample in read(out)]
    assert len(times) == 20 + len(recorded.samples) - 19


def test_a_file_that_is_being_written_can_be_cut(tmp_path: Path, out: str, recorded: Made) -> None:
    """Up to what is there by now."""
    writer = Writer(str(tmp_path / "now.zmon"))
    for sample in recorded.samples[:7]:
        writer.append(sample)
    assert main(["cut", str(tmp_path / "now.zmon"), "--from", "-10s", out]) == OK
    writer.close()
    assert read(out) == [contents(sample) for sample in recorded.samples[3:7]]


# without names


def everything(path: str) -> Iterator[bytes]:
    """Yield the bytes of a recording, as they are and decompressed."""
    yield Path(path).read_bytes()
    connection = sqlite3.connect(path)
    for (table,) in connection.execute("SELECT tbl_name FROM sqlite_master WHERE type = 'table'").fetchall():
        for row in connection.execute(f'SELECT * FROM "{table}"'):  # noqa: S608 - its own name
            for value in row:
                yield str(value).encode()
                if isinstance(value, bytes):
                    yield value
                    for at in range(len(value)):
                        if value[at : at + 1] == b"\x78":
                            try:
                                yield zlib.decompressobj().decompress(value[at:])
                            except zlib.error:
                                continue
    connection.close()


def test_the_search_for_secrets_finds_them(recorded: Made) -> None:
    """Each of them is in the recording as it was made, so that the next test proves something."""
    found = b"\n".join(everything(recorded.path)).lower()
    assert [secret for secret in SECRETS if secret.lower().encode() not in found] == []


def test_no_secret_is_in_an_anonymous_cut(anonymous: str) -> None:
    """Not in any byte of it, compressed or not."""
    found = b"\n".join(everything(anonymous)).lower()
    assert [secret for secret in SECRETS if secret.lower().encode() in found] == []


def figures(sample: Any) -> Any:
    """Return what is no text."""
    at, _source, nominal, simulated, frames = sample
    numbers = {
        name: (
            len(frame[1]),
            {field: [value if isinstance(value, int | float) else 0 for value in values]
             for field, values in frame[2].items()},
            frame[3],
        )
        for name, frame in frames.items()
    }  # fmt: skip
    return at.utc, at.steady, nominal, simulated, numbers


def test_figures_stay(recorded: Made, anonymous: str) -> None:
    """Every number and every time of an anonymous cut is that of the whole."""
    assert [figures(sample) for sample in read(anonymous)] == [
        figures(sample) for sample in read(recorded.path)
    ]


def test_what_was_not_read_again_is_not_new(anonymous: str) -> None:
    """Slow sources keep their pace."""
    recording = Recording(anonymous)
    samples = [recording.sample(number) for number in range(6)]
    lpars = [sample.frames["lpar"] for sample in samples]
    assert [a is b for a, b in pairwise(lpars)] == [True, False, True, False, True]
    assert lpars[2].prior is not None
    assert lpars[2].prior.keys == lpars[0].keys


@pytest.mark.parametrize("screen", ["DEVICE", "CTLUNIT", "LPAR", "CPU"])
def test_screens_have_as_many_rows(
    screen: str, recorded: Made, anonymous: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Control units, partitions and devices are grouped as they were, with the same figures."""
    shown = []
    for source in (recorded.path, anonymous):
        main(["show", screen, "--from", source, "--at", "14:32:30", "--format", "json"])
        rows = json.loads(capsys.readouterr().out)["rows"]
        numbers = [
            {name: cell for name, cell in row.items() if isinstance(cell, int | float)} for row in rows
        ]
        shown.append(sorted(sorted(row.items()) for row in numbers))
    assert shown[0] == shown[1]
    assert shown[0]


def test_notes_keep_their_time_alone(recorded: Made, anonymous: str) -> None:
    """And limits their screen, and what stands for the thing."""
    found = {e.what.value: e for e in events(anonymous)}
    assert found["note"].begin == BEGIN + 130 * SECOND
    (limit,) = (e for e in events(anonymous) if e.screen == "LPAR")
    lpars = Recording(anonymous).sample(0).frames["lpar"].keys
    assert limit.thing == lpars[1]
    assert not any("doe" in e.text or "99" in e.text for e in (found["note"], limit))
    assert sorted(e.what.value for e in events(anonymous)) == sorted(
        e.what.value for e in events(recorded.path)
    )


@pytest.fixture
def stolen(recorded: Made, tmp_path: Path) -> str:
    """Record the same machine, whose two CPUs lose four fifths of their time to others."""
    path = str(tmp_path / "stolen.zmon")
    writer = Writer(path, sealed=10**9, durable=False)
    for number, sample in enumerate(recorded.samples, 1):
        now = sample.at.steady
        columns: dict[str, list[Value]] = {"user": [now // 5] * 2, "steal": [now * 4 // 5] * 2}
        cpus = Frame(CPU, ["0", "1"], columns, [now] * 2)
        writer.append(sample._replace(frames={**sample.frames, "cpu": cpus}))
        if number % 12 == 0:
            writer.seal()
    writer.close()
    return path


def test_exceptions_are_not_told_twice(stolen: str, out: str, tmp_path: Path) -> None:
    """Although the intervals of a cut, and of a cut of that, show them again."""
    again = str(tmp_path / "again.zmon")
    main(["cut", stolen, out])
    main(["cut", out, again])
    limits = [(e.screen, e.thing, e.begin) for e in events(again) if e.what.value == "limit"]
    assert ("CPU", "") in {limit[:2] for limit in limits}
    assert len(limits) == len(set(limits))


def keys(path: str) -> list[str]:
    recording = Recording(path)
    found = recording.sample(0).frames["lpar"].keys
    recording.close()
    return found


def test_stand_ins_are_others_each_time(recorded: Made, tmp_path: Path) -> None:
    """Nobody can try names until one fits."""
    found = []
    for name in ("a.zmon", "b.zmon"):
        main(["cut", "--anonymise", recorded.path, "--to", "begin", str(tmp_path / name)])
        found.append(keys(str(tmp_path / name)))
    assert not set(found[0]) & set(found[1])


def test_with_a_key_they_are_the_same(recorded: Made, tmp_path: Path) -> None:
    """In cuts of different times."""
    (tmp_path / "key").write_bytes(b"0123456789abcdef")
    found = []
    for name, words in (("a.zmon", ["--to", "14:31"]), ("b.zmon", ["--from", "14:33"])):
        main(
            [
                "cut",
                "--anonymise",
                recorded.path,
                "--key",
                str(tmp_path / "key"),
                *words,
                str(tmp_path / name),
            ]
        )
        found.append(keys(str(tmp_path / name)))
    assert found[0] == found[1]


def test_a_short_key_is_refused(recorded: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With how to make one."""
    (tmp_path / "key").write_bytes(b"secret")
    words = ["cut", "--anonymise", recorded.path, "--key", str(tmp_path / "key"), str(tmp_path / "o")]
    assert main(words) == FAILED
    assert "head -c 32 /dev/urandom" in capsys.readouterr().err


def test_a_key_is_for_anonymous_cuts(recorded: Made, out: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Else somebody thinks that the cut is one."""
    assert main(["cut", recorded.path, "--key", "k", out]) == USAGE
    assert {"--key", "--anonymise"} <= set(capsys.readouterr().err.split())


# what goes wrong


def test_an_existing_file_is_kept(recorded: Made, out: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Unless it is to be overwritten."""
    Path(out).write_text("dear to me")
    assert main(["cut", recorded.path, out]) == FAILED
    assert "--force" in capsys.readouterr().err
    assert main(["cut", recorded.path, "--force", "--from", "end", out]) == OK
    assert len(read(out)) == 2


def test_the_source_is_never_overwritten(tmp_path: Path, recorded: Made) -> None:
    """Whatever it is called."""
    shutil.copy(recorded.path, tmp_path / "a.zmon")
    (tmp_path / "b.zmon").symlink_to("a.zmon")
    assert main(["cut", "--force", str(tmp_path / "a.zmon"), str(tmp_path / "b.zmon")]) == FAILED
    assert len(read(str(tmp_path / "a.zmon"))) == len(recorded.samples)


def test_what_fails_leaves_nothing(
    recorded: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither half a cut nor a damaged old one."""

    def full(_writer: Writer, _sample: Sample) -> None:
        raise RecordingError("no room left")

    (tmp_path / "out.zmon").write_text("dear to me")
    monkeypatch.setattr(Writer, "append", full)
    assert main(["cut", recorded.path, "--force", str(tmp_path / "out.zmon")]) == FAILED
    assert "no room left" in capsys.readouterr().err
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out.zmon", "dear to me")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--from", "soon"], "'soon' is no time"),
        (["--from", "end", "--to", "begin"], "the end, 'begin', lies before"),
        (["--from", "2020-01-01", "--to", "2020-01-02"], "from 2026-11-21 14:30:00 to"),
    ],
)
def test_times_that_are_none(
    words: list[str], said: str, recorded: Made, out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Usage."""
    assert main(["cut", recorded.path, *words, out]) == USAGE
    assert said in capsys.readouterr().err
    assert not Path(out).exists()


def test_a_capture_is_to_be_imported_first(
    out: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message says so."""
    (tmp_path / "x.tar.gz").write_bytes(b"something else")
    assert main(["cut", str(tmp_path / "x.tar.gz"), out]) == FAILED
    assert "zmon import" in capsys.readouterr().err


def test_damage_is_left_out(recorded: Made, tmp_path: Path, out: str) -> None:
    """The rest is cut, and what was damaged is absent in an anonymous cut, without the path of the file."""
    path = tmp_path / "damaged-secret.zmon"
    shutil.copy(recorded.path, path)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE segment SET body = zeroblob(50) WHERE kind = 'cmf' AND first = 12")
    connection.commit()
    connection.close()
    assert main(["cut", "--anonymise", str(path), out]) == FAILED
    found = read(out)
    assert len(found) == len(recorded.samples)
    assert b"damaged-secret" not in b"".join(everything(out))
    assert found[14][4]["cmf"][4] is DAMAGED
