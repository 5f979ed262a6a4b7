"""Starts zmon from its one file, `zmon.pyz`.

Python reads a package slowly out of a ZIP file, so the first start unpacks zmon into the user's cache,
`$XDG_CACHE_HOME/zmon` or `~/.cache/zmon`, or, where that cannot be written, into a directory that is removed
at the end.  `zmon.pyz install --prefix DIR` unpacks it for good.

Everything up to `main` runs on any Python 3, so that an old one can say what is missing.
"""

import os
import stat
import sys
import zipfile

OLDEST = (3, 11)
NEWEST = (3, 14)
"""The Python versions that zmon is tested with."""
ARCHIVE = os.path.dirname(os.path.abspath(__file__))
"""The file itself: this module lies at its top."""
TREE = "tree/"
"""Where zmon lies in the archive."""


def main():
    """Run zmon, with another Python if this one is too old; returns the exit status."""
    if sys.version_info < OLDEST:
        return with_newer_python()
    if sys.argv[1:2] == ["install"]:
        import install  # in the archive

        return install.run(ARCHIVE, sys.argv[2:])
    directory = cached()
    if directory is not None:
        return run(directory)
    import tempfile

    with tempfile.TemporaryDirectory(prefix="zmon-") as directory:
        unpack(directory)
        return run(directory)


def with_newer_python():
    """Start the newest Python that is in PATH; returns 1 with a message if there is none."""
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        name = "python3.%d" % minor
        for place in os.environ.get("PATH", "/usr/bin").split(os.pathsep):
            program = os.path.join(place, name)
            if os.access(program, os.X_OK):
                os.execv(program, [program, *sys.argv])  # noqa: S606 - the same words to another Python
    sys.stderr.write(
        "zmon: Python 3.11 or newer is needed, this is %d.%d, and PATH has none. RHEL 8 and 9: dnf install "
        "python3.12; SLES 15: zypper install python311\n" % sys.version_info[:2]
    )
    return 1


def identity():
    """Return the version with the digest of the tree, which names its directory in the cache."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        return archive.read("identity").decode("ascii")


def cached():
    """Return the directory of zmon in the cache, made at the first start; None if it cannot be made."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    place = os.path.join(cache, "zmon")
    found = os.path.join(place, identity())
    if not os.path.isabs(place):
        return None
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        state = os.stat(place)
        if state.st_uid != os.geteuid() or stat.S_IMODE(state.st_mode) & 0o022:
            return None  # somebody else could put a program there
        if not os.path.isdir(found):
            import shutil
            import tempfile

            fresh = tempfile.mkdtemp(dir=place)
            try:
                unpack(fresh)
                os.rename(fresh, found)
            except OSError:  # another start was quicker, or there is no room
                shutil.rmtree(fresh, ignore_errors=True)
                if not os.path.isdir(found):
                    return None
    except OSError:
        return None
    return found


def unpack(directory):
    """Unpack zmon into a directory."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        for name in archive.namelist():
            if name.startswith(TREE) and not name.endswith("/"):
                target = os.path.join(directory, name[len(TREE) :])
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, "wb") as file:
                    file.write(archive.read(name))


def run(directory):
    """Run zmon from a directory; returns its exit status."""
    sys.path[:] = [directory] + [place for place in sys.path if place != ARCHIVE]
    from zmon.cli.main import run_process

    return run_process()


if __name__ == "__main__":
    sys.exit(main())
