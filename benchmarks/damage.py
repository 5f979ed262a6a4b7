"""Whether a damaged recording ever gives another figure in silence.

    python -m benchmarks.damage [MUTANTS]

Each mutant is a copy of a shipped recording with one damage: a bit, a byte, sixteen bytes, a page that is
replaced by another, a file cut off; or, beneath SQLite, a value of a row that is changed, a row that is lost
or doubled.  One of twenty views is asked of it, and of the whole file.  If what is printed differs, the
status must be 1 or the damage must be said; else the figure changed in silence.  Ten thousand take a quarter
of an hour on two cores.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.cli.main import main as zmon

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MUTANTS: Final = 10_000
ROOT: Final = Path(__file__).parents[1] / "recordings"
FILES: Final = (
    "hercules-two-hot-files-before", "hercules-two-hot-files-after", "lab-shark-before", "lab-shark-after",
    "qemu-one-path-of-two", "lab-healthy-day",
)  # fmt: skip
VIEWS: Final[tuple[tuple[str, ...], ...]] = (
    *(("show", name, "--from", "{}", "--json") for name in (
        "OVERVIEW", "DEVICE", "CTLUNIT", "CHANNEL", "CPU", "STORAGE", "EXCEPT", "DIAGNOSE", "SYSSUMLG",
        "DEVLOG", "MPATH", "IOCONF",
    )),
    ("diagnose", "--from", "{}", "--json"),
    ("check", "--from", "{}", "--json"),
    ("rules", "--from", "{}", "--json"),
    ("plot", "device.io", "--from", "{}", "--json"),
    ("info", "{}", "--json"),
    ("export", "{}", "--rollups", "minutes", "--format", "jsonl"),
    ("export", "{}", "--kind", "block", "--format", "jsonl"),
    ("export", "{}", "--rollups", "quarters", "--format", "jsonl"),
)  # fmt: skip
WHOLE_DAY: Final = frozenset({"diagnose", "rules", "plot", "export", "OVERVIEW", "EXCEPT", "SYSSUMLG"})
"""Views that look at each minute, which takes seconds of a day."""
PAGE: Final = 4096
SAID: Final = ("damage", "cannot be read", "not understood", "malformed", "not a database", "cut off")
"""What tells a reader that something is wrong with the file."""


class Outcome(NamedTuple):
    """What a view gives of a mutant."""

    file: str
    seed: int
    damage: str
    view: str
    verdict: str
    """`same`, `said`, `silent` or `mistake`."""


# damages


def _bit(data: bytearray, chance: random.Random) -> None:
    data[chance.randrange(100, len(data))] ^= 1 << chance.randrange(8)


def _byte(data: bytearray, chance: random.Random) -> None:
    data[chance.randrange(100, len(data))] = chance.randrange(256)


def _zeros(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(100, len(data) - 16)
    data[at : at + 16] = bytes(16)


def _page(data: bytearray, chance: random.Random) -> None:
    one, other = (chance.randrange(1, len(data) // PAGE) * PAGE for _ in range(2))
    data[one : one + PAGE] = data[other : other + PAGE]


def _cut(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(PAGE, len(data)) :]


BYTES: Final[tuple[Callable[[bytearray, random.Random], None], ...]] = (_bit, _byte, _zeros, _page, _cut)


@cache
def _columns(path: str) -> dict[str, list[str]]:
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        names = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        return {
            name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            for name in names
            if connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]  # noqa: S608 - its own names
        }


def _of_row(path: str, original: str, chance: random.Random) -> str:
    """Damage a row beneath the checksums of pages, as a writer with a mistake or a second disk would."""
    columns = _columns(original)
    table = chance.choice(sorted(columns))
    column = chance.choice(columns[table])
    how = chance.choice(("change", "change", "change", "lose", "lose last", "double"))
    with contextlib.closing(sqlite3.connect(path)) as connection:
        row = "rowid"
        try:
            rows = [number for (number,) in connection.execute(f"SELECT rowid FROM {table}")]  # noqa: S608
        except sqlite3.OperationalError:  # without rowid
            row, rows = columns[table][0], [
                key for (key,) in connection.execute(f"SELECT {columns[table][0]} FROM {table}")  # noqa: S608
            ]  # fmt: skip
        at = rows[-1] if how == "lose last" else chance.choice(rows)
        with contextlib.suppress(sqlite3.Error):
            if how.startswith("lose"):
                connection.execute(f"DELETE FROM {table} WHERE {row} = ?", (at,))  # noqa: S608
            elif how == "double":
                other = chance.choice(rows)
                connection.execute(
                    f"UPDATE {table} SET {column} = (SELECT {column} FROM {table} WHERE {row} = ? LIMIT 1)"  # noqa: S608
                    f" WHERE {row} = ?",
                    (other, at),
                )
            else:
                value = connection.execute(
                    f"SELECT {column} FROM {table} WHERE {row} = ?",  # noqa: S608
                    (at,),
                ).fetchone()[0]
                connection.execute(
                    f"UPDATE {table} SET {column} = ? WHERE {row} = ?",  # noqa: S608
                    (_changed(value, chance), at),
                )
        connection.commit()
    return f"{how} {table}.{column}"


def _changed(value: object, chance: random.Random) -> object:
    if isinstance(value, int):
        return value ^ (1 << chance.randrange(min(max(value.bit_length(), 1) + 1, 62)))
    if isinstance(value, float):
        return value * 1.5 + 1.0
    if isinstance(value, str) and value:
        at = chance.randrange(len(value))
        return value[:at] + chr(ord(value[at]) ^ 1) + value[at + 1 :]
    if isinstance(value, bytes) and value:
        at = chance.randrange(len(value))
        return value[:at] + bytes([value[at] ^ (1 << chance.randrange(8))]) + value[at + 1 :]
    return 1


# views


def _asked(view: Sequence[str], path: str) -> tuple[int, str, str]:
    """Return status, output and messages of a command."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = zmon([word.format(path) for word in view])
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else 2
    return status, out.getvalue(), err.getvalue()


