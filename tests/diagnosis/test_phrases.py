"""What diagnoses say is lacking is what CTLUNIT says of the same LCU."""

from __future__ import annotations

import pytest

from tests.diagnosis.situations import LCU, load, volume
from zmon.absent import Absent, absent
from zmon.diagnosis.phrases import NO_CMF, UNTIMED, no_cmf, why_untimed
from zmon.kernel.cmf import NO_TIMES, OFF


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (OFF, "channel measurement (CMF) is off for this device: cmb_enable is 0"),
        (NO_TIMES, "channel measurement (CMF) gives no times: this hypervisor counts starts but no times"),
    ],
)
def test_the_reason_is_that_of_the_lcu(reason: Absent, words: str) -> None:
    """Measurement that is off, and a machine that measures no times, are not "not read"."""
    measured = load(volume())._replace(lcus=(LCU._replace(pend=reason),))
    assert why_untimed(measured) is absent(words)
    assert no_cmf(measured) == words


def test_without_a_reason_it_was_not_read() -> None:
    """An LCU without I/O, whose times are absent for that, gives no reason."""
    idle = load(volume(rate=0.0))._replace(lcus=(LCU._replace(pend=absent("no I/O in the interval")),))
    assert (why_untimed(idle), no_cmf(idle)) == (UNTIMED, NO_CMF)
    assert why_untimed(load(volume())) is UNTIMED
