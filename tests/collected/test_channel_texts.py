"""What lscss, lschp, lszfcp and lsscsi say."""

from __future__ import annotations

from tests.collected.texts import LSCHP, LSCSS, LSCSS_VPM, facts_in, row


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
