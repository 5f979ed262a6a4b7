"""Outputs of several hosts are never united, however people and tools tell them apart."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import pytest

from tests.collected.test_real_lines import outputs as real_outputs
from zmon.cli.main import main
from zmon.collected.text_reader import open_capture
from zmon.collected.transcript import outputs

UIDS: Final = (
    f"Bus-ID    Name      UID\n{'=' * 78}\n"
    "0.0.1a00  dasda     IBM.75000000AAAA1.1a00.00\n0.0.1a01  dasdb     IBM.75000000AAAA1.1a00.01\n"
)
BLOCKS: Final = (
    "NAME       MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT\ndasda       94:0    0  6.9G  0 disk\n"
    "`-dasda1    94:1    0  6.9G  0 part /data\n"
)
MOUNTS: Final = "/dev/dasda1 on / type ext4 (rw)\n"


LINUX: Final = "Linux zora1 6.4.0 #1 SMP s390x\n"
OTHER: Final = "Linux elbe1 6.4.0 #1 SMP s390x\n"


def _behind(prefix: str, text: str) -> str:
    return "".join(f"{prefix}{line}\n" for line in text.splitlines())


def _in_one_line(text: str) -> str:
    return text.removesuffix("\n").replace("\n", "\\n")


CERTAIN: Final = {
    "ansible -o": (
        f"zora | CHANGED | rc=0 | (stdout) {_in_one_line(UIDS)}\n"
        f"elbe | CHANGED | rc=0 | (stdout) {_in_one_line(BLOCKS)} (stderr) a warning\n"
        "fulda | UNREACHABLE!: no route\n"
    ),
    "ssh": "$ ssh zora lsdasd -u\n{UIDS}$ ssh elbe lsblk\n{BLOCKS}",
    "ssh behind a prompt": "op@jump:~> ssh zora lsdasd -u\n{UIDS}op@jump:~> ssh elbe lsblk\n{BLOCKS}",
    "ssh with a user and quotes": (
        "# ssh root@zora \"lsdasd -u\"\n{UIDS}# ssh -l root elbe 'sudo lsblk'\n{BLOCKS}"
    ),
    "ssh with options": (
        "$ ssh -p 22 -o User=op zora.example.com lsdasd\n{UIDS}$ ssh -q elbe /usr/bin/lsblk\n{BLOCKS}"
    ),
    "ssh and here": "$ ssh zora lsdasd -u\n{UIDS}$ lsblk\n{BLOCKS}",
    "here and ssh": "$ lsdasd -u\n{UIDS}$ ssh elbe lsblk\n{BLOCKS}",
    "ssh typed": "ssh zora lsdasd -u\n{UIDS}\nssh elbe lsblk\n{BLOCKS}",
    "logged in": (
        "$ ssh zora\nLast login: Mon\n# lsdasd -u\n{UIDS}"
        "# exit\nlogout\nConnection to zora closed.\n$ ssh elbe\n# lsblk\n{BLOCKS}# exit\n"
    ),
    "logged in and back": "$ ssh zora\n# lsdasd -u\n{UIDS}# exit\n$ lsblk\n{BLOCKS}",
    "closed": (
        "# lsdasd -u\n{UIDS}"
        "# exit\nConnection to zora closed.\n# lsblk\n{BLOCKS}# exit\nConnection to elbe closed.\n"
    ),
    "hostname": "$ hostname\nzora\n$ lsdasd -u\n{UIDS}$ hostname\nelbe\n$ lsblk\n{BLOCKS}",
    "hostname -s": "# hostname -s\nzora\n# lsdasd -u\n{UIDS}# hostname -s\nelbe\n# lsblk\n{BLOCKS}",
    "uname -n": "# uname -n\nzora\n# lsdasd -u\n{UIDS}# uname -n\nelbe\n# lsblk\n{BLOCKS}",
    "uname -a": (
        "# uname -a\nLinux zora 6.4.0 #1 SMP s390x\n# lsdasd -u\n{UIDS}"
        "# uname -a\nLinux elbe 6.4.0 #1 SMP s390x\n# lsblk\n{BLOCKS}"
    ),
    "a copied name": (
        "# cat /etc/hostname\nzora\n# lsdasd -u\n{UIDS}# cat /etc/hostname\nelbe\n# lsblk\n{BLOCKS}"
    ),
    "prompts": "zora:~ # lsdasd -u\n{UIDS}[root@elbe ~]# lsblk\n{BLOCKS}",
    "ansible": "zora | CHANGED | rc=0 >>\n{UIDS}elbe | SUCCESS | rc=0 >>\n{BLOCKS}",
    "pssh": "[1] 10:22:41 [SUCCESS] zora\n{UIDS}[2] 10:22:41 [SUCCESS] root@elbe:22\n{BLOCKS}",
    "dshbak": "{RULE}\nzora\n{RULE}\n{UIDS}{RULE}\nelbe[1-2]\n{RULE}\n{BLOCKS}",
    "pdsh": _behind("zora: ", UIDS) + _behind("elbe: ", BLOCKS),
    "pdsh between prompts": (
        "[op@jump ~]$ pdsh -w zora,elbe,fulda 'lsdasd -u; lsblk'\n"
        + _behind("zora: ", UIDS)
        + "fulda: ssh: connect to host fulda port 22: No route to host\n"
        + _behind("elbe: ", BLOCKS)
        + "pdsh@jump: fulda: ssh exited with exit code 255\n[op@jump ~]$ \n"
    ),
    "in brackets": _behind("[zora] ", UIDS) + _behind("[elbe] ", BLOCKS),
    "behind bars": _behind("zora | ", UIDS) + _behind("elbe | ", BLOCKS),
    "fabric": _behind("[root@zora] out: ", UIDS) + _behind("[root@elbe] out: ", BLOCKS),
    "a log": _behind("Mar 17 10:00:00 zora root: ", UIDS) + _behind("Mar 17 10:00:00 elbe root[7]: ", BLOCKS),
    "Host:": "Host: zora\n{UIDS}\nHost: elbe\n{BLOCKS}",
    "a box": "#####\n# Server: zora\n#####\n{UIDS}\n#####\n# Server: elbe\n#####\n{BLOCKS}",
}
"""How hosts are named for certain: whatever they are called, and whatever was asked of each."""

HEADED: Final = {
    "# h": "# {A}\n{UIDS}\n# {B}\n{X}",
    "# h before prompts": "# {A}\n# lsdasd -u\n{UIDS}# {B}\n# lsdasd -u\n{X}",
    "## h, fenced": "## {A}\n\n```\n{UIDS}```\n\n## {B}\n\n```text\n{X}```\n",
    "underlined": "{A}\n====\n\n{UIDS}\n{B}\n====\n\n{X}",
    "=== h ===": "=== {A} ===\n{UIDS}=== {B} ===\n{X}",
    "=== h": "=== {A}\n=== lsdasd -u\n{UIDS}=== {B}\n=== lsdasd -u\n{X}",
    "*** h ***": "*** {A} ***\n{UIDS}*** {B} ***\n{X}",
    "h:": "{A}:\n{UIDS}\n{B}:\n{X}",
    "salt": "{A}:\n{INDENTED}{B}:\n{X}",
    "a failure below h": (
        "##### {A} #####\n{UIDS}##### lnx9 #####\nssh: connect to host lnx9 port 22: Connection timed out\n"
        "##### {B} #####\nbash: lsqeth: command not found\n{X}"
    ),
    "salt without an answer": ("{A}:\n{INDENTED}lnx9:\n    Minion did not return. [No response]\n{B}:\n{X}"),
    "h alone": "{A}\n{UIDS}{B}\n{X}",
    "a sentence": "on {A}:\n\n{UIDS}\nand on {B}:\n\n{X}",
    "a German sentence": "Auf {A}:\n\n{UIDS}\nund auf dem Server {B}:\n\n{X}",
}
"""Headings that may name hosts."""


def _hosts(directory: Path, text: str) -> set[str]:
    (directory / "a.txt").write_text(text)
    capture = open_capture(str(directory))
    kept = [output for output in capture.passes[-1].texts if output.form.startswith(("lsdasd", "lsblk"))]
    assert len(kept) == 1
    assert [note for note in capture.notes if note.startswith("Left out: ")]
    return {output.host for output in kept}


@pytest.mark.parametrize("how", CERTAIN)
def test_outputs_of_two_hosts_are_not_united(how: str, tmp_path: Path) -> None:
    """One of the two outputs is left out, and what is left out is said."""
    text = CERTAIN[how]
    for name, content in (("UIDS", UIDS), ("BLOCKS", BLOCKS), ("RULE", "-" * 16)):
        text = text.replace(f"{{{name}}}", content)
    assert _hosts(tmp_path, text) == ({"?"} if how == "here and ssh" else {"zora"})


@pytest.mark.parametrize("how", HEADED)
def test_words_of_a_series_above_outputs_are_hosts(how: str, tmp_path: Path) -> None:
    """Whatever was asked of each."""
    blocks = _behind("    ", BLOCKS) if how.startswith("salt") else BLOCKS
    text = HEADED[how].replace("lsdasd -u\n{X}", "lsblk\n{X}")
    indented = _behind("    ", UIDS)
    assert _hosts(tmp_path, text.format(A="lnx1", B="lnx2", UIDS=UIDS, X=blocks, INDENTED=indented)) == {
        "lnx1"
    }


@pytest.mark.parametrize("how", HEADED)
def test_words_above_outputs_of_the_same_commands_are_hosts(how: str, tmp_path: Path) -> None:
    """Whatever they are called."""
    more = UIDS.replace("1a0", "2b0")
    other = _behind("    ", more) if how.startswith("salt") else more
    indented = _behind("    ", UIDS)
    text = HEADED[how].format(A="zora", B="elbe", UIDS=UIDS, X=other, INDENTED=indented)
    assert _hosts(tmp_path, text) == {"zora"}


@pytest.mark.parametrize(
    "text",
    [
        f"# disks\n{UIDS}\n# mounts\n{MOUNTS}",
        f"=== lsdasd ===\n{UIDS}=== mount ===\n{MOUNTS}",
        f"# lsdasd -u\n{UIDS}# sync\n# mount\n{MOUNTS}# exit\n",
        f"lsdasd:\n{UIDS}\nmount:\n{MOUNTS}",
        "dasda:\n{UIDS}\ndasdb:\n{UIDS}",
        "".join(
            f"{group}vg:\n  LV VG Attr LSize\n  a {group}vg -wi-ao---- 2.00g\n" for group in ("root", "data")
        ),
        f"zora:~ # lsdasd -u\n{UIDS}zora:~ # uname -a\n{LINUX}zora:~ # mount\n{MOUNTS}",
        f"# lsdasd -u\n{UIDS}# hostname\nzora\n# mount\n{MOUNTS}",
        f"op@zora:~> su -\nPassword:\nzora:~ # lsdasd -u\n{UIDS}sh-5.1# mount\n{MOUNTS}",
        f"op@jump:~> ssh zora\nzora:~ # lsdasd -u\n{UIDS}zora:~ # mount\n{MOUNTS}zora:~ # exit\n",
        f"Host: zora\n{UIDS}\n{MOUNTS}",
    ],
)
def test_outputs_of_one_host_are_united(text: str, tmp_path: Path) -> None:
    """Headings that say what was asked, names of devices and groups, and a second name of a host."""
    (tmp_path / "a.txt").write_text(text.replace("{UIDS}", UIDS))
    assert open_capture(str(tmp_path)).notes == []


def _kept(directory: Path, files: dict[str, str]) -> set[str]:
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return {text.origin for text in open_capture(str(directory)).passes[-1].texts if text.form}


@pytest.mark.parametrize(
    ("files", "kept"),
    [
        ({"h1/u.txt": LINUX, "h1/d.txt": UIDS, "h2/u.txt": OTHER,
          "h2/m.txt": MOUNTS}, {"h1/u.txt", "h1/d.txt"}),
        ({"lnx1/d.txt": UIDS, "lnx2/m.txt": MOUNTS}, {"lnx1/d.txt"}),
        ({"zora/d.txt": UIDS, "zora/m.txt": MOUNTS, "elbe/d.txt": UIDS, "elbe/m.txt": MOUNTS},
         {"elbe/d.txt", "elbe/m.txt"}),
        ({"lnxa_lsdasd.txt": UIDS, "lnxb_mount.txt": MOUNTS}, {"lnxa_lsdasd.txt"}),
        ({"lsdasd-lnx1.txt": UIDS, "mount-lnx2.txt": MOUNTS}, {"lsdasd-lnx1.txt"}),
        ({"zora.txt": f"{UIDS}\n{MOUNTS}", "elbe.txt": f"{UIDS}\n{MOUNTS}"}, {"elbe.txt"}),
        ({"lnx1_u.txt": LINUX, "lnx1_d.txt": UIDS, "lnx2_m.txt": MOUNTS},
         {"lnx1_u.txt", "lnx1_d.txt"}),
        ({"disks/lsdasd.txt": UIDS, "mounts/mount.txt": MOUNTS}, {"disks/lsdasd.txt", "mounts/mount.txt"}),
        ({"u.txt": LINUX, "d/d.txt": UIDS, "m/m.txt": MOUNTS},
         {"u.txt", "d/d.txt", "m/m.txt"}),
        ({"lsdasd1.txt": UIDS, "lsdasd2.txt": UIDS, "out1.txt": MOUNTS, "out2.txt": MOUNTS},
         {"lsdasd1.txt", "lsdasd2.txt", "out1.txt", "out2.txt"}),
    ],
)  # fmt: skip
def test_files_of_a_directory_or_with_a_word_are_of_one_host(
    files: dict[str, str], kept: set[str], tmp_path: Path
) -> None:
    """If these differ in their hosts, as an output names them, or as the word is one."""
    assert _kept(tmp_path, files) == kept


def test_lines_of_two_hosts_may_be_mixed(tmp_path: Path) -> None:
    """As pdsh prints them; each keeps its number."""
    pairs = zip(UIDS.splitlines(), UIDS.replace("1a0", "2b0").splitlines(), strict=True)
    (tmp_path / "a.txt").write_text("".join(f"zora: {this}\nelbe: {other}\n" for this, other in pairs))
    (output,) = open_capture(str(tmp_path)).passes[-1].texts
    busids = [row.split()[0] for row in output.text.split("\n") if row.strip("\0")][2:]
    assert (output.host, output.line, busids) == ("zora", 1, ["0.0.1a00", "0.0.1a01"])
    assert output.text.split("\n")[4].startswith("0.0.1a00")


def test_what_many_hosts_were_asked_says_what_they_print(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row without a heading is that of the command, and the next command's output follows."""
    rows = ("/dev/mapper/wh-load xfs 103081248 77000000 20800000 79% /load", "wh-load\t(253:0)")
    asked = "$ dsh -w zora,elbe 'df -PT | grep mapper; dmsetup ls'"
    mixed = "".join(f"{host}: {row}\n" for row in rows for host in ("zora", "elbe"))
    (tmp_path / "a.txt").write_text(f"{asked}\n{mixed}$ \n")
    main(["where", "/load", "--host", "zora", "--from", str(tmp_path), "-f", "json"])
    (answer,) = json.loads(capsys.readouterr().out)[0]["where"]
    assert [step["title"] for step in answer["steps"]] == ["/load", "wh-load"]


