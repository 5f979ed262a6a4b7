"""Samples of passes whose machine was collected as texts, wholly or in part."""

from __future__ import annotations

import re

from zmon.base.absent import text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.collected.tools import ALL_LISTED, ALL_SWAP
from zmon.kernel.capture_text import CollectedText
from zmon.kernel.capture_tree import is_own
from zmon.kernel.sampler import EVERYTHING, sample_once
from zmon.kernel.tree import text as text_in
from zmon.kinds import (
    ADAPTER,
    ALL_DASD,
    ALL_DISKS,
    ALL_OFFLINE,
    CHANNEL,
    DASD,
    DEVICE,
    LAYER,
    LUN,
    MACHINE,
    MOUNT,
    MULTIPATH,
    NOT_COLLECTED,
    ORIGIN,
    PATH,
    SOURCE,
    SWAP,
    TARGET_PORT,
    TEXT,
)
from zmon.registry import SOURCES
from zmon.sample import empty_frame, frame_of
from zmon.topology.read_texts import UNDERSTOOD
from zmon.topology.stack import tagged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zmon.base.absent import Value
    from zmon.collected.facts import Facts
    from zmon.collected.reading import ReadText
    from zmon.kernel.capture_tree import CapturedTree
    from zmon.kernel.sampler import Choice
    from zmon.sample import Frame, Sample

JOINED: Final = (MACHINE, DEVICE, DASD, LAYER, SWAP, CHANNEL, MULTIPATH, PATH, ADAPTER, LUN, TARGET_PORT)
"""The kinds about which texts say something, besides mounts."""
_STATES: Final = (ADAPTER, LUN, TARGET_PORT)
MOUNT_FILES: Final = ("proc/mounts", "proc/self/mounts")
DEVICE_FILES: Final = ("proc/dasd/devices", "proc/partitions", "proc/mdstat")
COPIED: Final = (*DEVICE_FILES, "proc/swaps", "proc/self/mountinfo", *MOUNT_FILES)
"""Files of the kernel that are read as texts, where a collection lacks the files that say more."""
NAMING: Final = ("etc/fstab", "etc/crypttab")
"""Files that are not read, and name devices that may be used later."""
BINDINGS: Final = ("etc/multipath/bindings", "etc/multipath/wwids")
"""Files of people that are read likewise."""
"""Mounts of a process, that may have its own."""


def sample_of_pass(tree: CapturedTree, boot: str, choice: Choice = EVERYTHING) -> Sample:
    """Return the sample of a pass: what kernel files say, and where they are missing what texts say."""
    sample = sample_once(tree, boot, choice)
    mounts_missing = MOUNT.name in sample.frames and sample.frames[MOUNT.name].missing is not None
    if is_collected(tree):
        return with_texts(sample, tree)
    return with_copied_mounts(sample, tree) if mounts_missing else sample


def is_collected(tree: CapturedTree) -> bool:
    """Return whether people collected a pass: as texts, or as a few files of /proc."""
    if tree.texts or tree.shown:
        return True
    return (
        not is_own(tree) and "sys" not in tree.entries("") and any(_is_there(tree, path) for path in COPIED)
    )


def with_copied_mounts(sample: Sample, tree: CapturedTree) -> Sample:
    """Return a sample with the mounts of /proc/mounts, if the capture has that file; nothing else changes."""
    texts = _copied(tree, (*DEVICE_FILES, *MOUNT_FILES))
    if not any(text.file in MOUNT_FILES for text in texts):
        return sample
    from zmon.collected.facts import joined  # noqa: PLC0415 - most captures have mountinfo
    from zmon.collected.mount_rows import best_mounts, mount_frame  # noqa: PLC0415 - likewise
    from zmon.collected.other_names import name_others  # noqa: PLC0415 - likewise

    facts, _read = facts_of(texts)
    layers = sample.frames.get(LAYER.name) or empty_frame(LAYER, "was not read")
    name_others(facts, layers)
    facts.by_number(layers)
    devices, _ = joined(LAYER, layers, facts, sample.at.steady)
    frame, _ = mount_frame(best_mounts(facts), facts, devices, sample.at.steady)
    return sample._replace(frames={**sample.frames, MOUNT.name: frame})


