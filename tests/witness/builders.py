"""What machines are made of more than once: LCUs, boxes, calm loads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from tests.witness.parts import ControlUnit, Machine, Paths, Program, Rank, Truth, Volume

if TYPE_CHECKING:
    from collections.abc import Iterable

FICON: Final = Paths((0x50, 0x51, 0x52, 0x53))
ESCON: Final = Paths((0x30, 0x31, 0x32, 0x33), mbps=17, kind="escon", setup=0.0003)
RANKS: Final = tuple(Rank(f"rank{which}") for which in range(4))
FLASH: Final = tuple(Rank(f"rank{which}", seek=0.0004, penalty=2) for which in range(4))


def unit(name: str, volumes: int = 4, *, paths: str = "paths", **more: Any) -> ControlUnit:
    """Return an LCU with volumes 01, 02 ... on the four ranks in turn."""
    listed = tuple(Volume(f"{name[:2]}{at:02x}", f"rank{at % 4}") for at in range(1, volumes + 1))
    return ControlUnit(name, paths, listed, **more)


def units(*names: str, **more: Any) -> tuple[ControlUnit, ...]:
    """Return LCUs that are alike."""
    return tuple(unit(name, **more) for name in names)


def volumes(*of: ControlUnit) -> tuple[str, ...]:
    """Return the numbers of the volumes of LCUs."""
    return tuple(volume.number for unit in of for volume in unit.volumes)


def but(unit: ControlUnit, number: str, **changes: Any) -> ControlUnit:
    """Return an LCU with one volume changed."""
    changed = [replace(v, **changes) if v.number == number else v for v in unit.volumes]
    return replace(unit, volumes=tuple(changed))


def box(
    name: str,
    truth: Truth,
    of: Iterable[ControlUnit],
    *programs: Program,
    paths: Paths | None = None,
    ranks: tuple[Rank, ...] = RANKS,
    **more: Any,
) -> Machine:
    """Return a machine with DASD behind one group of paths."""
    groups = more.pop("groups", (("paths", paths or FICON),))
    return Machine(name, truth, programs, tuple(of), groups, ranks, **more)


def calm(of: Iterable[ControlUnit], rate: float = 60.0) -> Program:
    """Return transactions that nothing waits for."""
    return Program("oltp", volumes(*of), rate=rate, kib=8)


HEALTHY: Final = Truth("nothing is short")
FOUR: Final = ("8000", "8100", "8200", "8300")
OTHERS: Final = units("8100", "8200", "8300", aliases=4)
