"""What tools print on real machines: more of it never makes an answer worse, damage never makes it surer."""

from __future__ import annotations

import tarfile
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.collected.answers import Answer, answers
from tests.collected.texts import text
from zmon.collected.collection import facts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zmon.kernel.capture_text import CollectedText

REAL: Final = Path(__file__).parent / "real" / "herc13.tar.xz"
STAGE: Final = "whole"
NOISE: Final = "gr#sel %$ 17"
TOGETHER: Final = (
    "lsdasd -a", "lsdasd -u", "lsblk", "lsblk -f", "lsblk -J", "cat /proc/partitions", "ls -l /dev/disk/by-*",
    "ls -l /dev/mapper", "dmsetup table", "dmsetup info -c", "pvs", "lvs", "lvs -a -o +devices",
    "udevadm info -e", "btrfs filesystem show", "mount", "findmnt", "df -hT", "blkid",
)  # fmt: skip
"""Commands of which each may be missing."""
DAMAGED: Final = (
    ("lsdasd -u", "lsblk"), ("lsdasd -u", "lsblk -f"), ("lsblk -s",),
    ("lsdasd", "mount", "pvs", "vgs", "lvs"),
    ("lsdasd -l", "mount", "pvs", "lvs -a -o +devices"),
    ("lsdasd -a", "findmnt", "dmsetup table", "dmsetup info -c"),
    ("lsdasd -u", "lsblk -P", "swapon -s"), ("btrfs filesystem show", "df -hT", "lsdasd -c"),
)  # fmt: skip
"""Outputs that are damaged together with others."""
WORDS: Final = ("dasd", "dasdf", "dasdk2", "srv", "data-", "lvm")
"""What outputs are searched for."""
STEP: Final = 3
"""Every which line is damaged: all of them take minutes."""
SHARES: Final = 5
"""Of what is tried in turn one part in so many is tried each day."""
SHARE: Final = [0, *(pytest.param(share, marks=pytest.mark.whole_days) for share in range(1, SHARES))]


@cache
def outputs() -> dict[str, CollectedText]:
    """Return the outputs of commands on a machine of which all is well."""
    with tarfile.open(REAL) as tar:
        listed = tar.extractfile(f"{STAGE}/commands")
        assert listed is not None
        kept_outputs = {}
        for row in listed.read().decode().splitlines():
            _status, file, command = row.split("\t", 2)
            kept = tar.extractfile(f"{STAGE}/texts/{file}")
            if kept is not None:
                content = kept.read().decode("utf-8", "surrogateescape")
                copied = command.removeprefix("cat /") if command.startswith("cat /proc") else ""
                output = text(content, "" if copied else command, copied)
                if " " not in copied:
                    kept_outputs[command] = output._replace(origin=f"{file}.txt")
    return kept_outputs


