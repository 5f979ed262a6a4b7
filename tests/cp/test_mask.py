"""No password of a directory statement or a command is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cp.mask import HIDDEN, goes_on, masked


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("USER LINDB01 SECRET 4G 8G G", f"USER LINDB01 {HIDDEN} 4G 8G G"),
        ("identity MAINT secret 256M", f"identity MAINT {HIDDEN} 256M"),
        ("  MDISK 0191 3390 1 END LNX1 MR SECRET X", f"  MDISK 0191 3390 1 END LNX1 MR {HIDDEN} {HIDDEN}"),
        ("* MDISK 0191 3390 1 END LNX001 WV SECRET", f"* MDISK 0191 3390 1 END LNX001 WV {HIDDEN}"),
        ("m 0191 3390 1 5 LNX001 rr secret", f"m 0191 3390 1 5 LNX001 rr {HIDDEN}"),
        ("MDISK 0300 FB-512 V-DISK 2048 MR SECRET", f"MDISK 0300 FB-512 V-DISK 2048 MR {HIDDEN}"),
        ("MDISK 0103 3390 DEVNO 7103 MR SECRET", f"MDISK 0103 3390 DEVNO 7103 MR {HIDDEN}"),
        ("10:22:33 MDISK 0191 3390 1 5 LNX001", f"10:22:33 MDISK 0191 3390 1 5 {HIDDEN}"),
        ("link maint 190 190 rr secret", f"link maint 190 190 rr {HIDDEN}"),
        ("vmcp link maint 190 190 rr pass=secret", f"vmcp link maint 190 190 rr {HIDDEN}"),
        ("LOGON MAINT SECRET", f"LOGON MAINT {HIDDEN}"),
        ("xautolog linux1 secret", f"xautolog linux1 {HIDDEN}"),
        ("APPCPASS * MAINT SECRET", f"APPCPASS {HIDDEN} {HIDDEN} {HIDDEN}"),
        ("READPW=SECRET", f"READPW={HIDDEN}"),
        ("password: secret", f"password: {HIDDEN}"),
        ("DASD 0100 3390 LX4A01 R/W", "DASD 0100 3390 LX4A01 R/W"),
        ("HCPQVD040E Device 0600 does not exist", "HCPQVD040E Device 0600 does not exist"),
        ("", ""),
    ],
)  # fmt: skip
def test_what_may_be_a_password_is_hidden(line: str, shown: str) -> None:
    """Behind the name of a user, and behind the mode of a disk; other words stay."""
    assert masked(line) == shown


@given(
    st.sampled_from(["MDISK", "MD", "M", "mdisk", "LINK", "MDIS"]),
    st.lists(st.sampled_from(["0191", "3390", "0001", "END", "LNX001", "MAINT"]), min_size=2, max_size=5),
    st.sampled_from(["R", "RR", "W", "WR", "M", "MR", "MW", "mrv", "RE"]),
    st.lists(st.just("SECRET"), min_size=1, max_size=3),
)
def test_a_statement_that_lost_words_is_hidden_too(
    word: str, words: list[str], mode: str, ends: list[str]
) -> None:
    """Everything behind the first mode is."""
    assert "SECRET" not in masked(" ".join([word, *words, mode, *ends]))


@given(st.text())
def test_any_line_is_taken(line: str) -> None:
    """And a line that hides something says so."""
    shown = masked(line)
    assert shown == line or HIDDEN in shown


def test_a_statement_goes_on_behind_a_comma() -> None:
    """Other lines do not."""
    assert goes_on("MDISK 0191 3390 1 5 LNX001 MR ,")
    assert not goes_on("MDISK 0191 3390 1 5 LNX001 MR")
    assert not goes_on("DASD 7700 DB7700,")
