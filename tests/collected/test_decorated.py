"""What editors put into rows - bold, entities, colours - is taken off, or the row is not understood."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.collected.texts import facts_in
from zmon.collected.transcript import decoded

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

DF = """\
box1:~ # df -h
Filesystem      Size  Used Avail Use% Mounted on
/dev/dasda2     5.8G  3.2G  2.4G  58% /
"""
TREE = """\
NAME     MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT
sdd        8:48   0  3.7T  0 disk
{}sdd1     8:49   0  3.7T  0 part /backup
"""


@pytest.mark.parametrize(
    "row",
    ["**/dev/dasdq1      45G  5.0G   37G  12% /data**", "/dev/dasdq1      45G  **5.0G   37G**  12% /data"],
)
def test_a_row_in_bold_is_the_row(row: str, where: Ask) -> None:
    """Of Markdown: no other mount point stands for the one in it."""
    (location,) = where("/data", f"{DF}{row}\n")["where"]
    assert [disk["disk"] for disk in location["disks"]] == ["dasdq"]


@pytest.mark.parametrize(
    "row", ["*/dev/dasdq1      45G  5.0G   37G  12% /data*", "`/dev/dasdq1 1 1 1 1% /data`"]
)
def test_a_mount_with_other_marks_around_it_is_not_understood(row: str) -> None:
    """Neither is its source a file system without a device, nor its point one of that name."""
    facts = facts_in(f"{DF}{row}\n")
    assert [mount.point for mount in facts.mount_lists["df"][0]] == ["/"]


@pytest.mark.parametrize("drawn", ["&#9492;&#9472;", "&#x2514;&#x2500;"])
def test_a_tree_that_is_drawn_with_entities_is_a_tree(drawn: str, where: Ask) -> None:
    """Wherever the text is from; a name has none."""
    (mount,) = where("sdd1", TREE.format(drawn))["mounts"]
    assert mount["point"] == "/backup"


def test_a_word_that_is_printed_in_a_colour_is_the_word() -> None:
    """As listings in LaTeX have it."""
    row = r"DASD (*|\textcolor{red}{0302}|*) CP SYSTEM (*|\textcolor{blue}{LNX302}|*)   0"
    assert decoded(row.encode()) == "DASD 0302 CP SYSTEM LNX302   0\n"


@pytest.mark.parametrize(
    "row", ["** lsdasd -l **", "**Eva**  09:20", "/data/**  /old/**", "a &amp; b &lt;c&gt;"]
)
def test_marks_that_are_no_decoration_of_a_row_stay(row: str) -> None:
    """What a script writes before an output, who speaks in a chat, and what XML escapes."""
    assert decoded(row.encode()) == f"{row}\n"
