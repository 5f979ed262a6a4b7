from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.check.machines import GB, GONE, given, good, result
from zmon.check.practice import State
from zmon.check.practices import run_checks
from zmon.kinds import BLOCK, CONTAINER, LAYER, MEMORY, MOUNT
from zmon.topology.machine import UserInputs
from zmon.topology.site import Site

if TYPE_CHECKING:
    from tests.check.machines import Situations

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


SITUATIONS: Final[Situations] = [
    ("B11", OK, {}),
    ("B11", BAD, on("94:1")),
    ("B11", LOOK, on("94:13")),
    ("B11", UNKNOWN, {CONTAINER: {LOG: {"role": "data"}}}),
    ("B11", UNKNOWN, {CONTAINER: None}),
    ("B12", OK, {}),
    ("B12", LOOK, on("94:1")),
    ("B12", UNKNOWN, {BLOCK: None}),
    ("B13", OK, {}),
    ("B13", LOOK, LINEAR),
    ("B13", BAD, EXTENDED),
    ("B13", UNKNOWN, volume(GONE)),  # type: ignore[arg-type]
    ("B13", SKIP, {**on("94:1", DATA), MOUNT: {"30": {"number": "94:1"}}}),
    ("B13", UNKNOWN, {LAYER: None}),
    ("B14", OK, {}),
    ("B14", LOOK, volume(f"0 {SIZE} striped 2 64 94:1 2048 94:9 2048")),
    ("B14", SKIP, LINEAR),
    ("B15", OK, {}),
    ("B15", LOOK, volume(f"0 {SIZE} striped 2 2048 94:1 2048 94:5 2048")),
    ("B15", LOOK, volume(f"0 {SIZE} striped 2 2048 94:9 2048 94:13 2048")),
    ("B15", SKIP, on("94:1", DATA)),
    ("B15", UNKNOWN, {CONTAINER: {DATA: {"number": GONE, "ranges": GONE}}}),
    ("B16", OK, {}),
    ("B16", LOOK, {MEMORY: {"memory": {"cached": 8 * GB}}}),
    ("B16", UNKNOWN, {MEMORY: {"memory": {"cached": GONE}}}),
    ("B16", SKIP, {CONTAINER: {path: {"mount": GONE} for path in (DATA, LOG)}}),
    *((name, UNKNOWN, {CONTAINER: {DATA: None, LOG: None}}) for name in ("B11", "B12", "B15", "B16")),
]  # fmt: skip


def test_the_site_says_which_files_are_logs() -> None:
    """By a pattern, where the listing has no roles."""
    rows = {CONTAINER: {LOG: {"role": "unknown"}, DATA: {"role": "unknown"}}}
    assert result("B11", rows).state is UNKNOWN
    inputs = UserInputs(Site(logs=("/log/*",)))
    assert result("B11", rows, inputs=inputs).state is OK


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
    scene._interval = None
    (found,) = run_checks(scene, ["B12"])
    assert found.state is UNKNOWN
    assert good()[CONTAINER][LOG]["role"] == "log"
