"""Entries of a user directory are found in any text, and nothing else is taken for one."""

from __future__ import annotations

import io
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.goldens import compare
from zmon.cp import user_directory
from zmon.cp.claim_sources import ANSWERS, BOTH, CpText, claims_of_texts, parse_text
from zmon.cp.user_directory import NO_OWNER, UserDirectory, parse

if TYPE_CHECKING:
    from zmon.topology.claims import Claim

SAMPLES = Path(__file__).parents[1] / "fixtures" / "cp"
NAMES = sorted(path.stem for path in SAMPLES.glob("directory-*.txt"))


def sample(name: str) -> tuple[bytes, list[str]]:
    """Return the data of a sample, and what its header expects of it."""
    lines = (SAMPLES / f"{name}.txt").read_bytes().splitlines(keepends=True)
    header = [line for line in lines if line.startswith(b"# ")]
    expected = [line[10:].decode().strip() for line in header if line.startswith(b"# expect: ")]
    return b"".join(lines[len(header) :]), expected


def directory(name: str) -> UserDirectory:
    """Read a sample."""
    return parse(sample(name)[0], f"{name}.txt")


def read(text: str) -> UserDirectory:
    """Read records."""
    return parse(text.encode(), "x.txt")


EXPECTED = [
    (name, expected) for name in NAMES for expected in sample(name)[1] if expected.startswith("vdev=")
]


@pytest.mark.parametrize(("name", "expected"), EXPECTED)
def test_samples_give_what_their_headers_say(name: str, expected: str) -> None:
    """Each word `key=value` of an expectation holds of one of the claims about its device."""
    said = dict(re.findall(r"(\w+)=(\w+)", expected.partition("(")[0]))
    found = [claim for claim in directory(name).claims() if claim.vdev == said["vdev"]]
    assert any(
        (claim.volser == said.get("volser", ""))
        and (claim.rdev == said.get("rdev", ""))
        and (claim.mode == said.get("mode", "").replace("default", "") or "mode" not in said)
        and ("start" not in said or claim.first == int(said["start"]))
        and ("size" not in said or claim.length == (None if said["size"] == "END" else int(said["size"])))
        for claim in found
    ), found


def one(name: str, vdev: str) -> Claim:
    """Return what the statement of a sample says of a device."""
    (found,) = (
        statement
        for entry in directory(name).entries
        for statement in entry.statements
        if statement.vdev == vdev
    )
    return found.claims[0]


@pytest.mark.parametrize("vdev", ["0102", "0103", "0B2F"])
def test_a_minidisk_may_be_a_whole_volume(vdev: str) -> None:
    """From cylinder 0 to the end, or named by the real device."""
    disk = one("directory-forms", vdev)
    assert disk.via == "MDISK"
    assert disk.rdev or (disk.first, disk.length) == (0, None)


def test_a_minidisk_up_to_the_end_is_no_whole_volume() -> None:
    """Cylinder 0 with the label is not its own."""
    disk = one("directory-forms", "0101")
    assert (disk.via, disk.volser != "", disk.first, disk.length) == ("MDISK", True, 1, None)


@pytest.mark.parametrize(("vdev", "via", "length"), [("0104", "V-DISK", 2097152), ("0105", "T-DISK", 50)])
def test_a_disk_without_a_volume_says_so(vdev: str, via: str, length: int) -> None:
    """It is claimed, with its size and neither label nor real device."""
    (claim,) = (claim for claim in directory("directory-forms").claims() if claim.vdev == vdev)
    assert (claim.via, claim.length, claim.rdev, claim.volser) == (via, length, "", "")


def test_five_hex_digits_are_a_device_or_a_label() -> None:
    """Both are claimed, and both are weak."""
    found = [claim for claim in directory("directory-forms").claims() if claim.vdev == "0203"]
    assert [(claim.rdev, claim.volser) for claim in found] == [("17203", ""), ("", "17203")]
    assert all("label" in claim.weak for claim in found)


