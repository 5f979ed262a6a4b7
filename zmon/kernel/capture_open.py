"""Opening a capture: the kernel files of a machine, archived or unpacked, one tree per pass.

`capture_tar` reads an archive, `capture_tree` finds the passes in it.  Nothing in a capture is trusted: paths
that climb are left out, links stay text, which `capture_tree` resolves.

Beside the passes there may be `extra/BLOCK.IOCTL.bin`, the answer of a disk to an ioctl at some
time; the last pass gets it as `ioctl/BLOCK/IOCTL.bin`.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
from itertools import islice

from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.kernel.capture_text import MAX_HEAD, MAX_SECTIONS, MAX_TEXT, MAX_TEXTS, NO_TEXTS, UNREAD
from zmon.kernel.capture_tree import (
    ADVICE,
    NOTES,
    TOPS,
    ArchivedTree,
    CaptureContents,
    CapturedFile,
    CaptureError,
    DirectoryTree,
    NoCaptureError,
    ShownPlace,
    is_nested,
    is_own,
    is_possible,
    moment,
    read_regular,
    refusals,
)
from zmon.kernel.tree import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.kernel.capture_text import CollectedText, TextReader
    from zmon.kernel.capture_tree import CapturedTree, Node


__all__ = ["Capture", "CaptureError", "open_capture", "printable"]

MAX_ENTRIES: Final = 10_000
"""Maximum number of entries of a directory that are searched for passes."""

NOT_A_CAPTURE: Final = "holds no pass of a capture"
MAX_PASSES: Final = 10_000
"""Maximum number of passes of a capture: hours, if one is made each second."""

OF_KERNEL: Final = r"proc/.|sys/(?:block|bus|class|dev|devices|firmware|fs|hypervisor|kernel|module|power)/."
"""How the path of a kernel's file begins; header files, too, lie in directories that are called sys."""

ARCHIVES: Final = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz", ".tbz2")
"""How archives are named that may be captures."""
DEEPEST: Final = 1
"""Directories below one that is named, down to which the outputs of commands are looked for."""

_DIGITS: Final = r"([0-9]{1,18})"


class Capture(NamedTuple):
    """A capture that was opened."""

    name: str
    """The path that was given."""
    passes: list[CapturedTree]
    """At least one, in the order of time."""
    notes: list[str]
    """Sentences about what was left out."""
    unread: tuple[str, ...] = ()
    """Paths of files in which no output begins that the reader of texts knows."""


RUNNING: Final = ("/", "/proc", "/sys", "/dev", "/run")
"""Directories that look like a capture and are the running kernel's."""


def open_capture(path: str, reader: TextReader = NO_TEXTS) -> Capture:
    """Open an archive, a directory that is one pass or holds several, or a text that `reader` knows.

    Raises:
        CaptureError: it is not there, is none, is damaged or too large, or holds no pass.
    """
    contents = _contents(path, reader)
    passes = _passes(path, contents)
    if not passes and (only := _only_archive(path)):
        return open_capture(only, reader)
    if not passes:
        raise NoCaptureError(
            f"{path} {NOT_A_CAPTURE}, and no output that zmon reads, such as that of lsdasd; {ADVICE}, or"
            " what supportconfig, dbginfo.sh or sos wrote."
        )
    return Capture(path, passes, contents.remarks(), tuple(contents.unread))


def text_files(path: str, reader: TextReader) -> dict[str, bytes]:
    """Return the files of a capture that `reader` takes for texts, by their paths, as they are.

    Raises:
        CaptureError: as `open_capture`.
    """
    texts = _contents(path, reader).texts
    if not texts and (only := _only_archive(path)):
        return text_files(only, reader)
    return {name: file.data for name, file in texts.items()}


def _contents(path: str, reader: TextReader) -> CaptureContents:
    """Return what an archive, a directory or a text holds; see `open_capture`."""
    try:
        mode = os.stat(path).st_mode
        if os.path.realpath(path) in RUNNING:
            raise CaptureError(f"{path} is the running kernel's own, no capture; leave --from out for it.")
        if stat.S_ISDIR(mode):
            contents = _look_through(path, reader)
        elif stat.S_ISREG(mode) and _is_text(reader, path, os.path.basename(path)):
            contents = CaptureContents(reader)
            contents.take_text(
                os.path.basename(path),
                CapturedFile(read_regular(path, path, MAX_TEXT), os.stat(path).st_mtime_ns),
            )
        elif stat.S_ISREG(mode):
            from zmon.kernel.capture_tar import read_tar  # noqa: PLC0415 - a directory needs none of it

            with open(path, "rb") as file:
                contents = read_tar(path, file, reader)
        else:
            raise CaptureError(f"{path} is neither a file nor a directory; {ADVICE}.")
    except OSError as error:
        raise CaptureError(f"{path} cannot be read: {error.strerror}.") from error
    return contents


def _only_archive(path: str) -> str:
    """Return the path of the only archive in a directory, as dbginfo.sh leaves it; empty if there is none."""
    names = os.listdir(path)[:MAX_ENTRIES] if os.path.isdir(path) else []
    archives = [name for name in names if name.endswith(ARCHIVES) and _is_regular(f"{path}/{name}")]
    return f"{path}/{archives[0]}" if len(archives) == 1 else ""


