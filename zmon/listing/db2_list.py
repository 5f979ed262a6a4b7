"""What `LIST TABLESPACES SHOW DETAIL` and `LIST TABLESPACE CONTAINERS FOR n` of Db2 print.

Both are lines of `key = value`, and the second names its tablespace by number alone, so the two are joined.
A file holds many of them one after another, among prompts, commands and messages, in any order; keys are
those of an English locale.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.listing import container as c
from zmon.listing.figure import figure, product
from zmon.listing.lines import numbered
from zmon.listing.resemblance import meant
from zmon.listing.table import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zmon.listing.container import Container

_LIST: Final = re.compile(
    r"\s*Tablespaces for (?:Current Database|Database Partition (\d{1,4}))", re.IGNORECASE
)
_CONTAINERS: Final = re.compile(
    r"\s*Tablespaces? Containers? for Tablespaces? (\d{1,9})(?: on (?:Database )?Partition (\d{1,4}))?",
    re.IGNORECASE,
)
_PAIR: Final = re.compile(r"\s*([A-Za-z][A-Za-z ()]{0,40}?)\s*= ?(.*)", re.DOTALL)
_DATABASE: Final = re.compile(
    r"\s*(?:Local database alias|Database name)\s*=\s*(\S+)|[^=/]*\bconnect to (\w{1,8})\b", re.IGNORECASE
)
_KEYS: Final = frozenset({
    "Accessible", "Container ID", "Contents", "Detailed explanation", "Extent size (pages)", "Free pages",
    "High water mark (pages)", "Minimum recovery time", "Name", "Number of containers",
    "Number of quiescers", "Page size (bytes)", "Prefetch size (pages)", "State", "State change object ID",
    "State change tablespace ID", "Tablespace ID", "Total pages", "Type", "Usable pages", "Useable pages",
    "Used pages",
})  # fmt: skip
_HEADING: Final = re.compile(
    r"[^=]*\bTablespaces?\b[^=]*\b(?:Container|Tablespace)s?\b[^=]*\d", re.IGNORECASE
)
"""A heading in other words, or a mistyped one."""
_COMMAND: Final = re.compile(r"\blist\s+tablespace", re.IGNORECASE)
_KINDS: Final = {"PATH": c.DIRECTORY, "FILE": c.FILE, "DISK": c.DEVICE, "DEVICE": c.DEVICE}


class _Space(NamedTuple):
    """One tablespace of the list."""

    name: str
    role: str
    page: int | None
    extent: int | None
    line: int = 0
    partition: int | None = None
    containers: int | None = None
    """How many it has, where that is told."""


class _Block(NamedTuple):
    """The pairs of one tablespace or container, and where they begin."""

    line: int
    pairs: dict[str, str]
    database: str
    partition: int | None
    of: int | None
    """Number of the tablespace, of a container."""

    def number(self, key: str) -> int | None:
        """Return the whole number of a key; None when there is none."""
        return figure(self.pairs.get(key, "").strip())


def recognise(head: str) -> bool:
    """Say whether a text has the heading of one of the two."""
    return any(_LIST.match(line) or _CONTAINERS.match(line) for line in head.split("\n"))


def parse(text: str | Iterable[str], origin: str, options: c.Options = c.NO_OPTIONS) -> c.Parsed:
    """Read all containers of all listings, with the names of their tablespaces."""
    notes: list[c.Note] = []
    blocks = _blocks(text, options.database, notes)
    spaces: dict[tuple[str, int | None, str], _Space] = {}
    for block in blocks:
        number = block.pairs.get("Tablespace ID", "")
        if block.of is None and number:
            space = _space(block)
            spaces[block.database, block.partition, number] = space
            spaces.setdefault((block.database, None, number), space)
    listed = [block for block in blocks if block.of is not None]
    made = [_container(block, spaces, origin, options) for block in listed]
    have = {(block.database, str(block.of)) for block in listed}
    made += [
        c.Container(
            database=database,
            tablespace=space.name,
            spelled=space.name,
            partition=partition,
            role=space.role,
            source=origin,
            line=space.line,
            problem=f"its containers are not listed: add LIST TABLESPACE CONTAINERS FOR {number} SHOW DETAIL",
        )
        for (database, partition, number), space in spaces.items()
        if partition == space.partition and (database, number) not in have
    ]
    notes += [
        c.Note(0, f"tablespace {number} has no name: add LIST TABLESPACES SHOW DETAIL")
        for database, number in sorted(have - {(database, number) for database, _, number in spaces})
    ]
    notes += [
        c.Note(block.line, f"{block.pairs['Name']!r} was not accessible to Db2")
        for block in listed
        if block.pairs.get("Accessible") == "No" and "Name" in block.pairs
    ]
    notes += _lacking(listed, spaces)
    kept, doubled = c.checked(made)
    return c.Parsed(kept, (*notes, *doubled), c.the_one({row.database for row in kept}))


def _blocks(text: str | Iterable[str], database: str, notes: list[c.Note]) -> list[_Block]:
    """Cut the listings into the pairs of each tablespace and container."""
    blocks: list[_Block] = []
    listing: tuple[int | None, int | None] | None = None
    current: _Block | None = None
    for number, line in numbered(text, notes):
        named = _DATABASE.match(line)
        if named is not None:
            database, listing, current = (named[1] or named[2]).upper(), None, None
        elif head := _CONTAINERS.match(line):
            listing, current = (int(head[1]), int(head[2]) if head[2] else None), None
        elif head := _LIST.match(line):
            listing, current = (None, int(head[1]) if head[1] else None), None
        elif _HEADING.match(line) and not _COMMAND.search(line):
            notes.append(c.Note(number, f"heading not understood: {shown(line)}", unread=True))
            listing, current = None, None
        elif pair := _PAIR.match(line):
            key = pair[1].strip()
            notes += _odd(number, line, key, homeless=listing is None or listing[0] is None)
            if listing is not None and key in {"Tablespace ID", "Container ID"}:
                homeless = key == "Container ID" and listing[0] is None
                current = None if homeless else _Block(number, {}, database, listing[1], listing[0])
                blocks += [current] if current is not None else []
            if current is not None:
                current.pairs.setdefault(key, pair[2])
    return blocks


def _odd(number: int, line: str, key: str, *, homeless: bool) -> Iterator[c.Note]:
    """Note a key that is nearly a known one, and a container under no heading."""
    if right := meant(key, _KEYS):
        said = f"not understood: {shown(line.strip())} (is {right} meant?)"
        yield c.Note(number, said, unread=True)
    if key == "Container ID" and homeless:
        said = f"a container of no tablespace, as no heading says which: {shown(line.strip())}"
        yield c.Note(number, said, unread=True)


def _lacking(
    listed: Iterable[_Block], spaces: Mapping[tuple[str, int | None, str], _Space]
) -> Iterator[c.Note]:
    """Note tablespaces of which other numbers of containers are listed than they have."""
    counts = Counter((block.database, block.partition, str(block.of)) for block in listed)
    for key, count in counts.items():
        space = spaces.get(key)
        if space is not None and space.containers not in {None, count}:
            said = f"{space.name!r} has {space.containers} containers, and {count} are listed"
            yield c.Note(space.line, said, unread=True)


def _space(block: _Block) -> _Space:
    pairs = block.pairs
    page = block.number("Page size (bytes)")
    extent = block.number("Extent size (pages)")
    contents = pairs.get("Contents", "").upper()
    role = c.TEMP if "TEMPORARY" in contents else c.DATA if contents else c.UNKNOWN
    return _Space(
        pairs.get("Name", "").rstrip(),
        role,
        page,
        product(extent, page),
        block.line,
        block.partition,
        block.number("Number of containers"),
    )


def _container(
    block: _Block, spaces: dict[tuple[str, int | None, str], _Space], origin: str, options: c.Options
) -> Container:
    """Join one container with its tablespace."""
    number = str(block.of)
    space = spaces.get((block.database, block.partition, number)) or spaces.get(
        (block.database, None, number)
    )
    known = space or _Space(f"#{number}", c.UNKNOWN, None, None)
    kind = _KINDS.get(block.pairs.get("Type", "").strip().upper().split(" ")[0], "")
    pages = block.number("Total pages") if kind != c.DIRECTORY else None  # it says nothing there
    path = block.pairs.get("Name", "")
    trouble = "" if path else f"container {block.pairs.get('Container ID', '').strip()} has no name"
    return c.Container(
        database=block.database,
        tablespace=known.name,
        spelled=known.name,
        container_id=block.number("Container ID"),
        partition=block.partition,
        kind=kind,
        path=path,
        base_dir=options.base_dir,
        bytes_declared=product(pages, known.page),
        role=known.role,
        extent_bytes=known.extent,
        source=origin,
        line=block.line,
        problem=trouble,
    )
