"""Of a tool that was run twice on one host only what it said last counts, where the order can be known."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

import pytest

from tests.collected.answers import answers
from zmon.cli.main import main
from zmon.collected.text_reader import open_capture

if TYPE_CHECKING:
    from pathlib import Path

    from tests.collected.conftest import Ask
    from zmon.kernel.capture_text import CollectedText

_PVS: Final = "PV VG Fmt Attr PSize PFree\n/dev/dasd{disk}1 vgapp lvm2 a-- 20.63g 5.63g\n"
_LVS: Final = (
    "LV VG Attr LSize Pool Origin Data% Meta% Move Log Cpy%Sync Convert Devices\n"
    "app vgapp -wi-ao---- 15.00g /dev/dasd{disk}1(0)\n"
)
_LSDASD: Final = (
    "Bus-ID    Status    Name      Device  Type         BlkSz  Size      Blocks\n"
    f"{'=' * 80}\n"
    "0.0.0101  active    dasdb     94:4    ECKD         4096   21129MB   5409180\n"
    "0.0.0102  active    dasdc     94:8    ECKD         4096   21129MB   5409180\n"
)
_DF: Final = "Filesystem Size Used Avail Use% Mounted on\n/dev/mapper/vgapp-app 15G 12G 3.1G 80% /app\n"
_ZORA: Final = "zora:~ # "


def _ticket(first: str = "", second: str = "", prompt: str = _ZORA, disks: str = "bc") -> str:
    """Return a ticket in which /app moves from one disk to another, with what stands above each part."""
    parts = (
        f"{above}{prompt}pvs\n{_PVS.format(disk=disk)}{prompt}lvs -o +devices\n{_LVS.format(disk=disk)}"
        for above, disk in zip((first, second), disks, strict=True)
    )
    return f"{prompt}lsdasd\n{_LSDASD}{''.join(parts)}{prompt}df\n{_DF}"


def _without_prompts(text: str) -> str:
    return "".join(row for row in text.splitlines(keepends=True) if not row.startswith(_ZORA))


def _texts(tmp_path: Path, text: str, host: str = "") -> tuple[list[CollectedText], str]:
    (tmp_path / "t.txt").write_text(text)
    capture = open_capture(str(tmp_path), host)
    return [*capture.passes[-1].texts], " ".join(capture.notes)


ORDERED: Final = {
    "a session": _ticket(),
    "a session of any prompt": _ticket(prompt="# "),
    "a work between": _ticket(second=f"{_ZORA}pvmove /dev/dasdb1\n  /dev/dasdb1: Moved: 100.00%\n"),
    "words alone": _ticket("\nBefore:\n\n", "\nAfter:\n\n"),
    "words alone over a prompt without a host": _ticket("\nBefore:\n\n", "\nAfter:\n\n", prompt="# "),
    "ruled words": _ticket("== before ==\n", "== after ==\n", prompt="# "),
    "german words": _ticket("\nVorher:\n\n", "\nNachher:\n\n", prompt="# "),
    "sentences": _ticket("\nBefore the change:\n\n", "\nThis is what it was after:\n\n"),
    "words, the newest first": _ticket("\nAfter:\n\n", "\nBefore:\n\n", disks="cb"),
    "words without prompts": _without_prompts(_ticket("\nBefore:\n\n", "\nAfter:\n\n")),
    "dates of the command": _ticket(
        f"{_ZORA}date\nMon Mar 16 09:00:00 CET 2026\n", f"{_ZORA}date\nTue Mar 17 09:00:00 CET 2026\n"
    ),
    "dates, the newest first": _ticket(
        f"{_ZORA}date\n2026-03-17 09:00:00\n", f"{_ZORA}date\n2026-03-16 09:00:00\n", disks="cb"
    ),
    "dates of a loop": _without_prompts(
        _ticket("\nMon Mar 16 09:00:00 CET 2026\n", "\nTue Mar 17 09:00:00 CET 2026\n")
    ),
    "dates as headings": _without_prompts(_ticket("=== 2026-03-16 ===\n", "=== 2026-03-17 ===\n")),
}


@pytest.mark.parametrize("text", ORDERED.values(), ids=ORDERED.keys())
def test_what_a_tool_said_last_counts(text: str, tmp_path: Path) -> None:
    """By its place in a session, by words or by dates; what it said before is left out and named."""
    texts, notes = _texts(tmp_path, text)
    said = answers(texts, ["dasdb", "dasdc"], ["/app"])
    assert said["/app"].disks == {"dasdc"}
    assert said["dasdc"].uses == {"/app"}
    assert said["dasdb"].uses == set()
    lines = text.split("\n")
    old = lines.index("app vgapp -wi-ao---- 15.00g /dev/dasdb1(0)")
    assert {f"t.txt:{old}", f"t.txt:{old - 2}"} & set(re.findall(r"t.txt:[0-9]+", notes))  # where it begins


HEADED: Final = {
    "mail": ("From: A B <a@x.org>\nDate: Tue, 17 Mar 2026 11:12:00 +0100\nSubject: disks\n",
             "-----Original Message-----\nFrom: B C\nSent: Tuesday, 10 March 2026 09:01\nTo: A B\n"),
    "american mail": ("From: A B\nSent: Tuesday, March 17, 2026 9:01 AM\nTo: B C\n",
                      "From: B C\nSent: Monday, March 16, 2026 9:01 PM\nTo: A B\n"),
    "german mail": ("Von: A B\nGesendet: Dienstag, 17. März 2026 11:12\nAn: B C\n",
                    "Von: B C\nGesendet: Dienstag, 10. Februar 2026 12:01\nAn: A B\n"),
    "french mail": ("De : A B\nEnvoyé : mardi 17 août 2026 11:12\nÀ : B C\n",
                    "De : B C\nEnvoyé : mardi 10 mars 2026 09:01\nÀ : A B\n"),
    "quotation": ("Date: Tue, 17 Mar 2026 11:12:00 +0100\nSubject: disks\n",
                  "On 10 Mar 2026, at 09:01, B C <b@x.org> wrote:\n"),
    "folded quotation": ("Date: Tue, 17 Mar 2026 11:12:00 +0100\nSubject: disks\n",
                         "On Tue, Mar 10, 2026 at 9:01 AM B C <b@some.longer.name.example.org>\nwrote:\n"),
    "german quotation": ("Am 17.03.2026 um 11:12 schrieb A B:\n", "Am 16.03.2026 um 12:01 schrieb B C:\n"),
    "notes of a ticket": ("2026-03-17 11:12:00 - A Berg (Work notes)\n",
                          "2026-03-17 09:01:44 - B Iver (Work notes)\n"),
    "comments": ("A Berg added a comment - 17/Mar/26 11:12 AM\n",
                 "B Iver added a comment - 10/Mar/26 11:14 AM\n"),
    "numbered comments": ("Comment #4 from A Berg 2026-03-17 11:12:00 CET\n",
                          "Comment #3 from B Iver 2026-03-10 11:12:00 CET\n"),
}  # fmt: skip


def _thread(newest: str, oldest: str, mark: str = "") -> str:
    """Return a thread with the newest note on top, what is below it marked as quoted."""
    old = f"{_ZORA}pvs\n{_PVS.format(disk='b')}{_ZORA}lvs -o +devices\n{_LVS.format(disk='b')}"
    new = f"{_ZORA}pvs\n{_PVS.format(disk='c')}{_ZORA}lvs -o +devices\n{_LVS.format(disk='c')}"
    quoted = "".join(f"{mark}{row}\n" for row in f"so it was\n\n{old}".splitlines())
    return (
        f"{newest}\nthis is what we have\n\n{_ZORA}lsdasd\n{_LSDASD}{new}{_ZORA}df -h\n{_DF}\nRegards, A\n\n"
        f"{oldest}\n{quoted}"
    )


@pytest.mark.parametrize("mark", ["", "> "])
@pytest.mark.parametrize("headings", HEADED.values(), ids=HEADED.keys())
def test_headings_of_mails_and_notes_date_what_is_under_them(
    headings: tuple[str, str], mark: str, tmp_path: Path
) -> None:
    """The newest may stand on top: then what stands below it is left out, and its disk has no use."""
    texts, notes = _texts(tmp_path, _thread(*headings, mark))
    said = answers(texts, ["dasdb", "dasdc"], ["/app"])
    assert said["/app"].disks == {"dasdc"}
    assert said["dasdb"].uses == set()
    assert notes.count("at an earlier time") == 2
    assert "not understood" not in notes


def test_what_stands_below_a_quotation_is_of_the_mail_around_it(tmp_path: Path) -> None:
    """Who answers below what he quotes is later than it, whatever date the quotation has."""
    outer, quotation = HEADED["quotation"]
    old = "".join(f"> {row}\n" for row in f"{_ZORA}pvs\n{_PVS.format(disk='b')}".splitlines())
    new = f"{_ZORA}pvs\n{_PVS.format(disk='c')}"
    texts, _notes = _texts(tmp_path, f"{outer}\n{quotation}{old}\nthis is what we have\n\n{new}")
    assert "/dev/dasdb1" not in str(texts)
    assert "/dev/dasdc1" in str(texts)


@pytest.mark.parametrize(
    "headings",
    [
        ("From: A\nSent: 10/3/2026 9:01\nTo: B\n", "From: B\nSent: 3/10/2026 9:01\nTo: A\n"),
        ("From: A\nDate: Tue, 17 Mar 2026 08:12:00 +0000\n", "From: B\nSent: 17 March 2026 09:01\nTo: A\n"),
    ],
    ids=["month or day", "zones"],
)
def test_dates_that_can_be_read_in_two_ways_order_nothing(headings: tuple[str, str], tmp_path: Path) -> None:
    """Neither does the place: both outputs are read, and contradict each other."""
    texts, notes = _texts(tmp_path, _thread(*headings))
    assert notes == ""
    assert answers(texts, [], ["/app"])["/app"].disks >= {"dasdb", "dasdc"}


UNORDERED: Final = {
    "a remark": _ticket(second="\nand this is what my colleague has sent to me\n\n"),
    "a remark that contradicts the order": _ticket(second="\nthis was yesterday, before the IPL:\n\n"),
    "another namespace": _ticket(second=f"{_ZORA}nsenter -t 1 -m\n"),
    "no prompts": _without_prompts(_ticket(second="\nand this is what my colleague has sent to me\n\n")),
}


@pytest.mark.parametrize("text", UNORDERED.values(), ids=UNORDERED.keys())
def test_where_no_order_is_known_neither_disk_looks_free(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which of two outputs is true stays open; both disks may have the file system."""
    texts, _notes = _texts(tmp_path, text)
    said = answers(texts, ["dasdb", "dasdc"], ["/app"])
    assert said["/app"].disks >= {"dasdb", "dasdc"}
    assert len(said["/app"].disks) > 2  # and one row says that it is open
    assert said["dasdb"].uses == said["dasdc"].uses == {"/app"}
    for disk in ("dasdb", "dasdc"):
        assert main(["where", disk, "--from", str(tmp_path), "-f", "json"]) == 0
        (answer,) = json.loads(capsys.readouterr().out)
        assert [mount["perhaps"] for mount in answer["mounts"]] == [True]
        assert any("dasdb1 by " in what and "dasdc1 by " in what for what in answer["not_looked_at"])


