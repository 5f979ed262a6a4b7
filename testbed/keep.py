#!/usr/bin/env python3
"""Copy files of /proc and /sys, whose sizes say nothing, as they are now: keep.py TO FROM...

A FROM is a file or a directory; of a directory only regular files are copied, three levels deep, as far as
they can be read.  Links below it are not followed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

DEPTH: Final = 3
LARGEST: Final = 1 << 20


def keep(to: Path, source: Path) -> None:
    """Copy a file or a directory to the same path below `to`."""
    if source.is_file():
        _copy(source, to)
        return
    real = source.resolve()
    for directory, names, files in os.walk(real):
        inner = Path(directory)
        if len(inner.relative_to(real).parts) >= DEPTH:
            names.clear()
        for name in files:
            path = inner / name
            if not path.is_symlink():
                _copy(path, to, source / inner.relative_to(real) / name)


def _copy(path: Path, to: Path, named: Path | None = None) -> None:
    target = to / str(named or path).lstrip("/")
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return
    try:
        content = os.read(file, LARGEST)
        while more := os.read(file, LARGEST):
            content += more
    except OSError:
        return
    finally:
        os.close(file)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)


if __name__ == "__main__":
    for one in sys.argv[2:]:
        keep(Path(sys.argv[1]), Path(one))
