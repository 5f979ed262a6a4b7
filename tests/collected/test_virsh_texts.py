"""A device of a host that is the disk of a KVM guest is in use; a guest names its disks as its Linux does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.collected.texts import facts_in
from zmon.collected.transcript import outputs

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

UIDS: Final = (
    f"$ lsdasd -u\nBus-ID    Name      UID\n{'=' * 78}\n"
    "0.0.1a00  dasda     IBM.75000000AAAA1.1a00.00\n0.0.1a01  dasdb     IBM.75000000AAAA1.1a00.01\n"
)
SOURCES: Final = (
    "/dev/dasdb", "/dev/disk/by-path/ccw-0.0.1a01", "/dev/disk/by-id/ccw-IBM.75000000AAAA1.1a00.01",
)  # fmt: skip
RULE: Final = "-" * 40


def xml(source: str) -> str:
    """Return the description of a guest."""
    return (
        "<domain type='kvm' id='1'>\n  <name>g1</name>\n  <devices>\n    <disk type='block' device='disk'>\n"
        f"      <driver name='qemu' type='raw'/>\n      <source dev='{source}' index='1'/>\n"
        "      <backingStore/>\n      <target dev='vda' bus='virtio'/>\n    </disk>\n"
        "    <interface type='direct'>\n      <source dev='enc1' mode='bridge'/>\n    </interface>\n"
        "  </devices>\n</domain>\n"
    )


@pytest.mark.parametrize("source", SOURCES)
def test_the_disk_of_a_guest_is_in_use(source: str, where: Ask) -> None:
    """However virsh was asked, and by whatever name the device goes."""
    details = (
        f"$ virsh domblklist g1 --details\n Type   Device   Target   Source\n{RULE}\n"
        f" block  disk     vda      {source}\n file   disk     vdb      /images/g1.img\n"
    )
    for text in (
        f"$ virsh domblklist g1\n Target   Source\n{RULE}\n vda      {source}\n sda      -\n",
        details,
        f"$ virsh dumpxml g1\n{xml(source)}",
        xml(source),
    ):
        answer = where("dasdb", f"{text}{UIDS}")
        assert answer["devices"] == ["vda of the KVM guest g1"], text
        assert where("dasda", f"{text}{UIDS}")["devices"] == []
        assert not any("not understood" in what or "KVM" in what for what in answer["not_looked_at"])


def test_what_virsh_prints_besides_is_not_read(where: Ask) -> None:
    """There may be more guests."""
    answer = where("dasdb", f"$ virsh list\n Id   Name      State\n{RULE}\n 1    g1        running\n{UIDS}")
    assert any("KVM guests" in what for what in answer["not_looked_at"])


def test_a_disk_of_two_guests_is_named_for_both(where: Ask) -> None:
    """Guests share disks."""
    text = "".join(
        f"$ virsh domblklist {guest}\n Target   Source\n{RULE}\n vdb      /dev/dasdb\n\n"
        for guest in ("g1", "g2")
    )
    told = where("dasdb", f"{text}{UIDS}")["devices"]
    assert told == ["vdb of the KVM guest g1", "vdb of the KVM guest g2"]


def test_a_guest_names_its_disks_as_its_linux_does(where: Ask) -> None:
    """The number of a virtio disk is one of the guest's own."""
    text = (
        "$ lszdev\nTYPE          ID                          ON   PERS  NAMES\n"
        "virtio-blk    0.0.0001                    yes  no    vdb\n"
        "$ lsblk\nNAME   MAJ:MIN RM SIZE RO TYPE MOUNTPOINTS\nvdb    252:16   0  50G  0 disk /x\n"
    )
    answers = [where(word, text) for word in ("vdb", "0.0.0001")]
    assert [[disk["disk"] for disk in answer["disks"]] for answer in answers] == [["vdb"], ["vdb"]]


