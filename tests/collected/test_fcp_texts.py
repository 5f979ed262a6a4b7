"""What lszfcp, lsscsi and lsluns say of adapters, ports and LUNs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.collected.test_zdev_texts import LSLUNS
from tests.collected.texts import facts_in, row
from zmon.collected.collection import facts_of
from zmon.collected.fcp_texts import join_luns
from zmon.collected.transcript import outputs
from zmon.kinds import LAYER
from zmon.sample import empty_frame

if TYPE_CHECKING:
    from tests.collected.conftest import Ask


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


STATES = """\
# lszfcp -H -P -D -e
0.0.fc00 host0
0.0.fc40 host1 linkdown
0.0.fc80 - offline
0.0.fc00/0x500507630300c562 rport-0:0-0
0.0.fc00/0x500507630310c562 rport-0:0-1 NotOnline
0.0.fc00/0x500507630300c562/0x4010400000000000 0:0:0:1073758224 auto
0.0.fc00/0x500507630310c562/0x4010400000000000 0:0:1:1073758224 auto NotRunning
0.0.fc40/0x500507630305c562/0x4010400000000000 - failed
"""
PATHS = """\
# lszdev
TYPE      ID                                              ON   PERS  NAMES
zfcp-lun  0.0.fc00:0x500507630300c562:0x4010400000000000  yes  no    sda
zfcp-lun  0.0.fc00:0x500507630310c562:0x4010400000000000  yes  no    sdb
# lsscsi
[0:0:0:1073758224]disk    IBM      2107900   1060  /dev/sda
[0:0:1:1073758224]disk    IBM      2107900   1060  /dev/sdb
"""
MAP = """\
# multipath -ll
mpatha (36005076303ffc5620000000000001000) dm-0 IBM,2107900
size=10G features='1 queue_if_no_path' hwhandler='1 alua' wp=rw
`-+- policy='service-time 0' prio=50 status=active
  |- 0:0:0:1073758224 sda 8:0   active ready running
  `- 0:0:1:1073758224 sdb 8:16  active ready running
"""
REMOVED_PATH = "  `- #:#:#:#          -   #:#   failed undef unknown\n"


def test_words_of_states_are_those_of_adapters_ports_and_luns(show: Ask) -> None:
    """One without a word works; an adapter that has never been on line has no row, as in sysfs."""
    adapters = show("FCP", STATES)
    assert {key: (cells["state"], cells["ports"], cells["online"]) for key, cells in adapters.items()} == {
        "0.0.fc00": ("Online", 2, 1), "0.0.fc40": ("Linkdown", 0, 0),
    }  # fmt: skip
    ports = show("FCPPORT", STATES)
    assert {key: cells["state"] for key, cells in ports.items()} == {
        "0.0.fc00 0x500507630300c562": "Online", "0.0.fc00 0x500507630310c562": "NotOnline",
    }  # fmt: skip


def test_without_words_a_port_that_is_listed_is_online_and_others_may_be_there(show: Ask) -> None:
    """Nothing is said of adapters."""
    plain = STATES.replace(" -e\n", "\n").replace("0.0.fc40 host1 linkdown\n0.0.fc80 - offline\n", "")
    plain = plain.replace("0.0.fc00/0x500507630310c562 rport-0:0-1 NotOnline\n", "")
    adapter = show("FCP", plain)["0.0.fc00"]
    assert show("FCP", plain)["0.0.fc40"]["state"] is None
    assert (adapter["state"], adapter["ports"], adapter["online"]) == (None, None, 1)
    of_one = show("FCP", plain.replace(" -P", " -P -b 0.0.fc00"))["0.0.fc00"]
    assert of_one["online"] is None


def test_a_path_over_what_has_failed_says_so(where: Ask) -> None:
    """Whatever multipath says of it; a LUN without a SCSI device is a path of the map of its other paths."""
    answer = where("mpatha", STATES + PATHS + MAP)
    assert {(path["busid"], path["wwpn"]): path["not_used"] for path in answer["paths"]} == {
        ("0.0.fc00", "0x500507630300c562"): "", ("0.0.fc00", "0x500507630310c562"): "port NotOnline",
        ("0.0.fc40", "0x500507630305c562"): "adapter Linkdown",
    }  # fmt: skip
    works = STATES.replace(" linkdown", "").replace(" NotOnline", "").replace(" NotRunning", "")
    assert [path["not_used"] for path in where("mpatha", works + PATHS + MAP)["paths"]] == [
        "", "", "LUN failed"
    ]  # fmt: skip
    for disk, why in (("sda", ""), ("sdb", "port NotOnline")):
        (alone,) = where(disk, STATES + PATHS)["disks"]
        assert alone["not_used"] == why


def test_a_failed_lun_is_the_path_that_multipath_calls_removed(show: Ask) -> None:
    """So the map has no path more than it has."""
    paths = show("MPATH", STATES + PATHS + MAP.replace("  `-", "  |-") + REMOVED_PATH)
    assert {cells["port"]: (cells["adapter"], cells["down"]) for cells in paths.values()} == {
        "0x500507630300c562": ("0.0.fc00", 0), "0x500507630310c562": ("0.0.fc00", 0),
        "0x500507630305c562": ("0.0.fc40", 1),
    }  # fmt: skip


def test_check_names_what_has_failed(show: Ask) -> None:
    """As of a machine: adapters, ports, and LUNs by the names of their disks."""
    found = show("CHECK", STATES + PATHS)["H13"]
    assert found["state"] == "bad"
    assert {"0.0.fc40", "Linkdown", "0:0-1", "NotOnline", "sdb", "failed"} <= {
        word.strip(",.") for word in found["found"].split()
    }


ATTRIBUTES = """\
# lszfcp -H -P -D -a
0.0.fc00 host0
Bus = "ccw"
    availability        = "good"
    card_version        = "0x0009"
    online              = "1"
