from __future__ import annotations

from zmon.kernel.ebcdic import name


def test_blanks_are_padding() -> None:
    """Names are padded with EBCDIC blanks."""
    assert name(bytes.fromhex("d3d5e7d7d9d6c440")) == "LNXPROD"


def test_zeros_are_padding() -> None:
    """A field that was never filled is zeros, and is an empty name."""
    assert name(bytes(8)) == ""


def test_national_characters() -> None:
    """User ids may contain $, # and @."""
    assert name(bytes.fromhex("5b7b7cf0")) == "$#@0"