def test_an_output_that_says_nothing_is_no_newer_state(tmp_path: Path) -> None:
    """A tool that failed, or was cut, does not make what it said before untrue."""
    texts, notes = _texts(tmp_path, f"{_ticket()}{_ZORA}lvs -o +devices\nbash: lvs: command not found\n")
    assert answers(texts, [], ["/app"])["/app"].disks == {"dasdc"}
    assert notes.count("lvs") == 1
    rows = [f"/dev/dasd{name}1 on /{name} type xfs (rw)\n" for name in "bcde"]
    for last in (rows[0], "".join((*rows[:3], "and so on\n"))):
        texts, notes = _texts(
            tmp_path, f"{_ZORA}lsdasd\n{_LSDASD}{_ZORA}mount\n{''.join(rows)}{_ZORA}mount\n{last}"
        )
        assert answers(texts, ["dasdc"], [])["dasdc"].uses == {"/c"}
        assert notes == ""


def test_of_a_file_that_was_printed_twice_the_last_copy_counts(tmp_path: Path) -> None:
    """As of a command."""
    copies = (f"{_ZORA}cat /proc/mounts\n/dev/dasd{disk}1 /app xfs rw 0 0\n" for disk in "bc")
    texts, notes = _texts(tmp_path, f"{_ZORA}lsdasd\n{_LSDASD}{''.join(copies)}")
    assert "proc/mounts" in notes
    assert "dasdb1" not in str(texts)


