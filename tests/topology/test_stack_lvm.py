from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.topology.stack import INNER, inner, volume_name

_NAMES = st.from_regex(r"[a-z0-9_.+][a-z0-9_.+-]{0,8}", fullmatch=True)


@given(_NAMES, _NAMES)
def test_a_doubled_hyphen_is_one_of_the_name(group: str, volume: str) -> None:
    """Any two names come back as people gave them."""
    mapped = f"{group.replace('-', '--')}-{volume.replace('-', '--')}"
    assert volume_name(mapped) == f"{group}/{volume}"


@pytest.mark.parametrize("name", ["", "x", "mpatha", "a--b", "-x", "x-", "--", "---"])
def test_what_has_no_two_names_is_no_volume(name: str) -> None:
    """Without a single hyphen between two names it is not a name of the volume manager."""
    assert volume_name(name) is None


@pytest.mark.parametrize(
    ("mapped", "end"),
    [
        ("vg-lv_rimage_0", "rimage"),
        ("vg-lv_rmeta_12", "rmeta"),
        ("vg-lv_mimage_1", "mimage"),
        ("vg-pool_tdata", "tdata"),
        ("vg-pool-tpool", "tpool"),
        ("vg-lv-real", "real"),
        ("vg-snap-cow", "cow"),
        ("vg-lv_corig", "corig"),
    ],
)
def test_inner_devices_are_recognized(mapped: str, end: str) -> None:
    """What the manager keeps within a volume is told by the end of the name."""
    assert inner(mapped) == INNER[end]


@pytest.mark.parametrize("mapped", ["vg-lv", "vg-a--real", "vg-rimage", "vg-data_rimage", "tpool"])
def test_a_volume_of_people_has_no_purpose(mapped: str) -> None:
    """A name that only looks like one of the manager's is a person's."""
    assert not inner(mapped)


@given(st.text(max_size=40))
def test_any_text_is_answered(mapped: str) -> None:
    """No name makes it fail."""
    volume_name(mapped)
    inner(mapped)
