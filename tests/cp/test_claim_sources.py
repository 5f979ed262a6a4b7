from __future__ import annotations

import errno
import gzip
import io
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cp import claim_sources
from zmon.cp.claim_sources import (
    FileClaims,
    ask_claims,
    captured_answers,
    claims_of_capture,
    claims_of_texts,
    origin_of,
    parse_text,
    read_cp,
    read_file,
)
from zmon.cp.vmcp import EVERYBODY, Cp, VmcpDevice
from zmon.kinds import CLAIM
from zmon.topology.claims import claims_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zmon.kernel.tree import Tree


def read_claims(paths: list[str]) -> FileClaims:
    """Return the claims of files."""
    return claims_of_texts([(origin_of(path), read_file(path)) for path in paths])


SAMPLES = Path(__file__).parents[1] / "fixtures" / "cp"


def sample(name: str) -> bytes:
    """Return the data of a sample, without its header."""
    lines = (SAMPLES / f"{name}.txt").read_bytes().splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith(b"# "))


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.txt")), ids=lambda path: path.stem)
def test_samples_are_what_their_names_say(path: Path) -> None:
    """Content decides: a directory is one, everything else are answers."""
    found = parse_text(sample(path.stem), path.name)
    is_directory = path.stem.startswith("directory-")
    assert (bool(found.directory.entries), bool(found.answers.rows) and is_directory) == (is_directory, False)


USERID = b"LINUXA   AT VMSYS02\n"
DISKS = b"DASD 0100 3390 LX4A01 R/W      10016 CYL ON DASD  4A01 SUBCHANNEL = 0000\n"


def test_query_userid_says_whose_entry_is_meant() -> None:
    """Guest and member of the single system image: then its claims are not weak, and about this guest."""
    found = claims_of_texts([("ssi.txt", sample("directory-include-identity")), ("cp.txt", USERID)])
    own = [claim for claim in found.claims if claim.user == ""]
    assert [(claim.vdev, claim.volser) for claim in own] == [("0100", "SSI201"), ("0190", "")]


def test_two_answers_of_query_userid_name_nobody() -> None:
    """Neither of them is this guest."""
    texts = [("ssi.txt", sample("directory-include-identity")), ("cp.txt", USERID + b"OTHER AT VMSYS02\n")]
    assert [claim for claim in claims_of_texts(texts).claims if claim.user == ""] == []


def test_the_user_may_be_named() -> None:
    """In either case; QUERY USERID of another then does not count."""
    texts = [("ssi.txt", sample("directory-include-identity")), ("cp.txt", USERID)]
    own = [claim for claim in claims_of_texts(texts, "linuxb", "vmsys01").claims if claim.user == ""]
    assert {claim.vdev for claim in own} == {"0190", "0200"}
    assert {claim.volser for claim in own if claim.vdev == "0200"} == {"SSI101"}


def test_a_single_entry_is_taken_for_this_guest_and_says_so() -> None:
    """Somebody who has one entry at hand has his own, most often."""
    found = claims_of_texts([("d.txt", sample("directory-forms"))])
    assert {claim.user for claim in found.claims} == {""}
    assert any("LINUX9 is the only guest" in note for report in found.reports for note in report.notes)


def test_the_entry_of_another_guest_stays_its_own() -> None:
    """When it is known who this one is."""
    found = claims_of_texts([("d.txt", sample("directory-forms"))], "LINDB01")
    assert {claim.user for claim in found.claims} == {"LINUX9"}


def test_entries_of_several_files_belong_together() -> None:
    """A link is followed from one into the other."""
    texts = [
        ("a.txt", b"USER A X 1G 1G G\nLINK B 191 391 RR\n"),
        ("b.txt", b"USER B X 1G 1G G\nMDISK 191 3390 1 5 LNX001 MR\n"),
    ]
    assert [claim.volser for claim in claims_of_texts(texts, "A").claims if not claim.user] == ["LNX001"]


def test_files_that_contradict_each_other_are_reported() -> None:
    """With both places."""
    other = DISKS.replace(b"4A01", b"4B07")
    (first, second) = claims_of_texts([("old.txt", DISKS), ("new.txt", other)]).conflicts
    assert first.split(": ")[1] == "4A01 (old.txt:1), 4B07 (new.txt:1)"
    assert second.split(": ")[1] == "LX4A01 (old.txt:1), LX4B07 (new.txt:1)"


def test_files_that_agree_are_no_conflict() -> None:
    """Both ways to the case study give the same labels."""
    texts = [
        ("q.txt", sample("qvdasd-casestudy")),
        ("d.txt", sample("directory-casestudy")),
        ("r.txt", sample("qdasd-casestudy")),
    ]
    found = claims_of_texts(texts, "LINDB01")
    assert not found.conflicts
    answers = {claim.vdev: claim.volser for claim in found.claims if claim.via == "QUERY VIRTUAL DASD"}
    entry = {claim.vdev: claim.volser for claim in found.claims if claim.via == "MDISK"}
    assert len(entry) == 28
    assert entry.items() <= answers.items()


