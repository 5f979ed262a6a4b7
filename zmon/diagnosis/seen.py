"""What is seen of a diagnosis, and the diagnosis that follows from it, in the words of its record."""

from __future__ import annotations

from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from zmon.base.absent import Absent
from zmon.base.ranges import FEW_NAMED, MOST_NAMED
from zmon.base.record import NamedTuple
from zmon.diagnosis.catalogue import as_shipped, catalogue
from zmon.diagnosis.diagnosis import CERTAIN, Diagnosis, Measurement, OtherGain, Subject, Told, nothing_known
from zmon.diagnosis.phrases import gain, no_cmf
from zmon.machine.observation import mean_by_rate
from zmon.words.comparison import comparison, holds
from zmon.words.template import Fields, capital, number, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number
    from zmon.diagnosis.catalogue import DiagnosisRecord
    from zmon.diagnosis.diagnosis import Diagnoses, Gain
    from zmon.diagnosis.situation import Situation
    from zmon.queueing.change import Change

T = TypeVar("T")

Causes = dict[str, "Callable[[Situation], Diagnoses]"]
"""What looks for each diagnosis, by its id."""

CLAIM: Final = ("clause", "brief")
"""The keys of a case of which the second one in its record may name the first."""
ADDED: Final = ("excluded", "missing")
"""The keys of a case of which all sentences hold that may; of others the first."""


class Remedy(NamedTuple):
    """What helps, of what was seen: in words, for the model, and for `zmon whatif`."""

    facts: Mapping[str, Any] = {}
    """Fields for the sentences of the case."""
    changes: tuple[Change, ...] = ()
    """What the model can be asked about; none if it knows nothing of it."""
    whatif: str = ""
    what: str = ""
    """What the gain is of, where the action says more than one thing: it stands before it."""


class Seen(NamedTuple):
    """What was seen for a case of a diagnosis: the fields of its sentences."""

    things: Sequence[Any]
    """What it is about, most lost first: each has `kind`, `key` and `title`, and fields of its own."""
    lost: float
    """Requests (or tasks) that wait because of it on average."""
    facts: Mapping[str, Any] = {}
    """Of all of them together."""
    case: str = ""
    foretell: Callable[[], Gain | None] = nothing_known
    changes: tuple[Change, ...] = ()
    whatif: str = ""
    since: int | None = None
    says_when: bool = False


class Together:
    """What is said of all things of a case together."""

    def __init__(self, things: Sequence[Any], lost: float) -> None:
        """Take them together when asked."""
        self.things, self.lost = things, lost

    @property
    def first(self) -> Any:
        """The one that most lose."""
        return self.things[0] if self.things else None

    @cached_property
    def most(self) -> Any:
        """The one that most wait for, where they are in another order."""
        return max(self.things, key=lambda thing: thing.waits)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.things)

    @property
    def several(self) -> bool:
        """Whether there are more than one."""
        return self.count > 1

    @property
    def titles(self) -> list[str]:
        """What they are called, in order."""
        return sorted(thing.title for thing in self.things)

    @property
    def volumes(self) -> list[str]:
        """What volumes are called in a sentence, most lost first."""
        return self._called("volume")

    @property
    def disk_names(self) -> list[str]:
        """What disks that are no DASDs are called in a sentence, most lost first."""
        return self._called("disk")

    def _called(self, noun: str) -> list[str]:
        """Return their names with a noun before the first."""
        first, *others = (str(thing.title) for thing in self.things)
        return [f"{noun}{'s' if others else ''} {first}", *others]

    @property
    def lcus(self) -> list[Any]:
        """Their LCUs, as far as they are known."""
        return list({thing.lcu.key: thing.lcu for thing in self.things if thing.lcu is not None}.values())

    @property
    def all(self) -> Means:
        """Their means."""
        return Means(self.things)


class Means:
    """Things as one: each of their times and sizes is the mean, each with its rate as its weight."""

    def __init__(self, things: Sequence[Any]) -> None:
        """Take a mean when asked."""
        self._things = things

    def __getattr__(self, name: str) -> Number:
        """Return a mean."""
        values, rates = zip(*((getattr(thing, name), thing.rate) for thing in self._things), strict=True)
        mean = mean_by_rate(values, rates)
        return next(value for value in values if isinstance(value, Absent)) if mean is None else mean


