from __future__ import annotations

from typing import Any, Final

import pytest

from tests.check.machines import GB, GONE, given, good, result
from zmon.check.practice import State
from zmon.check.practices import run_checks
from zmon.kinds import BLOCK, CONTAINER, LAYER, MEMORY, MOUNT
from zmon.topology.machine import UserInputs
from zmon.topology.site import Site

BAD, LOOK, OK, UNKNOWN, SKIP = State.BAD, State.LOOK, State.OK, State.UNKNOWN, State.NOT_APPLICABLE
DATA, LOG = "/db/data1", "/log/redo1"
SIZE: Final = 200 * 2048


def on(number: str, path: str = LOG) -> dict[Any, Any]:
    """Return a change of the device that a file is on."""
    return {CONTAINER: {path: {"number": number, "ranges": "100000+100000"}}}


def volume(table: str) -> dict[Any, Any]:
    """Return a change of the table of the volume with the data."""
    return {LAYER: {"253:1": {"table": table}}}


LINEAR: Final = volume(f"0 {SIZE // 2} linear 94:1 2048\n{SIZE // 2} {SIZE // 2} linear 94:9 2048")
EXTENDED: Final = volume(
    f"0 {SIZE // 2} striped 2 2048 94:1 2048 94:9 2048\n{SIZE // 2} {SIZE // 2} linear 94:13 2048"
)


@pytest.mark.parametrize(
    ("name", "state", "changes", "words"),
    [
        ("B11", OK, {}, "no data on 1 disk"),
        ("B11", BAD, on("94:1"), "data on the same disk: 7600"),
        ("B11", LOOK, on("94:13"), "no data on these, but in the same LCU: LCU 7700"),
        ("B11", UNKNOWN, {CONTAINER: {LOG: {"role": "data"}}}, ""),
        ("B11", UNKNOWN, {CONTAINER: None}, ""),
        ("B12", OK, {}, "nothing reads from 1 disk of logs"),
        ("B12", LOOK, on("94:1"), "disks of logs are read: 7600 (100 reads/s, 50 writes/s)"),
        ("B12", UNKNOWN, {BLOCK: None}, ""),
        ("B13", OK, {}, "1 logical volume, none linear over several disks"),
        ("B13", LOOK, LINEAR, "linear over several disks, one after the other: vg/data"),
        ("B13", BAD, EXTENDED, "extended over fewer disks: vg/data (1 of 2 disks at its end)"),
        ("B13", UNKNOWN, volume(GONE), "gone"),  # type: ignore[arg-type]
        ("B13", SKIP, {**on("94:1", DATA), MOUNT: {"30": {"number": "94:1"}}}, ""),
        ("B13", UNKNOWN, {LAYER: None}, "block devices were not recorded"),
        ("B14", OK, {}, "stripes of 1 MiB or more"),
        ("B14", LOOK, volume(f"0 {SIZE} striped 2 64 94:1 2048 94:9 2048"),
         "stripes of less than 64 KiB: vg/data (32 KiB)"),
        ("B14", SKIP, LINEAR, ""),
        ("B15", OK, {}, "50 % on server 0, 50 % on server 1; 2 LCUs"),
        ("B15", LOOK, {LAYER: {"253:1": {"table": f"0 {SIZE} striped 2 2048 94:1 2048 94:5 2048"}}},
         "100 % of the data are on server 0"),
        ("B15", SKIP, on("94:1", DATA), "all data are on one disk"),
        ("B15", UNKNOWN, {CONTAINER: {DATA: {"number": GONE, "ranges": GONE}}}, ""),
        ("B16", OK, {}, "the page cache has 12 % of the memory"),
        ("B16", LOOK, {MEMORY: {"memory": {"cached": 8 * GB}}}, ""),
        ("B16", UNKNOWN, {MEMORY: {"memory": {"cached": GONE}}}, "gone"),
        ("B16", SKIP, {CONTAINER: {path: {"mount": GONE} for path in (DATA, LOG)}}, ""),
        *((name, UNKNOWN, {CONTAINER: {DATA: None, LOG: None}}, "") for name in ("B11", "B12", "B15", "B16")),
    ],
)  # fmt: skip
def test_a_check_finds_what_is_broken(name: str, state: State, changes: dict[Any, Any], words: str) -> None:
    """Each on a machine that has just this."""
    found = result(name, changes)
    assert (found.state, found.words) == (state, words or found.words)


def test_all_data_in_one_lcu_deserve_a_look() -> None:
    """Where the side is not known, the LCU is."""
    rows = {LAYER: {"253:1": {"table": f"0 {SIZE} striped 2 2048 94:9 2048 94:13 2048"}}}
    assert result("B15", rows).state is LOOK


def test_the_site_says_which_files_are_logs() -> None:
    """By a pattern, where the listing has no roles."""
    rows = {CONTAINER: {LOG: {"role": "unknown"}, DATA: {"role": "unknown"}}}
    assert result("B11", rows).state is UNKNOWN
    inputs = UserInputs(Site(logs=("/log/*",)))
    assert result("B11", rows, inputs=inputs).words == "no data on 1 disk"


def test_a_volume_without_files_is_judged_where_it_is_mounted() -> None:
    """Without a listing, the mounted volumes on DASD count; those of a laptop's disk do not."""
    nothing = {CONTAINER: {DATA: None, LOG: None}}
    assert result("B13", {**nothing, **LINEAR}).state is LOOK
    half = SIZE // 2
    laptop = {LAYER: {"253:1": {"table": f"0 {half} linear 8:32 0\n{half} {half} linear 8:48 0",
                                "below": "8:32 8:48"}}}  # fmt: skip
    assert result("B13", {**nothing, **laptop}).state is SKIP


def test_reading_the_logs_takes_two_samples() -> None:
    """One sample has no rates."""
    scene = given()
    scene.interval = None
    (found,) = run_checks(scene, ["B12"])
    assert found.state is UNKNOWN
    assert good()[CONTAINER][LOG]["role"] == "log"
