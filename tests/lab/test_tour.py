from __future__ import annotations

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.goldens import compare, refusals
from zmon.lab.scenario import names
from zmon.lab.tour import FOLDER, ScenarioError, load_tour, parse_tour

TEXT = """
title = "A tour"

[[scenes]]
name = "shark-before"
begin = 60
end = 120

[[steps]]
title = "First"
text = \"\"\"
Two
lines.
\"\"\"
commands = ["CTLUNIT"]
see = ["7600"]

[[steps]]
title = "Second"
text = "More."
commands = ["DEVICE", "COMPARE {shark-before}"]
press = "Press ENTER"
keys = ["enter"]
see = ["Then"]
"""


def test_a_step_says_what_to_see_and_how_to_come_there() -> None:
    """Without other words it is to type its last command; paragraphs are one text."""
    first, second = parse_tour(TEXT, "a.toml").steps
    assert first.text == "Two lines."
    assert first.press == "Type CTLUNIT and press ENTER"
    assert first.scene == "shark-before"
    assert (second.press, second.keys) == ("Press ENTER", ("enter",))


MISTAKES = (
    ("end = 120", "end = 60"),
    ('title = "First"', ""),
    ('see = ["7600"]', "see = []"),
    ('commands = ["CTLUNIT"]', "commands = []"),
    ('keys = ["enter"]', ""),
    ('press = "Press ENTER"\nkeys = ["enter"]', 'scene = "other"'),
    ('title = "Second"', 'titel = "Second"'),
    ('title = "A tour"', "title = 1"),
)


def test_a_mistake_is_found_by_file_line_and_key() -> None:
    """With what to do: tests/golden/said/tours.txt."""
    said = refusals(ScenarioError, lambda one: parse_tour(TEXT.replace(*one), "a.toml"), MISTAKES)
    compare("said/tours", said)


@pytest.mark.parametrize("pattern", ["(", "[[a]"])
def test_what_to_see_is_a_regular_expression(pattern: str) -> None:
    """One that is none is named."""
    with pytest.raises(ScenarioError, match=rf"^a\.toml:16: steps\.1\.see: {re.escape(repr(pattern))} "):
        parse_tour(TEXT.replace('"7600"', repr(pattern)), "a.toml")


@pytest.mark.parametrize("text", ["", "title = 'x'", "scenes = []", "steps = 1", "= ="])
def test_what_is_no_tour_is_refused(text: str) -> None:
    """It names the file."""
    with pytest.raises(ScenarioError, match=r"^a\.toml"):
        parse_tour(text, "a.toml")


@given(st.text(max_size=80), st.integers(0, len(TEXT)))
def test_whatever_stands_there_it_is_read_or_refused(words: str, place: int) -> None:
    """No other error comes out."""
    try:
        parse_tour(TEXT[:place] + words + TEXT[place:], "a.toml")
    except ScenarioError as error:
        assert str(error).startswith("a.toml")  # noqa: PT017 - no error is right too


@pytest.mark.parametrize("name", sorted(n[:-5] for n in os.listdir(FOLDER) if not n.endswith("-site.toml")))
def test_the_tours_that_come_with_zmon_can_be_used(name: str) -> None:
    """They show scenarios that there are."""
    assert {scene.name for scene in load_tour(name).scenes} <= set(names())
