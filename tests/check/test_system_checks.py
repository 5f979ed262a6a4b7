from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.check.machines import GB, GONE, SECOND, good
from zmon.check.practice import State
from zmon.kinds import BLOCK, CPU, DASD, DEVICE, LAYER, MACHINE, MEMORY, SETTING

if TYPE_CHECKING:
    from tests.check.machines import Situations

BAD, LOOK, OK, UNKNOWN, SKIP = State.BAD, State.LOOK, State.OK, State.UNKNOWN, State.NOT_APPLICABLE
X86: Final = {MACHINE: {"machine": {"architecture": "x86_64", "environment": "none"}}}
ZVM: Final = {"environment": "zvm"}
NO_DASD: Final = {
    DEVICE: {busid: None for busid, row in good()[DEVICE].items() if row["driver"] == "dasd-eckd"}
}

FULL: Final = {CPU: {"0": {"user": 95 * SECOND // 100, "idle": 5 * SECOND // 100}}}
"""Processors nine tenths busy."""


def setting(**values: Any) -> dict[Any, Any]:
    """Return a change of settings; `__` stands for a slash, `_0_` for nothing."""
    return {SETTING: {name.replace("__", "/"): value for name, value in values.items()}}


SITUATIONS: Final[Situations] = [
    ("B23", OK, {MACHINE: {"machine": ZVM}}),
    ("B23", BAD, {MACHINE: {"machine": ZVM | {"vm_cpus_configured": 6}}}),
    ("B23", UNKNOWN, {MACHINE: {"machine": ZVM | {"vm_cpus_configured": GONE}}}),
    ("B23", SKIP, {}),
    ("B25", OK, {}),
    ("B25", OK, {}, FULL),
    ("B25", LOOK, {}, FULL | {BLOCK: {"sda": {"reads": 5000}}}),
    ("B25", UNKNOWN, {CPU: None}),
    ("B25", SKIP, {LAYER: {"8:0": None, "8:16": None, "253:0": None}}),
    ("B27", OK, setting(programs="sadc")),
    ("B27", LOOK, setting(programs="")),
    ("B27", UNKNOWN, setting(programs=GONE)),
    ("B27", SKIP, {**X86, **setting(programs="")}),
    ("B28", OK, {}),
    ("B28", LOOK, {DASD: {"0.0.7600": {"volser": "DATA01"}}}),
    ("B28", UNKNOWN, {DASD: {busid: {"volser": GONE} for busid in good()[DASD]}}),
    ("B28", UNKNOWN, {DASD: {busid: {"volser": GONE} for busid in list(good()[DASD])[1:]}}),
    ("B28", SKIP, NO_DASD),
    ("B29", OK, {}),
    ("B29", LOOK, {DEVICE: {"0.0.7701": {"uid": "IBM.750000000F2001.7a00.02"}}}),
    ("B29", SKIP, NO_DASD),
    ("B31", SKIP, {}),
    ("B31", SKIP, X86),
    ("B34", SKIP, {MACHINE: {"machine": ZVM}}),
    ("B34", SKIP, {}),
    ("H9", OK, {}),
    ("H9", LOOK, setting(fstab__dasd=3)),
    ("H9", UNKNOWN, setting(fstab__dasd=GONE)),
    ("H9", SKIP, NO_DASD),
    ("H14", OK, {}),
    ("H14", BAD, setting(capacity__adjustment=85)),
    ("H14", BAD, setting(capacity__reason=1)),
    ("H14", SKIP, {SETTING: {"capacity/adjustment": None, "capacity/reason": None}}),
    ("H14", UNKNOWN, {SETTING: None}),
    ("H16", OK, {}),
    ("H16", LOOK, {SETTING: {"qeth/0.0.f500/buffer_count": 16}}),
    ("H16", OK, {SETTING: {"qeth/0.0.f500/buffer_count": 16}, MEMORY: {"memory": {"total": GB // 4}}}),
    ("H16", SKIP, {SETTING: {"qeth/0.0.f500/buffer_count": None}}),
    ("H16", UNKNOWN, {SETTING: None}),
    ("H17", OK, {}),
    ("H17", OK, setting(kexec_crash_loaded="0", on_panic="dump_reipl")),
    ("H17", LOOK, setting(kexec_crash_loaded="0")),
    ("H17", LOOK, {SETTING: {"kernel.panic_on_oops": "0"}}),
    ("H17", UNKNOWN, setting(kexec_crash_loaded=GONE, on_panic=GONE)),
    ("H17", SKIP, X86),
]  # fmt: skip
