"""How what texts say joins what kernel files say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.collected.texts import LSBLK, LSDASD, facts_in, text
from zmon.absent import Absent
from zmon.collected.facts import MAX_RIVALS, Facts, joined
from zmon.collected.formats import FORMATS
from zmon.collected.mount_texts import parse_mounts
from zmon.kinds import DEVICE, LAYER
from zmon.sample import empty_frame, frame_of

NOTHING = empty_frame(LAYER, "no text")
DISK = {field.name: "x" for field in LAYER.fields} | {"name": "dasdb", "busid": "0.0.7101"}


def test_a_value_that_only_a_text_has_is_taken_and_its_text_is_named() -> None:
    """The row of the origin names fields, tool and line."""
    frame, origins = joined(LAYER, NOTHING, facts_in(LSDASD, "lsdasd"), 1)
    assert frame.cell("94:4", "busid") == "0.0.7101"
    assert "name sort busid size = lsdasd, all.txt:4" in str(origins["layer 94:4"]["texts"])
    assert isinstance(frame.cell("94:4", "table"), Absent)


def test_a_kernel_file_and_a_text_that_agree_are_one_value_of_the_file() -> None:
    """Nothing is said of the text then."""
    facts = Facts()
    facts.say(LAYER, "94:4", "lsdasd, a:1", name="dasdb", busid="0.0.7101")
    frame, origins = joined(LAYER, frame_of(LAYER, {"94:4": DISK}, 1), facts, 1)
    assert (frame.cell("94:4", "busid"), origins) == ("0.0.7101", {})


def test_sources_that_contradict_each_other_leave_the_value_open_and_are_both_named() -> None:
    """Whether two texts disagree, or a text and a kernel file."""
    facts = Facts()
    facts.say(LAYER, "94:4", "lsdasd, a:1", busid="0.0.7102")
    for kernel in (frame_of(LAYER, {"94:4": DISK}, 1), NOTHING):
        if kernel is NOTHING:
            facts.say(LAYER, "94:4", "udevadm, b:9", busid="0.0.7103")
        cell = joined(LAYER, kernel, facts, 1)[0].cell("94:4", "busid")
        assert isinstance(cell, Absent)
        assert "contradict" in cell.reason
        assert "0.0.7102 by lsdasd, a:1" in cell.reason
        assert ("the kernel's file" in cell.reason) is (kernel is not NOTHING)


def test_a_name_with_two_numbers_is_a_contradiction_and_stands_for_neither() -> None:
    """What was said under the name is dropped; a remark names the numbers."""
    facts = Facts()
    facts.say(LAYER, "94:4", "lsblk, a:1", name="dasdb")
    facts.say(LAYER, "94:8", "lsblk, b:1", name="dasdb")
    facts.say(LAYER, "dasdb", "lsdasd, c:1", busid="0.0.7101")
    facts.by_number(NOTHING)
    assert facts.remarks == ["dasdb has more than one number: 94:4, 94:8"]
    assert all("busid" not in row for row in facts.rows["layer"].values())


def test_what_is_said_of_a_name_joins_the_number_that_another_text_gives() -> None:
    """Names below are replaced, too."""
    facts = facts_in(LSBLK, "lsblk")
    facts.say(LAYER, "db2vg-data", "lvs, a:1", uuid="LVM-x", below="dasdb1 dasdc1")
    facts.by_number(NOTHING)
    frame, _ = joined(LAYER, NOTHING, facts, 1)
    assert frame.cell("253:0", "uuid") == "LVM-x"
    assert frame.cell("253:0", "below") == "94:5 94:9"
    assert frame.cell("94:5", "parent") == "94:4"


@given(st.lists(st.text(max_size=5), max_size=20))
def test_few_rivals_are_kept(values: list[str]) -> None:
    """A hostile text cannot make a cell grow."""
    facts = Facts()
    for value in values:
        facts.say(DEVICE, "0.0.0001", "x", uid=value)
    assert len(facts.rows.get("device", {}).get("0.0.0001", {}).get("uid", ())) <= MAX_RIVALS


@given(st.text(max_size=400), st.data())
def test_any_text_is_read_without_an_error(content: str, data: st.DataObject) -> None:
    """Also lines of real output that were cut or changed."""
    real = data.draw(st.sampled_from([LSBLK, LSDASD]))
    at = data.draw(st.integers(0, len(real)))
    facts = Facts()
    for one in FORMATS:
        one.parse(text(real[:at] + content + real[at + 1 :]), facts)
    facts.by_number(NOTHING)
    parse_mounts(text(content))
    joined(LAYER, NOTHING, facts, 1)
