"""Which of a volume's own devices its table names by number: LVM calls these after the volume.

    vg-data_rimage_0: 0 5242880 linear 94:13 10240
    vg-data: 0 5242880 raid raid1 3 0 region_size 4096 2 253:0 253:1 ...       253:1 is vg-data_rimage_0

Source: lvm2, lib/activate/dev_manager.c, lib/metadata/lv_manip.c; Linux,
Documentation/admin-guide/device-mapper.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.collected.numbers import NUMBER
from zmon.topology.stack import group_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_NUMBER: Final = re.compile(NUMBER)
_POOL: Final = "-tpool"
_NAMED: Final = {
    "thin": ("*-tpool",), "thin-pool": ("{}_tmeta", "{}_tdata"), "cache": ("*_cmeta", "*_cdata", "{}_corig"),
    "snapshot-origin": ("{}-real",), "snapshot": ("*-real", "{}-cow"), "snapshot-merge": ("*-real", "{}-cow"),
}  # fmt: skip
"""What a table begins with, by its target; `*` is a device of any volume of the group."""


def legs_in(tables: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the names of devices by the numbers that tables of others have, where only one fits.

    `tables` has the lines of each device's table, without its name.
    """
    may_be: dict[str, set[str]] = {}
    for title, lines in tables.items():
        _start, _length, target, *arguments = lines[0].split(" ")
        for number, names in _legs(title, target, arguments):
            there = {name for own in names for name in tables if name == own or _is_like(name, own, title)}
            if there and _NUMBER.fullmatch(number):
                may_be[number] = may_be.get(number, there) & there
    sure_names: dict[str, str] = {}
    while sure := {number: min(titles) for number, titles in may_be.items() if len(titles) == 1}:
        taken = [*sure.values(), *sure_names.values()]
        sure_names |= {number: title for number, title in sure.items() if taken.count(title) == 1}
        may_be = {number: titles - {*taken} for number, titles in may_be.items() if number not in sure}
    return sure_names


def _legs(title: str, target: str, arguments: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the numbers in a table with the names that their devices may have; `*` is any volume's."""
    base = title.removesuffix(_POOL)
    if target in {"raid", "mirror"}:
        if len(arguments) < 3 or not re.fullmatch("[0-9]{1,3}", arguments[1]):
            return  # the line is cut, or is no table
        count = int(arguments[1])
        if arguments[0] == "disk":
            yield arguments[2], (f"{title}_mlog",)
        for nth, word in enumerate(arguments[count + 3 :]):  # behind how many there are
            image = ("rmeta", "rimage")[nth % 2] if target == "raid" else "mimage"
            yield word, (f"{title}_{image}_{nth // 2}",)
    elif target == "linear" and arguments:
        yield arguments[0], (f"{title}{_POOL}", *re.findall(r"(.+)_c(?:data|meta)$", title))
    else:
        names = (name.format(base) for name in _NAMED.get(target, ()))
        yield from ((number, (name,)) for number, name in zip(arguments, names, strict=False))


def _is_like(name: str, own: str, title: str) -> bool:
    """Return whether a name ends like that of any volume of a volume's group."""
    return own.startswith("*") and name.endswith(own[1:]) and group_of(name) == group_of(title)
