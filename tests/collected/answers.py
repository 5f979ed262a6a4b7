"""What zmon says of disks and paths, given texts: what one more text, or a damaged line, must not spoil."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from zmon.collected.collection import sample_of_pass
from zmon.kernel.capture_tree import ArchivedTree
from zmon.placement.word_lookup import MeaningKind, WordMeaning, find, find_by_name, meanings
from zmon.topology.claims import Grade
from zmon.topology.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.kernel.capture_text import CollectedText


class Answer(NamedTuple):
    """What is said of a disk or of a path."""

    grade: Grade
    disks: frozenset[str]
    """Titles of the disks; of what stands for a device that is not known no disk has the title."""
    uses: frozenset[str] = frozenset()
    """Mount points, and `swap`."""
    looks_free: bool = False
    """Whether it is said that all was looked at, and no use is there."""


def answers(texts: Sequence[CollectedText], disks: Iterable[str], paths: Iterable[str]) -> dict[str, Answer]:
    """Return what texts say of each disk, and of a file at each path."""
    return answers_of(Machine(sample_of_pass(ArchivedTree("texts", "", {}, texts), "texts")), disks, paths)


def answers_of(machine: Machine, disks: Iterable[str], paths: Iterable[str]) -> dict[str, Answer]:
    """Return what is said of each disk of a machine, and of a file at each path."""
    said = {disk: _of_disk(disk, machine) for disk in disks}
    for path in paths:
        location = find_by_name(WordMeaning(path, MeaningKind.FILE, path), machine).locations[0]
        titles = frozenset(machine.stack.title(share.volume.number) for share in location.disks)
        said[path] = Answer(location.grade, titles)
    return said


def _of_disk(disk: str, machine: Machine) -> Answer:
    meant = meanings(disk, machine)
    if not meant:
        return Answer(Grade.UNKNOWN, frozenset())
    result = find(meant[0], machine)
    uses = frozenset(mount.point or "swap" for mount in result.mounts)
    grade = min((volume.grade for volume in result.volumes), default=Grade.UNKNOWN)
    titles = frozenset(machine.stack.title(volume.number) for volume in result.volumes)
    return Answer(grade, titles, uses, not uses and not result.devices and not result.unseen)
