"""Lines of volumes of the system that the samples do not have."""

from __future__ import annotations

from zmon.cp.answers import parse
from zmon.cp.row import BY_WORDS


def test_users_of_a_volume_stand_below_it() -> None:
    """Up to a line that is no list of users; by words, so weak."""
    text = "DASD 7110 ATTACHED CPVOL 0002 LNX001\n  LINDB01  0100 R/W, LINDB02  0191 R/O\nhello there\n"
    (row,) = parse(text.encode(), "x").rows["linked"]
    assert row.users == (("LINDB01", "0100", "R/W"), ("LINDB02", "0191", "R/O"))
    assert (row.links, row.weak) == (2, BY_WORDS)


def test_what_is_half_a_list_of_users_is_none() -> None:
    """Nothing of such a line is taken."""
    text = "DASD 7110 ATTACHED CPVOL 0002 LNX001\n  LINDB01  0100 R/W, LINDB02  01\n"
    found = parse(text.encode(), "x")
    assert (found.rows["linked"][0].users, found.counts["unknown"]) == ((), 1)
