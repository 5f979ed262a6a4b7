"""Outputs in what ansible says of hosts: each is of its host, its command and the line that the user has."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from zmon.collected.collection import facts_of
from zmon.collected.transcript import begins_output, outputs

if TYPE_CHECKING:
    from tests.collected.conftest import Ask
    from zmon.kernel.capture_text import CollectedText

UIDS: Final = (
    f"Bus-ID    Name      UID\n{'=' * 78}\n"
    "0.0.1a00  dasda     IBM.75000000AAAA1.1a00.00\n0.0.1a01  dasdb     IBM.75000000AAAA1.1a00.01"
)
BLOCKS: Final = (
    "NAME       MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT\ndasda       94:0    0  6.9G  0 disk\n"
    "`-dasda1    94:1    0  6.9G  0 part /data"
)
TASK: Final = "TASK [collect] *****\n"


def result(command: str | list[str], stdout: str, **more: object) -> dict[str, Any]:
    """Return the result of a command as ansible has it."""
    lines = stdout.split("\n") if stdout else []
    return {"changed": True, "cmd": command, "rc": 0, "stdout": stdout, "stdout_lines": lines} | more


def read(text: str) -> list[CollectedText]:
    """Return the outputs in a text, without what is none."""
    return [cut for cut in outputs("play.log", text.encode(), 7) if cut.form or cut.command or cut.file]


def places(text: str) -> list[tuple[str, int, int, str]]:
    """Return host, line, step and command of each output."""
    return [(cut.host, cut.line, cut.step, cut.command or cut.form.partition(",")[0]) for cut in read(text)]


def test_a_result_in_one_line_is_the_output_of_its_command() -> None:
    """Each host has its own, whatever stands in other lines."""
    text = (
        f"PLAY [all] ***\n\n{TASK}ok: [zora] => {json.dumps(result(['lsdasd', '-u'], UIDS))}\n"
        f"changed: [elbe.example.com] => {json.dumps(result('lsblk', BLOCKS))}\nPLAY RECAP ***\nzora : ok=2\n"
    )
    assert places(text) == [("zora", 4, 0, "lsdasd -u"), ("elbe", 5, 0, "lsblk")]
    assert [cut.text for cut in read(text)] == [f"{UIDS}\n", f"{BLOCKS}\n"]


def test_lines_of_a_result_in_several_lines_keep_their_numbers() -> None:
    """A line that is not understood is the one that the user has."""
    told = result("lsdasd -u", f"{UIDS}\n0.0.99 what")
    text = f"{TASK}ok: [zora] => {json.dumps(told, indent=4)}\n"
    (cut,) = read(text)
    (_facts, (account,)) = facts_of([cut])
    (strange,) = account.strange
    assert "0.0.99 what" in text.split("\n")[cut.number(strange - cut.line) - 1]
    assert cut.step == 1


@pytest.mark.parametrize(
    "shown",
    [
        {"out.stdout_lines": UIDS.split("\n")}, {"out.stdout": UIDS}, {"msg": UIDS},
        {"msg": UIDS.split("\n")},
        {"out": result("lsdasd -u", UIDS)}, {"out": {"results": [result("lsdasd -u", UIDS)]}},
    ],
)  # fmt: skip
@pytest.mark.parametrize("indent", [None, 4])
def test_a_variable_that_debug_prints_is_an_output(shown: dict[str, object], indent: int | None) -> None:
    """With its command, if the variable has that; a list in several lines has a line for each."""
    (cut,) = read(f"{TASK}ok: [zora] => {json.dumps(shown, indent=indent)}\n")
    assert (cut.host, cut.form.partition(",")[0], cut.text) == ("zora", "lsdasd", f"{UIDS}\n")
    assert cut.command in {"", "lsdasd -u"}


def test_results_of_a_loop_are_outputs_each() -> None:
    """Those of one result, and those that are printed for each item."""
    loop = {"changed": True, "results": [result("lsdasd -u", UIDS), result("lsblk", BLOCKS)]}
    text = (
        f"{TASK}changed: [zora] => {json.dumps(loop)}\n"
        f"changed: [zora] => (item=lsblk) => {json.dumps(result('lsblk', BLOCKS))}\n"
        f"failed: [zora] (item=lscss) => {json.dumps(result('lscss', '', stderr='sh: lscss: not found'))}\n"
    )
    assert places(text) == [
        ("zora", 2, 0, "lsdasd -u"), ("zora", 2, 0, "lsblk"), ("zora", 3, 0, "lsblk"),
        ("zora", 4, 0, "lscss"),
    ]  # fmt: skip
    assert not any(account.strange for account in facts_of(read(text))[1])


def test_the_shell_and_the_name_of_a_task_tell_the_command() -> None:
    """`raw` has none; a name in words is no command."""
    text = (
        f"ok: [zora] => {json.dumps(result(['/bin/sh', '-c', 'sudo lsblk -i'], BLOCKS))}\n"
        f"TASK [disks : lsdasd -u] ***\nok: [zora] => {json.dumps({'rc': 0, 'stdout': UIDS})}\n"
        f"TASK [lsdasd of all] ***\nok: [zora] => {json.dumps({'rc': 0, 'stdout': UIDS})}\n"
    )
    assert [cut.command for cut in read(text)] == ["lsblk -i", "lsdasd -u", ""]


def test_a_file_that_slurp_returned_is_that_file() -> None:
    """It is in base64."""
    content = base64.b64encode(b"major minor  #blocks  name\n\n  94 0 7212240 dasda\n").decode()
    told = {"content": content, "encoding": "base64", "source": "/proc/partitions"}
    (cut,) = read(f"ok: [zora] => {json.dumps(told)}\n")
    assert (cut.file, cut.host) == ("proc/partitions", "zora")


def test_an_output_is_of_the_host_to_which_its_task_was_delegated() -> None:
    """The other one is only whose turn it was."""
    text = f"ok: [zora -> elbe] => {json.dumps(result('lsblk', BLOCKS))}\n"
    assert places(text) == [("elbe", 1, 0, "lsblk")]


def test_documents_of_results_are_read() -> None:
    """By the callback `json`, as --tree writes them, and of ansible without a play."""
    hosts = {"zora": result("lsdasd -u", UIDS), "elbe": result("lsblk", BLOCKS)}
    document = json.dumps({"plays": [{"tasks": [{"hosts": hosts}]}], "stats": {}}, indent=4)
    assert [(host, command) for host, _line, _step, command in places(document)] == [
        ("zora", "lsdasd -u"), ("elbe", "lsblk"),
    ]  # fmt: skip
    assert places(json.dumps(result("lsblk", BLOCKS))) == [("", 1, 0, "lsblk")]
    assert places(f"zora | CHANGED => {json.dumps(result('lsblk', BLOCKS))}\n") == [("zora", 1, 0, "lsblk")]


def test_facts_of_setup_are_counted_and_name_devices(where: Ask) -> None:
    """They may tell of a use, and are not read."""
    facts = {"ansible_facts": {"ansible_mounts": [{"device": "/dev/dasdb1", "mount": "/x"}]}}
    text = (
        f"zora | SUCCESS => {json.dumps(facts, indent=4)}\n"
        f"zora | CHANGED => {json.dumps(result('lsdasd -u', UIDS))}\n"
    )
    assert places(text) == [("zora", 1, 1, "ansible -m setup"), ("zora", 11, 0, "lsdasd -u")]
    unseen = where("dasdb", text)["not_looked_at"]
    assert any("dasdb1 is named in a.txt:5" in what for what in unseen)


def test_what_is_no_output_stays_in_the_text() -> None:
    """A document of a tool, a result without an output, and one that was cut."""
    document = '{"blockdevices": [{"name": "dasda", "maj:min": "94:0"}]}\n'
    assert places(document) == [("", 1, 1, "lsblk")]
    assert not read('ok: [zora] => {"changed": false, "ping": "pong"}\n')
    cut = f"ok: [zora] => {json.dumps(result('lsdasd -u', UIDS))[:-40]}\n"
    assert begins_output(cut)
    assert not read(cut)


def test_outputs_in_yaml_are_of_their_host() -> None:
    """A string in several lines, and a list with a line for each."""
    block = "".join(f"    {row}\n" for row in UIDS.split("\n"))
    rows = "".join(f"  - {row!r}\n" if "`" in row else f"  - {row}\n" for row in BLOCKS.split("\n"))
    text = (
        f"{TASK}changed: [zora] => changed=true \n  cmd:\n  - lsdasd\n  - -u\n  stdout: |-\n{block}"
        f"  stdout_lines: <omitted>\n\nok: [elbe] => \n  out.stdout_lines:\n{rows}"
    )
    assert places(text) == [
        ("zora", 7, 1, "lsdasd -u"),
        ("elbe", 15, 1, "lsblk"),
    ]  # fmt: skip
    assert not any(account.strange for account in facts_of(read(text))[1])


@pytest.mark.parametrize(
    "glued", ["non-zero return code", "lsblk: /dev/x: not a block device", "  WARNING: Device has moved.", ""]
)
@pytest.mark.parametrize("point", ["/data", "/"])
def test_what_a_module_says_behind_an_output_is_none_of_its_last_line(
    where: Ask, point: str, glued: str
) -> None:
    """Ansible joins it without a line feed with what the command printed."""
    text = (
        "zl02 | FAILED | rc=2 >>\nNAME     MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT\n"
        f"dasdb     94:4    0  6.9G  0 disk \n└─dasdb1  94:5    0  6.9G  0 part {point}{glued}\n"
    )
    assert [mount["point"] for mount in where("dasdb", text)["mounts"]] == [point]
