from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from zmon.base.absent import Absent, absent
from zmon.kinds import LPAR, LPAR_CPU, MACHINE, PHYSICAL_CPU
from zmon.machine.partitions import OFFLINE, STALE, UNCOUNTED
from zmon.machine.view import View
from zmon.sample import Meaning
from zmon.tables.lpar import table

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval
    from zmon.tables.table import Table

SECOND = 1_000_000


def cpu(lpar: str, busy: float, wait: float = 0, **more: Any) -> dict[str, Any]:
    """Return a logical processor that was busy and waiting for so many of ten seconds."""
    return {
        "type": "IFL",
        "lpar": lpar,
        "online": 1,
        "dedicated": 0,
        "weight": 100,
        "capped": 0,
        "accumulated": round(busy * SECOND),
        "dispatched": round(busy * SECOND * 0.9),
        "wait": round(wait * SECOND),
        "online_time": 10 * SECOND,
        "clock": 10 * SECOND,
        **more,
    }


PHYSICAL = {"type": "IFL", "dedicated": 0, "management": SECOND // 10, "clock": 10 * SECOND}


@pytest.fixture
def fill(make_interval: Callable[..., Interval]) -> Callable[..., Table]:
    """Fill LPAR; partition A is the own one."""

    def filled(cpus: dict[str, Any], physical: dict[str, Any] | None = None, machine: Any = None) -> Table:
        names = {row["lpar"] for row in cpus.values()}
        after = {LPAR: {n: {"own": int(n == "A"), "cpus": 2} for n in sorted(names)}, LPAR_CPU: cpus,
                 PHYSICAL_CPU: physical or {}, MACHINE: {"machine": machine or {}}}  # fmt: skip
        before = {
            kind: {
                key: {n: 0 if kind.by_name[n].meaning in {Meaning.COUNTER, Meaning.CLOCK} else v
                      for n, v in row.items()}
                for key, row in rows.items()
            }
            for kind, rows in after.items()
        }  # fmt: skip
        return table(View(make_interval(before, after, 10)))

    return filled


def test_busy_overhead_and_suspension(fill: Callable[..., Table]) -> None:
    """Of ten seconds six busy, a tenth of that for the hypervisor, three waiting: one was not let."""
    columns = fill({"A/0": cpu("A", 6, 3)}).columns
    assert [columns[n][0] for n in ("busy", "ovhd", "wait", "susp")] == pytest.approx([60, 6, 30, 10])
    assert columns["logld"] == pytest.approx([100 * 60 / 90])


def test_others_do_not_tell_whether_they_were_suspended(fill: Callable[..., Table]) -> None:
    """Only of the own partition it is shown."""
    columns = fill({"A/0": cpu("A", 6, 3), "B/0": cpu("B", 6, 3)}).columns
    assert isinstance(columns["susp"][1], Absent)
    assert isinstance(columns["logld"][1], Absent)


def test_an_idle_processor_is_not_suspended(fill: Callable[..., Table]) -> None:
    """What is not busy is wait time where the hypervisor counts it so, and nothing is suspended."""
    columns = fill({"A/0": cpu("A", 2, 8)}).columns
    assert [columns[n][0] for n in ("busy", "wait", "susp", "logld")] == pytest.approx([20, 80, 0, 20])


def test_wait_time_that_is_not_counted_is_absent(fill: Callable[..., Table]) -> None:
    """A wait counter that is still 0 was never filled in, so idle time is not called suspended."""
    columns = fill({"A/0": cpu("A", 2, 0)}).columns
    assert [columns[n][0] for n in ("wait", "susp", "logld")] == [UNCOUNTED] * 3
    assert columns["busy"] == [20]


def test_load_is_a_part_of_all_engines(fill: Callable[..., Table]) -> None:
    """The sum of a partition's processors; one that is not on line adds nothing and hides nothing."""
    off = cpu("A", 0, online=0, online_time=0)
    found = fill({"A/0": cpu("A", 6), "A/1": cpu("A", 2), "A/2": off}, {str(n): PHYSICAL for n in range(4)})
    assert found.columns["load"] == pytest.approx([20, 20, 20])
    assert found.columns["busy"][2] is OFFLINE


def test_figures_that_stood_still_are_stale(fill: Callable[..., Table]) -> None:
    """The hypervisor handed out an older answer; that is not an idle processor."""
    found = fill({"A/0": cpu("A", 0, online_time=0, clock=0)})
    assert found.columns["busy"][0] is STALE


def test_entitlement_is_by_weight_type_and_shared_engines(fill: Callable[..., Table]) -> None:
    """300 of 400 of three shared IFLs; dedicated engines and other types take no part."""
    found = fill(
        {
            "A/0": cpu("A", 1, weight=300),
            "A/1": cpu("A", 1, weight=300),
            "B/0": cpu("B", 1),
            "C/0": cpu("C", 1, dedicated=1, weight=absent("dedicated")),
            "D/0": cpu("D", 1, type="CP", weight=900),
        },
        {
            "0": PHYSICAL,
            "1": PHYSICAL,
            "2": PHYSICAL,
            "3": PHYSICAL | {"dedicated": 1},
            "4": PHYSICAL | {"type": "CP"},
        },
    )
    a0, a1, b0, c0, d0 = found.columns["entitled"]
    assert [a0, a1, b0, d0] == pytest.approx([2.25, 2.25, 0.75, 1])
    assert isinstance(c0, Absent)
    assert found.columns["weight"][3] == "DED"


def test_without_authority_the_machine_is_not_known(fill: Callable[..., Table]) -> None:
    """No physical processors: neither load nor entitlement, with the reason."""
    found = fill({"A/0": cpu("A", 6)})
    assert [type(found.columns[n][0]) for n in ("load", "entitled")] == [Absent, Absent]


def test_management_time_of_all_engines(fill: Callable[..., Table]) -> None:
    """One engine is 100; a hundredth of each of four is 4."""
    facts = fill({"A/0": cpu("A", 6)}, {str(n): PHYSICAL for n in range(4)}).facts
    assert facts["management"] == pytest.approx(4.0)
    assert facts["engines"] == 4


@pytest.mark.parametrize(
    ("caps", "written"),
    [((0, 250), "2.50 cores"), ((0, 0), "none"), ((absent("no sthyi"), absent("x")), None)],
)
def test_caps_are_in_cores(caps: tuple[Any, Any], written: str | None, fill: Callable[..., Table]) -> None:
    """Zero is no cap; not known is not none."""
    facts = fill(
        {"A/0": cpu("A", 6)}, machine={"cap_absolute_ifl": caps[0], "cap_absolute_cp": caps[1]}
    ).facts
    cap = facts["absolute_cap"]
    assert (None if isinstance(cap, Absent) else cap) == written


@pytest.mark.parametrize(
    ("environment", "shown"), [("lpar", "none (LPAR)"), ("zvm", "z/VM 7.3"), ("kvm", "z/VM 7.3")]
)
def test_the_hypervisor_above(environment: str, shown: str, fill: Callable[..., Table]) -> None:
    """What runs between the machine and this Linux."""
    machine = {"environment": environment, "control_program": "z/VM 7.3"}
    assert fill({"A/0": cpu("A", 6)}, machine=machine).facts["hypervisor"] == shown