def test_a_line_of_another_host_between_ends_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a line began goes on behind it: an array has both of its lines."""
    rows = (
        "Personalities : [raid1]", "md0 : active raid1 dasdc1[1] dasdb1[0]",
        "      216 blocks super 1.2 [2/2] [UU]", "",
    )  # fmt: skip
    mixed = "".join(f"{host}: {row}\n" for row in rows for host in ("zora", "elbe"))
    (tmp_path / "a.txt").write_text(f"{mixed}zora: /dev/md0 on /data type ext4 (rw)\n")
    assert main(["where", "/data", "--host", "zora", "--from", str(tmp_path), "-f", "json"]) == 0
    (answer,) = json.loads(capsys.readouterr().out)[0]["where"]
    assert [disk["disk"] for disk in answer["disks"]] == ["dasdb", "dasdc"]


@pytest.mark.parametrize(
    ("before", "said"),
    [(f"{_behind('lnx1: ', UIDS)}pdsh@jump: lnx9: ", "ssh exited with exit code 255"),
     (f"{_behind('lnx1: ', UIDS)}lnx9: ", "ssh: connect to host lnx9 port 22: No route to host"),
     (f"lnx1:\n{_behind('    ', UIDS)}lnx9:\n    ", "Minion did not return. [No response]")],
    ids=["pdsh", "ssh", "salt"],
)  # fmt: skip
def test_a_host_that_gave_no_answer_is_named_with_what_was_said(
    before: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has no outputs, which is not as if it had none to give."""
    (tmp_path / "a.txt").write_text(f"{before}{said}\n")
    main(["info", str(tmp_path)])
    told = " ".join(capsys.readouterr().out.split())
    line = before.count("\n") + 1
    assert f"of the host lnx9 (a.txt:{line}), because it gave no answer ({said})" in told