class Cause:
    """What looks for a diagnosis that compares figures: for the things of each of its cases."""

    def __init__(
        self,
        id_: str,
        sorts: Mapping[str, Callable[[Situation], Sequence[Any] | Absent]],
        remedies: Mapping[str, Callable[[Situation, Sequence[Any]], Remedy]] = MappingProxyType({}),
    ) -> None:
        """Look for the things of these sorts.

        A sort returns those that requests wait for, each with how many as `waits`, most first; or why they
        are not known, which is told if nothing else is found.
        """
        self.id, self.sorts, self.remedies = id_, sorts, remedies

    def __call__(self, situation: Situation) -> Diagnoses:
        """Return what there is of it."""
        return _in_own_words(self.id, lambda record: self.compared(record, situation))

    def compared(self, record: DiagnosisRecord, situation: Situation) -> Diagnoses:
        """Return what there is of it by a record."""
        diagnoses: list[Diagnosis] = []
        why: Absent | None = None
        for label, case in record.cases.items():
            things = self.sorts[case["of"]](situation)
            if isinstance(things, Absent):
                why = why or things
                continue
            if diagnoses and case.get("only"):
                break
            own = [thing for thing in things if holds(case.get("when", ()), Fields(thing))]
            for group in _groups(own, case):
                lost = sum(thing.waits for thing in group)
                if not holds(case.get("together", ()), Fields({"lost": lost})):
                    continue
                helps = self.remedies[case["remedy"]](situation, group) if "remedy" in case else Remedy()
                facts = {"no_cmf": no_cmf(situation.load), **helps.facts}
                tells = gain(situation, helps.changes, helps.what) if helps.changes else nothing_known
                change = helps.whatif if situation.is_modelled else ""
                diagnoses.append(
                    _diagnosed(record, Seen(group, lost, facts, label, tells, helps.changes, change))
                )
            if not diagnoses:
                why = why or _unknown(things, case)
        return tuple(diagnoses) or why or ()


def _unknown(things: Sequence[Any], case: Mapping[str, Any]) -> Absent | None:
    """Return why it is not known whether a comparison holds of a thing of which those before it do."""
    for name in case.get("unknown", ()):
        names = [comparison(text).left for text in case["when"]]
        before = case["when"][: names.index(name)]
        for thing in things:
            if holds(before, Fields(thing)) and isinstance(value := getattr(thing, name), Absent):
                return value
    return None


