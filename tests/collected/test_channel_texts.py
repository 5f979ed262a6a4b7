"""What lscss, lschp, lszfcp and lsscsi say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.collected.texts import LSCHP, LSCSS, LSCSS_VPM, facts_in, row
from zmon.kinds import LAYER
from zmon.sample import empty_frame

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


def test_lsscsi_has_nvme_disks_some_of_which_have_no_name() -> None:
    """They are in no address of SCSI."""
    facts = facts_in(
        "[N:0:1:1]    disk    Linux__1             -        \n[N:0:2:1]    disk    Linux__1   /dev/nvme0n1\n",
        "lsscsi",
    )
    assert [*facts.rows["layer"]] == ["nvme0n1"]


def test_lszfcp_and_lsscsi_join_by_the_address() -> None:
    """Adapter, port and LUN of the disk that lsscsi names."""
    facts = facts_in("0.0.3d0c/0x500507630300c562/0x4010403300000000 0:0:0:1\n", "lszfcp -D")
    listed = facts_in("[0:0:0:1]    disk    IBM      2107900          .190  /dev/sda \n", "lsscsi")
    assert row(facts, "layer", "scsi-0-0-0-1") == {
        "sort": "disk", "busid": "0.0.3d0c", "wwpn": "0x500507630300c562", "lun": "0x4010403300000000",
    }  # fmt: skip
    assert listed.aliases == {"scsi-0-0-0-1": "sda"}
    assert row(listed, "layer", "sda")["model"] == "2107900"


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


WWID = "36005076309ffd1c70000000000001a00"


def test_lsscsi_of_all_ages_names_the_luns_of_disks() -> None:
    """With -i their WWIDs; up to version 0.29 no blank stands behind a long address."""
    facts = facts_in(f"[0:0:0:1073758234]disk    IBM      2107900   1060  /dev/sda   {WWID}\n", "lsscsi -i")
    facts.by_number(empty_frame(LAYER, "no text"))
    disk = row(facts, "layer", "8:0")
    assert (disk["wwid"], disk["lun"]) == (f"naa.{WWID[1:]}", "0x401a400000000000")


def test_lsluns_names_the_disks_of_luns_by_their_generic_devices() -> None:
    """Lsscsi -g has these, wherever it stands."""
    facts = facts_in("""\
# lsluns -a
adapter = 0.0.fc00
\tport = 0x500507630310c03e
\t\tlun = 0x4033404700000000\t/dev/sg0\tDisk\tIBM:2107900
# lsscsi -g
[0:0:0:1]    disk    IBM      2107900          1060  /dev/sda   /dev/sg0
""")
    facts.by_number(empty_frame(LAYER, "no text"))
    disk = row(facts, "layer", "8:0")
    assert (disk["busid"], disk["wwpn"], disk["lun"]) == (
        "0.0.fc00", "0x500507630310c03e", "0x4033404700000000",
    )  # fmt: skip
