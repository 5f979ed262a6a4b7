"""Pools of ZFS in texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

STATUS: Final = """\
root@box1:~# zpool status
  pool: tank
 state: DEGRADED
status: One or more devices could not be used because the label is missing or
\tinvalid.  Sufficient replicas exist.
config:

\tNAME                       STATE     READ WRITE CKSUM
\ttank                       DEGRADED     0     0     0
\t  mirror-0                 DEGRADED     0     0     0
\t    dasdp1                 ONLINE       0     0     0
\t    ccw-0.0.1b02-part1     UNAVAIL      0     0     0

errors: No known data errors
"""
LIST: Final = """\
root@box1:~# zfs list
NAME         USED  AVAIL     REFER  MOUNTPOINT
tank        11.2G  8.45G       96K  none
tank/pgdata 11.2G  8.45G     11.2G  /pg data
root@box1:~# mount
/dev/dasda1 on / type ext4 (rw)
"""


def test_a_device_of_a_pool_is_in_use(where: Ask) -> None:
    """Also one that does not work, and one that is named by its path."""
    assert "pool tank" in where("dasdp", STATUS)["devices"]
    assert any("pool tank" in title for title in where("0.0.1b02", STATUS)["devices"])


def test_a_file_system_of_a_pool_is_on_the_disks_of_the_pool(where: Ask) -> None:
    """Its path is not that of the file system above; without `zpool status` none of its disks is known."""
    (answer,) = where("/pg data", LIST)["where"]
    assert (answer["grade"], answer["disks"]) == ("unknown", [])
    (answer,) = where("/pg data", STATUS + LIST)["where"]
    assert answer["grade"] == "set"
    assert [disk["disk"] for disk in answer["disks"]] == ["ccw-0.0.1b02", "dasdp"]


def test_a_pool_is_found_by_its_name(where: Ask) -> None:
    """With its disks, and the file systems on them, which a disk of it has, too."""
    pool, disk = where("tank", STATUS + LIST), where("dasdp", STATUS + LIST)
    assert [entry["disk"] for entry in pool["disks"]] == ["dasdp", "ccw-0.0.1b02"]
    for found in (pool, disk):
        assert [(mount["point"], mount["whole"]) for mount in found["mounts"]] == [("/pg data", False)]


PARTS: Final = """\
root@box1:~# zpool status -P
  pool: tank
 state: DEGRADED
config:

\tNAME                        STATE     READ WRITE CKSUM
\ttank                        DEGRADED     0     0     0
\t  mirror-0                  DEGRADED     0     0     0
\t    /dev/dasdp1             ONLINE       0     0     0
\t    11278093217349812093    UNAVAIL      0     0     0  was /dev/dasdq1
\t  replacing-1               DEGRADED     0     0     0
\t    1127809321734981        UNAVAIL      0     0     0  was /dev/dasdr1/old
\t    /dev/dasds1             ONLINE       0  1.2K     0  (resilvering)
\tspares
\t  /dev/dasdt1               AVAIL

errors: No known data errors
"""


@pytest.mark.parametrize(
    ("disk", "use"), [("dasdp", "pool tank"), ("dasdq", "missing"), ("dasdr", "missing"),
                      ("dasds", "pool tank"), ("dasdt", "spare of pool tank")],
)  # fmt: skip
def test_missing_devices_and_spares_of_a_pool_are_told(disk: str, use: str, where: Ask) -> None:
    """A device that went missing is named by what it was; a spare holds no data of the pool."""
    assert any(use in title for title in where(disk, PARTS)["devices"])
    (answer,) = where("/pg data", PARTS + LIST)["where"]
    assert [name for name in (entry["disk"] for entry in answer["disks"]) if name.startswith("dasd")] == [
        "dasdp", "dasds"
    ]  # fmt: skip
    assert sum("missing" in str(entry) for entry in answer["disks"]) == 2


@pytest.mark.parametrize("state", ["UNAVAIL", "REMOVED", "FAULTED", "OFFLINE", "DEGRADED"])
def test_a_device_of_a_pool_that_does_not_work_is_told(state: str, where: Ask) -> None:
    """With its pool, of the disk itself and of what lies on the pool, which may have its name for a word."""
    text = STATUS.replace("UNAVAIL", state) + LIST
    said = [f"ccw-0.0.1b02-part1 of pool tank: {state}"]
    assert where("0.0.1b02", text).get("states", []) == said
    found = where("tank/pgdata", text)
    assert (found["key"], found.get("states")) == ("/pg data", said)
    assert where("/pg data", STATUS.replace("UNAVAIL", "ONLINE ") + LIST).get("states", []) == []


BARE: Final = """\
  pool: tank
 state: UNAVAIL
