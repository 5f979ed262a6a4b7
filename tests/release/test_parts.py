"""What is delivered with zmon is pure Python, pinned, and complete."""

from __future__ import annotations

import parts


def test_a_pin_has_its_version_and_all_its_hashes() -> None:
    """A lock file as uv writes it: hashes on lines of their own, a marker behind the version."""
    hashes = " \\\n    ".join(("", f"--hash=sha256:{'a' * 64}", f"--hash=sha256:{'b' * 64}"))
    lock = f"# made\none==1.2 ; sys_platform == 'linux'{hashes}\ntwo==3\n"
    assert parts.pinned(lock) == {
        "one": parts.Part("one", "1.2", ("a" * 64, "b" * 64)),
        "two": parts.Part("two", "3", ()),
    }


def test_a_part_is_one_line_for_pip() -> None:
    """With each hash, so that pip takes nothing else."""
    part = parts.Part("one", "1.2", ("a" * 64,))
    assert part.line() == f"one==1.2 --hash=sha256:{'a' * 64}"


def test_what_textual_requires_is_delivered_and_what_is_compiled_is_not() -> None:
    """Requirements of requirements are followed, and extras: textual wants that of markdown-it-py."""
    names = parts.required()
    assert {"textual", "rich", "linkify-it-py", "sqlite-utils", "pyudev"} <= set(names)
    assert not {"psutil", "pip", "pytest", "zmon", "psycopg"} & set(names)


def test_every_part_is_pinned_with_hashes() -> None:
    """Nothing is fetched that the lock file does not know."""
    assert all(part.version and part.hashes for part in parts.parts())