Class = "fc_host"
    permanent_port_name = "0xc05076ffe5005350"
    port_name           = "0xc05076ffe5005611"
    port_state          = "Online"
    port_type           = "NPIV VPORT"
    speed               = "16 Gbit"
    symbolic_name       = "IBM     3906 0200000007EC87  PCHID: 01C0 NPIV UlpId: 00650002"
Class = "scsi_host"
    queue_full          = "0 83712301"
    requests            = "4203 8012 99"
    utilization         = "1 2 3"

0.0.fc00/0x500507630300c562 rport-0:0-0
Class = "fc_remote_ports"
    dev_loss_tmo        = "60"
    port_name           = "0x500507630300c562"
    port_state          = "Blocked"
    roles               = "FCP Target"

0.0.fc00/0x500507630300c562/0x4010400000000000 0:0:0:1073758224
Class = "scsi_device"
    ioerr_cnt           = "0x2"
    read_latency        = "1 2 3000 4 5 600 70"
    state               = "running"
    zfcp_failed         = "1"

"""


def test_attributes_are_taken_as_sysfs_has_them() -> None:
    """Those of each class belong to what the line before the first of them names."""
    facts = facts_in(ATTRIBUTES)
    adapter, device = (row(facts, kind, "0.0.fc00") for kind in ("adapter", "device"))
    assert adapter == {
        "host": "host0", "port_name": "0xc05076ffe5005611", "port_state": "Online",
        "port_type": "NPIV VPORT", "speed": "16 Gbit", "queue_full": 0, "queue_used": 83712301,
        "inputs": 4203, "outputs": 8012, "controls": 99, "processor": 1, "bus": 2, "port": 3,
        "ports_online": 0,
    }  # fmt: skip
    assert device["availability"] == "good"
    assert row(facts, "target_port", "rport-0:0-0") == {
        "adapter": "0.0.fc00", "port_name": "0x500507630300c562", "state": "Blocked", "roles": "FCP Target",
    }  # fmt: skip
    assert row(facts, "lun", "0:0:0:1073758224") == {
        "adapter": "0.0.fc00", "errors": 2, "read_fabric": 3000, "read_channel": 600, "read_count": 70,
        "state": "running", "failed": 1,
    }  # fmt: skip


def test_attributes_behind_a_line_that_was_not_understood_belong_to_nothing() -> None:
    """It may have named another adapter."""
    facts = facts_in(ATTRIBUTES.replace("0.0.fc00 host0", "0.0.fc00 hos"))
    assert "port_state" not in facts.rows.get("adapter", {}).get("0.0.fc00", {})


VERBOSE = """\
# lszfcp -H -P -D -V -e
/sys/devices/css0/0.0.0012/0.0.fc00 linkdown
/sys/class/fc_host/host0
/sys/class/scsi_host/host0
/sys/devices/css0/0.0.0013/0.0.fc80 offline
-
-
/sys/devices/css0/0.0.0012/0.0.fc00/0x500507630300c562
/sys/class/fc_remote_ports/rport-0:0-0 NotOnline
- (NoMoreZfcpPort:0.0.fc00/0x500507630310c562)
/sys/class/fc_remote_ports/rport-0:0-1
/sys/devices/css0/0.0.0012/0.0.fc00/0x500507630300c562/0x4010400000000000
/sys/bus/ccw/drivers/zfcp/0.0.fc00/host0/rport-0:0-0/target0:0:0/0:0:0:1073758224 auto NotRunning
/sys/block/sda /sys/class/scsi_generic/sg0
/sys/devices/css0/0.0.0012/0.0.fc00/0x500507630300c562/0x4010400100000000 failed
-
- -
"""


def test_paths_in_sysfs_say_what_names_do(show: Ask, where: Ask) -> None:
    """And which disk a LUN is."""
    (adapter,) = show("FCP", VERBOSE).values()
    assert (adapter["state"], adapter["ports"], adapter["online"], adapter["luns"]) == ("Linkdown", 2, 1, 2)
    (disk,) = where("sda", VERBOSE)["disks"]
    assert (disk["busid"], disk["lun"], disk["not_used"]) == (
        "0.0.fc00", "0x4010400000000000", "adapter Linkdown",
    )  # fmt: skip


def test_lsscsi_names_the_ports_of_adapters_by_their_hosts() -> None:
    """Of which lszfcp has the bus ids."""
    hosts = "# lsscsi -H -t\n[0]    zfcp          fc:0x5005076401a07163,0x656c00\n"
    facts = facts_in(f"# lszfcp\n0.0.fc00 host0\n{hosts}")
    assert row(facts, "adapter", "0.0.fc00") == {"host": "host0", "port_name": "0x5005076401a07163"}


def test_lsluns_tells_what_has_failed(show: Ask, where: Ask) -> None:
    """An adapter in no good state, a port, and a LUN that does not answer, unless it is no disk."""
    scan = f"# lsluns\n{LSLUNS}\tat port 0x500507630310c562:\n\t\tPort not online. Cannot scan for LUNs.\n"
    assert {key: cells["state"] for key, cells in show("FCP", scan).items()} == {
        "0.0.fc01": "not good", "0.0.fc00": None,
    }  # fmt: skip
    for listed in ("", "# lszfcp -P\n0.0.fc00/0x500507630310c562 rport-0:0-1\n"):
        (port,) = show("FCPPORT", scan + listed).values()
        assert port["state"] == (None if listed else "NotOnline")  # one says this, the other that
    active = "# lsluns -a\nadapter = 0.0.fc00\n\tport = 0x500507630310c562\n"
    active += "\t\tlun = 0x4010400000000000 [offline]\n\t\tlun = 0xc101000000000000 [offline]\n"
    (disk,) = where("sdb", active + PATHS)["disks"]
    assert disk["not_used"] == "LUN failed"
    assert len(where("fc00", active)["disks"]) == 1


def test_an_adapter_that_is_on_line_has_a_row_whatever_names_it(show: Ask) -> None:
    """Its state is what texts lack."""
    listed = "# lszdev\nTYPE       ID        ON   PERS  NAMES\nzfcp-host  0.0.fc00  yes  yes\n"
    assert [*show("FCP", listed)] == ["0.0.fc00"]


def test_lsscsi_tells_states_of_luns(where: Ask) -> None:
    """With -l or -L, in a line behind each; that of another device is of no disk."""
    states = "  state={} queue_depth=32 scsi_level=6 type=0 device_blocked=0 timeout=30\n"
    listed = f"{PATHS.splitlines()[4]} -l\n{PATHS.splitlines()[5]}\n{states.format('offline')}"
    listed += f"[0:0:0:9]    enclosu IBM      2107900   1060  -\n{states.format('running')}"
    (disk,) = where("sda", STATES.replace(" -e\n", "\n").replace(" linkdown", "") + listed)["disks"]
    assert disk["not_used"] == "LUN offline"


def test_an_adapter_on_line_may_have_no_link(where: Ask) -> None:
    """Who asks for it is told so."""
    texts = "# lszfcp -H -e\n0.0.5000 host0\n0.0.5200 host2 linkdown\n"
    assert where("5200", texts)["device"]["port"] == "Linkdown"
    assert where("5000", texts)["device"]["port"] == ""


LSLUNS_ALL = """\
# lsluns -a
adapter = 0.0.5000
\tport = 0x500507630a03c7d2
\t\tlun = 0x4055400000000000\t/dev/sg0\tDisk\tIBM:2107900
\t\tlun = 0x4055400100000000\t/dev/sg1\tDisk\tIBM:2107900
\t\tlun = 0xc101000000000000\t/dev/sg9\tWLUN\tIBM:2107900
\tport = 0x500507630a13c7d2
\t\tlun = 0x4055400000000000 [offline]
\t\tlun = 0x4055400100000000(X)\t/dev/sg3\tDisk\tIBM:2107900
adapter = 0.0.5100
\tport = 0x500507630a43c7d2
\t\tlun = 0x4055400000000000\t/dev/sg4\tDisk\tIBM:2107900
# lszfcp -H -e
0.0.5000 host0
0.0.5100 host1
"""
BY_PATH = """\
# ls -l /dev/disk/by-path
lrwxrwxrwx 1 root root  9 Feb 27 12:00 ccw-0.0.5000-fc-0x500507630a03c7d2-lun-0x4055400000000000 -> ../../sda
"""
LSZFCP_LUNS = """\
# lszfcp -D
0.0.5000/0x500507630a03c7d2/0x4055400000000000 0:0:0:1073758293
0.0.5000/0x500507630a03c7d2/0x4055400100000000 0:0:0:1073823829
"""


@pytest.mark.parametrize("more", ["", BY_PATH, LSZFCP_LUNS, BY_PATH + LSZFCP_LUNS])
def test_lsluns_lists_the_luns_of_each_adapter(more: str, show: Ask) -> None:
    """One that lszfcp -D has, too, counts once; one that is no disk does not count."""
    adapters = show("FCP", LSLUNS_ALL + more)
    assert {key: entry["luns"] for key, entry in adapters.items() if key.startswith("0")} == {
        "0.0.5000": 4, "0.0.5100": 1,
    }  # fmt: skip


def test_a_lun_of_lsluns_has_the_name_that_another_text_gives_its_address() -> None:
    """As a name by path does."""
    facts = facts_in(LSLUNS_ALL + BY_PATH)
    join_luns(facts)
    names = {key: row(facts, "lun", key).get("name") for key in facts.rows["lun"]}
    assert names["0.0.5000/0x500507630a03c7d2/0x4055400000000000"] == "sda"
    assert names["0.0.5100/0x500507630a43c7d2/0x4055400000000000"] is None


def test_luns_name_their_adapters(show: Ask) -> None:
    """Of a list of LUNs alone the adapters count theirs, and a state that lsscsi -l has is that of a LUN."""
    texts = """\
