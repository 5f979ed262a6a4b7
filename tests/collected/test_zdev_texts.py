"""What lszdev, lsluns, lsqeth and lstape say of devices of the channel subsystem."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.collected.texts import facts_in, row

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

LSZDEV = """\
TYPE         ID                                              ON   PERS  NAMES
dasd-eckd    0.0.7101                                        yes  no    dasdb
dasd-eckd    0.0.7102                                        no   no    
dasd-eckd    0.0.7103                                        no   yes   
dasd-eckd    0.0.71f0                                        yes  yes   
dasd-fba     0.0.0190                                        yes  auto  dasda
zfcp-host    0.0.fc00                                        yes  yes   
zfcp-lun     0.0.fc00:0x500507630300c562:0x4010403300000000  yes  yes   sda sg0
zfcp-lun     0.0.fc01:0x500507630300c562:0x4010403300000000  no   yes   
qeth         0.0.f500:0.0.f501:0.0.f502                      yes  yes   encf500
generic-ccw  0.0.0009                                        yes  no    
"""  # noqa: W291
ORDERED = """\
ID        PERS  NAMES  EXISTS  ON   TYPE       ATTR:cmb_enable
0.0.7101  yes   dasdb  yes     yes  dasd-eckd  0/1
0.0.7102  yes          yes     no   dasd-eckd  0
0.0.7103  yes          no      no   dasd-eckd  -
"""
PAIRS = """\
TYPE="dasd-eckd" ID="0.0.7101" ON="yes" PERS="no" NAMES="dasdb"
TYPE="dasd-eckd" ID="0.0.7102" ON="no" PERS="no" NAMES=""
"""
INFO = """\
DEVICE dasd-eckd 0.0.7101
  Names              : dasdb
  Block devices      : dasdb dasdb2 dasdb1
  Resources provided : Mount point /srv/a
                       Swap device dasdb2
  Modules            : dasd_eckd_mod dasd_mod
  Online             : yes
  Exists             : yes
  Persistent         : no

  ATTRIBUTE   ACTIVE    PERSISTENT
  cmb_enable  "1"       -
  expires     "30"      "300"
  readonly    "0"       "1"
  use_diag    "0"       -

  READONLY     ACTIVE
  fc_security  "Unsupported"

DEVICE dasd-eckd 0.0.7102
  Names              : -
  Modules            : dasd_eckd_mod dasd_mod
  Online             : no
  Exists             : yes
  Persistent         : no

  ATTRIBUTE   ACTIVE    PERSISTENT
  cmb_enable  "0"       -
  readonly    "1"       -

DEVICE zfcp-lun 0.0.fc00:0x500507630300c562:0x4010403300000000
  Names              : sda sg0
  Block devices      : sda sda1
  Character devices  : bsg/0:0:0:1077100560 sg0
  Modules            : zfcp
  Online             : yes
  Exists             : yes
  Persistent         : yes

  ATTRIBUTE             ACTIVE     PERSISTENT
  failed                "0"        -
  scsi_dev/queue_depth  "32"       -