def _copied(tree: CapturedTree, paths: Iterable[str]) -> list[CollectedText]:
    """Return the files of the kernel that can be read as texts."""
    texts = []
    for path in paths:
        try:
            origin, line, step = tree.shown.get(path, (path, 1, 1))
            texts.append(
                CollectedText(origin, line, "", path, text_in(tree, path), tree.when(path), step=step)
            )
        except OSError:
            continue
    return texts


def lines_holding(word: str, tree: CapturedTree, source: str) -> Iterator[tuple[str, str]]:
    """Yield the places of the lines of a collection that have a whole word, and what became of each.

    Its files are read again at `source`, which costs only who asks for what is not found.
    """
    from zmon.collected.text_reader import places_of, text_files  # noqa: PLC0415 - likewise
    from zmon.collected.transcript import form_of  # noqa: PLC0415 - most captures hold no texts

    bare = re.sub("^(?:0x|/dev/(?:mapper/)?|(?:PART)?(?:UUID|LABEL)=)", "", word)
    whole = re.compile(rf"(?<![^\W_])(?:0x)?{re.escape(bare)}(?![^\W_])", re.IGNORECASE)
    places: dict[tuple[str, int], str] = {}
    origins = set[str]()
    for text in (*tree.texts, *_copied(tree, dict.fromkeys((*COPIED, *BINDINGS, *NAMING, *tree.shown)))):
        origins.add(text.origin)
        is_of_cp = text.file.startswith("cp/")
        is_read = bool(text.form) or is_of_cp or form_of(text.file) is not None
        first = 1 if is_of_cp and text.step else text.line  # answers of CP have the lines of their text
        for number, row in enumerate(text.text.split("\n")):
            if whole.search(row):
                place = text.origin, first + text.step * number
                places[place] = UNDERSTOOD if is_read else "was not read"
    for path, data in text_files(source).items():
        origin = next((origin for origin in origins if f"/{path}".endswith(f"/{origin}")), path)
        for number in places_of(bare, whole, data):
            places.setdefault((origin, number), "is of no output that is read")
    yield from ((f"{origin}:{number}", what) for (origin, number), what in sorted(places.items()))


def _lists(reads: Sequence[ReadText], facts: Facts) -> Iterator[ReadText]:
    """Yield outputs with what they list all of.

    An lsblk that was cut lists no devices; a command at the end of a text that printed no line lists nothing:
    what it printed may not have been copied.
    """
    of_cut = frozenset({ALL_DASD, ALL_DISKS, ALL_OFFLINE} if facts.is_cut else ())
    last = {read.text.origin: read.text.line for read in reads}
    for read in reads:
        left_out = of_cut if read.form.startswith("lsblk") else frozenset[str]()
        if not read.text.text.strip() and read.text.line >= last[read.text.origin]:
            left_out = ALL_LISTED
        yield read._replace(tells=tuple(kind for kind in read.tells if kind not in left_out))


def _unread(tree: CapturedTree) -> list[ReadText]:
    from zmon.collected.reading import ReadText  # noqa: PLC0415 - most captures hold no texts

    return [ReadText(text, "", 0, ()) for text in _copied(tree, NAMING)]


