"""Devices of this host that others have: raw devices, targets, DRBD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

LSDASD: Final = """\
node1:~ # lsdasd -u
0.0.1a01  dasdp     IBM.75000000AAAA1.1a00.01
0.0.1b02  dasdq     IBM.75000000AAAA1.1b00.02
"""
BOUND: Final = "/dev/raw/raw1:\tbound to major 94, minor 61\n"
EXPORTED: Final = """\
o- block ................................................................ [Storage Objects: 1]
  o- db_disk ........ [/dev/disk/by-path/ccw-0.0.1a01 (20.6GiB) write-thru activated]
    o- alua .............................................................. [ALUA Groups: 1]
"""
RESOURCE: Final = """\
resource r0 {
  device    /dev/drbd0;
  disk      /dev/dasdp1;
  meta-disk internal;
  on node1 { address 10.0.0.1:7789; }
  on node2 { address 10.0.0.2:7789; }
}
"""
OF_NODES: Final = """\
resource "r0" {
    on node1.example.com {
        volume 0 {
            device minor 0; # drbd0
            disk /dev/dasdp1;
        }
    }
    on node2.example.com { volume 0 { device minor 0; disk /dev/dasdq1; } }
}
"""


@pytest.mark.parametrize(
    ("command", "content", "use"),
    [
        ("raw -qa", BOUND, "raw device raw1 on dasdp1"),
        ("targetcli ls", EXPORTED, "db_disk"),
        ("", BOUND, "raw1"),
    ],
)
def test_a_device_that_others_have_is_in_use(command: str, content: str, use: str, where: Ask) -> None:
    """Though nothing here is mounted from it."""
    text = f"{LSDASD}node1:~ # {command}\n{content}"
    assert any(use in title for title in where("dasdp", text)["devices"])
    assert not where("dasdq", text)["devices"]


@pytest.mark.parametrize(
    ("host", "content", "disks"),
    [("node1", RESOURCE, ["dasdp"]), ("node1", OF_NODES, ["dasdp"]), ("node2", OF_NODES, ["dasdq"]),
     ("box1", OF_NODES, [])],
)  # fmt: skip
def test_a_device_of_drbd_is_on_the_disk_of_this_host(
    host: str, content: str, disks: list[str], where: Ask
) -> None:
    """What a resource says for one host is not of another."""
    df = f"{host}:~ # df -hT\n/dev/drbd0     xfs    21G   10G   11G  48% /srv/db\n"
    text = f"{LSDASD.replace('node1', host)}{host}:~ # cat /etc/drbd.d/r0.res\n{content}{df}"
    (answer,) = where("/srv/db", text)["where"]
    assert [disk["disk"] for disk in answer["disks"] if disk["disk"] != "drbd0"] == disks