def test_weak_claims_contradict_nobody() -> None:
    """A number that may be a label is no conflict."""
    assert not claims_of_texts([("a", DISKS), ("b", b"USER A X\nDEDICATE 0100 17203\n")]).conflicts


@pytest.mark.parametrize(
    ("listed", "decided"),
    [
        (b"DASD 17203 CP SYSTEM LX7203   2\n", ("17203", "", "")),
        (b"DASD 7203 CP SYSTEM 17203    2\n", ("", "17203", "")),
    ],
)
def test_a_list_of_real_devices_decides_what_a_word_is(listed: bytes, decided: tuple[str, str, str]) -> None:
    """A device number or a label; what it is not is left out."""
    found = claims_of_texts([("d", b"USER A X\nDEDICATE 0203 17203\n"), ("q", listed)])
    assert [(claim.rdev, claim.volser, claim.weak) for claim in found.claims if claim.vdev] == [decided]


@pytest.mark.parametrize("name", ["directory-casestudy", "junk", "empty", "qvdasd-truncated"])
def test_every_file_has_a_report(name: str) -> None:
    """What was understood, and how much was not."""
    (report,) = claims_of_texts([(name, sample(name))], "LINDB01").reports
    assert report.origin == name
    assert report.content == (
        "nothing known" if name == "empty" else "user directory" if "dir" in name else "answers of CP"
    )
    assert bool(report.unknown) == (name in {"junk", "qvdasd-truncated"})  # fmt: skip


# --- files ------------------------------------------------------------------------------------


def test_files_are_read(tmp_path: Path) -> None:
    """Plain or packed makes no difference."""
    (tmp_path / "a.txt").write_bytes(DISKS)
    (tmp_path / "b.gz").write_bytes(gzip.compress(DISKS))
    found = read_claims([str(tmp_path / "a.txt"), str(tmp_path / "b.gz")])
    assert [claim.rdev for claim in found.claims] == ["4A01", "4A01"]
    assert len(found.reports) == 2


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
@pytest.mark.parametrize("name", ["qvdasd-single", "directory-forms"])
def test_texts_of_other_systems_are_read(encoding: str, name: str) -> None:
    """As some shells of Windows write them."""
    data = sample(name)
    assert (
        claims_of_texts([("x", data.decode().encode(encoding))]).claims
        == claims_of_texts([("x", data)]).claims
    )


def test_standard_input_is_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name is a hyphen."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(DISKS)))
    assert read_claims(["-"]).claims[0].place == "-:1"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"x" * 101, "is larger than"),
        (gzip.compress(b"x" * 101, mtime=0), "is larger than"),
        (gzip.compress(b"x" * 50, mtime=0)[:-9], "ends too early"),
        (b"\x1f\x8b" + b"x" * 30, "damaged"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, words: str
) -> None:
    """Too large, also when unpacked, or damaged."""
    monkeypatch.setattr(claim_sources, "MAX_FILE", 100)
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(OSError, match=words) as found:
        read_file(str(tmp_path / "x"))
    assert found.value.filename == str(tmp_path / "x")


# --- captures ---------------------------------------------------------------------------------


def test_a_capture_tells_what_cp_answered(make_tree: Callable[..., Tree]) -> None:
    """All files in its directory, with their names."""
    tree = make_tree(
        {"cp/userid.txt": USERID, "cp/virtual-dasd.txt": DISKS, "cp/notes": b"", "proc/stat": b""},
        errors={"cp/load.txt": OSError(errno.EIO, "no /dev/vmcp")},
        times={"cp/virtual-dasd.txt": 7},
    )
    frame = claims_of_capture(tree)
    assert [(claim.vdev, claim.rdev, claim.place) for claim in claims_in(frame)] == [
        ("0100", "4A01", "cp/virtual-dasd.txt:1")
    ]
    assert frame.times == [7]


@pytest.mark.parametrize("live", [True, False])
def test_without_answers_there_is_a_reason(make_tree: Callable[..., Tree], live: bool) -> None:
    """A directory /cp of the running machine means nothing."""
    tree = make_tree({"cp/userid.txt": DISKS} if live else {"proc/stat": b""}, live=live)
    missing = claims_of_capture(tree).missing
    assert missing is not None
    assert "zmon capture --cp" in missing.reason


# --- any input --------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=300), max_size=3))
def test_any_bytes_are_told(texts: list[bytes]) -> None:
    """Nothing is raised."""
    found = claims_of_texts([(f"{number}", text) for number, text in enumerate(texts)])
    assert found.conflicts == found.conflicts[:]


