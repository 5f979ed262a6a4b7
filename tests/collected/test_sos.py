"""Files of sos are the outputs of the commands that their names or the manifest of the archive tell."""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path
from typing import Final

import pytest

from tests.collected.test_collection import packed
from tests.collected.texts import LSBLK, LSDASD_UID, facts_in
from zmon.base.absent import Absent
from zmon.base.clock import SECOND
from zmon.cli.main import main
from zmon.collected.sos import command_of_sos, commands_listed, mended
from zmon.collected.text_reader import TEXTS, open_capture
from zmon.kernel.capture_text import MAX_TEXT
from zmon.kernel.tree import MAX_FILE
from zmon.kinds import LAYER

REAL: Final = Path(__file__).parent / "real" / "archives"
MANIFEST = "sosreport-a/sos_reports/manifest.json"
LSBLK_FILE = "sosreport-a/sos_commands/block/lsblk"
LSDASD_FILE = "sosreport-a/sos_commands/s390/lsdasd_-u"


def manifest(*commands: dict[str, object]) -> str:
    """Return what sos writes into its manifest, of one plugin."""
    return json.dumps({"components": {"report": {"plugins": {"block": {"commands": [*commands]}}}}})


def listed(command: str, file: str, status: int = 0, *, is_cut: bool = False) -> dict[str, object]:
    """Return the entry of a command."""
    return {"exec": command, "filepath": file, "return_code": status, "truncated": is_cut}


@pytest.mark.parametrize(
    ("file", "command"),
    [
        ("block/lsblk", "lsblk"),
        ("block/lsblk_-O_-P", "lsblk -O -P"),
        ("block/fdisk_-l_.dev.dasda", "fdisk -l /dev/dasda"),
        ("block/cryptsetup_luksDump_.dev.mapper.luks", "cryptsetup luksDump /dev/mapper/luks"),
        ("block/ls_-alZR_.dev", "ls -alZR /dev"),
        ("s390/lscss_-d_0.0.7000", "lscss -d 0.0.7000"),
        ("s390/lsdasd.1", "lsdasd"),
        ("lvm2/metadata/pvck_--dump_headers_.dev.dasdb1", "pvck --dump headers /dev/dasdb1"),
        ("zvm/vmcp_q_v_dasd", "vmcp q v dasd"),
        ("block/lsblk.txt", "lsblk"),
    ],
)
def test_a_name_tells_the_command(file: str, command: str) -> None:
    """Blanks are underscores there, and what lies below /dev has full stops."""
    assert command_of_sos(f"sosreport-a/sos_commands/{file}") == command
    assert command_of_sos(f"sos_commands/{file}") == command


def test_the_host_name_stands_at_the_top() -> None:
    """Under a name that sos gives to an output; elsewhere a file may be called so."""
    assert command_of_sos("a/sosreport-rz9-2026/hostname") == "hostname"
    assert command_of_sos("a/other/hostname") == command_of_sos("sosreport-rz9-2026/etc/hostname") == ""


def test_other_files_of_sos_are_no_outputs() -> None:
    """What a plugin wrote itself, a log, a report."""
    for file in ("sos_strings/block/note", "sos_logs/sos.log", "sos_reports/sos.txt", "version.txt"):
        assert not command_of_sos(f"sosreport-a/{file}")


def test_a_manifest_tells_the_command_of_each_file() -> None:
    """With all options, and without the directory of the tool; an entry without a file is passed over."""
    lvs = (
        'lvs -a -o +devices --config="global{a=1}"',
        "sos_commands/lvm2/lvs_-a_-o_devices_--config_global_a_1",
    )
    lsscsi = "/usr/sbin/lsscsi -i", "sos_commands/scsi/lsscsi"
    entries: list[dict[str, object]] = [
        listed(*lvs),
        listed(*lsscsi),
        listed("lspath", ""),
        {"exec": None, "filepath": "a"},
        {},
    ]
    assert commands_listed(MANIFEST, manifest(*entries).encode()) == {
        f"sosreport-a/{lvs[1]}": lvs[0],
        f"sosreport-a/{lsscsi[1]}": "lsscsi -i",
    }


@pytest.mark.parametrize("content", [
    b"", b"{", b"[1]", b"null", b"\xff\0", b"[" * 100_000,
    b'{"components": 1}',
    b'{"components": {"report": {"plugins": {"a": 1}}}}',
    b'{"components": {"report": {"plugins": {"a": {"commands": [1, {"exec": 1}]}}}}}',
])  # fmt: skip
def test_a_damaged_manifest_lists_nothing(content: bytes) -> None:
    """The names of the files are there still."""
    assert commands_listed(MANIFEST, content) == {}


