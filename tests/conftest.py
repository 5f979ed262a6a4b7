"""What all tests share: a tree of kernel files that lives in memory."""

from __future__ import annotations

import errno
import json
import os
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zmon.kernel.tree import Tree


class DictTree:
    """A tree made of dictionaries: contents, links, and what fails with which error.

    Links inside the tree are followed, as the kernel would.
    """

    def __init__(  # noqa: PLR0913 - each is one side of a tree, and all may be left out
        self,
        files: Mapping[str, bytes] | None = None,
        links: Mapping[str, str] | None = None,
        errors: Mapping[str, OSError] | None = None,
        *,
        live: bool = False,
        name: str = "a tree in memory",
        times: Mapping[str, int] | None = None,
    ) -> None:
        self.files = dict(files or {})
        self.links = dict(links or {})
        self.errors = dict(errors or {})
        self.live = live
        self.name = name
        self.times = dict(times or {})

    def _real(self, path: str) -> str:
        """Follow the links in a path."""
        done = ""
        for part in path.strip("/").split("/"):
            done = posixpath.join(done, part)
            if done in self.links:
                done = posixpath.normpath(posixpath.join(posixpath.dirname(done), self.links[done]))
                done = self._real(done)
        return done

    def read(self, path: str, at_once: int = 65536) -> bytes:  # noqa: ARG002 - all comes at once
        """Return the content, or raise the error that was planted there."""
        real = self._real(path)
        for name in (path, real):
            if name in self.errors:
                raise self.errors[name]
        if real not in self.files:
            raise FileNotFoundError(errno.ENOENT, "not in this tree", path)
        return self.files[real]

    def entries(self, path: str) -> list[str]:
        """Return the names below a directory."""
        if path in self.errors:
            raise self.errors[path]
        start = self._real(path).rstrip("/") + "/"
        below = {
            name[len(start) :].split("/")[0]
            for name in (*self.files, *self.links, *self.errors)
            if name.startswith(start)
        }
        if not below:
            raise FileNotFoundError(errno.ENOENT, "not in this tree", path)
        return sorted(below)

    def link(self, path: str) -> str:
        """Return the text of a link."""
        parent = self._real(posixpath.dirname(path))
        real = posixpath.join(parent, posixpath.basename(path))
        if real not in self.links:
            raise OSError(errno.EINVAL, "no link", path)
        return self.links[real]

    def when(self, path: str) -> int:
        """Return the planted time of a file, else 0."""
        return self.times.get(path, 0)


@pytest.fixture
def make_tree() -> Callable[..., Tree]:
    """Build a tree in memory: `make_tree(files, links, errors)`."""
    return DictTree


@pytest.fixture
def load_tree() -> Callable[..., Tree]:
    """Load `tests/fixtures/NAME.tree`: `load_tree(name, files, errors)`, with what is laid over it.

    One line per file below sys/devices/css0: `path = "content"`, `path -> target` or `path ! ENODEV`.
    """

    def load(
        name: str, files: Mapping[str, bytes] | None = None, errors: Mapping[str, OSError] | None = None
    ) -> Tree:
        tree = DictTree(name=name)
        for line in (Path(__file__).parent / "fixtures" / f"{name}.tree").read_text().splitlines():
            if line.startswith("#"):
                continue
            path, mark, value = line.split(" ", 2)
            path = f"sys/devices/css0/{path}"
            if mark == "=":
                tree.files[path] = json.loads(value).encode("latin-1")
            elif mark == "->":
                tree.links[path] = value
            else:
                number = getattr(errno, value)
                tree.errors[path] = OSError(number, os.strerror(number), path)
        tree.files |= files or {}
        tree.errors |= errors or {}
        return tree

    return load
