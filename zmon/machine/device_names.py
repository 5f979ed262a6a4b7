"""Which device a word names; what one screen shows all accept."""

from __future__ import annotations

from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.kinds import BLOCK, DASD, DEVICE, LAYER
from zmon.machine.devices import devices_of
from zmon.machine.topology import volumes_of
from zmon.machine.view import NoSuchThing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.machine.view import View


MADE: Final = ("dm", "md")
"""The sorts of LAYER that are made of other devices."""


def find_device(view: View, word: str) -> str:
    """Return the key of the device on line that a word names.

    A number is the device's number in this Linux where there is one, else that of the real device.  Its
    subchannel set may be in front, as CP and machines write it: `17000` is `0.1.7000`.

    Raises:
        NoSuchThing: it names none, or several; says which.
    """
    keys = matches(view, word, devices_of(view.interval).keys)
    if len(keys) == 1:
        return keys[0]
    if keys:
        raise NoSuchThing(f"{word!r} may be {' or '.join(keys)}: say which")
    if _is_made_of_others(view, word):
        raise NoSuchThing(f"{word!r} is made of other devices: STACKED shows it, DEVICE the disks below")
    raise NoSuchThing(f"no device {word!r} is on line; DEVICE lists those that are")


def _is_made_of_others(view: View, word: str) -> bool:
    """Return whether a word names a device of the device mapper, or an array."""
    layers = view.interval.after.frame(LAYER)
    columns = zip(*map(layers.column, ("name", "mapped", "sort")), strict=True)
    return any(sort in MADE and word in {name, mapped} for name, mapped, sort in columns)


def matches(view: View, word: str, keys: Sequence[str]) -> list[str]:
    """Return those of some devices that a word names: by bus id, else by number, else by any other name."""
    wanted = word.strip().casefold()
    if not wanted:
        return []
    whole = [key for key in keys if key.casefold() == wanted]
    if whole:
        return whole
    number = wanted.zfill(4)
    numbered = [key for key in keys if key.endswith(f".{number[-4:]}") and number in _numbers(key)]
    if numbered:
        return numbered
    names = _names(view)
    return [key for key in keys if not names.get(key, frozenset()).isdisjoint({wanted, number})]


def _numbers(busid: str) -> tuple[str, str]:
    """Return the number of a device, and the same with its subchannel set in front: `7000`, `17000`."""
    group, _, number = busid.casefold().rpartition(".")
    return number, group.rpartition(".")[2] + number


def _names(view: View) -> Mapping[str, set[str]]:
    """Return what the devices are called besides their numbers, in small letters."""
    interval, names = view.interval, dict[str, set[str]]()
    devices, dasd, blocks = interval.of(DEVICE), interval.of(DASD), interval.of(BLOCK)
    _add(names, devices.keys, devices["block"])
    _add(names, dasd.keys, dasd["name"])
    _add(names, dasd.keys, dasd["volser"])
    _add(names, blocks.keys, blocks["label"])
    for key, name in zip(devices.keys, devices["block"], strict=True):
        names.setdefault(key, set()).update(names.get(str(name), ()))
    shown = devices_of(interval)
    for other in (shown.names, shown.block_labels):
        _add(names, shown.keys, other)
    for name, paths in shown.paths.items():
        _add(names, [name] * len(paths), paths)
    for key, volume in volumes_of(view).items():
        for name in (volume.volser, volume.label, volume.rdev):
            _add(names, [key], [name])
    return names


def _add(names: dict[str, set[str]], keys: Sequence[str], values: Sequence[Value]) -> None:
    """Add a name to each device that has one."""
    for key, value in zip(keys, values, strict=True):
        if isinstance(value, str) and value:
            names.setdefault(key, set()).add(value.casefold())