@cache
def things() -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the DASDs, and files below the mount points, that the machine has."""
    names = {row.split()[-1] for row in outputs()["cat /proc/partitions"].text.splitlines() if row.strip()}
    disks = frozenset(name for name in names if name.startswith("dasd") and not name[-1].isdigit())
    rows = outputs()["mount"].text.splitlines()
    return disks, tuple(f"{row.split(' on ')[1].split(' type ')[0]}/x" for row in rows if " on /srv" in row)


@cache
def said(commands: frozenset[str]) -> dict[str, Answer]:
    """Return what is said, given the outputs of some commands."""
    return answers([output for command, output in outputs().items() if command in commands], *things())


def _worse(before: dict[str, Answer], after: dict[str, Answer]) -> Iterator[tuple[str, Answer, Answer]]:
    """Yield what is said less surely, of other disks, or with fewer uses; a part of the disks is more."""
    known = things()[0]
    for thing, answer in before.items():
        now = after[thing]
        was, here = answer.disks & known, now.disks & known
        refined = {use for use in answer.uses if f"{use}/x" in after and after[f"{use}/x"].disks <= known}
        lost = answer.uses - now.uses - refined
        if now.grade < answer.grade or not (was <= here or (here and here < was)) or lost or now.looks_free:
            yield thing, answer, now


@pytest.mark.parametrize("share", SHARE)
@pytest.mark.parametrize("more", TOGETHER)
def test_no_answer_becomes_worse_by_one_text_more(more: str, share: int) -> None:
    """Whatever few texts it comes to, or whichever few of all are missing."""
    first = share - TOGETHER.index(more)
    few = {frozenset[str](), *(frozenset({name}) for name in TOGETHER[first % SHARES :: SHARES])}
    sets = few | {frozenset(TOGETHER) - names - {more} for names in few}
    worse = [
        (sorted(names), *found)
        for names in sets
        if more not in names
        for found in _worse(said(names), said(names | {more}))
    ]
    assert worse == []


def _damaged(lines: list[str], at: int) -> Iterator[tuple[str, list[str]]]:
    row = lines[at]
    for how, rows in (
        ("deleted", []), ("doubled", [row, row]), ("cut", [row[: max(1, 2 * len(row) // 3)]]),
        ("a character cut", [row.rstrip()[:-1]]), ("indented", [f"  {row}"]), ("noise", [NOISE]),
    ):  # fmt: skip
        yield how, [*lines[:at], *rows, *lines[at + 1 :]]


def _wrong(
    commands: tuple[str, ...], changes: Callable[[CollectedText, int], Iterator[tuple[str, CollectedText]]]
) -> Iterator[tuple[object, ...]]:
    """Yield what changes of one output make surer, give another disk or fewer, or make look free.

    A line that is deleted leaves a list that another machine may have: only the last counts then.
    """
    known = things()[0]
    whole = [outputs()[command] for command in commands]
    before = answers(whole, *things())
    for which, output in enumerate(whole):
        for how, changed in changes(output, which):
            after = answers([*whole[:which], changed, *whole[which + 1 :]], *things())
            for thing, answer in before.items():
                now, was = after[thing], answer.disks & known
                other = bool(now.disks & known - was) and not was <= now.disks
                fewer = bool(now.disks) and now.disks < answer.disks and now.grade >= answer.grade
                surer = now.grade > answer.grade or other or fewer
                if now.looks_free or (surer and not how.startswith("deleted")):
                    yield commands[which], how, thing, answer, now


def _of_lines(output: CollectedText, which: int, share: int) -> Iterator[tuple[str, CollectedText]]:
    lines = output.text.splitlines()
    for at in range(which + share * STEP, len(lines), SHARES * STEP):
        for how, damaged in _damaged(lines, at):
            yield f"{how}: {lines[at]}", output._replace(text="".join(f"{line}\n" for line in damaged))


def _piped(output: CollectedText, which: int, share: int) -> Iterator[tuple[str, CollectedText]]:
    lines = output.text.splitlines(keepends=True)
    half = len(lines) // 2
    left = {f"grep {word}": [line for line in lines if word in line] for word in WORDS}
    left |= {f"grep -v {word}": [line for line in lines if word not in line] for word in WORDS}
    left |= {f"head -n {half}": lines[:half], f"tail -n +{half + 1}": lines[half:]}
    for pipe, rows in list(left.items())[(which + share) % SHARES :: SHARES]:
        command = f"{output.command or f'cat /{output.file}'} | {pipe}"
        yield pipe, output._replace(text="".join(rows), command=command)


@pytest.mark.parametrize("share", SHARE)
@pytest.mark.parametrize("commands", DAMAGED, ids=", ".join)
def test_a_damaged_line_never_makes_an_answer_surer(commands: tuple[str, ...], share: int) -> None:
    """Nor gives another disk, nor fewer than there are, nor makes a disk look free."""
    assert [*_wrong(commands, partial(_of_lines, share=share))] == []


@pytest.mark.parametrize("share", SHARE)
@pytest.mark.parametrize("commands", DAMAGED, ids=", ".join)
def test_what_a_pipe_leaves_out_never_makes_an_answer_surer(commands: tuple[str, ...], share: int) -> None:
    """The command says that lines are missing, and of a list no line says which."""
    assert [*_wrong(commands, partial(_piped, share=share))] == []


def test_every_line_of_a_real_output_is_read_or_says_nothing() -> None:
    """Of the commands that are read, whatever their options; what fails says so."""
    from zmon.collected.collection import facts_of  # noqa: PLC0415 - it is asked of all at once

    read = facts_of([*outputs().values()])[1]
    strange = {
        output.text.command: [
            output.text.text.split("\n")[number - output.text.line] for number in output.strange
        ]
        for output in read
        if output.strange
    }
    assert strange == {}


@pytest.mark.parametrize("command", [command for command, kept in outputs().items() if "\t" in kept.text])
def test_a_terminal_that_copies_tabs_as_blanks_changes_nothing(command: str) -> None:
    """Each line of an output whose tabs were expanded is read as before."""
    kept = outputs()[command]
    accounts = [facts_of([kept._replace(text=words)])[1][0] for words in (kept.text, kept.text.expandtabs())]
    before, expanded = ((account.read, account.strange) for account in accounts)
    assert expanded == before


@pytest.mark.parametrize("command", outputs())
def test_a_block_that_was_copied_with_blanks_up_to_its_edge_changes_nothing(command: str) -> None:
    """Each line is read as before, whatever stands behind it."""
    kept = outputs()[command]
    rows = kept.text.splitlines()
    padded = "".join(f"{row.ljust(max(map(len, rows)) + 9)}\n" for row in rows)
    accounts = [facts_of([kept._replace(text=words)])[1][0] for words in (kept.text, padded)]
    before, blanks = ((account.read, account.strange) for account in accounts)
    assert blanks == before