def test_five_hex_digits_beyond_all_subchannel_sets_are_a_label() -> None:
    """No device has such a number."""
    (claim,) = read("DEDICATE 0203 DB720\n").claims()
    assert (claim.rdev, claim.volser, claim.weak) == ("", "DB720", "")


def test_a_dedicated_volume_may_be_read_only() -> None:
    """R/O may stand anywhere behind the label."""
    assert one("directory-forms", "0202").mode == "R/O"


def test_comments_give_nothing() -> None:
    """Nor do the records of the directory manager."""
    found = directory("directory-forms")
    assert not found.unread
    assert "0999" not in {claim.vdev for claim in found.claims()}


@pytest.mark.parametrize(("vdev", "via"), [("0190", "LINK MAINT 0190"), ("0200", "LINK LINUX1 0200")])
def test_a_link_to_an_entry_that_is_not_there_says_so(vdev: str, via: str) -> None:
    """The device is claimed, its volume is not."""
    (claim,) = (claim for claim in directory("directory-forms").claims() if claim.vdev == vdev)
    assert (claim.via, claim.volser, claim.rdev) == (via, "", "")
    assert f" of {via.split()[1]} " in claim.weak


@pytest.mark.parametrize("vdev", ["0100", "0101"])
def test_a_label_that_the_directory_manager_chooses_is_not_known(vdev: str) -> None:
    """The claim says why."""
    (claim,) = (claim for claim in directory("directory-dirmaint").claims() if claim.vdev == vdev)
    assert "directory manager" in claim.weak


def test_a_missing_profile_is_named() -> None:
    """Its disks are missing too."""
    assert directory("directory-casestudy").lacking() == ["profile LINDFLT"]


def test_the_case_study_has_28_volumes_and_two_links() -> None:
    """And nothing in it is unread."""
    found = directory("directory-casestudy")
    claims = found.claims()
    assert len(claims) == 30
    assert sum(bool(claim.volser) for claim in claims) == 28
    assert not found.unread


def test_a_byte_that_is_no_text_is_tolerated_and_named() -> None:
    """The statements beside it are read."""
    found = directory("directory-badbyte")
    assert [claim.volser for claim in found.claims()] == ["LNX006"]
    (note,) = found.notes
    assert note.startswith("directory-badbyte.txt:3: not UTF-8")


SSI = "directory-include-identity"


@pytest.mark.parametrize(("member", "label"), [("VMSYS01", "SSI101"), ("vmsys02", "SSI201")])
def test_a_member_has_its_own_volumes(member: str, label: str) -> None:
    """With its name there is no doubt."""
    found = [claim for claim in directory(SSI).claims("linuxa", member) if claim.volser]
    assert [(claim.vdev, claim.volser, claim.weak) for claim in found] == [("0100", label, "")]


def test_without_the_member_both_volumes_are_weak() -> None:
    """The claims say on which member."""
    found = [claim for claim in directory(SSI).claims("LINUXA") if claim.volser]
    assert [claim.volser for claim in found] == ["SSI101", "SSI201"]
    assert all(f"member VMSYS0{n}" in claim.weak for n, claim in enumerate(found, 1))


@pytest.mark.parametrize("user", ["LINUXA", "LINUXB"])
def test_a_profile_belongs_to_those_who_include_it(user: str) -> None:
    """Its links are theirs."""
    (claim,) = (claim for claim in directory(SSI).claims(user) if claim.vdev == "0190")
    assert (claim.user, claim.via) == (user, "LINK MAINT 0190")


def test_a_link_is_followed_to_the_volume() -> None:
    """Also into the subconfiguration of a member."""
    (claim,) = (claim for claim in directory(SSI).claims("LINUXB", "VMSYS02") if claim.vdev == "0200")
    assert (claim.volser, claim.mode, claim.via, claim.weak) == (
        "SSI201",
        "RR",
        "LINK LINUXA 0100, MDISK",
        "",
    )