@pytest.mark.parametrize(("status", "is_cut", "part"), [(124, False, "head"), (0, True, "tail")])
def test_an_output_that_was_cut_is_a_part(status: int, is_cut: bool, part: str) -> None:
    """A command that took too long lacks its end, one that printed too much its beginning."""
    entry = listed("lsblk -O -P", "sos_commands/block/lsblk_-O_-P", status, is_cut=is_cut)
    assert [*commands_listed(MANIFEST, manifest(entry).encode()).values()] == [f"lsblk -O -P | {part}"]


def test_the_rest_of_a_long_output_is_read_as_a_part() -> None:
    """It lies in another directory; the manifest is not needed."""
    file = "sosreport-a/sos_strings/block/lsblk_-O_-P.tailed"
    assert command_of_sos(file) == "lsblk -O -P | tail"
    assert TEXTS.is_text(file, b"anything", 1)


def commands_of(path: str) -> dict[str, tuple[str, str]]:
    """Return the command of each text of an archive, and the first word of its form."""
    (tree,) = open_capture(path).passes
    return {text.origin: (text.command, text.form.partition(",")[0]) for text in tree.texts}


def test_a_manifest_is_read_wherever_it_stands_in_the_archive(tmp_path: Path) -> None:
    """It is no text itself, and comes behind the outputs."""
    listing = manifest(listed("lsblk -i", "sos_commands/block/lsblk"))
    path = packed(tmp_path / "a", {LSBLK_FILE: LSBLK, MANIFEST: listing})
    assert commands_of(path) == {"lsblk": ("lsblk -i", "lsblk")}