"""
LSLUNS = """\
Adapter 0.0.fc01 is not in a good state; skipping LUN scan.
Scanning for LUNs on adapter 0.0.fc00
\tat port 0x500507630300c562:
\t\t0x4010403200000000
\t\t0x4010403300000000
"""
LSLUNS_ATTACHED = """\
adapter = 0.0.fc00
\tport = 0x500507630300c562
\t\tlun = 0x4010403200000000\t/dev/sg1\tDisk\tIBM:2107900
\t\tlun = 0x4010403300000000(X)\t/dev/sg2\tDisk\tIBM:2107900
\t\tlun = 0xc101000000000000 [offline]
"""
LSQETH = """\
Device name                     : encf500
-------------------------------------------------
card_type                       : OSD_10GIG
cdev0                           : 0.0.f500
cdev1                           : 0.0.f501
cdev2                           : 0.0.f502
chpid                           : 00
online                          : 1
priority_queueing               : always queue 2
vnicc/learning                  : n/a
"""
LSQETH_TABLE = """\
devices                    CHPID interface        cardtype       port chksum prio-q'ing rtr4 rtr6 lay'2 cnt  
-------------------------------------------------------------------------------------------------------------
0.0.f500/0.0.f501/0.0.f502 x00   encf500          OSD_10GIG      0    sw     always_q_2 no   no   1     64   
"""  # noqa: W291
LSTAPE = """\
FICON/ESCON tapes (found 2):
TapeNo  BusID      CuType/Model DevType/Model   BlkSize State   Op      MedState
0       0.0.0480   3490/10      3490/40         auto    UNUSED  ---     UNLOADED
N/A     0.0.0481   3490/10      3490/40         N/A     OFFLINE ---     N/A     

SCSI tape devices (found 1):
Generic Device        Target       Vendor   Model            Type     State
        HBA           WWPN                  Serial
sg4     IBMtape0      0:0:0:0      IBM      03592E05         tapedrv  running
        0.0.fc00      0x500507630300c562    0000013A0124
"""  # noqa: W291


@pytest.mark.parametrize("content", [LSZDEV, LSZDEV.partition("\n")[2], ORDERED, PAIRS, INFO])
def test_each_form_of_lszdev_says_which_dasd_is_on_line(content: str) -> None:
    """One that is not on line is off, unless the list says that it does not exist."""
    facts = facts_in(content, "lszdev")
    device = row(facts, "device", "0.0.7101")
    assert (device["online"], device["block"], device["driver"]) == (1, "dasdb", "dasd-eckd")
    assert row(facts, "layer", "dasdb") == {"name": "dasdb", "sort": "disk", "busid": "0.0.7101"}
    assert row(facts, "device", "0.0.7102")["online"] == 0
    is_said_to_be_there = content in {LSZDEV, LSZDEV.partition("\n")[2]}
    assert ("0.0.7103" in facts.rows["device"]) is is_said_to_be_there


def test_columns_that_were_asked_for_need_no_heading() -> None:
    """With --no-headings."""
    asked = facts_in("0.0.7101 dasd-eckd dasdb\n", "lszdev -n -c id,type,names")
    assert row(asked, "layer", "dasdb")["busid"] == "0.0.7101"


def test_lszdev_has_ports_and_luns_of_scsi_disks() -> None:
    """That of a tape has no disk."""
    for content in (LSZDEV, INFO):
        facts = facts_in(content, "lszdev")
        assert row(facts, "layer", "sda") == {
            "name": "sda", "sort": "disk",
            "busid": "0.0.fc00", "wwpn": "0x500507630300c562", "lun": "0x4010403300000000",
        }  # fmt: skip
        assert row(facts, "device", "0.0.fc00") == {"online": 1, "driver": "zfcp"}
        assert "0.0.fc01" not in facts.rows["device"]


OFF = """\
# lszdev
TYPE         ID                                              ON   PERS  NAMES
dasd-eckd    0.0.0202                                        no   yes
zfcp-host    0.0.fa00                                        yes  yes
zfcp-host    0.0.fb00                                        no   yes
zfcp-lun     0.0.fa00:0x500507630713c5ad:0x4012400000000000  yes  yes   sda sg0
zfcp-lun     0.0.fa00:0x500507630713c5ad:0x4013400000000000  yes  yes   sg1
zfcp-lun     0.0.fb00:0x500507630753c5ad:0x4012400000000000  no   yes
# multipath -l
36005076307ffc5ad0000000000001200 dm-0 IBM,2107900
size=10G features='1 queue_if_no_path' hwhandler='1 alua' wp=rw
`-+- policy='service-time 0' prio=0 status=active
  `- 0:0:0:1073758226 sda 8:0 active undef running
