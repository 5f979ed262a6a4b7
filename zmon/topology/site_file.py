"""Reads the files in which a site describes its storage: site files in TOML, and the volume map in CSV.

docs/site.md describes them.  The columns of a volume map:

    volume, lcu, server, rank, extent_pool, channel_group, capacity_mb_s
    7600-767F, 6, server 0, R6, P0, side 0, 40
    7612, 5
    IBM.75000000092461.1500.18, LSS 08

A volume is the number of a real device, a range of them, a unique id, or the first three parts of one, for
all volumes of an LCU.  Columns from the third on may be missing.  Without a heading they are in this order;
with one, in any.  Lines that begin with `#` are comments.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import absent
from zmon.base.toml import PROFILES, SITE, TomlDocument, TomlTable, read_utf8, site_files
from zmon.topology.site import (
    NO_MAP,
    NUMBERS,
    Channels,
    LabelRule,
    MapRow,
    NumberRule,
    Site,
    SiteError,
    VolumeMap,
    naming,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from zmon.base.toml import Keys


COLUMNS: Final = ("volume", "lcu", "server", "rank", "extent_pool", "channel_group", "capacity_mb_s")


_UID_KEY: Final = re.compile(r"[^\s.]{1,3}\.[^\s.]{1,14}\.[0-9a-f]{4}(?:\.(?:[0-9a-f]{2}))?", re.ASCII)


def parse_map(text: str, origin: str) -> VolumeMap:
    """Read a volume map.

    Raises:
        SiteError: a line cannot be used, or contradicts another.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    columns: tuple[str, ...] = COLUMNS
    rows: list[MapRow] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        place = f"{origin}:{number}"
        cells = _cells(line, place)
        if columns is COLUMNS and not rows and [cell.lower() for cell in cells[1:2]] == ["lcu"]:
            columns = tuple(_heading(cells, place))
            continue
        if len(cells) > len(columns):
            raise SiteError(f"{place}: {len(cells)} columns, {len(columns)} are known: {', '.join(columns)}")
        rows.append(_map_row(dict(zip(columns, cells, strict=False)), place))
    return VolumeMap(rows)


def _cells(line: str, place: str) -> list[str]:
    import csv  # noqa: PLC0415 - most sites have no map

    try:
        cells = next(csv.reader([line], strict=True, skipinitialspace=True))
    except csv.Error as error:
        raise SiteError(f"{place}: {error}; it is a line of CSV") from error
    if not all(cell.isprintable() for cell in cells):
        raise SiteError(f"{place}: holds a control character: {line!r:.80}")
    return [cell.strip() for cell in cells]


def _heading(cells: list[str], place: str) -> Iterator[str]:
    for cell in cells:
        name = cell.lower().replace(" ", "_").replace("-", "_")
        if cell is cells[0]:
            yield COLUMNS[0]
        elif name in COLUMNS:
            yield name
        else:
            raise SiteError(f"{place}: column {cell!r} is not known; known are {', '.join(COLUMNS)}")


def _map_row(cells: dict[str, str], place: str) -> MapRow:
    volume, lcu = cells["volume"], cells.get("lcu", "")
    match = re.fullmatch(NUMBERS, volume)
    if match is None and _UID_KEY.fullmatch(volume) is None:
        raise SiteError(
            f"{place}: {volume!r} is no device number (7600), no range (7600-76FF) "
            "and no unique id (IBM.75000000092461.1500.18)"
        )
    if match is not None and match[2] is not None and int(match[1], 16) > int(match[2], 16):
        raise SiteError(f"{place}: {volume} ends before it begins")
    if not lcu:
        raise SiteError(f"{place}: says no LCU of {volume}; write it into the second column")
    return MapRow(
        volume,
        naming(lcu),
        cells.get("server", ""),
        cells.get("rank", ""),
        cells.get("extent_pool", ""),
        cells.get("channel_group", ""),
        _capacity(cells.get("capacity_mb_s", ""), place),
        place,
    )


def _capacity(cell: str, place: str) -> float | None:
    if not cell:
        return None
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", cell, re.ASCII) and float(cell) > 0:
        return float(cell)
    raise SiteError(f"{place}: capacity_mb_s is MB/s, a number above zero, not {cell!r}")


def parse_site(text: str, origin: str, volume_map: Callable[[str], VolumeMap] | None = None) -> Site:
    """Read a site file; `volume_map` reads the map that it names, which is left out otherwise.

    Raises:
        SiteError: the content is wrong; has file, line and key, and what to do.
    """
    return Site(**_fields(_SiteDocument(text, origin), volume_map))


