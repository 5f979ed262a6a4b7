"""TOML that a person wrote is read; what no person writes is refused before it costs anything."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.toml import MAX_CHARACTERS, MAX_DOTS, TomlError, parse_toml


def test_toml_is_read() -> None:
    """A document is what tomllib says."""
    assert parse_toml('a.b = 1\n[c]\nd = "x.y"') == {"a": {"b": 1}, "c": {"d": "x.y"}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (".".join("a" * 20_000) + " = 1", f"more than {MAX_DOTS} dots in a line (at line 1, column 1)"),
        ("x = 1\n[" + '"a".' * 300 + "b]", "(at line 2, column 1)"),
        ("#" * (MAX_CHARACTERS + 1), "more than 256 KiB"),
        ("a = " + "[" * 5000, "nested too deeply"),
        ("a = " + "9" * 5000, "digits"),
        ("a = ", "(at end of document)"),
    ],
)
def test_what_costs_too_much_or_is_none_is_refused(text: str, words: str) -> None:
    """A dotted key of thousands of parts would take gigabytes; each refusal says what and where."""
    with pytest.raises(TomlError) as refused:
        parse_toml(text)
    assert words in str(refused.value)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing but a TomlError comes out, and what is read is what tomllib reads."""
    try:
        found = parse_toml(text)
    except TomlError:
        return
    assert found == tomllib.loads(text)
