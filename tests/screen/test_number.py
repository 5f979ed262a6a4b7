from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import absent
from zmon.screen.number import FORMATS, cell, folds, signed

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBERS = st.one_of(st.floats(), st.integers(), st.integers(-(10**400), 10**400))


@pytest.mark.parametrize(
    ("count", "seconds", "written"),
    [
        (9673, 60, "161"), (336, 60, "5.6"), (489, 60, "8.2"), (7449, 60, "124"), (642, 60, "10.7"),
        (19, 60, ".3"), (1, 60, ".0"), (34118, 60, "569"), (178407, 60, "2973"),
    ],
)  # fmt: skip
def test_rates_are_written_as_the_toolkit_writes_them(count: int, seconds: int, written: str) -> None:
    """Count by seconds of the documented system counters gives the documented rates."""
    assert cell(count / seconds, "rate", 4).strip() == written


@pytest.mark.parametrize(
    ("value", "form", "written"),
    [
        (0, "rate", "  .0"), (0.3, "rate", "  .3"), (54.1, "rate", "54.1"), (601, "rate", " 601"),
        (3001, "rate", "3001"), (99.94, "rate", "99.9"), (99.96, "rate", " 100"), (-0.04, "rate", "  .0"),
        (-0.3, "rate", " -.3"), (123456, "rate", "123k"), (12.3e6, "rate", " 12M"),
        (0, "queue", " .00"), (1.05, "queue", "1.05"), (9.996, "queue", "10.0"), (0.017, "queue", " .02"),
        (23.3, "percent", "  23"), (-0.4, "percent", "   0"), (178404, "count", "178k"),
        (820592640, "bytes", "783M"), (1000, "bytes", "  1K"), (999, "bytes", " 999"),
    ],
)  # fmt: skip
def test_formats(value: float, form: str, written: str) -> None:
    """No zero before the point, no decimals from 100 on, two for queues; too wide is scaled, never cut."""
    assert cell(value, form, 4) == written


def test_a_number_loses_its_decimals_before_it_is_scaled() -> None:
    """54.1 in three characters is 54 and not 0k."""
    assert cell(54.1, "rate", 3) == " 54"


@pytest.mark.parametrize(
    ("value", "form", "written"),
    [(123456, "percent", ">>>"), (-12345, "rate", "<<<"), (940, "rate", "940"), (1e30, "text", ">>>"),
     (float("inf"), "rate", ">>>"), (float("nan"), "rate", "***"), (0.5 * 2**30, "bytes", ">>>")],
)  # fmt: skip
def test_what_fits_in_no_way_has_no_digits(value: float, form: str, written: str) -> None:
    """A number is never cut, because its first digits alone would be a lie; nor rounded up to a unit."""
    assert cell(value, form, 3) == written


@pytest.mark.parametrize(("width", "dots"), [(1, "."), (3, "..."), (4, "...."), (6, "  ....")])
def test_absent_is_dots(width: int, dots: str) -> None:
    """What is not available is dots, at most four, where its digits would stand."""
    assert cell(absent("needs an LPAR"), "rate", width) == dots


def test_an_absent_text_stands_left() -> None:
    """As the text would."""
    assert cell(absent("no label"), "text", 6) == "....  "


def test_a_word_in_a_column_of_numbers_stands_right() -> None:
    """`DED` is where a weight would be."""
    assert cell("DED", "count", 6) == "   DED"


@pytest.mark.parametrize(
    ("words", "written"),
    [("9336-10", "9336-10"), ("9336-100", "9336-1>"), ("LX7200 AND MORE", "LX7200>"),
     ("ABCD, 34%", "ABCD, >")],
)  # fmt: skip
def test_a_text_that_is_cut_says_so(words: str, written: str) -> None:
    """Its last character is a sign; if much is left, it ends where a word ends."""
    assert cell(words, "text", 7) == written
    assert cell(words, "count", 7) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [(7.3, "+7.3"), (-7.3, "-7.3"), (0.04, ".0"), (12345, "+12k"), (123456, "+123k"), (absent("x"), "....")],
)  # fmt: skip
def test_a_difference_has_its_sign(value: float, written: str) -> None:
    """Plus or minus; what is written as zero has none."""
    assert signed(value, "rate", 5).strip() == written


@given(st.text(" ab.", max_size=60), st.integers(4, 30))
def test_a_folded_line_keeps_its_words(text: str, width: int) -> None:
    """None of its pieces is too long, and only a word that is too long itself is broken."""
    pieces = [text[begin:end] for begin, end in folds(text, width)]
    assert all(len(piece) <= width for piece in pieces)
    if all(len(word) < width for word in text.split()):
        assert " ".join(pieces).split() == text.split()


@given(NUMBERS, st.sampled_from(sorted(FORMATS)), st.integers(1, 12))
def test_a_cell_fills_its_field(value: float, form: str, width: int) -> None:
    """Any number in any format has exactly the width of its field and starts with no lone zero."""
    written = cell(value, form, width)
    assert len(written) == width
    assert written.isascii()
    assert written.isprintable()


@given(st.text(), st.sampled_from(sorted(FORMATS)), st.integers(1, 12))
def test_a_label_fills_its_field(value: str, form: str, width: int) -> None:
    """So has any text."""
    written = cell(value, form, width)
    assert len(written) == width
    assert written.isascii()
    assert written.isprintable()


@given(st.floats(0, 1e12), st.sampled_from(["rate", "queue", "percent"]))
def test_a_number_that_is_written_can_be_read_back(value: float, form: str) -> None:
    """Its error is at most half of the last digit that is shown."""
    written = cell(value, form, 4).strip()
    scale = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}.get(written[-1], 1.0)
    digits = written.rstrip("kMGT")
    step = scale * 10.0 ** -len(digits.partition(".")[2])
    assert abs(float(digits) * scale - value) <= step * 0.5000001 + 1e-9


def test_a_clock_is_local(zone: Callable[[str], None]) -> None:
    """The eye gets wall-clock time of the zone it lives in."""
    zone("XYZ-2")
    assert cell(1_700_000_000_000_000_000, "clock", 8) == "00:13:20"


def test_a_clock_beyond_the_calendar_is_stars() -> None:
    """A garbled time must not end the screen."""
    assert cell(10**40, "clock", 8) == "**:**:**"


@pytest.mark.parametrize(
    ("value", "drawn"),
    [
        (100, "##########"),
        (50, "#####     "),
        (4, ".         "),
        (0, " " * 10),
        (-5, " " * 10),
        (900, "#" * 10),
    ],
)
def test_a_bar_is_as_long_as_its_part_of_the_field(value: float, drawn: str) -> None:
    """What is there but too little for a bar has a point, so that it is told from nothing."""
    assert cell(value, "bar", 10) == drawn


@pytest.mark.parametrize(
    ("path", "width", "drawn"),
    [
        ("/db/a", 8, "/db/a   "),
        ("/db2/inst1/NODE0000/SQL00001/tsfact1.data", 21, "/db2/in..tsfact1.data"),
        ("/db/\x1b[2J", 9, "/db/?[2J "),
        ("/a/b/c", 2, ".."),
        ("/a/b/c", 1, "."),
    ],
)
def test_of_a_long_path_the_middle_is_left_out(path: str, width: int, drawn: str) -> None:
    """Its ends tell most; what a terminal would obey is no part of it."""
    assert cell(path, "path", width) == drawn


def test_a_path_that_is_absent_stands_left() -> None:
    """Like text."""
    assert cell(absent("none"), "path", 8) == "....    "
