"""Loops over files of the kernel in a pasted shell: each line is of its file, or is not understood."""

from __future__ import annotations

from typing import Final

import pytest

from zmon.collected.collection import facts_of
from zmon.collected.shell_loops import files_by_line
from zmon.collected.transcript import outputs
from zmon.kinds import DEVICE

BUS: Final = "/sys/bus/ccw/devices"
IN_LINES: Final = "{p}\n{u}\n{a}\n"
UIDS: Final = {"0.0.1a01": "IBM.75000000AAAA1.1a00.01", "0.0.1af0": "IBM.75000000AAAA1.1a00.xx"}


def _output(form: str) -> str:
    return "".join(
        form.format(b=busid, p=f"{BUS}/{busid}", u=uid, a=int("xx" in uid)) for busid, uid in UIDS.items()
    )


@pytest.mark.parametrize(
    ("loop", "form"),
    [
        (f"for i in {BUS}/0.0.*; do echo $i; cat $i/uid $i/alias; done", IN_LINES),
        (f'for i in {BUS}/0.0.1a??;do echo "== $i =="; cat "$i/uid"; cat $i/alias;done',
         f"== {IN_LINES[:3]} =={IN_LINES[3:]}"),
        (f"for d in {BUS}/*; do echo $(basename $d) $(cat $d/uid) $(< $d/alias); done", "{b} {u} {a}\n"),
        (f'for d in {BUS}/0.0.1a*; do echo -n "${{d##*/}}: "; cat ${{d}}/uid; cat $d/alias; done',
         "{b}: {u}\n{a}\n"),
        (f"for d in $(ls {BUS}); do echo $d; cat {BUS}/$d/uid {BUS}/$d/alias 2>/dev/null; done",
         "{b}\n{u}\n{a}\n"),
        (f"for d in 0.0.1a01 0.0.1af0; do cat {BUS}/$d/uid {BUS}/$d/alias; done", "{u}\n{a}\n"),
        (f"for d in {BUS}/0.0.1a*; do echo $d `cat $d/uid` `cat $d/alias`; done | sort", "{p} {u} {a}\n"),
        (f"for d in {BUS}/0.0.1a*\n> do\n> echo $d\n> cat $d/uid; cat $d/alias\n> done", IN_LINES),
        (f"for d in {BUS}/0.0.1a*; do\n>   echo $d\n>   cat ${{d}}/{{uid,alias}}\n> done", IN_LINES),
        (f"for d in {BUS}/0.0.1a*; do grep . $d/uid $d/alias; done", "{p}/uid:{u}\n{p}/alias:{a}\n"),
        (f"for d in {BUS}/0.0.1a*; do head $d/uid $d/alias; done",
         "==> {p}/uid <==\n{u}\n\n==> {p}/alias <==\n{a}\n"),
    ],
)  # fmt: skip
def test_each_line_is_of_its_file(loop: str, form: str) -> None:
    """Whether the word of the loop stands above it, in it, or in the command."""
    text = f"box1:~ # {loop}\n{_output(form)}box1:~ # \n"
    facts, reads = facts_of([*outputs("a.txt", text.encode(), 7)])
    assert not any(read.strange for read in reads)
    for busid, uid in UIDS.items():
        assert (facts.value(DEVICE, busid, "uid"), facts.value(DEVICE, busid, "alias")) == (
            uid,
            int("xx" in uid),
        )


@pytest.mark.parametrize(
    ("loop", "form"),
    [
        (f"for i in {BUS}/0.0.*; do cat $i/uid; done", "{u}\n"),
        (f"for i in {BUS}/0.0.*; do echo $i; cat $i/uid $i/alias 2>/dev/null; done", "{p}\n{u}\n"),
        (f"for i in {BUS}/0.0.*; do echo $i; cat $i/uid; done | sort", "{p}\n{u}\n"),
        (f"for i in {BUS}/0.0.*; do printf '%s %s\\n' $i $(cat $i/uid); done", "{p} {u}\n"),
        (f"for i in {BUS}/0.0.2*; do echo $i; cat $i/uid; done", "{p}\n{u}\n"),
        (f"for i in {BUS}/*/0.0.*; do echo $(basename $i) $(cat $i/alias); done", "{b} {a}\n"),
        (f"for i in {BUS}/0.0.*; do echo $j; cat $i/uid; done", "{p}\n{u}\n"),
        ("for i in 1 2 3; do cat /sys/bus/ccw/devices/0.0.1a01/uid; done", "{u}\n"),
    ],
)  # fmt: skip
def test_a_line_of_no_known_file_is_not_understood(loop: str, form: str) -> None:
    """As if a pass has more or fewer lines than it prints."""
    text = f"box1:~ # {loop}\n{_output(form)}box1:~ # \n"
    facts, reads = facts_of([*outputs("a.txt", text.encode(), 7)])
    assert "device" not in facts.rows
    assert sum(len(read.strange) for read in reads) == _output(form).count("\n")


def test_a_pass_that_lacks_a_line_takes_none_of_another() -> None:
    """What it has may be of either of its files."""
    rows = ["/sys/block/dasdp", "4096", "/sys/block/dasdq", "10", "20", "cat: /sys/block/dasdr: no"]
    loop = "for d in /sys/block/dasd[pq]; do echo $d; cat $d/size $d/ro; done"
    assert files_by_line(loop, rows[:5]) == {
        2: [], 3: [("/sys/block/dasdq/size", "10")], 4: [("/sys/block/dasdq/ro", "20")],
    }  # fmt: skip
    assert files_by_line(loop, rows) == {}


def test_a_message_is_no_content() -> None:
    """It stands in the place of that of a file that is not there."""
    loop = "for d in /sys/block/dasd*; do echo item $d; cat $d/device/uid; done"
    rows = ["item /sys/block/dasdp", "cat: /sys/block/dasdp/device/uid: No such file or directory"]
    assert files_by_line(loop, rows) == {0: [], 1: []}


@pytest.mark.parametrize(
    "words", ["/sys/block/[z-a]*", "/sys/block/[]x", "/sys/{a,(b}", "$(", "\\", "[!p]*", ""]
)
def test_any_words_are_read_without_an_error(words: str) -> None:
    """What a shell makes of them or not."""
    assert (
        files_by_line(f"for d in {words} /sys/; do echo $d; cat $d/size; done", ["/sys/block/a", "1"]) == {}
    )
