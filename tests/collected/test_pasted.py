"""What people paste is read wherever it stands, and whose it is is kept apart."""

from __future__ import annotations

import json
import quopri
import re
from typing import TYPE_CHECKING, Any, Final

import pytest

from zmon.cli.main import main
from zmon.collected.text_reader import open_capture
from zmon.collected.transcript import host_of, outputs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

UIDS = "0.0.1a01  dasdp     IBM.75000000AAAA1.1a00.01\n"
LSDASD = f"Bus-ID    Name      UID\n{'=' * 78}\n{UIDS}"
MOUNT = "/dev/dasdp1 on /data type ext4 (rw)\n"
LOG = f"box1:~ # lsdasd -u\n{LSDASD}box1:~ # mount\n{MOUNT}"


def _behind(prefix: str, log: str) -> str:
    return "".join(f"{prefix}{line}\n" for line in log.splitlines())


PASTED = {
    "as it is": LOG,
    "behind an introduction": "Dear all,\n\nthe disks of box1 are these.\n\n" * 5 + LOG,
    "indented": _behind("    ", LOG),
    "quoted": _behind("> ", LOG),
    "quoted twice": _behind("> > ", LOG),
    "behind bars": _behind("| ", LOG),
    "fenced": f"```text\n{LOG}```\n\nThat is all that I have.\n",
    "in a ticket": f"{{noformat}}\n{LOG}{{noformat}}\n",
    "in HTML": f"<html><pre>{LOG.replace('>', '&gt;')}</pre></html>\n",
    "with colours": LOG.replace("box1", "\x1b[1;32mbox1\x1b[0m"),
    "with times": _behind("Jan 02 03:04:05 ", LOG),
    "with ISO times": _behind("2026-01-02T03:04:05+01:00 ", LOG),
    "with carriage returns": LOG.replace("\n", "\r\n"),
    "with a byte order mark": f"\ufeff{LOG}",
    "without prompts": f"{LSDASD}\n{MOUNT}",
    "the first without a prompt": f"{LSDASD}box1:~ # mount\n{MOUNT}",
    "with commands alone": f"lsdasd -u\n{LSDASD}\nmount\n{MOUNT}",
    "two commands in a line": f"box1:~ # lsdasd -u; mount\n{LSDASD}{MOUNT}",
    "through a pipe": f"box1:~ # lsdasd -u | cat\n{LSDASD}box1:~ # mount | grep data\n{MOUNT}",
    "indented below a prompt": f"box1:~ # lsdasd -u\n{_behind('    ', LSDASD)}"
    f"box1:~ # mount\n{_behind('  ', MOUNT)}",
}


@pytest.fixture
def where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[str, str | bytes], dict[str, Any]]:
    """Return a function that looks up a disk in a text."""

    def ask(word: str, content: str | bytes) -> dict[str, Any]:
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / "a.md").write_bytes(data)
        main(["where", word, "--from", str(tmp_path), "-f", "json"])
        (answer,) = json.loads(capsys.readouterr().out)
        result: dict[str, Any] = answer
        return result

    return ask


MAIL: Final = """\
Content-Type: multipart/mixed; boundary="=_cut"

--=_cut
Content-Type: text/plain
Content-Transfer-Encoding: quoted-printable

{}
--=_cut
Content-Type: text/plain

{}
--=_cut--
"""


@pytest.mark.parametrize(("first", "second"), [(quopri.encodestring(LSDASD.encode()).decode(), MOUNT)])
def test_a_part_of_a_mail_is_read_as_it_is_encoded(
    first: str, second: str, where: Callable[[str, str | bytes], dict[str, Any]]
) -> None:
    """And no other part: a sign of equality may stand there for itself."""
    answer = where("dasdp", MAIL.format(first, second.replace("ext4 (rw)", "ext4 (rw,data=3D)")))
    assert (answer["disks"][0]["lcu"], [mount["point"] for mount in answer["mounts"]]) == (
        "LCU 1A00", ["/data"]
    )  # fmt: skip


@pytest.mark.parametrize("how", [*PASTED, "in UTF-16", "as a mail"])
def test_what_was_pasted_is_read(how: str, where: Callable[[str, str | bytes], dict[str, Any]]) -> None:
    """Whatever stands before and around it: the disk has its LCU, and the mount is found."""
    data = PASTED.get(how, LOG).encode("utf-16" if how == "in UTF-16" else "utf-8")
    answer = where("dasdp", quopri.encodestring(data) if how == "as a mail" else data)
    assert (answer["disks"][0]["lcu"], [mount["point"] for mount in answer["mounts"]]) == (
        "LCU 1A00",
        ["/data"],
    )


