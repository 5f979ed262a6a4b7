"""What cryptsetup and dmsetup say of encrypted devices."""

from __future__ import annotations

from typing import Final

import pytest

from tests.collected.texts import facts_in, row, text
from zmon.collected.collection import facts_of
from zmon.collected.transcript import outputs
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


OF_KEYRING: Final = "aes-xts-plain64 :64:logon:cryptsetup:9f-d0 0 {} 32768 1 allow_discards"


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("dmsetup table", "cr: 0 4771840 crypt {}\n"),
        ("dmsetup table --target crypt", "cr: 0 4771840 crypt {}\n"),
        ("dmsetup table cr", "0 4771840 crypt {}\n"),
        ("dmsetup table --target crypt /dev/mapper/cr", "0 4771840 crypt {}\n"),
        ("", "cr: 0 4771840 crypt {}\n"),
    ],
)  # fmt: skip
def test_a_table_names_the_device_below_by_its_number(command: str, printed: str) -> None:
    """Whatever key and cipher it has, and whichever options stand before the name."""
    ciphers = (
        OF_KEYRING,
        "paes-xts-plain64 :128:user:x 0 {} 0 1 sector_size:4096",
        "cipher_null-ecb - 0 {} 0",
    )
    for cipher in ciphers:
        table = printed.format(cipher.format("94:61"))
        facts, reads = facts_of([text(table, command)] if command else [*outputs("a.txt", table.encode(), 7)])
        assert [read.strange for read in reads] == [()]
        assert facts.value(LAYER, "cr", "below") == "94:61"


@pytest.mark.parametrize(
    ("device", "key"),
    [("cr", "cr"), ("/dev/mapper/cr", "cr"), ("/dev/dm-3", "dm-3"), ("/dev/v-g/cr", "v--g-cr")],
)
def test_a_device_may_be_asked_for_by_any_of_its_names(device: str, key: str) -> None:
    """That of the kernel is none of /dev/mapper."""
    for printed, command in (
        ("1 dependencies\t: (94, 61)\n", "deps -o devno"),
        ("0 8 crypt a - 0 94:61 0\n", "table"),
    ):
        facts = facts_in(printed, f"dmsetup {command} {device}")
        assert facts.value(LAYER, key, "below") == "94:61"
        assert (facts.value(LAYER, key, "mapped") == key) == (key != "dm-3")


def test_a_table_of_some_targets_may_lack_lines() -> None:
    """A logical volume may have a linear part and a striped one."""
    facts = facts_in("vg-lv: 0 800 linear 94:61 2048\n", "dmsetup table --target linear")
    assert facts.value(LAYER, "vg-lv", "below") == "94:61 ?vg-lv"
