"""Pools of ZFS in texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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
    assert "member of pool tank on dasdp1" in where("dasdp", STATUS)["devices"]
    assert any("pool tank" in title for title in where("0.0.1b02", STATUS)["devices"])


def test_a_file_system_of_a_pool_is_on_no_other_disk(where: Ask) -> None:
    """Its path is not that of the file system above; which disks the pool has is another question."""
    (answer,) = where("/pg data/x", STATUS + LIST)["where"]
    assert (answer["grade"], answer["disks"]) == ("unknown", [])
