"""Which device a word names: by bus id, number, real device number, Linux name, or one of its labels.

Every screen that takes a device looks it up here, so that what one screen shows is accepted by all.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from zmon.kinds import BLOCK, DASD, DEVICE
from zmon.tables.device import address, devices_of, labels
from zmon.tables.topology import volumes_of
from zmon.tables.view import NoSuchThing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.absent import Value
    from zmon.tables.table import Table
    from zmon.tables.view import View


def find(view: View, word: str) -> str:
    """Return the key of the device on line that a word names.

    A number is the device's number in this Linux where there is one, else that of the real device.

    Raises:
        NoSuchThing: it names none, or several; says which.
    """
    found = matches(view, word, devices_of(view.interval).keys)
    if len(found) == 1:
        return found[0]
    if found:
        raise NoSuchThing(f"{word!r} may be {' or '.join(found)}: say which")
    raise NoSuchThing(f"no device {word!r} is on line; DEVICE lists those that are")


def matches(view: View, word: str, keys: Sequence[str]) -> list[str]:
    """Return those of some devices that a word names: by bus id, else by number, else by any other name."""
    wanted = word.strip().casefold()
    if not wanted:
        return []
    whole = [key for key in keys if key.casefold() == wanted]
    if whole:
        return whole
    number = wanted.zfill(4)
    numbered = [key for key in keys if "." in key and address(key).casefold() == number]
    if numbered:
        return numbered
    names = _names(view)
    return [key for key in keys if not names.get(key, frozenset()).isdisjoint({wanted, number})]


def _names(view: View) -> Mapping[str, set[str]]:
    """Return what the devices are called besides their numbers, in small letters."""
    interval, found = view.interval, dict[str, set[str]]()
    devices, dasd, blocks = interval.of(DEVICE), interval.of(DASD), interval.of(BLOCK)
    _add(found, devices.keys, devices["block"])
    _add(found, dasd.keys, dasd["name"])
    _add(found, dasd.keys, dasd["volser"])
    _add(found, blocks.keys, blocks["label"])
    for key, name in zip(devices.keys, devices["block"], strict=True):
        found.setdefault(key, set()).update(found.get(str(name), ()))
    for key, volume in volumes_of(view).items():
        for one in (volume.volser, volume.label, volume.rdev):
            _add(found, [key], [one])
    return found


def _add(found: dict[str, set[str]], keys: Sequence[str], values: Sequence[Value]) -> None:
    """Add a name to each device that has one."""
    for key, value in zip(keys, values, strict=True):
        if isinstance(value, str) and value:
            found.setdefault(key, set()).add(value.casefold())


def relabelled(filled: Table, view: View, by: str = "addr", column: str = "label") -> Table:
    """Show the labels of a table by time as DEVICE shows them: those of the volumes, where CP tells them."""
    told = volumes_of(view)
    if not told or column not in filled.columns:
        return filled
    devices = devices_of(view.interval)
    numbers = [address(key) for key in devices.keys]
    often = Counter(numbers)
    shown = {
        number: label
        for number, label in zip(numbers, labels(devices, told), strict=True)
        if often[number] == 1
    }
    pairs = zip(filled.columns[by], filled.columns[column], strict=True)
    values = [shown.get(str(number), label) for number, label in pairs]
    return filled._replace(columns={**filled.columns, column: values})
