"""The state of each resource: the worse of what the verdict says of it and of its open exceptions.

OVERVIEW and the conclusion of a screen ask here, so that they agree with DIAGNOSE and EXCEPT: a diagnosis
that is certain is bad if requests wait for it, or if something is lost, as `--status` has it; any other one
is worth a look, and an exception has the level of its rule.  What another resource explains is worth a look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.event import BAD, LOOK
from zmon.base.record import NamedTuple
from zmon.diagnosis.catalogue import catalogue, is_of
from zmon.diagnosis.diagnosis import BLIND
from zmon.diagnosis.related import diagnosis_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zmon.base.event import ExceptionEntry
    from zmon.diagnosis.diagnosis import Diagnosis, Verdict

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


ALSO: Final[Mapping[str, str]] = {"D4c": "lcu"}
"""A second resource of a diagnosis that leaves open which of two is short."""


def resource_of(diagnosis: Diagnosis) -> str:
    """Return the key of the resource that a diagnosis is about; empty for the machine and its files."""
    subject = OF_SUBJECT.get(diagnosis.subjects[0].kind, "") if diagnosis.subjects else ""
    return _of_id(diagnosis.id) or subject


def resource_of_exception(entry: ExceptionEntry, listed: str) -> str:
    """Return the key of the resource that an exception is about: of its cause, else what its table lists."""
    return _of_id(entry.cause) or listed


class Shortage(NamedTuple):
    """Why a resource is not ok."""

    level: int
    """`LOOK` or `BAD`."""
    kind: str
    """That of the thing that is short, as in `Subject`; empty if it is none of a resource."""
    key: str
    """Its key in the tables."""
    title: str
    """What it is called: `LCU 7600`, or as an exception has it: `7600`."""
    begin: int | None
    end: int | None
    """When it was, UTC in ns; None where it was all the time."""
    what: str = ""
    """What is wrong, as a clause: `a path is lost`, or the sentence of an exception."""
    by: str = ""
    """The key of another resource, where what is wrong with that explains it."""

    def explained(self, by: str) -> Shortage:
        """Return it as what another resource explains, which alone is bad; empty if none does."""
        return self._replace(level=LOOK, by=by) if by else self


def shortages(
    verdict: Verdict, entries: Iterable[tuple[ExceptionEntry, str, str]] = ()
) -> dict[str, Shortage]:
    """Return what is wrong with each resource, the worst of it, and of equals what is said first.

    With each exception come the resource that its table lists, and the LCU of a device.  An exception of an
    LCU is one of the LCUs as well, whatever its cause.  What explains something is not better than that: a
    diagnosis that is explained is no worse than the one that explains it, and an exception is one of what
    explains it as well.  What another resource explains is to be looked at there.
    """
    shortage_of: dict[str, Shortage] = {}
    roots = {root.id: root for root in reversed(verdict.diagnoses)}
    pairs = [
        (resource_of(cause), _short(cause, _level(cause))) for cause in verdict.diagnoses if cause.id != BLIND
    ]
    pairs += [(ALSO[cause.id], _short(cause, LOOK)) for cause in verdict.diagnoses if cause.id in ALSO]
    for diagnosis, id_ in verdict.explained:
        level = min(_level(diagnosis), _level(roots[id_])) if id_ in roots else _level(diagnosis)
        key = resource_of(diagnosis)
        pairs.append((key, _short(diagnosis, level).explained(_other(key, roots.get(id_)))))
    for entry, listed, lcu in entries:
        root = diagnosis_of(verdict, entry, lcu)
        if root is not None and not is_of(root.id, entry.cause):
            cause = _short(root, entry.level)._replace(begin=entry.begin, end=entry.end)
            pairs.append((resource_of(root), cause))
        kind = "lcu" if listed == "lcu" else ""
        short = Shortage(entry.level, kind, entry.key, entry.where, entry.begin, entry.end, entry.sentence)
        keys = dict.fromkeys((resource_of_exception(entry, listed), kind))
        pairs += [(key, short.explained(_other(key, root))) for key in keys if key]
    for key, short in pairs:
        if key not in shortage_of or short.level > shortage_of[key].level:
            shortage_of[key] = short
    return shortage_of


def _other(key: str, root: Diagnosis | None) -> str:
    """Return the resource of what explains something, if it is another one."""
    by = "" if root is None else resource_of(root)
    return by if by != key else ""


def _short(diagnosis: Diagnosis, level: int) -> Shortage:
    return Shortage(
        level, *_of_resource(diagnosis), diagnosis.begin, diagnosis.end, catalogue()[diagnosis.id].title
    )


def _level(diagnosis: Diagnosis) -> int:
    return BAD if diagnosis.is_bad else LOOK


def _of_resource(diagnosis: Diagnosis) -> tuple[str, str, str]:
    """Return the first subject of a diagnosis that is a part of a resource."""
    subjects = (subject for subject in diagnosis.subjects if subject.kind in OF_SUBJECT)
    return next(((subject.kind, subject.key, subject.title) for subject in subjects), ("", "", ""))


def _of_id(id_: str) -> str:
    return "alias" if is_of(id_, "D4") else OF_ID.get(id_, "")