def test_entries_of_two_files_know_each_other() -> None:
    """A link may lead from one into the other, and the claim stands where the link stands."""
    first = parse(b"USER A X 1G 1G G\nLINK B 191 391 RR\n", "a.txt")
    second = parse(b"USER B X 1G 1G G\nMDISK 191 3390 1 5 LNX001 MR\n", "b.txt")
    (claim,) = (first + second).claims("a")
    assert (claim.vdev, claim.volser, claim.place) == ("0391", "LNX001", "a.txt:2")


def test_links_in_a_circle_end() -> None:
    """And say so."""
    (claim,) = read("USER A X 1G 1G G\nLINK B 191\nUSER B X 1G 1G G\nLINK A 191\n").claims("A")
    assert claim.weak.endswith(" through A 0191")


def test_many_links_are_not_followed() -> None:
    """Four, one behind the other, are."""
    text = "".join(f"USER U{n} X 1G 1G G\nLINK U{n + 1} 191\n" for n in range(9))
    text += "USER U9 X 1G 1G G\nMDISK 191 3390 1 5 LNX001\n"
    assert read(text).claims("U0")[0].weak.startswith("more than 4 links ")
    assert read(text).claims("U6")[0].volser == "LNX001"


def test_a_link_may_lead_to_a_device_of_its_own() -> None:
    """An asterisk is the guest itself, also in a profile."""
    text = "PROFILE P\nLINK * 191 391 RR\nUSER A X 1G 1G G\nINCLUDE P\nMDISK 191 3390 1 5 LNX001\n"
    assert {(c.vdev, c.volser) for c in read(text).claims()} == {("0391", "LNX001"), ("0191", "LNX001")}


def test_a_device_defined_often_is_not_chosen_from() -> None:
    """The link says how often."""
    text = "USER A X 1G 1G G\nLINK B 191\nUSER B X 1G 1G G\n" + "".join(
        f"MDISK 191 3390 1 5 LNX00{n}\n" for n in range(5)
    )
    assert read(text).claims("A")[0].weak == "the entry of B defines 0191 5 times"


def test_what_the_entry_defines_itself_weakens_its_profile() -> None:
    """Both are claimed."""
    text = "PROFILE P\nMDISK 191 3390 1 5 OLD001\nUSER A X 1G 1G G\nINCLUDE P\nMDISK 191 3390 1 5 NEW001\n"
    assert [(c.volser, bool(c.weak)) for c in read(text).claims()] == [("OLD001", True), ("NEW001", False)]


def test_statements_before_any_user_belong_to_who_is_named() -> None:
    """A pasted part of an entry is of use."""
    (claim,) = parse(b"MDISK 191 3390 1 5 LNX001 MR\n", "x.txt", "lin1").claims()
    assert (claim.user, claim.vdev) == ("LIN1", "0191")


@pytest.mark.parametrize(
    ("record", "statement"),
    [
        ("m 191 3390 1 end lnx001", "MDISK"),
        ("MDIS 191 3390 1 END LNX001", "MDISK"),
        ("ded 191 7103", "DEDICATE"),
        ("l maint 190", "LINK"),
        ("00012 MDISK 191 3390 1 END LNX001", "an editor's number"),
        ("===== MDISK 191 3390 1 END LNX001", "an editor's prefix"),
        (f"{'MDISK 191 3390 1 END LNX001':72}00012000", "a sequence number"),
        ("MDISK 191 3390 1 END,\n   LNX001 MR", "a record that goes on"),
        ("MDISK 191 3390 1 END,\n* comment\n   LNX001,\n  MR", "a comment within"),
    ],
)
def test_records_are_read_in_every_form(record: str, statement: str) -> None:
    """Short, in lower case, continued, from an editor: it is the same."""
    found = read(f"USER A X 1G 1G G\n{record}\n")
    assert len(found.claims()) == 1, statement
    assert not found.unread


