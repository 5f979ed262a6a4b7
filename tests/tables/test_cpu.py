from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.interval import Interval
from zmon.kernel.tree import NEEDS_ROOT
from zmon.kinds import CPU, LPAR, LPAR_CPU, MACHINE, MEMORY, VIRTUAL_CPU
from zmon.machine.cpus import EVERY, NO_OVERHEAD, NOT_RUN, OF_PARTITION, Processors
from zmon.machine.view import View
from zmon.sample import Sample, empty_frame
from zmon.tables.cpu import table

if TYPE_CHECKING:
    from collections.abc import Callable


SECOND = 1_000_000_000
OFF = absent("off line")


def cpu(**seconds: float) -> dict[str, Any]:
    """Return what a CPU did, in seconds; it is on line."""
    times = dict.fromkeys((*EVERY, "guest", "guest_nice"), 0.0) | seconds
    return {**{name: round(value * SECOND) for name, value in times.items()}, "online": 1}


NOTHING = cpu()
OFFLINE = dict.fromkeys((*EVERY, "guest", "guest_nice"), OFF) | {"online": 0}


@pytest.fixture
def ran(make_interval: Callable[..., Interval]) -> Callable[..., Interval]:
    """Return a minute in which CPUs did this."""
    return lambda **cpus: make_interval(
        {CPU: {key[1:]: OFFLINE if value is OFFLINE else NOTHING for key, value in cpus.items()}},
        {CPU: {key[1:]: value for key, value in cpus.items()}},
    )


def test_busy_is_what_the_cpu_did(ran: Callable[..., Interval]) -> None:
    """Programs, kernel and interrupts; neither idle nor stolen time."""
    found = Processors(ran(_0=cpu(user=12, nice=3, system=6, irq=1, softirq=2, idle=24, iowait=6, steal=6)))
    assert found.busy == pytest.approx([40])
    assert found.wait == pytest.approx([50])
    assert found.part["steal"] == pytest.approx([10])
    assert found.logical == pytest.approx([100 * 40 / 90])


def test_the_time_in_the_kernel_has_interrupts(ran: Callable[..., Interval]) -> None:
    """Where they are not told apart, as by sar, the system's time has them."""
    told = Processors(ran(_0=cpu(system=6, irq=1, softirq=2, idle=51)))
    assert told.kernel == pytest.approx([15])
    not_apart = {"irq": absent("not told apart"), "softirq": absent("not told apart")}
    assert Processors(ran(_0=cpu(system=9, idle=51) | not_apart)).kernel == pytest.approx([15])


@given(st.fixed_dictionaries({name: st.integers(0, 1000) for name in EVERY}))
def test_busy_waiting_and_stolen_are_all(seconds: dict[str, int]) -> None:
    """Together they are 100."""
    # a fixture is for one example only
    from zmon.sample import (  # noqa: PLC0415
        Instant,
        Sample,
        frame_of,
    )

    before, after = (
        Sample(Instant(at, at, "boot"), {"cpu": frame_of(CPU, {"0": row}, at)})
        for at, row in ((SECOND, NOTHING), (61 * SECOND, cpu(**seconds)))
    )
    found = Processors(Interval(before, after))
    if sum(seconds.values()):
        assert found.busy[0] + found.wait[0] + found.part["steal"][0] == pytest.approx(100)


def test_time_that_fell_does_not_cost_the_rest(make_interval: Callable[..., Interval]) -> None:
    """Idle time may step back by a little; then the clock says how long the interval was."""
    found = Processors(make_interval({CPU: {"0": cpu(idle=100)}}, {CPU: {"0": cpu(user=30, idle=99.9)}}))
    assert found.busy == pytest.approx([50])
    assert isinstance(found.wait[0], Absent)


def test_a_cpu_off_line_is_dots(ran: Callable[..., Interval]) -> None:
    """And does not count in the mean."""
    found = table(View(ran(_0=cpu(user=30, idle=30), _1=OFFLINE)))
    assert found.columns["busy"] == [50, OFF]
    assert found.columns["state"] == ["online", "offline"]
    assert found.summary is not None
    assert found.summary.cells["busy"] == 50
    assert (found.facts["running"], found.facts["present"]) == (1, 2)


def test_the_total_load_counts_each_cpu_as_a_hundred(ran: Callable[..., Interval]) -> None:
    """As the Toolkit does."""
    assert table(View(ran(_0=cpu(user=60), _1=cpu(user=45, idle=15)))).facts["load"] == pytest.approx(175)


def test_the_type_is_that_of_all_processors_of_the_own_partition(
    make_interval: Callable[..., Interval],
) -> None:
    """Of others it is no matter."""
    rows: dict[Any, Any] = {
        CPU: {"0": NOTHING},
        LPAR: {"MINE": {"own": 1}, "YOURS": {"own": 0}},
        LPAR_CPU: {"MINE/0": {"lpar": "MINE", "type": "IFL"}, "YOURS/0": {"lpar": "YOURS", "type": "CP"}},
    }
    assert table(View(make_interval(rows, rows))).columns["type"] == ["IFL"]
    rows[LPAR_CPU]["MINE/1"] = {"lpar": "MINE", "type": "CP"}
    assert isinstance(table(View(make_interval(rows, rows))).columns["type"][0], Absent)


