"""The catalogue of diagnoses, from `rules/diagnoses/*.toml`: what each means, explains and says.

Python finds the things that a diagnosis is about and what is seen of them (`zmon.diagnosis.seen`); a record
has the comparisons that must hold, and all words.  A case of a diagnosis is a table of its own: cases differ
in what is said or done.  Where a key has a list of tables, a sentence says with `when` where it is meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from string import ascii_lowercase
from typing import Any, Final

from zmon.base.plain_text import did_you_mean
from zmon.base.record import NamedTuple
from zmon.base.toml import TomlTable
from zmon.words.comparison import comparison
from zmon.words.records import own_records, shipped_records
from zmon.words.template import fields_of

FOLDER: Final = "rules/diagnoses"
OF_ALL: Final[Mapping[str, type]] = {
    "id": str, "title": str, "holds": str, "needs": str, "advice": str, "explains": list, "beside": list,
    "anywhere": list, "short": list, "broken": bool, "off": bool, "remedy": str, "instead": str,
    "unsure": list, "case": list,
}  # fmt: skip
"""What a diagnosis may say; its values have these types."""
TEXTS: Final = ("id", "title", "holds", "needs", "advice", "remedy", "instead")
SHARED: Final = ("evidence", "sentence", "reservation")
"""What cases share, by name."""
OWN: Final = ("id", "title", "holds", "needs", "advice", "off", "case")
"""What of a diagnosis users may change."""
OWN_CASE: Final = ("when", "together", "clause", "brief", "rest", "besides", "confidence", "before", "action",
                   "do", "confirm", "excluded", "missing", "gain")  # fmt: skip
"""What of a case: what it compares and says; what it is about is Python's."""
CONFIDENCES: Final = ("certain", "likely", "possible")
"""How sure a diagnosis is, the surest first."""
OF_ALL_CASES: Final = frozenset({
    "all", "brief", "clause", "count", "is_certain", "lost", "most", "several", "things", "titles", "volumes",
})  # fmt: skip
"""Fields that each case has."""


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
    unsure: tuple[str, ...]
    """Those that it makes secondary where they are only possible."""
    beside: tuple[str, ...]
    """Those of them whose action helps as well, where the model says so."""
    anywhere: tuple[str, ...]
    """Those of them that it explains of any subject: their action would make it worse."""
    short: tuple[str, ...]
    """The kinds of resources that are short where it is found: `paths`, `aliases`, `lcu` ..."""
    broken: bool
    """Whether something is lost or hangs: nothing needs to wait for that to be bad."""
    off: bool
    """Whether the user has switched it off: then it is not looked for."""
    remedy: str
    """What is advised, where the model knows it: `More aliases`; it stands before `would gain little`."""
    instead: str
    """What helps where that gains little, in a sentence; empty: what limits next is another diagnosis."""
    cases: Mapping[str, Mapping[str, Any]]
    """What it says, by the name of the case; of the only one the name is empty."""
    evidence: Mapping[str, Mapping[str, Any]]
    """Numbers that several cases rest on, by their names."""
    sentence: Mapping[str, Mapping[str, Any]]
    """Sentences that several say besides."""
    reservation: Mapping[str, Mapping[str, Any]]
    """Why several cases may be wrong: `when` that is, how sure they are then, what is said before the action
    and besides."""

    def makes_secondary(self, id_: str, confidence: str) -> bool:
        """Return whether it explains another diagnosis, which is so sure, if that is of the same subject."""
        return id_ in self.explains or (id_ in self.unsure and confidence == CONFIDENCES[-1])


@cache
def catalogue() -> dict[str, DiagnosisRecord]:
    """Return all diagnoses by their ids, as the user's own file of rules changes them.

    Of a file that is wrong nothing is used; `zmon.rule.grammar` says what is wrong with it.

    Raises:
        ValueError: a record that comes with zmon is wrong; the message has file and line.
    """
    own = own_records()
    with suppress(ValueError):
        return as_shipped() if own is None else changed(own)
    return as_shipped()


@cache
def as_shipped() -> dict[str, DiagnosisRecord]:
    """Return all diagnoses as they come with zmon."""
    return _all(_shipped())


