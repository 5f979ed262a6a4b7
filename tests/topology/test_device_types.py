"""zmon.topology.volumes: names of types."""

from __future__ import annotations

import pytest

from zmon.base.absent import absent
from zmon.topology.volumes import channel_type, device_type


@pytest.mark.parametrize(
    ("code", "acronym"),
    [
        (0x1B, "FICON"),
        (0x05, "ESCON"),
        (0x11, "OSD"),
        (0x24, "IQD"),
        (0x25, "FCP"),
        (0x1F, "EIO"),
        (0x32, "KVM"),
    ],
)
def test_a_known_code_has_its_name(code: int, acronym: str) -> None:
    """Channel paths are called as the Toolkit calls them, else by their acronym."""
    assert channel_type(code) == acronym


def test_an_unknown_code_is_shown_in_hex() -> None:
    """Nothing is invented for a code that is not in the table."""
    assert channel_type(0x09 + 0x60) == "69"


def test_type_and_model_are_joined_by_a_hyphen() -> None:
    """A disk goes by the model that z/VM shows for its code, another device by the code without its zero."""
    assert device_type("3390/0c", "3990/e9") == "3390-9"
    assert device_type("3390/0a", "3990/e9") == "3390-3"
    assert device_type("9336/10", "6310/80") == "9336-10"
    assert device_type("3390/0c", "3990/e9", 262668) == "3390-A"
    assert device_type("3390/0e", "3990/e9") == "3390-E"


def test_a_device_without_type_goes_by_its_control_unit() -> None:
    """Virtio devices and adapters have only the type of the control unit."""
    assert device_type(absent("no type"), "3832/02") == "3832-2"


def test_without_any_type_the_reason_stays() -> None:
    """With neither type the reason for the missing control unit is handed on."""
    gone = absent("gone")
    assert device_type(absent("no type"), gone) is gone
