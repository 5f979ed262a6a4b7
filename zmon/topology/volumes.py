"""The volumes of a machine, each put together when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.sample import Frame
from zmon.topology.case import Case
from zmon.topology.claim import claims_in
from zmon.topology.evidence import Grade
from zmon.topology.host import NO_HOST
from zmon.topology.lcu import identity
from zmon.topology.realdevice import real_device
from zmon.topology.scsi import scsi_volume
from zmon.topology.testimony import Testimony
from zmon.topology.uid import Uid
from zmon.topology.volume import Volume, bare

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.absent import Value
    from zmon.topology.claim import Claim
    from zmon.topology.host import Host
    from zmon.topology.realdevice import RealDevice
    from zmon.topology.site import Site

_NOT_READ: Final = absent("this device was not read")


def volumes(  # noqa: PLR0913, PLR0917 - one for each source
    layers: Frame,
    devices: Frame,
    dasd: Frame,
    claims: Frame | Sequence[Claim],
    site: Site,
    host: Host = NO_HOST,
) -> Mapping[str, Volume]:
    """Return what is known of every whole disk, by major:minor, each put together when it is asked for."""
    return Volumes(layers, devices, dasd, claims, site, host)


class _Rows:
    """The columns of a frame that are looked at."""

    def __init__(self, frame: Frame, *names: str) -> None:
        self.frame = frame
        self.columns = [frame.column(name) for name in names]

    def of(self, key: str) -> list[Value]:
        row = self.frame.index.get(key)
        if row is None:
            return [self.frame.missing or _NOT_READ] * len(self.columns)
        return [column[row] for column in self.columns]


class Volumes(Mapping[str, Volume]):
    """The sources of one machine, ready to be asked about one disk after the other.

    Whoever follows a file to its disks asks for a few of thousands.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - one for each source
        self,
        layers: Frame,
        devices: Frame,
        dasd: Frame,
        claims: Frame | Sequence[Claim],
        site: Site,
        host: Host,
    ) -> None:
        self.site = site
        self.host = host
        claims = claims_in(claims) if isinstance(claims, Frame) else claims
        self.testimony = Testimony(claims, host.guest, site)
        self.layers = _Rows(layers, "name", "busid", "wwpn", "lun", "size")
        self.devices = _Rows(devices, "uid", "cutype", "chpids")
        self.dasd = _Rows(
            dasd, "lss", "volser", "cylinders", "discipline", "storage", "block_size", "blocks", "uid"
        )
        self._known: dict[str, Volume] = {}
        self._devices: dict[str, RealDevice] = {}
        self._uids: dict[str, Uid | None] = {}
        self._called: dict[tuple[str, Uid | None], dict[str, str]] = {}
        self._calls: dict[str, dict[str, str]] = {}
        self._lss: dict[str, Value] = {}
        self._mapped: dict[str, dict[str, tuple[str, str, Grade]]] = {}

    @cached_property
    def disks(self) -> dict[str, None]:
        """The whole disks."""
        frame = self.layers.frame
        rows = zip(frame.keys, frame.column("sort"), strict=True)
        return {number: None for number, sort in rows if sort == "disk"}

    def __getitem__(self, number: str) -> Volume:
        known = self._known.get(number)
        if known is None:
            if number not in self.disks:
                raise KeyError(number)
            known = self._known[number] = self.volume(number)
        return known

    def __iter__(self) -> Iterator[str]:
        return iter(self.disks)

    def __len__(self) -> int:
        return len(self.disks)

    def __contains__(self, number: object) -> bool:
        return number in self.disks

    @cached_property
    def twins(self) -> dict[str, list[str]]:
        """The disks on each real volume that a unique id names; aliases, which have the same, are none."""
        return self._grouped(4)

    @cached_property
    def lcus(self) -> dict[str, list[str]]:
        """The disks on each LCU that a unique id names."""
        return self._grouped(3)

    def _grouped(self, parts: int) -> dict[str, list[str]]:
        """Return the bus ids of disks, ascending, by the first parts of their unique ids."""
        row = self.devices.frame.index
        cells = self.devices.columns[0]
        busids = sorted(busid for busid in self.layers.columns[1] if isinstance(busid, str) and busid in row)
        found: dict[str, list[str]] = {}
        for busid in busids:
            cell = cells[row[busid]]
            if not isinstance(cell, str) or not cell.strip():
                cell = self.dasd.of(busid)[-1]
            if isinstance(cell, str):
                found.setdefault(".".join(cell.split(".", parts)[:parts]), []).append(busid)
        return found

    def calls(self, lcu: str) -> dict[str, str]:
        """Return what the site calls an LCU that unique ids name, each time with the first disk called so."""
        found = self._calls.get(lcu)
        if found is None:
            found = self._calls[lcu] = {}
            for busid in self.lcus.get(lcu, ()):
                for name in list(self.called(busid, self.uid(busid)))[:1]:
                    found.setdefault(name, busid)
        return found

    def lss(self, lcu: str, otherwise: Value) -> Value:
        """Return the logical subsystem of an LCU that unique ids name, from the first disk that tells it."""
        found = self._lss.get(lcu)
        if found is None:
            told = (self.dasd.of(busid)[0] for busid in self.lcus.get(lcu, ()))
            found = self._lss[lcu] = next((lss for lss in told if isinstance(lss, int)), otherwise)
        return found

    def uid(self, busid: str) -> Uid | None:
        """Return the unique id of a device: its attribute, else as the configuration data tell it."""
        if busid not in self._uids:
            known = identity(self.devices.of(busid)[0])
            if not isinstance(known, Uid):
                known = identity(self.dasd.of(busid)[-1])
            self._uids[busid] = known if isinstance(known, Uid) else None
        return self._uids[busid]

    def called(self, busid: str, uid: Uid | None) -> dict[str, str]:
        """Return what the site calls the LCU of a disk, with the place that says so, the best first."""
        names = self._called.get((busid, uid))
        if names is None:
            names = self._called[busid, uid] = {}
            known = self.device(busid).rdev
            rdev = known if isinstance(known, str) else ""
            for row in self.site.map.about(uid, rdev):
                names.setdefault(row.lcu, row.place)
            if rdev and not names:
                for name, rule in self.site.lcu_by_number(rdev, uid.serial if uid else ""):
                    names.setdefault(name, f"{rule.place} ({rule.said})")
        return names

    def mapped(self, lcu: str) -> dict[str, tuple[str, str, Grade]]:
        """Return on what the map puts disks of an LCU that unique ids name: a disk, the place, how sure."""
        found = self._mapped.get(lcu)
        if found is None:
            found = self._mapped[lcu] = {}
            for busid in self.lcus.get(lcu, ()) if self.site.map else ():
                uid, device = self.uid(busid), self.device(busid)
                rdev = device.rdev if isinstance(device.rdev, str) else ""
                for row in self.site.map.about(uid, rdev)[:1]:
                    is_own = uid is not None and row.volume in {uid.volume, uid.lcu}
                    found.setdefault(row.lcu, (busid, row.place, Grade.EXACT if is_own else device.grade))
        return found

    @cached_property
    def wwids(self) -> dict[str, str]:
        """What multipath calls the disks that it joins, by major:minor."""
        frame = self.layers.frame
        rows = zip(frame.column("uuid"), frame.column("below"), strict=True)
        return {
            number: uuid.removeprefix("mpath-")
            for uuid, below in rows
            if isinstance(uuid, str) and uuid.startswith("mpath-") and isinstance(below, str)
            for number in below.split()
        }

    def device(self, busid: str) -> RealDevice:
        """Tell which real device one of this Linux is."""
        known = self._devices.get(busid)
        if known is None:
            known = self._devices[busid] = real_device(busid, self.testimony, self.host, self.site)
        return known

    def volume(self, number: str) -> Volume:
        """Put together what is known of one disk."""
        name, busid, wwpn, lun, _ = self.layers.of(number)
        if isinstance(wwpn, str):
            chpids = self.devices.of(busid)[2] if isinstance(busid, str) else busid
            return scsi_volume(number, name, busid, chpids, wwpn, lun, self.wwids.get(number, ""))
        if isinstance(busid, str):
            return Case(self, number, name, self.device(busid)).volume()
        return bare(number, name)._replace(disk=name)
