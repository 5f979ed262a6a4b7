"""The conclusion of a screen: a sentence of what the one verdict says about the things that are listed there.

DIAGNOSE says more.  A verdict takes longer than the screen, so it is asked for once the screen is drawn; all
screens of an interval share it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.mistake import contained
from zmon.base.record import NamedTuple
from zmon.diagnosis.catalogue import short_of
from zmon.diagnosis.diagnosis import BLIND, POSSIBLE
from zmon.diagnosis.judged import calm_on, judged_view, situation_of, time_on, verdict_of
from zmon.diagnosis.resource_state import resource_of
from zmon.diagnosis.verdict import SPARE
from zmon.machine.device_names import find_device
from zmon.machine.devices import devices_of
from zmon.machine.topology import units_of
from zmon.queueing.headroom import resource_uses

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zmon.diagnosis.diagnosis import Diagnosis, Verdict
    from zmon.machine.view import View


class Conclusion(NamedTuple):
    """One sentence about a screen, and how bad that is."""

    words: str
    state: str = ""
    """That of the verdict, on each screen alike: `bad` or `look`; empty if nothing is short."""


class ListedThings(NamedTuple):
    """What a screen lists."""

    title: str
    resources: frozenset[str]
    """The keys of the resources in `zmon.diagnosis.resources`."""
    subjects: frozenset[str]
    """The kinds of subjects."""
    use: str = ""
    """The kind in `Resource`, if a screen shows the same figure."""


LISTED: Final[Mapping[str, ListedThings]] = {
    "lcu": ListedThings("The LCUs", frozenset({"lcu", "alias"}), frozenset({"lcu"}), "lcu"),
    "channel": ListedThings(
        "The channel paths", frozenset({"channel"}), frozenset({"path", "adapter"}), "paths"
    ),
    "device": ListedThings("The devices", frozenset({"device", "alias"}), frozenset({"volume", "disk"})),
}
"""By the resource that it lists."""


def conclusion(view: View, resource: str) -> Conclusion:
    """Return what the verdict on a view's interval says about a screen of a resource.

    A screen that is about one device has that as the view's argument.

    Raises:
        NoSuchThing: no device, or more than one, has that name.
    """
    return contained(
        "the conclusion of a screen",
        lambda: _conclusion(view, resource),
        lambda why: Conclusion(f"No verdict: {why.reason}."),
    )


def _conclusion(view: View, resource: str) -> Conclusion:
    verdict = verdict_of(view)
    if verdict.is_calm:
        return Conclusion(calm_on(view, verdict))
    is_about = _is_about_one(view) if view.argument else _is_about_list(LISTED[resource])
    first = verdict.diagnoses[0]
    state = "bad" if verdict.is_bad else "look"
    every = [*((root, "") for root in verdict.diagnoses if root.id != BLIND), *verdict.explained]
    if first.confidence != POSSIBLE:
        every = [pair for pair in every if pair[0].confidence != POSSIBLE]
    diagnosis, by = next((pair for pair in every if is_about(pair[0])), (None, ""))
    if diagnosis is None:
        before = _elsewhere(view, resource, verdict)
        return Conclusion(f"{before}{_clause(view, first)} ({first.confidence}).", state)
    cause = next((root for root in verdict.diagnoses if root.id == by), None)
    if cause is None:
        return Conclusion(f"{_clause(view, diagnosis)} ({diagnosis.confidence}).", state)
    return Conclusion(
        f"{_clause(view, cause)} ({cause.confidence}). Because of that: {_clause(view, diagnosis)}.", state
    )


def _clause(view: View, diagnosis: Diagnosis) -> str:
    """Return what a diagnosis claims and, if not of the interval, when; without the figures behind it."""
    return f"{time_on(view, diagnosis)}{diagnosis.told.shorter or diagnosis.told.clause}"


def _is_about_list(listed: ListedThings) -> Callable[[Diagnosis], bool]:
    """Return what tells whether a diagnosis is about some of the things that a screen lists."""
    return lambda diagnosis: (
        resource_of(diagnosis) in listed.resources
        or any(subject.kind in listed.subjects for subject in diagnosis.subjects)
    )


def _is_about_one(view: View) -> Callable[[Diagnosis], bool]:
    """Return what tells whether a diagnosis is about a device, its LCU or a path to it."""
    key, devices = find_device(view, view.argument), devices_of(view.interval)
    chpids = devices.chpids[devices.keys.index(key)] if key in devices.keys else ""
    paths = chpids.split() if isinstance(chpids, str) else []
    own = {("volume", key), ("disk", key), ("lcu", units_of(view).of.get(key, ""))}
    own |= {("path", chpid) for chpid in paths}
    return lambda diagnosis: any(
        (subject.kind, subject.key.rpartition(".")[2] if subject.kind == "path" else subject.key) in own
        for subject in diagnosis.subjects
    )


def _elsewhere(view: View, resource: str, verdict: Verdict) -> str:
    """Return what is said before a diagnosis of something else: how busy that is which the screen lists."""
    if view.argument:
        return "Not this device: "
    listed = LISTED[resource]
    ids = {root.id for root in verdict.diagnoses} | {effect.id for effect, _ in verdict.explained}
    if not ids.isdisjoint(short_of(listed.use) or ids):
        return ""
    load = situation_of(judged_view(view)).load
    of_kind = [use for use in resource_uses(load) if use.kind == listed.use]
    uses = [use.use for use in of_kind]
    if listed.use == "paths" and uses:  # it lists each, not groups of them
        uses = [float(use) for use in load.paths.values() if not isinstance(use, Absent)]
    most, about = max(uses, default=1.0), "~" * any(use.estimated for use in of_kind)
    return f"{listed.title} are at most {about}{100 * most:.0f} % busy. " if most <= SPARE else ""