# cat /proc/mounts
/dev/mapper/36005076307ffc5ad0000000000001200 /u02 xfs rw,relatime 0 0
"""


def test_what_lszdev_calls_off_is_known_and_lost(where: Ask, show: Ask) -> None:
    """A disk, an adapter and a LUN, which is a path of its map that is not used."""
    assert where("0202", OFF)["device"]["status"] == "offline"
    assert where("fb00", OFF)["offline"] is True
    (disk,) = where("0x500507630753c5ad", OFF)["disks"]
    assert (disk["lun"], disk["not_used"]) == ("0x4012400000000000", "LUN off")
    assert {key: (cells["state"], cells["luns"]) for key, cells in show("FCP", OFF).items()} == {
        "0.0.fa00": (None, 2), "0.0.fb00": ("Offline", 1),
    }  # fmt: skip
    assert {key: cells["down"] for key, cells in show("FCPPORT", OFF).items()} == {
        "0.0.fa00 0x500507630713c5ad": 0, "0.0.fb00 0x500507630753c5ad": 1,
    }  # fmt: skip
    assert sorted(cells["state"] for cells in show("MPATH", OFF).values()) == ["active", "off"]


def test_a_lun_that_only_a_generic_device_stands_for_is_there(where: Ask) -> None:
    """It has no block device, and is a disk all the same."""
    (disk,) = where("0x4013400000000000", OFF)["disks"]
    assert disk["disk"] == "sg1"
    assert where("sg1", OFF)["disks"][0]["wwpn"] == "0x500507630713c5ad"


def test_lszdev_has_all_devices_of_a_card_and_those_without_names() -> None:
    """An alias has no name; of which driver other devices are it does not say."""
    facts = facts_in(LSZDEV, "lszdev")
    assert [row(facts, "device", f"0.0.f50{number}")["driver"] for number in range(3)] == ["qeth"] * 3
    assert row(facts, "device", "0.0.71f0") == {"online": 1, "driver": "dasd-eckd"}
    assert row(facts, "device", "0.0.0009") == {"online": 1}
    virtio = facts_in("virtio-blk  0.0.0001  yes  no  vda\n", "lszdev")
    assert row(virtio, "device", "0.0.0001") == {"online": 1, "driver": "virtio_ccw", "block": "vda"}


def test_lszdev_i_has_partitions_and_attributes_that_hold_now() -> None:
    """Those for the next start alone say nothing."""
    facts = facts_in(INFO, "lszdev -i")
    device = row(facts, "device", "0.0.7101")
    assert (device["readonly"], device["use_diag"], device["cmb_enable"]) == (0, 0, 1)
    assert row(facts, "device", "0.0.7102")["readonly"] == 1
    assert {"dasdb1", "dasdb2", "sda1"} < {*facts.rows["layer"]}
    later = facts_in(INFO.replace("ACTIVE    PERSISTENT", "PERSISTENT"), "lszdev -i -p")
    assert "readonly" not in row(later, "device", "0.0.7101")


@pytest.mark.parametrize("content", [LSZDEV, ORDERED, PAIRS, INFO])
@pytest.mark.parametrize("noise", [None, "Broadcast message from root", "  "])
def test_damage_gives_no_device_another_name(content: str, noise: str | None) -> None:
    """Any line may be missing, be replaced, or be cut before its last word."""
    lines = content.splitlines()
    whole = facts_in(content, "lszdev").rows
    for at in range(len(lines)):
        damaged = [*lines[:at], *([noise] if noise is not None else []), *lines[at + 1 :]]
        rows = facts_in("".join(f"{text}\n" for text in damaged), "lszdev").rows
        for kind, keys in rows.items():
            for key, fields in keys.items():
                for field, told in fields.items():
                    assert told[0].value == whole[kind][key][field][0].value, (lines[at], key, field)


def test_lsluns_has_adapters_that_work() -> None:
    """Of one in no good state it does not say whether it is on line."""
    facts = facts_in(LSLUNS, "lsluns")
    assert row(facts, "device", "0.0.fc00") == {"driver": "zfcp", "online": 1}
    assert row(facts, "device", "0.0.fc01") == {"driver": "zfcp"}
    assert row(facts_in(LSLUNS_ATTACHED, "lsluns -a"), "device", "0.0.fc00")["online"] == 1


@pytest.mark.parametrize("content", [LSQETH, LSQETH_TABLE])
def test_lsqeth_has_the_three_devices_of_a_card(content: str) -> None:
    """In each form."""
    devices = facts_in(content, "lsqeth").rows["device"]
    assert {*devices} == {"0.0.f500", "0.0.f501", "0.0.f502"}


def test_lstape_has_types_of_tape_devices() -> None:
    """And with -V the adapter of a SCSI tape."""
    facts = facts_in(LSTAPE, "lstape -V")
    assert row(facts, "device", "0.0.0480") == {"cutype": "3490/10", "devtype": "3490/40", "online": 1}
    assert row(facts, "device", "0.0.0481")["online"] == 0
    assert row(facts, "device", "0.0.fc00")["driver"] == "zfcp"


def test_lszdev_alone_tells_the_bus_id_of_a_path(where: Ask) -> None:
    """A file on a DASD, with the mounts beside."""
    text = f"# lszdev\n{LSZDEV}# cat /proc/mounts\n/dev/dasdb1 /srv ext4 rw 0 0\n"
    assert "0.0.7101" in str(where("/srv", text))


def test_a_table_without_types_has_disks_by_their_names(where: Ask) -> None:
    """And the unique ids that were asked for."""
    table = (
        "# lszdev dasd --columns ID,ON,NAMES,ATTR:uid\nID        ON   NAMES  ATTR:uid\n"
        "0.0.0103  yes  dasdd  IBM.75000000AAAA1.3d00.42\n0.0.0104  no          \n"
    )
    (disk,) = where("dasdd", table)["disks"]
    assert (disk["busid"], disk["lcu"]) == ("0.0.0103", "LCU 3D00")


EXPORT = """\
# Generated by chzdev on box1
[active dasd-eckd 0.0.7101]
online=1
use_diag=0
readonly=1

