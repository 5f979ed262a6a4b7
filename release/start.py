"""Starts zmon from its one file, `zmon.pyz`.

Python reads a package slowly out of a ZIP file, so the first start unpacks zmon into the user's cache,
`$XDG_CACHE_HOME/zmon` or `~/.cache/zmon`, or, where that cannot be written or another user may have written,
into a directory that is removed at the end.  `zmon.pyz install --prefix DIR` unpacks it for good.

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
WRITERS = stat.S_IWGRP | stat.S_IWOTH


class CacheError(Exception):
    """A cache that is not used; says why."""


def main():
    """Run zmon, with another Python if this one is too old; returns the exit status."""
    if sys.version_info < OLDEST:
        return with_newer_python()
    if sys.argv[1:2] == ["install"]:
        import install  # in the archive

        return install.run(ARCHIVE, sys.argv[2:])
    try:
        directory = cached()
    except (CacheError, OSError) as error:
        sys.stderr.write("zmon: no cache is used, so that each start unpacks zmon anew: %s\n" % error)
    else:
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
    """Return the directory of zmon in the cache, made at the first start.

    The levels are looked at from the root downwards.  What none but root and this user can write stays as it
    was seen, so that the next level is the one that was meant; below the user's home no link is followed.
    Raises CacheError or OSError if it is not used.
    """
    named = os.environ.get("XDG_CACHE_HOME")
    base, below = (named, []) if named else (os.path.expanduser("~"), [".cache"])
    if not os.path.isabs(base):
        raise CacheError("%s is not an absolute path" % base)
    place = "/"
    check(place, shared=True)
    for name in os.path.realpath(base).split("/")[1:] + below:
        place = os.path.join(place, name)
        make(place)
        check(place, shared=True)
    place = os.path.join(place, "zmon")
    make(place)
    check(place)
    found = os.path.join(place, identity())
    if not os.path.lexists(found):
        import shutil
        import tempfile

        fresh = tempfile.mkdtemp(dir=place)
        try:
            unpack(fresh)
            os.rename(fresh, found)
        except OSError:  # another start was quicker, or there is no room
            shutil.rmtree(fresh, ignore_errors=True)
            if not os.path.lexists(found):
                raise
    check(found)
    for directory, directories, files in os.walk(found):  # others may have written before it was private
        for path in (os.path.join(directory, name) for name in directories + files):
            state = os.lstat(path)
            if state.st_uid != os.geteuid() or stat.S_ISLNK(state.st_mode):
                raise CacheError("%s is a link or belongs to another user; remove %s" % (path, found))
    return found


def make(path):
    """Make a directory for this user alone, unless there is something of its name."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass
    except OSError:
        if not os.path.isdir(path):  # a directory on a file system that is only read will do
            raise


def check(path, shared=False):
    """Raise CacheError unless a path is a directory that this user alone can write.

    One that is shared may also be root's, or one like /tmp, where everybody can remove only what is his own.
    """
    state = os.lstat(path)
    if not stat.S_ISDIR(state.st_mode):
        raise CacheError("%s is not a directory itself" % path)
    if state.st_uid != os.geteuid() and not (shared and state.st_uid == 0):
        raise CacheError("%s belongs to another user" % path)
    if state.st_mode & WRITERS and not (shared and state.st_mode & stat.S_ISVTX):
        raise CacheError("others can write into %s" % path)


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