MISTAKES = (
    "MDISK 191",
    "MDISK 1919X 3390 1 END LNX001",
    "MDISK 191 3390 1 END",
    "MDISK 191 3390 1 5 TOOLONG",
    "MDISK 191 3390 1 5 LNX001 SECRET",
    "MDISK=VDEV=191 DEVTYPE=3390 START=1 COUNT=5",
    "MDISK=VDEV=191 VDEV=192",
    "DEDICATE 0009 GRAF",
    "LINK MAINT",
    "MDIKS 191 3390 1 5 LNX001",
    "MDISK 191 3390 1 5 LNX001,",
)


def test_what_is_not_understood_is_counted_with_its_line() -> None:
    """It gives no claim."""
    told = []
    for record in MISTAKES:
        found = read(f"USER A X 1G 1G G\n{record}\n")
        (unread,) = found.unread
        assert (unread.line, found.claims()) == (2, [])
        told += [record, f"  {unread.why}"]
    compare("said/directory", told)


@pytest.mark.parametrize(
    ("record", "weak"),
    [
        ("MDISK 191 3390 DEVNO 710", "digits only"),
        ("MDISK 191 3390 DEVNO 7103", "may be cut"),
        ("MDISK 191 3390 1 END LNX0", "may be cut"),
        ("MDISK=VDEV=191 DEVTYPE=3390 START=1 COUNT=5 VOLID=LNX", "may be cut"),
        ("DEDICATE 191 7103", "may be cut"),
        ("MDISK 191 3390 1 END MR\n", "access mode"),
        ("MDISK 191 3390 1 END &SYSRES\n", "CP was loaded"),
    ],
)
def test_what_may_be_misread_is_weak(record: str, weak: str) -> None:
    """Above all the last word of a text that ends without an end of line."""
    (claim,) = read(f"USER A X 1G 1G G\n{record}").claims()
    assert weak in claim.weak


def test_other_statements_are_understood() -> None:
    """They are no disks."""
    found = read("USER A X 1G 1G G\nCPU 00\nNICDEF 600 TYPE QDIO\nIPL CMS PARM SECRET\n")
    assert found.unread_count == 0


def test_profiles_do_not_multiply_without_end() -> None:
    """A profile that is included often counts once for a guest, and one that includes itself ends."""
    text = "PROFILE P\nINCLUDE P\nMDISK 191 3390 1 5 LNX001\nUSER A X 1G 1G G\n" + "INCLUDE P\n" * 1000
    assert len(read(text).claims()) == 1


def test_unread_records_are_counted_without_end() -> None:
    """What is wrong is kept of the first of them."""
    found = read("USER A X 1G 1G G\n" + "MDISK 191\n" * 1005)
    assert (found.unread_count, len(found.unread)) == (1005, 1000)


def test_a_record_may_not_be_as_long_as_a_book() -> None:
    """Those after it are read."""
    found = read(f"USER A X 1G 1G G\nMDISK {'1' * 5000}\nMDISK 191 3390 1 5 LNX001\n")
    assert [unread.line for unread in found.unread] == [2]
    assert len(found.claims()) == 1


