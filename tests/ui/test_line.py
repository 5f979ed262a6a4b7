from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from zmon.base.plain_text import wrap
from zmon.screen.sheet import fields
from zmon.ui.frame import guidance
from zmon.ui.line import KINDS, Line, Part, runs

PARTS = some.lists(some.builds(Part, some.integers(0, 30), some.integers(0, 30), some.sampled_from(KINDS)))


def test_a_line_without_parts_is_one_run() -> None:
    """A line of one kind is one piece."""
    assert list(runs(Line("abc", "heading"))) == [("abc", "heading")]


def test_later_parts_lie_over_earlier_ones() -> None:
    """Where parts overlap the later counts."""
    line = Line("abcdef", "data", (Part(1, 5, "absent"), Part(2, 3, "cell")))

    assert list(runs(line)) == [
        ("a", "data"), ("b", "absent"), ("c", "cell"), ("de", "absent"), ("f", "data"),
    ]  # fmt: skip


@given(some.text("abc ", max_size=20), PARTS)
def test_runs_lose_nothing(text: str, parts: list[Part]) -> None:
    """The pieces of a line together are the line, whatever its parts."""
    assert "".join(piece for piece, _ in runs(Line(text, "data", tuple(parts)))) == text


@given(some.text("ab ", max_size=60), some.integers(1, 12))
def test_wrapped_lines_fit(words: str, width: int) -> None:
    """No line is longer than the width, and no character but blanks is lost."""
    lines = wrap(words, width)

    assert all(len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == words.replace(" ", "")


def test_fields_of_a_form_line_are_found() -> None:
    """Each field is found with its place and its name, however it is written."""
    assert fields(" VOLSER: {label:  } {kind }") == [(9, 19, "label"), (20, 27, "kind")]


def test_guidance_that_is_cut_says_so() -> None:
    """It ends with a word and a sign, so that no figure in it is read in part."""
    assert guidance("LCU 7600 carries 91% of the I/O", "", 21).text == " LCU 7600 carries >"


def test_a_percent_sign_stays_with_its_number() -> None:
    """A line that begins with the sign would be read twice."""
    assert wrap("LCU 7600 has 69 % of it", 15) == ["LCU 7600 has", "69 % of it"]
