"""`zmon.pyz`: one file that any Python from 3.11 on runs, without a network, a compiler or root."""

from __future__ import annotations

import hashlib
import os
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

BEGIN: Final = (
    b"#!/usr/bin/env python3\n"
    b"'zmon.pyz is not whole: copy it again, and compare it with SHA256SUMS (sha256sum -c SHA256SUMS)\n"
)
"""What stands before the ZIP file.  One that was cut off is a program to Python, which shows the line of its
first mistake: a quote that does not end."""
HERE: Final = Path(__file__).parent
SERVICE: Final = {
    "zmon/zmon-record.service": "release/zmon-record.service",
    "zmon/zmon.sysusers": "release/zmon.sysusers",
    "doc/zmon/record.md": "docs/record.md",
}
"""What the recorder as a service takes, by its place below `share`."""


def write(target: Path, tree: Path, share: Path, version: str, seconds: int) -> None:
    """Write the file from the tree of packages and the files below `share`.

    The same input gives the same bytes.

    Args:
        target: the file.
        tree: what `tree.fill` made.
        share: manual pages and completions, as they lie below a prefix.
        version: of zmon; with the digest of the tree it names the directory in the cache.
        seconds: since 1970: the time of each file.
    """
    members = {
        "__main__.py": (HERE / "start.py").read_bytes(),
        "install.py": (HERE / "install.py").read_bytes(),
        **{f"tree/{name}": content for name, content in _files(tree)},
        **{f"share/{name}": content for name, content in _files(share)},
        **{f"share/{name}": (HERE.parent / file).read_bytes() for name, file in SERVICE.items()},
    }
    digest = hashlib.sha256()
    for name, content in members.items():
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    members["identity"] = f"{version}-{digest.hexdigest()[:16]}".encode()
    stamp = time.gmtime(max(seconds, 315_532_800))[:6]  # a ZIP file knows no year before 1980
    with target.open("wb") as file:
        file.write(BEGIN)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, content in members.items():
                info = zipfile.ZipInfo(name, stamp)
                info.external_attr = 0o100644 << 16
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, content)
    target.chmod(0o755)


def _files(directory: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a directory, sorted, by their names in it."""
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(directory)).replace(os.sep, "/"), path.read_bytes()
