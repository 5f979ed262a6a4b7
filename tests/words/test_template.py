"""Sentences with fields: names, numbers and the word for one thing or several."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import absent
from zmon.words.template import FORMS, Fields, With, fields_of, number, say

FIELDS = Fields(
    {"wait": 0.0123, "use": 0.77, "size": 32768, "titles": ["LCU 7", "LCU 8"], "things": [1, 2], "number": 1},
    With(With(None, title="8000"), lcu=With(None, title="LCU 7")),
)


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("{title} takes {wait:ms}", "8000 takes 12.3 ms"),
        ("{use:%} of {size:KiB}", "77 % of 32 KiB"),
        ("{titles} {is|are} full", "LCU 7 and LCU 8 are full"),
        ("{volume|volumes:number} of {lcu.title}", "volume of LCU 7"),
        ("{titles:count} of {titles:many LCU}", "2 of 2 LCUs"),
        ("{use:.2f} and nothing else", "0.77 and nothing else"),
        ("{a|:number}{|b:things}", "ab"),
    ],
)
def test_a_field_is_written_in_its_form(sentence: str, said: str) -> None:
    """Seconds, parts of 1, bytes, lists of names; a word for one thing or for several."""
    assert say(sentence, FIELDS) == said


def test_what_is_absent_is_said_to_be_unknown() -> None:
    """In any form of numbers."""
    fields = Fields({"use": absent("not read")})
    assert {say(sentence, fields) for sentence in ("{use}", "{use:%}", "{use:ms}", "{use:.1f}")} == {
        "unknown"
    }


def test_a_field_that_is_not_there_is_no_word() -> None:
    """A record that names one is wrong."""
    with pytest.raises(KeyError, match="nothing"):
        say("{nothing}", FIELDS)


def test_a_thing_is_no_word() -> None:
    """A sentence names a field of it."""
    with pytest.raises(TypeError, match="field"):
        say("{lcu}", FIELDS)


def test_a_thing_with_more_fields_hides_its_own() -> None:
    """And has all others of it."""
    thing = With(With(None, title="8000", rate=3), rate=4)
    assert (thing.title, thing.rate) == ("8000", 4)
    with pytest.raises(AttributeError):
        _ = thing.other


def test_the_number_of_a_form_is_that_of_its_unit() -> None:
    """Of evidence: milliseconds, percent, KiB."""
    assert number("wait:ms", FIELDS) == pytest.approx(12.3)
    assert number("use:%", FIELDS) == pytest.approx(77)
    assert number("size:KiB", FIELDS) == 32
    assert number("number", FIELDS) == 1


@given(st.text(st.characters(exclude_characters="{}")))
def test_a_text_without_fields_is_said_as_it_is(text: str) -> None:
    """Whatever is in it."""
    assert say(text, Fields()) == text
    assert not fields_of(text)


@pytest.mark.parametrize("form", ["", *FORMS, "many thing"])
def test_the_names_of_fields_are_known_before_they_are_said(form: str) -> None:
    """So a record can be checked without a machine."""
    assert fields_of(f"a {{one{':' * bool(form)}{form}}} and {{is|are:other}}, {{it|them}}") == [
        "one",
        "other",
        "things",
    ]