@pytest.mark.parametrize(
    "prompt",
    [
        "box1:~ # ", "[root@box1 ~]# ", "root@box1:/home/op# ", "op@box1.example.com:/> ", "# ", "$ ",
        "PS1> ", "sh-5.1# ", "box1 ~ $ sudo ", "➜  ~ ", "(env) op@box1:~$ sudo -n ",
    ],
)  # fmt: skip
def test_a_prompt_of_any_shell_begins_an_output(prompt: str) -> None:
    """An unknown command behind the same prompt ends it."""
    text = f"{prompt}lsdasd -u\n{UIDS}{prompt}chccwdev -e 1a02\nDone\n{prompt}lschp\n"
    cut = [*outputs("a.txt", text.encode(), 1)]
    assert [(output.command.split()[0], output.text) for output in cut] == [
        ("lsdasd", UIDS), ("chccwdev", "Done\n"), ("lschp", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("prompt", "host"),
    [
        ("box1:~ # ", "box1"), ("[root@Box1 ~]# ", "box1"), ("op@box1.example.com:/> ", "box1"), ("# ", ""),
        ("sh-5.1# ", ""), ("PS1> ", ""),
    ],
)  # fmt: skip
def test_a_prompt_names_its_host(prompt: str, host: str) -> None:
    """Without its domain; a word alone may be anything."""
    assert host_of(prompt) == host


@pytest.mark.parametrize("command", ["cat old.txt", "zcat old.gz", "grep dasd old.txt", "findmnt -s"])
def test_what_prints_files_is_not_of_this_time(
    command: str, where: Callable[[str, str | bytes], dict[str, Any]]
) -> None:
    """An old listing, or fstab, says nothing of what is."""
    answer = where(
        "dasdp", f"box1:~ # lsdasd -u\n{UIDS}box1:~ # {command}\nTARGET SOURCE FSTYPE\n/old /dev/dasdp1 xfs\n"
    )
    assert answer["mounts"] == []


def test_outputs_of_another_host_are_left_out(tmp_path: Path) -> None:
    """A prompt, or ssh, names it; what is left out is counted and named."""
    ssh = "/dev/dasdq1 on /other type ext4 (rw)\n"
    (tmp_path / "a.txt").write_text(f"{LOG}box1:~ # ssh box2 mount\n{ssh}")
    (tmp_path / "b.txt").write_text(f"box3:~ # lsdasd\n{UIDS}")
    capture = open_capture(str(tmp_path))
    assert {text.host for text in capture.passes[-1].texts} == {"box1"}
    assert [note.partition(" (")[0].split()[-1] for note in capture.notes] == ["box2", "box3"]


def test_answers_of_cp_are_found_among_others(where: Callable[[str, str | bytes], dict[str, Any]]) -> None:
    """Typed without a prompt, and with the number of the processor before each line."""
    answer = "q v dasd\n00: DASD 1A01 3390 AAA111 R/W      10016 CYL ON DASD  7A22 SUBCHANNEL = 0005\n\n"
    assert where("7A22", answer + LOG)["disks"][0]["disk"] == "dasdp"


CLOSINGS = (
    "Gruß\nKlaus\n", "Mit freundlichen Grüßen\nEva Meier\n", "Cordialement\n", "Abs,\nAna\n",
    "Best regards,\nTom\n", "Срочно,\nЮля\n", "よろしく\n",
)  # fmt: skip


@pytest.mark.parametrize(
    "closing", [f"\n{words}" for words in CLOSINGS] + ["-- \nEva Meier, Tel. 0711 1-2\n"]
)
@pytest.mark.parametrize(
    "output", [f"box1:~ # lsdasd -u\n{LSDASD}", "q dasd 6203\nDASD 6203 CP SYSTEM LX46D1   1\n"]
)
def test_closing_words_of_a_mail_are_no_line_of_an_output(
    closing: str, output: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In any language, with the signature; nothing is said of them."""
    (tmp_path / "a.txt").write_text(f"{output}{closing}")
    assert main(["info", str(tmp_path), "--strict", "-f", "json"]) == 0
    assert sum(text["not_understood"] for text in json.loads(capsys.readouterr().out)["texts"]) == 0


@pytest.mark.parametrize("words", ["\ndasdp\n", "\nPlease keep /dev/dasdp1\n", "[10:07] Tom: nimm dasdp\n"])
def test_what_names_a_device_is_counted_whoever_says_it(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Behind an output as in it."""
    (tmp_path / "a.txt").write_text(f"{LOG}{words}")
    main(["info", str(tmp_path), "-f", "json"])
    assert sum(text["not_understood"] for text in json.loads(capsys.readouterr().out)["texts"]) == 1


@pytest.mark.parametrize("heading", ["**Bernd** 09:20", "Bernd Maier  9:20 AM"])
def test_who_speaks_in_a_chat_ends_an_output(heading: str) -> None:
    """In a line of its own: what somebody copied below it is no more of the output above."""
    rows = (
        "root@box1:/root# findmnt -l\n/db2 /dev/dasdp1[/@ts] btrfs rw,relatime\n\n"
        f"{heading}\nand dasdq: `blkid /dev/dasdq1`\n"
        '/dev/dasdq1: LABEL="ts01" UUID="0f2b6a1c-3f11-4a52-8b73-55f1d0b0b6f7" TYPE="btrfs"\n'
    )
    forms = [text.form for text in outputs("a.txt", rows.encode(), 7) if text.form]
    assert [form.partition(",")[0] for form in forms] == ["findmnt", "blkid"]


CHAT = """\
[10:02] Tom: kannst du mir von lnxa und lnxb die Platten schicken?
[10:05] Eva: lnxa:
0.0.1a01  dasdp     IBM.75000000AAAA1.1a00.01
/dev/dasdp1 on /data type ext4 (rw)
[10:06] Eva: lnxb:
0.0.1b02  dasdp     IBM.75000000AAAA1.1b00.02
/dev/dasdp1 on /data type ext4 (rw)
[10:07] Tom: danke!
"""


@pytest.mark.parametrize("chat", [
    CHAT, re.sub(r"\[(.*?)\] ", r"02.03.26, \1 - ", CHAT), re.sub(r"\[(.*?)\] (\w+): ", r"\1 <\2> ", CHAT),
])  # fmt: skip
def test_what_somebody_says_in_a_chat_may_name_a_host(
    chat: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of what follows; other words say nothing."""
    (tmp_path / "a.txt").write_text(chat)
    for host, busid in (("lnxa", "0.0.1a01"), ("lnxb", "0.0.1b02")):
        assert main(["where", "/data", "--from", str(tmp_path), "--host", host, "-f", "json"]) == 0
        (answer,) = json.loads(capsys.readouterr().out)
        assert [disk["busid"] for disk in answer["where"][0]["disks"]] == [busid]
    assert main(["info", str(tmp_path), "--strict"]) == 0
