"""zmon.values.uid: the parts of a unique id."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import absent
from zmon.values.uid import Uid, find_uid, parse_uid

MINIDISK = "IBM.75000000092461.e900.10.00000000000037400000000000000000"


def test_four_parts_name_a_volume() -> None:
    """Vendor, serial, subsystem id and unit address come in this order."""
    assert parse_uid("HRC.ZZ000000000001.7000.02\n") == Uid("HRC", "ZZ000000000001", "7000", "02")


def test_the_fifth_part_is_the_token_of_a_minidisk() -> None:
    """Under z/VM minidisks of one volume differ in a fifth part only."""
    assert parse_uid(MINIDISK).token == "00000000000037400000000000000000"  # noqa: S105 - no password


def test_minidisks_of_one_volume_have_one_volume_key() -> None:
    """The key of the volume leaves the token out."""
    assert parse_uid(MINIDISK).volume == "IBM.75000000092461.e900.10"


def test_the_lcu_is_vendor_serial_and_ssid() -> None:
    """The logical control unit is named by the first three parts."""
    assert parse_uid(MINIDISK).lcu == "IBM.75000000092461.e900"


def test_a_hyperpav_alias_has_no_unit_address() -> None:
    """A HyperPAV alias says xx in place of a unit address."""
    assert parse_uid("IBM.750000000DXP71.1500.xx").ua == "xx"


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "none",
        "IBM.75000000092461.e900",
        "IBM.75000000092461.e90.10",
        "IBM.75000000092461.E900.10",
        "IBM.75000000092461.e900.1",
        "IBM.75000000092461.e900.10.",
        "LONG.75000000092461.e900.10",
        "IBM.750000000924611.e900.10",
        "IBM.75000000092461.e900.10.two words",
    ],
)
def test_another_form_is_refused(wrong: str) -> None:
    """What is shorter or spelled in another way is refused with the text that was found."""
    with pytest.raises(ValueError, match=r"not VENDOR\.SERIAL\.SSID\.UA"):
        parse_uid(wrong)


def test_a_cell_without_a_uid_has_none() -> None:
    """What is absent, no text, or of another form is no unique id; nothing is raised."""
    assert find_uid(absent("no uid")) is None
    assert find_uid("none") is None
    assert find_uid(MINIDISK) == parse_uid(MINIDISK)


HEX = "0123456789abcdef"
PART = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", min_size=1)


@given(
    st.builds(
        Uid,
        vendor=PART.map(lambda s: s[:3]),
        serial=PART.map(lambda s: s[:14]),
        ssid=st.text(HEX, min_size=4, max_size=4),
        ua=st.text(HEX, min_size=2, max_size=2) | st.just("xx"),
        token=st.just("") | st.text(HEX, min_size=32, max_size=32),
    )
)
def test_what_is_written_is_read_again(uid: Uid) -> None:
    """A unique id and its text say the same."""
    assert parse_uid(str(uid)) == uid


@given(st.text() | st.text(HEX + ".IBMx \n", max_size=60))
def test_any_text_is_parsed_or_refused(content: str) -> None:
    """Only ValueError comes out of text that is no unique id."""
    try:
        known = parse_uid(content)
    except ValueError:
        return
    assert str(known) == content.strip()