def test_an_earlier_state_can_be_chosen(tmp_path: Path) -> None:
    """By the word that stands above it."""
    texts, _notes = _texts(tmp_path, ORDERED["words alone"], "before")
    assert answers(texts, [], ["/app"])["/app"].disks == {"dasdb"}


def test_equal_outputs_are_no_two_states(tmp_path: Path) -> None:
    """They are not worth a word."""
    texts, notes = _texts(tmp_path, _ticket(disks="cc"))
    assert notes == ""
    assert len(texts) == len(_texts(tmp_path, _ticket())[0]) + 2


_ID_OF_BOOT: Final = "random/boot_id"
_BOOTED: Final = "{above}{prompt}uname -{option}\n{kernel}\n{prompt}{output}"


@pytest.mark.parametrize(
    ("option", "kernel"), [("r", "6.4.{}-default"), ("a", "Linux zora 6.4.{} #1 SMP s390x")]
)
def test_two_boots_of_a_host_are_not_united(option: str, kernel: str, tmp_path: Path) -> None:
    """What stands above a uname with another kernel is of another boot, if an output is behind that."""
    first, second = f"lsdasd\n{_LSDASD}", f"df\n{_DF}"
    for numbers, last, kept in (
        ((1, 2), second, {"df"}),
        ((1, 1), second, {"lsdasd", "df"}),
        ((1, 2), "ls\n", {"lsdasd"}),
    ):
        parts = zip(numbers, (first, last), strict=True)
        text = "".join(
            _BOOTED.format(above="", prompt=_ZORA, option=option, kernel=kernel.format(number), output=output)
            for number, output in parts
        )
        texts, notes = _texts(tmp_path, text)
        assert {text.command for text in texts if text.command in {"lsdasd", "df"}} == kept
        assert kept != {"df"} or "t.txt:2" in notes


