"""What a disk says of itself: world-wide id, serial number, vendor and model.

Of a SCSI disk `device/wwid` (`naa.6005...`: page 0x83 of its vital product data, as the kernel writes it),
`device/vpd_pg80` (its serial number, as the disk sends it), `device/vendor`, `device/model`; of an NVMe
namespace `wwid` and `device/serial`; of a virtio disk `serial`, which the host sets.  Where sysfs has none of
them, the record of udev may: ID_SERIAL and ID_SCSI_SERIAL, by sg_inq SCSI_IDENT_SERIAL.

Kernel: drivers/scsi/scsi_sysfs.c, scsi_lib.c (scsi_vpd_lun_id), drivers/nvme/host/sysfs.c,
drivers/block/virtio_blk.c.
systemd: rules.d/60-persistent-storage.rules.
"""

from __future__ import annotations

import re

from zmon.base.absent import Absent, absent
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.kernel.tree import attributes, read_attributes

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree

FIELDS: Final = ("wwid", "serial", "vendor", "model")
"""The fields of `LAYER` that are read here."""
NO_IDENTITY: Final = absent("only SCSI, NVMe and virtio disks say this of themselves")
EMPTY: Final = absent("the disk does not say it")
NAA: Final = "naa."
MAX_NAME: Final = 128
SERIAL: Final = 0x80
"""The page of vital product data with the serial number."""
SERIALS: Final = ("ID_SCSI_SERIAL", "SCSI_IDENT_SERIAL")
"""Under which names udev has it, the usual one first."""


def read_identity(tree: Tree, path: str, name: str, record: str = "") -> dict[str, Value]:
    """Return the `FIELDS` of a whole disk, given its directory in sysfs and what udev keeps of it."""
    own = next((files for begin, files in OF_DISK.items() if name.startswith(begin)), None)
    if own is None:
        return dict.fromkeys(FIELDS, NO_IDENTITY)
    row: dict[str, Value] = dict.fromkeys(FIELDS, EMPTY)
    row |= read_attributes(tree, path, own)
    if name.startswith("sd"):
        row["serial"] = _serial_page(tree, f"{path}/device/vpd_pg80")
    told = parse_record(record)
    return {
        field: told.get(field, value) if isinstance(value, Absent) else value for field, value in row.items()
    }


def _serial_page(tree: Tree, path: str) -> Value:
    try:
        return parse_serial_page(tree.read(path))
    except OSError:
        return EMPTY
    except ValueError as error:
        return absent(str(error))


def parse_name(content: str) -> str | Absent:
    """Return a name that a disk gives, in printable ASCII; absent if it is empty.

    Raises:
        ValueError: it is longer than any, or has other characters.
    """
    word = content.strip(" \n\t\0")
    if len(word) > MAX_NAME or not re.fullmatch("[ -~]*", word):
        raise ValueError(f"not the name of a disk: {word[:40]!r}")
    return word or EMPTY


OF_DISK: Final = {
    "sd": attributes(parse_name, wwid="device/wwid", vendor="device/vendor", model="device/model"),
    "nvme": attributes(parse_name, "wwid", serial="device/serial", model="device/model"),
    "vd": attributes(parse_name, "serial"),
}
"""What disks say of themselves in words, by how their names begin."""


def parse_serial_page(page: bytes) -> str | Absent:
    """Return the serial number in page 0x80 of vital product data: four bytes of head, then ASCII.

    Raises:
        ValueError: it is another page, or shorter than it says.
    """
    if len(page) < 4 or page[1] != SERIAL:
        raise ValueError("vpd_pg80: it is not the page of the serial number")
    length = page[2] << 8 | page[3]
    if len(page) < 4 + length:
        raise ValueError(f"vpd_pg80: {length} bytes expected, found {len(page) - 4}")
    return parse_name(page[4 : 4 + length].decode("ascii", "replace"))


def parse_record(content: str) -> dict[str, str]:
    """Return the `FIELDS` that a record of udev has, from its lines `E:NAME=VALUE`."""
    lines = (
        line[2:].partition("=")
        for line in content.split("\n")
        if line.startswith("E:ID_") or "SERIAL=" in line
    )
    told = {name: value.strip() for name, _, value in lines if 0 < len(value.strip()) <= MAX_NAME}
    identity = {}
    serial = next((told[name] for name in SERIALS if name in told), "")
    if serial:
        identity["serial"] = serial
    wwid = told.get("ID_SERIAL", "")
    if re.fullmatch("3[0-9a-f]{16}(?:[0-9a-f]{16})?", wwid):
        identity["wwid"] = NAA + wwid[1:]
    elif "serial" not in identity and wwid and "ID_BUS" not in told:  # a virtio disk has no other name
        identity["serial"] = wwid
    return {field: value for field, value in identity.items() if re.fullmatch("[ -~]+", value)}
