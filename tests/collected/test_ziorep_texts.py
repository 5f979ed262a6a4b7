"""FCP adapters, disks and their maps in `ziorep_config`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.collected.collection import facts_of
from zmon.collected.transcript import outputs
from zmon.kinds import ADAPTER

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

ADAPTERS: Final = """\
Host:    host0
CHPID:   36
Adapter: 0.0.3c07
Sub-Ch.: 0.0.0010
Name:    0x5005076401a07163
State:   Online

Host:    host1
Adapter: 0.0.3d07
Name:    0x5005076401e07163
State:   Linkdown
"""
DISKS: Final = """\
adapter  remote port        LUN                SCSI   gen_dev   scsi_dev   MM     type   model       vendor   H:C:T:L
=====================================================================================================
0.0.3c07 0x500507630300c562 0x401040a600000000 host0  /dev/sg0  /dev/sda   8:0    Disk   2107900     IBM      0:0:0:1084637200
0.0.3c07 0x500308c141699001 0x0000000000000000 host0  /dev/sg4  /dev/st0   9:0    Tape   ULT3580-TD2 IBM      0:0:23:0
0.0.3d07 0x500507630300c562 0x401040a600000000 host1  /dev/sg5  /dev/sde   8:64   Disk   2107900     IBM      1:0:10:1084637200
"""  # noqa: E501 - as the tool prints it
MAPS: Final = """\
adapter  remote_port        LUN                scsi_dev multipath_device
========================================================================
0.0.3c07 0x500507630300c562 0x401040a600000000 /dev/sda /dev/mapper/mpatha
0.0.3d07 0x500507630300c562 0x401040a600000000 /dev/sde /dev/mapper/mpatha
"""
OF_OTHERS: Final = """\
mpathb (36005076307ffc72c00000000000053f5) dm-1 IBM,2107900
size=40G features='0' hwhandler='0' wp=rw
`-+- policy='service-time 0' prio=50 status=active
  `- 0:0:0:1089814611 sdb 8:16  active ready running
"""


def test_the_host_of_an_adapter_is_no_machine() -> None:
    """SCSI hosts are never names of machines: the blocks of all adapters are one output of one machine."""
    (text,) = outputs("a.txt", ADAPTERS.encode(), 1)
    facts, (read,) = facts_of([text])
    assert (text.host, read.strange) == ("", ())
    assert facts.value(ADAPTER, "0.0.3d07", "host") == "host1"
    assert facts.value(ADAPTER, "0.0.3d07", "port_state") == "Linkdown"


def test_disks_have_the_adapter_port_and_lun_of_their_rows(where: Ask) -> None:
    """A tape drive is none; the rows of multipath say which disks are one."""
    (disk,) = where("sde", DISKS)["disks"]
    assert (disk["busid"], disk["wwpn"], disk["lun"]) == (
        "0.0.3d07", "0x500507630300c562", "0x401040a600000000"
    )  # fmt: skip
    assert len(where("mpatha", MAPS)["paths"]) == 2


def test_a_path_of_a_map_that_multipath_does_not_list_is_not_gone(where: Ask) -> None:
    """A list of `multipath -ll` may be of other maps: it says nothing of the paths of this one."""
    assert "gone" not in str(where("mpatha", MAPS + "\n" + OF_OTHERS))