@given(st.data())
def test_any_mixture_is_told(data: st.DataObject) -> None:
    """Lines of real samples in any order: a pair that is claimed stands in one line of the text."""
    pool = [line for name in MIXED for line in sample(name).splitlines()]
    lines = data.draw(st.lists(st.sampled_from(pool), max_size=20))
    for claim in parse_text(b"\n".join(lines) + b"\n", "x").answers.claims():
        if claim.vdev and claim.rdev:
            assert any(claim.vdev.encode() in line and claim.rdev.encode() in line for line in lines)


MIXED = ["qvdasd-minidisks", "directory-forms", "qdasd", "errors", "qvdasd-dedicated"]


class FakeDevice(VmcpDevice):
    """A device that answers by a table."""

    def __init__(self, answers: Mapping[bytes, bytes], code: int = 0) -> None:
        self.answers = answers
        self._code = code
        self.written: list[bytes] = []

    def resize(self, size: int) -> None:
        """Take any size."""

    def write(self, command: bytes) -> None:
        """Note the command."""
        self.written.append(command)

    def code(self) -> int:
        """Return the same code always."""
        return self._code

    def size(self) -> int:
        """Return the size."""
        return len(self.read())

    def read(self) -> bytes:
        """Return the answer to the last command."""
        return self.answers.get(self.written[-1], b"")

    def close(self) -> None:
        """Do nothing."""


@pytest.fixture
def asking() -> Callable[[FakeDevice], Cp]:
    """Ask a node, without waiting."""
    return lambda node: Cp(lambda: node, sleep=lambda _seconds: None)


def test_the_own_disks_are_claimed(asking: Callable[[FakeDevice], Cp]) -> None:
    """As /dev/vmcp says."""
    node = FakeDevice({b"QUERY USERID": b"LINDB01  AT ZVMPRD1\n", b"QUERY VIRTUAL DASD": DISKS})
    frame = ask_claims(asking(node), 7)
    (claim,) = claims_in(frame)
    assert (claim.vdev, claim.rdev, claim.volser, claim.user) == ("0100", "4A01", "LX4A01", "")
    assert claim.origin == "/dev/vmcp"
    assert frame.times == [7]


def test_they_are_not_asked_for_at_every_sample(asking: Callable[[FakeDevice], Cp]) -> None:
    """Disks change seldom, and CP is not free."""
    node = FakeDevice({b"QUERY VIRTUAL DASD": DISKS})
    cp = asking(node)
    ask_claims(cp)
    ask_claims(cp)
    assert node.written == [b"QUERY USERID", b"QUERY VIRTUAL DASD"]


@pytest.mark.parametrize(("code", "words"), [(0, "no disk"), (3, "not available")])
def test_without_disks_there_is_a_reason(asking: Callable[[FakeDevice], Cp], code: int, words: str) -> None:
    """CP's own, or that there are none."""
    missing = ask_claims(asking(FakeDevice({}, code))).missing
    assert missing is not None
    assert words in missing.reason


def refuse() -> FakeDevice:
    """Have no device."""
    raise OSError(errno.ENOENT, "No such file or directory")


def test_without_cp_there_is_a_reason() -> None:
    """What to do stands in it."""
    missing = ask_claims(Cp(refuse)).missing
    assert missing is not None
    assert "modprobe vmcp" in missing.reason


def test_a_capture_takes_what_every_guest_may_ask(asking: Callable[[FakeDevice], Cp]) -> None:
    """Once for all its passes."""
    node = FakeDevice({b"QUERY VIRTUAL DASD": DISKS})
    cp = asking(node)
    assert captured_answers(cp)["cp/virtual-dasd.txt"] == DISKS
    assert captured_answers(cp).keys() == {f"cp/{name}.txt" for name in EVERYBODY}
    assert len(node.written) == len(EVERYBODY)


def test_a_capture_without_cp_says_why() -> None:
    """For each file that is not there, having tried once."""
    tried: list[int] = []

    def refuse_once() -> FakeDevice:
        tried.append(1)
        return refuse()

    found = captured_answers(Cp(refuse_once, sleep=lambda _seconds: None))
    (words,) = {str(error) for error in found.values()}
    assert words.startswith("[Errno 5] no /dev/vmcp: ")
    assert len(found) == len(EVERYBODY)
    assert len(tried) == 1


# the source of a sample

OWN_DISK = b"DASD 0201 3390 LX4A01 R/W      10016 CYL ON DASD  4A01 SUBCHANNEL = 0000\n"


def test_captured_answers_are_claims(make_tree: Callable[..., Tree]) -> None:
    """They come with the capture, without being asked for."""
    (claim,) = claims_in(read_cp(make_tree({"cp/virtual-dasd.txt": OWN_DISK})))
    assert (claim.vdev, claim.rdev, claim.volser) == ("0201", "4A01", "LX4A01")


def test_a_capture_without_answers_says_how_to_get_some(make_tree: Callable[..., Tree]) -> None:
    """It is no error."""
    frame = read_cp(make_tree())
    assert frame.kind is CLAIM
    assert "zmon capture --cp" in str(frame.missing)