# lszfcp -D -e
0.0.1700/0x500507630713d5ad/0x4012400000000000 0:0:0:1073758226
0.0.1800/0x500507630753d5ad/0x4012400000000000 1:0:0:1073758226
0.0.1800/0x500507630753d5ad/0x4013400000000000 - failed
# lsscsi -l
[0:0:0:1073758226]disk    IBM      2107900          5.78  /dev/sda
  state=running queue_depth=32 scsi_level=6 type=0 device_blocked=0 timeout=30
[1:0:0:1073758226]disk    IBM      2107900          5.78  /dev/sdb
  state=transport-offline queue_depth=32 scsi_level=6 type=0 device_blocked=0 timeout=30
"""
    adapters = show("FCP", texts)
    assert {key: entry["luns"] for key, entry in adapters.items() if key.startswith("0")} == {
        "0.0.1700": 1, "0.0.1800": 2,
    }  # fmt: skip
    facts = facts_in(texts)
    assert [cells["state"][-1].value for cells in facts.rows["lun"].values() if "state" in cells] == [
        "running", "transport-offline",
    ]  # fmt: skip


def test_a_generic_device_stands_for_a_lun_of_lsluns_or_lsscsi(where: Ask) -> None:
    """Where no text has a block device of it."""
    (disk,) = where("sg3", LSLUNS_ALL + BY_PATH)["disks"]
    assert (disk["wwpn"], disk["lun"]) == ("0x500507630a13c7d2", "0x4055400100000000")
    scsi = "# lsscsi -g\n[0:0:1:1073823829]disk    IBM      2107900   1060  -          /dev/sg3\n"
    lszfcp = "# lszfcp -D\n0.0.5000/0x500507630a13c7d2/0x4055400100000000 0:0:1:1073823829\n"
    (disk,) = where("0x4055400100000000", scsi + lszfcp)["disks"]
    assert disk["wwpn"] == "0x500507630a13c7d2"


BESIDE = """\
# lszfcp -D -e
0.0.1700/0x500507630713d5ad/0x4012400000000000 0:0:0:1073758226
0.0.1800/0x500507630753d5ad/0x4012400000000000 1:0:0:1073758226
# lsscsi -l
[0:0:0:1073758226]disk    IBM      2107900          5.78  /dev/sda
  state=running queue_depth=32 scsi_level=6 type=0 device_blocked=0 timeout=30