def read_site(environ: Mapping[str, str], extra: str = "", system: str = SITE) -> Site:
    """Read the site files of the machine, of the user, and the one named on the command line.

    A table of a later file replaces the whole table of the same heading in an earlier one.  Those of the
    machine and the user need not exist.

    Raises:
        SiteError: a file cannot be used.
        OSError: the one named on the command line, or a map, cannot be read.
    """
    fields: dict[str, Any] = {}
    origins = [*site_files(environ, system), *([extra] if extra else [])]
    for path in origins:
        fields |= _fields(_SiteDocument(read_utf8(path, SiteError), path), _read_map)
    return Site(**fields | {"origins": tuple(origins)})


def _read_map(path: str) -> VolumeMap:
    return parse_map(read_utf8(path, SiteError), path)


class _SiteDocument(TomlDocument):
    def __init__(self, text: str, origin: str) -> None:
        super().__init__(text, origin, SiteError, "; it is a TOML file, see docs/site.md")

    def wrong(self, keys: Keys, what: str) -> ValueError:
        """Return the error that names the innermost key and its place."""
        name = next(key for key in reversed(keys) if isinstance(key, str))
        return SiteError(f"{self.place(keys)}: {name} {what}")


def _fields(document: TomlDocument, volume_map: Callable[[str], VolumeMap] | None) -> dict[str, Any]:
    """Return those fields of a `Site` that a file sets."""
    top = document.top()
    readers: dict[str, tuple[str, Callable[[str], Any]]] = {
        "bars": ("bars", top.flag),
        "capacity": ("capacities", lambda key: _capacities(top, key)),
        "channels": ("channels", lambda key: tuple(map(_channels, top.list_of(key)))),
        "lcu_by_number": ("rules", lambda key: tuple(map(_rule, top.list_of(key)))),
        "logs": ("logs", lambda key: tuple(top.words(key))),
        "map": ("map", lambda key: _map(top, key, volume_map)),
        "number_by_label": ("labels", lambda key: tuple(map(_label, top.list_of(key)))),
        "pane": ("pane", top.flag),
        "pins": ("pins", lambda key: tuple(top.words(key))),
        "profile": ("profile", lambda key: top.one_of(key, PROFILES)),
        "vdev_is_rdev": ("vdev_is_rdev", lambda key: top.place(key) if top.flag(key) else ""),
    }
    top.only(*readers)
    fields = {name: read(key) for key, (name, read) in readers.items() if key in top}
    return fields | {"origins": (document.origin,)}


def _word(entry: TomlTable, key: str) -> str:
    """Return a text on one line that is not empty."""
    word = entry.text(key)
    if not word or "\n" in word:
        raise entry.wrong(key, f"is a text in quotes, not {word!r:.60}")
    return word


def _rule(entry: TomlTable) -> NumberRule:
    entry.only("serial", "shift", *_NUMBER_RULES)
    serial = _word(entry, "serial")
    forms = [key for key in _NUMBER_RULES if key in entry]
    if len(forms) != 1:
        raise entry.wrong("", f"needs one of {', '.join(_NUMBER_RULES)}")
    if "shift" in entry and forms != ["mask"]:
        raise entry.wrong("shift", "goes with mask alone")
    try:
        rule, lcu_of = _NUMBER_RULES[forms[0]](entry.data)
    except (ValueError, re.error, RecursionError, OverflowError) as error:
        raise entry.wrong(forms[0], str(error)) from error
    return NumberRule(serial.rpartition(".")[2], rule, lcu_of, entry.place(forms[0]))


def _label(entry: TomlTable) -> LabelRule:
    entry.only("pattern")
    pattern = _word(entry, "pattern")
    if len(pattern) > 6 or pattern.count("#") not in {4, 5}:
        what = "is a label of at most six characters with four or five #, one for each digit: 'AB####'"
        raise entry.wrong("pattern", f"{what}, not {pattern!r:.60}")
    form = "".join("([0-9A-F])" if char == "#" else re.escape(char.upper()) for char in pattern)
    return LabelRule(pattern, re.compile(form, re.ASCII), entry.place("pattern"))


def _map(top: TomlTable, key: str, volume_map: Callable[[str], VolumeMap] | None) -> VolumeMap:
    path = top.data[key]
    if not isinstance(path, str) or not path or not path.isprintable():
        raise top.wrong(key, f"is the path of a CSV file in quotes, not {path!r:.60}")
    path = os.path.join(os.path.dirname(top.document.origin), path)
    return volume_map(path) if volume_map else NO_MAP


