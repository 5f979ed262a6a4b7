"""What the tests of recordings share: some minutes of a machine whose names are all secret."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.frames import frame_of
from zmon.base.absent import absent
from zmon.base.event import Event, What
from zmon.kinds import BLOCK, CMF, CPU, DASD, DEVICE, GUEST, LPAR, LPAR_CPU, MACHINE, MEMORY, SOURCE
from zmon.sample import Frame, Instant, Sample
from zmon.trends.rollup import recording_with_trends

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


SECOND = 1_000_000_000
BEGIN = 1_795_271_400 * SECOND
"""2026-11-21 14:30:00 UTC."""


class Machine:
    """Takes a sample per second, the hypervisor's every ten, and labels once a minute.

    What it would not have told has SEC, QVOL or secret in it.
    """

    def __init__(self, devices: int = 20) -> None:
        self.dice = random.Random(390)  # noqa: S311 - the same figures each time
        self.keys = [f"0.0.{0x7000 + number:04x}" for number in range(devices)]
        self.disks = [*(f"dasd{chr(97 + number)}" for number in range(devices)), "SECDISK"]
        self.counts = [0] * len(self.disks)
        self.slow: dict[str, Frame] = {}

    def labels(self, now: int) -> Sequence[Frame]:
        """Return what is read once a minute."""
        return (
            frame_of(MACHINE, {"machine": {
                "type": "8561", "model": "T01", "sequence": "00000DEC0DE5EC", "plant": "51",
                "lpar_name": "SECLPAR1", "vm_name": "SECSYS", "guest_name": "SECGST",
                "hostname": "SECHOST7", "kernel": "6.12.0-55.el10", "cap_group_name": "SECGROUP",
                "environment": "lpar",
            }}, now),
            frame_of(DEVICE, {key: {
                "chpids": "40 41", "pim": 0xC0, "online": 1, "alias": 0, "driver": "dasd-eckd",
                "devtype": "3390/0c", "block": self.disks[n],
                "uid": f"IBM.750000000SEC01.{0x7000 + n // 8:04x}.{n % 8:02x}.SECTOKEN{n:02x}",
                "vendor": absent("/home/secret/incident.zmon: not understood: 'jane.doe'"),
            } for n, key in enumerate(self.keys)}, now),
            frame_of(DASD, {
                key: {"name": self.disks[n], "volser": f"QVOL{n:02}", "megabytes": 8000}
                for n, key in enumerate(self.keys)
            }, now),
            frame_of(SOURCE, {"volumes": {
                "state": "failed", "reason": "SECHOST7 does not answer: 0x500507630300c562", "calls": 1,
            }}, now),
        )  # fmt: skip

    def partitions(self, now: int) -> Sequence[Frame]:
        """Return what is read every ten seconds."""
        us = now // 1000
        return (
            frame_of(LPAR, {name: {
                "number": n, "os": "SECSYS", "sysplex": "SECPLEX", "group": "SECGROUP",
                "hardware_group": "SECHWGRP", "own": int(n == 1),
            } for n, name in enumerate(("SECLPAR1", "SECLPAR2"), 1)}, now),
            frame_of(LPAR_CPU, {f"{name}/{cpu}": {
                "type": "IFL", "lpar": name, "cpu": cpu, "online": 1, "weight": 100, "clock": us,
                "accumulated": us // (cpu + 3), "dispatched": us // (cpu + 4), "online_time": us, "wait": 0,
            } for name in ("SECLPAR1", "SECLPAR2") for cpu in (0, 1)}, now),
            frame_of(GUEST, {"SECGST": {"used_cpu": us // 5, "online_time": us, "share": 100}}, now),
        )  # fmt: skip

    def counters(self, now: int) -> Sequence[Frame]:
        """Return what is read each second."""
        for row in range(len(self.counts)):
            self.counts[row] += self.dice.randrange(50)
        return (
            frame_of(CMF, {key: {
                "ssch": self.counts[n], "samples": self.counts[n], "connect": self.counts[n] * 300_000,
                "pending": self.counts[n] * 50_000, "disconnect": 0, "elapsed": now,
            } for n, key in enumerate(self.keys)}, now),
            frame_of(BLOCK, {name: {
                "label": "vg_secret-root", "model": "SECMODEL", "reads": self.counts[n],
                "read_ms": self.counts[n], "sectors_read": self.counts[n] * 8, "in_flight": 0,
                "number": f"94:{n}",
            } for n, name in enumerate(self.disks)}, now),
            frame_of(CPU, {str(cpu): {"user": now // (cpu + 2), "idle": now // 3} for cpu in (0, 1)}, now),
            frame_of(MEMORY, {"memory": {"total": 1 << 33, "available": (1 << 32) + self.counts[0]}}, now),
        )  # fmt: skip

    def sample(self, second: int, step: int = 1) -> Sample:
        """Take the sample of a second; every `step` of them one is taken."""
        now = (second + 1000) * SECOND
        for every, read in ((60, self.labels), (10, self.partitions)):
            if second % every == 0:
                for frame in read(now):
                    before = self.slow.get(frame.kind.name)
                    prior = None if before is None else before.but(prior=None)
                    self.slow[frame.kind.name] = frame.but(prior=prior)
        frames = {**self.slow, **{frame.kind.name: frame for frame in self.counters(now)}}
        return Sample(
            Instant(BEGIN + second * SECOND, now, "boot-of-secret"),
            frames,
            "/home/secret/incident.zmon",
            nominal=float(step),
        )


class Made(NamedTuple):
    """A recording that was made for a test."""

    path: str
    samples: list[Sample]


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Return a recording of five minutes and a bit, with a gap, a note, a limit and a disk that goes."""
    return make(tmp_path_factory.mktemp("recorded") / "2026-11-21.zmon")


@pytest.fixture(scope="session")
def sparse(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Return the same recording with a sample every five seconds."""
    return make(tmp_path_factory.mktemp("sparse") / "2026-11-21.zmon", range(0, 320, 5))


def make(path: Path, seconds: range = range(320)) -> Made:
    """Record seconds of the machine, without those from 200 to 209; `range(0, 60, 5)` is one in five."""
    machine = Machine()
    writer = recording_with_trends(str(path), sealed=10**9, durable=False)
    samples = []
    for second in seconds:
        sample = machine.sample(second, seconds.step)
        if 200 <= second < 210:
            continue
        if second > 250:
            disks = sample.frames["block"]
            columns = {name: values[1:] for name, values in disks.columns.items()}
            rest = Frame(BLOCK, disks.keys[1:], columns, disks.times[1:])
            sample = sample._replace(frames={**sample.frames, "block": rest})
        writer.append(sample)
        samples.append(sample)
        if second % 60 + seconds.step >= 60:
            writer.seal()
    writer.note(BEGIN + 130 * SECOND, "jane.doe started the batch of SECLPAR2")
    limit = Event(
        What.LIMIT, BEGIN + 90 * SECOND, BEGIN + 150 * SECOND, "SECLPAR2", "SECLPAR2 used 99 percent", "LPAR"
    )
    writer.add_events([limit])
    writer.close()
    return Made(str(path), samples)
