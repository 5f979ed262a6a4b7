from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zmon.kernel.unit_io import UnitIoStat, UnitIoTable, parse_io_line, parse_io_stat

LINE = "{} rbytes={} wbytes=0 rios=1 wios=0 dbytes=0 dios=0\n"


@given(
    st.binary()
    | st.lists(st.sampled_from([b"94:0", b"rbytes=5", b"wios=x", b"rios=", b"dios=2"])).map(b" ".join)
)
def test_any_line_is_parsed_or_refused(line: bytes) -> None:
    """Nothing but ValueError comes of it, and counts are six numbers."""
    try:
        found = parse_io_line(line)
    except ValueError:
        return
    assert found is None or (len(found[1]) == 6 and min(found[1]) >= 0)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 9),
            *[st.integers(0, 1 << 64)] * 6,
            st.sampled_from(["", " cost.usage=3", " x=max"]),
        ),
        max_size=6,
    )
)
def test_usual_and_other_files_give_the_same(lines: list[tuple[int | str, ...]]) -> None:
    """Whether a policy appends keys or not; a device that is there twice counts once."""
    text = "".join(
        f"94:{minor} rbytes={a} wbytes={b} rios={c} wios={d} dbytes={e} dios={f}{more}\n"
        for minor, a, b, c, d, e, f, more in lines
    )
    expected: dict[str, tuple[int | str, ...]] = {}
    for minor, a, b, c, d, e, f, _more in lines:
        expected.setdefault(f"94:{minor}", (a, b, e, c, d, f))
    numbers, columns = parse_io_stat(text.encode())
    assert dict(zip(numbers, zip(*columns, strict=True), strict=True)) == expected


def test_a_device_without_a_name_is_passed_over() -> None:
    """As an emulated s390x with NVMe multipath writes it, with counts and without."""
    text = b"(unknown) rbytes=0 wbytes=0 rios=2790 wios=0 dbytes=0 dios=0\n(unknown) \n254:0 \n"
    text += b"254:32 rbytes=7112704 wbytes=33554432 rios=1738 wios=33 dbytes=0 dios=0\n"
    assert parse_io_stat(text) == (["254:32"], [(7112704,), (33554432,), (0,), (1738,), (33,), (0,)])


def table_of(*texts: str | None) -> tuple[UnitIoTable, list[UnitIoStat]]:
    """Return a table of units a, b, c ... of which io.stat says this, and what it has of each."""
    table, stats = UnitIoTable(), [UnitIoStat(f"/{name}") for name in "abc"[: len(texts)]]
    for stat, text in zip(stats, texts, strict=True):
        table.take(stat, None if text is None else text.encode())
    return table, stats


def test_rows_stay_while_no_unit_counts_another_device() -> None:
    """The keys are the same list then, and what has moved is known; another device makes other rows."""
    table, stats = table_of(LINE.format("94:0", 1), LINE.format("94:0", 2) + "94:4 \n")
    first = table.frame(stats, 10)
    table.take(stats[1], (LINE.format("94:0", 3) + "94:4 \n").encode())
    second = table.frame(stats, 20)
    table.take(stats[1], (LINE.format("94:0", 3) + LINE.format("94:4", 9)).encode())
    third = table.frame(stats, 30)
    assert first is not None
    assert second is not None
    assert third is not None
    assert second.keys is first.keys
    assert second.moved(first) == [1]
    assert second.column("rbytes") == [1, 3]
    assert third.keys == ["94:0 /a", "94:0 /b", "94:4 /b"]
    assert third.column("rbytes") == [1, 3, 9]


def test_units_that_count_nothing_have_no_rows() -> None:
    """Whether io.stat is empty or not there at all."""
    for texts in ((), ("",), (None, "94:0 \n")):
        table, stats = table_of(*texts)
        assert table.frame(stats, 10) is None
