"""Where files lie: what zmon says of it, compared with the bytes that were found on the raw disks.

The truth is what `byte_by_byte.py` read in the guest.  LCUs are those of the kernel's uids, as lsdasd
prints them.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from check import Check, same
from replayed import run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SOMEWHERE: Final = {"/srv/thin/file": "set"}
"""Files that lie where only a pool knows, and how sure zmon may be; it must be exact of all others."""
KINDS: Final = ("bytes", "copies")


def check_placed(where: Path, uids: Mapping[str, str]) -> Iterator[Check]:
    """Compare the places that zmon names with those where the bytes are; `uids` of DASDs by bus id."""
    shown = _files(json.loads((where / "placed.json").read_text()))
    truth = {file["path"]: file for file in json.loads((where / "bytes.json").read_text())}
    lcus = {busid: uid.rpartition(".")[0] for busid, uid in uids.items() if uid}
    yield same("files that zmon places", set(truth), set(shown))
    for path, file in truth.items():
        written = file["written"]
        yield same(f"{path}: wrong bytes", 0, file["wrong"])
        if path in SOMEWHERE:
            yield from _check_somewhere(path, file, shown[path])
            continue
        yield same(f"{path}: grade", "exact", shown[path]["grade"])
        yield same(f"{path}: bytes with a place", written, shown[path]["mapped"])
        yield from _check_disks(path, file, shown[path])
        yield from _check_lcus(path, file, shown[path], lcus)
    yield from _check_pool(where, shown)
    yield from _check_captured(where, shown)


def _files(documents: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {file["path"]: file for document in documents for file in document["where"]}


def _check_disks(path: str, file: Mapping[str, Any], answer: Mapping[str, Any]) -> Iterator[Check]:
    """Compare what lies on each disk, first copies and others; any of several paths may stand for a disk."""
    names = {name: "+".join(disk["disks"]) for disk in file["disks"] for name in disk["disks"]}
    for kind in KINDS:
        found = {"+".join(disk["disks"]): disk.get(kind, 0) for disk in file["disks"]}
        said = {names.get(disk["disk"], disk["disk"]): disk[kind] for disk in answer["disks"]}
        yield same(f"{path}: {kind} by disk", _listed(found), _listed(said))


def _check_lcus(
    path: str, file: Mapping[str, Any], answer: Mapping[str, Any], lcus: Mapping[str, str]
) -> Iterator[Check]:
    """Compare what lies on each LCU, where there are any."""
    found, said = Counter[str](), Counter[str]()
    for disk in file["disks"]:
        if disk["busids"][0] in lcus:
            found[lcus[disk["busids"][0]]] += sum(disk.get(kind, 0) for kind in KINDS)
    for disk in answer["disks"]:
        if not isinstance(disk["lcu"], dict):
            said[disk["key"]] += sum(disk[kind] for kind in KINDS)
    if lcus:
        yield same(f"{path}: bytes by LCU", _listed(found), _listed(said))


def _check_somewhere(path: str, file: Mapping[str, Any], answer: Mapping[str, Any]) -> Iterator[Check]:
    """Check that zmon claims no more than it knows, and says what it lacks."""
    yield same(f"{path}: grade", SOMEWHERE[path], answer["grade"])
    yield same(f"{path}: bytes without a place", file["written"], answer["unplaced"])
    yield same(f"{path}: bytes on a disk for certain", 0, sum(_certain(disk) for disk in answer["disks"]))
    yield Check(f"{path}: says why", "a reason", " ".join(answer["notes"]), bool(answer["notes"]))


def _certain(disk: Mapping[str, Any]) -> int:
    return disk["bytes"] if isinstance(disk["bytes"], int) else 0


def _check_pool(where: Path, shown: Mapping[str, Mapping[str, Any]]) -> Iterator[Check]:
    """Check the bytes of thin volumes, which the map of their pool places."""
    dumped = where / "bytes-thin.json"
    for file in json.loads(dumped.read_text()) if dumped.exists() else ():
        path, written = file["path"], file["written"]
        found = sum(disk["bytes"] for disk in file["disks"])
        yield same(f"{path}: wrong bytes, with the pool's map", 0, file["wrong"])
        yield same(f"{path}: bytes found, with the pool's map", written, found)
        among = {disk["disk"] for disk in shown[path]["disks"]}
        yield same(f"{path}: disks that it may lie on", {disk["disks"][0] for disk in file["disks"]}, among)


def _check_captured(where: Path, shown: Mapping[str, Mapping[str, Any]]) -> Iterator[Check]:
    """Ask the capture, here, what the live machine was asked."""
    archive = str((where / "placed.tar.gz").resolve())
    ended = run("where", *shown, "--from", archive, "--format", "json")
    answers = _files(json.loads(ended.stdout)) if ended.stdout else {}
    for path, live in shown.items():
        captured = answers.get(path, {})
        unlike = [key for key in live if captured.get(key) != live[key]]
        yield Check(
            f"{path}: the capture's answer",
            "as that of the machine",
            f"other {' '.join(unlike)}" if unlike else "as that of the machine",
            not unlike,
        )


def _listed(counts: Mapping[str, int]) -> list[str]:
    return [f"{name}={count}" for name, count in sorted(counts.items()) if count]