@pytest.mark.parametrize(
    "between",
    [f"{_ZORA}reboot\n", f"{_ZORA}sudo systemctl reboot\n", "\nREBOOT\n\n", "--- after the reboot ---\n",
     f"{_ZORA}uptime -s\n2026-01-02 07:00:03\n", f"{_ZORA}who -b\n         system boot  2026-01-02 07:00\n",
     f"{_ZORA}cat /proc/sys/kernel/{_ID_OF_BOOT}\n22222222-2222-4333-8444-555555555555\n"],
)  # fmt: skip
def test_two_boots_of_one_kernel_are_not_united(between: str, tmp_path: Path) -> None:
    """As commands, times and ids of boots tell, and what people write between; equal ones are of one boot."""
    first = between.replace("2026", "2025").replace("22222222", "11111111")
    told = {True: first if first != between else "", False: between}
    for is_other, before in told.items():
        behind = between if is_other or first != between else ""
        text = f"{before}{_ZORA}lsdasd\n{_LSDASD}{behind}{_ZORA}df\n{_DF}"
        texts, _notes = _texts(tmp_path, text)
        assert {text.command for text in texts if text.command in {"lsdasd", "df"}} == (
            {"df"} if is_other else {"lsdasd", "df"}
        )


def test_headings_order_boots(tmp_path: Path) -> None:
    """Where they say that what stands first is later, no output is left out for its place."""
    text = "".join(
        _BOOTED.format(above=f"\n{word}:\n\n", prompt="# ", option="r", kernel=f"6.4.{number}", output=output)
        for word, number, output in (("After", 2, f"lsdasd\n{_LSDASD}"), ("Before", 1, f"df\n{_DF}"))
    )
    texts, _notes = _texts(tmp_path, text)
    assert "lsdasd" in {text.command for text in texts}


