"""DIAGNOSE: what is wrong, how that is known, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.base.clock import written_out
from zmon.base.event import worst_of
from zmon.base.plain_text import harmless
from zmon.diagnosis.judged import NEEDS, calm_on, judged_view, time_on, verdict_of, why_longer
from zmon.diagnosis.sections import remarks, sections
from zmon.machine.devices import SCSI_HOME
from zmon.tables.exceptions import earlier, is_complete, still_judged
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.base.absent import Value
    from zmon.diagnosis.diagnosis import Diagnosis, Subject
    from zmon.machine.view import View
DOORS: Final = {
    "volume": "DEVICE {key}",
    "disk": "DEVICE {key}",
    "path": "CHANNEL",
    "adapter": "MPATH",
    "cpu": "CPU",
    "memory": "PAGELOG",
    "file": "FILES {key}",
    "tablespace": "FILES {key}",
    "machine": "REDISP",
}
"""The screen of each kind of subject."""
HELD: Final = "layer.suspended"
"""The evidence of a device that is held back: one that is made of others, which have screens of their own."""
FIRST: Final = absent("nothing can be said yet: figures need a second sample")
NO_DIAGNOSIS: Final = absent("this line leads nowhere: it belongs to no diagnosis")


# DIAGNOSE


def table(view: View) -> Table:
    """Fill DIAGNOSE: sentences, those of a diagnosis one after the other; each leads to its subject."""
    if view.interval.before is None:
        return Table([], {}, missing=FIRST)
    verdict = verdict_of(view)
    lines: list[tuple[str, str, Diagnosis | None]] = []
    ways: dict[int, str] = {}
    firsts: dict[int, Diagnosis] = {}
    if verdict.is_calm:
        lines.append(("Verdict", calm_on(view, verdict), None))
        utc = view.interval.after.at.utc
        log = view.history.exceptions(0, utc)
        if not is_complete(log, utc):
            lines.append(("Exceptions", still_judged(log), None))
            ways[1] = "EXCEPT"
        elif worst := worst_of(log.entries):
            lines.append(("Exceptions", f"{earlier(log.entries, utc)}.", None))
            ways[1] = f"WORST {worst.number}"
    for number, diagnosis in enumerate(verdict.diagnoses, 1):
        firsts[len(lines)] = diagnosis
        claim = f"{time_on(view, diagnosis)}{diagnosis.judged_claim}"
        lines.append((f"{number}. {diagnosis.id}", claim, diagnosis))
        lines += [(heading, text, diagnosis) for heading, text in sections(diagnosis)]
    lines += [(heading, text, None) for heading, text in remarks(verdict)]
    heads = [firsts.get(number) for number in range(len(lines))]
    columns: dict[str, list[Value]] = {
        "what": [what for what, _, _ in lines],
        "text": [harmless(text) for _, text, _ in lines],
        "id": ["" if diagnosis is None else diagnosis.id for diagnosis in heads],
        "confidence": ["" if diagnosis is None else diagnosis.confidence for diagnosis in heads],
        "lost": ["" if diagnosis is None else diagnosis.lost for diagnosis in heads],
        "subject": ["" if diagnosis is None else diagnosis.subjects[0].title for diagnosis in heads],
        "door": [
            ways.get(number, NO_DIAGNOSIS) if diagnosis is None else door_of(diagnosis)
            for number, (_, _, diagnosis) in enumerate(lines)
        ],
    }
    notes = (f"A longer time was looked at: {why}",) if (why := why_longer(view)) else ()
    return Table([str(number) for number in range(1, len(lines) + 1)], columns, notes=notes, sentences="text")


def same_time(view: View, given: Sequence[str] | None = None) -> Callable[[Diagnosis], list[str]]:
    """Return what returns the options with which a command looks at the interval that a diagnosis is about.

    `given` are those of the time as the command line had them; without them the time is written out.  Where
    more was judged than the interval, or a stretch of it, that is what the gain is of.
    """
    judged, asked = judged_view(view).interval, [*view.history.asked]
    begin = None if judged.before is None else judged.before.at.utc
    is_given = given is not None and begin is not None and judged is view.interval

    def options(diagnosis: Diagnosis) -> list[str]:
        if "--from" not in asked:
            return asked
        if diagnosis.begin is not None and diagnosis.end is not None:
            return [*asked, "--since", written_out(diagnosis.begin), "--at", written_out(diagnosis.end)]
        if is_given:
            return [*asked, *(given or ())]
        is_long = judged.skipped or judged is not view.interval
        since = ["--since", written_out(begin)] if is_long and begin is not None else []
        return [*asked, *since, "--at", written_out(judged.after.at.utc)]

    return options


def door_of(diagnosis: Diagnosis) -> str:
    """Return the command that opens the screen of what a diagnosis is about."""
    held = any(evidence.column == HELD for evidence in diagnosis.evidence)
    return "STACKED" if held else door(diagnosis.subjects[0])


def door(subject: Subject) -> str:
    """Return the command that opens the screen of a subject."""
    if subject.is_fcp:
        return "FCP"  # its response beside that of the others
    return lcu_door(subject.key) if subject.kind == "lcu" else DOORS[subject.kind].format(key=subject.key)


def lcu_door(key: str) -> str:
    """Return the command that lists the devices of an LCU; of all SCSI disks together, their LCUs."""
    return f"DEVICE cu={key}" if key != SCSI_HOME else "CTLUNIT"


DEFINITIONS: Final = {"diagnosis": TableDefinition(NEEDS._replace(exceptions=True), table, has_status=True)}