def _capacities(top: TomlTable, key: str) -> dict[str, float]:
    data = top.data[key]
    if not isinstance(data, dict):
        raise top.wrong(key, 'is a table: [capacity], and below it lines such as "LCU 6" = 40')
    table = TomlTable(top.document, (key,), data)
    return {naming(name): _rate(table, name) for name in data}


def _rate(table: TomlTable, key: str) -> float:
    rate = table.data[key]
    if type(rate) not in {int, float} or not 0 < rate < 1e9:
        raise table.wrong(key, f"is MB/s, a number above zero, not {rate!r:.60}")
    return float(rate)


def _channels(entry: TomlTable) -> Channels:
    entry.only("name", "lcus", "mb_s")
    lcus = tuple(map(naming, entry.words("lcus")))
    rate = _rate(entry, "mb_s") if "mb_s" in entry else absent("the site says no mb_s of these channels")
    return Channels(_word(entry, "name"), lcus, rate, entry.place("name"))


def _by_digits(entry: Mapping[str, Any]) -> tuple[str, Callable[[str], str]]:
    pattern = entry["pattern"]
    if not isinstance(pattern, str) or not re.fullmatch(r"[0-9A-FXxn]{4,5}", pattern) or "n" not in pattern:
        raise ValueError(
            "is four or five characters: hex digits as they are, n for each digit that names the LCU, "
            f"X for any other: '7nXX', not {pattern!r:.60}"
        )
    signs = {"n": "([0-9A-F])", "X": "[0-9A-F]", "x": "[0-9A-F]"}
    form = re.compile("".join(signs.get(sign, sign) for sign in pattern), re.ASCII)
    return pattern, lambda rdev: naming("".join(match.groups())) if (match := form.fullmatch(rdev)) else ""


def _by_regex(entry: Mapping[str, Any]) -> tuple[str, Callable[[str], str]]:
    pattern = entry["regex"]
    if not isinstance(pattern, str):
        raise ValueError(f"is a text in quotes, not {pattern!r:.60}")  # noqa: TRY004 - as all errors here
    form = re.compile(pattern, re.ASCII)
    if form.groups != 1:
        raise ValueError(f"has one group, which is the name of the LCU: '7(.)..', not {pattern!r}")
    return pattern, lambda rdev: naming(match[1] or "") if (match := form.fullmatch(rdev)) else ""


def _by_mask(entry: Mapping[str, Any]) -> tuple[str, Callable[[str], str]]:
    text, shift = entry["mask"], entry.get("shift")
    if not isinstance(text, str) or not re.fullmatch(r"(?:0x)?[0-9A-Fa-f]{1,5}", text) or not int(text, 16):
        raise ValueError(f"is a hex number in quotes, '0F00', not {text!r:.60}")
    mask = int(text, 16)
    lowest = (mask & -mask).bit_length() - 1
    if shift is None:
        shift = lowest
    if type(shift) is not int or not 0 <= shift <= lowest:
        raise ValueError(f"{text} goes with a shift of 0 to {lowest} bits, not {shift!r:.60}")
    return f"mask {text}", lambda rdev: naming(f"{(int(rdev, 16) & mask) >> shift:X}")


def _by_ranges(entry: Mapping[str, Any]) -> tuple[str, Callable[[str], str]]:
    ranges = entry["ranges"]
    if not isinstance(ranges, dict) or not ranges:
        raise ValueError('is a table: ranges = { "E000-E0FF" = "E0" }')
    for name in ranges.values():
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"gives each range the name of an LCU in quotes, not {name!r:.60}")
    for span in ranges:
        match = re.fullmatch(NUMBERS, span)
        if not match or int(match[1], 16) > int(match[2] or match[1], 16):
            raise ValueError(f"holds ranges of device numbers, E000-E0FF, not {span!r:.60}")
    try:
        volume_map = VolumeMap(MapRow(span, naming(name), place="ranges") for span, name in ranges.items())
    except SiteError as error:
        raise ValueError(str(error).removeprefix("ranges: ")) from error
    return ", ".join(ranges), lambda rdev: next((row.lcu for row in volume_map.about(None, rdev)), "")


_NUMBER_RULES: Final = {
    "pattern": _by_digits,
    "regex": _by_regex,
    "mask": _by_mask,
    "ranges": _by_ranges,
}
