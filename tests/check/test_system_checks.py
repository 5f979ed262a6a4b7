from __future__ import annotations

from typing import Any, Final

import pytest

from tests.check.machines import GB, GONE, SECOND, good, result
from zmon.check.practice import State
from zmon.kinds import BLOCK, CPU, DASD, DEVICE, LAYER, MACHINE, MEMORY, SETTING

BAD, LOOK, OK, UNKNOWN, SKIP = State.BAD, State.LOOK, State.OK, State.UNKNOWN, State.NOT_APPLICABLE
X86: Final = {MACHINE: {"machine": {"architecture": "x86_64", "environment": "none"}}}
ZVM: Final = {"environment": "zvm"}
NO_DASD: Final = {
    DEVICE: {busid: None for busid, row in good()[DEVICE].items() if row["driver"] == "dasd-eckd"}
}


def setting(**values: Any) -> dict[Any, Any]:
    """Return a change of settings; `__` stands for a slash, `_0_` for nothing."""
    return {SETTING: {name.replace("__", "/"): value for name, value in values.items()}}


@pytest.mark.parametrize(
    ("name", "state", "changes", "words"),
    [
        ("B23", OK, {MACHINE: {"machine": ZVM}}, "2 virtual processors, 4 in the LPAR of z/VM"),
        ("B23", BAD, {MACHINE: {"machine": ZVM | {"vm_cpus_configured": 6}}},
         "6 virtual processors, 4 in the LPAR of z/VM"),
        ("B23", UNKNOWN, {MACHINE: {"machine": ZVM | {"vm_cpus_configured": GONE}}}, "gone"),
        ("B23", SKIP, {}, "only in a guest of z/VM"),
        ("B25", OK, {}, "processors 30 % busy, 300 FCP requests/s"),
        ("B25", UNKNOWN, {CPU: None}, ""),
        ("B25", SKIP, {LAYER: {"8:0": None, "8:16": None, "253:0": None}}, "no SCSI disk behind FCP"),
        ("B27", OK, setting(programs="sadc"), "sadc runs"),
        ("B27", LOOK, setting(programs=""), "neither zmon record, sadc nor pmlogger runs"),
        ("B27", UNKNOWN, setting(programs=GONE), "gone"),
        ("B27", SKIP, {**X86, **setting(programs="")}, "not Linux on IBM Z: x86_64"),
        ("B28", OK, {}, "4 of 4 labels end in the device number"),
        ("B28", LOOK, {DASD: {"0.0.7600": {"volser": "DATA01"}}}, "3 of 4 labels end in the device number"),
        ("B28", UNKNOWN, {DASD: {busid: {"volser": GONE} for busid in good()[DASD]}},
         "label and real device number are known of no disk; it takes two disks"),
        ("B28", UNKNOWN, {DASD: {busid: {"volser": GONE} for busid in list(good()[DASD])[1:]}},
         "label and real device number are known of 1 of 4 disks; it takes two disks"),
        ("B28", SKIP, NO_DASD, ""),
        ("B29", OK, {}, "3 blocks of numbers, each of one LCU"),
        ("B29", LOOK, {DEVICE: {"0.0.7701": {"uid": "IBM.750000000F2001.7a00.02"}}},
         "numbers of several LCUs in one block: 77xx (2 LCUs)"),
        ("B29", SKIP, NO_DASD, "no DASD is online"),
        ("B31", SKIP, {}, ""),
        ("B31", SKIP, X86, "only on IBM Z"),
        ("B34", SKIP, {MACHINE: {"machine": ZVM}}, "z/VM 6.4 and later have no expanded storage"),
        ("B34", SKIP, {}, "only in a guest of z/VM"),
        ("H9", OK, {}, "no line with /dev/dasdX"),
        ("H9", LOOK, setting(fstab__dasd=3), "3 lines with /dev/dasdX"),
        ("H9", UNKNOWN, setting(fstab__dasd=GONE), "gone"),
        ("H9", SKIP, NO_DASD, ""),
        ("H14", OK, {}, ""),
        ("H14", BAD, setting(capacity__adjustment=85), "capacity adjustment 85, reason 0"),
        ("H14", BAD, setting(capacity__reason=1), "capacity adjustment 100, reason 1"),
        ("H14", SKIP, {SETTING: {"capacity/adjustment": None, "capacity/reason": None}}, ""),
        ("H14", UNKNOWN, {SETTING: None}, "settings were not recorded"),
        ("H16", OK, {}, "128 buffers or more for 1 device"),
        ("H16", LOOK, {SETTING: {"qeth/0.0.f500/buffer_count": 16}}, "0.0.f500 has 16 of 128 buffers"),
        ("H16", OK, {SETTING: {"qeth/0.0.f500/buffer_count": 16}, MEMORY: {"memory": {"total": GB // 4}}},
         "16 buffers or more for 1 device"),
        ("H16", SKIP, {SETTING: {"qeth/0.0.f500/buffer_count": None}}, "no OSA or HiperSockets device"),
        ("H16", UNKNOWN, {SETTING: None}, "settings were not recorded"),
        ("H17", OK, {}, "a dump is taken by kdump"),
        ("H17", OK, setting(kexec_crash_loaded="0", on_panic="dump_reipl"), "on_panic is dump_reipl"),
        ("H17", LOOK, setting(kexec_crash_loaded="0"), ""),
        ("H17", LOOK, {SETTING: {"kernel.panic_on_oops": "0"}}, ""),
        ("H17", UNKNOWN, setting(kexec_crash_loaded=GONE, on_panic=GONE), "gone"),
        ("H17", SKIP, X86, "not Linux on IBM Z: x86_64"),
    ],
)  # fmt: skip
def test_a_check_finds_what_is_broken(name: str, state: State, changes: dict[Any, Any], words: str) -> None:
    """Each on a machine that has just this."""
    found = result(name, changes)
    assert (found.state, found.words) == (state, words or found.words)


def test_full_processors_limit_fcp() -> None:
    """Nine tenths busy, while most requests go to FCP disks."""
    full = {CPU: {"0": {"user": 95 * SECOND // 100, "idle": 5 * SECOND // 100}}}
    fcp = {BLOCK: {"sda": {"reads": 5000}}}
    assert result("B25", {}, full | fcp).state is LOOK
    assert result("B25", {}, full).state is OK
