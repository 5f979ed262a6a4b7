from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from zmon.base.absent import Absent
from zmon.kinds import BLOCK, CMF, DEVICE
from zmon.machine.view import NoSuchThing, View
from zmon.tables.filled import fill
from zmon.tables.key_figures import NO_POOL, NO_SUCH_LCU, pool_figures

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval

MS = 1_000_000


def cmf(rate: float, conn: float) -> dict[str, Any]:
    """Return what the channel subsystem counts in a minute."""
    count = round(rate * 60)
    return {"ssch": count, "samples": count, "pending": 0, "disconnect": 0,
            "connect": round(count * conn * MS)}  # fmt: skip


@pytest.fixture
def minute(make_interval: Callable[..., Interval]) -> Callable[..., Interval]:
    """Return a minute of LCUs 2480, 2481 ...: a base with 100 I/O per second, aliases with these rates.

    An I/O takes a millisecond, and twelve as Linux sees it.
    """

    def made(*pools: tuple[float, ...], alias: str = "xx") -> Interval:
        devices: dict[str, dict[str, Any]] = {}
        measured, blocks = {}, {}
        for unit, rates in enumerate(pools):
            base = f"0.0.7{unit}00"
            devices[base] = {
                "online": 1,
                "alias": 0,
                "uid": f"IBM.A.248{unit}.00",
                "block": f"dasd{'abc'[unit]}",
            }
            measured[base] = cmf(100, 1)
            requests = round((100 + sum(rates)) * 60)
            blocks[f"dasd{'abc'[unit]}"] = {
                "busid": base, "reads": requests, "writes": 0, "read_ms": requests * 12, "write_ms": 0,
                "sectors_read": 0, "sectors_written": 0, "weighted_ms": requests * 12,
            }  # fmt: skip
            for number, rate in enumerate(rates, 0xF0):
                devices[f"0.0.7{unit}{number:02x}"] = {
                    "online": 1,
                    "alias": 1,
                    "uid": f"IBM.A.248{unit}.{alias}",
                }
                measured[f"0.0.7{unit}{number:02x}"] = cmf(rate, 1)
        zeros = {key: dict.fromkeys(value, 0) for key, value in measured.items()}
        none = {
            key: {n: v if isinstance(v, str) else 0 for n, v in row.items()} for key, row in blocks.items()
        }
        return make_interval(
            {DEVICE: devices, CMF: zeros, BLOCK: none}, {DEVICE: devices, CMF: measured, BLOCK: blocks}
        )

    return made


def test_the_pool_with_the_largest_part_in_use_is_shown(minute: Callable[..., Interval]) -> None:
    """Each alias does one I/O at a time: 900 of a millisecond are 0.9 of an alias."""
    cells = pool_figures(View(minute((100, 100, 100, 100), (900, 700), ())))
    assert [cells[name] for name in ("ssid", "mode", "aliases", "aliasuse", "used", "aliasio")] == [
        "2481", "HyperPAV", 2, pytest.approx(1.6), pytest.approx(80), pytest.approx(100 * 1600 / 1700),
    ]  # fmt: skip
    assert [cells[name] for name in ("pools", "defined", "inuse")] == [2, 6, pytest.approx(2.0)]


def test_what_requests_wait_in_linux_is_response_less_service(minute: Callable[..., Interval]) -> None:
    """As many wait as arrive in this time (Little's law)."""
    cells = pool_figures(View(minute((100,))))
    assert cells["wait"] == pytest.approx(11)
    assert cells["qued"] == pytest.approx(200 * 0.011)


def test_aliases_of_one_base_each_are_pav(minute: Callable[..., Interval]) -> None:
    """Their unit address is that of their base."""
    assert pool_figures(View(minute((100,), alias="00")))["mode"] == "PAV"


def test_a_pool_can_be_named(minute: Callable[..., Interval]) -> None:
    """Of an LCU without aliases there is nothing to show, with the reason."""
    found = fill("alias_log", View(minute((100, 100), (900,), ()), argument="2480"))
    assert found.columns["ssid"] == ["2480"]
    assert found.columns["aliases"] == [2]
    without = fill("alias_log", View(minute((100,), ()), argument="2481"))
    assert isinstance(without.columns["aliasuse"][0], Absent)
    with pytest.raises(NoSuchThing):
        fill("alias_log", View(minute((100,)), argument="9999"))


def test_without_aliases_there_is_no_pool(minute: Callable[..., Interval]) -> None:
    """It is no pool of nothing."""
    cells = pool_figures(View(minute((), ())))
    assert cells["ssid"] == cells["pools"] == cells["used"] == NO_POOL


def test_an_lcu_that_is_gone_has_its_reason(minute: Callable[..., Interval]) -> None:
    """It was there in other intervals."""
    assert pool_figures(View(minute((100,))), "IBM.A.9999")["aliasuse"] == NO_SUCH_LCU


def test_without_times_the_use_is_unknown(make_interval: Callable[..., Interval]) -> None:
    """The aliases are there; how many were busy is not known, and is not zero."""
    devices = {
        "0.0.7000": {"online": 1, "alias": 0, "uid": "IBM.A.2480.00"},
        "0.0.70f0": {"online": 1, "alias": 1, "uid": "IBM.A.2480.xx"},
    }
    cells = pool_figures(View(make_interval({DEVICE: devices}, {DEVICE: devices})))
    assert cells["defined"] == 1
    assert isinstance(cells["inuse"], Absent)
    assert isinstance(cells["used"], Absent)