def test_statements_are_read_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hostile text cannot fill the memory."""
    monkeypatch.setattr(user_directory, "MAX_STATEMENTS", 3)
    found = read("USER A X\n" + "MDISK 191 3390 1 5 LNX001\n" * 4)
    assert (len(found.claims()), found.unread_count) == (2, 2)
    assert found.unread[0].why == "there are 3 statements before it"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_any_way(end: str) -> None:
    """And are counted the same."""
    (claim,) = read(f"USER A X{end}{end}MDISK 191 3390 1 5 LNX001{end}").claims()
    assert (claim.line, claim.weak) == (3, "")


# --- passwords --------------------------------------------------------------------------------

WORD = st.text("GHJKLNPQTUVXYZ#@$", min_size=5, max_size=8)
"""Words that are no mode, no number, no part of a statement or of a message."""

BEFORE = (
    "USER LIN1 {} 1G 1G G", "IDENTITY LIN2 {} 1G", "USER LIN3 {}", "user lin4 {} {}",
    "MDISK 0100 3390 1 END LNX001 MR {}", "MDISK 0100 3390 1 END LNX001 MR {} {} {}",
    "MDISK 0100 3390 DEVNO 7103 MR {} {}", "MDISK 0100 3390 1 END LNX001 {}",
    "MDISK 0100 FB-512 V-DISK 100 MR {}", "MDISK 0100 3390 AUTOG 5 GRP MR {}", "MDISK 0100 3390 T-DISK 5 {}",
    "MDISK=VDEV=0102 DEVTYPE=3390 START=1 COUNT=5 VOLID=LNX001 MODE=MR PW={} RPW={}",
    "MDISK 0100 3390 1 END LNX001 MR,\n {} {}", "MDISK 0100 3390 1 END LNX001 MR\n {} {}",
    "APPCPASS A B {} {}", "APPCPASS {}", "MDIKS 0100 3390 1 END LNX001 MR {}", "USR LIN1 {}", "{}", "*PW {}",
    "MDISK 0100 3390 {}", "MDISK 0100 3390 1 END MR {} {}", "MDISK 0100 3390 1 MR {}", "IPL CMS PARM {}",
    "LINK MAINT 0190 0190 RR {}", "LINK MAINT 0190 0190 {}", "DEDICATE 7200 7200 {}",
)  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(BEFORE), WORD), min_size=1, max_size=6), st.booleans())
def test_a_password_is_never_kept(records: list[tuple[str, str]], small: bool) -> None:
    """Wherever it stands, it is in nothing that is said of the text."""
    text = "".join(f"{form.replace('{}', word)}\n" for form, word in records)
    found = parse((text.lower() if small else text).encode(), "x.txt")
    claims = found.claims()
    told = repr((found, found.entries, found.unread, found.notes, claims, found.lacking())) + json.dumps(
        [list(map(vars, found.entries)), found.unread, found.notes, claims]
    )
    assert not any(word.upper() in told.upper() for _form, word in records)


# --- any input --------------------------------------------------------------------------------

REAL = b"".join(sample(name)[0] for name in NAMES)


@given(st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes) -> None:
    """Nothing is raised."""
    parse(data, "x.txt").claims()


@given(st.data())
def test_garbled_entries_are_read(data: st.DataObject) -> None:
    """What is claimed stands in the text."""
    garbled = bytearray(REAL)
    for at in data.draw(st.lists(st.integers(0, len(REAL) - 1), max_size=20)):
        garbled[at] = data.draw(st.integers(0, 255))
    found = parse(bytes(garbled), "x.txt")
    text = bytes(garbled).decode("utf-8", "replace").upper()
    for claim in found.claims():
        assert claim.volser in text
        assert claim.rdev.lstrip("0") in text
        assert claim.vdev.lstrip("0") in text


MDISK = "MDISK 0103 3390 DEVNO 17103 MR"


@pytest.mark.parametrize("length", range(len(MDISK)))
def test_a_statement_that_is_cut_gives_the_device_or_doubt(length: int) -> None:
    """A cut number is never claimed without saying so."""
    for claim in read(f"USER A X 1G 1G G\n{MDISK[:length]}").claims():
        assert claim.weak or (claim.vdev, claim.rdev) == ("0103", "17103")


def test_statements_know_their_sort() -> None:
    """INCLUDE and BUILD are kept as such."""
    (_, identity, *_rest) = directory(SSI).entries
    assert [statement.name for statement in identity.statements] == ["BUILD", "BUILD", "INCLUDE"]


CONSOLES = Path(__file__).parents[1] / "fixtures" / "console"
DISK = "DASD 0100 3390 LX4A01 R/W      10016 CYL ON DASD  4A01 SUBCHANNEL = 0000\n"
ENTRY = "USER LINDB01 XXXXXXXX 4G 8G G\n MDISK 0100 3390 1 END LNX001 MR\n"


def console(name: str) -> CpText:
    """Read a console log."""
    return parse_text((CONSOLES / f"{name}.txt").read_bytes(), name)


def labels(text: str) -> list[tuple[str, str, str]]:
    """Return what the directory entries of a text say: user, device, label."""
    return [(claim.user, claim.vdev, claim.volser) for claim in parse(text.encode(), "x").claims()]


def test_a_console_log_is_no_directory() -> None:
    """Echoed links, logon messages and the status lines of a 3270 script are no statements."""
    text = console("script-3270")
    assert not text.directory.entries
    assert [row.vdev for row in text.answers.rows["disk"]] == ["0190", "0191", "043A", "7200"]
    assert [line for line, _ in text.unknown] == [2, 3]


@pytest.mark.parametrize(
    "line",
    ["user direct is shown below", "user linux1 not logged on", "link x 190 190 rr",
     "link x 190 190 rr secret", "U F U C(host) I 4 24 80 5 0 0x0 0.001", "L U U N N 4 43 80 0 0 0x0 -",
     "USER A : RELATIVE SHARE =   100", "profile exec runs at logon", "dedicate a volume",
     "MDISK", "include the following:"],
)  # fmt: skip
def test_one_line_never_makes_a_directory_of_answers(line: str) -> None:
    """The answer below it is understood."""
    for text in (f"{line}\n{DISK}", f"{DISK}{line}\n", f"{line}\n" * 3 + DISK):
        found = parse_text(text.encode(), "x")
        assert not found.directory.entries
        assert [row.rdev for row in found.answers.rows["disk"]] == ["4A01"]


def test_a_console_log_may_show_an_entry() -> None:
    """Both are understood, with their own line numbers; a statement that is not known is counted."""
    text = console("listed-entry")
    assert [(claim.vdev, claim.line) for claim in text.directory.claims()] == [
        ("043A", 15), ("0B54", 16), ("0190", 17),
    ]  # fmt: skip
    assert [(claim.vdev, claim.line) for claim in text.answers.claims()] == [("043A", 23), ("0B54", 24)]
    assert (text.unknown_count, [line for line, _ in text.unknown]) == (2, [6, 14])


def test_prose_ends_an_entry() -> None:
    """What is quoted below it stays, but is doubtful and nobody's."""
    found = console("mail").directory.claims()
    assert [(claim.user, claim.volser, claim.weak) for claim in found] == [
        ("LINDB01", "LNX001", ""),
        ("LINDB01", "LNX002", ""),
        ("", "OLD777", NO_OWNER),
    ]