def with_texts(sample: Sample, tree: CapturedTree) -> Sample:
    """Return a sample completed by texts; every value that is from one has a row of `ORIGIN`."""
    from zmon.collected.account import answers_of_cp, known_names, text_frame  # noqa: PLC0415 - most captures hold no texts
    from zmon.collected.btrfs_texts import name_btrfs, open_btrfs  # noqa: PLC0415 - likewise
    from zmon.collected.dasd_texts import mask_paths  # noqa: PLC0415 - likewise
    from zmon.collected.facts import joined, origin_frame  # noqa: PLC0415 - likewise
    from zmon.collected.fcp_texts import join_luns, say_ports  # noqa: PLC0415 - likewise
    from zmon.collected.loop_texts import lay_loops  # noqa: PLC0415 - likewise
    from zmon.collected.mapper_texts import add_adapters  # noqa: PLC0415 - likewise
    from zmon.collected.mount_rows import (  # noqa: PLC0415 - likewise
        best_mounts,
        changes_in,
        fill_mounts,
        mount_frame,
        name_devices,
        other_mounts,
        sources_of,
    )
    from zmon.collected.other_names import name_others  # noqa: PLC0415 - likewise
    from zmon.collected.swap_texts import add_swaps  # noqa: PLC0415 - likewise

    when = sample.at.steady
    others = [path for path in tree.shown if path not in (*COPIED, *BINDINGS, *NAMING) and "cp/" not in path]
    texts = [*_copied(tree, (*COPIED, *BINDINGS, *others)), *tree.texts]
    facts, read = facts_of(texts)
    rows = [*best_mounts(facts, changes_in(read)), *other_mounts(facts)]
    frames = dict(sample.frames)
    whole, mounted, swapped = (
        frames.get(kind.name) or empty_frame(kind, "was not read") for kind in (LAYER, MOUNT, SWAP)
    )
    if swapped.missing is not None:
        add_swaps(facts)
    sources = sources_of(rows, facts)
    sources += [(str(source), "mountinfo") for source in mounted.column("source")]
    name_devices([*sources, *((area, "proc/swaps") for area in swapped.keys)], mounted, facts)
    name_btrfs({source for source, _place in sources}, facts)
    open_btrfs(rows, facts)
    facts.mounted = {
        tagged(source).removeprefix("/dev/")
        for row in rows
        for source in (row.source, *(rival for rival, _place in row.rivals))
    } | {area.removeprefix("/dev/") for area in (*facts.keys(SWAP), *swapped.keys)}
    facts.mounted |= {
        word.rpartition("=")[2] for cell in mounted.column("devices") for word in text_of(cell).split()
    }
    join_luns(facts, are_read=LUN.name in frames and frames[LUN.name].missing is None)
    name_others(facts, whole)
    facts.by_number(whole)
    add_adapters(facts)
    say_ports(facts, tree)
    mask_paths(facts, frames.get(DEVICE.name) or empty_frame(DEVICE, "was not read"))
    layers = _laid(whole, facts, when)
    origins: dict[str, dict[str, Value]] = {}
    if MOUNT.name in frames and mounted.missing is not None:
        frames[MOUNT.name], origins = mount_frame(rows, facts, layers, when)
    elif MOUNT.name in frames:
        frames[MOUNT.name], origins = fill_mounts(mounted, facts, layers, when)
    lay_loops(facts, layers, frames.get(MOUNT.name) or mounted)
    for kind in JOINED:
        if kind in _STATES and kind.name in facts.rows:  # these say what has failed, whatever was asked for
            frames.setdefault(kind.name, empty_frame(kind, "was not read"))
        if kind.name in frames:
            frames[kind.name], named = joined(kind, frames[kind.name], facts, when)
            origins |= named
    frames[ORIGIN.name], read = origin_frame(origins, when), [*_lists(read, facts)]
    if not is_own(tree):  # what lies beside a capture of zmon is of other use
        frames[TEXT.name] = text_frame(
            [*read, *_unread(tree)], when, answers_of_cp(tree), known_names(frames)
        )
    _name_missing(frames, tree, read, when)
    _add_source(frames, texts, facts, when)
    return sample._replace(frames=frames)


def _laid(whole: Frame, facts: Facts, when: int) -> Frame:
    """Return the block devices with what texts say; these say then, too, how logical volumes lie on them."""
    from zmon.collected.facts import joined  # noqa: PLC0415 - most captures hold no texts
    from zmon.collected.lvm_texts import lay_segments  # noqa: PLC0415 - likewise

    layers, _ = joined(LAYER, whole, facts, when)
    lay_segments(facts, layers)
    return layers


