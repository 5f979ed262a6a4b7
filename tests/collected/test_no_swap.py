"""A list of swap areas that has none says that there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

UIDS = "# lsdasd -u\n0.0.1a01  dasdb  IBM.75000000AAAA1.1a00.01\n"
HEADING = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"


@pytest.mark.parametrize(("text", "is_known"), [
    (f"# cat /proc/swaps\n{HEADING}{UIDS}", True),
    (f"{UIDS}{HEADING}", True),
    (f"# swapon --show\n{UIDS}", True),
    (f"# swapon -s\n{HEADING}{UIDS}", True),
    (f"{UIDS}# swapon --show\n", False),
    (f"# cat /proc/swaps | grep dasd\n{UIDS}", False),
    (f"# swapon -a\n{UIDS}", False),
    (f"# swapon --show\nswapon: command not found\n{UIDS}", False),
    (f"# cat /proc/swaps\n{HEADING}/dev/da\n{UIDS}", False),
    (UIDS, False),
])  # fmt: skip
def test_a_list_without_an_area_was_collected(text: str, is_known: bool, where: Ask) -> None:
    """A heading alone, or no line where another output follows; what was cut or filtered says nothing."""
    answer = where("dasdb", text)
    assert any("/proc/swaps" in use for use in answer["not_looked_at"]) != is_known


def test_a_prompt_behind_a_command_without_output_ends_it(where: Ask) -> None:
    """So there is no swap; without the prompt the rest may not have been copied."""
    text = "[root@box1 ~]# lsdasd\n[root@box1 ~]# swapon --show\n"
    for end, is_open in (("", True), ("[root@box1 ~]#\n", False)):
        said = where("dasdp", f"[root@box1 ~]# mount\n/dev/dasdp1 on / type ext4 (rw)\n{text}{end}")
        assert any("swap" in what for what in said["not_looked_at"]) is is_open
