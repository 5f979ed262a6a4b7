"""Thin pools: which blocks of the pool a thin volume has, out of a dump of the pool's metadata.

`thin_dump` writes it as XML.  Without it nobody but the pool knows where a block lies.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.topology.target import SECTOR, Layout, Leg, Target

if TYPE_CHECKING:
    from collections.abc import Iterator


class Run(NamedTuple):
    """Blocks side by side on the volume that are side by side on the pool as well; all in bytes."""

    origin: int
    data: int
    length: int


_ELEMENT: Final = re.compile(r"<(superblock|device|single_mapping|range_mapping)\b([^<>]*)>")
_ATTRIBUTE: Final = re.compile(r"\b([a-z_]+)\s*=\s*[\"']([^\"']*)[\"']")


def parse_dump(text: str) -> dict[int, tuple[Run, ...]]:
    """Parse what `thin_dump` wrote: for the number of each thin device its runs, by place on the volume.

    Only what is needed is looked at: `superblock data_block_size` (sectors), `device dev_id`, and in blocks
    `single_mapping origin_block data_block` and `range_mapping origin_begin data_begin length`.

    Raises:
        ValueError: it is no such dump, or a number is missing in it.
    """
    found: dict[int, list[Run]] = {}
    runs: list[Run] | None = None
    block = 0
    for element in _ELEMENT.finditer(text):
        numbers = dict(_ATTRIBUTE.findall(element[2]))
        match element[1]:
            case "superblock":
                block = _take(numbers, "data_block_size") * SECTOR
            case "device":
                runs = found.setdefault(_take(numbers, "dev_id"), [])
            case _ if runs is None or not block:
                raise ValueError("a mapping stands before the superblock or the device")
            case "single_mapping":
                origin, data = _take(numbers, "origin_block"), _take(numbers, "data_block")
                runs.append(Run(origin * block, data * block, block))
            case _:
                origin, data = _take(numbers, "origin_begin"), _take(numbers, "data_begin")
                runs.append(Run(origin * block, data * block, _take(numbers, "length") * block))
    if not block:
        raise ValueError("not a dump of a thin pool: no superblock in it")
    return {number: tuple(sorted(runs)) for number, runs in found.items()}


def _take(numbers: dict[str, str], name: str) -> int:
    word = numbers.get(name, "")
    if not re.fullmatch("[0-9]{1,15}", word):
        raise ValueError(f"{word[:40]!r} stands where {name} should be")
    return int(word)


def segments(target: Target, volumes: dict[int, tuple[Run, ...]]) -> Iterator[Target]:
    """Return a thin target run by run; what has no block is nowhere."""
    number = target.arguments.split()[1]
    at = target.start
    for run in volumes.get(int(number), ()):
        begin, end = max(run.origin, at), min(run.origin + run.length, target.end)
        if begin >= end:
            continue
        if at < begin:
            yield _hole(at, begin)
        leg = Leg(target.legs[0].device, run.data + begin - run.origin)
        yield Target(begin, end - begin, "thin", Layout.LINEAR, (leg,))
        at = end
    if at < target.end:
        yield _hole(at, target.end)


def _hole(begin: int, end: int) -> Target:
    note = "nothing was ever written to a part of the thin volume"
    return Target(begin, end - begin, "thin", Layout.NOWHERE, note=note)
