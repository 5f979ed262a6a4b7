"""The parts of sentences say what is sure and what is lacking, and add up."""

from __future__ import annotations

from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.diagnosis.situations import LCU, load, volume
from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.diagnosis.phrases import NO_CMF, UNTIMED, gain_of, no_cmf, percents, why_untimed
from zmon.interval import IDLE
from zmon.kinds import CMF_OFF, NO_CMF_TIMES
from zmon.queueing.prediction import LOW, PROCESSORS, Prediction, UnitOutcome


def prediction(times: float, low: float, then: float, confidence: str = LOW) -> Prediction:
    """Return what is predicted of 100 requests a second that take 1 ms each."""
    whole = UnitOutcome("", "all", (100.0, 100 * times), (1.0, 1.0), (0.001, then))
    found = dict.fromkeys(Prediction._fields)
    found |= {
        "whole": whole,
        "units": (whole,),
        "throughput": (100 * low, 200.0),
        "confidence": confidence,
        "error": 0.2,
    }
    return Prediction(**found | {"limit": "4 processors", "use": 0.8, "limiting": PROCESSORS})  # type: ignore[arg-type]


def test_a_longer_response_is_explained() -> None:
    """More requests come where more are answered."""
    slower = gain_of(prediction(1.32, 1, 0.0015))
    assert facts(slower.whole.partition(")")[2]).startswith("1.5 1.0")
    assert "because" in slower.whole
    assert "because" not in gain_of(prediction(1.32, 1.0, 0.0005)).text


@pytest.mark.parametrize(
    ("parts", "words"),
    [((0.836, 0.164), ["84 %", "16 %"]), ((0.8405, 0.1657), ["84 %", "16 %"]), ((0.5,), ["50 %"]), ((), [])],
)
def test_shares_that_were_counted_one_after_the_other(parts: tuple[float, ...], words: list[str]) -> None:
    """Together they are never more than all."""
    assert percents(parts) == words


@given(st.lists(st.floats(0, 1), max_size=9))
def test_shares_add_up(parts: list[float]) -> None:
    """The words add up to the sum of the parts, of which more than all is all."""
    said = sum(int(words.split()[0]) for words in percents(parts))
    assert said == round(100 * min(1.0, fsum(parts)))


@pytest.mark.parametrize("reason", [CMF_OFF, NO_CMF_TIMES])
def test_the_reason_is_that_of_the_lcu(reason: Absent) -> None:
    """Measurement that is off, and a machine that measures no times, are not "not read"."""
    measured = load(volume())._replace(lcus=(LCU._replace(pend=reason),))
    assert no_cmf(measured).endswith(reason.facts[0])
    assert why_untimed(measured) is absent(no_cmf(measured))


def test_without_a_reason_it_was_not_read() -> None:
    """An LCU without I/O, whose times are absent for that, gives no reason."""
    idle = load(volume(rate=0.0))._replace(lcus=(LCU._replace(pend=IDLE),))
    assert (why_untimed(idle), no_cmf(idle)) == (UNTIMED, NO_CMF)
    assert why_untimed(load(volume())) is UNTIMED
