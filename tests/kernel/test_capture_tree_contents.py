"""What a capture holds is sorted by pass, by the paths alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.kernel.capture_tree import (
    LEADS_OUT,
    MAX_DEPTH,
    MAX_PATH,
    TOO_DEEP,
    TOPS,
    CaptureContents,
    CapturedFile,
    CapturedFolder,
)

STAT = CapturedFile(b"cpu 1\n", 7)


def found(*names: str) -> CaptureContents:
    """Return what was found when the same file lies at each of these paths."""
    kept = CaptureContents()
    for name in names:
        kept.put(name, STAT)
    return kept


@pytest.mark.parametrize("top", TOPS)
def test_a_pass_is_what_lies_above_a_top_directory(top: str) -> None:
    """Its name is the last part of that."""
    assert found(f"box/1-idle/{top}/stat").nodes == {"1-idle": {f"{top}/stat": STAT}}


def test_roots_of_the_same_name_are_one_pass() -> None:
    """Some archivers cut the beginning of long paths."""
    assert found("box/2-load/proc/stat", "./2-load/sys/long").nodes == {
        "2-load": {"proc/stat": STAT, "sys/long": STAT}
    }


def test_only_the_first_top_directory_of_a_path_counts() -> None:
    """`run` and `dev` further down belong to the pass."""
    assert found("2-load/sys/block/run/dev").nodes == {"2-load": {"sys/block/run/dev": STAT}}


def test_a_bare_root_is_a_pass_without_a_name() -> None:
    """`tar -C / -c proc sys` makes such an archive."""
    assert found("./proc/stat").nodes == {"": {"proc/stat": STAT}}


def test_the_notes_of_a_pass_lie_at_its_root() -> None:
    """A bare root has some too."""
    assert found("box/1-idle/CAPTURE.txt", "CAPTURE.txt").notes == {"1-idle": STAT, "": STAT}


def test_answers_beside_the_passes_are_those_of_ioctls() -> None:
    """Block device and call are in the name; other files there are for people."""
    assert found("box/extra/dasdd.BIODASDINFO2.bin", "box/extra/fio.txt").extras == {
        "ioctl/dasdd/BIODASDINFO2.bin": STAT
    }


def test_a_directory_is_neither_notes_nor_an_answer() -> None:
    """Only a file can be."""
    kept = CaptureContents()
    kept.put("1-idle/CAPTURE.txt", CapturedFolder(7))
    assert kept.notes == {}


def test_what_is_no_part_of_a_capture_is_passed_over_in_silence() -> None:
    """A report beside the passes is no fault."""
    kept = found("box/REPORT.txt")
    assert (kept.nodes, kept.remarks()) == ({}, [])


@pytest.mark.parametrize("name", ["1/proc/" + "d/" * MAX_DEPTH + "version", "1/proc/" + "d" * MAX_PATH])
def test_a_path_that_no_kernel_file_has_is_left_out(name: str) -> None:
    """It would make as many directories as it has parts."""
    kept = found(name)
    assert kept.nodes == {}
    assert kept.left_out == {TOO_DEEP: 1}


@pytest.mark.parametrize(
    "name", ["/1/proc/version", "1/../proc/version", "1/proc/../../proc/version", "../1/proc/version"]
)
def test_a_path_that_leads_out_is_left_out(name: str) -> None:
    """Nothing is read outside of the capture."""
    kept = found(name)
    assert kept.nodes == {}
    assert kept.left_out == {LEADS_OUT: 1}


def test_what_was_left_out_is_told_by_kind() -> None:
    """How many, and the first for an example."""
    (remark,) = found("/a", "/b", "1/proc/stat").remarks()
    assert " 2 " in remark
    assert remark.endswith(" /a.")


def test_what_was_put_is_got_by_its_path() -> None:
    """A hard link in an archive names another member so."""
    kept = found("box/1-idle/proc/stat")
    assert kept.get("./box/1-idle//proc/stat") is STAT
    assert kept.get("box/1-idle/proc/other") is None
    assert kept.get("/etc/passwd") is None


def test_what_is_added_replaces_nothing() -> None:
    """What the capture holds itself is better."""
    kept = found("1/proc/stat")
    other = CapturedFile(b"", 0)
    kept.add("1", {"proc/stat": other, "proc/more": other})
    assert kept.nodes["1"] == {"proc/stat": STAT, "proc/more": other}


PART = st.sampled_from(["..", ".", "", "1", "a", "extra", "CAPTURE.txt", *TOPS]) | st.text(max_size=5)


@given(st.lists(PART, max_size=8).map("/".join))
def test_whatever_a_path_is_it_stays_below_a_top_directory(name: str) -> None:
    """A pass has plain paths only, and what was put can be got."""
    kept = found(name)
    for nodes in kept.nodes.values():
        ((path, node),) = nodes.items()
        assert path.split("/")[0] in TOPS
        assert not {"..", ".", ""}.intersection(path.split("/"))
        assert kept.get(name) is node