def test_memory_and_paging_stand_above(make_interval: Callable[..., Interval]) -> None:
    """Pages in and out together."""
    before = {MEMORY: {"memory": {"total": 8, "available": 2, "swapped_in": 0, "swapped_out": 0}}}
    after = {MEMORY: {"memory": {"total": 8, "available": 2, "swapped_in": 60, "swapped_out": 120}}}
    facts = table(View(make_interval(before, after))).facts
    assert (facts["memory"], facts["available"], facts["paging"]) == (8, 2, 3)


def test_without_cpus_there_is_a_reason(make_interval: Callable[..., Interval]) -> None:
    """And no row."""
    found = table(View(make_interval({}, {})))
    assert (found.keys, found.summary) == ([], None)
    assert found.missing is not None
    assert isinstance(found.facts["load"], Absent)


def machine(environment: str) -> dict[Any, Any]:
    """Return the row of a machine with this hypervisor."""
    return {MACHINE: {"machine": {"environment": environment, "manufacturer": "IBM", "control_program": "x"}}}


def test_tv_in_zvm_is_of_each_cpu(make_interval: Callable[..., Interval]) -> None:
    """Total over virtual time of the interval, of all CPUs by their sums; a CPU that did not run has none."""
    did = {CPU: {"0": cpu(user=30, idle=30), "1": cpu(idle=60), "2": cpu(idle=60)}} | machine("zvm")
    found = table(
        View(
            make_interval(
                {
                    CPU: dict.fromkeys("012", NOTHING),
                    VIRTUAL_CPU: {key: {"virtual": 5, "total": 6} for key in "012"},
                },
                did
                | {
                    VIRTUAL_CPU: {
                        "0": {"virtual": 20_000_005, "total": 25_000_006},
                        "1": {"virtual": 10_000_005, "total": 11_000_006},
                        "2": {"virtual": 5, "total": 6},
                    }
                },
            )
        )
    )
    assert found.columns["tv"] == [1.25, 1.1, NOT_RUN]
    assert found.facts["tv"] == pytest.approx(36 / 30)
    assert found.summary is not None
    assert found.summary.cells["tv"] == found.facts["tv"]


def test_tv_in_an_lpar_is_of_the_own_partition(make_interval: Callable[..., Interval]) -> None:
    """Its logical processors may be cores, so no CPU has its own ratio; other partitions do not count."""
    lpars = {LPAR: {"ME": {"own": 1}, "OTHER": {"own": 0}}}
    before = {"lpar": "ME", "accumulated": 0, "dispatched": 0}
    found = table(
        View(
            make_interval(
                {CPU: {"0": NOTHING}, LPAR_CPU: {"ME/0": before, "OTHER/0": {**before, "lpar": "OTHER"}}}
                | lpars,
                {
                    CPU: {"0": cpu(user=30, idle=30)},
                    LPAR_CPU: {
                        "ME/0": {"lpar": "ME", "accumulated": 21, "dispatched": 20},
                        "OTHER/0": {"lpar": "OTHER", "accumulated": 900, "dispatched": 20},
                    },
                }
                | lpars
                | machine("lpar"),
            )
        )
    )
    assert found.facts["tv"] == pytest.approx(1.05)
    assert found.columns["tv"][0] is OF_PARTITION


@pytest.mark.parametrize(
    ("environment", "reason"), [("kvm", NO_OVERHEAD), ("zvm", NEEDS_ROOT), ("lpar", NEEDS_ROOT)]
)
def test_tv_that_is_not_measured_has_its_reason(
    make_interval: Callable[..., Interval], environment: str, reason: Absent
) -> None:
    """No CPU, no fact and no mean is a guess."""
    rows = {CPU: {"0": cpu(user=30, idle=30)}} | machine(environment)
    interval = make_interval({CPU: {"0": NOTHING}}, rows)
    refused = {kind.name: empty_frame(kind, NEEDS_ROOT) for kind in (LPAR, LPAR_CPU, VIRTUAL_CPU)}
    after = Sample(interval.after.at, {**interval.after.frames, **refused})
    found = table(View(Interval(interval.before, after)))
    assert (found.facts["tv"], found.columns["tv"][0]) == (reason, reason)


@pytest.mark.parametrize(("size", "known"), [(0, True), (90, False)])
def test_without_a_swap_area_nothing_is_swapped(
    make_interval: Callable[..., Interval], *, size: int, known: bool
) -> None:
    """That is known even where the counters were not read anew."""
    rows = {MEMORY: {"memory": {"total": 8, "available": 2, "swap_total": size, "swap_free": size}}}
    paging = table(View(make_interval(rows, rows))).facts["paging"]
    assert (paging == 0) is known
    assert isinstance(paging, Absent) is not known