[1:0:0:1073758226]disk    IBM      2107900          5.78  /dev/sdb
  state=transport-offline queue_depth=32 scsi_level=6 type=0 device_blocked=0 timeout=30
# multipath -ll
mpatha (36005076307ffd5ad0000000000001200) dm-0 IBM,2107900
size=10G features='1 queue_if_no_path' hwhandler='1 alua' wp=rw
`-+- policy='service-time 0' prio=50 status=active
  `- 0:0:0:1073758226 sda 8:0 active ready running
"""


def test_a_path_that_multipath_dropped_is_told_with_its_state(where: Ask, show: Ask) -> None:
    """Of the map, of the port, and each LUN counts once."""
    paths = {disk["disk"]: disk.get("not_used", "") for disk in where("mpatha", BESIDE)["paths"]}
    assert paths == {"sda": "", "sdb": "LUN transport-offline"}
    assert {cells["path"]: cells["state"] for cells in show("MPATH", BESIDE).values()} == {
        "sda": "active", "sdb": "transport-offline",
    }  # fmt: skip
    assert {key: cells["down"] for key, cells in show("FCPPORT", BESIDE).items()} == {
        "0.0.1700 0x500507630713d5ad": 0, "0.0.1800 0x500507630753d5ad": 1,
    }  # fmt: skip
    assert {key: cells["luns"] for key, cells in show("FCP", BESIDE).items()} == {
        "0.0.1700": 1, "0.0.1800": 1,
    }  # fmt: skip


def test_lsscsi_alone_tells_which_lun_carries_nothing(where: Ask) -> None:
    """With names by path beside it."""
    listed = "# lsscsi -l\n[0:0:0:1]    disk    IBM      2107900   1060  /dev/sda\n  state=offline type=0\n"
    (disk,) = where("sda", BY_PATH + listed)["disks"]
    assert disk["not_used"] == "LUN offline"


FAILED_FLAGS = {
    "grep": "# grep . /sys/bus/ccw/drivers/zfcp/0.0.1[78]00/0x*/0x*/failed\n{}:0\n{}:1\n",
    "a loop": "# for i in /sys/bus/ccw/drivers/zfcp/0.0.*/0x*/0x*/failed; do echo $i: $(cat $i); done\n"
    "{}: 0\n{}: 1\n",
}
UNITS = [
    f"/sys/bus/ccw/drivers/zfcp/0.0.1{path}00/0x5005076307{path}3d5ad/0x4012400000000000/failed"
    for path in ("7", "8")
]


@pytest.mark.parametrize("printed", FAILED_FLAGS.values(), ids=FAILED_FLAGS.keys())
def test_a_flag_of_zfcp_tells_that_a_lun_failed(printed: str, where: Ask) -> None:
    """Its port and its adapter are found by it, and the LUN that works has no such mark."""
    text = printed.format(*UNITS)
    for word in ("0x500507630783d5ad", "1800"):
        (disk,) = where(word, text)["disks"]
        assert disk["not_used"] == "LUN failed"
    assert not where("0x500507630773d5ad", text)["disks"][0].get("not_used")


PORTS_AND_MAP = """\
# lszfcp -P
0.0.1900/0x500507630910d430 rport-0:0-0
# multipath -ll
mpathb (36005076309ffd4300000000000001815) dm-1 IBM,2107900
size=100G features='1 queue_if_no_path' hwhandler='1 alua' wp=rw
`-+- policy='service-time 0' prio=50 status=active
  `- 0:0:0:1075134488 sdb 8:16 active ready running
