"""Lines of emulated disks that the samples do not have."""

from __future__ import annotations

from zmon.cp.answers import parse


def test_a_path_that_is_not_whole_is_none() -> None:
    """WWPN and LUN have sixteen digits each; the line belongs to the answer all the same."""
    head = "EDEV 8000 TYPE FBA ATTRIBUTES 2107\n"
    whole = "  FCP_DEV: B800 WWPN: 5005076300C213E9 LUN: 4010400000000000\n"
    found = parse(f"{head}{whole}{whole[:-3]}\n".encode(), "x")
    assert found.rows["edevice"][0].paths == (("B800", "5005076300C213E9", "4010400000000000"),)
    assert found.counts["unknown"] == 0
