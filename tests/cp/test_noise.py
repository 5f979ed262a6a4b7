"""What stands around answers is taken away, and columns stay."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cp.noise import CHUNK, LONGEST, bare, chunks, command, event, order, plain, silent, unnamed

TEXT = "DASD 0100 3390 LX4A01"


@pytest.mark.parametrize(
    "prefix",
    ["", "00: ", "10:22:33 ", "10:22:33 00: ", "00: 10:22:33 ", " 10:22:33 ", "> ", "> > ", "* ", "`", "1F: ",
     "    "],
)  # fmt: skip
def test_prefixes_are_taken_away(prefix: str) -> None:
    """In any order, as often as they come."""
    assert bare(prefix + TEXT, 1).text == TEXT


@pytest.mark.parametrize("end", [" |", "|", "`", "   "])
def test_a_table_has_a_sign_behind_the_line(end: str) -> None:
    """It goes where one stands before it too."""
    assert bare(f"| {TEXT}{end}", 1).text == TEXT


def test_blanks_before_a_text_are_counted() -> None:
    """They tell that a line goes on, behind a prefix too."""
    assert (bare("     0600 MAC", 1).indent, bare("00:      0600 MAC", 1).indent) == (5, 5)


@pytest.mark.parametrize("name", ["lindb01:     ", "LINDB01 : ", "LINDB01 : 00: ", "a-b.c: "])
def test_the_name_of_a_guest_is_kept(name: str) -> None:
    """In capitals, because a tool and a console write it differently."""
    line = unnamed(bare(name + TEXT, 7))
    assert line is not None
    assert (line.text, line.number, line.node) == (TEXT, 7, name.partition(":")[0].strip().upper())


@pytest.mark.parametrize("text", [TEXT, "12:10", "two words: text", ": text", ""])
def test_a_line_may_have_no_name(text: str) -> None:
    """Then there is none."""
    assert unnamed(bare(text, 1)) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q v dasd", "Q V DASD"), ("Query  Virtual 0100", "QUERY VIRTUAL 0100"),
        ("===> ind load", "IND LOAD"),
        ("lindb01> vmcp -b 4k q userid", "Q USERID"), ("[root@lindb01 ~]# vmcp q v dasd", "Q V DASD"),
        ("$ sudo /sbin/vmcp --buffer 1M 'q v dasd'", "Q V DASD"), ("#CP Q DASD", "Q DASD"),
        ("$ hcp q v 0100", "Q V 0100"), (TEXT, ""), ("quit", ""), ("Q0-00001(00000)", ""), ("", ""),
    ],
)  # fmt: skip
def test_commands_are_recognised(text: str, said: str) -> None:
    """As they are typed on consoles and in shells."""
    assert command(bare(text, 1)) == said


@pytest.mark.parametrize(
    "text",
    ["#" * 55, "```", "* MSG FROM EREP    : RECORDING DATA", f"{'RUNNING   ZVMPRD1':>77}", f"{'MORE...':>67}",
     "rc=1", 'dbginfo.sh: Warning: Command "vmcp -b 4k q pav" failed'],
)  # fmt: skip
def test_screens_and_archives_have_lines_that_say_nothing(text: str) -> None:
    """They are no answer and nothing odd."""
    assert silent(bare(text, 1)) or not bare(text, 1).text


def test_a_status_stands_at_the_right() -> None:
    """Elsewhere the word is a word."""
    assert not silent(bare("RUNNING   ZVMPRD1", 1))


def test_an_event_is_told_by_its_verb() -> None:
    """And a label that looks like one is not."""
    assert event(bare("DASD 7601 DETACHED BY LINDB01", 1))
    assert not event(bare("DASD 7700 DETACH", 1))


@pytest.mark.parametrize(
    ("raw", "clean"),
    [("a\0\0 b", "a   b"), ("AB\x07", "AB?"), ("\0" * 6 + " S", "       S"), ("1\x001A02", "1?1A02"),
     ("\udce9", "\ufffd"),
     ("\x1b[2J", "?[2J"), ("\t", "\t"), ("ä", "ä")],
)  # fmt: skip
def test_odd_characters_are_replaced_one_for_one(raw: str, clean: str) -> None:
    """So that columns stay; a binary zero before a digit may have been one."""
    assert plain(raw) == clean


@given(st.text())
def test_a_line_keeps_its_length(text: str) -> None:
    """Whatever is in it."""
    assert len(plain(text)) == len(text)


@given(st.text())
def test_any_line_is_taken(text: str) -> None:
    """Nothing is an error."""
    line = bare(plain(text), 1)
    assert line.text == line.text.strip()
    for each in (line, unnamed(line)):
        if each is not None:
            command(each)
            silent(each)
            event(each)


@given(st.binary())
def test_pieces_are_the_text(data: bytes) -> None:
    """A byte that is no UTF-8 is one character."""
    if data[:2] not in {b"\xff\xfe", b"\xfe\xff"}:
        text = "".join(chunks(io.BytesIO(data)))
        assert text.encode("utf-8", "surrogateescape") == data.removeprefix(b"\xef\xbb\xbf")


def test_pieces_end_with_a_line() -> None:
    """Except the last."""
    pieces = list(chunks(io.BytesIO(b"0123456789\n" * (CHUNK // 5) + b"rest")))
    assert len(pieces) > 2
    assert all(piece.endswith("\n") for piece in pieces[:-1])
    assert pieces[-1] == "rest"


def test_a_line_that_is_too_long_is_shortened() -> None:
    """A file without line ends stays small in memory."""
    pieces = list(chunks(io.BytesIO(b"x" * (10 * CHUNK))))
    assert len(pieces) == 1
    assert LONGEST <= len(pieces[0]) <= CHUNK + LONGEST


def test_what_a_stream_cannot_give_is_said() -> None:
    """By the error of the stream itself."""

    class Broken(io.BytesIO):
        def read(self, _size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(OSError, match="Input/output"):
        list(chunks(Broken()))


@pytest.mark.parametrize(
    ("text", "said"),
    [("link maint 190 190 rr", "LINK MAINT 190 190 RR"), ("link maint 190 190 rr secret",
     "LINK MAINT 190 190 RR ********"),
     ("ipl 190 clear", "IPL 190 CLEAR"), ("DET 190-19F", "DET 190-19F"), ("att 7200 lindb01 200",
     "ATT 7200 LINDB01 200"),
     ("logoff", "LOGOFF"), ("set run on", "SET RUN ON"), ("#cp i 190", "I 190"),
     ("set the run", ""), ("link the disk", ""), ("q v dasd", ""), ("logo is nice today", "")],
)  # fmt: skip
def test_other_commands_are_recognised(text: str, said: str) -> None:
    """By the form of their operands; a password is hidden."""
    assert order(bare(text, 1)) == said


@pytest.mark.parametrize(
    "text",
    ["que o sistema tem dois discos", "Query optimizers read statistics, too", "indeed it is",
     "que no se puede", "QUERY", "query the disks of this guest"],
)  # fmt: skip
def test_prose_is_no_command(text: str) -> None:
    """Also where its first word may be an abbreviation of one."""
    assert command(bare(text, 1)) == ""


@pytest.mark.parametrize(
    "text",
    ["U F U C(host.example) I 4 24 80 5 0 0x0 0.001", "L U U N N 4 43 80 0 0 0x0 -", "ok",
     "LOGON AT 09:12:01 EST MONDAY 11/06/23", "FILES: 0003 RDR, 0001 PRT,   NO PUN"],
)  # fmt: skip
def test_what_a_script_and_a_logon_write_says_nothing(text: str) -> None:
    """It is noise, not what is not understood."""
    assert silent(bare(text, 1))
    assert silent(bare(f"data: {text}", 1))
