"""A report of sadf is read entry by entry, whatever it holds."""

from __future__ import annotations

import codecs
import io
import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.goldens import compare, refusals
from zmon.store.sadf_report import MAX_BEFORE, MAX_ENTRY, SadfError, SadfReport, is_report

REAL = (Path(__file__).parents[1] / "fixtures/sadf/restart.json").read_bytes()


def report(data: bytes) -> SadfReport:
    return SadfReport(io.BytesIO(data), "r.json")


def entries(data: bytes) -> list[dict[str, object]]:
    return list(report(data).entries())


def around(inside: str, tail: str = "}]}}") -> bytes:
    return f'{{"sysstat": {{"hosts": [{{"nodename": "a", "statistics": [{inside}]{tail}'.encode()


def test_the_words_before_the_entries_are_the_header() -> None:
    """Of numbers become floats."""
    header = report(REAL).header
    assert (header["nodename"], header["machine"], header["number-of-cpus"]) == ("vm", "x86_64", 2.0)


def test_the_entries_are_those_that_json_has() -> None:
    """The report is JSON, as a whole and in its parts."""
    assert entries(REAL) == json.loads(REAL, parse_int=float)["sysstat"]["hosts"][0]["statistics"]


def test_comments_are_known_after_the_last_entry() -> None:
    """With the time stamp as it is printed."""
    found = report(REAL)
    list(found.entries())
    assert found.comments == [({"date": "2026-11-21", "time": "14:11:40", "utc": 1.0}, "load test")]


def test_a_comment_may_hold_what_json_would_not() -> None:
    """Sysstat prints quotes as they are."""
    tail = ', "comments": [\n{"comment": {"date": "d", "time": "t", "tz": "UTC", "com": "say "go""}\n}]}]}}'
    found = report(around("", tail))
    list(found.entries())
    assert found.comments == [({"date": "d", "time": "t", "tz": "UTC"}, 'say "go"')]


def test_a_report_without_entries_is_one() -> None:
    """Sadf prints it where nothing was recorded."""
    assert entries(around("\n")) == []


@pytest.mark.parametrize(
    "data",
    [
        REAL.replace(b'"2026-11-21",\n\t\t\t"file-utc-time"', b'"2026-11-21"\n\t\t\t"file-utc-time"'),
        REAL.replace(b'"pswpout": 0.00},\n', b'"pswpout": 0.00}\n').replace(b"],\n", b"]\r\n"),
        codecs.BOM_UTF8 + REAL,
        codecs.BOM_UTF16_LE + REAL.decode().encode("utf-16-le"),
        codecs.BOM_UTF16_BE + REAL.decode().encode("utf-16-be"),
        b"Warning: {old} file\nbox1:~ # sadf -j sa21\n" + REAL,
        b"\n \n" + REAL,
    ],
    ids=["10.2.1", "11.1.5", "UTF-8", "UTF-16-LE", "UTF-16-BE", "lines", "blanks"],
)
def test_what_versions_and_shells_spoil_is_read(data: bytes) -> None:
    """A comma that is left out at the end of a line, the mark of an encoding, and lines before the report."""
    assert data != REAL
    assert is_report(data[:MAX_BEFORE])
    assert report(data).header == report(REAL).header
    assert entries(data) == entries(REAL)


def test_a_decimal_comma_is_that_of_a_language() -> None:
    """To print it once more helps in another one only."""
    with pytest.raises(SadfError, match=r"\bLC_ALL=C sadf -j$"):
        entries(REAL.replace(b'"idle": 99.75', b'"idle": 99,75'))
    with pytest.raises(SadfError, match=r"more with sadf -j$"):
        entries(REAL.replace(b'"idle": 99.75', b'"idle": 99..75'))


BROKEN = (
    b"", b"14:11:36  vda  0.00", b"\x96\xd5\x75\x21", b'{"a": 1}', b'{"statistics": [',
    b'{"hosts": [{nodename, "statistics": [', around("{} {}"), around("{}, 5"), around('{"a": nan}'),
    around('{"a": NaN}'), around('{"a": ' + "[" * 100_000), around("{}") * 2, REAL[:4000],
    REAL[: REAL.index(b"},\n\t\t\t\t{") + 1],
)  # fmt: skip


def test_what_is_no_report_is_said() -> None:
    """What, where, and what to do."""
    told = refusals(SadfError, entries, BROKEN)
    assert all(line.startswith("  r.json: ") for line in told[1::2])
    compare("said/sadf", [line[:200] for line in told])


class Endless(io.RawIOBase):
    """A stream that goes on and on."""

    def __init__(self, begin: bytes, more: bytes, times: int) -> None:
        """Begin, and then the same so many times."""
        self.left = iter([begin, *[more] * times])

    def read(self, _size: int = -1) -> bytes:
        """Return the next part."""
        return next(self.left, b"")


def test_a_long_report_is_never_held_whole() -> None:
    """A day of a large machine has hundreds of megabytes."""
    text = '{"disk": ["' + "x" * 10_000 + '"]}'
    begin = around(text).removesuffix(b"]}]}}")
    tracemalloc.start()
    found = SadfReport(Endless(begin, b"," + text.encode(), 3000), "long")  # type: ignore[arg-type]  # it can be read
    with pytest.raises(SadfError, match=r"\bentry 3001\b"):
        for _entry in found.entries():
            pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20


def test_a_broken_entry_is_not_read_on_for_ever() -> None:
    """It is known to be broken when enough of what follows was seen."""
    stream = Endless(around("{]").removesuffix(b"]}]}}"), b"x" * 100_000, MAX_ENTRY)
    with pytest.raises(SadfError, match=r"\bentry 1\b"):
        list(SadfReport(stream, "endless").entries())  # type: ignore[arg-type]  # it can be read


@given(some.binary(max_size=200))
def test_any_bytes_are_refused_politely(data: bytes) -> None:
    """Only SadfError comes out."""
    for whole in (data, b"{" + data, around("").replace(b"[]", b"[" + data)):
        try:
            entries(whole)
        except SadfError:
            continue


@given(some.integers(0, len(REAL) - 1), some.binary(max_size=4), some.integers(0, 8))
def test_a_damaged_report_is_refused_politely(place: int, data: bytes, over: int) -> None:
    """Only SadfError comes out."""
    try:
        entries(REAL[:place] + data + REAL[place + over :])
    except SadfError:
        return
