"""What the tests of metrics share: simulated machines whose samples were followed."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import pytest

from zmon.exposition.exporter import Exporter
from zmon.lab.scenario import load_scenario
from zmon.session.machines import simulated

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.sample import Sample


def samples_of(name: str, count: int) -> list[Sample]:
    """Return the first samples of a scenario."""
    return list(islice(simulated([load_scenario(name)]).samples(), count))


@pytest.fixture(scope="session")
def exported() -> Callable[..., Exporter]:
    """Return the exporter of a scenario that has followed some of its samples."""

    def follow(name: str, count: int = 40, *, devices: bool = True) -> Exporter:
        exporter = Exporter(lambda: (), devices=devices)
        for sample in samples_of(name, count):
            exporter.follow(sample)
        return exporter

    return follow
