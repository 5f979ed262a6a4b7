"""Opening a capture that may hold texts: which of its files are some, and whose they are."""

from __future__ import annotations

import posixpath
import re
from functools import cache
from typing import TYPE_CHECKING, Final

from zmon.collected.sos import command_of_sos, commands_listed, is_manifest
from zmon.kernel import capture_open
from zmon.kernel.capture_text import CP_TOOLS, UNREAD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.kernel.capture_open import Capture
    from zmon.kernel.capture_text import CollectedText

OF_SOURCES: Final = frozenset({
    ".1", ".8", ".awk", ".bak", ".bash", ".bat", ".c", ".cc", ".cfg", ".cgi", ".conf", ".cpp", ".cs",
    ".css", ".diff", ".go", ".h", ".hpp", ".in", ".ini", ".ipynb", ".j2", ".java", ".js", ".ksh",
    ".lua", ".m4", ".mk", ".old", ".orig", ".patch", ".php", ".pl", ".pm", ".po", ".ps1", ".py", ".pyi",
    ".r", ".rb", ".rej", ".rpmnew", ".rpmsave", ".rs", ".rules", ".s", ".scala", ".service", ".sh",
    ".spec", ".svg", ".swp", ".t", ".tcl", ".tex", ".tmpl", ".toml", ".ts", ".vim", ".xml", ".xsl",
    ".zsh",
})  # fmt: skip
"""What the names of files end with that quote outputs, or keep an earlier state: no texts among others."""
_LOGS: Final = frozenset({"dbginfo.log", "supportconfig.txt"})
"""What collectors say of their own work."""
_ONE_USE: Final = re.compile(r"(?i)\balloc +(?:page|spool|drct|tdisk)\b")
"""In a command of CP for volumes, of which use it shows the space; the rows do not name it."""
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")


class CollectedTexts:
    """Texts by the forms that zmon knows.  The forms are loaded with the first file that may be one."""

    def __init__(self, host: str = "") -> None:
        """Read the texts of a host, if one is named; else of that of most."""
        self.host = host

    def may_be_text(self, path: str) -> bool:
        """Return whether a file, by its path alone, can be a text with something that zmon can use."""
        if command := command_of_sos(path):
            from zmon.collected.transcript import form_of  # noqa: PLC0415 - most captures hold no texts

            return command.partition(" ")[0] in CP_TOOLS or form_of(command) is not None
        *folders, name = path.split("/")
        return UNREAD.isdisjoint(folders) and name not in _LOGS

    def is_text(self, path: str, head: bytes, deepest: int | None) -> bool:
        """Return whether a file is such a text, by its path and first bytes.

        Program source quotes outputs of commands, too, so the name of one file of many must not end like
        that of one.  What collectors write is known by its form, wherever it is.
        """
        if (b"\0" in head and not head.startswith(_WIDE)) or not self.may_be_text(path):
            return False
        if command_of_sos(path) or is_manifest(path):
            return True
        if deepest is not None and posixpath.splitext(path)[1].lower() in OF_SOURCES:
            return False
        from zmon.collected.transcript import begins_output, decoded, is_of_collector  # noqa: PLC0415 - likewise

        text = decoded(head)
        if is_of_collector(text):
            return True
        return (deepest is None or path.count("/") <= deepest) and begins_output(text)

    def is_list(self, path: str) -> bool:
        """Return whether a file is the manifest of sos."""
        return is_manifest(path)

    def listed(self, path: str, data: bytes) -> Mapping[str, str]:
        """Return the commands that a manifest of sos lists, by the paths of their files."""
        return commands_listed(path, data)

    def outputs(self, origin: str, data: bytes, time: int, listed: str = "") -> Iterable[CollectedText]:
        """Cut a text into outputs and copies of files."""
        from zmon.collected.transcript import outputs  # noqa: PLC0415 - likewise

        return outputs(origin, data, time, listed)

    def began(self, times: Mapping[str, int]) -> int:
        """Return when sos wrote its first output; 0 if none is from sos.

        It gives copies of files the times of the originals.  That of a file of /proc is when the kernel first
        looked it up, which may be long ago, and its content is of the moment when it is read.
        """
        return min((time for path, time in times.items() if command_of_sos(path)), default=0)

    def is_of_cp(self, text: CollectedText) -> bool:
        """Return whether an output is an answer of CP."""
        from zmon.collected.transcript import CP  # noqa: PLC0415 - likewise

        return text.form == CP

    def asked_of_cp(self, text: CollectedText) -> str:
        """Return the command of an answer of CP, if its rows do not say what it asks for; else nothing."""
        return text.command if _ONE_USE.search(text.command) else ""

    def strangers(self, texts: Sequence[CollectedText], host: str) -> Iterable[tuple[CollectedText, str]]:
        """Return the texts that are of another host than `host`, or most others, each with what it is."""
        if not texts:
            return ()
        from zmon.collected.hosts import strangers  # noqa: PLC0415 - likewise

        return strangers(texts, host, self.host)


class AnyText(CollectedTexts):
    """Takes each file for a text that has no binary zero, whatever it holds."""

    def may_be_text(self, _path: str) -> bool:
        """Return True."""
        return True

    def is_text(self, _path: str, head: bytes, _deepest: int | None) -> bool:
        """Return whether a file is no binary one."""
        return b"\0" not in head or head.startswith(_WIDE)

    def is_list(self, _path: str) -> bool:
        """Return False: lists are texts, too."""
        return False


TEXTS: Final = CollectedTexts()


@cache
def text_files(path: str) -> Mapping[str, bytes]:
    """Return all texts of a capture as they are, also those that are not read, by their paths.

    Raises:
        CaptureError: it cannot be read any more.
    """
    return capture_open.text_files(path, AnyText())


def places_of(word: str, whole: re.Pattern[str], data: bytes) -> Iterator[int]:
    """Yield the numbers of the lines of a text that have a word, which `whole` matches in any case."""
    is_wide = data.startswith(_WIDE)
    if not is_wide and word.isascii() and word.lower().encode() not in data.lower():
        return  # nearly always, and in a small part of the time
    text = data.decode("utf-16" if is_wide else "utf-8", "replace")
    number, end = 1, 0
    for match in whole.finditer(text):
        number, end = number + text.count("\n", end, match.start()), match.start()
        yield number


def open_capture(path: str, host: str = "") -> Capture:
    """Open a capture with its texts: an archive, a directory of passes or texts, or a text.

    Of texts of several hosts it has those of `host`, if that is named, else those of one that has most.

    Raises:
        NoSuchHost: no text is of the host.
        CaptureError: it is not there, is none, is damaged or too large, or holds no pass.
    """
    return capture_open.open_capture(path, CollectedTexts(host) if host else TEXTS)
