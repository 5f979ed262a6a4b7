"""The state of each resource: the worse of what the verdict says of it and of its open exceptions.

OVERVIEW and the conclusion of a screen ask here, so that they agree with DIAGNOSE and EXCEPT: a diagnosis
that is certain is bad as `--status` has it, any other is worth a look, and an exception has the level of its
rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.diagnosis.diagnosis import BLIND, CERTAIN
from zmon.event import BAD, LOOK

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zmon.diagnosis.diagnosis import Diagnosis, Verdict
    from zmon.event import ExceptionEntry

OF_ID: Final[Mapping[str, str]] = {
    "D1": "lcu", "D2": "channel", "D3": "lcu", "D5": "channel", "D12": "device", "D13": "channel",
    "D13b": "channel", "D14": "channel", "D14b": "channel", "D14c": "channel", "D15": "cpu", "D15b": "cpu",
    "D16": "memory", "D20": "device", "D21": "device",
}  # fmt: skip
"""The resource that a diagnosis says is short, by its id; D4 and its kinds are about aliases."""
OF_SUBJECT: Final[Mapping[str, str]] = {
    "cpu": "cpu", "memory": "memory", "path": "channel", "adapter": "channel", "lcu": "lcu",
    "volume": "device", "disk": "device",
}  # fmt: skip
"""That of any other diagnosis, by the kind of its first subject; none of files and of the whole machine."""
OF_TABLE: Final[Mapping[str, str]] = {
    "cpu": "cpu", "lpar": "cpu", "memory": "memory", "pressure": "memory", "channel": "channel",
    "multipath": "channel", "control_unit": "lcu", "device": "device",
}  # fmt: skip
"""That of an exception whose rule names no cause, by the table of the rule."""


def resource_of(diagnosis: Diagnosis) -> str:
    """Return the key of the resource that a diagnosis is about; empty for the machine and its files."""
    subject = OF_SUBJECT.get(diagnosis.subjects[0].kind, "") if diagnosis.subjects else ""
    return _of_id(diagnosis.id) or subject


def resource_of_exception(entry: ExceptionEntry) -> str:
    """Return the key of the resource that an exception is about; empty if it is about none."""
    return _of_id(entry.cause) or OF_TABLE.get(entry.table, "")


def levels(verdict: Verdict, entries: Iterable[ExceptionEntry] = ()) -> dict[str, int]:
    """Return how bad each resource is, `LOOK` or `BAD`; of one that is not short there is nothing."""
    found: dict[str, int] = {}
    wrong = (*verdict.diagnoses, *(one for one, _ in verdict.explained))
    each = [
        (resource_of(one), BAD if one.confidence == CERTAIN else LOOK) for one in wrong if one.id != BLIND
    ]
    each += [(resource_of_exception(entry), entry.level) for entry in entries]
    for key, level in each:
        found[key] = max(found.get(key, 0), level)
    return found


def _of_id(id_: str) -> str:
    return "alias" if id_.startswith("D4") else OF_ID.get(id_, "")
