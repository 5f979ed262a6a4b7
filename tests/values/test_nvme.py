"""Paths to NVMe disks are told by their names."""

from __future__ import annotations

import pytest

from zmon.values.nvme import NvmePath, parse_path


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("nvme0c1n2", NvmePath("nvme0n2", "nvme1")),
        ("nvme12c0n345", NvmePath("nvme12n345", "nvme0")),
        ("nvme0n2", None),
        ("nvme0c1n2p1", None),
        ("xnvme0c1n2", None),
        ("nvme0c1", None),
        ("", None),
    ],
)
def test_a_path_names_its_disk_and_its_controller(name: str, path: NvmePath | None) -> None:
    """A disk and a partition name none."""
    assert parse_path(name) == path