def test_an_output_without_its_end_leaves_open_what_it_does_not_show(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A disk of which it shows no use is not taken for a free one, and what is lacking is said."""
    whole = {LSDASD_FILE: LSDASD_UID, LSBLK_FILE: LSBLK}
    cut = manifest(listed("lsblk", "sos_commands/block/lsblk", 124))
    told = []
    for name, members in (("whole", whole), ("cut", {**whole, MANIFEST: cut})):
        main(["where", "dasda", "--from", packed(tmp_path / name, members), "-f", "json"])
        (answer,) = json.loads(capsys.readouterr().out)
        told.append([what for what in answer["not_looked_at"] if "block/lsblk" in what])
    assert [bool(remarks) for remarks in told] == [False, True]


@pytest.mark.parametrize("is_packed", [True, False])
def test_a_text_may_be_larger_than_a_kernel_file(tmp_path: Path, *, is_packed: bool) -> None:
    """As udev's data base of thousands of disks is."""
    long = LSDASD_UID + "0.0.7100 dasdz IBM.7\n" * (MAX_FILE // 20)
    if is_packed:
        path = packed(tmp_path / "a", {LSDASD_FILE: long})
    else:
        (tmp_path / LSDASD_FILE).parent.mkdir(parents=True)
        (tmp_path / LSDASD_FILE).write_text(long)
        path = str(tmp_path)
    (tree,) = open_capture(path).passes
    assert [len(text.text) for text in tree.texts] == [len(long)]


def test_a_text_too_long_is_left_out_with_a_note(tmp_path: Path) -> None:
    """The others are read."""
    members = {LSBLK_FILE: LSBLK, LSDASD_FILE: "\n" * (MAX_TEXT + 1)}
    capture = open_capture(packed(tmp_path / "a", members))
    assert [text.command for text in capture.passes[0].texts] == ["lsblk"]
    assert [note for note in capture.notes if f"{MAX_TEXT:,}" in note and LSDASD_FILE in note]


def test_files_of_containers_are_none_of_the_machine(tmp_path: Path) -> None:
    """A container sees other mounts, and runs the same tools."""
    members = {
        LSDASD_FILE: LSDASD_UID,
        "sosreport-a/proc/mounts": "/dev/dasda1 / ext4 rw 0 0\n",
        "sosreport-a/sos_containers/db/proc/mounts": "overlay / overlay rw 0 0\n",
        "sosreport-a/sos_containers/db/sos_commands/block/lsblk": LSBLK,
    }
    capture = open_capture(packed(tmp_path / "a", members))
    (tree,) = capture.passes
    assert tree.read("proc/mounts").startswith(b"/dev/dasda1")
    assert [text.command for text in tree.texts] == ["lsdasd -u"]
    assert [note for note in capture.notes if "2 of containers" in note]


@pytest.mark.parametrize("is_packed", [True, False])
def test_copies_are_not_older_than_what_sos_printed_first(tmp_path: Path, *, is_packed: bool) -> None:
    """A file of /proc has the time when the kernel first looked it up, and sos keeps that."""
    began, looked_up = 1_773_738_000, 1_773_700_000
    members = {"sosreport-a/proc/diskstats": ("", looked_up), LSDASD_FILE: (LSDASD_UID, began),
               "sosreport-a/proc/stat": ("cpu 1\n", began + 5), LSBLK_FILE: (LSBLK, began + 9)}  # fmt: skip
    for name, (content, time) in members.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
        os.utime(tmp_path / name, (time, time))
    if is_packed:
        with tarfile.open(tmp_path / "a.tar", "w") as tar:
            tar.add(tmp_path / "sosreport-a", "sosreport-a")
    (tree,) = open_capture(str(tmp_path / "a.tar" if is_packed else tmp_path / "sosreport-a")).passes
    assert [tree.when(f"proc/{name}") // SECOND - began for name in ("diskstats", "stat")] == [0, 5]


SIGNS = "├└│─"
TREES = (
    "block/lsblk",
    "block/lsblk_-D",
    "block/lsblk_-t",
    "filesys/findmnt",
    "devicemapper/dmsetup_ls_--tree",
)


@pytest.mark.parametrize("file", TREES)
def test_a_sign_that_sos_lost_is_put_into_its_tree(file: str) -> None:
    """It loses a character that lies in two parts of 2,048 bytes; every third sign here, one at a time."""
    with tarfile.open(REAL / "sos.tar.xz") as tar:
        name = next(name for name in tar.getnames() if name.endswith(f"sos_commands/{file}"))
        member = tar.extractfile(name)
        assert member is not None
        tree = member.read().decode()
    command = command_of_sos(name)
    places = [at for at, sign in enumerate(tree) if sign in SIGNS]
    assert len(places) > 30
    assert mended(command, tree) == tree
    for at in places[::3]:
        assert mended(command, tree[:at] + tree[at + 1 :]) == tree, (at, tree[at - 20 : at + 20])


@pytest.mark.parametrize("other", ["host0", "obfuscatedword12"])
def test_a_row_is_read_in_which_sos_clean_replaced_a_name(other: str) -> None:
    """What stands behind the name is no more below its heading."""
    listed = """\
NAME          FSTYPE LABEL    UUID                                 MOUNTPOINTS
lnxherc1-root xfs             bc7fc887-22c9-6b63-6e9d-b2540f2009a3 /
dasdf1        xfs    lnxherc1 6dc48f28-7c6d-467a-a22f-f80bca942a35 /srv
dasdf2        xfs    other    bbbbbbbb-7c6d-467a-a22f-f80bca942a35
"""
    facts = facts_in(listed.replace("lnxherc1", other), "lsblk -f -l")
    assert {name: uuid[:8] for name, (_sort, uuid, _place) in facts.contents.items()} == {
        f"mapper/{other}-root": "bc7fc887", "dasdf1": "6dc48f28", "dasdf2": "bbbbbbbb",
    }  # fmt: skip


@pytest.mark.parametrize("other", ["host0", "obfuscatedword12"])
def test_a_tree_is_read_in_which_sos_clean_replaced_a_name(other: str) -> None:
    """Numbers that end below their headings are moved, too."""
    tree = """\
NAME              DISC-ALN DISC-GRAN DISC-MAX DISC-ZERO
dasda                    0        4K       1G         0
└─lnxherc1-root          0        4K       1G         0
dasdb                    0        0B       0B         0
"""
    rows = facts_in(tree.replace("lnxherc1", other), "lsblk -D").rows[LAYER.name].values()
    below = {row["mapped"][0].value: row["below"][0].value for row in rows if "mapped" in row}
    assert below == {f"{other}-root": "dasda"}


def test_a_hole_in_a_list_tells_nothing_of_what_devices_are_built_on() -> None:
    """In a tree the line that is not understood may be one of any device."""
    rows = "NAME MAJ:MIN TYPE\ndasda 94:0 disk\n###\ndb-data 253:0 lvm\n"
    hidden = [facts_in(rows, command).value(LAYER, "253:0", "below") for command in ("lsblk -l", "lsblk")]
    assert [isinstance(value, Absent) for value in hidden] == [True, False]


@pytest.mark.parametrize("name", ["sos_commands__block__lsblk", "a/sos_commands__block__lsblk"])
def test_a_path_of_sos_may_be_kept_as_a_name(name: str) -> None:
    """Where somebody has put some files of an archive into one directory."""
    assert command_of_sos(name) == "lsblk"
    assert command_of_sos("x__lsblk") == ""
