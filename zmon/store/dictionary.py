"""What many samples have in common, stored once: kinds and their fields, layouts, and baselines.

The kinds are in the file itself, so a field that a later zmon no longer knows, or defines otherwise, keeps
the meaning that it had when it was recorded.  A baseline holds the values of all rows of a column at one time
(table `still`): most rows do not change for an hour, and segments hold only what differs.

The `load_` functions raise `Damaged` for what is missing, has a wrong checksum or is not understood.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from functools import lru_cache

from zmon.base.absent import absent
from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.record import NamedTuple
from zmon.kinds import CMF_BASIC, EXACT, KINDS
from zmon.sample import Field, Kind, Meaning
from zmon.store.column_encoding import decode_column, dump, encode_column, load
from zmon.store.file_format import Damaged, checked, crc, row_crc
from zmon.store.readings import Layout

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from zmon.base.absent import Absent, Value

MAX_ROWS: Final = 1 << 18
"""Things of one kind: a machine has four subchannel sets of 65,536 devices."""

MAX_KINDS: Final = 1 << 10
"""Kinds of a recording: zmon knows some twenty, and each version may add some of each."""

OWN_KINDS: Final = (*KINDS.values(), CMF_BASIC, EXACT)


def content_digest(data: bytes) -> int:
    """Return a number that is the same for the same bytes alone."""
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little", signed=True)


class Dictionary:
    """The dictionary of one recording, for its writer: what is there is found, what is new is added.

    Every method may insert rows, within the transaction of its caller.
    """

    def __init__(self) -> None:
        """Begin with an empty cache."""
        self._numbers: dict[int, int] = {}
        """Of each kind by its identity."""
        self._known: list[Kind] = []
        """Keeps the kinds alive, so that none gets the identity of another."""

    def kind(self, connection: sqlite3.Connection, kind: Kind) -> int:
        """Return the number of a kind."""
        number = self._numbers.get(id(kind))
        if number is None:
            number = _find_kind(connection, kind) or _add_kind(connection, kind)
            self._known.append(kind)
            self._numbers[id(kind)] = number
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
            row = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM layout").fetchone()
            connection.execute(
                "INSERT INTO layout (id, kind, digest, body, crc) VALUES (?, ?, ?, ?, ?)",
                (row[0], number, digest, body, crc(body, "layout", row[0], number)),
            )
        return Layout(int(row[0]), kind, keys, names, missing)


@lru_cache(maxsize=64)
def _bare(kind: Kind) -> Kind:
    """Return a kind without its fields, for frames without rows; a reader adds the fields."""
    return Kind(kind.name, kind.key, (), alone=kind.alone)


# kinds


def _as_rows(kind: Kind) -> list[tuple[int, str, str, str, str, str, float]]:
    return [
        (place, f.name, f.meaning.value, f.unit, f.source, str(f.modulus), float(f.wraps_after))
        for place, f in enumerate(kind.fields)
    ]


def _row_crc(number: int, row: Sequence[object], fields: Sequence[Sequence[object]]) -> int:
    """Return the checksum of a kind's row and of the rows of its fields."""
    return row_crc("kind", number, *row, *itertools.chain.from_iterable(fields))


def _kind_crc(number: int, kind: Kind) -> int:
    return _row_crc(number, (kind.name, kind.key, int(kind.alone)), _as_rows(kind))


FIELD_COLUMNS: Final = "place, name, meaning, unit, source, modulus, wraps_after"


def _fields(connection: sqlite3.Connection, number: int) -> list[tuple[Any, ...]]:
    return connection.execute(
        f"SELECT {FIELD_COLUMNS} FROM field WHERE kind = ? ORDER BY place",  # noqa: S608 - ours
        (number,),
    ).fetchall()


def _find_kind(connection: sqlite3.Connection, kind: Kind) -> int | None:
    rows = connection.execute("SELECT id, crc FROM kind WHERE name = ?", (kind.name,)).fetchall()
    for number, expected in rows:
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
        f"INSERT INTO field (kind, {FIELD_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - ours
        [(number, *row) for row in _as_rows(kind)],
    )
    return int(number)


