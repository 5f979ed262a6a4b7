"""Lines of storage subsystems that the samples do not have."""

from __future__ import annotations

from zmon.cp.answers import parse
from zmon.cp.noise import Line
from zmon.cp.row import REMEMBERED
from zmon.cp.subsystem import Pav, pav


def test_sizes_that_are_not_told_are_none() -> None:
    """Absent is never zero; and a size of another device's answer is not taken."""
    text = "7601 CACHE available for subsystem\n 4096K Bytes configured\n7602 CACHE activated for device\n"
    (row,) = parse(text.encode(), "x").rows["cache"]
    assert (row.configured_k, row.available_k, row.device) == (4096, None, "")


def test_an_alias_in_a_pool_has_no_base() -> None:
    """HyperPAV binds it for one I/O; the answer was never seen, so the row says so."""
    row = pav(Line("Device 76F0 is an alias HyperPAV volume in Pool 3", 1))
    assert row == Pav("76F0", "hyperpav alias", "", (), "3", 1, REMEMBERED)
