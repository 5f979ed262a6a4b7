"""Texts beside the kernel files of a capture: what tools printed, and what collectors of data leave behind.

`zmon.collected` knows how texts look and what they say; here is what a capture holds of them.
"""

from __future__ import annotations

from zmon.base.light_typing import TYPE_CHECKING, Final, Protocol
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MAX_SECTIONS: Final = 200_000
"""Maximum number of sections of all texts together; supportconfig of a large machine has some 20,000."""
MAX_HEAD: Final = 1 << 16
"""Bytes of a file that decide whether it is a text with something for zmon."""
MAX_TEXTS: Final = 10_000
"""Maximum number of files beside the passes that are looked at."""
TEXT_BYTES: Final = 256 << 20
"""Maximum bytes of them together."""
MAX_TEXT: Final = 64 << 20
"""Maximum bytes of one; udev's data base of 4,096 disks with four paths each has some 30 MB."""
UNREAD: Final = frozenset({"boot", "home", "lib", "lib64", "opt", "root", "tmp", "usr", "var", "src"})
"""Directories of a collection whose files are no outputs of commands."""
CP_TOOLS: Final = frozenset({"vmcp", "hcp"})
"""The commands that pass a command to CP."""


class NoSuchHost(LookupError):  # noqa: N818 - named as `NoSuchThing` is
    """No texts are of the host that was asked for; the message says of which some are."""


class CollectedText(NamedTuple):
    """The output of a command, or the copy of a file, in a text of a collection."""

    origin: str
    """The path of the text in its collection: `fs-diskio.txt`."""
    line: int
    """The line where the content begins, counted from 1."""
    command: str
    """The command without its directory: `lsblk -i`; empty when it is not known, or for a file."""
    file: str
    """The path of a copied file without its first slash: `proc/mounts`; empty for a command."""
    text: str
    time: int
    """When the text was written, in ns since 1970."""
    host: str = ""
    """The host that a prompt, ssh, a heading or an output before it names; empty if none does."""
    form: str = ""
    """The name of the form that it is read as; empty if it is none that zmon knows."""
    step: int = 1
    """Lines of the text that each line of the content takes: 0 if it is all in one, as ansible -o has it."""
    moment: tuple[str, str] = ("", "")
    """The digits of the date and the word, such as `before`, that a line before it has; empty if none has."""

    @property
    def tool(self) -> str:
        """The first word of the command."""
        return self.command.partition(" ")[0]

    def number(self, line: int) -> int:
        """Return the line of the text where a line of the content is, counted from 0."""
        return self.line + self.step * line

    def place(self, line: int = 0) -> str:
        """Return where a line of the content is, counted from 0: `fs-diskio.txt:12`."""
        return f"{self.origin}:{self.number(line)}"


class TextReader(Protocol):
    """Says which files of a capture are texts, and cuts them."""

    def may_be_text(self, path: str) -> bool:
        """Return whether a file, by its path alone, can be a text with something that zmon can use."""

    def is_text(self, path: str, head: bytes, deepest: int | None) -> bool:
        """Return whether a file is such a text, by its path and first bytes.

        One of many files, and not the one that a person names, lies at most `deepest` directories down.
        """

    def is_list(self, path: str) -> bool:
        """Return whether a file, by its path, lists the commands whose outputs others are."""

    def listed(self, path: str, data: bytes) -> Mapping[str, str]:
        """Return the commands that such a file lists, by the paths of the files with their outputs."""

    def outputs(self, origin: str, data: bytes, time: int, listed: str = "") -> Iterable[CollectedText]:
        """Cut a text into outputs and copies of files; `listed` is its command, if one is listed for it."""

    def began(self, times: Mapping[str, int]) -> int:
        """Return when a collector began whose copies of kernel files have earlier times; 0 if none has.

        `times` are those of the texts, by their paths, in ns since 1970.
        """

    def is_of_cp(self, text: CollectedText) -> bool:
        """Return whether an output is an answer of CP."""

    def asked_of_cp(self, text: CollectedText) -> str:
        """Return the command of an answer of CP, if its rows do not say what it asks for; else nothing."""

    def strangers(self, texts: Sequence[CollectedText], host: str) -> Iterable[tuple[CollectedText, str]]:
        """Return the texts that are of another machine than `host`, or most others, each with what it is.

        That is empty if nobody misses the text.
        """


class NoTexts:
    """Takes no file for a text."""

    def may_be_text(self, _path: str) -> bool:
        """Return False."""
        return False

    def is_text(self, _path: str, _head: bytes, _deepest: int | None) -> bool:
        """Return False."""
        return False

    def is_list(self, _path: str) -> bool:
        """Return False."""
        return False

    def listed(self, _path: str, _data: bytes) -> Mapping[str, str]:
        """Return nothing."""
        return {}

    def outputs(self, _origin: str, _data: bytes, _time: int, _listed: str = "") -> Iterable[CollectedText]:
        """Return nothing."""
        return ()

    def began(self, _times: Mapping[str, int]) -> int:
        """Return 0."""
        return 0

    def is_of_cp(self, _text: CollectedText) -> bool:
        """Return False."""
        return False

    def asked_of_cp(self, _text: CollectedText) -> str:
        """Return nothing."""
        return ""

    def strangers(self, _texts: Sequence[CollectedText], _host: str) -> Iterable[tuple[CollectedText, str]]:
        """Return nothing."""
        return ()


NO_TEXTS: Final = NoTexts()
