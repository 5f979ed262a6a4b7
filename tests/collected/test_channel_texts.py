"""What lscss and lschp say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.collected.texts import LSCHP, LSCSS, LSCSS_VPM, facts_in, row
from zmon.collected.channel_texts import vary_paths

if TYPE_CHECKING:
    from tests.collected.conftest import Ask


def test_lscss_gives_types_masks_and_installed_paths() -> None:
    """A subchannel without a device has no row; the Use column is empty for a device that is offline."""
    facts = facts_in(LSCSS, "lscss")
    found = row(facts, "device", "0.0.7101")
    assert found == {
        "subchannel": "0.0.021d", "devtype": "3390/0e", "cutype": "3990/e9", "online": 1,
        "pim": 0xF0, "pam": 0xF0, "pom": 0xFF, "chpids": "19 29 39 09",
    }  # fmt: skip
    assert row(facts, "device", "0.0.7200")["online"] == 0
    assert row(facts, "device", "0.0.0900")["chpids"] == "15"
    assert len(facts.rows["device"]) == 3
    assert row(facts_in(LSCSS_VPM, "lscss --vpm"), "device", "0.0.7101")["vpm"] == 0xE0
    assert row(facts_in(LSCSS.upper(), "lscss -u"), "device", "0.0.7101") == found


def test_lschp_gives_state_type_and_channel() -> None:
    """A minus says nothing, parentheses an internal channel."""
    facts = facts_in(LSCHP, "lschp")
    assert row(facts, "channel", "0.30") == {
        "status": "online", "configure": 1, "type": 0x1B, "cmg": 2, "shared": 1, "chid": "0390",
        "chid_external": 1,
    }  # fmt: skip
    assert "cmg" not in row(facts, "channel", "0.34")
    assert row(facts, "channel", "0.fe")["status"] == "offline"
    assert row(facts, "channel", "0.fe")["chid_external"] == 0


def test_a_path_names_the_lost_channel_paths_of_its_disk(where: Ask) -> None:
    """As its disk does: `61` and `64` are installed and not available."""
    texts = """\
# lsdasd -u
0.0.3401  dasdc       IBM.75000000AAAA1.3400.01
# lscss
Device   Subchan.  DevType CU Type Use  PIM PAM POM  CHPIDs
----------------------------------------------------------------------
0.0.3401 0.0.021d  3390/0e 3990/e9 yes  f0  90  ff   60616465 00000000
# mount
/dev/dasdc1 on /data type xfs (rw)
"""
    (answer,) = where("/data/x", texts)["where"]
    assert [disk["lost_chpids"] for disk in answer["disks"]] == ["61 64"]
    assert [disk["lost_chpids"] for disk in where("dasdc", texts)["disks"]] == ["61 64"]


@pytest.mark.parametrize(("vary", "configured", "lost"), [(0, 1, "61"), (1, 0, "61"), (1, 1, "")])
def test_a_path_that_lschp_has_as_off_is_lost(vary: int, configured: int, lost: str, where: Ask) -> None:
    """Although the subchannel has it as available, where Linux varied it off."""
    texts = f"""\
# lsdasd -u
0.0.3401  dasdc       IBM.75000000AAAA1.3400.01
# lscss
0.0.3401 0.0.021d  3390/0e 3990/e9 yes  c0  c0  ff   60610000 00000000
# lschp
0.60   1     1     1b    3    1       0140
0.61   {vary}     {configured}     1b    3    1       0141
# mount
/dev/dasdc1 on /data type xfs (rw)
"""
    assert [disk["lost_chpids"] for disk in where("dasdc", texts)["disks"]] == [lost]
    (answer,) = where("/data/x", texts)["where"]
    assert [disk["lost_chpids"] for disk in answer["disks"]] == [lost]


def test_what_lscss_verified_stands() -> None:
    """It may be of another moment than lschp."""
    facts = facts_in(f"# lscss --vpm\n{LSCSS_VPM}# lschp\n0.29   0     1     1b    3    1       0140\n")
    vary_paths(facts)
    assert row(facts, "device", "0.0.7101")["vpm"] == 0xE0