def changed(own: TomlTable) -> dict[str, DiagnosisRecord]:
    """Return all diagnoses with the changes of a file of rules: the keys that its `[[diagnosis]]` give.

    Raises:
        ValueError: a change is none; the message has file and line.
    """
    tables, changes = _shipped(), {}
    for table in own.list_of("diagnosis", []):
        id_ = table.text("id")
        if id_ not in tables:
            raise table.wrong("id", f"there is no diagnosis {id_!r:.60}{did_you_mean(id_, tables)}")
        table.only(*OWN)
        cases = {case.text("name", ""): case.data for case in tables[id_].list_of("case", [])}
        fields = _names(list(cases.values())) | OF_ALL_CASES
        for case in table.list_of("case", []):
            name = case.text("name", "")
            if name not in cases:
                raise case.wrong("name", f"{id_} has no case {name!r:.60}{did_you_mean(name, cases)}")
            _check_case(case, fields)
            cases[name] = {**cases[name], **case.data}
        data = {**tables[id_].data, **table.data, "case": [*cases.values()]}
        changes[id_] = TomlTable(table.document, table.keys, data)
    return as_shipped() | _all(changes)


def _check_case(case: TomlTable, fields: set[str]) -> None:
    """See that a user's case can be asked and said: its keys, its comparisons, the fields that it names."""
    case.only("name", *OWN_CASE)
    try:
        strange = _names(case.data) - fields
        sure = case.data.get("confidence", ())
        said = [sure] if isinstance(sure, str) else [choice["say"] for choice in sure]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise case.wrong("", f"has lists of comparisons (when) and sentences (say): {error}") from error
    if strange:
        raise case.wrong("", f"has no field {min(strange)!r:.60}; there are {', '.join(sorted(fields))}")
    for word in said:
        if word not in CONFIDENCES:
            raise case.wrong("confidence", f"is one of {', '.join(CONFIDENCES)}, not {word!r:.60}")


def _names(said: Any) -> set[str]:
    """Return the fields that sentences and comparisons name."""
    if isinstance(said, str):
        return set(fields_of(said))
    if isinstance(said, Mapping):
        compared = [comparison(text) for key in ("when", "together") for text in said.get(key, ())]
        named = {name for asked in compared for name in (asked.left, asked.right) if name}
        return named.union(*(_names(value) for key, value in said.items() if key not in {"when", "together"}))
    return set().union(*map(_names, said)) if isinstance(said, list) else set()


def _shipped() -> dict[str, TomlTable]:
    """Return the tables of the diagnoses that come with zmon."""
    return {table.text("id"): table for top in _tops() for table in top.list_of("diagnosis", [])}


@cache
def _tops() -> list[TomlTable]:
    """Return the files of records that come with zmon."""
    return shipped_records(FOLDER, "diagnosis", *SHARED)


def _all(tables: Mapping[str, TomlTable]) -> dict[str, DiagnosisRecord]:
    """Return the records of tables, in the order of their numbers."""
    shared = {
        key: {record.text("name"): record.data for top in _tops() for record in top.list_of(key, [])}
        for key in SHARED
    }
    records = sorted((_record(table, shared) for table in tables.values()), key=_by_number)
    return {record.id: record for record in records}


def _record(table: TomlTable, shared: Mapping[str, Any]) -> DiagnosisRecord:
    table.check(OF_ALL, TEXTS[:-2])
    said: dict[str, Any] = {key: table.text(key, "") for key in TEXTS}
    said |= {
        key: tuple(table.words(key, [])) for key in ("explains", "unsure", "beside", "anywhere", "short")
    }
    said["cases"] = {case.text("name", ""): case.data for case in table.list_of("case", [])}
    return DiagnosisRecord(**said, **shared, broken=table.flag("broken"), off=table.flag("off"))


def _by_number(record: DiagnosisRecord) -> tuple[int, str]:
    return int(_number(record.id)[1:]), record.id


@cache
def short_of(kind: str) -> frozenset[str]:
    """Return the ids of the diagnoses that say that a kind of resource is short; of any where it is empty."""
    records = catalogue().values()
    return frozenset(record.id for record in records if kind in record.short or (record.short and not kind))


def is_of(id_: str, cause: str) -> bool:
    """Return whether a diagnosis is the cause that a rule points to: D4 means D4b as well, D1 not D13."""
    return cause in {id_, _number(id_)}


def family(id_: str) -> tuple[str, ...]:
    """Return the ids of a diagnosis and of those beside it with the same number: D4, D4b, D4c and D4d."""
    return tuple(other for other in catalogue() if _number(other) == _number(id_))


def _number(id_: str) -> str:
    return id_.rstrip(ascii_lowercase)
