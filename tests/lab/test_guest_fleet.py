"""The laboratory writes recordings of many guests that share boxes and LCUs, each under its own name."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from zmon.fleet.fleet_tables import fleet_of
from zmon.fleet.member import found_in, read_member
from zmon.kinds import DEVICE, MACHINE
from zmon.lab.guest_fleet import BEGIN, BOXES, SCANNER, GuestFleet, guest_name, guest_plan, write_fleet
from zmon.trends.rollup import recording_with_trends
from zmon.values.uid import find_uid

if TYPE_CHECKING:
    from pathlib import Path

SECONDS = 120.0
NS = 1_000_000_000


def test_guests_share_boxes_by_their_number() -> None:
    """All see the same LCUs of a box, and each has a name of its own."""
    seen: dict[int, set[str]] = {}
    fleet = GuestFleet(BOXES + 1, 120.0)
    for number in range(1, BOXES + 2):
        (first,) = islice(fleet.samples(number), 1)
        assert first.simulated
        assert first.frame(MACHINE).cell("machine", "guest_name") == guest_name(number)
        uids = [find_uid(uid) for uid in first.frame(DEVICE).column("uid")]
        seen[number] = {uid.lcu for uid in uids if uid is not None}
    assert seen[1] == seen[1 + BOXES]
    assert seen[1].isdisjoint(seen[2])


def test_guests_have_different_loads() -> None:
    """Those of one box, too, and they are the same in every run."""
    plans = [guest_plan(number, 600.0) for number in (1, 2, 1 + 2 * BOXES, 1)]
    assert plans[0] == plans[3]
    assert len({plan.phases for plan in plans}) == 3


def test_the_scanner_fills_lcu_6_and_the_others_of_its_box_wait(tmp_path: Path) -> None:
    """In the second half of the time, in which no other box has slow LCUs; in the first half nobody waits."""
    write_fleet(
        str(tmp_path / "fleet"), lambda path: recording_with_trends(path, durable=False), SECONDS, SCANNER
    )
    begin, middle, end = (round(BEGIN + part * SECONDS) * NS for part in (0, 0.5, 1))
    found = found_in(str(tmp_path / "fleet"))
    before, after = (
        fleet_of([read_member(*each, *times) for each in found.items()], *times)
        for times in ((begin, middle), (middle, end))
    )
    assert before.filling is None
    filling = after.filling
    assert filling is not None
    assert (filling.guest, filling.lcu, filling.others) == (guest_name(SCANNER).lower(), "7600", 1)
    assert filling.of_data > 90
    assert filling.there > 10 * filling.elsewhere
    assert "lnx004 fills LCU 7600 of box 750000000F2002: it does " in filling.sentence
    quiet = [row for row in after.lcus if row.box != filling.box]
    assert quiet
    assert all(row.resp < 2 for row in quiet)
