"""Lines of volumes of the system that the samples do not have."""

from __future__ import annotations

from zmon.cp.answers import parse
from zmon.cp.row import BY_WORDS, REMEMBERED


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


PAGES = """\
                EXTENT     EXTENT  TOTAL  PAGES   HIGH    %
VOLID  RDEV      START        END  PAGES IN USE   PAGE USED
------ ---- ---------- ---------- ------ ------ ------ ----
VMPAG1 7003          1       3338 600840   2040   2100   1%
VMPAG2 17004         1      10016  1.76M 880.2K 901.1K  50% DRAINING
                                  ------ ------        ----
SUMMARY                             2.3M 882.2K         38%
USABLE                              2.3M 882.2K         38%
"""


def test_the_extents_of_a_volume_say_how_full_they_are() -> None:
    """A row each; headings and sums are no rows, and nothing of the answer is unknown."""
    found = parse(PAGES.encode(), "x")
    assert [(*row[:8], row.rest) for row in found.rows["space"]] == [
        ("VMPAG1", "7003", 1, 3338, "600840", "2040", "2100", 1, ""),
        ("VMPAG2", "17004", 1, 10016, "1.76M", "880.2K", "901.1K", 50, "DRAINING"),
    ]
    assert all(row.weak == REMEMBERED for row in found.rows["space"])
    assert found.counts["unknown"] == 0


OWNED = """\
SLOT  VOL-ID  RDEV  TYPE   STATUS
   1  VMRES1  7000  OWN    ONLINE AND ATTACHED
   2  VMPAG1  7003  OWN    ONLINE AND ATTACHED
   3  ------  ----  -----  RESERVED
"""


def test_the_volumes_that_cp_owns_have_slots() -> None:
    """A slot may have no volume."""
    found = parse(OWNED.encode(), "x")
    assert [row[:5] for row in found.rows["owned"]] == [
        ("1", "VMRES1", "7000", "OWN", "ONLINE AND ATTACHED"),
        ("2", "VMPAG1", "7003", "OWN", "ONLINE AND ATTACHED"),
        ("3", "", "", "", "RESERVED"),
    ]
    assert found.counts["unknown"] == 0
