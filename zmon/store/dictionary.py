"""What many samples have in common, stored once: kinds and their fields, layouts, columns that stand still.

The kinds are in the file itself, so that a column which a later zmon does not know any more, or knows
otherwise, keeps the meaning it had when it was recorded.
"""

from __future__ import annotations

import itertools
import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from zmon.absent import absent
from zmon.kinds import CMF_BASIC, EXACT, KINDS
from zmon.sample import Field, Kind, Meaning
from zmon.store.baseline import content_digest
from zmon.store.column_encoding import dump, load
from zmon.store.file_format import Damaged, checked, crc
from zmon.store.readings import Layout

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from zmon.absent import Absent

MOST_ROWS: Final = 1 << 18
"""No machine has more things of one kind: four subchannel sets of 65,536 devices."""


MOST_KINDS: Final = 1 << 10
"""No recording has more kinds: zmon knows some twenty, and each version of zmon may add some of each."""


class Dictionary:
    """The dictionary of one recording, as its writer sees it: what is there is found, what is new is added.

    Every method may add rows, within the transaction of its caller.
    """

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._kinds: dict[int, int] = {}
        self._known: list[Kind] = []
        """Kept alive, so that no other kind gets the identity of one that is remembered."""

    def kind(self, connection: sqlite3.Connection, kind: Kind) -> int:
        """Return the number of a kind."""
        number = self._kinds.get(id(kind))
        if number is None:
            number = _find_kind(connection, kind)
            if number is None:
                number = _add_kind(connection, kind)
            self._known.append(kind)
            self._kinds[id(kind)] = number
        return number

    def layout(
        self,
        connection: sqlite3.Connection,
        kind: Kind,
        keys: list[str],
        names: tuple[str, ...],
        missing: Absent | None,
    ) -> Layout:
        """Return the layout of frames with these rows and columns."""
        number = self.kind(connection, kind if names or kind is not KINDS.get(kind.name) else _bare(kind))
        lines = "\n".join(keys) if not any("\n" in key for key in keys) and keys else keys
        text = {"kind": number, "keys": lines, "columns": names, "missing": missing and missing.reason}
        digest = content_digest(json.dumps(text).encode())
        row = connection.execute("SELECT id FROM layout WHERE digest = ?", (digest,)).fetchone()
        if row is None:
            body = dump(text)
            (own,) = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM layout").fetchone()
            connection.execute(
                "INSERT INTO layout (id, kind, digest, body, crc) VALUES (?, ?, ?, ?, ?)",
                (own, number, digest, body, crc(body, "layout", own, number)),
            )
            return Layout(own, kind, keys, names, missing)
        return Layout(int(row[0]), kind, keys, names, missing)


@lru_cache(maxsize=64)
def _bare(kind: Kind) -> Kind:
    """Return a kind without its fields, which take room, for frames that hold nothing: a reader adds them."""
    return Kind(kind.name, kind.key, (), alone=kind.alone)


def _as_rows(kind: Kind) -> list[tuple[int, str, str, str, str, str, float]]:
    return [
        (place, f.name, f.meaning.value, f.unit, f.source, str(f.modulus), float(f.wraps_after))
        for place, f in enumerate(kind.fields)
    ]


def _kind_crc(number: int, kind: Kind) -> int:
    """Return the checksum of a kind's row and of the rows of its fields."""
    return _row_crc(number, (kind.name, kind.key, int(kind.alone)), _as_rows(kind))


def _row_crc(number: int, row: Sequence[object], fields: Sequence[Sequence[object]]) -> int:
    name, key, alone = row
    return crc(b"", "kind", number, name, key, alone, *itertools.chain.from_iterable(fields))


def _fields(connection: sqlite3.Connection, number: int) -> list[tuple[Any, ...]]:
    return connection.execute(
        "SELECT place, name, meaning, unit, source, modulus, wraps_after FROM field"
        " WHERE kind = ? ORDER BY place",
        (number,),
    ).fetchall()


def _find_kind(connection: sqlite3.Connection, kind: Kind) -> int | None:
    for number, expected in connection.execute(
        "SELECT id, crc FROM kind WHERE name = ?", (kind.name,)
    ).fetchall():
        if expected == _kind_crc(number, kind) and _fields(connection, number) == _as_rows(kind):
            return int(number)
    return None


