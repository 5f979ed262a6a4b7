"""What lsblk of RHEL 6 prints: the name of the kernel in parentheses behind that in /dev/mapper."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.collected.texts import LSBLK, facts_in, text
from zmon.collected.collection import facts_of
from zmon.kinds import LAYER


def _old(row: str) -> str:
    name, rest = row[:17].rstrip(), row[17:]
    mapped = re.search("253:([0-9])", rest)
    return f"{name} (dm-{mapped[1]})".ljust(26) + rest if mapped else name.ljust(26) + rest


OLD: Final = "".join(f"{_old(row)}\n" for row in LSBLK.splitlines())


@pytest.mark.parametrize("command", ["lsblk", "lsblk -a", ""])
@pytest.mark.parametrize("shift", [0, 1])
def test_it_says_what_newer_ones_say(shift: int, command: str) -> None:
    """Of each device, also if the columns do not stand below their headings."""
    content = OLD.replace("MAJ:MIN", f"{' ' * shift}MAJ:MIN")
    told, new = facts_in(content, command), facts_in(LSBLK, command)
    assert OLD.count(" (dm-") == 5
    for key, fields in new.rows["layer"].items():
        assert [told.value(LAYER, key, field) for field in fields] == [
            new.value(LAYER, key, field) for field in fields
        ]


def test_without_numbers_the_name_in_parentheses_is_the_key() -> None:
    """As of lsblk -f."""
    rows = (
        "NAME              FSTYPE      LABEL UUID MOUNTPOINT\ndasdp\n└─dasdp1          LVM2_member\n"
        "  └─vg-lv (dm-3)  ext4                   /db\n"
    )
    facts, (read,) = facts_of([text(rows, "lsblk -f")])
    assert read.strange == ()
    assert (facts.value(LAYER, "dm-3", "mapped"), facts.value(LAYER, "dm-3", "below")) == ("vg-lv", "dasdp1")


@pytest.mark.parametrize("change", [("(dm-0)", "(dm-7)"), ("(dm-0)", "(dm-"), ("(dm-0)", "(sda0)")])
def test_a_name_that_does_not_fit_is_not_understood(change: tuple[str, str]) -> None:
    """The row may have been cut, or be of another device."""
    (read,) = facts_of([text(OLD.replace(*change), "lsblk")])[1]
    assert len(read.strange) == 2
