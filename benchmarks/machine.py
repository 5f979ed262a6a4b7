"""A machine of 4,096 DASD behind 16 control units, in memory, for benchmarks of the glass.

Its samples are made beforehand, because what it costs to sample is measured elsewhere.  In each interval some
devices are busy and the others rest, as on a real machine.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from zmon.kinds import BLOCK, CMF, DASD, DEVICE, MACHINE
from zmon.sample import Frame, Instant, Sample
from zmon.session.timeline import Timeline

if TYPE_CHECKING:
    from zmon.base.absent import Value

DEVICES: Final = 4096
SAMPLES: Final = 60
ACTIVE: Final = 0.07
SECOND: Final = 1_000_000_000


def samples(devices: int = DEVICES, count: int = SAMPLES, active: float = ACTIVE) -> list[Sample]:
    """Return samples one second apart, in each of which a share of the devices was active."""
    dice = random.Random(390)  # noqa: S311 - the same figures in each run
    keys = [f"0.0.{number:04x}" for number in range(0x7000, 0x7000 + devices)]
    names: list[Value] = [f"dasd{number}" for number in range(devices)]
    labels: dict[str, list[Value]] = {
        "subchannel": [f"0.0.{number:04x}" for number in range(devices)],
        "chpids": ["40 41 42 43"] * devices,
        **{name: [0xF0] * devices for name in ("pim", "pam", "pom", "vpm")},
        "driver": ["dasd-eckd"] * devices,
        "status": ["online"] * devices,
        "availability": ["good"] * devices,
        "block": names,
        "devtype": ["3390/0c"] * devices,
        "cutype": ["3990/e9"] * devices,
        "uid": [f"IBM.750000000ABCD1.{n // 256:04x}.{n % 256:02x}" for n in range(devices)],
        "online": [1] * devices,
        "alias": [0] * devices,
    }
    cmf: dict[str, list[int]] = {
        name: [0] * devices
        for name in ("ssch", "samples", "connect", "pending", "disconnect", "cu_queue", "elapsed")
    }
    block: dict[str, list[int]] = {
        name: [0] * devices
        for name in ("reads", "sectors_read", "read_ms", "writes", "sectors_written", "write_ms", "io_ms",
                     "weighted_ms", "in_flight")
    }  # fmt: skip
    volumes: dict[str, list[Value]] = {
        "name": names,
        "volser": [f"VL{number:04X}" for number in range(devices)],
    }
    made = []
    for second in range(1, count + 1):
        now = second * SECOND
        for row in dice.sample(range(devices), int(devices * active)):
            _busy(dice, cmf, block, row)
        cmf["elapsed"] = [now] * devices
        frames = {
            MACHINE.name: Frame(
                MACHINE, ["machine"], {"type": ["8561"], "sequence": ["0000000000ABCD1"]}, [now]
            ),
            DEVICE.name: Frame(DEVICE, keys, labels, [now] * devices),
            CMF.name: Frame(CMF, keys, {n: [*v] for n, v in cmf.items()}, [now] * devices),
            BLOCK.name: Frame(
                BLOCK, [str(n) for n in names], {n: [*v] for n, v in block.items()}, [now] * devices
            ),
            DASD.name: Frame(DASD, keys, volumes, [now] * devices),
        }
        made.append(Sample(Instant(now, now, "benchmark"), frames, "a machine in memory"))
    return made


def _busy(dice: random.Random, cmf: dict[str, list[int]], block: dict[str, list[int]], row: int) -> None:
    starts = dice.randint(1, 400)
    response = dice.expovariate(1 / 4)
    cmf["ssch"][row] += starts
    cmf["samples"][row] += starts
    for name, share in (("pending", 0.05), ("disconnect", 0.2), ("connect", 0.25)):
        cmf[name][row] += int(starts * response * share * 1e6)
    for kind in ("read", "write"):
        block[f"{kind}s"][row] += starts // 2
        block[f"{kind}_ms"][row] += int(starts // 2 * response)
    block["sectors_read"][row] += starts * 4
    block["sectors_written"][row] += starts * 4
    block["weighted_ms"][row] += int(starts * response)


class Reel(Timeline):
    """A live timeline whose samples are there already; nothing is kept of it."""

    live = True

    def __init__(self, made: list[Sample]) -> None:
        """Begin before the first sample."""
        super().__init__("a machine in memory", list)
        self._made = iter(made)

    def take(self) -> Sample:
        """Return the next sample, at once; StopIteration at the end."""
        return next(self._made)