def test_what_tools_print_before_each_line_is_no_host(tmp_path: Path) -> None:
    """Tables of the device mapper, records of udev, and lscpu have words and colons, too."""
    for number, text in enumerate((
        "vg-a: 0 2000 linear 94:5 128\nvg-b: 0 2000 linear 94:9 128\n",
        "P: /devices/css0/0.0.1/0.0.1a01/block/dasdb\nN: dasdb\nE: DEVTYPE=disk\nE: MAJOR=94\nE: MINOR=4\n",
        "Architecture: s390x\nType: 3931\nHypervisor: z/VM 7.3.0\n",
    )):  # fmt: skip
        (tmp_path / "a.txt").write_text(text)
        assert [output.host for output in open_capture(str(tmp_path)).passes[-1].texts] == [""], number


@pytest.mark.parametrize(
    ("count", "words"),
    [(1, "1 output of the host elbe (a.txt:7), "), (2, "2 outputs of the host elbe (such as a.txt:7), ")],
)
def test_what_is_left_out_is_counted(count: int, words: str, tmp_path: Path) -> None:
    """Count and noun agree, and the first is named."""
    (tmp_path / "a.txt").write_text(
        f"zora:~ # lsdasd -u\n{UIDS}elbe:~ # mount\n{MOUNTS}"
        + f"elbe:~ # lsblk\n{BLOCKS}" * (count - 1)
        + f"zora:~ # mount\n{MOUNTS}" * 2
    )
    (note,) = open_capture(str(tmp_path)).notes
    assert note.startswith(f"Left out: {words}")


