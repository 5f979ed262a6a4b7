from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.kernel.multipath_conf import MAX_STATEMENTS, excerpt, parse_multipath_conf

SAMPLE = """\
# a comment with a { brace
defaults {
    rr_min_io 100   ! as the study says
    path_grouping_policy "multibus"
    user_friendly_names no
}
blacklist { devnode "^dasd" }
multipaths {
    multipath { wwid 36005076303ffc1ae0000000000006401
                alias data01 }
    multipath { wwid "36005076303ffc1ae0000000000006402" path_selector "round-robin 0" }
}
devices {
    device { vendor "IBM" product "2107900" rr_min_io_rq 1 }
    device { checker tur }
    device {
        product "S/390 DASD ECKD"
        path_grouping_policy multibus
    }
}
"""
PIECES = [*'{}#!\n\x85"', "defaults", "devices", "device", "rr_min_io", "alias", "100", "a b"]


def statements(text: str) -> list[tuple[str, ...]]:
    """Return the statements as plain tuples."""
    return [tuple(one) for one in parse_multipath_conf(text)]


def test_statements_are_found_with_their_sections() -> None:
    """Devices are numbered if they say anything that is wanted; comments and other keys are not read."""
    lines = SAMPLE.replace("alias data01 }", "alias data01\n}").replace(" path_selector", "\n path_selector")
    lines = lines.replace('{ vendor "IBM" ', '{\nvendor "IBM"\n').replace(" rr_min_io_rq", "\n rr_min_io_rq")
    assert statements(lines) == [
        ("defaults", "rr_min_io", "100"),
        ("defaults", "path_grouping_policy", "multibus"),
        ("defaults", "user_friendly_names", "no"),
        ("multipaths.1", "alias", "yes"),
        ("multipaths.2", "path_selector", "round-robin 0"),
        ("devices.1", "vendor", "IBM"),
        ("devices.1", "product", "2107900"),
        ("devices.1", "rr_min_io_rq", "1"),
        ("devices.2", "product", "S/390 DASD ECKD"),
        ("devices.2", "path_grouping_policy", "multibus"),
    ]


def test_no_name_of_a_disk_is_taken() -> None:
    """Aliases and WWIDs name disks; a recording may be given away."""
    taken = str(parse_multipath_conf(SAMPLE))
    assert "data01" not in taken
    assert "36005076303ffc1ae" not in taken


@pytest.mark.parametrize("text", ["defaults {", "}", "{" * 9, "a" * (2 << 20),
                                  "defaults {\n" + "rr_min_io 1\n" * (MAX_STATEMENTS + 1) + "}"])  # fmt: skip
def test_a_file_that_nobody_writes_is_refused(text: str) -> None:
    """Sections that do not end, and files without end."""
    with pytest.raises(ValueError, match=r"multipath\.conf"):
        parse_multipath_conf(text)


@given(st.text(max_size=300) | st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join))
def test_any_text_is_parsed_or_refused_and_its_excerpt_says_the_same(text: str) -> None:
    """A capture has the excerpt alone, so what is read of it must be what was read of the file."""
    try:
        found = parse_multipath_conf(text)
    except ValueError:
        return
    assert parse_multipath_conf(excerpt(found)) == found


@given(st.lists(st.sampled_from(SAMPLE.splitlines()), max_size=40).map("\n".join))
def test_lines_of_a_real_file_in_any_order_do_no_harm(text: str) -> None:
    """The same, near the form that people write."""
    test_any_text_is_parsed_or_refused_and_its_excerpt_says_the_same.hypothesis.inner_test(text)  # type: ignore[attr-defined]
