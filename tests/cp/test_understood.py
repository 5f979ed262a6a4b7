"""What a text says as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.cp.answers import parse

if TYPE_CHECKING:
    from zmon.cp.understood import Understood

MINIDISK: Final = "DASD 0100 3390 LX4A01 R/W      10016 CYL ON DASD  4A01 SUBCHANNEL = 0000"
DEDICATED: Final = "DASD 7200 ON DASD  7610 R/W DB7200 SUBCHANNEL = 0004"


def read(text: str) -> Understood:
    """Read a text."""
    return parse(text.encode(), "log.txt")


def test_two_labels_of_a_real_device_are_a_conflict() -> None:
    """Whichever answers they are in."""
    found = read("DASD 7610 DB9999  , DASD 7611 FREE\n" + DEDICATED + "\n")
    assert [(c.about, c.words) for c in found.conflicts] == [
        ("real device 7610", "volser DB9999 and DB7200"),
    ]  # fmt: skip


def test_guests_in_one_text_are_told_apart() -> None:
    """The same virtual device of two guests is no conflict, and is claimed for each."""
    other = MINIDISK.replace("4A01", "4B02")
    found = read(f"lindb01:   {MINIDISK}\nlindb02:   {other}\n")
    assert found.conflicts == []
    assert [(claim.user, claim.rdev) for claim in found.claims()] == [
        ("LINDB01", "4A01"),
        ("LINDB02", "4B02"),
    ]
    assert [claim.user for claim in read(f"lindb01:   {MINIDISK}\n").claims()] == [""]


def test_answers_of_another_guest_are_not_taken_for_this_one() -> None:
    """Neither where a prefix names it nor where QUERY USERID does."""
    for text in (f"lindb07:   {MINIDISK}\n", f"LINDB07  AT ZVMPRD1\n{MINIDISK}\n"):
        assert [claim.user for claim in read(text).claims("LINDB01")] == ["LINDB07"]
        assert [claim.user for claim in read(text).claims("lindb07")] == [""]
        assert [claim.user for claim in read(text).claims()] == [""]


def test_who_asked_may_be_told_by_another_text() -> None:
    """Where the text itself does not tell it."""
    assert [claim.user for claim in read(f"{MINIDISK}\n").claims("LINDB01", "LINDB07")] == ["LINDB07"]


def test_a_log_of_two_logons_is_parted_by_query_userid() -> None:
    """What stands below the second is the second guest's."""
    other = MINIDISK.replace("0100", "0200")
    found = read(f"LINDB01  AT ZVMPRD1\n{MINIDISK}\nLINDB02  AT ZVMPRD1\n{other}\n")
    assert [(claim.user, claim.vdev) for claim in found.claims("LINDB01")] == [
        ("", "0100"),
        ("LINDB02", "0200"),
    ]


def test_whose_answers_they_are_is_known_if_one_user_says_so() -> None:
    """Two of them make it unknown."""
    assert read("LINDB01  AT ZVMPRD1\n").identity[:2] == ("LINDB01", "ZVMPRD1")
    assert read("LINDB01  AT ZVMPRD1\nLINDB02  AT ZVMPRD1\n").identity[:2] == ("", "")