@pytest.mark.parametrize(
    "prompt",
    ["", "op@zora:~> ", *(pytest.param(mark, marks=pytest.mark.whole_days) for mark in ("# ", "=== ", "+ "))],
)
def test_no_line_of_a_real_output_names_a_host(prompt: str, tmp_path: Path) -> None:
    """Behind any prompt, or with none."""
    text = "".join(
        f"{prompt}{command}\n{output.text}" if prompt else f"{output.text}\n"
        for command, output in real_outputs().items()
        if not command.startswith(("uname", "hostname"))
    )
    (tmp_path / "a.txt").write_text(text, errors="surrogateescape")
    capture = open_capture(str(tmp_path))
    assert [note for note in capture.notes if " host " in note] == []
    hosts = {output.host for output in capture.passes[-1].texts}
    assert hosts <= ({"zora"} if "zora" in prompt else {"", "lnxherc1"})


def test_directories_of_sos_are_no_hosts(tmp_path: Path) -> None:
    """Some of its plugins run the same commands."""
    names = ("lsblk", "blkid", "lsblk_-t")
    files = {f"sos_commands/{plugin}/{name}": BLOCKS for plugin in ("block", "devices") for name in names}
    assert _kept(tmp_path, {"sos_commands/kernel/uname_-a": LINUX, **files}) == {
        *(origin.removeprefix("sos_commands/") for origin in files), "kernel/uname_-a",
    }  # fmt: skip


