"""Answers about who and what that the samples do not have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cp.answer import read_first
from zmon.cp.answer_reader import parse
from zmon.cp.answers_system import MESSAGES, SYSTEM
from zmon.cp.console import HIDDEN, ConsoleLine


@pytest.mark.parametrize(
    "text", ["we meet AT noon", "LINDB01 AT", "AT ZVMPRD1", "LINDB0123 AT ZVMPRD1", "lindb01 AT ZVMPRD1"]
)
def test_a_sentence_names_nobody(text: str) -> None:
    """A user and a system are words of eight capitals at the most."""
    assert read_first(SYSTEM, ConsoleLine(text, 1)) is None


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
    found = read_first(
        SYSTEM, ConsoleLine("LINDB01  AT ZVMPRD1  VIA RSCS     11/06/23 09:13:30 EST      MONDAY", 1)
    )
    assert found is not None
    assert found[:2] == ("LINDB01", "ZVMPRD1")


def test_what_is_not_told_is_absent() -> None:
    """Never zero."""
    (load,) = parse(b"AVGPROC-021% 05\n", "x").rows["load"]
    assert (load.avg, load.paging, load.mdc_hit, load.q0, load.procs) == (21, None, None, None, ())


def test_the_last_load_holds() -> None:
    """It is as it was then, so two of them are no conflict."""
    found = parse(b"AVGPROC-021% 05\nPAGING-4/SEC\n\nAVGPROC-033% 0006\n", "x")
    assert [(load.avg, load.paging) for load in found.rows["load"]] == [(33, None)]
    assert found.conflicts == []


def test_a_section_of_a_cpu_is_no_prefix() -> None:
    """`CPU 00:` has a word before it, and below it stand its values."""
    text = "USERID=LINDB01  MACH=ESA STOR=4G\nREADS=1\n"
    text += "CPU 00: CTIME=1:02\n        TYPE=IFL\nCPU 01: CTIME=1:03\n"
    (usage,) = parse(text.encode(), "x").rows["usage"]
    assert usage.values == (("MACH", "ESA"), ("STOR", "4G"), ("READS", "1"))
    assert usage.cpus == (("00", (("CTIME", "1:02"), ("TYPE", "IFL"))), ("01", (("CTIME", "1:03"),)))


def test_a_user_has_a_row_of_its_own() -> None:
    """Of several the values are not mixed."""
    text = "USERID=A MACH=ESA STOR=4G\nREADS=1\nUSERID=B MACH=XA STOR=2G\nREADS=2\n"
    assert [(row.user, dict(row.values)["READS"]) for row in parse(text.encode(), "x").rows["usage"]] == [
        ("A", "1"), ("B", "2"),
    ]  # fmt: skip


def test_values_hide_a_password() -> None:
    """A line below that has one looks like values, and is shown with them or as not understood."""
    found = parse(b"USERID=A MACH=ESA PW=s3cret1\nPASS=s3cret2\n  LOGON MAINT PASSWORD=s3cret3\n", "x")
    assert "s3cret" not in f"{found.rows} {found.unknown}"
    assert dict(found.rows["usage"][0].values)["MACH"] == "ESA"


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
    row = read_first(MESSAGES, ConsoleLine(text, 1))
    if found is None:
        assert row is None
    else:
        assert row.form.name == "message"
        assert (row.number, row.module, row.severity) == found


@pytest.mark.parametrize(
    ("text", "code"),
    [("Ready; T=0.01/0.01 10:22:33", 0), ("Ready(00040); T=0.01/0.02 15:41:09", 40), ("Ready(-0003);", -3)],
)
def test_a_prompt_is_a_return_code(text: str, code: int) -> None:
    """Of zero when none stands in it."""
    row = read_first(MESSAGES, ConsoleLine(text, 1))
    assert row.form.name == "return"
    assert row.code == code


def test_a_command_that_failed_is_shown_without_its_password() -> None:
    """It may have been a LINK."""
    text = "Error: non-zero CP response for command 'LINK MAINT 190 190 RR SECRET': #298"
    row = read_first(MESSAGES, ConsoleLine(text, 1))
    assert row.form.name == "return"
    assert (row.code, row.command) == (298, f"LINK MAINT 190 190 RR {HIDDEN}")


def test_other_failures_are_told_in_their_words() -> None:
    """Nobody knows them all."""
    row = read_first(MESSAGES, ConsoleLine("Error: something new", 1))
    assert row.form.name == "failure"
    assert (row.sort, row.text) == ("other", "something new")


@given(st.text(max_size=100))
def test_any_line_is_taken(text: str) -> None:
    """Most are nothing."""
    read_first(MESSAGES, ConsoleLine(text, 1))