"""


def test_paths_whose_port_is_not_known_may_be_of_any(where: Ask, show: Ask) -> None:
    """The host in the name of a port is the adapter of the disk; a count that is not known is not 0."""
    assert [disk["disk"] for disk in where("1900", PORTS_AND_MAP)["disks"]] == ["sdb"]
    (port,) = show("FCPPORT", PORTS_AND_MAP).values()
    assert (port["paths"], port["maps"]) == (None, None)


PORTS = """\
# lszfcp -P -a -m
0.0.fc00/0x500507630300c562 rport-0:0-0
Class = "fc_remote_ports"
    dev_loss_tmo        = "60"
    port_state          = "{}"
Module = "zfcp_port"
    failed              = "{}"
0.0.fc00/0x500507630303c562
Module = "zfcp_port"
    failed              = "1"
# lszfcp -D
0.0.fc00/0x500507630300c562/0x4010403300000000 0:0:0:1077100560
0.0.fc00/0x500507630303c562/0x4010403300000000 0:0:1:1077100560
# lsscsi
[0:0:0:1077100560]    disk    IBM      2107900          .190  /dev/sda
[0:0:1:1077100560]    disk    IBM      2107900          .190  /dev/sdb
"""


@pytest.mark.parametrize(
    ("state", "failed", "cause"),
    [("Online", "0", ""), ("Not Present", "1", "port Not Present"), ("Blocked", "0", "port Blocked"),
     ("Deleted", "0", "port Deleted")],
)  # fmt: skip
def test_a_port_that_does_not_work_is_said_of_its_luns(
    state: str, failed: str, cause: str, where: Ask
) -> None:
    """By its state; one that the transport class does not have, and the driver gave up, has failed."""
    text = PORTS.format(state, failed)
    for port, why in (("0x500507630300c562", cause), ("0x500507630303c562", "port failed")):
        (disk,) = where(port, text)["disks"]
        assert disk["not_used"] == why


def test_a_path_that_lszfcp_could_not_read_names_an_adapter() -> None:
    """So the message is none that says nothing, as one about a file of no device is."""
    prompt, missing = "box1:~ # lszfcp -D\n", "No such file or directory\n"
    device = f"/sbin/lszfcp: line 9: /sys/bus/ccw/drivers/zfcp/0.0.1900/host0/hba_id: {missing}"
    (read,) = facts_of([*outputs("a.txt", f"{prompt}{device}ls: /sys/x: {missing}".encode(), 7)])[1]
    assert len(read.strange) == 1