def test_texts_beside_the_kernel_files_of_another_host_are_left_out(tmp_path: Path) -> None:
    """What names no host is of that of these files, unless it may be of the other."""
    (tmp_path / "proc/sys/kernel").mkdir(parents=True)
    (tmp_path / "proc/sys/kernel/hostname").write_text("zora.example.com\n")
    assert _kept(tmp_path, {"d.txt": UIDS, "z.txt": f"zora:~ # mount\n{MOUNTS}"}) == {"d.txt", "z.txt"}
    assert _kept(tmp_path, {"e.txt": f"elbe:~ # mount\n{MOUNTS}" * 9}) == {"z.txt"}
    assert _kept(tmp_path, {"z.txt": f"elbe:~ # df\n{MOUNTS}"}) == set()


@pytest.mark.parametrize(("host", "disk"), [("n01", "dasdb"), ("n02", "dasdb"), ("n03", "dasdc")])
def test_a_host_of_a_series_can_be_chosen(
    host: str, disk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Equal outputs are written once; each of its lines is read, or a rule of its own."""
    rule = f"{'-' * 16}\n"
    row = "0.0.0a0{1}  dasd{0}       IBM.750000000PS001.0a00.0{1}\n"
    text = "".join(f"{rule}{name}\n{rule}{row.format(*which)}" for name, which in (
        ("n[01-02]", "b1"), ("n03", "c2"), ("n[01-02]", "d3"),
    ))  # fmt: skip
    (tmp_path / "a.txt").write_text(text)
    assert main(["where", disk, "--host", host, "--from", str(tmp_path), "--strict"]) == 0
    assert "not understood" not in capsys.readouterr().err


@pytest.mark.parametrize("both", ["zora[01-02]", "zora01,zora02"])
@pytest.mark.parametrize("host", ["zora01", "zora02", ""])
def test_an_output_of_several_hosts_is_of_each(both: str, host: str, tmp_path: Path) -> None:
    """Beside what each of them has alone, whichever is chosen."""
    rule = f"{'-' * 16}\n"
    text = "".join(f"{rule}{name}\n{rule}{output}" for name, output in (
        (both, BLOCKS), ("zora01", UIDS), ("zora02", UIDS.replace("1a0", "2b0")),
    ))  # fmt: skip
    (tmp_path / "a.txt").write_text(text)
    texts = open_capture(str(tmp_path), host).passes[-1].texts
    assert [output.host for output in texts if output.form] == [both, host or "zora01"]


@pytest.mark.parametrize("rows", [1, 2])
def test_few_lines_between_prompts_are_of_the_hosts_before_them(rows: int, tmp_path: Path) -> None:
    """Also where a heading that has any word before it is one of its tool."""
    table = "Filesystem     Type  Size  Used Avail Use% Mounted on\n" + "".join(
        f"/dev/dasdb{row}    xfs    20G   12G  8.0G  60% /db{row}\n" for row in range(1, rows + 1)
    )
    (tmp_path / "a.txt").write_text(
        f"[op@jump ~]$ pdsh -w zora,elbe df -hT\n{_behind('zora: ', table)}{_behind('elbe: ', table)}"
        "pdsh@jump: fulda: ssh exited with exit code 255\n[op@jump ~]$ \n"
    )
    assert [text.host for text in open_capture(str(tmp_path)).passes[-1].texts if text.form] == ["zora"]


@pytest.mark.parametrize("host", ["elbe", "ELBE", "elbe.example.com"])
def test_the_host_that_is_meant_can_be_chosen(
    host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With or without its domain; one that no text names is a mistake of the command line."""
    (tmp_path / "a.txt").write_text(f"zora:~ # lsdasd -u\n{UIDS}{UIDS}elbe:~ # lsblk\n{BLOCKS}")
    source = ["--from", str(tmp_path / "a.txt")]
    assert main(["where", "dasda1", "--host", host, *source, "-f", "json"]) == 0
    assert [mount["point"] for mount in json.loads(capsys.readouterr().out)[0]["mounts"]] == ["/data"]
    for command in (["where", "dasda"], ["show", "IOCONF"], ["check"]):
        assert main([*command, "--host", "elba", *source]) == 2
        assert {"elbe", "zora"} <= set(re.findall(r"\w+", capsys.readouterr().err))
    recording = str(Path(__file__).parents[2] / "recordings" / "lab-shark-before.zmon")
    capture = str(Path(__file__).parents[2] / "recordings" / "hercules-lvm.tar.gz")
    for others in (["--from", "lab:shark-before"], ["--from", recording], ["--from", capture], []):
        assert main(["where", "/etc", "--host", host, *others]) == 2
        assert main(["show", "IOCONF", "--host", host, *others]) == 2


@pytest.mark.parametrize(
    ("files", "kept"),
    [
        ({"before/d.txt": UIDS, "before/m.txt": MOUNTS, "after/d.txt": UIDS}, {"after/d.txt"}),
        ({"before/d.txt": f"zora:~ # lsdasd\n{UIDS}", "after/d.txt": f"zora:~ # lsdasd\n{UIDS}",
          "u.txt": "zora:~ # mount\n"}, {"after/d.txt", "u.txt"}),
        ({"before/u.txt": LINUX, "before/d.txt": UIDS, "after/u.txt": OTHER, "after/x.txt": MOUNTS,
          "u.txt": LINUX}, {"before/u.txt", "before/d.txt", "u.txt"}),
        ({"2026-03-09/d.txt": UIDS, "2026-03-10/d.txt": UIDS, "20260224/d.txt": UIDS}, {"2026-03-10/d.txt"}),
        ({"1/d.txt": UIDS, "1/m.txt": MOUNTS, "2/d.txt": UIDS}, {"2/d.txt"}),
        ({"1/d.txt": f"$ date\nTue Mar 17 09:00:00 CET 2026\n$ lsdasd -u\n{UIDS}",
          "2/d.txt": f"$ date\nMon 16 Mar 2026 10:00:00 AM CET\n$ date\nMon Mar 16 10:00:00 CET 2026\n"
                     f"$ lsdasd -u\n{UIDS}"}, {"1/d.txt"}),
        ({"1/d.txt": UIDS, "2/m.txt": MOUNTS}, {"1/d.txt", "2/m.txt"}),
        ({"lsdasd-before.txt": UIDS, "lsdasd-after.txt": UIDS}, {"lsdasd-after.txt"}),
        ({"2025-03-01_pre/d.txt": UIDS, "2025-03-02_post/d.txt": UIDS}, {"2025-03-02_post/d.txt"}),
        ({"2025-03-01_box1/d.txt": UIDS, "2025-03-01_box2/m.txt": MOUNTS},
         {"2025-03-01_box1/d.txt", "2025-03-01_box2/m.txt"}),
    ],
)  # fmt: skip
def test_two_times_of_a_host_are_not_united(files: dict[str, str], kept: set[str], tmp_path: Path) -> None:
    """The newest is read: as date says, else names, else the times of the files; another can be chosen."""
    assert _kept(tmp_path, files) == kept
    notes = open_capture(str(tmp_path)).notes
    assert bool(notes) == (kept != set(files))
    if "before" in str(notes) and "before/u.txt" not in files:
        chosen = open_capture(str(tmp_path), "before").passes[-1].texts
        assert {text.origin for text in chosen if "after" in text.origin} == set()


FAILED = """\
[1] 09:12:01 [SUCCESS] box1
0.0.0a00  dasda       IBM.750000000PS001.0a00.00
[2] 09:12:02 [SUCCESS] box2
0.0.0b00  dasda       IBM.750000000PS001.0b00.00
[3] 09:12:09 [FAILURE] box3 Exited with error code 255
Stderr: ssh: connect to host box3 port 22: No route to host
"""


SALT: Final = f"box1:\n{_behind('    ', UIDS)}box3:\n    Minion did not return. [No response]\n"
"""What salt prints of two hosts, of which one gave no answer."""


@pytest.mark.parametrize("text", [FAILED, FAILED.replace("[FAILURE] box3 E", "[FAILURE] box3:22 E"), SALT])
def test_a_host_that_did_not_answer_is_named(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is no other whose name is alike."""
    (tmp_path / "a.txt").write_text(text)
    assert main(["info", str(tmp_path), "-f", "json"]) == 0
    remarks = json.loads(capsys.readouterr().out)["remarks"]
    assert [remark for remark in remarks if "box3" in remark and re.search("a.txt:[67]", remark)]
    assert main(["where", "dasda", "--from", str(tmp_path), "--host", "box3"]) == 2
    assert "box2" not in capsys.readouterr().err


def test_an_output_behind_two_prompts_is_of_neither_host(tmp_path: Path) -> None:
    """Two windows were copied together: what one says is not united with what the other says."""
    text = f"root@zora:~# lsblk      root@elbe:~# lsblk\n{BLOCKS}root@zora:~# lsdasd -u\n{UIDS}"
    assert _hosts(tmp_path, text) < {"zora", "zora or elbe"}
    (tmp_path / "a.txt").write_text(f"root@zora:~# rsync root@elbe:/etc/#x .\nroot@zora:~# lsblk\n{BLOCKS}")
    assert open_capture(str(tmp_path)).notes == []


MIXED: Final = "".join(
    f"oder1: {own}\nmain7: {other}\n"
    for own, other in zip(BLOCKS.splitlines(), BLOCKS.replace("/data", "/two").splitlines(), strict=True)
)
"""What pdsh prints of two hosts that answer at one time."""


@pytest.mark.parametrize(
    ("before", "behind", "command"),
    [
        ("adm:~ # df\n/dev/dasdx1 9 4 5 44% /\nadm:~ # pdsh -w oder1,main7 lsblk\n", "adm:~ # ls\n", "lsblk"),
        (f"adm:~ # lsdasd -u\n{UIDS}adm:~ # clush -w @db 'lsblk -i'\n", "adm:~ # ls\na\nb\n", "lsblk -i"),
        ("adm:~ # date\n1\n2\nadm:~ # sudo pdsh -g db lsblk | grep das\n", "adm:~ # \n", "lsblk | grep das"),
        ("Hello Eva,\n\nthis is what pdsh says:\n\n", "\nRegards\nAnna\n", ""),
    ],
)  # fmt: skip
def test_lines_of_several_hosts_are_put_together(before: str, behind: str, command: str) -> None:
    """In their order, also where other lines stand before and behind them; a filter of all is one of each."""
    told = {cut.host: cut for cut in outputs("a.txt", (before + MIXED + behind).encode(), 7) if cut.form
            and cut.host in {"oder1", "main7"}}  # fmt: skip
    assert [cut.command for cut in told.values()] == [command, command]
    lines = (before + MIXED + behind).split("\n")
    for host, cut in told.items():
        rows = [row for row in cut.text.split("\n") if row.strip("\0")]
        assert rows == BLOCKS.replace("/data", "/data" if host == "oder1" else "/two").splitlines()
        assert lines[cut.line - 1] == f"{host}: {rows[0]}"


@pytest.mark.parametrize(
    "rows", ["Name: /dev/dasdp1\nState: active\n", f"Disk: {UIDS.splitlines()[-1]}\nSize: 7043MB\n"]
)
def test_fields_of_a_paragraph_are_no_hosts(rows: str) -> None:
    """An output has to begin in what stands behind each of them, as a whole."""
    text = f"adm:~ # lsblk\n{BLOCKS}adm:~ # other\n\n{rows}\nadm:~ # lsdasd -u\n{UIDS}"
    assert {cut.host for cut in outputs("a.txt", text.encode(), 7)} <= {"adm"}
