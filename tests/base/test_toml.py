"""TOML that a person wrote is read; what no person writes is refused before it costs anything."""

from __future__ import annotations

import sys
import tomllib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base import toml
from zmon.base.toml import MAX_CHARACTERS, MAX_DOTS, TomlError, parse_kept, parse_toml

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.interpreter


def test_toml_is_read() -> None:
    """A document is what tomllib says."""
    assert parse_toml('a.b = 1\n[c]\nd = "x.y"') == {"a": {"b": 1}, "c": {"d": "x.y"}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (".".join("a" * 20_000) + " = 1", f"{MAX_DOTS} dots"),
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


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a document whose parsed form may be kept."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    path = tmp_path / "device.toml"
    path.write_text("a = 1\nb = ['x']\n")
    return path


def test_a_document_of_zmon_is_parsed_once(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its parsed form is kept beside bytecode, and counts for the same text alone."""
    text = kept.read_text()
    first = parse_kept(text, str(kept))
    assert first == {"a": 1, "b": ["x"]}
    assert len(list((kept.parent / "__pycache__").iterdir())) == 1
    parsed: list[str] = []

    def parse(text: str) -> dict[str, bool]:
        parsed.append(text)
        return {"parsed": True}

    monkeypatch.setattr(toml, "parse_toml", parse)
    assert parse_kept(text, str(kept)) == first
    assert parsed == []
    assert parse_kept("a = 2", str(kept)) == {"parsed": True}
    assert parse_kept("a = 2", str(kept)) == {"parsed": True}
    assert parsed == ["a = 2"]


@pytest.mark.parametrize("content", [b"", b"N", b"\xff\xfe", b"i\x01\x00\x00\x00", b"(\x02\x00\x00\x00NN"])
def test_what_is_kept_and_spoilt_is_parsed_again(content: bytes, kept: Path) -> None:
    """As bytecode is."""
    text = kept.read_text()
    found = parse_kept(text, str(kept))
    (cache,) = (kept.parent / "__pycache__").iterdir()
    cache.write_bytes(content)
    assert parse_kept(text, str(kept)) == found
    assert cache.read_bytes() != content


def test_nothing_is_kept_where_nothing_may_be_written(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor where no bytecode is wanted."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert parse_kept("a = 1", str(kept)) == {"a": 1}
    assert not (kept.parent / "__pycache__").exists()
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (kept.parent / "__pycache__").write_text("a file")
    assert parse_kept("a = 1", str(kept)) == {"a": 1}
