"""What a phase changes of a machine: checked as the machine itself is, and valid for that phase alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

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
LINE = len((SMALL + PHASE).splitlines()) + 1
"""Of the first change in the phase."""
HEADING = LINE - len(PHASE.splitlines()) + 1
"""Of the phase, which stands for a part that has no line of its own."""


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


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ('paths.odd.lost = ["41"]', "phases.2.paths.odd: is none of this machine; there are even"),
        ('paths.even.chpids = ["41"]', "phases.2.paths.even.chpids: is not known here; known are lost"),
        ('paths.even.lost = ["49"]', "paths.even.lost: '49' is none of the group; there are 40, 41"),
        ('paths.even.lost = ["40", "41"]', "paths.even.lost: leaves no path; requests need one"),
        ("paths.even.slow = { 49 = 5 }", "paths.even.slow.49: is not known here; known are 40, 41"),
        ("paths.even.slow = { 41 = 0.5 }", "paths.even.slow.41: is a number from 1 to 1000, not 0.5"),
        ('lcus."LCU 6".ssid = "1"', "phases.2.lcus.LCU 6.ssid: is not known here; known are mirror_ms"),
        ('lcus."LCU 6".mirror_ms = -1', "lcus.LCU 6.mirror_ms: is a number from 0 to 1000, not -1"),
        ("volumes.043A.hung = 1", "volumes.043A.hung: is true or false, not 1"),
        ("volumes.9999.hung = true", "phases.2.volumes.9999: is none of this machine"),
        ("memory.mb = 100", "phases.2.memory: is not in this machine; begin it with [memory]"),
        ("lcus = 1", "phases.2.lcus: is a table, not 1"),
        ('lcus."LCU 6" = 1', "phases.2.lcus.LCU 6: is a table, not 1"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_phase_is_named_with_its_line(change: str, what: str) -> None:
    """A line of the phase, and not that of the part that it changes."""
    with pytest.raises(ScenarioError) as error:
        ill(change)
    place, _, said = str(error.value).partition(": ")
    assert place in {f"mine.toml:{LINE}", f"mine.toml:{HEADING}"}
    assert said.startswith(what)


def test_only_fcp_has_several_ports() -> None:
    """The paths of a FICON channel lead to the control unit."""
    with pytest.raises(ScenarioError, match="ports: goes with type = 'FCP', not with 'FICON'"):
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


@pytest.mark.parametrize(
    ("was", "now", "what"),
    [
        ("lvs.data", 'lvs."a-b"', "lvs.a-b: is up to 30 letters, digits and underscores"),
        ('"7600-7601"', '"9999"', "lvs.data.volumes: are volumes, ranges or LCUs of this machine"),
        ('"7600-7601"', '"7600-7601", "7600-7601"', "lvs.data.volumes: are volumes, ranges or LCUs"),
        (
            '"7600-7601"',
            '"7600-7601", "043A"',
            "lvs.data.volumes: 043A is behind FCP paths, or has a mount itself",
        ),
        ("64", "65", "lvs.data.stripe_kb: is 4 or a power of two above it"),
        ("64", "2", "lvs.data.stripe_kb: is 4 or a power of two above it"),
        ("gb = 4", "gb = 400", "lvs.data.gb: is more than 7600 has left"),
        ("gb = 4", "gb = 4\ndeep = 1", "lvs.data.deep: is not known here"),
        ("64", "256", ""),
        ('mount = "/db/lv"', "", "tablespaces.TSFACT.pages: data has no mount"),
    ],
)
def test_a_mistake_in_a_logical_volume_is_named(was: str, now: str, what: str) -> None:
    """As in all of a scenario."""
    if not what:
        assert with_lvs(was, now)
        return
    with pytest.raises(ScenarioError, match=what):
        with_lvs(was, now)
