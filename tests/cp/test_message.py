"""Messages that the samples do not have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cp.mask import HIDDEN
from zmon.cp.message import Failure, Message, Return, message
from zmon.cp.noise import Line


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("HCPQVD040E Device 0600 does not exist", (40, "QVD", "E")),
        ("HCPQPA0040E Device 7102 does not exist", (40, "QPA", "E")),
        ("LINUX: HCPCRC8082I Accounting records", (8082, "CRC", "I")),
        ("HCPQVD040X Device", None), ("HCPQVD04E Device", None), ("HCPQVD00040E Device", None), ("HCP", None),
    ],
)  # fmt: skip
def test_a_message_has_module_number_and_severity(text: str, found: tuple[int, str, str] | None) -> None:
    """The number has three digits or four."""
    row = message(Line(text, 1), "Q V 0600")
    if found is None:
        assert row is None
    else:
        assert isinstance(row, Message)
        assert ((row.number, row.module, row.severity), row.command) == (found, "Q V 0600")


@pytest.mark.parametrize(
    ("text", "code"),
    [("Ready; T=0.01/0.01 10:22:33", 0), ("Ready(00040); T=0.01/0.02 15:41:09", 40), ("Ready(-0003);", -3)],
)
def test_a_prompt_is_a_return_code(text: str, code: int) -> None:
    """Of zero when none stands in it."""
    row = message(Line(text, 1), "")
    assert isinstance(row, Return)
    assert row.code == code


def test_a_command_that_failed_is_shown_without_its_password() -> None:
    """It may have been a LINK."""
    text = "Error: non-zero CP response for command 'LINK MAINT 190 190 RR SECRET': #298"
    row = message(Line(text, 1), "")
    assert isinstance(row, Return)
    assert (row.code, row.command) == (298, f"LINK MAINT 190 190 RR {HIDDEN}")


def test_other_failures_are_told_in_their_words() -> None:
    """Nobody knows them all."""
    row = message(Line("Error: something new", 1), "")
    assert isinstance(row, Failure)
    assert (row.sort, row.text) == ("other", "something new")


@given(st.text(max_size=100))
def test_any_line_is_taken(text: str) -> None:
    """Most are nothing."""
    message(Line(text, 1), "")