def _passes(path: str, contents: CaptureContents) -> list[CapturedTree]:
    """Make a tree of each pass, in the order of time."""
    texts: Sequence[CollectedText] = ()
    since = contents.reader.began({path: node.time for path, node in contents.texts.items()})

    def tree(label: str) -> CapturedTree:
        name = f"{path} {label}".rstrip()
        nodes = contents.nodes.get(label, {})
        root = contents.roots.get(label)
        own = texts if labels and label == labels[-1] else ()
        if root:
            return DirectoryTree(root, name, label, nodes, own, since)
        return ArchivedTree(name, label, nodes, own, since)

    labels = _labels(path, contents)
    if len(labels) > MAX_PASSES:
        raise CaptureError(
            f"{path} holds {len(labels):,} passes, at most {MAX_PASSES:,} are read;"
            " for so long use zmon record."
        )
    labels.sort(key=lambda label: _order(tree(label)))
    for label in labels:
        notes = contents.notes.get(label)
        if notes:
            text = notes.data.decode("utf-8", "replace")
            contents.add(label, {NOTES: notes, **refusals(text, notes.time)})
    if contents.texts:
        labels = labels or [max(contents.nodes, key=lambda label: len(contents.nodes[label]), default="")]
        texts = _take_texts(contents, labels[-1])
    if labels:
        contents.add(labels[-1], contents.extras)
    return [tree(label) for label in labels]


def _labels(path: str, contents: CaptureContents) -> list[str]:
    """Return the names of the passes; what holds no kernel file is none."""
    labels = [*contents.roots]
    for label, nodes in contents.nodes.items():
        if label in contents.roots:
            continue
        if any(isinstance(node, CapturedFile) and re.match(OF_KERNEL, name) for name, node in nodes.items()):
            labels.append(label)
        elif not contents.texts:
            contents.leave_out("passes without a file below sys or proc", label or path)
    return labels


def _take_texts(contents: CaptureContents, label: str) -> Sequence[CollectedText]:
    """Return the outputs of commands in texts; files that were copied into texts become files of the pass.

    So do answers of CP.  A file that is there already stays an output.
    """
    kept: list[CollectedText] = []
    files: dict[str, Node] = {}
    answers: dict[tuple[str, int], tuple[str, list[str]]] = {}
    beside = _tree_beside(contents, label)
    for section in _sections(contents, _host_of(beside)):
        if section.file:
            name = posixpath.normpath(section.file)
            if not (is_possible(section.file) and section.file.startswith(("proc/", "sys/", "etc/"))):
                continue
            if name in files or (not is_own(beside) and _has(beside, name)):
                kept.append(section)
            else:
                shown = ShownPlace(section.origin, section.line, section.step)
                files[name] = CapturedFile(_encoded(section), section.time, shown)
        elif contents.reader.is_of_cp(section):
            text = (section.origin, 0 if section.step else section.line)
            name, lines = answers.get(text) or (_free_name(section.origin, files, beside), [])
            answers[text] = name, lines
            if section.step:
                lines += [""] * (section.line - 1 - len(lines))  # so that each keeps its number
                if lines and not lines[-1]:
                    lines[-1] = contents.reader.asked_of_cp(section)
            lines += section.text.split("\n")[:-1]
            content = "\n".join(lines).encode("utf-8", "surrogateescape")
            first = next((number for number, line in enumerate(lines, 1) if line.strip()), 1)
            first = first if section.step else section.line
            files[name] = CapturedFile(
                content + b"\n", section.time, ShownPlace(section.origin, first, section.step)
            )
        else:
            kept.append(section)
    contents.add(label, files)
    return kept


def _sections(contents: CaptureContents, host: str) -> list[CollectedText]:
    """Return what the texts are cut into, without what is of another machine than most of it."""
    top = posixpath.commonpath([posixpath.dirname(path) for path in contents.texts])
    sections: list[CollectedText] = []
    listed: dict[str, str] = {}
    for path, node in contents.lists.items():
        listed |= contents.reader.listed(path, node.data)
    for path, node in sorted(contents.texts.items()):
        for section in contents.reader.outputs(path, node.data, node.time, listed.get(path, "")):
            if len(sections) >= MAX_SECTIONS:
                contents.leave_out(f"sections of texts beyond {MAX_SECTIONS:,}", path)
                break
            sections.append(section)
    left_out = set()
    for section, why in contents.reader.strangers(sections, host):
        if why:
            contents.leave_out(why, _named_from(top, section).place())
        left_out.add(id(section))
    return [_named_from(top, section) for section in sections if id(section) not in left_out]


def _tree_beside(contents: CaptureContents, label: str) -> CapturedTree:
    """Return the kernel's files of a pass, without texts."""
    nodes = contents.nodes.get(label, {})
    root = contents.roots.get(label)
    return DirectoryTree(root, beside=nodes) if root else ArchivedTree("", label, nodes)


