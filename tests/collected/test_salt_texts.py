"""What salt prints of several hosts is of these, in any of its forms, and with the command that was run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from zmon.collected.transcript import begins_output, outputs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.kernel.capture_text import CollectedText

BLOCKS: Final = (
    "NAME       MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT\ndasdp       94:60   0  6.9G  0 disk\n"
    "`-dasdp1    94:61   0  6.9G  0 part /one"
)
OTHERS: Final = BLOCKS.replace("/one", "/two")
BY_HOST: Final = {"oder1": BLOCKS, "main7.example.com": OTHERS}
ALL_OF_IT: Final = {
    host: {"pid": 7, "retcode": 0, "stderr": "", "stdout": told} for host, told in BY_HOST.items()
}
ASKED: Final = "op@master:~$ sudo salt '*' cmd.run 'lsblk'\n"


def _of_each(told: Mapping[str, object], indent: int | None) -> str:
    return "".join(f"{json.dumps({host: value}, indent=indent)}\n" for host, value in told.items())


def _nested(told: Mapping[str, str], *, has_fields: bool = False) -> str:
    text = ""
    for host, printed in told.items():
        rows = printed.split("\n")
        if has_fields:
            rows = ["----------", "pid:", "    7", "stderr:", "stdout:", *(f"    {row}" for row in rows)]
        text += f"{host}:\n" + "".join(f"    {row}\n" for row in rows)
    return text


def _quoted(told: Mapping[str, str]) -> str:
    """Return what is printed as YAML: folded behind 80 characters, with escapes where a blank ends a line."""
    text = ""
    for host, printed in told.items():
        if " \n" in printed:
            escaped = printed.replace("\n", "\\n")
            text += f'{host}: "{escaped[:70]}\\\n  {escaped[70:].replace(" ", chr(92) + " ", 1)}"\n'
        else:
            text += f"{host}: '" + printed.replace("\n", "\n\n  ").replace("/", "\n  /") + "'\n"
    return text


def _read(text: str) -> list[CollectedText]:
    return [cut for cut in outputs("salt.out", text.encode(), 7) if cut.form]


@pytest.mark.parametrize(
    "text",
    [
        *(_of_each(told, indent) for told in (BY_HOST, ALL_OF_IT) for indent in (None, 4)),
        *(f"{json.dumps(told, indent=indent)}\n" for told in (BY_HOST, ALL_OF_IT) for indent in (None, 4)),
        _nested(BY_HOST), _nested(BY_HOST, has_fields=True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("asked", ["", ASKED])
def test_each_output_is_of_its_host(text: str, asked: str) -> None:
    """As JSON, a document for each or one for all, and as plain text; with the fields of a result or not."""
    told = [(cut.host, cut.text.rstrip()) for cut in _read(asked + text)]
    assert told == [("oder1", BLOCKS), ("main7", OTHERS)]
    assert begins_output(asked + text)
    if asked:
        assert {cut.command for cut in _read(asked + text)} == {"lsblk"}


@pytest.mark.parametrize(
    "asked",
    ["salt '*' cmd.run 'lsblk | head -3'", 'salt -L a,b cmd.shell "lsblk | head -3" --out=json',
     "salt-ssh '*' cmd.run_all cmd='lsblk | head -3'"],
)  # fmt: skip
@pytest.mark.parametrize("text", [_of_each(BY_HOST, 4), _nested(BY_HOST)])
def test_the_filter_of_a_command_is_known(asked: str, text: str) -> None:
    """So that what it left out is not taken for missing."""
    assert {cut.command for cut in _read(f"# {asked}\n{text}")} == {"lsblk | head -3"}


@pytest.mark.parametrize("indent", [None, 4])
def test_outputs_are_at_the_lines_of_their_hosts(indent: int | None) -> None:
    """A string in JSON has one line; that of a result is the one with its field."""
    text = ASKED + _of_each(ALL_OF_IT, indent)
    lines = text.split("\n")
    for cut in _read(text):
        assert '"stdout"' in lines[cut.line - 1]
        assert cut.step == 0
    for cut in _read(ASKED + _nested(BY_HOST, has_fields=True)):
        assert (
            (ASKED + _nested(BY_HOST, has_fields=True)).split("\n")[cut.line - 1].strip().startswith("NAME")
        )


@pytest.mark.parametrize(
    "none", ["Minion did not return. [No response]", "bash: lsblk: command not found", False]
)
def test_a_host_without_an_answer_has_no_empty_list(*, none: str | bool) -> None:
    """That it has no disks would follow from a list without a row."""
    text = ASKED + _of_each({"ruhr3": none, **BY_HOST}, 4)
    assert [cut.host for cut in _read(text) if cut.command] == ["oder1", "main7"]
    if none:
        text = ASKED + _nested({"ruhr3": str(none), **BY_HOST})
        assert [cut.host for cut in _read(text) if cut.command] == ["oder1", "main7"]


@pytest.mark.parametrize("asked", ["", ASKED])
@pytest.mark.parametrize("end", ["", " "])
def test_strings_in_yaml_are_outputs(asked: str, end: str) -> None:
    """In either form of quotes, wherever lines are folded."""
    told = {host: printed.replace("disk", f"disk{end}") for host, printed in BY_HOST.items()}
    cuts = _read(asked + _quoted(told))
    assert [(cut.host, cut.text.rstrip()) for cut in cuts] == [
        ("oder1", told["oder1"]), ("main7", told["main7.example.com"]),
    ]  # fmt: skip
    assert {cut.command for cut in cuts} == {"lsblk" if asked else ""}


@pytest.mark.parametrize(
    "text", ["a: 'b\n", 'a: "b\\\n', "a: 'b'\nc: \"\\q\"\n", "a: '\n\n\n  NAME  MAJ:MIN\n", "a: '"]
)
def test_other_strings_in_yaml_stay_as_they_are(text: str) -> None:
    """Those that do not end, or hold no output."""
    assert "".join(cut.text for cut in outputs("salt.out", text.encode(), 7)).split() == text.split()


def test_the_host_that_asks_itself_has_no_name() -> None:
    """`local` is called so on each."""
    (cut,) = _read(_of_each({"local": BLOCKS}, 4))
    assert (cut.host, cut.text.rstrip()) == ("", BLOCKS)


def test_a_document_that_was_cut_is_not_understood() -> None:
    """What of it is whole is of its hosts."""
    text = _of_each(BY_HOST, None)[:-40]
    assert [cut.host for cut in _read(text)] == ["oder1"]
    assert any("main7" in cut.text and not cut.form for cut in outputs("salt.out", text.encode(), 7))


@pytest.mark.parametrize(
    "document",
    [
        {"msg": BLOCKS},
        {"stdout": BLOCKS, "rc": 0},
        {"oder1": BLOCKS, "plays": []},
        {"lsblk": BLOCKS, "df": OTHERS},
        {"oder1": "pong"},
        {"pv_name": "/dev/dasdp1 vg lvm2 a-- 6.88g 1.00g"},
    ],
)
def test_other_documents_name_no_hosts(document: dict[str, object]) -> None:
    """Keys are hosts only if each of them has an output, and none is that of a result."""
    assert {cut.host for cut in _read(f"{json.dumps(document, indent=4)}\n")} <= {""}
