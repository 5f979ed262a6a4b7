from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.check.machines import GB, GONE
from zmon.check.practice import State
from zmon.kinds import GUEST, MACHINE, MEMORY, NO_FILE, SETTING, SWAP

if TYPE_CHECKING:
    from tests.check.machines import Situations

BAD, LOOK, OK, UNKNOWN, SKIP = State.BAD, State.LOOK, State.OK, State.UNKNOWN, State.NOT_APPLICABLE
X86: Final = {MACHINE: {"machine": {"architecture": "x86_64", "environment": "none"}}}
NONE: Final = {SETTING: {f"hugepages/1024/{name}": 0 for name in ("total", "free", "reserved")}}

WITHOUT: Final = {SETTING: {f"hugepages/1024/{name}": None for name in ("total", "free", "reserved")}}
"""A kernel that is built without huge pages."""


def zvm(changes: dict[Any, Any] | None = None, **fields: Any) -> dict[Any, Any]:
    """Return changes that make it a guest of z/VM."""
    return {
        MACHINE: {"machine": {"environment": "zvm", "guest_name": "LINDB01", **fields}},
        **(changes or {}),
    }


def setting(name: str, value: Any) -> dict[Any, Any]:
    """Return a change of one setting."""
    return {SETTING: {name: value}}


def memory(**fields: Any) -> dict[Any, Any]:
    """Return a change of memory."""
    return {MEMORY: {"memory": fields}}


SITUATIONS: Final[Situations] = [
    ("B17", LOOK, setting("vm.swappiness", "60")),
    ("B17", OK, setting("vm.swappiness", "10")),
    ("B17", UNKNOWN, setting("vm.swappiness", GONE)),
    ("B17", UNKNOWN, setting("vm.swappiness", "much")),
    ("B18", OK, {}),
    ("B18", BAD, setting("hugepages/1024/free", 8000)),
    ("B18", OK, {SETTING: {"hugepages/1024/free": 8000, "hugepages/1024/reserved": 7500}}),
    ("B18", BAD, {SETTING: {"hugepages/2097152/total": 64, "hugepages/2097152/free": 64,
                            "hugepages/2097152/reserved": 0}}),
    ("B18", SKIP, NONE),
    *((name, SKIP, WITHOUT) for name in ("B18", "B19")),
    *((name, UNKNOWN, {**WITHOUT, MEMORY: None}) for name in ("B18", "B19")),
    ("B18", UNKNOWN, setting("hugepages/1024/total", GONE)),
    ("B19", OK, {}),
    ("B19", LOOK, setting("cmdline/hugepages", GONE)),
    ("B19", UNKNOWN, setting("cmdline", GONE)),
    ("B19", SKIP, NONE),
    ("B20", LOOK, memory(swapped_in=10, swapped_out=20)),
    ("B20", UNKNOWN, memory(swapped_in=GONE)),
    ("B20", BAD, {}, memory(swapped_out=600)),
    ("B20", LOOK, {}, memory(swapped_out=1)),
    ("B21", SKIP, {}),
    ("B21", OK, zvm()),
    ("B21", LOOK, zvm(memory(cached=12 * GB))),
    ("B21", UNKNOWN, zvm(memory(cached=GONE))),
    ("B22", OK, zvm()),
    ("B22", LOOK, zvm(), {GUEST: {"LINDB01": {"page_wait": 100, "total": 1000}}}),
    ("B22", UNKNOWN, zvm({GUEST: None})),
    ("B24", OK, zvm()),
    ("B24", LOOK, zvm({**memory(total=200 * GB), **setting("hugepages/1024/total", 150 * 1024)})),
    ("B24", OK, zvm(memory(total=200 * GB))),
    ("B30", SKIP, {}),
    ("B30", LOOK, {MACHINE: {"machine": {"kernel": "3.0.13-0.27"}}}),
    ("B30", OK, {MACHINE: {"machine": {"kernel": "3.0.13"}},
                 **setting("cmdline/cgroup_disable", "memory")}),
    ("B30", UNKNOWN, {MACHINE: {"machine": {"kernel": "strange"}}}),
    ("H15", OK, {}),
    ("H15", LOOK, {SWAP: {"/dev/dasdd1": None}}),
    ("H15", OK, {MACHINE: {"machine": {"architecture": GONE, "environment": GONE}}}),
    ("H15", UNKNOWN, {SWAP: None}),
    ("K3", LOOK, setting("transparent_hugepage", "always")),
    ("K3", UNKNOWN, setting("transparent_hugepage", GONE)),
    ("K3", SKIP, setting("transparent_hugepage", NO_FILE)),
    *((name, SKIP, X86)
      for name in ("B17", "B18", "B19", "B20", "H15", "K3")),
    *((name, SKIP, X86) for name in ("B21", "B22", "B24")),
]  # fmt: skip
