from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.placement.study import filled
from zmon.base.absent import absent
from zmon.kinds import DEVICE
from zmon.values.path_masks import MASKS, Unused, device_paths, path_masks, paths_in, paths_on_line

if TYPE_CHECKING:
    from zmon.base.absent import Value

DASD: dict[str, Value] = {
    "online": 1, "chpids": "50 51 52 53", "pim": 0xF0, "pam": 0xF0, "pom": 0xF0, "vpm": 0xF0,
}  # fmt: skip


def test_the_masks_are_named_in_their_order() -> None:
    """As the kernel writes them."""
    assert path_masks("c0 00 20 40 00 01") == dict(zip(MASKS, (0xC0, 0, 0x20, 0x40, 0, 1), strict=True))


@given(st.text() | st.lists(st.integers(0, 255), max_size=8).map(lambda ms: " ".join(f"{m:02x}" for m in ms)))
def test_any_text_has_six_masks_or_none(words: str) -> None:
    """Other numbers of masks are of another form."""
    assert len(path_masks(words)) in {0, 6}


@pytest.mark.parametrize(
    ("mask", "installed", "chpids", "found"),
    [
        (0x20, 0xF0, "50 51 52 53", ("52",)),
        (0x50, 0xD0, "50 51 53", ("51", "53")),
        (0x20, 0xF0, "50 51", ()),
        (0x20, None, "50 51 52 53", ()),
        (0x20, 0xF0, None, ()),
    ],
)
def test_paths_in_a_mask_have_names(
    mask: int, installed: object, chpids: object, found: tuple[str, ...]
) -> None:
    """The CHPIDs stand for the bits that are set in the mask of installed paths, in their order."""
    assert paths_in(mask, installed, chpids) == found


@pytest.mark.parametrize(
    ("words", "lost"),
    [
        ("00 00 00 00 00 00", 0xF0), ("00 f0 00 00 f0 00", 0xF0), ("c0 00 00 00 00 00", 0x30),
        ("00 00 00 f0 00 00", 0xF0), ("00 00 00 00 00 f0", 0xF0), ("00 00 40 80 00 30", 0xF0),
    ],
)  # fmt: skip
def test_a_driver_that_uses_no_path_has_lost_all(words: str, lost: int) -> None:
    """Also where no mask has a reason; of a device that is offline the kernel gives no masks."""
    paths = device_paths("50 51 52 53", 0xF0, words)
    assert paths is not None
    assert paths.lost == lost


def test_every_lost_path_has_the_reason_that_a_mask_has() -> None:
    """That the driver took it off goes first; a path that is used needs none."""
    paths = device_paths("50 51 52 53 54", 0xF8, "80 a0 40 00 f0 00")
    assert paths is not None
    assert paths.reasons == {
        "51": [Unused.CABLE], "52": [Unused.WITHOUT_HPF], "53": [Unused.WITHOUT_HPF],
    }  # fmt: skip
    preferred = device_paths("50 51", 0xC0, "80 c0 00 00 00 00")
    assert preferred is not None
    assert preferred.reasons == {"51": [Unused.NOT_PREFERRED]}


@pytest.mark.parametrize(
    ("masks", "lost"),
    [
        ({}, [()]),
        ({"pom": 0xD0}, [("52",)]),
        ({"vpm": 0x90}, [("51", "52")]),
        ({"path_masks": "e0 00 00 10 00 00"}, [("53",)]),
        ({"vpm": 0, "online": 0}, []),
        ({"pim": absent("nobody says it")}, []),
    ],
)
def test_channel_paths_are_lost_that_a_mask_lacks(masks: dict[str, Value], lost: list[object]) -> None:
    """Linux verifies those of devices that are online only."""
    frame = filled(DEVICE, {"0.0.8000": DASD | masks}, 0)
    assert [paths.lost_chpids for paths in paths_on_line(frame, ["0.0.8000", "0.0.8001"])] == lost