def _host_of(tree: CapturedTree) -> str:
    """Return the host that the kernel's files of a pass name; empty if they name none."""
    try:
        return tree.read("proc/sys/kernel/hostname").decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _has(tree: CapturedTree, path: str) -> bool:
    directory, _, name = path.rpartition("/")
    try:
        return name in tree.entries(directory)
    except OSError:
        return False


def _free_name(origin: str, files: Mapping[str, Node], beside: CapturedTree) -> str:
    """Return a name in a pass for the answers of CP in a text: that of the text, if no other has it."""
    name = f"cp/{origin.removesuffix('.txt').replace('/', '.')}"
    names = (f"{name}{again}.txt" for again in ("", *(f".{number}" for number in range(2, MAX_TEXTS + 3))))
    return next(free for free in names if free not in files and not _has(beside, free))


def _named_from(top: str, section: CollectedText) -> CollectedText:
    """Return an output with the path of its text below the directory that all are in.

    The reader knows what sos wrote by the whole path.
    """
    return section._replace(origin=posixpath.relpath(section.origin, top)) if top else section


def _encoded(section: CollectedText) -> bytes:
    return section.text.encode("utf-8", "surrogateescape")


def _order(tree: CapturedTree) -> tuple[int, list[tuple[int, str]]]:
    """Order by time, then by name, numbers as numbers."""
    parts = re.split(_DIGITS, tree.label)
    return moment(tree), [(int(part), "") if re.fullmatch(_DIGITS, part) else (-1, part) for part in parts]


def _look_through(path: str, reader: TextReader) -> CaptureContents:
    """Find the passes in a directory: itself, or what lies one or two levels further down."""
    contents = CaptureContents(reader)
    fullest: dict[str, int] = {}
    level = [("", path)]
    for _depth in range(3):
        below = []
        for label, directory in level:
            with os.scandir(directory) as entries:
                inside = [
                    entry.name
                    for entry in islice(entries, MAX_ENTRIES)
                    if entry.is_dir(follow_symlinks=False)
                ]
            tops = len({*TOPS}.intersection(inside))
            if tops and _holds_kernel_file(directory):
                if tops > fullest.get(label, 0):  # the other holds what an archiver had cut
                    fullest[label], contents.roots[label] = tops, directory
                    _take_file(contents, f"./{label}/CAPTURE.txt", f"{directory}/CAPTURE.txt")
            else:
                below += [(name, f"{directory}/{name}") for name in sorted(inside)]
            if "extra" in inside:
                for name in sorted(os.listdir(f"{directory}/extra"))[:MAX_ENTRIES]:
                    _take_file(contents, f"extra/{name}", f"{directory}/extra/{name}")
        level = below[:MAX_ENTRIES]
    _look_for_texts(path, contents)
    return contents


def _holds_kernel_file(directory: str) -> bool:
    """Return whether a directory has a file of a kernel below sys or proc; one without an end is taken to."""
    number = 0
    for top in ("proc", "sys"):
        for place, folders, names in os.walk(f"{directory}/{top}"):
            inside = os.path.relpath(place, directory)
            if any(
                re.match(OF_KERNEL, f"{inside}/{name}") and _is_regular(f"{place}/{name}") for name in names
            ):
                return True
            number += 1 + len(folders) + len(names)
            if number > MAX_ENTRIES:
                return True
    return False


def _is_regular(file: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(file).st_mode)
    except OSError:
        return False


def _look_for_texts(path: str, contents: CaptureContents) -> None:
    """Take the texts in a directory and two levels further down, and the copy of /sys beside them."""
    from zmon.kernel.capture_tar import read_nested  # noqa: PLC0415 - few directories hold an archive

    number = 0
    for directory, folders, names in os.walk(path):
        number += 1
        below = os.path.relpath(directory, path)
        depth = 0 if below == "." else below.count("/") + 1
        folders[:] = sorted(name for name in folders if name not in TOPS and name not in UNREAD and depth < 3)
        for name in sorted(names):
            number += 1
            if number > MAX_TEXTS:
                contents.leave_out(f"files beyond the first {MAX_TEXTS:,}", f"{directory}/{name}")
                return
            file = f"{directory}/{name}"
            inside = name if below == "." else f"{below}/{name}"
            if is_nested(name):
                read_nested(contents, file, inside)
            elif _is_text(contents.reader, file, inside, DEEPEST):
                _take_file(contents, inside, file)
            elif contents.reader.may_be_text(inside):
                contents.unread.append(inside)


def _is_text(reader: TextReader, file: str, inside: str, deepest: int | None = None) -> bool:
    """Return whether a file on disk is a text with something for zmon, by its first bytes."""
    if not _is_regular(file) or not reader.may_be_text(inside):
        return False
    try:
        with open(file, "rb") as opened:
            return reader.is_text(inside, opened.read(MAX_HEAD), deepest)
    except OSError:
        return False


def _take_file(contents: CaptureContents, name: str, file: str) -> None:
    """Take a file beside those of the kernel, if it exists."""
    try:
        data = read_regular(file, file, contents.largest(name))
        contents.put(name, CapturedFile(data, os.lstat(file).st_mtime_ns))
    except FileNotFoundError:
        pass
    except OSError:
        contents.leave_out("that cannot be read", file)
