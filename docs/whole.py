"""Write a file whole or not at all, as all programs do that write what is kept in the repository."""

from __future__ import annotations

import os


def write_whole(file: str | os.PathLike[str], content: str | bytes) -> None:
    """Replace a file when all of the new content is on disk beside it; until then the file is as it was."""
    beside = f"{os.fspath(file)}.unfinished"
    try:
        with open(beside, "wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
        os.replace(beside, file)
    except BaseException:
        if os.path.exists(beside):
            os.remove(beside)
        raise
