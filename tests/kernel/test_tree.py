"""zmon.kernel.tree: how foreign names are read and shown."""

from __future__ import annotations

from zmon.kernel.tree import ebcdic_name, printable


def test_foreign_names_cannot_move_the_cursor() -> None:
    """A note is shown on a terminal."""
    assert printable("a\x1b[2J\n") == "a\\x1b[2J\\n"


def test_long_names_are_cut() -> None:
    """A note stays a line or two."""
    assert len(printable("x" * 500)) == 120


def test_blanks_are_padding() -> None:
    """Names are padded with EBCDIC blanks."""
    assert ebcdic_name(bytes.fromhex("d3d5e7d7d9d6c440")) == "LNXPROD"


def test_zeros_are_padding() -> None:
    """A field that was never filled is zeros, and is an empty name."""
    assert ebcdic_name(bytes(8)) == ""


def test_national_characters() -> None:
    """User ids may contain $, # and @."""
    assert ebcdic_name(bytes.fromhex("5b7b7cf0")) == "$#@0"
