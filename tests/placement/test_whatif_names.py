"""Which LCU a word of a what-if names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.kinds import DEVICE
from zmon.machine.topology import lcus_named
from zmon.machine.view import View, no_inputs
from zmon.placement.whatif import known_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Value
    from zmon.interval import Interval


def disk(uid: str) -> dict[str, Value]:
    """Return one volume by its unique id."""
    return {"uid": uid, "alias": 0, "chpids": "40", "online": 1, "driver": "dasd-eckd", "block": "dasda"}


def test_a_name_that_two_lcus_have_names_neither(make_interval: Callable[..., Interval]) -> None:
    """The change would be made to whichever comes first; the serial tells them apart, on all screens."""
    devices = {
        "0.0.1518": disk("IBM.750000000DXP71.1500.18"),
        "0.0.2518": disk("IBM.750000000ABC12.1500.18"),
        "0.0.3618": disk("IBM.750000000ABC12.1600.18"),
    }
    view = View(make_interval({DEVICE: devices}, {DEVICE: devices}), inputs=no_inputs)
    names = known_names(view).lcus
    assert "lcu 1500" not in names
    assert names["lcu abc12.1500"] == names["abc12.1500"] == "IBM.750000000ABC12.1500"
    assert names["lcu 1600"] == "IBM.750000000ABC12.1600"
    assert lcus_named(view, "ABC12.1500") == ["IBM.750000000ABC12.1500"]
