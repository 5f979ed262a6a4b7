"""Containers in a capture, with the extents of their files on the captured machine.

`ioctl/containers.json` in a pass holds a line of JSON for each: `path` and the columns of `CONTAINER`, an
absent one as `{"absent": REASON}`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.kinds import CONTAINER, NOT_LISTED
from zmon.sample import Frame, empty_frame

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree


CONTAINERS: Final = "ioctl/containers.json"


def containers_json(containers: Frame) -> bytes:
    """Return the text that `read_captured` reads."""
    names = [field.name for field in CONTAINER.fields]
    columns = [containers.column(name) for name in names]
    lines = [
        json.dumps({"path": path} | {name: _plain(value) for name, value in zip(names, row, strict=True)})
        for path, *row in zip(containers.keys, *columns, strict=True)
    ]
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def parse_containers_json(content: bytes) -> dict[str, dict[str, Value]]:
    """Return the columns of each path.

    Raises:
        ValueError: a line has not the form that zmon writes.
    """
    rows = {}
    for number, line in enumerate(content.splitlines(), 1):
        try:
            row = json.loads(line)
            rows[_text(row["path"])] = {field.name: _value(row[field.name]) for field in CONTAINER.fields}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(
                f"{CONTAINERS}:{number}: not a container as zmon writes it: {line[:80]!r}"
            ) from error
    return rows


def read_captured_containers(tree: Tree) -> Frame:
    """Return all containers of a capture; `zmon.topology.data_files` selects the listed ones."""
    try:
        rows = parse_containers_json(tree.read(CONTAINERS))
        when = tree.when(CONTAINERS)
    except OSError:
        return empty_frame(CONTAINER, NOT_LISTED)
    except ValueError as error:
        return empty_frame(CONTAINER, str(error))
    columns = {field.name: [row[field.name] for row in rows.values()] for field in CONTAINER.fields}
    return Frame(CONTAINER, list(rows), columns, [when] * len(rows))


def _plain(value: Value) -> object:
    return {"absent": value.reason} if isinstance(value, Absent) else value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _value(value: object) -> Value:
    if isinstance(value, dict):
        return absent(str(value["absent"]))
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise TypeError
    return value
