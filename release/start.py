"""Starts zmon from its one file, `zmon.pyz`.

Python reads a package slowly out of a ZIP file, so the first start unpacks zmon into the user's cache,
`$XDG_CACHE_HOME/zmon` or `~/.cache/zmon`, or, where that cannot be written or another user may have written,
into a directory that is removed at the end.  `zmon.pyz install --prefix DIR` unpacks it for good.

Each directory on the way is opened in the one above it, where no link is followed, and looked at as it is
open: what none but root and this user can write stays what it was.  What lies in the cache is run only if its
directory has not been changed since zmon filled it, and so was never open to others in between.

Everything up to `main` runs on any Python 3, so that an old one can say what is missing.
"""

import contextlib
import errno
import os
import stat
import sys
import zipfile

OLDEST = (3, 11)
NEWEST = (3, 14)
"""The Python versions that zmon is tested with."""
ARCHIVE = os.path.dirname(os.path.abspath(__file__))
"""The file itself: this module lies at its top."""
TREE = "tree"
"""Where zmon lies in the archive, and in the directory that it is unpacked into."""
SEAL = "seal"
"""The file beside it that says when its directory was changed last."""
WRITERS = stat.S_IWGRP | stat.S_IWOTH
LEVEL = getattr(os, "O_PATH", 0) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""How a directory is opened: no link in its place, and also where it may be passed but not listed."""
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - they are looked at before
"""Where zmon is unpacked for one run, if not in TMPDIR."""


class CacheError(Exception):
    """A directory that is not used; says why."""


class DamagedError(Exception):
    """The archive does not give what was put into it."""


def main():
    """Run zmon, with another Python if this one is too old; returns the exit status."""
    if sys.version_info < OLDEST:
        return with_newer_python()
    if sys.argv[1:2] == ["install"]:
        import install  # in the archive

        return install.run(ARCHIVE, sys.argv[2:])
    mask = os.umask(0o077)
    try:
        directory, is_kept = prepared()
    except (CacheError, DamagedError) as error:
        say(error)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        os.umask(mask)
    try:
        return run(directory)
    finally:
        if not is_kept:
            remove(directory)


def prepared():
    """Return the directory that zmon is unpacked into, and whether it is kept for another start."""
    try:
        return cached(), True
    except CacheError as error:
        directory = for_this_run(error)
        say("no cache is used, so that each start unpacks zmon anew: %s" % error)
        return directory, False


def say(text):
    """Write a message."""
    sys.stderr.write("zmon: %s\n" % text)


def with_newer_python():
    """Start the newest Python that is in PATH; returns 1 with a message if there is none."""
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        name = "python3.%d" % minor
        for place in os.environ.get("PATH", "/usr/bin").split(os.pathsep):
            program = os.path.join(place, name)
            if os.access(program, os.X_OK) and runs(program):
                os.execv(program, [program, *sys.argv])  # noqa: S606 - the same words to another Python
    sys.stderr.write(
        "zmon: Python 3.11 or newer is needed, this is %d.%d, and PATH has none. RHEL 8 and 9: dnf install "
        "python3.12; SLES 15: zypper install python311; Ubuntu 22.04: "
        "apt install python3.11\n" % sys.version_info[:2]
    )
    return 1


def runs(program):
    """Return whether a Python can be started: stand-ins of version managers may be in PATH and start none."""
    import subprocess

    with open(os.devnull, "r+") as nowhere:
        try:
            return subprocess.call([program, "-c", ""], stdout=nowhere, stderr=nowhere) == 0
        except OSError:
            return False


@contextlib.contextmanager
def opened_archive():
    """Open the archive; whatever goes wrong with it is a DamagedError."""
    try:
        with zipfile.ZipFile(ARCHIVE) as archive:
            yield archive
    except CacheError:
        raise
    except Exception as error:  # noqa: BLE001 - of zipfile, of the system, of zlib, which need not be there
        raise DamagedError(
            "%s cannot be read (%s): copy it again, and compare it with SHA256SUMS" % (ARCHIVE, error)
        ) from None


@contextlib.contextmanager
def told(path):
    """Let what the system does not do with a path be a CacheError."""
    try:
        yield
    except OSError as error:
        is_other = error.errno in (errno.ENOTDIR, errno.ELOOP)
        raise CacheError(
            "%s: %s" % (path, "is not a directory itself" if is_other else error.strerror)
        ) from None


def cached():
    """Return the directory of zmon in the cache, made at the first start; a CacheError says why not."""
    named = os.environ.get("XDG_CACHE_HOME")
    base = named or os.path.expanduser("~")
    if not os.path.isabs(base):
        raise CacheError("%s is not an absolute path" % base)
    place = os.path.join(os.path.realpath(base), "zmon" if named else ".cache/zmon")
    with opened_archive() as archive:
        found = os.path.join(place, archive.read("identity").decode("ascii"))
    held = walked(place, is_own=True)
    try:
        if not is_whole(held, found):
            if sys.stderr.isatty():
                say("unpacks itself into %s; only this first start takes so long" % place)
            fresh = unpacked(held, place)
            try:
                settle(held, fresh, found)
            finally:
                remove(fresh)
    finally:
        os.close(held)
    return found


def for_this_run(why):
    """Return a directory of zmon for this run alone; a CacheError says why there is none, nor a cache."""
    reasons = [str(why)]
    for base in dict.fromkeys((os.environ.get("TMPDIR") or TEMPORARY[0], *TEMPORARY)):
        try:
            place = os.path.realpath(base)
            held = walked(place, is_own=False)
            try:
                return unpacked(held, place)
            finally:
                os.close(held)
        except CacheError as error:
            reasons.append(str(error))
    raise CacheError(
        "there is no place to unpack zmon in, which takes 30 MB; TMPDIR or XDG_CACHE_HOME may name one: "
        + "; ".join(dict.fromkeys(reasons))
    )


def walked(place, is_own):
    """Return a descriptor of a directory, to which each level was seen from the root on.

    One of their `own` is made where it is missing, and is to be this user's alone.
    """
    path = "/"
    held = os.open(path, LEVEL)
    try:
        see(held, path)
        for name in place.split("/")[1:]:
            path = os.path.join(path, name)
            with told(path):
                inner = level(held, name, is_own)
            os.close(held)
            held = inner
            see(held, path, is_own and path == place)
    except BaseException:
        os.close(held)
        raise
    return held


def level(held, name, is_made):
    """Return a descriptor of a directory in another, made for this user alone if it is missing."""
    try:
        return os.open(name, LEVEL, dir_fd=held)
    except FileNotFoundError:
        if not is_made:
            raise
    with contextlib.suppress(FileExistsError):  # another start was quicker
        os.mkdir(name, 0o700, dir_fd=held)
    return os.open(name, LEVEL, dir_fd=held)


def see(held, path, is_own=False):
    """Raise a CacheError unless this user alone can write into a directory.

    One that is not to be its `own` may also be root's, or of whom / belongs to, or one like /tmp, where
    everybody can remove only what is his own.
    """
    state = os.fstat(held)
    if state.st_uid != os.geteuid() and (is_own or state.st_uid not in (0, os.stat("/").st_uid)):
        raise CacheError("%s belongs to another user" % path)
    if state.st_mode & WRITERS and (is_own or not state.st_mode & stat.S_ISVTX):
        raise CacheError("others can write into %s" % path)


def is_whole(held, path):
    """Return whether a directory in the cache has zmon as it was unpacked there."""
    try:
        inner = os.open(os.path.basename(path), LEVEL, dir_fd=held)
    except FileNotFoundError:
        return False
    except OSError:
        with told(path):
            raise
    try:
        see(inner, path, is_own=True)
        return sealed(inner) == seal(inner)
    except OSError:  # it has none, or a link
        return False
    finally:
        os.close(inner)


def seal(inner):
    """Return whose the tree is, and when its directory was changed last: its mode, owner, or an entry."""
    tree = os.open(TREE, LEVEL, dir_fd=inner)
    try:
        state = os.fstat(tree)
    finally:
        os.close(tree)
    return b"%d %d\n" % (state.st_uid, state.st_ctime_ns)


def sealed(inner):
    """Return what the seal says; nothing if this user has not written it."""
    file = os.open(SEAL, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=inner)
    try:
        return os.read(file, 200) if os.fstat(file).st_uid == os.geteuid() else b""
    finally:
        os.close(file)


def settle(held, fresh, found):
    """Give what was unpacked its place, unless another start was quicker; what was changed there goes."""
    names = os.path.basename(fresh), os.path.basename(found)
    try:
        os.rename(*names, src_dir_fd=held, dst_dir_fd=held)
    except OSError:
        if is_whole(held, found):
            return
        before = fresh + "-before"
        with told(found):
            os.rename(names[1], os.path.basename(before), src_dir_fd=held, dst_dir_fd=held)
            os.rename(*names, src_dir_fd=held, dst_dir_fd=held)
        remove(before)


def unpacked(held, place):
    """Unpack zmon into a new directory in one that is held; return its path."""
    name = "zmon-" + os.urandom(8).hex()
    path = os.path.join(place, name)
    try:
        with told(place):
            os.mkdir(name, 0o700, dir_fd=held)
            inner = os.open(name, LEVEL, dir_fd=held)
        try:
            fill(inner, place)
        finally:
            os.close(inner)
    except BaseException:
        remove(path)
        raise
    return path


def fill(inner, place):
    """Write the tree and its seal into an empty directory; errors are told of the place that it is in."""
    made = set()

    def make(directory):
        if directory and directory not in made:
            make(os.path.dirname(directory))
            os.mkdir(directory, 0o700, dir_fd=inner)
            made.add(directory)

    def write(member, content):
        with told(place):
            make(os.path.dirname(member))
            with os.fdopen(os.open(member, NEW, 0o600, dir_fd=inner), "wb") as file:
                file.write(content)

    with opened_archive() as archive:
        for member in archive.namelist():
            if member.startswith(TREE + "/") and not member.endswith("/"):
                write(member, archive.read(member))
    with told(place):
        make(TREE + "/__pycache__")  # Python would make it later, which breaks the seal
        content = seal(inner)
    write(SEAL, content)


def remove(directory):
    """Remove a directory, if it is there."""
    import shutil

    shutil.rmtree(directory, ignore_errors=True)


def run(directory):
    """Run zmon from the directory that it was unpacked into; returns its exit status."""
    sys.path[:] = [os.path.join(directory, TREE)] + [place for place in sys.path if place != ARCHIVE]
    from zmon.cli.main import run_process

    return run_process()


if __name__ == "__main__":
    sys.exit(main())
