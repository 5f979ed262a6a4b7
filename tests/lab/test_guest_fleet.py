"""The laboratory writes recordings of many guests that share boxes and LCUs, each under its own name."""

from __future__ import annotations

from itertools import islice

from zmon.kinds import DEVICE, MACHINE
from zmon.lab.guest_fleet import BOXES, guest_name, guest_plan, guest_samples
from zmon.uid import find_uid


def test_guests_share_boxes_by_their_number() -> None:
    """All see the same LCUs of a box, and each has a name of its own."""
    seen: dict[int, set[str]] = {}
    for number in range(1, BOXES + 2):
        (first,) = islice(guest_samples(number, 120.0), 1)
        assert first.simulated
        assert first.frame(MACHINE).cell("machine", "guest_name") == guest_name(number)
        uids = [find_uid(uid) for uid in first.frame(DEVICE).column("uid")]
        seen[number] = {uid.lcu for uid in uids if uid is not None}
    assert seen[1] == seen[1 + BOXES]
    assert seen[1].isdisjoint(seen[2])


def test_guests_have_different_loads() -> None:
    """Their seeds and phases differ, and are the same in every run."""
    plans = [guest_plan(number, 600.0) for number in (1, 2, 1)]
    assert plans[0] == plans[2]
    assert (plans[0].seed, plans[0].phases) != (plans[1].seed, plans[1].phases)
