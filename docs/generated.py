"""Make everything anew that programs write, in the order in which it is read, and list what has changed.

make generated
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PARTS: Final = ("recordings", "pictures", "pages", "goldens")
"""What `make` makes one after another: pictures show recordings, pages and goldens show both."""


def sums() -> dict[str, str]:
    """Return the sum of each file that git knows or would take, whether it was edited or not."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607 - git of this machine
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = {}
    for name in sorted(set(listed.stdout.split("\0")) - {""}):
        path = os.path.join(ROOT, name)
        if os.path.isfile(path):
            with open(path, "rb") as stream:
                found[name] = hashlib.file_digest(stream, "sha256").hexdigest()
    return found


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return a line for each file that is new, gone or another one."""
    return [
        f"{'new' if name not in before else 'gone' if name not in after else 'changed':8}{name}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]


def main() -> int:
    """Make all parts, up to the first that fails; list what has changed, in both cases."""
    before, begin, status = sums(), time.monotonic(), 0
    for number, part in enumerate(PARTS, 1):
        sys.stderr.write(f"== {number} of {len(PARTS)}, after {time.monotonic() - begin:.0f} s: {part}\n")
        status = subprocess.run(["make", part], cwd=ROOT, check=False).returncode  # noqa: S603, S607
        if status:
            sys.stderr.write(f"== make {part} failed\n")
            break
    sys.stderr.write(f"== after {time.monotonic() - begin:.0f} s\n")
    sys.stdout.write("\n".join(changes(before, sums()) or ["nothing changed"]) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
