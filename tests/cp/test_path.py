"""Lines of channel paths that the samples do not have."""

from __future__ import annotations

from zmon.cp.answers import parse


def test_signs_that_do_not_fit_the_paths_are_not_used() -> None:
    """What is told of some paths only is told of none."""
    text = "Device 7601, Status ONLINE\n CHPIDs to Device 7601 (PIM)  : 40 41\n  Online    (LPM)  : +\n"
    (row,) = parse(text.encode(), "x").rows["paths"]
    assert (row.pim, row.lpm, bool(row.weak)) == (("40", "41"), None, True)