def test_two_guests_of_a_console_stay_apart() -> None:
    """The disk 0100 of each is its own."""
    claims = console("two-guests").answers.claims()
    assert [(claim.user, claim.rdev) for claim in claims] == [
        ("LINDB01", "4A01"), ("LINDB01", "4A02"), ("LINDB02", "4B01"),
    ]  # fmt: skip
    assert console("two-guests").unknown_count == 0


@pytest.mark.parametrize("prefix", ["", "00: ", "10:22:33 ", "data: ", "10:22:33 00: "])
def test_an_entry_on_a_console_has_its_prefix(prefix: str) -> None:
    """It is the same entry."""
    text = "".join(f"{prefix}{line}\n" for line in (ENTRY + DISK).splitlines())
    found = parse_text(text.encode(), "x")
    assert [claim.volser for claim in found.directory.claims()] == ["LNX001"]
    assert [claim.rdev for claim in found.answers.claims()] == ["4A01"]


@pytest.mark.parametrize(
    "between",
    [DISK, "Ready; T=0.01/0.01 14:02:01\n", "The next file has this line.\n", "q v dasd\n",
     "CPU 00  ID  FF01ABCD28278000 (BASE) CP   CPUAFF ON\n", "CONS 0009 ON LDEV L0003   TERM START\n",
     "USER LINUX2 : RELATIVE SHARE =   100\n", "Option 3 is better, load the module\n"],
)  # fmt: skip
def test_what_is_no_statement_ends_an_entry(between: str) -> None:
    """A statement below it is not claimed for that guest."""
    assert labels(f"{ENTRY}{between} MDISK 0102 3390 1 END OLD777 MR\n") == [
        ("LINDB01", "0100", "LNX001"),
        ("", "0102", "OLD777"),
    ]