LOOP = """\
root@kvm3:~# for d in kdb1 kdb2; do echo "== $d"; virsh domblklist $d; done
== kdb1
 Target   Source
---------------------------------------------
 vda      /dev/dasdb
 vdb      /var/lib/libvirt/images/kdb1.qcow2

== kdb2
 Target   Source
------------------------------------------------------------
 vda      /dev/dasdc
 sda      -

root@kvm3:~# lsdasd -u
0.0.1a01  dasdb       IBM.750000000LMN41.1a00.01
0.0.1a03  dasdc       IBM.750000000LMN41.1a00.03
"""


def test_a_loop_over_guests_names_each_above_its_disks(where: Ask) -> None:
    """They are no hosts: their disks are lent by one."""
    facts = facts_in(LOOP)
    assert {*facts.lent} == {
        ("dasdb", "vda of the KVM guest kdb1"), ("dasdc", "vda of the KVM guest kdb2"),
    }  # fmt: skip
    assert [disk["busid"] for disk in where("dasdc", LOOP)["disks"]] == ["0.0.1a03"]


def test_a_loop_over_hosts_is_one() -> None:
    """Each of them asks its own virsh."""
    loop = LOOP.replace("virsh domblklist $d", "ssh $d virsh domblklist db").replace("kdb", "kvm")
    hosts = {cut.host for cut in outputs("a.txt", loop.encode(), 1) if cut.form.startswith("virsh")}
    assert hosts == {"kvm1", "kvm2"}


LSBLK: Final = (
    "$ lsblk -o NAME,MAJ:MIN,TYPE,FSTYPE,MOUNTPOINT\nNAME MAJ:MIN TYPE FSTYPE MOUNTPOINT\n"
    "dasda 94:0 disk\n└─dasda1 94:1 part ext4 /\ndasdb 94:4 disk\n└─dasdb1 94:5 part xfs /kvm\n"
)
QEMU: Final = "qemu 4711 1 12 Mar16 ? 03:11:12 /usr/libexec/qemu-kvm -name {} -machine s390-ccw-virtio {}\n"


@pytest.mark.parametrize(("text", "title"), [
    ("$ virsh domblklist g1\n Target   Source\n vdb      /kvm/g1.qcow2\n", "vdb of the KVM guest g1"),
    ("$ virsh domblklist g1 --details\n Type   Device   Target   Source\n file   disk  vdb  /kvm/g1.qcow2\n",
     "vdb of the KVM guest g1"),
    (xml("x").replace("<source dev='x'", "<source file='/kvm/g1.qcow2'"), "vda of the KVM guest g1"),
    ("$ ps -ef | grep qemu\n" + QEMU.format(
        "guest=g1,debug-threads=on", '-blockdev {"driver":"file","filename":"/kvm/g1.qcow2","node-name":"x"}'
    ), "disk of the KVM guest g1"),
    ("$ ps axww\n" + QEMU.format("g1", "-drive file=/kvm/g1.qcow2,format=qcow2,if=none"),
     "disk of the KVM guest g1"),
])  # fmt: skip
def test_a_file_that_is_the_disk_of_a_guest_is_in_use(text: str, title: str, where: Ask) -> None:
    """By the path of the file, and by the disk below it; another disk and another file are not."""
    content = text + LSBLK
    assert any(title in said for said in where("/kvm/g1.qcow2", content)["states"])
    assert where("dasdb", content)["devices"] == ["dasdb1", f"{title} (/kvm/g1.qcow2)"]
    assert where("dasda", content)["devices"] == ["dasda1"]
    assert "states" not in where("/kvm/g2.qcow2", content)


@pytest.mark.parametrize(
    "disk", ['-blockdev {"filename":"/dev/dasdb"}', "-drive format=raw,file=/dev/dasdb,if=none"]
)
def test_a_device_that_qemu_was_started_with_is_in_use(disk: str, where: Ask) -> None:
    """As ps shows it; what another process has is not read, and that is said."""
    answer = where("dasdb", f"$ ps -ef\n{QEMU.format('guest=g1', disk)}{UIDS}")
    assert answer["devices"] == ["disk of the KVM guest g1"]
    copies = where("dasda", f"$ ps -ef\nroot 1 2 dd if=/dev/dasda of=/x\nroot 3 1 sshd\n{UIDS}")
    assert any("a.txt:2, which was not understood" in what for what in copies["not_looked_at"])