def _add_kind(connection: sqlite3.Connection, kind: Kind) -> int:
    (number,) = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM kind").fetchone()
    connection.execute(
        "INSERT INTO kind (id, name, key, alone, crc) VALUES (?, ?, ?, ?, ?)",
        (number, kind.name, kind.key, kind.alone, _kind_crc(number, kind)),
    )
    connection.executemany(
        "INSERT INTO field (kind, place, name, meaning, unit, source, modulus, wraps_after)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(number, *row) for row in _as_rows(kind)],
    )
    return int(number)


OURS: Final = (*KINDS.values(), CMF_BASIC, EXACT)


def load_kind(connection: sqlite3.Connection, number: int, *, checks: bool = True) -> Kind:
    """Return a kind as it was when it was recorded, with the fields that zmon has learnt since.

    Without `checks`, its rows have no checksum: the file is of format 1.

    Raises:
        Damaged: it is not there, damaged or not understood.
    """
    sum_ = "crc" if checks else "NULL"
    row = connection.execute(f"SELECT name, key, alone, {sum_} FROM kind WHERE id = ?", (number,)).fetchone()  # noqa: S608 - ours
    if row is None:
        raise Damaged(f"kind {number} is not in the dictionary")
    name, key, alone, expected = row
    fields = _fields(connection, number)
    whole = not checks or _row_crc(number, (name, key, alone), fields) == expected
    for kind in OURS:
        if _kind_crc(number, kind) == expected or (
            whole and kind.name == name and _as_rows(kind) == fields
        ):  # by its checksum it is known even where its rows are damaged
            return kind
    if not whole:
        raise Damaged(f"kind {number} is damaged: its checksum is wrong")
    try:
        recorded = [
            Field(str(n), Meaning(meaning), str(unit), str(source), int(modulus), float(wraps))
            for _place, n, meaning, unit, source, modulus, wraps in fields
        ]
    except (ValueError, TypeError, OverflowError) as error:
        raise Damaged(f"kind {name!r} is not understood: {error}") from error
    have = {field.name for field in recorded}
    since = [field for field in KINDS[name].fields if field.name not in have] if name in KINDS else []
    return Kind(str(name), str(key), (*recorded, *since), alone=bool(alone))


def damaged_kinds(connection: sqlite3.Connection) -> list[int]:
    """Return the numbers of the kinds whose rows, or those of their fields, are not as they were written."""
    rows = connection.execute("SELECT id, name, key, alone, crc FROM kind").fetchall()
    return [
        number
        for number, *row, expected in rows
        if _row_crc(number, row, _fields(connection, number)) != expected
    ]


def missing_kinds(connection: sqlite3.Connection) -> list[int]:
    """Return the numbers of the kinds that layouts refer to and the dictionary lacks."""
    rows = connection.execute(
        "SELECT DISTINCT kind FROM layout WHERE kind NOT IN (SELECT id FROM kind) ORDER BY kind"
    ).fetchall()
    return [number for (number,) in rows]


def load_layout(
    connection: sqlite3.Connection, number: int, kinds: dict[int, Kind], *, checks: bool = True
) -> Layout:
    """Return a layout; `kinds` are those loaded before, for `checks` see `load_kind`.

    Raises:
        Damaged: it is not there, or not understood.
    """
    row = connection.execute("SELECT kind, body, crc FROM layout WHERE id = ?", (number,)).fetchone()
    if row is None:
        raise Damaged(f"layout {number} is not in the dictionary")
    kind, body, expected = row
    text = load(checked(body, expected, "layout", number, kind))
    if kind not in kinds:
        kinds[kind] = load_kind(connection, kind, checks=checks)
    try:
        keys, names, missing = text["keys"], tuple(text["columns"]), text["missing"]
        if type(keys) is str:
            keys = keys.split("\n")
        named = type(keys) is list and set(map(type, (*keys, *names))) <= {str}
        if not named or len(keys) > MOST_ROWS:
            raise Damaged(f"layout {number} has keys that are none")
        unknown = set(names) - set(kinds[kind].by_name)
    except (TypeError, KeyError) as error:
        raise Damaged(f"layout {number} is not understood: {error}") from error
    if unknown:
        raise Damaged(f"layout {number} has columns that its kind has not: {', '.join(sorted(unknown))}")
    return Layout(number, kinds[kind], keys, names, absent(missing) if isinstance(missing, str) else None)