@pytest.mark.parametrize(
    "between",
    ["", "\n", "* comment\n", " NEWSTMT 12\n", " MDISK 0101\n", " CONS 0009 3215 T\n", " OPTION LNKNOPAS\n",
     " COMMAND COUPLE 0600 TO SYSTEM VSW1\n", " command couple 0600 to system vsw1\n"],
)  # fmt: skip
def test_what_may_stand_in_an_entry_does_not_end_it(between: str) -> None:
    """Comments, statements without a disk, and one that is wrong or not known."""
    assert labels(f"{ENTRY}{between} MDISK 0102 3390 1 END LNX002 MR\n")[1:] == [
        ("LINDB01", "0102", "LNX002")
    ]


def test_many_strange_records_end_an_entry() -> None:
    """Three may be new statements; more are something else."""
    strange = " NEWSTMT 12\n" * 4
    assert labels(f"{ENTRY}{strange} MDISK 0102 3390 1 END LNX002 MR\n")[1][0] == ""


def test_a_part_of_an_entry_is_this_guests() -> None:
    """Where no entry stands before it; links alone are no part of one."""
    assert labels("LINK MAINT 190 190 RR\nMDISK 0100 3390 1 END LNX001 MR\n")[-1] == ("", "0100", "LNX001")
    assert labels("LINK MAINT 190 190 RR\n") == []


@pytest.mark.parametrize(
    "text",
    ["PROFILE IBMDFLT\n SPOOL 000C 2540 READER *\n CONSOLE 009 3215 T\n", "USER LINDB02 NOLOG\n INCLUDE P\n",
     "USER LINDB02 XXXXXXXX 1G 2G G\n"],
)  # fmt: skip
def test_an_entry_without_a_device_is_an_entry(text: str) -> None:
    """It is read and counted, and claims nothing."""
    found = parse_text(text.encode(), "x")
    assert (len(found.directory.entries), found.unknown_count, found.directory.claims()) == (1, 0, [])


def test_a_text_with_both_says_so() -> None:
    """And of a text of answers it is not said."""
    (report,) = claims_of_texts([("x", (ENTRY + DISK).encode())], "LINDB01").reports
    assert (report.content, report.counts["user"], report.counts["disk"]) == (BOTH, 1, 1)
    assert claims_of_texts([("x", DISK.encode())]).reports[0].content == ANSWERS


def test_a_line_near_an_entry_is_not_shown() -> None:
    """It may be what is left of a statement with a password."""
    found = parse_text(f"{ENTRY}and so on: SECRET\n%%% SECRET\n".encode(), "x")
    assert found.unknown_count == 2
    assert "SECRET" not in repr((found.unknown, found.odd, found.directory.unread))


@given(st.data())
def test_any_mixture_of_lines_is_read(data: st.DataObject) -> None:
    """Every answer that is whole is understood, whatever stands around it, and no line is counted twice."""
    pool = [line for path in sorted(CONSOLES.glob("*.txt")) for line in path.read_text().splitlines()]
    drawn = data.draw(st.lists(st.sampled_from(pool) | st.text(max_size=30), max_size=25))
    lines = "\n".join(drawn).split("\n")
    found = parse_text("\n".join([*lines, DISK]).encode("utf-8", "replace"), "x")
    assert "4A01" in {row.rdev for row in found.answers.rows["disk"]}
    spans = [(entry.first, entry.last) for entry in found.directory.entries]
    assert all(first <= last for first, last in spans)
    assert all(one[1] < other[0] for one, other in pairwise(spans))


@given(st.binary(max_size=300))
def test_any_bytes_are_read_entries(data: bytes) -> None:
    """Nothing is raised, and lines are counted as they are in the text."""
    found = parse_text(data, "x")
    assert found.unknown_count <= len(io.BytesIO(data.replace(b"\r", b"\n")).readlines()) + 1
