"""LVM's own devices are known by their names where tables have only numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.collected.mapper_legs import legs_in

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

RAID: Final = {
    "vg-data_rmeta_0": "0 8192 linear 94:5 2048", "vg-data_rimage_0": "0 5242880 linear 94:5 10240",
    "vg-data_rmeta_1": "0 8192 linear 94:9 2048", "vg-data_rimage_1": "0 5242880 linear 94:9 10240",
    "vg-data": "0 5242880 raid raid1 3 0 region_size 4096 2 253:0 253:1 253:2 253:3",
}  # fmt: skip
MIRROR: Final = {
    "vg-m_mlog": "0 8192 linear 94:5 1",
    "vg-m_mimage_0": "0 10 linear 94:5 2",
    "vg-m_mimage_1": "0 10 linear 94:9 2",
    "vg-m": "0 10 mirror disk 2 253:0 1024 2 253:1 0 253:2 0 1 handle_errors",
}
THIN: Final = {
    "vg-p_tmeta": "0 8 linear 94:5 1",
    "vg-p_tdata_corig": "0 9 linear 94:9 1",
    "vg-c_cdata": "0 8 linear 253:7 8",
    "vg-c_cmeta": "0 8 linear 253:7 0",
    "vg-c": "0 16 linear 94:5 16",
    "vg-p_tdata": "0 9 cache 253:3 253:2 253:1 128 2 metadata2 writethrough smq 0",
    "vg-p-tpool": "0 9 thin-pool 253:0 253:4 128 0 0",
    "vg-p": "0 9 linear 253:5 0",
    "vg-q-tpool": "0 9 thin-pool 253:8 253:9 128 0 0",
    "vg-t": "0 9 thin 253:5 1",
}
SNAPSHOT: Final = {
    "vg-o-real": "0 9 linear 94:5 1",
    "vg-s-cow": "0 9 linear 94:9 1",
    "vg-o": "0 9 snapshot-origin 253:0",
    "vg-s": "0 9 snapshot 253:0 253:1 P 8",
}


@pytest.mark.parametrize(("tables", "names"), [
    (RAID, {"253:0": "vg-data_rmeta_0", "253:1": "vg-data_rimage_0", "253:2": "vg-data_rmeta_1",
            "253:3": "vg-data_rimage_1"}),
    (MIRROR, {"253:0": "vg-m_mlog", "253:1": "vg-m_mimage_0", "253:2": "vg-m_mimage_1"}),
    (THIN, {"253:0": "vg-p_tmeta", "253:4": "vg-p_tdata", "253:1": "vg-p_tdata_corig", "253:2": "vg-c_cdata",
            "253:3": "vg-c_cmeta", "253:5": "vg-p-tpool", "253:7": "vg-c"}),
    (SNAPSHOT, {"253:0": "vg-o-real", "253:1": "vg-s-cow"}),
])  # fmt: skip
def test_a_number_in_a_table_is_the_device_that_lvm_calls_so(
    tables: dict[str, str], names: dict[str, str]
) -> None:
    """Images and logs, data and metadata of pools and caches, origins and stores of snapshots."""
    assert legs_in({title: [row] for title, row in tables.items()}) == names


def test_a_number_that_several_devices_may_have_has_no_name() -> None:
    """Two pools of a group, and nothing that says which of them a thin volume is in."""
    tables = {"vg-p-tpool": ["0 9 x"], "vg-q-tpool": ["0 9 x"], "vg-t": ["0 9 thin 253:5 1"]}
    assert legs_in(tables) == {}
    tables["vg-u"] = ["0 9 thin 253:6 1"]
    del tables["vg-q-tpool"]
    assert legs_in(tables) == {}


def test_the_disks_of_a_mirror_follow_from_its_tables_alone(where: Ask) -> None:
    """And what was read is not called not collected."""
    text = "".join(f"{title}: {row}\n" for title, row in RAID.items())
    found = where("vg/data", f"box1:~ # dmsetup table\n{text}")
    assert [disk["disk"] for disk in found["disks"]] == ["dasdb", "dasdc"]
    assert "not collected: dmsetup table" not in str(found)


@given(
    st.dictionaries(
        st.sampled_from(["vg-a", "vg-a_rimage_0", "vg-a_cdata", "vg-p-tpool", "vg-s"]),
        st.builds(
            lambda target, words: [f"0 8 {target} {' '.join(words)}".rstrip()],
            st.sampled_from(["linear", "raid", "mirror", "thin", "cache", "snapshot", "striped"]),
            st.lists(st.sampled_from(["raid1", "1", "2", "99", "253:1", "253:9", "disk", "x"]), max_size=6),
        ),
    )
)
def test_a_table_of_any_words_names_devices_of_tables_or_none(tables: dict[str, list[str]]) -> None:
    """One that is cut, or tells another number of parts, is no mistake."""
    assert set(legs_in(tables).values()) <= set(tables)
