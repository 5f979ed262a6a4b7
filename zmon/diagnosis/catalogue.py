"""The catalogue of diagnoses, from `rules/diagnoses/*.toml`: what each means, explains and says.

Python finds the things that a diagnosis is about and what is seen of them (`zmon.diagnosis.seen`); a record
has the comparisons that must hold, and all words.  A case of a diagnosis is a table of its own: cases differ
in what is said or done.  Where a key has a list of tables, a sentence says with `when` where it is meant.
"""

from __future__ import annotations

import os
from functools import cache
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, Final

from zmon.base.record import NamedTuple
from zmon.base.shipped import shipped
from zmon.base.toml import TomlDocument, read_utf8

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.toml import TomlTable

FOLDER: Final = "rules/diagnoses"
OF_ALL: Final[Mapping[str, type]] = {
    "id": str, "title": str, "holds": str, "needs": str, "advice": str, "explains": list, "beside": list,
    "anywhere": list, "short": list, "broken": bool, "remedy": str, "case": list,
}  # fmt: skip
"""What a diagnosis may say; its values have these types."""
TEXTS: Final = ("id", "title", "holds", "needs", "advice", "remedy")
SHARED: Final = ("evidence", "sentence", "reservation")
"""What cases share, by name."""


class DiagnosisRecord(NamedTuple):
    """One diagnosis of the catalogue."""

    id: str
    title: str
    """A clause: it stands after `whether`, too."""
    holds: str
    """When it holds: its evidence."""
    needs: str
    """What has to be measured or given."""
    advice: str
    """What to do in general, in sentences."""
    explains: tuple[str, ...]
    """Ids of diagnoses of the same subject that it makes secondary."""
    beside: tuple[str, ...]
    """Those of them whose action helps as well, where the model says so."""
    anywhere: tuple[str, ...]
    """Those of them that it explains of any subject: their action would make it worse."""
    short: tuple[str, ...]
    """The kinds of resources that are short where it is found: `paths`, `aliases`, `lcu` ..."""
    broken: bool
    """Whether something is lost or hangs: nothing needs to wait for that to be bad."""
    remedy: str
    """What is advised, where the model knows it: `More aliases`; it stands before `would gain little`."""
    cases: Mapping[str, Mapping[str, Any]]
    """What it says, by the name of the case; of the only one the name is empty."""
    evidence: Mapping[str, Mapping[str, Any]]
    """Numbers that several cases rest on, by their names."""
    sentence: Mapping[str, Mapping[str, Any]]
    """Sentences that several say besides."""
    reservation: Mapping[str, Mapping[str, Any]]
    """Why several cases may be wrong: `when` that is, how sure they are then, what is said before the action
    and besides."""


@cache
def catalogue() -> dict[str, DiagnosisRecord]:
    """Return all diagnoses by their ids.

    Raises:
        ValueError: a record is wrong; the message has file and line.
    """
    folder = shipped(FOLDER)
    files = sorted(name for name in os.listdir(folder) if name.endswith(".toml"))
    tops = [_top(os.path.join(folder, name)) for name in files]
    shared = {
        key: {one.text("name"): one.data for top in tops for one in top.list_of(key, [])} for key in SHARED
    }
    each = (_record(table, shared) for top in tops for table in top.list_of("diagnosis", []))
    return {record.id: record for record in sorted(each, key=_by_number)}


def _top(path: str) -> TomlTable:
    top = TomlDocument(read_utf8(path, ValueError), path, is_shipped=True).top()
    top.only("diagnosis", *SHARED)
    return top


def _record(table: TomlTable, shared: Mapping[str, Any]) -> DiagnosisRecord:
    table.check(OF_ALL, TEXTS[:-1])
    said: dict[str, Any] = {key: table.text(key, "") for key in TEXTS}
    said |= {key: tuple(table.words(key, [])) for key in ("explains", "beside", "anywhere", "short")}
    said["cases"] = {case.text("name", ""): case.data for case in table.list_of("case", [])}
    return DiagnosisRecord(**said, **shared, broken=table.flag("broken"))


def _by_number(record: DiagnosisRecord) -> tuple[int, str]:
    return int(_number(record.id)[1:]), record.id


@cache
def short_of(kind: str) -> frozenset[str]:
    """Return the ids of the diagnoses that say that a kind of resource is short; of any where it is empty."""
    records = catalogue().values()
    return frozenset(one.id for one in records if kind in one.short or (one.short and not kind))


def is_of(id_: str, cause: str) -> bool:
    """Return whether a diagnosis is the cause that a rule points to: D4 means D4b as well, D1 not D13."""
    return cause in {id_, _number(id_)}


def family(id_: str) -> tuple[str, ...]:
    """Return the ids of a diagnosis and of those beside it with the same number: D4, D4b, D4c and D4d."""
    return tuple(other for other in catalogue() if _number(other) == _number(id_))


def _number(id_: str) -> str:
    return id_.rstrip(ascii_lowercase)