def _groups(things: Sequence[Any], case: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    """Yield the things of each finding: all of them, those with the same field, or each."""
    if case.get("each"):
        yield from ([thing] for thing in things)
    elif "by" in case:
        kinds = dict.fromkeys(getattr(thing, case["by"]) for thing in things)
        yield from ([thing for thing in things if getattr(thing, case["by"]) == kind] for kind in kinds)
    elif things:
        yield things


def diagnosed(id_: str, seen: Seen) -> Diagnosis:
    """Return the diagnosis of what was seen, in the words of its record."""
    return _in_own_words(id_, lambda record: _diagnosed(record, seen))


def _in_own_words(id_: str, work: Callable[[DiagnosisRecord], T]) -> T:
    """Return what follows from a record; where the user's own cannot be asked or said, from that of zmon.

    Raises:
        LookupError: that of zmon names a sort, a remedy or a field that there is not.
    """
    record = catalogue()[id_]
    try:
        return work(record)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if record is as_shipped()[id_]:
            raise LookupError(f"rules/diagnoses: {id_} names what there is not: {error}") from error
        return work(as_shipped()[id_])


def _diagnosed(record: DiagnosisRecord, seen: Seen) -> Diagnosis:
    case = record.cases[seen.case]
    fields = Fields(seen.facts, Together(seen.things, seen.lost), *seen.things[:1])
    reservation = record.reservation.get(case.get("reservation", ""), {})
    if holds(reservation.get("when", ()), fields):
        case = {**case, **reservation}
    confidence = _first(case.get("confidence", CERTAIN), fields)
    certain = {"is_certain": confidence == CERTAIN}
    whole, brief = (
        _told(record, case, Fields(certain, fields, most=most)) for most in (MOST_NAMED, FEW_NAMED)
    )
    fields = Fields(certain, fields)
    gives = _first(case.get("gain", ""), fields)
    excluded, missing = (tuple(_all(case.get(key, ()), fields)) for key in ADDED)
    evidence = (_shared(record.evidence, entry) for entry in case.get("evidence", ()))
    return Diagnosis(
        record.id,
        subjects=tuple(dict.fromkeys(_subjects(case.get("about", ["things"]), fields))),
        clause=whole.clause,
        evidence=tuple(_evidence(evidence, fields)),
        confidence=confidence,
        action=whole.action,
        lost=seen.lost,
        rest=whole.rest,
        besides=whole.besides,
        brief=brief,
        excluded=excluded,
        foretell=partial(OtherGain, gives) if gives else seen.foretell,
        changes=seen.changes,
        whatif=seen.whatif,
        confirm=_first(case.get("confirm", ""), fields),
        missing=missing,
        since=seen.since,
        says_when=seen.says_when,
    )


def _told(record: DiagnosisRecord, case: Mapping[str, Any], fields: Fields) -> Told:
    """Return what a case claims and advises."""
    claim: dict[str, str] = {}
    fields = Fields(claim, fields, most=fields.most)
    for key in case:
        if key in CLAIM:
            claim[key] = _first(case[key], fields)
    said = (_first(case.get(key, ""), fields) for key in ("rest", "before", "action", "do"))
    rest, before, action, do = said
    besides = (_shared(record.sentence, entry) for entry in case.get("besides", ()))
    return Told(
        claim["clause"],
        rest,
        "".join(f" {sentence}" for sentence in _all(besides, fields)),
        f"{before}{action[:1].lower()}{action[1:]}" if before else capital(action),
        do,
        claim.get("brief", ""),
    )


def _shared(entries: Mapping[str, Mapping[str, Any]], entry: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entry of a record, or the one that several share by its name."""
    return entries[entry] if isinstance(entry, str) else entry


def _first(sentences: str | Iterable[Mapping[str, Any]], fields: Fields) -> str:
    """Return the first sentence that is meant, or nothing."""
    if isinstance(sentences, str):
        return say(sentences, fields) if sentences else ""
    return next(
        (say(sentence["say"], fields) for sentence in sentences if holds(sentence.get("when", ()), fields)),
        "",
    )


def _all(sentences: str | Iterable[str | Mapping[str, Any]], fields: Fields) -> Iterator[str]:
    """Yield all sentences that are meant."""
    for sentence in [sentences] if isinstance(sentences, str) else sentences:
        if isinstance(sentence, str):
            yield say(sentence, fields)
        else:
            for _, own in _meant(sentence, fields):
                yield _first(sentence["say"], own)


def _meant(entry: Mapping[str, Any], fields: Fields) -> Iterator[tuple[Any, Fields]]:
    """Yield what an entry is about, if it is meant: each of the things of a field, or the first of all."""
    if "of" not in entry:
        if holds(entry.get("when", ()), fields):
            yield fields[entry.get("about", "first")], fields
        return
    for thing in _list(fields[entry["of"]])[: entry.get("most")]:
        own = fields.of(thing)
        if holds(entry.get("when", ()), own):
            yield thing, own


def _evidence(entries: Iterable[Mapping[str, Any]], fields: Fields) -> Iterator[Measurement]:
    for entry in entries:
        value = entry["value"]
        for thing, own in _meant(entry, fields):
            figure = say(entry["figure"], own)
            seen = number(value, own) if isinstance(value, str) else value
            before = number(entry["before"], own) if "before" in entry else None
            yield Measurement(figure, subject_of(thing), seen, _first(entry["say"], own), before)


def _subjects(names: Iterable[str], fields: Fields) -> Iterator[Subject]:
    for name in names:
        yield from map(subject_of, _list(fields[name]))


def _list(things: Any) -> Sequence[Any]:
    return things if type(things) in {list, tuple} else (things,)


def subject_of(thing: Any) -> Subject:
    """Return a thing as a subject."""
    if isinstance(thing, Subject):
        return thing
    return Subject(thing.kind, thing.key, thing.title, getattr(thing, "is_fcp", False))