[active dasd-eckd 0.0.7102]
online=0

[persistent dasd-eckd 0.0.7102]
online=1

[persistent dasd-eckd 0.0.7103]
online=1
readonly=1

[active zfcp-host 0.0.fc00]
online=1

[active zfcp-lun 0.0.fc00:0x500507630300c562:0x4010403300000000]
scsi_dev/queue_depth=32

[persistent zfcp-lun 0.0.fc00:0x500507630300c562:0x4010403400000000]
scsi_dev/queue_depth=32

[persistent zfcp]
datarouter=1
"""


@pytest.mark.parametrize("above", ["", "box1:~ # chzdev --export - --all --active --persistent\n"])
def test_an_export_has_devices_that_are_active(above: str) -> None:
    """What is persistent holds from the next start on, and tells nothing of now."""
    facts = facts_in(above + EXPORT)
    assert row(facts, "device", "0.0.7101") == {
        "online": 1, "driver": "dasd-eckd", "use_diag": 0, "readonly": 1
    }  # fmt: skip
    assert row(facts, "device", "0.0.7102")["online"] == 0
    assert "0.0.7103" not in facts.rows["device"]
    assert row(facts, "device", "0.0.fc00") == {"online": 1, "driver": "zfcp"}
    assert [*facts.rows["lun"]] == ["0.0.fc00/0x500507630300c562/0x4010403300000000"]


def test_a_failed_lun_of_an_export_is_a_lost_path(where: Ask) -> None:
    """Its adapter says so."""
    text = EXPORT.replace("depth=32", "depth=32\nfailed=1", 1)
    assert "LUN failed" in str(where("0.0.fc00", text)["disks"])
