"""Real database servers, started for the tests by whoever runs them, in directories of their own."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


class Home:
    """A directory that belongs to the user a server runs as, who is never root: servers refuse that."""

    def __init__(self, path: Path, user: str | None) -> None:
        self.path = path
        self.user = user

    def directory(self, name: str) -> Path:
        """Make a directory for the server."""
        made = self.path / name
        made.mkdir()
        if self.user:
            shutil.chown(made, self.user)
        return made

    @property
    def identity(self) -> dict[str, Any]:
        """What makes `subprocess` run a program as that user."""
        if not self.user:
            return {}
        return {"user": self.user, "group": pwd.getpwnam(self.user).pw_gid, "extra_groups": []}

    def run(self, *command: str | Path, words: str | None = None) -> str:
        """Run a program to its end as that user, and return what it prints."""
        done: subprocess.CompletedProcess[str] = subprocess.run(  # noqa: S603 - programs of the server
            command, input=words, cwd=self.path, capture_output=True, text=True, check=False, **self.identity
        )
        assert done.returncode == 0, f"{command}: {done.stderr or done.stdout}"
        return done.stdout


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    """Give a directory with a short name, as sockets need it, and take it away again."""
    user = "nobody" if os.geteuid() == 0 else None
    path = Path(tempfile.mkdtemp(prefix="zmon-"))
    path.chmod(0o755)
    if user:
        shutil.chown(path, user)
    yield Home(path, user)
    shutil.rmtree(path)
