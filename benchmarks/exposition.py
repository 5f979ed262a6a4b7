"""What metrics for other monitors cost the recorder, as ratios to prometheus_client, the usual library.

    python -m benchmarks.exposition

A machine of 4,096 DASD behind 16 LCUs, of which one in fourteen does something each second, is followed
sample by sample; the text is written after each.  The rival writes the same series with the library, from
values that are there already: it follows nothing.  Compared is processor time of this process, the median of
the samples; memory is what the exporter holds besides the samples.
"""

from __future__ import annotations

import statistics
import sys
import time
import tracemalloc
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.parser import text_string_to_metric_families

from benchmarks.machine import samples
from zmon.exposition.exporter import Exporter
from zmon.kinds import BLOCK, CMF, DASD, DEVICE, MACHINE
from zmon.sample import Frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.metrics_core import Metric

    from zmon.sample import Sample

COUNT: Final = 25
AGGREGATES_MS: Final = 5.0
DEVICES_MS: Final = 50.0
MEGABYTES: Final = 10.0


def as_recorded() -> list[Sample]:
    """Return samples as the recorder takes them: what did nothing has the columns and the age of before."""
    found = samples(count=COUNT)[:1]
    for sample in samples(count=COUNT)[1:]:
        before, frames = found[-1], dict(sample.frames)
        for kind in (DEVICE, DASD, MACHINE):
            frames[kind.name] = before.frames[kind.name]
        for kind in (CMF, BLOCK):
            was, now = before.frames[kind.name], sample.frames[kind.name]
            columns = dict(now.columns)
            if kind is CMF:
                same = [a == b for a, b in zip(was.columns["ssch"], columns["ssch"], strict=True)]
                ages = zip(same, was.columns["elapsed"], columns["elapsed"], strict=True)
                columns["elapsed"] = [age if rests else new for rests, age, new in ages]
            frames[kind.name] = Frame(kind, was.keys, columns, now.times)
            frames[kind.name].moved(was)  # the recording has asked for it
        found.append(sample._replace(frames=frames))
    return found


def ours(made: list[Sample], *, devices: bool) -> tuple[float, float, float, str]:
    """Return ms to follow a sample, ms to write the text, megabytes held, and the text."""
    exporter = Exporter(lambda: (), devices=devices, judges=False)
    follow, write = [], []
    text = ""
    tracemalloc.start()
    for sample in made[:3]:
        exporter.follow(sample)
    text = exporter.text()
    held = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    for sample in made[3:]:
        begun = time.process_time()
        exporter.follow(sample)
        middle = time.process_time()
        text = exporter.text()
        follow.append(middle - begun)
        write.append(time.process_time() - middle)
    return 1e3 * statistics.median(follow), 1e3 * statistics.median(write), held, text


class Rival:
    """Gives the library the values of a text."""

    def __init__(self, text: str) -> None:
        """Read the values once, before anything is measured."""
        self.families = [
            (family, [(tuple(one.labels.values()), one.value) for one in family.samples])
            for family in text_string_to_metric_families(text)
        ]

    def collect(self) -> Iterator[Metric]:
        """Yield the families as the library wants them."""
        for family, rows in self.families:
            of = CounterMetricFamily if family.type == "counter" else GaugeMetricFamily
            found = of(family.name, family.documentation, labels=tuple(family.samples[0].labels))
            for labels, value in rows:
                found.add_metric(labels, value)
            yield found

    def milliseconds(self) -> float:
        """Return the median time of writing the text."""
        registry = CollectorRegistry(auto_describe=False)
        registry.register(self)
        spent = []
        for _ in range(7):
            begun = time.process_time()
            generate_latest(registry)
            spent.append(time.process_time() - begun)
        return 1e3 * statistics.median(spent)


def main() -> int:
    """Measure and print; 1 if what was promised is missed."""
    made = as_recorded()
    assert all(a.frames["device"] is b.frames["device"] for a, b in pairwise(made))  # noqa: S101 - a precondition
    kept = True
    for name, devices, wanted in (("aggregates", False, AGGREGATES_MS), ("devices", True, DEVICES_MS)):
        follow, write, held, text = ours(made, devices=devices)
        rival = Rival(text).milliseconds()
        series = sum(1 for line in text.splitlines() if not line.startswith("#"))
        print(
            f"{name:10} {series:6,} series: follow {follow:.1f} ms, write {write:.1f} ms, promised"
            f" {wanted:g} ms together; the library writes in {rival:.1f} ms,"
            f" ratio {(follow + write) / rival:.2f}"
        )
        print(
            f"{'':10} at most {held:.1f} MB besides the samples" + f", promised {MEGABYTES:g}" * (not devices)
        )
        kept &= follow + write <= wanted and (devices or held <= MEGABYTES)
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