@cache
def _whole(view: Sequence[str], path: str, original: str) -> tuple[int, str, str]:
    shutil.copyfile(original, path)
    return _asked(view, path)


def _try(seed: int) -> Outcome:
    """Make a mutant, ask a view of it, and compare."""
    chance = random.Random(seed)  # noqa: S311 - it must be repeatable
    name = FILES[seed % len(FILES)]
    original = str(ROOT / f"{name}.zmon")
    views = [view for view in VIEWS if name != "lab-healthy-day" or WHOLE_DAY.isdisjoint(view)]
    view = chance.choice(views)
    path = os.path.join(tempfile.gettempdir(), f"damage-{os.getpid()}.zmon")
    for left in (f"{path}-wal", f"{path}-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(left)
    whole = _whole(view, path, original)
    shutil.copyfile(original, path)
    if chance.random() < 0.5:
        data = bytearray(Path(path).read_bytes())
        damage = chance.choice(BYTES)
        damage(data, chance)
        Path(path).write_bytes(data)
        named = damage.__name__.strip("_")
    else:
        named = _of_row(path, original, chance)
    got = _asked(view, path)
    return Outcome(name, seed, named, " ".join(view[:2]).replace("{}", ""), _verdict(whole, got))


def _verdict(whole: tuple[int, str, str], got: tuple[int, str, str]) -> str:
    if "mistake in" in got[2]:
        return "mistake"
    if got[:2] == whole[:2]:
        return "same"
    told = f"{got[1]} {got[2]}".casefold()
    before = f"{whole[1]} {whole[2]}".casefold()
    is_said = got[0] != whole[0] or any(told.count(word) > before.count(word) for word in SAID)
    return "said" if is_said else "silent"


def main() -> int:
    """Try so many mutants; 1 if a figure changed in silence, or zmon made a mistake."""
    many = int(sys.argv[1]) if len(sys.argv) > 1 else MUTANTS
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    count: Counter[str] = Counter()
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        for outcome in pool.map(_try, range(first, first + many), chunksize=16):
            count[outcome.verdict] += 1
            if outcome.verdict in {"silent", "mistake"}:
                print(*outcome, sep="\t", flush=True)
    print(
        f"{many:,} mutants of {len(FILES)} recordings in {len(VIEWS)} views: {dict(count)}; wanted: 0 silent"
    )
    return int(bool(count["silent"] or count["mistake"]))


if __name__ == "__main__":
    sys.exit(main())
