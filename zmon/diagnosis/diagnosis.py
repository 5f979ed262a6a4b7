"""What a diagnosis is: a claim with its evidence, what was excluded, how sure it is, and what to do.

The ids (D1, D4b ...) are those of the catalogue in `zmon.diagnosis.catalogue`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.milliseconds import ms
from zmon.base.mistake import REASONS, contained
from zmon.base.record import NamedTuple
from zmon.diagnosis.catalogue import CONFIDENCES, catalogue
from zmon.machine.figure import Variable
from zmon.machine.observation import MIN_LOST
from zmon.queueing.prediction import LITTLE, WITHIN_ERROR

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Number, Value
    from zmon.queueing.change import Change

CERTAIN, LIKELY, POSSIBLE = CONFIDENCES
BLIND: Final = "D22"
"""A measurement is off: that is no verdict, only why another one may be wrong."""


def nothing_known() -> None:
    """Return that it is not known what an action gives."""


class Subject(NamedTuple):
    """The thing that a diagnosis or a number is about."""

    kind: str
    """`lcu`, `volume`, `path`, `cpu`, `memory`, `disk`, `adapter`, `file`, `tablespace`, `unit` or
    `machine`."""
    key: str = ""
    """Its key in the tables of zmon: `IBM.750000000F2001.7600`, `0.0.7201`, `0.40`; empty for the machine."""
    title: str = ""
    """What screens call it: `LCU 7600`."""
    is_fcp: bool = False
    """Whether it is an FCP device: these have a screen of their own."""


class Measurement(NamedTuple):
    """One number that a diagnosis rests on, with the column of the screen where it is seen."""

    column: str
    """`TABLE.COLUMN`, as in rules: `control_unit.disc`."""
    subject: Subject
    value: Value
    words: str
    """The number as a part of a sentence: `Disc 27.4 of Serv 38.7 ms`."""
    before: Number | None = None
    """The same number at the time it is compared with."""

    @property
    def variable(self) -> Variable:
        """What it is a value of."""
        table, _, column = self.column.partition(".")
        return Variable(table, column, self.subject.key)


class Gain(NamedTuple):
    """What an action gives, as the model of all resources predicts it."""

    times: float
    """The throughput after as a multiple of that before."""
    low: float
    high: float
    """Its range; below 1 it may be a loss."""
    sure: bool
    """Whether the model knows what counts: its confidence is not low."""
    now: Number
    then: Number
    """Seconds of a request before and after."""
    is_mean: bool = False
    """Whether these are means of several LCUs."""
    limit: str = ""
    """What limits next: `LCU 7600`."""
    next_limit: str = ""
    """The same with how busy it is then; empty if that is not known."""
    loss: str = ""
    """Why it may be a loss, a sentence without its stop; empty if the range has no loss."""
    is_useless: bool = False
    """Whether it is not worth the work: neither more throughput nor shorter responses."""
    what: str = ""
    """What it is of, where the action says more: `with 8 processors `."""
    is_within_error: bool = False
    """Whether it is less than what the model errs by: then it has no number."""

    @property
    def is_little(self) -> bool:
        """Whether there is hardly more throughput."""
        return self.times < LITTLE

    @property
    def short(self) -> str:
        """What is told where there is little room; nothing where there is none for why it may be a loss."""
        if self.loss:
            return ""
        limit = f"; next limit: {self.limit}" if self.next_limit and not self._response else ""
        return f"{self.what}{self.range}{limit}"

    @property
    def text(self) -> str:
        """All of it: `1.45 times the throughput (1.23 to 1.60), 0.9 ms instead of 3.2 ms for a request`."""
        return f"{self.what}{self.whole}"

    @property
    def whole(self) -> str:
        """The same without how it is judged, and what it is of."""
        limited = self.limit if self.is_within_error and self.next_limit else self.next_limit
        limit = f"; next limit: {limited}" if limited else ""
        loss = f". {self.loss}" if self.loss and not self.is_useless else ""
        return f"{self.range}{self._response}{limit}{loss}"

    @property
    def hardly(self) -> str:
        """What is told instead of the advice where it is little, as the end of a sentence."""
        sure = "" if self.sure else " (low confidence)"
        limit = f": next limit {self.next_limit}" if self.next_limit else ""
        return f"would gain little, {WITHIN_ERROR}{sure}{limit}"

    @property
    def range(self) -> str:
        """The throughput with its range: `1.45 times the throughput (1.23 to 1.60)`, if it has a number."""
        if self.is_within_error:
            return f"{WITHIN_ERROR} in throughput{'' if self.sure else ' (low confidence)'}"
        sure = "" if self.sure else "; low confidence"
        return f"{self.times:.2f} times the throughput ({self.low:.2f} to {self.high:.2f}{sure})"

    @property
    def _response(self) -> str:
        """How long a request then takes, if that differs; where it is longer, that more come.

        Within the error of the model only which of both it may be.
        """
        if self.is_within_error:
            if self.then * LITTLE <= self.now:
                return ", responses perhaps shorter"
            return ", responses perhaps longer" if self.now * LITTLE <= self.then else ""
        now, then = ms(self.now), ms(self.then)
        mean = " (mean of all LCUs)" if self.is_mean else ""
        more = ", because more come" if self.then > self.now else ""
        return f", {then} instead of {now} for a request{mean}{more}" if now != then else ""


class OtherGain(NamedTuple):
    """What an action gives that the model knows nothing of, in words."""

    text: str

    @property
    def short(self) -> str:
        """The same: there is no shorter one."""
        return self.text

    @property
    def is_little(self) -> bool:
        """Whether it is not worth the work: then it is not told."""
        return False


class Told(NamedTuple):
    """What a diagnosis claims and advises where there is little room: of many things it names two."""

    clause: str
    rest: str = ""
    besides: str = ""
    action: str = ""
    do: str = ""
    """What to do in a few words, where the action is long."""
    shorter: str = ""
    """The clause, if not as it is: without what is in brackets, and with the names of what is lost."""


class Diagnosis(NamedTuple):
    """One thing that is wrong."""

    id: str
    subjects: tuple[Subject, ...]
    """What it is about, most important first; ENTER goes to the screen of the first."""
    clause: str
    """The first clause of what it claims, with the name of the thing: `LCU 7600 is full`."""
    evidence: tuple[Measurement, ...]
    confidence: str
    action: str
    """What to do, one sentence."""
    lost: float
    """Requests (or tasks) that wait on average because of it, or of what it explains; ranks it."""
    rest: str = ""
    """What follows the clause in its sentence: `: 3.2 requests wait inside`."""
    besides: str = ""
    """Further sentences of the claim, each behind a blank."""
    brief: Told | None = None
    """The same where there is room for three lines; None: as it is."""
    excluded: tuple[str, ...] = ()
    """What it is not, each with its number: `the processors: 4 % busy`.  The verdict adds to them what it
    measures of the other resources."""
    foretell: Callable[[], Gain | OtherGain | None] = nothing_known
    """Returns `gain`: the model is asked only for what is shown."""
    changes: tuple[Change, ...] = ()
    """The change that `gain` is of, for the model; none where the gain is not from it."""
    whatif: str = ""
    """The change that `gain` is of, in the words of `zmon whatif`; empty if it has none."""
    confirm: str = ""
    """What would confirm it; empty where it is certain."""
    missing: tuple[str, ...] = ()
    """What was not measured and would make it surer."""
    since: int | None = None
    """UTC in ns from which on it is seen; None if not looked for."""
    begin: int | None = None
    """Of a long time, when the stretch begins in which it was short, UTC in ns; None: all of the time."""
    end: int | None = None
    """When that stretch ends."""
    says_when: bool = False
    """Whether the claim itself says from when or until when it is."""

    @property
    def is_bad(self) -> bool:
        """Whether it is bad, not only worth a look: it is certain, and a request or more waits because of it.

        What is lost or hangs is bad in any case.
        """
        return self.confidence == CERTAIN and (self.lost >= MIN_LOST or catalogue()[self.id].broken)

    @property
    def told(self) -> Told:
        """What is told where there is little room."""
        return self.brief or Told(self.clause, self.rest, self.besides, self.action)

    @property
    def sentence(self) -> str:
        """The first sentence of the claim, without its stop."""
        return f"{self.clause}{self.rest}"

    @property
    def claim(self) -> str:
        """What is wrong, in sentences: that LCU 7600 is full, and how many requests wait inside."""
        return f"{self.sentence}.{self.besides}"

    @property
    def judged_claim(self) -> str:
        """The claim with how sure it is behind the first clause."""
        return f"{self.clause} ({self.confidence}){self.rest}.{self.besides}"

    @property
    def gain_text(self) -> str:
        """All that is told of the gain; empty if it is not known."""
        return "" if self.gain is None else self.gain.text

    @property
    def gain(self) -> Gain | OtherGain | None:
        """What the action gives, with its range; None if it is not known."""
        return contained(f"the gain of {self.id}", self.foretell, lambda _why: None)


Diagnoses = tuple[Diagnosis, ...] | Absent
"""What a cause returns: nothing is wrong if there are none; absent, with the source that is lacking, if it is
not known."""


class NotKnown(NamedTuple):
    """A diagnosis that cannot be judged."""

    id: str
    source: str
    """Why, with what was not read: `channel measurement (CMF) was not read`."""
    may_be_full: bool = False
    """Whether the resource may be full by its use, and only whether something waits for it is not known."""

    @property
    def is_mistake(self) -> bool:
        """Whether zmon itself has a mistake there."""
        return absent(self.source).code == REASONS.code


class Examined(NamedTuple):
    """Something that was examined, and is not diagnosed."""

    id: str
    """The diagnosis that it is not."""
    subjects: tuple[Subject, ...]
    tell: Callable[[], str]
    """Returns `words`: the model is asked only for what is shown."""

    @property
    def words(self) -> str:
        """What was seen, and why it is no cause, in a sentence or two."""
        return self.tell()


class Verdict(NamedTuple):
    """The answer for one time: what is wrong, or that nothing is short."""

    diagnoses: tuple[Diagnosis, ...]
    """Those that explain the others, the most time lost first; empty: nothing is short."""
    explained: tuple[tuple[Diagnosis, str], ...]
    """Diagnoses that another one explains, with its id."""
    sentence: str
    """The verdict, complete: the first claim and what to do, or that nothing is short."""
    next_limit: str
    """What limits next, and when: `LCU 7100, at about 1.1 times this load (88 % busy)`, or empty."""
    unknown: tuple[NotKnown, ...]
    """What could not be judged."""
    rest: str = ""
    """What is said of the rest of a long time, of which some stretches were diagnosed; else empty."""
    examined: tuple[Examined, ...] = ()
    """What looks like a cause, and is none, or has no remedy that is worth its work."""

    is_measured: bool = True
    """Whether any resource was measured."""
    waiting: float = 0.0
    """Requests (or tasks) that wait because of the diagnoses on average, each counted once, however many
    diagnoses are about it; over a long time those of the stretch in which most wait."""

    may_wait: str = ""
    """Which requests may wait besides, in words, where nothing measured tells; empty if none may."""
    short: str = ""
    """Of a calm verdict the first sentence."""
    damage: str = ""
    """What of the recording was damaged that it rests on; then nothing is said not to be short."""

    @property
    def is_bad(self) -> bool:
        """Whether something is bad, not only worth a look."""
        return any(diagnosis.is_bad for diagnosis in self.diagnoses)

    @property
    def is_calm(self) -> bool:
        """Whether nothing is short: at most a measurement is off."""
        return all(diagnosis.id == BLIND for diagnosis in self.diagnoses)
