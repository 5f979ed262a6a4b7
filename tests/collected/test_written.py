"""However people and tools write outputs down, they are cut and read."""

from __future__ import annotations

import pytest

from zmon.collected.collection import facts_of
from zmon.collected.mount_rows import best_mounts
from zmon.collected.transcript import outputs

HEAD = f"Bus-ID    Name      UID\n{'=' * 78}\n"
UIDS = f"{HEAD}0.0.1a01  dasdp     IBM.75000000AAAA1.1a00.01\n"
MOUNT = "/dev/dasdp1 on /data type ext4 (rw)\n"
BLOCKS = "NAME      TYPE\ndasdp     disk\n"
PASTE = "\x1b[?2004h"
RAN = "\x1b[?2004l"

MAIL = 'Content-Type: multipart/mixed; boundary="b1"\n\n--b1\n\n'

WRITTEN = {
    "bracketed paste": f"{PASTE}# lsdasd -u\r\n{RAN}\r{UIDS}{PASTE}# mount\r\n{RAN}\r{MOUNT}",
    "bracketed paste without": f"{PASTE}# lsdasd -u\r\n{RAN}{UIDS}{PASTE}# mount\r\n{RAN}{MOUNT}{PASTE}# ",
    "bracketed paste and a new line": f"{PASTE}# lsdasd -u\n{RAN}\n{UIDS}{PASTE}# mount\n{RAN}\n{MOUNT}",
    "two carriage returns": f"# lsdasd -u\n{UIDS}# mount\n{MOUNT}".replace("\n", "\r\r\n"),
    "carriage returns alone": f"# lsdasd -u\n{UIDS}# mount\n{MOUNT}".replace("\n", "\r"),
    "a line that was overwritten": f"# lsdasd -u\nworking\r{UIDS}# mount\n{MOUNT}",
    "set -x": f"+ lsdasd -u\n{UIDS}+ mount\n{MOUNT}",
    "set -x in a function": f"++ /sbin/lsdasd -u\n{UIDS}++ sudo mount\n{MOUNT}",
    "=== command": f"=== lsdasd -u\n{UIDS}=== mount\n{MOUNT}",
    "=== command ===": f"===== lsdasd -u =====\n{UIDS}===== mount =====\n{MOUNT}",
    "--- command ---": f"--- lsdasd -u ---\n{UIDS}--- mount ---\n{MOUNT}",
    "*** command ***": f"*** lsdasd -u ***\n{UIDS}*** mount ***\n{MOUNT}",
    "### command": f"### lsdasd -u\n{UIDS}### mount\n{MOUNT}",
    ">>> command": f">>> lsdasd -u\n{UIDS}>>> mount\n{MOUNT}",
    "Command:": f"Command: lsdasd -u\n{UIDS}\nCommand: mount\n{MOUNT}",
    "cmd:": f"cmd: /sbin/lsdasd -u\n{UIDS}cmd: mount\n{MOUNT}",
    "Output of": f"Output of 'lsdasd -u':\n{UIDS}\nOutput of `mount`:\n{MOUNT}",
    "[command]": f"[lsdasd -u]\n{UIDS}[mount]\n{MOUNT}",
    "a last prompt": f"# lsdasd -u\n{UIDS}# mount\n{MOUNT}# \n",
    "prompts alone": f"$ lsdasd -u\n{UIDS}$ \n$\n$ mount\n{MOUNT}$",
    "a last prompt of nobody": f"lsdasd -u\n{UIDS}\nmount\n{MOUNT}[root@box1 ~]# ",
    "a typescript": f"Script started on 2026\n# lsdasd -u\n{UIDS}# mount\n{MOUNT}\nScript done on 2026\n",
    "sudo that asks": f"$ sudo lsdasd -u\n[sudo] password for op: \n{UIDS}$ mount\n{MOUNT}$ exit\nlogout\n",
    "parts of a mail": f"{MAIL}{UIDS}\n--b1\n\n{MOUNT}\n--b1--\n",
    "a log of one host": "".join(
        f"Mar 17 10:00:00 box1 root: {row}\n" for row in (UIDS + MOUNT).splitlines()
    ),
    "a log with levels": "".join(
        f"2026-03-17 10:00:00,123 {'WARNING' if '1a01' in row else 'INFO   '} {row}\n"
        for row in (f"# lsdasd -u\n{UIDS}# mount\n{MOUNT}").splitlines()
    ),
    "blanks that do not break": f"# lsdasd \u2013u\n{UIDS}# mount\n{MOUNT}".replace("  ", "\xa0 ").replace(
        "Bus-", "Bus\u2011"
    ),
    "narrow blanks": f"# lsdasd -u\n{UIDS}# mount\n{MOUNT}".replace(" ", "\u202f"),
    "columns": f"# lsdasd -u\n{UIDS}# mount | column -t\n{MOUNT.replace(' ', '   ')}",
    "HTML without line feeds": "<html><body>"
    + "".join(f"<p>{row}</p>" for row in (UIDS + MOUNT).splitlines()),
}


@pytest.mark.parametrize("how", WRITTEN)
def test_each_line_is_read(how: str) -> None:
    """The heading and the last line, too; nothing is left that is not understood."""
    facts, read = facts_of([*outputs("a.txt", WRITTEN[how].encode(), 7)])
    assert facts.rows["device"]["0.0.1a01"]["uid"][0].value == "IBM.75000000AAAA1.1a00.01"
    assert [(row.source, row.point) for row in best_mounts(facts)] == [("/dev/dasdp1", "/data")]
    assert [output.strange for output in read if output.strange] == []
    assert {output.text.command for output in read if output.form} <= {
        "",
        "lsdasd -u",
        "mount",
        "mount | column -t",
    }


def test_what_word_processors_write_in_the_encoding_of_windows_is_read() -> None:
    """Blanks, dashes and quotes of a file that was saved as text."""
    text = f"# lsblk \u2013o \u201eNAME,TYPE\u201c\n{BLOCKS}".replace("  ", "\xa0 ")
    (cut,) = outputs("a.txt", text.encode("cp1252"), 7)
    assert (cut.command, cut.text) == ('lsblk -o "NAME,TYPE"', BLOCKS)


def test_a_heading_of_supportconfig_without_a_command_is_no_part_of_an_output() -> None:
    """It groups the commands that follow."""
    rule = "=" * 20
    text = (
        f"#==[ Command ]{rule}#\n# /bin/mount\n{MOUNT}\n#==[ s390x and DASD Info ]{rule}#\n\n"
        f"#==[ Command ]{rule}#\n# /sbin/lsdasd -u\n{UIDS}"
    )
    assert [cut.text.strip() for cut in outputs("fs-diskio.txt", text.encode(), 7)] == [
        MOUNT.strip(),
        UIDS.strip(),
    ]


@pytest.mark.parametrize(
    "text", ["--- lsdasd.old\n", "*** mount point of the data\n", "[mounts]\n", "run: the lsdasd output\n"]
)
def test_what_only_looks_like_a_command_is_none(text: str) -> None:
    """Names of files, prose and sections of settings."""
    assert [cut.command for cut in outputs("a.txt", f"{text}{UIDS}".encode(), 7) if cut.form] == [""]
