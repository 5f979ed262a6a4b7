"""What looks like a cause, was examined, and is none, or has no remedy that is worth its work.

A rule marks a figure; a diagnosis needs more: that requests wait for the thing.  Where both differ it is said
why, with what the model of all resources predicts, so that EXCEPT and DIAGNOSE do not contradict each other.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.limits import limit
from zmon.base.milliseconds import ms
from zmon.base.ranges import many, names, ranges
from zmon.diagnosis.catalogue import is_of
from zmon.diagnosis.diagnosis import Examined, Subject
from zmon.diagnosis.phrases import gain_of, of_paths, prediction
from zmon.diagnosis.seen import subject_of
from zmon.machine.observation import busy_words, mean_of, path_groups
from zmon.queueing.change import AliasNumber, PathNumber, PathsInUse
from zmon.queueing.undecided import words_of
from zmon.queueing.waiting import CERTAINLY_FULL, HARDLY, lcus_behind, processors_full
from zmon.words.template import percent

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from zmon.diagnosis.diagnosis import Diagnosis
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLcu
    from zmon.queueing.change import Change

BUSY_PATHS: Final = limit("path-look") / 100
"""Utilisation from which on channel paths deserve a look, as the rule `path-busy` has it."""
ALONE: Final = limit("path-alone") / 100
TIMES_ALONE: Final = limit("path-alone-times")
"""Utilisation of a path, and how many times that of each other one of its group: as in `path-alone`."""
SCSI_CAUSES: Final = ("D14", "D14b", "D14c")
"""Diagnoses that say why a path to SCSI disks is busy, and what to do."""


def examined(situation: Situation, diagnoses: Collection[Diagnosis]) -> tuple[Examined, ...]:
    """Return what was examined beside the diagnoses, which are all: those that others explain as well."""
    return (
        *_processors(situation, diagnoses),
        *_paths(situation, diagnoses),
        *_queues(situation, diagnoses),
    )


def _processors(situation: Situation, diagnoses: Collection[Diagnosis]) -> Iterator[Examined]:
    """Yield the processors that are used nearly all the time, where next to nothing waits for them."""
    processors = situation.load.processors
    if (
        isinstance(processors.number, Absent)
        or isinstance(processors.busy, Absent)
        or processors.busy < CERTAINLY_FULL
    ):
        return
    if processors_full(processors) is None or any(diagnosis.id == "D15" for diagnosis in diagnoses):
        return
    seen = f"The {many(int(processors.number), 'processor')} {'is' if processors.number == 1 else 'are'}"
    if processors.giving_way >= HARDLY:
        rest = "that work gives way to all other"
        nice = percent(processors.giving_way)
        text = f"{seen} {percent(processors.busy)} busy, {nice} with programs at nice: {rest}."
    elif isinstance(processors.some, Absent):
        return
    else:
        waits = f"some task waits for a processor {percent(processors.some)} of the time"
        text = f"{seen} {percent(processors.busy)} busy, but {waits}."
    yield Examined("D15", (Subject("cpu", "", "processors"),), partial(str, text))


def _paths(situation: Situation, diagnoses: Collection[Diagnosis]) -> Iterator[Examined]:
    """Yield the channel paths that are busy, but not what requests wait for: all of one sort in one."""
    load = situation.load
    full = {subject for diagnosis in diagnoses if diagnosis.id == "D2" for subject in diagnosis.subjects}
    used = {
        key: most
        for key, chpids in path_groups(load.lcus).items()
        if of_paths(key) not in full and (most := _use(situation, chpids))
    }
    busy = [key for key, most in used.items() if most >= BUSY_PATHS]
    scsi = [key for key in used if not load.fcp.isdisjoint(key.split())]
    own = [key for key in busy if key not in scsi]
    if own:
        volumes = tuple(volume for lcu in _behind(situation, own) for volume in load.volumes_of(lcu.key))
        pend, serv = mean_of(volumes, "pend"), mean_of(volumes, "serv")
        timed = not (isinstance(pend, Absent) or isinstance(serv, Absent))
        times = f", and a request behind them pends for {ms(pend)} of its Serv of {ms(serv)}" * timed
        yield _of_paths(situation, own, max(used[key] for key in own), times)
    explaining = next((diagnosis.id for diagnosis in diagnoses if diagnosis.id in SCSI_CAUSES), "")
    for key in scsi:
        chpids = key.split()
        others = [_use(situation, [chpid]) for chpid in chpids]
        others.remove(max(others))
        lone = bool(others) and used[key] >= ALONE and max(others) <= used[key] / TIMES_ALONE
        if explaining and key in busy:
            text = f"Channel paths {ranges(chpids)} are up to {busy_words(used[key])}:"
            yield Examined("D2", (of_paths(key),), partial(str, f"{text} {explaining} explains it."))
        elif lone and not explaining:
            first = max(chpids, key=lambda chpid: _use(situation, [chpid]))
            seen = (
                f"channel path {first} is {busy_words(used[key])} and the others of {ranges(chpids)} are"
                " next to idle, but nothing is seen to wait for it"
            )
            yield Examined(
                "D14b", (of_paths(key),), _told(situation, seen, "The use of all paths", (PathsInUse(),))
            )
        elif key in busy:
            yield _of_paths(situation, [key], used[key], ", but nothing is seen to wait for them")


def _of_paths(situation: Situation, keys: Sequence[str], most: float, more: str) -> Examined:
    """Return what is said of groups of paths, with what twice as many would give."""
    load = situation.load
    behind = _behind(situation, keys)
    seen = f"channel paths {names([ranges(key.split()) for key in keys])} are up to {busy_words(most)}{more}"
    changes = [PathNumber(2, times=True)]
    if len(behind) < len([lcu for lcu in load.lcus if load.volumes_of(lcu.key)]):
        firsts = (next(iter(_behind(situation, [key]))) for key in keys)
        changes = [PathNumber(2, lcu=first.key, times=True) for first in firsts]
    return Examined(
        "D2", tuple(map(of_paths, keys)), _told(situation, seen, "Twice as many paths alone", changes)
    )


def _use(situation: Situation, chpids: Iterable[str]) -> float:
    """Return how busy the busiest of some paths is, as far as is known."""
    uses = [situation.load.paths.get(chpid, 0.0) for chpid in chpids]
    return max((float(use) for use in uses if not isinstance(use, Absent)), default=0.0)


def _behind(situation: Situation, keys: Iterable[str]) -> list[ObservedLcu]:
    """Return the LCUs behind groups of paths that have volumes."""
    load = situation.load
    return [lcu for lcu in lcus_behind(load, *keys) if load.volumes_of(lcu.key)]


def _queues(situation: Situation, diagnoses: Collection[Diagnosis]) -> Iterator[Examined]:
    """Yield the LCUs for which requests wait in Linux while most of their aliases are free, all in one."""
    short = {
        subject.key for diagnosis in diagnoses if is_of(diagnosis.id, "D4") for subject in diagnosis.subjects
    }
    places = [place for place in situation.waiting.undecided if place.kind == "bursts"]
    bursts = {place.key: place for place in places if place.key not in short}
    lcus = [lcu for lcu in situation.load.lcus if lcu.key in bursts]
    if lcus:
        changes = tuple(AliasNumber(2 * lcu.aliases, lcu=lcu.key) for lcu in lcus)
        seen = words_of(bursts.values())
        yield Examined(
            "D4", tuple(map(subject_of, lcus)), _told(situation, seen, "Twice as many aliases alone", changes)
        )


def _told(situation: Situation, seen: str, what: str, changes: Sequence[Change]) -> Callable[[], str]:
    """Return what says what was seen, and what the model predicts of a remedy."""
    text = f"{seen[:1].upper()}{seen[1:]}."

    def tell() -> str:
        predicted = prediction(situation, changes)
        if predicted is None or predicted.is_unsure_loss:
            return text
        gain = gain_of(predicted)
        if gain.is_within_error:
            return f"{text} {what} {gain.hardly}."
        return f"{text} {what} would give {gain.whole}."

    return tell