def facts_of(texts: Sequence[CollectedText]) -> tuple[Facts, list[ReadText]]:
    """Return what texts say, and what became of their lines."""
    from zmon.collected.array_texts import fill_arrays  # noqa: PLC0415 - most captures hold no texts
    from zmon.collected.changed_texts import open_changed  # noqa: PLC0415 - likewise
    from zmon.collected.channel_texts import vary_paths  # noqa: PLC0415 - likewise
    from zmon.collected.facts import Facts  # noqa: PLC0415 - likewise
    from zmon.collected.forms import FORMS  # noqa: PLC0415 - likewise
    from zmon.collected.lvm_texts import spread_groups  # noqa: PLC0415 - likewise
    from zmon.collected.reading import ReadText, walk  # noqa: PLC0415 - likewise
    from zmon.collected.stratis_texts import place_file_systems  # noqa: PLC0415 - likewise
    from zmon.collected.transcript import form_of  # noqa: PLC0415 - likewise

    facts = Facts()
    facts.hosts = {text.host for text in texts} - {""}
    by_name = {form.name: form for form in FORMS}
    read: dict[int, ReadText] = {}
    ordered = sorted(
        ((form, number) for number, text in enumerate(texts)
         if (form := by_name.get(text.form) or (form_of(text.file) if text.file else None))),
        key=lambda pair: FORMS.index(pair[0]),
    )  # fmt: skip
    for form, number in ordered:
        read[number] = walk(texts[number], form, facts)
        facts.collect(texts[number].command or f"/{texts[number].file}")
    reads = [read.get(number) or ReadText(text, "", 0, ()) for number, text in enumerate(texts)]
    open_changed(facts, reads)
    spread_groups(facts)
    place_file_systems(facts)
    fill_arrays(facts)
    vary_paths(facts)
    return facts, reads


_TOOLS: Final = {DEVICE.name: "lsdasd -u, or lscss"}
"""The tools that people run, for kinds that are in no file that they would copy."""


def _name_missing(frames: dict[str, Frame], tree: CapturedTree, reads: Sequence[ReadText], when: int) -> None:
    """Say of kinds that nothing in a collection has what would have had them; a list may have no row."""
    lists_swap = any(ALL_SWAP in read.tells and not read.is_part and not read.strange for read in reads)
    if SWAP.name in frames and frames[SWAP.name].missing is not None and lists_swap:
        frames[SWAP.name] = frame_of(SWAP, {}, when)
    for source in SOURCES:
        if source.what.startswith("/") and _is_there(tree, source.what[1:]):
            continue
        for kind in source.kinds if not source.option else ():  # the others say how to switch them on
            frame = frames.get(kind.name)
            if frame is not None and frame.missing is not None:
                what = _TOOLS.get(kind.name, source.what)
                frames[kind.name] = empty_frame(kind, NOT_COLLECTED.about(what))


def _is_there(tree: CapturedTree, path: str) -> bool:
    try:
        tree.read(path)
    except OSError:
        return False
    return True


def _add_source(frames: dict[str, Frame], texts: Sequence[CollectedText], facts: Facts, when: int) -> None:
    """Add a row about the texts to the frame of the sources."""
    frame = frames.get(SOURCE.name)
    if frame is None:
        return
    row: dict[str, Value] = {field.name: 0 for field in SOURCE.fields}
    origins = dict.fromkeys(text.origin for text in texts)
    row |= {
        "state": "ok",
        "reason": "; ".join(facts.remarks),
        "reads_what": f"texts: {', '.join([*origins][:5])}{' ...' if len(origins) > 5 else ''}",
        "rows": sum(len(rows) for rows in facts.rows.values()),
        "bytes": sum(len(text.text) for text in texts),
    }
    columns = {name: [*frame.column(name), row.get(name, 0)] for name in frame.columns}
    frames[SOURCE.name] = frame.but(keys=[*frame.keys, "texts"], columns=columns, times=[*frame.times, when])