_WITH_PATHS: Final = """\
mpathf (36005076300c0ffee00000000000000e8) dm-10 IBM,2145
size=30G features='1 queue_if_no_path' hwhandler='1 alua' wp=rw
`-+- policy='round-robin 0' prio=50 status=active
  |- 1:0:0:4 sde 8:64  active ready running
  |- 2:0:0:4 sdq 65:0  active ready running
  `- 2:0:1:4 sdv 65:80 active ready running
"""
_WITHOUT: Final = """\
mpathf (36005076300c0ffee00000000000000e8) dm-10 ##,##
size=30G features='1 queue_if_no_path' hwhandler='0' wp=rw
"""


@pytest.mark.parametrize("heading", ["", "\nAfter the test\n--------------\n"])
def test_a_map_that_lost_all_its_paths_has_none(heading: str, where: Ask, show: Ask) -> None:
    """Those of an earlier moment of the text are gone, however much shorter the later output is."""
    text = f"$ multipath -ll\n{_WITH_PATHS}{heading}$ multipath -ll\n{_WITHOUT}$\n"
    answer = where("mpathf", text)
    assert not answer["more_paths"]
    assert [disk["disk"] for disk in answer["disks"]] == ["mpathf"]
    (path,) = show("MPATH", text).values()
    assert path["path"] == "none"


def test_where_the_order_is_not_known_a_map_may_have_its_paths_or_none(where: Ask) -> None:
    """Of two texts each is as good as the other."""
    text = f"$ multipath -ll\n{_WITH_PATHS}$ exit\n$ multipath -ll\n{_WITHOUT}$\n"
    answer = where("mpathf", text)
    assert answer["more_paths"]
    assert any("some by" in why and "none by" in why for why in answer["not_looked_at"])


@pytest.mark.parametrize(("prompt", "command", "disks"), [
    (_ZORA, "vgreduce vgapp /dev/dasdb1", {"c"}), (_ZORA, "ls", {"b", "c"}),
    ("# ", "vgreduce vgapp /dev/dasdb1", {"b", "c"}),
])  # fmt: skip
def test_a_change_on_one_host_orders_what_is_listed_before_and_behind_it(
    prompt: str, command: str, disks: set[str], tmp_path: Path
) -> None:
    """Whatever somebody says between them, if each prompt names that host."""
    said = "\nLet us look at the groups and the volumes again.\n\n"
    between = f"{said}{prompt}{command}\n{said}"
    texts, _notes = _texts(tmp_path, _ticket("", between, prompt))
    assert {disk for text in texts for disk in "bc" if text.text == _PVS.format(disk=disk)} == disks


def test_a_sentence_may_say_that_what_follows_is_of_another_boot(tmp_path: Path) -> None:
    """And not only that there was one."""
    for said, is_kept in (
        ("I checked it, rebooted and now I see", False), ("It was rebooted in May", True),
        ("I restarted the daemon and now I see", True),
    ):  # fmt: skip
        texts, _notes = _texts(tmp_path, _ticket("", f"\n{said} this:\n\n", "# "))
        assert any(text.command == "lsdasd" for text in texts) is is_kept
