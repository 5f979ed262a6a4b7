"""What cryptsetup says of encrypted devices."""

from __future__ import annotations

import pytest

from tests.collected.texts import facts_in, row
from zmon.kinds import LAYER

STATUS = """\
/dev/mapper/cr_data is active and is in use.
  type:    LUKS2
  cipher:  aes-xts-plain64
  keysize: 512 [bits]
  key location: keyring
  device:  /dev/dasdq1
  sector size:  4096 [bytes]
  offset:  32768 [512-byte units] (16777216 [bytes])
  size:    4771840 [512-byte units] (2443182080 [bytes])
  mode:    read/write
  flags:   discards
"""
OLD = """\
/dev/mapper/cr_data is active and is in use.
  type:    LUKS1
  cipher:  aes-xts-plain64
  keysize: 512 bits
  key location: dm-crypt
  device:  /dev/dasdq1
  sector size:  512
  offset:  32768 sectors
  size:    4771840 sectors
  mode:    read/write
"""


@pytest.mark.parametrize("content", [STATUS, OLD])
def test_an_encrypted_device_lies_on_the_bytes_of_the_device_below(content: str) -> None:
    """All versions count in units of 512 bytes."""
    told = row(facts_in(content, "cryptsetup status cr_data"), "layer", "cr_data")
    assert (told["below"], told["size"], told["uuid"]) == ("dasdq1", 4771840, "CRYPT-")
    assert told["table"] == "0 4771840 crypt aes-xts-plain64 - 0 94:65 32768"


def test_bytes_are_not_known_where_the_number_does_not_follow_from_the_name() -> None:
    """The device below is known all the same."""
    told = row(facts_in(STATUS.replace("dasdq1", "mapper/wh-load")), "layer", "cr_data")
    assert (told["below"], "table" in told) == ("wh-load", False)


@pytest.mark.parametrize("change", [[], ["?! xyz"]])
def test_lines_below_one_that_is_missing_are_of_no_other_device(change: list[str]) -> None:
    """Two outputs may follow each other."""
    rows = (STATUS + STATUS.replace("cr_data", "cr_log").replace("dasdq1", "dasdp1")).splitlines()
    for at in range(len(rows)):
        facts = facts_in("\n".join([*rows[:at], *change, *rows[at + 1 :], ""]), "cryptsetup status cr_data")
        for name, below in (("cr_data", "dasdq1"), ("cr_log", "dasdp1")):
            if name in facts.keys(LAYER):
                assert row(facts, "layer", name).get("below", below) == below


def test_a_device_that_is_not_active_has_none_below() -> None:
    """Cryptsetup says so in one line."""
    assert not facts_in("/dev/mapper/cr_data is inactive.\n", "cryptsetup status cr_data").rows
