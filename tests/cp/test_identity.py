"""Answers about who and what that the samples do not have."""

from __future__ import annotations

import pytest

from zmon.cp.answers import parse
from zmon.cp.identity import identity
from zmon.cp.noise import Line


@pytest.mark.parametrize(
    "text", ["we meet AT noon", "LINDB01 AT", "AT ZVMPRD1", "LINDB0123 AT ZVMPRD1", "lindb01 AT ZVMPRD1"]
)
def test_a_sentence_names_nobody(text: str) -> None:
    """A user and a system are words of eight capitals at the most."""
    assert identity(Line(text, 1)) is None


def test_classes_are_not_taken_for_the_name_of_a_guest() -> None:
    """`Currently:` looks like one."""
    found = parse(b"Privilege classes for user LINDB01\n    Currently: G\n    Directory: BG\n", "x")
    assert [row[:3] for row in found.rows["classes"]] == [("LINDB01", "G", "BG")]


def test_dates_stay_as_they_are_written() -> None:
    """The installation chooses their form."""
    level = "z/VM Version 7 Release 3.0, service level 2301 (64-bit)"
    text = f"{level}\nGenerated at 09/12/23 09:30:00 EDT\nIPL at x\n"
    (row,) = parse(text.encode(), "x").rows["level"]
    assert (row.generated, row.ipl) == ("09/12/23 09:30:00 EDT", "x")


def test_cms_says_more_of_who_it_is() -> None:
    """IDENTIFY adds RSCS, date and time."""
    found = identity(Line("LINDB01  AT ZVMPRD1  VIA RSCS     11/06/23 09:13:30 EST      MONDAY", 1))
    assert found is not None
    assert found[:2] == ("LINDB01", "ZVMPRD1")
