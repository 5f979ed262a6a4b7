#!/usr/bin/env python3
"""Say whether zmon named the service and the tablespace that load an LCU, each way it was asked.

    testbed/who_loads.py DIRECTORY       what who-loads.sh left

Prints one line per check; the exit status is 1 when one failed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from check import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

UNIT: Final = "postgresql-shop"
ADDR: Final = "7002"
SPACE: Final = "orders"
EXPECTED: Final = f"{UNIT} {ADDR} {SPACE}"
SHOWN: Final = {"live": "zmon show", "recorded": "zmon show --from"}
OTHER: Final = "mariadb-stock"
OTHER_ADDR: Final = "7000"
PICTURES: Final = {"live": "two keys, live", "replay": "two keys, replayed"}


def check_rows(path: Path, how: str) -> Check:
    """Compare the busiest row of what `zmon show --format json` printed."""
    text = path.read_text() if path.exists() else ""
    rows: list[dict[str, Any]] = json.loads(text)["rows"] if text else []
    busiest = max((row for row in rows if row["mbs"]), key=lambda row: row["mbs"], default={})
    found = " ".join(str(busiest.get(name)) for name in ("unit", "addr", "spaces"))
    return Check(f"{how}: what loads the LCU", EXPECTED, found, _names_all(found))


def check_other(path: Path, how: str) -> Check:
    """See that what MariaDB does on its own volume is its own."""
    text = path.read_text() if path.exists() else ""
    rows: list[dict[str, Any]] = json.loads(text)["rows"] if text else []
    found = {(row["unit"], row["addr"]) for row in rows if row["mbs"]}
    words = " ".join(sorted(f"{unit} {addr}" for unit, addr in found))
    return Check(f"{how}: MariaDB", f"{OTHER} {OTHER_ADDR}", words, (OTHER, OTHER_ADDR) in found)


def check_picture(path: Path, how: str) -> Check:
    """Look for the row in the picture behind the last key."""
    lines = path.read_text().splitlines() if path.exists() else []
    found = next((" ".join(line.split()) for line in lines if UNIT in line and ADDR in line), "no such row")
    return Check(f"{how}: what loads the LCU", EXPECTED, found, _names_all(found))


def _names_all(text: str) -> bool:
    return all(word in text.lower() for word in (UNIT, ADDR, SPACE))


def checks(where: Path) -> Iterator[Check]:
    """Yield what each way of asking gave."""
    for name, how in SHOWN.items():
        yield check_rows(where / f"{name}.json", how)
        yield check_other(where / f"{name}-stock.json", how)
    for name, how in PICTURES.items():
        yield check_picture(where / "glass" / f"{name}.2", how)


def main() -> int:
    """Print the checks of a directory; return 1 when one failed."""
    found = list(checks(Path(sys.argv[1])))
    for check in found:
        print(f"{'ok ' if check.ok else 'BAD'}  {check.what:<42}  {check.expected:<28}  {check.found}")
    return 0 if found and all(check.ok for check in found) else 1


if __name__ == "__main__":
    sys.exit(main())
