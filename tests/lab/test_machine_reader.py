"""What a phase changes of a machine: checked as the machine itself is, and valid for that phase alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.goldens import compare, refusals
from tests.lab.test_scenario import SMALL
from zmon.lab.model import DiskIo
from zmon.lab.scenario import ScenarioError, parse_scenario

if TYPE_CHECKING:
    from zmon.lab.model import Scenario

PHASE = """
[[phases]]
name = "ill"
seconds = 60
loads = ["scan"]
"""


def ill(*changes: str) -> Scenario:
    """Return the small scenario with a second phase that changes its machine."""
    return parse_scenario(SMALL + PHASE + "\n".join(changes), "mine.toml")


def test_a_phase_has_a_machine_of_its_own() -> None:
    """The one before it has that of the scenario."""
    plan = ill('paths.even.lost = ["41"]', 'lcus."LCU 6".mirror_ms = 2', "volumes.043A.hung = true")
    assert plan.in_phase(0) is plan
    assert plan.box.paths[0].usable == [0, 1]
    box = plan.in_phase(1).box
    assert box.paths[0].usable == [0]
    assert box.lcus[0] == plan.box.lcus[0]._replace(mirror=2000.0)
    assert [volume.hung for volume in box.volumes] == [True, False, False]


def test_memory_and_z_vm_change_key_by_key() -> None:
    """What a phase does not name stays."""
    more = (
        'memory = { mb = 100, used_mb = 50, swap = "043A", hits = 0.5 }\nzvm = { cpus = 4, resident = 0.9 }\n'
    )
    guest = f'environment = "zvm"\n{more}{SMALL}{PHASE}memory.used_mb = 200\nzvm.cpus = 1\n'
    plan = parse_scenario(guest, "mine.toml").in_phase(1)
    assert plan.memory is not None
    assert (plan.memory.used >> 20, plan.memory.real >> 20, plan.memory.hits) == (200, 100, 0.5)
    assert plan.zvm is not None
    assert (plan.zvm.cpus, plan.zvm.resident) == (1, 0.9)


WRONG = (
    'paths.odd.lost = ["41"]',
    'paths.even.chpids = ["41"]',
    'paths.even.lost = ["49"]',
    'paths.even.lost = ["40", "41"]',
    "paths.even.slow = { 49 = 5 }",
    "paths.even.slow = { 41 = 0.5 }",
    'lcus."LCU 6".ssid = "1"',
    'lcus."LCU 6".mirror_ms = -1',
    "volumes.043A.hung = 1",
    "volumes.9999.hung = true",
    "memory.mb = 100",
    "lcus = 1",
    'lcus."LCU 6" = 1',
)


def test_a_mistake_in_a_phase_is_named_with_its_line() -> None:
    """A line of the phase, and not that of the part that it changes: tests/golden/said/machines.txt."""
    compare("said/machines", refusals(ScenarioError, ill, WRONG))


def test_only_fcp_has_several_ports() -> None:
    """The paths of a FICON channel lead to the control unit."""
    with pytest.raises(ScenarioError, match=r"ports: .*FICON"):
        parse_scenario(SMALL.replace("mb_s = 12", "mb_s = 12\nports = 2"), "mine.toml")


LVS = """
[lvs.data]
volumes = ["7600-7601"]
stripe_kb = 64
gb = 4
mount = "/db/lv"
"""


def with_lvs(was: str = "", now: str = "") -> Scenario:
    """Return the small scenario with its tablespace on a logical volume, something in that replaced."""
    assert was in LVS
    text = SMALL.replace("043A = 1000 }", "data = 1000 }").replace('mount = "/db/1"', 'mount = "/db/2"')
    return parse_scenario(text + LVS.replace(was, now), "mine.toml")


def test_a_step_on_a_logical_volume_is_split_at_its_stripes() -> None:
    """128 KiB are two stripes; the file lies on the logical volume, and the step goes there."""
    plan = with_lvs()
    assert plan.box.logical[0]._replace(size=0) == ("data", (1, 2), 65536, 0, 0, False)
    step = plan.phases[0].streams[0].steps[0]
    assert isinstance(step, DiskIo)
    assert (step.logical, step.split, step.aim.size, step.aim.volumes) == (0, 2, 65536, (1, 2))
    assert (plan.places[0].path, plan.places[0].logical) == ("/db/lv/fact.data", 0)


WRONG_VOLUMES = (
    ("lvs.data", 'lvs."a-b"'),
    ('"7600-7601"', '"9999"'),
    ('"7600-7601"', '"7600-7601", "7600-7601"'),
    ('"7600-7601"', '"7600-7601", "043A"'),
    ("64", "65"),
    ("64", "2"),
    ("gb = 4", "gb = 400"),
    ("gb = 4", "gb = 4\ndeep = 1"),
    ('mount = "/db/lv"', ""),
)


def test_a_mistake_in_a_logical_volume_is_named() -> None:
    """As in all of a scenario: tests/golden/said/volumes.txt."""
    assert with_lvs("64", "256")
    compare("said/volumes", refusals(ScenarioError, lambda one: with_lvs(*one), WRONG_VOLUMES))
