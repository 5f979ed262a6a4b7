"""Processors of this Linux are full (D15): while they are, nothing else limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, Diagnosis, Subject
from zmon.diagnosis.phrases import MACHINE, evidence, gain, percent
from zmon.queueing.change import ProcessorNumber
from zmon.queueing.waiting import FULL_PROCESSORS

if TYPE_CHECKING:
    from zmon.diagnosis.diagnosis import Diagnoses
    from zmon.diagnosis.situation import Situation

CERTAINLY_FULL: Final = 0.97
"""Utilisation from which on work waits for processors, however evenly it comes."""


def full_processors(situation: Situation) -> Diagnoses:
    """Return D15: the processors are full."""
    number, busy = situation.load.processors
    if isinstance(number, Absent) or isinstance(busy, Absent):
        return absent("the load of the processors: /proc/stat")
    if busy < FULL_PROCESSORS:
        return ()
    subject = Subject("cpu", "", f"{number:.0f} processors")
    more = float(round(1.5 * number) if number > 1 else 2)
    found = Diagnosis(
        "D15",
        subjects=(MACHINE, subject),
        claim=f"The {number:.0f} processors are full: {percent(busy)} busy.",
        evidence=(
            evidence("cpu.busy", subject, 100 * busy, f"{percent(busy)} of {number:.0f} processors busy"),
        ),
        confidence=CERTAIN if busy >= CERTAINLY_FULL else LIKELY,
        action=f"Give this Linux more processors, for example {more:.0f}, or less to compute.",
        lost=0.0,
        gain=gain(situation, (ProcessorNumber(more),)),
        whatif=f"processors {more:.0f}",
        confirm="" if busy >= CERTAINLY_FULL else "Tasks that wait for a processor (PSI) would confirm it.",
    )
    return (found,)


CAUSES: Final = {"D15": full_processors}