status: One or more devices are faulted in response to IO failures.
action: Make sure the affected devices are connected, then run 'zpool clear'.
config:

        NAME           STATE     READ WRITE CKSUM
        tank           UNAVAIL      2     0     0  insufficient replicas
          raidz2-0     DEGRADED     0     0     0
            mpathay    ONLINE       0     0     0
            mpathax    FAULTED      3   112     0  too many errors
            wwn-0x60050763  UNAVAIL      0     0     0
            dm-uuid-mpath-3600  REMOVED      0     0     0
            ccw-IBM.75.1.40  ONLINE      0     0     0
            sdb        OFFLINE      0     0     0
            dasdb1     ONLINE       0     0     0
        logs
          dasdc        ONLINE       0     0     0

errors: No known data errors
"""


@pytest.mark.parametrize(
    ("name", "state"), [("mpathay", ""), ("mpathax", "FAULTED"), ("disk/by-id/wwn-0x60050763", "UNAVAIL"),
                        ("sdb", "OFFLINE"), ("disk/by-id/dm-uuid-mpath-3600", "REMOVED"), ("dasdc", ""),
                        ("disk/by-id/ccw-IBM.75.1.40", ""), ("dasdb", "")],
)  # fmt: skip
def test_members_of_a_pool_are_named_without_their_directory(name: str, state: str, where: Ask) -> None:
    """Whatever the directory and the state are, and where a page has blanks for tabs."""
    found = where(name, BARE)
    assert "pool tank" in found["devices"]
    plain = name.rpartition("/")[2]
    assert found.get("states", []) == ([f"{plain} of pool tank: {state}"] if state else [])


POOL_ID, SYSTEM_ID = "8e1d3c6b-0a7d-4b7e-9d0c-4a1f2b3c4d5e", "1f2e3d4c-5b6a-7988-0123-456789abcdef"
MAPPED = f"/dev/mapper/stratis-1-{POOL_ID.replace('-', '')}-thin-fs-{SYSTEM_ID.replace('-', '')}"
BLOCKDEVS: Final = """\
box1:~ # stratis blockdev list
Pool Name  Device Node  Physical Size  Tier
pool1      /dev/dasdp1       6.88 GiB  Data
pool1      /dev/dasdq1       6.88 GiB  Data
pool1      /dev/dasdr1       6.88 GiB  Cache
pool2      /dev/dasds1       6.88 GiB  Data
"""
POOLS: Final = f"""\
box1:~ # stratis pool list
Name     Total / Used / Free    Properties   UUID
pool1    13.76 GiB / 541 MiB / 13.23 GiB   ~Ca,~Cr,~Op   {POOL_ID}
"""
SYSTEMS: Final = f"""\
box1:~ # stratis filesystem list
Pool Name   Name   Used      Created             Device                 UUID
pool1       fs1    546 MiB   Mar 17 2026 10:11   /dev/stratis/pool1/fs1   {SYSTEM_ID}
"""


@pytest.mark.parametrize(
    ("text", "source"), [(POOLS, MAPPED), (SYSTEMS, MAPPED), ("", "/dev/stratis/pool1/fs1")]
)
def test_a_file_system_of_stratis_is_on_the_devices_of_its_pool(text: str, source: str, where: Ask) -> None:
    """By the UUID of the pool, that of the file system, or the name of the pool in its path."""
    text = f"{BLOCKDEVS}{text}box1:~ # mount\n{source} on /strat type xfs (rw)\n"
    (answer,) = where("/strat", text)["where"]
    assert (answer["grade"], [disk["disk"] for disk in answer["disks"]]) == ("set", ["dasdp", "dasdq"])
    pool = where("pool1", text)
    assert [disk["disk"] for disk in pool["disks"]] == ["dasdp", "dasdq"]
    for disk, points in (("dasdp", ["/strat"]), ("dasdr", []), ("dasds", [])):
        assert [mount["point"] for mount in where(disk, text)["mounts"]] == points
    assert "cache of pool pool1 on dasdr1" in where("dasdr", text)["devices"]


@pytest.mark.parametrize(
    "devices",
    [
        f"{BLOCKDEVS}pool1   ????\n", BLOCKDEVS.replace("Tier\n", "Tier\npool1   ????\n"),
        BLOCKDEVS.replace("list", "list | grep dasd"),
    ],
)  # fmt: skip
def test_a_line_of_a_pool_that_is_not_understood_may_be_a_device_more(devices: str, where: Ask) -> None:
    """As may one that is left out; a file system of another UUID is on no pool."""
    text = f"{devices}{POOLS}box1:~ # mount\n{MAPPED} on /strat type xfs (rw)\n"
    (answer,) = where("/strat", text)["where"]
    assert [disk["disk"] for disk in answer["disks"]] == [
        "dasdp",
        "dasdq",
        "not seen: a device of pool pool1",
    ]
    (answer,) = where("/strat", text.replace(POOL_ID, POOL_ID.replace("8", "9")))["where"]
    assert (answer["grade"], answer["disks"]) == ("unknown", [])
