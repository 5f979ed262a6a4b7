"""What to do about a lost path follows from why it is lost; things with one reason are said together."""

from __future__ import annotations

import pytest

from tests.goldens import facts
from zmon.base.absent import Value, absent
from zmon.machine.path_repair import (
    BrokenPath,
    get_back_channel_paths,
    get_back_disk_paths,
    why_unused,
)
from zmon.values.path_masks import Unused

UNREAD = absent("not read")


@pytest.mark.parametrize(
    ("configured", "status", "why"),
    [
        (0, "online", Unused.CONFIGURED_OFF),
        (2, "online", Unused.RESERVED),
        (1, "offline", Unused.VARIED_OFF),
        (1, "online", Unused.ON),
        (UNREAD, "online", Unused.UNKNOWN),
        (1, UNREAD, Unused.UNKNOWN),
    ],
)
def test_why_a_channel_path_is_not_used(configured: Value, status: Value, why: Unused) -> None:
    """That nobody took it off is said only where both were read."""
    assert why_unused(configured, status) is why


def test_channel_paths_with_one_reason_come_back_with_one_command() -> None:
    """Those with another reason have a sentence of their own."""
    lost = [
        ("50", Unused.VARIED_OFF),
        ("51", Unused.VARIED_OFF),
        ("52", Unused.ON),
        ("53", Unused.CONFIGURED_OFF),
    ]
    vary, check, configure = get_back_channel_paths(lost).removesuffix(".").split(". ")
    assert "chchp -v 1 50,51" in vary
    assert facts(check) == "52"
    assert "chchp -c 1 53" in configure
    look = get_back_channel_paths([("50", Unused.UNKNOWN), ("51", Unused.UNKNOWN)])
    assert "lscss and lschp" in look
    assert facts(look) == "50-51"


def test_adapters_that_are_offline_are_set_online_before_others_are_looked_at() -> None:
    """A path behind an adapter that works is lost for another reason."""
    offline = [BrokenPath(f"sd{at}", f"0.0.fc6{at}", "offline", "0x1", adapter_offline=True) for at in (0, 1)]
    other = BrokenPath("sdz", "0.0.fc70", "failed", "0x1", adapter_offline=False)
    online, look = get_back_disk_paths([*offline, other]).split(". See ")
    assert "chccwdev -e 0.0.fc60,0.0.fc61" in online
    assert look.startswith("multipath -ll and lszfcp -D;")
    assert facts(look) == "0.0.fc70"
    assert not get_back_disk_paths([])
