"""What follows from zmon's sources alone is made once and kept on disk, for all workers and later runs.

A value is kept under a digest of all that it follows from: the Python that runs, the modules that make it
with all that these import, and what it is made of.  So a change elsewhere costs nothing, and an old cache
never answers for a new source.  Two workers that want the same value wait for one another: one makes it.
"""

from __future__ import annotations

import ast
import contextlib
import copyreg
import fcntl
import hashlib
import os
import pickle
import shutil
import sys
import time
from functools import cache, partial
from pathlib import Path
from types import FunctionType, MappingProxyType
from typing import IO, TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, absent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ROOT: Final = Path(__file__).resolve().parents[1]
CACHE: Final = ROOT / ".cache" / "tests"
"""`make clean` deletes it, and CI begins without it."""
TOPS: Final = ("zmon", "tests")
"""The packages whose sources are a part of a digest."""
BLOCKS: Final = ("body", "orelse", "handlers", "finalbody", "cases")
"""What holds statements: expressions are passed over, as none of them imports."""
KEPT_FOR: Final = 7 * 86_400
"""Seconds after which a value that nobody asked for is deleted."""

copyreg.pickle(Absent, lambda value: (absent, (value.reason,)))  # one object for each reason, when read too
copyreg.pickle(MappingProxyType, lambda value: (_read_only, (dict(value),)))


def _read_only(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    """Return a mapping that nobody can change; its type has no name under which it could be found."""
    return MappingProxyType(values)


def _imports(block: ast.AST) -> Iterator[str]:
    """Yield the names of what a block imports when it runs, inside of functions too."""
    match block:
        case ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=otherwise):
            for statement in otherwise:
                yield from _imports(statement)
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=str(module), names=names):
            yield module
            yield from (f"{module}.{alias.name}" for alias in names)
        case _:
            for part in BLOCKS:
                for statement in getattr(block, part, ()):
                    yield from _imports(statement)


@cache
def _imported(source: bytes) -> frozenset[str]:
    """Return what a module of zmon or of its tests imports from these two."""
    return frozenset(name for name in _imports(ast.parse(source)) if name.split(".")[0] in TOPS)


def _file(module: str, root: Path) -> Path | None:
    """Return the file of a module below a checkout; None if there is none."""
    path = root.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def files_behind(*modules: str, root: Path = ROOT) -> list[Path]:
    """Return the files of modules and of all that they import from a checkout, directly or not."""
    files: dict[Path, None] = {}
    left = list(modules)
    while left:
        module = left.pop()
        file = _file(module, root)
        if file is None or file in files:
            continue
        files[file] = None
        left += [".".join(module.split(".")[:depth]) for depth in range(1, module.count(".") + 1)]
        left += _imported(file.read_bytes())
    return sorted(files)


def digest(*words: str) -> str:
    """Return the digest of some words."""
    return hashlib.sha256("\0".join(words).encode()).hexdigest()


def _digest_of_files(files: Iterable[Path], root: Path) -> str:
    """Return the digest of files below a checkout, and of this Python."""
    whole = hashlib.sha256(repr(sys.version_info[:3]).encode())
    for path in files:
        whole.update(f"\0{path.relative_to(root)}\0".encode())
        whole.update(path.read_bytes())
    return whole.hexdigest()


def digest_of(*modules: str, root: Path = ROOT) -> str:
    """Return the digest of modules with all that they import."""
    return _digest_of_files(files_behind(*modules, root=root), root)


@cache
def _checkout_digest() -> str:
    """Return the digest of all sources, which do not change while tests run."""
    return _digest_of_files(sorted(path for top in TOPS for path in (ROOT / top).rglob("*.py")), ROOT)


@cache
def sources_digest(*modules: str) -> str:
    """Return the digest of modules of this checkout; what they import is found out by one process."""
    found: str = kept("digests", digest(_checkout_digest(), *modules), lambda: digest_of(*modules))
    return found


def kept_file(name: str, digest: str, make: Callable[[Path], object]) -> Path:
    """Return the file or the directory of a digest; unless it is there, `make` writes it."""
    path = _path(name, digest)
    with _alone(path):
        if path.exists():
            os.utime(path)
        else:
            _write(path, make)
    return path


class _Pickler(pickle.Pickler):
    """Writes values; a sentence that is told when it is asked for is told now."""

    def reducer_override(self, value: object) -> Any:
        """Return how a function that was made inside of another one is made again."""
        if isinstance(value, FunctionType) and value.__closure__:
            return partial, (str, value())
        return NotImplemented


def dump(value: object, file: IO[bytes]) -> None:
    """Write a value behind what a file has."""
    _Pickler(file, pickle.HIGHEST_PROTOCOL).dump(value)


def kept(name: str, digest: str, make: Callable[[], Any]) -> Any:
    """Return the value of a digest; unless it is kept, `make` makes it.  What cannot be read is made anew."""
    path = _path(name, digest)
    with contextlib.suppress(Exception):  # it is not there, or a file of a disk that was full
        return _read(path)

    def write(unfinished: Path) -> None:
        with open(unfinished, "wb") as file:
            dump(make(), file)

    with _alone(path):
        with contextlib.suppress(Exception):  # another one made it meanwhile
            return _read(path)
        _write(path, write)
        return _read(path)


def _path(name: str, digest: str) -> Path:
    path = CACHE / name / digest[:32]
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _read(path: Path) -> Any:
    with open(path, "rb") as file:
        value = pickle.load(file)  # noqa: S301 - written by these tests
        os.utime(file.fileno())  # it is wanted
    return value


def _write(path: Path, make: Callable[[Path], object]) -> None:
    """Have a file made that is there as a whole or not at all."""
    unfinished = path.with_suffix(f".{os.getpid()}")
    make(unfinished)
    unfinished.replace(path)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let one process at a time make a file."""
    with open(path.with_suffix(".lock"), "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def appended(name: str, digest: str) -> Iterator[IO[bytes]]:
    """Open a file of values one behind the other, which one process at a time reads and goes on with."""
    path = _path(name, digest)
    with open(path, "a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        yield file
        os.utime(file.fileno())  # it is wanted


def pickled(file: IO[bytes]) -> Iterator[Any]:
    """Yield the values of a file up to its end, and cut off what a process that was killed left of one."""
    whole = file.tell()
    with contextlib.suppress(Exception):
        while True:
            yield pickle.load(file)  # noqa: S301 - written by these tests
            whole = file.tell()
    file.truncate(whole)


def forget_old() -> None:
    """Delete what nobody has asked for in a week."""
    for path in CACHE.glob("*/*"):
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < time.time() - KEPT_FOR:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
