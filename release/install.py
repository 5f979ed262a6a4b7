"""`zmon.pyz install --prefix DIR`: unpacks zmon for good, and `uninstall` removes exactly that again."""

from __future__ import annotations

import argparse
import compileall
import os
import shutil
import sys
import tempfile
import zipfile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

TREE: Final = "tree/"
SHARE: Final = "share/"
SERVICE: Final = "share/zmon/"
"""The unit of the recorder and its user, which are written for the prefix /opt/zmon."""
LIBRARY: Final = "lib/zmon"
PROGRAM: Final = "bin/zmon"
LIST: Final = "installed"
"""The file below `lib/zmon` that names what was written outside of it."""
WRAPPER: Final = """\
#!{python} -sP
import sys

sys.path.insert(0, {library!r})
from zmon.cli.main import run_process

sys.exit(run_process())
"""
"""Neither packages of the user's home nor the current directory can take the place of zmon's own."""


def run(archive: str, words: Sequence[str]) -> int:
    """Carry out `install`; returns the exit status."""
    parser = argparse.ArgumentParser(
        "zmon.pyz install",
        description="Unpack zmon below DIR: bin/zmon, lib/zmon, and in share manual pages, completions and"
        " the unit of the recorder.  It replaces an older version there.  Recordings and settings are never"
        " touched.",
    )
    parser.add_argument("--prefix", metavar="DIR", default="/opt/zmon", help="where to (default /opt/zmon)")
    parser.add_argument("--uninstall", action="store_true", help="remove what was installed there")
    options = parser.parse_args(words)
    prefix = os.path.abspath(options.prefix)
    os.umask(0o022)  # programs are for everybody
    try:
        if options.uninstall:
            remove(prefix)
        else:
            install(archive, prefix)
    except OSError as error:
        sys.stderr.write(f"zmon: {error.filename or prefix}: {error.strerror}\n")
        return 1
    return 0


def install(archive: str, prefix: str) -> None:
    """Unpack, compile and link; what was installed there before is replaced in one step.

    Raises:
        OSError: a directory cannot be written.
    """
    library = os.path.join(prefix, LIBRARY)
    os.makedirs(os.path.dirname(library), exist_ok=True)
    fresh = tempfile.mkdtemp(prefix=".zmon-", dir=os.path.dirname(library))
    try:
        os.chmod(fresh, 0o755)  # noqa: S103 - mkdtemp gives it to its maker alone
        with zipfile.ZipFile(archive) as packed:
            names = [name for name in packed.namelist() if not name.endswith("/")]
            for name in names:
                if name.startswith(TREE):
                    _write(os.path.join(fresh, name.removeprefix(TREE)), packed.read(name))
            others = {name: packed.read(name) for name in names if name.startswith(SHARE)}
        compileall.compile_dir(fresh, quiet=2, workers=0, stripdir=fresh, prependdir=library)
        _write(os.path.join(fresh, LIST), "".join(f"{name}\n" for name in (PROGRAM, *others)).encode())
        if os.path.isdir(library):
            old = _listed(library)
            shutil.rmtree(library)
            for name in old - set(others):
                _unlink(os.path.join(prefix, name))
        os.rename(fresh, library)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    program = os.path.join(prefix, PROGRAM)
    for name, content in others.items():
        was, now = (b"/opt/zmon", prefix) if name.startswith(SERVICE) else (b"/usr/bin/zmon", program)
        _write(os.path.join(prefix, name), content.replace(was, os.fsencode(now)))
    _write(program, WRAPPER.format(python=sys.executable, library=library).encode())
    os.chmod(program, 0o755)  # noqa: S103
    sys.stdout.write(f"{program}\n")


def remove(prefix: str) -> None:
    """Remove what `install` wrote, and the directories that are empty then.

    Raises:
        OSError: nothing is installed there, or it cannot be removed.
    """
    library = os.path.join(prefix, LIBRARY)
    names = _listed(library)
    shutil.rmtree(library)
    for name in names:
        _unlink(os.path.join(prefix, name))
    places = {os.path.dirname(os.path.join(prefix, name)) for name in (*names, LIBRARY)}
    for place in sorted(places, key=len, reverse=True):
        _remove_empty(place, prefix)


def _remove_empty(place: str, prefix: str) -> None:
    """Remove a directory and those above it, up to the prefix, as far as nothing is in them."""
    while place.startswith(prefix) and os.path.isdir(place) and not os.listdir(place):
        os.rmdir(place)
        place = os.path.dirname(place)


def _listed(library: str) -> set[str]:
    with open(os.path.join(library, LIST), encoding="ascii") as file:
        return {line.rstrip("\n") for line in file}


def _unlink(path: str) -> None:
    if os.path.lexists(path):
        os.unlink(path)


def _write(path: str, content: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)
