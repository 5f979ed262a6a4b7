"""What stands around answers is taken away, and columns stay."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cp.console import (
    CHUNK,
    HIDDEN,
    MAX_LINE,
    echoed_command,
    echoed_query,
    hide_passwords,
    is_continued,
    is_event,
    is_noise,
    printable,
    strip_node,
    strip_prefix,
    text_chunks,
)

TEXT = "DASD 0100 3390 LX4A01"


@pytest.mark.parametrize(
    "prefix",
    ["", "00: ", "10:22:33 ", "10:22:33 00: ", "00: 10:22:33 ", " 10:22:33 ", "> ", "> > ", "* ", "`", "1F: ",
     "    "],
)  # fmt: skip
def test_prefixes_are_taken_away(prefix: str) -> None:
    """In any order, as often as they come."""
    assert strip_prefix(prefix + TEXT, 1).text == TEXT


@pytest.mark.parametrize("end", [" |", "|", "`", "   "])
def test_a_table_has_a_sign_behind_the_line(end: str) -> None:
    """It goes where one stands before it too."""
    assert strip_prefix(f"| {TEXT}{end}", 1).text == TEXT


def test_blanks_before_a_text_are_counted() -> None:
    """They tell that a line goes on, behind a prefix too."""
    assert (strip_prefix("     0600 MAC", 1).indent, strip_prefix("00:      0600 MAC", 1).indent) == (5, 5)


@pytest.mark.parametrize("name", ["lindb01:     ", "LINDB01 : ", "LINDB01 : 00: ", "a-b.c: "])
def test_the_name_of_a_guest_is_kept(name: str) -> None:
    """In capitals, because a tool and a console write it differently."""
    line = strip_node(strip_prefix(name + TEXT, 7))
    assert line is not None
    assert (line.text, line.number, line.node) == (TEXT, 7, name.partition(":")[0].strip().upper())


@pytest.mark.parametrize("text", [TEXT, "12:10", "two words: text", ": text", ""])
def test_a_line_may_have_no_name(text: str) -> None:
    """Then there is none."""
    assert strip_node(strip_prefix(text, 1)) is None


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
    assert echoed_query(strip_prefix(text, 1)) == said


@pytest.mark.parametrize(
    "text",
    ["#" * 55, "```", "* MSG FROM EREP    : RECORDING DATA", f"{'RUNNING   ZVMPRD1':>77}", f"{'MORE...':>67}",
     "rc=1", 'dbginfo.sh: Warning: Command "vmcp -b 4k q pav" failed'],
)  # fmt: skip
def test_screens_and_archives_have_lines_that_say_nothing(text: str) -> None:
    """They are no answer and nothing odd."""
    assert is_noise(strip_prefix(text, 1)) or not strip_prefix(text, 1).text


def test_a_status_stands_at_the_right() -> None:
    """Elsewhere the word is a word."""
    assert not is_noise(strip_prefix("RUNNING   ZVMPRD1", 1))


def test_an_event_is_told_by_its_verb() -> None:
    """And a label that looks like one is not."""
    assert is_event(strip_prefix("DASD 7601 DETACHED BY LINDB01", 1))
    assert not is_event(strip_prefix("DASD 7700 DETACH", 1))


@pytest.mark.parametrize(
    ("raw", "clean"),
    [("a\0\0 b", "a   b"), ("AB\x07", "AB?"), ("\0" * 6 + " S", "       S"), ("1\x001A02", "1?1A02"),
     ("\udce9", "\ufffd"),
     ("\x1b[2J", "?[2J"), ("\t", "\t"), ("ä", "ä")],
)  # fmt: skip
def test_odd_characters_are_replaced_one_for_one(raw: str, clean: str) -> None:
    """So that columns stay; a binary zero before a digit may have been one."""
    assert printable(raw) == clean


@given(st.text())
def test_a_line_keeps_its_length(text: str) -> None:
    """Whatever is in it."""
    assert len(printable(text)) == len(text)


@given(st.text())
def test_any_line_is_taken(text: str) -> None:
    """Nothing is an error."""
    line = strip_prefix(printable(text), 1)
    assert line.text == line.text.strip()
    for each in (line, strip_node(line)):
        if each is not None:
            echoed_query(each)
            is_noise(each)
            is_event(each)


@given(st.binary())
def test_pieces_are_the_text(data: bytes) -> None:
    """A byte that is no UTF-8 is one character."""
    if data[:2] not in {b"\xff\xfe", b"\xfe\xff"}:
        text = "".join(text_chunks(io.BytesIO(data)))
        assert text.encode("utf-8", "surrogateescape") == data.removeprefix(b"\xef\xbb\xbf")


def test_pieces_end_with_a_line() -> None:
    """Except the last."""
    pieces = list(text_chunks(io.BytesIO(b"0123456789\n" * (CHUNK // 5) + b"rest")))
    assert len(pieces) > 2
    assert all(piece.endswith("\n") for piece in pieces[:-1])
    assert pieces[-1] == "rest"


def test_a_line_that_is_too_long_is_shortened() -> None:
    """A file without line ends stays small in memory."""
    pieces = list(text_chunks(io.BytesIO(b"x" * (10 * CHUNK))))
    assert len(pieces) == 1
    assert MAX_LINE <= len(pieces[0]) <= CHUNK + MAX_LINE


def test_what_a_stream_cannot_give_is_said() -> None:
    """By the error of the stream itself."""

    class Broken(io.BytesIO):
        def read(self, _size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(OSError, match="Input/output"):
        list(text_chunks(Broken()))


@pytest.mark.parametrize(
    ("text", "said"),
    [("link maint 190 190 rr", "LINK MAINT 190 190 RR"), ("link maint 190 190 rr secret",
     "LINK MAINT 190 190 RR ********"),
     ("ipl 190 clear", "IPL 190 CLEAR"), ("DET 190-19F", "DET 190-19F"), ("att 7200 lindb01 200",
     "ATT 7200 LINDB01 200"),
     ("logoff", "LOGOFF"), ("set run on", "SET RUN ON"), ("#cp i 190", "I 190"),
     ("set the run", ""), ("link the disk", ""), ("q v dasd", ""), ("logo is nice today", ""),
     ("log = quiet", "")],
)  # fmt: skip
def test_other_commands_are_recognised(text: str, said: str) -> None:
    """By the form of their operands; a password is hidden."""
    assert echoed_command(strip_prefix(text, 1)) == said


@pytest.mark.parametrize(
    "text",
    ["que o sistema tem dois discos", "Query optimizers read statistics, too", "indeed it is",
     "que no se puede", "QUERY", "query the disks of this guest"],
)  # fmt: skip
def test_prose_is_no_command(text: str) -> None:
    """Also where its first word may be an abbreviation of one."""
    assert echoed_query(strip_prefix(text, 1)) == ""


@pytest.mark.parametrize(
    "text",
    ["U F U C(host.example) I 4 24 80 5 0 0x0 0.001", "L U U N N 4 43 80 0 0 0x0 -", "ok",
     "LOGON AT 09:12:01 EST MONDAY 11/06/23", "FILES: 0003 RDR, 0001 PRT,   NO PUN"],
)  # fmt: skip
def test_what_a_script_and_a_logon_write_says_nothing(text: str) -> None:
    """It is noise, not what is not understood."""
    assert is_noise(strip_prefix(text, 1))
    assert is_noise(strip_prefix(f"data: {text}", 1))


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("USER LINDB01 SECRET 4G 8G G", f"USER LINDB01 {HIDDEN} 4G 8G G"),
        ("identity MAINT secret 256M", f"identity MAINT {HIDDEN} 256M"),
        ("  MDISK 0191 3390 1 END LNX1 MR SECRET X", f"  MDISK 0191 3390 1 END LNX1 MR {HIDDEN} {HIDDEN}"),
        ("* MDISK 0191 3390 1 END LNX001 WV SECRET", f"* MDISK 0191 3390 1 END LNX001 WV {HIDDEN}"),
        ("m 0191 3390 1 5 LNX001 rr secret", f"m 0191 3390 1 5 LNX001 rr {HIDDEN}"),
        ("MDISK 0300 FB-512 V-DISK 2048 MR SECRET", f"MDISK 0300 FB-512 V-DISK 2048 MR {HIDDEN}"),
        ("MDISK 0103 3390 DEVNO 7103 MR SECRET", f"MDISK 0103 3390 DEVNO 7103 MR {HIDDEN}"),
        ("10:22:33 MDISK 0191 3390 1 5 LNX001", f"10:22:33 MDISK 0191 3390 1 5 {HIDDEN}"),
        ("link maint 190 190 rr secret", f"link maint 190 190 rr {HIDDEN}"),
        ("vmcp link maint 190 190 rr pass=secret", f"vmcp link maint 190 190 rr {HIDDEN}"),
        ("LOGON MAINT SECRET", f"LOGON MAINT {HIDDEN}"),
        ("xautolog linux1 secret", f"xautolog linux1 {HIDDEN}"),
        ("APPCPASS * MAINT SECRET", f"APPCPASS {HIDDEN} {HIDDEN} {HIDDEN}"),
        ("READPW=SECRET", f"READPW={HIDDEN}"),
        ("password: secret", f"password: {HIDDEN}"),
        ("DASD 0100 3390 LX4A01 R/W", "DASD 0100 3390 LX4A01 R/W"),
        ("HCPQVD040E Device 0600 does not exist", "HCPQVD040E Device 0600 does not exist"),
        ("", ""),
    ],
)  # fmt: skip
def test_what_may_be_a_password_is_hidden(line: str, shown: str) -> None:
    """Behind the name of a user, and behind the mode of a disk; other words stay."""
    assert hide_passwords(line) == shown


@given(
    st.sampled_from(["MDISK", "MD", "M", "mdisk", "LINK", "MDIS"]),
    st.lists(st.sampled_from(["0191", "3390", "0001", "END", "LNX001", "MAINT"]), min_size=2, max_size=5),
    st.sampled_from(["R", "RR", "W", "WR", "M", "MR", "MW", "mrv", "RE"]),
    st.lists(st.just("SECRET"), min_size=1, max_size=3),
)
def test_a_statement_that_lost_words_is_hidden_too(
    word: str, words: list[str], mode: str, ends: list[str]
) -> None:
    """Everything behind the first mode is."""
    assert "SECRET" not in hide_passwords(" ".join([word, *words, mode, *ends]))


@given(st.text())
def test_any_line_is_taken_mask(line: str) -> None:
    """And a line that hides something says so."""
    shown = hide_passwords(line)
    assert shown == line or HIDDEN in shown


def test_a_statement_goes_on_behind_a_comma() -> None:
    """Other lines do not."""
    assert is_continued("MDISK 0191 3390 1 5 LNX001 MR ,")
    assert not is_continued("MDISK 0191 3390 1 5 LNX001 MR")
    assert not is_continued("DASD 7700 DB7700,")