def load_kind(connection: sqlite3.Connection, number: int, *, checks: bool = True) -> Kind:
    """Return a kind as it was recorded, with the fields that zmon has got since.

    Without `checks` its rows have no checksum: the file is of format 1.
    """
    sum_ = "crc" if checks else "NULL"
    row = connection.execute(f"SELECT name, key, alone, {sum_} FROM kind WHERE id = ?", (number,)).fetchone()  # noqa: S608 - ours
    if row is None:
        raise Damaged(f"kind {number} is not in the dictionary")
    *own, expected = row
    name, key, alone = own
    fields = _fields(connection, number)
    if not checks or _row_crc(number, own, fields) == expected:  # without fields it is one that `_bare` wrote
        own_kinds = [kind for kind in OWN_KINDS if kind.name == name and fields in ([], _as_rows(kind))]
    else:  # a damaged row of a kind of ours is recognised by its checksum
        own_kinds = [kind for kind in OWN_KINDS if _kind_crc(number, kind) == expected]
        if not own_kinds:
            raise Damaged(f"kind {number} is damaged: its checksum is wrong")
    if own_kinds:
        return own_kinds[0]
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


def damaged_kinds(connection: sqlite3.Connection, *, checks: bool) -> list[str]:
    """Return a sentence for each kind that is damaged, or that is missing and a layout refers to."""
    rows = connection.execute("SELECT id, name, key, alone, crc FROM kind").fetchall() if checks else []
    fields: dict[int, list[tuple[Any, ...]]] = {number: [] for number, *_ in rows}
    if checks:
        for number, *field in connection.execute(
            f"SELECT kind, {FIELD_COLUMNS} FROM field ORDER BY kind, place"  # noqa: S608 - ours
        ):
            fields.setdefault(number, []).append(tuple(field))
    missing = connection.execute(
        "SELECT DISTINCT kind FROM layout WHERE kind NOT IN (SELECT id FROM kind) ORDER BY kind"
    ).fetchall()
    return [
        f"kind {number} is damaged: its checksum is wrong"
        for number, *row, expected in rows
        if _row_crc(number, row, fields[number]) != expected
    ] + [f"kind {number} is not in the dictionary" for (number,) in missing]


# layouts


def load_layout(
    connection: sqlite3.Connection, number: int, kinds: dict[int, Kind], *, checks: bool = True
) -> Layout:
    """Return a layout; `kinds` are those loaded before, for `checks` see `load_kind`."""
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
        if not named or len(keys) > MAX_ROWS:
            raise Damaged(f"layout {number} has invalid keys")
        unknown = set(names) - set(kinds[kind].by_name)
    except (TypeError, KeyError) as error:
        raise Damaged(f"layout {number} is not understood: {error}") from error
    if unknown:
        raise Damaged(f"layout {number} has columns that its kind has not: {', '.join(sorted(unknown))}")
    return Layout(number, kinds[kind], keys, names, absent(missing) if isinstance(missing, str) else None)


# baselines


class NewBaseline(NamedTuple):
    """A baseline that is to be written."""

    number: int
    digest: int
    body: bytes


class Baselines:
    """The baselines of one recording, for its writer.

    Numbers are assigned here and not by SQLite, so that a segment can name a baseline before both are
    written.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Go on after those in the file."""
        last = connection.execute("SELECT max(id) FROM still").fetchone()[0]
        self._numbers = itertools.count((last or 0) + 1)

    def find(
        self, connection: sqlite3.Connection, values: Sequence[Value], new: list[NewBaseline]
    ) -> tuple[int, int]:
        """Return the number of a column and how many bytes it takes; a new one is added to `new`."""
        body = encode_column(values)
        digest = content_digest(body)
        row = connection.execute("SELECT id FROM still WHERE digest = ?", (digest,)).fetchone()
        numbers = [int(row[0])] if row else [baseline.number for baseline in new if baseline.digest == digest]
        if not numbers:
            numbers = [next(self._numbers)]
            new.append(NewBaseline(numbers[0], digest, body))
        return numbers[0], len(body)


def write_baselines(connection: sqlite3.Connection, new: Sequence[NewBaseline]) -> None:
    """Write baselines."""
    connection.executemany(
        "INSERT INTO still (id, digest, body, crc) VALUES (?, ?, ?, ?)",
        [(*baseline, crc(baseline.body, "still", baseline.number)) for baseline in new],
    )


def load_baseline(connection: sqlite3.Connection, number: int, count: int) -> list[Value]:
    """Return a baseline of `count` rows."""
    row = connection.execute("SELECT body, crc FROM still WHERE id = ?", (number,)).fetchone()
    if row is None:
        raise Damaged(f"column {number} is not in the dictionary")
    body, expected = row
    return decode_column(checked(body, expected, "still", number), count)
