from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cli.cp import documents, lines
from zmon.cli.main import main
from zmon.cp.claim_sources import parse_text
from zmon.cp.vmcp import WHITELIST, Cp, CpAnswer, CpError

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLES = Path(__file__).parents[1] / "fixtures" / "cp"


@pytest.fixture
def sample(tmp_path: Path) -> Callable[[str], str]:
    """Write a sample without its header into a file; returns its path."""

    def write(name: str) -> str:
        lines = (SAMPLES / f"{name}.txt").read_bytes().splitlines(keepends=True)
        (tmp_path / f"{name}.txt").write_bytes(b"".join(line for line in lines if not line.startswith(b"# ")))
        return str(tmp_path / f"{name}.txt")

    return write


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let CP answer: `answer(text, code)`, or fail with an error."""

    def plan(text: str = "", code: int = 0, error: CpError | None = None) -> None:
        def ask(_cp: Cp, name: str, operand: str = "") -> CpAnswer:
            if error:
                raise error
            return CpAnswer(f"{WHITELIST[name].command} {operand}".strip(), text, code)

        monkeypatch.setattr(Cp, "ask", ask)

    return plan


def test_what_is_understood_is_a_table_for_each_sort(
    sample: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """With the columns that say something, then what CP answered differently when it was asked again."""
    path = sample("qvdasd-duplicates")
    assert main(["cp", "parse", path]) == 0
    first, *rows, changed, _ = capsys.readouterr().out.splitlines()
    assert first == f"{path}: understood 2 disk; lines not understood: 0"
    assert [row.split() for row in rows if row.startswith("  0")] == [
        ["0100", "minidisk", "3390", "LX4A01", "R/W", "10016", "CYL", "4A01", "0000", "5"],
        ["0101", "minidisk", "3390", "LX4B02", "R/W", "10016", "CYL", "4B02", "0001", "6"],
    ]
    assert re.findall(r"4A02|4B02|LX4A02|LX4B02|\b[26]\b", changed) == [
        "4A02",
        "4B02",
        "LX4A02",
        "LX4B02",
        "2",
        "6",
    ]


def test_what_is_not_understood_stands_below(
    sample: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """If so wanted, each line with its number; else they are counted."""
    main(["cp", "parse", "--unknown", sample("junk")])
    out = capsys.readouterr().out
    assert "lines not understood: 13" in out
    assert "\n  10: The DASD 7101 is slow\n" in out
    main(["cp", "parse", sample("junk")])
    out = capsys.readouterr().out
    assert "lines not understood: 13" in out
    assert "is slow" not in out


def test_csv_has_a_line_for_each_row(
    sample: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """With the columns of all sorts."""
    path = sample("qpaths")
    assert main(["cp", "parse", "-f", "csv", path, sample("quserid")]) == 0
    table = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["sort"], row["rdev"], row["lpm"]) for row in table[:2]] == [
        ("paths", "7601", "40 41 42 43 48 49 4A"),
        ("paths", "7201", "44 45 4D"),
    ]
    assert (table[3]["sort"], table[3]["user"], table[3]["rdev"], table[0]["file"]) == (
        "identity",
        "LINDB01",
        "",
        path,
    )


def test_nothing_understood_is_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says how much was read, and has nothing that a terminal would obey."""
    (tmp_path / "x").write_text("\x1b[2Jhello\n\x9b2J there\n")
    assert main(["cp", "parse", "--unknown", str(tmp_path / "x")]) == 1
    out = capsys.readouterr().out
    assert "understood nothing; lines not understood: 2" in out
    assert out.replace("\n", "").isprintable()


def test_a_file_that_is_too_long_for_a_directory_is_read_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As answers."""
    monkeypatch.setattr("zmon.cli.cp.MAX_FILE", 100)
    (tmp_path / "x").write_text(
        "DASD 0100 3390 LX4A01 R/W      10016 CYL ON DASD  4A01 SUBCHANNEL = 0000\n" * 2
    )
    assert main(["cp", "parse", str(tmp_path / "x")]) == 0
    assert "understood 1 disk" in capsys.readouterr().out


def test_a_directory_is_understood_as_claims(
    sample: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """And what it refers to without having it."""
    main(["cp", "parse", sample("directory-forms")])
    out = capsys.readouterr().out
    assert "understood 1 entry, 17 claim" in out
    assert "profile PROFLNX " in out
    assert "PASS" not in out


@pytest.mark.parametrize(
    "text", ["PROFILE P\n SPOOL 00C 2540 READER *\n CONSOLE 009 3215 T\n", "USER A X 1G 1G G\n INCLUDE P\n"]
)
def test_an_entry_without_a_device_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    """And so is the file that comes after it."""
    (tmp_path / "x").write_text(text)
    (tmp_path / "y").write_text("LINDB01  AT ZVMPRD1\n")
    assert main(["cp", "parse", str(tmp_path / "x"), str(tmp_path / "y")]) == 0
    out = capsys.readouterr().out
    assert "understood 1 entry;" in out
    assert "LINDB01" in out


def test_a_log_with_an_entry_prints_both(capsys: pytest.CaptureFixture[str]) -> None:
    """Answers of CP, the entry, what it says, and the numbers of the lines that are not understood."""
    path = SAMPLES.parent / "console" / "listed-entry.txt"
    assert main(["cp", "parse", "--unknown", str(path)]) == 0
    out = capsys.readouterr().out
    assert "understood 1 level, 3 return, 2 disk, 1 entry, 3 claim; lines not understood: 2" in out
    assert "\n  14: " in out


def test_json_has_an_object_for_each_file(
    sample: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """With the same parts."""
    main(["cp", "parse", "-f", "json", sample("quserid"), sample("directory-badbyte")])
    (answers, entries) = json.loads(capsys.readouterr().out)
    assert answers["rows"]["identity"][0]["user"] == "LINDB01"
    assert entries["rows"]["claim"][0]["volser"] == "LNX006"
    assert entries["lines not understood"] == 0
    assert "not UTF-8" in entries["odd"][0]


def test_a_file_that_is_not_there_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    """With its name."""
    assert main(["cp", "parse", "/nowhere/x"]) == 1
    assert capsys.readouterr().err == "zmon: /nowhere/x: No such file or directory\n"


def test_files_that_contradict_each_other_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On standard error, below all tables."""
    line = "DASD 0100 3390 LX4A01 R/W      10016 CYL ON DASD  4A01 SUBCHANNEL = 0000\n"
    (tmp_path / "a").write_text(line)
    (tmp_path / "b").write_text(line.replace("ON DASD  4A01", "ON DASD  4A02"))
    assert main(["cp", "parse", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    assert "0100 has more than one real device: 4A01" in capsys.readouterr().err


def test_a_query_prints_what_cp_answers(
    answer: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Without what a terminal would obey."""
    answer("LINDB01  AT ZVMPRD1\n\x1b[2Jx\n")
    assert main(["cp", "query", "userid"]) == 0
    assert capsys.readouterr().out == "LINDB01  AT ZVMPRD1\n?[2Jx\n"


@pytest.mark.parametrize(("form", "words"), [("text", "identity:"), ("json", '"identity"')])
def test_a_query_prints_what_is_understood(
    answer: Callable[..., None], capsys: pytest.CaptureFixture[str], form: str, words: str
) -> None:
    """If so wanted."""
    answer("LINDB01  AT ZVMPRD1\n")
    main(["cp", "query", "userid", "-f", form])
    assert words in capsys.readouterr().out


def test_a_refusal_of_cp_is_a_failure(
    answer: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """The answer is printed all the same, and the reason on standard error."""
    answer("HCPCQU003E Invalid option - DASD\n", 3)
    assert main(["cp", "query", "details", "7000"]) == 1
    out, err = capsys.readouterr()
    assert out == "HCPCQU003E Invalid option - DASD\n"
    assert err.startswith("zmon: QUERY ")
    assert "HCPCQU003E" not in err


def test_without_cp_there_is_one_sentence(
    answer: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """And no answer."""
    answer(error=CpError("/dev/vmcp: not here"))
    assert main(["cp", "query", "userid"]) == 1
    assert capsys.readouterr() == ("", "zmon: /dev/vmcp: not here\n")


@pytest.mark.parametrize("words", [["logoff"], ["details"], ["userid", "x"], ["virtual", "191;LOGOFF"]])
def test_what_is_not_in_the_list_is_not_asked(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is asked for wrongly."""
    monkeypatch.setattr(Cp, "ask", lambda *_all: pytest.fail("asked"))
    assert main(["cp", "query", *words]) == 2
    assert capsys.readouterr().err.startswith("zmon: ")


def test_the_list_has_all_queries_with_their_classes(capsys: pytest.CaptureFixture[str]) -> None:
    """As text and as JSON."""
    main(["cp", "list"])
    text = capsys.readouterr().out
    main(["cp", "list", "-f", "json"])
    listed = json.loads(capsys.readouterr().out)
    assert [query["name"] for query in listed] == list(WHITELIST)
    assert all(query["command"] in text and query["name"] in text for query in listed)


WORD = st.text("GHJKQXZ#@$", min_size=5, max_size=8)


@given(
    st.lists(
        st.sampled_from(
            [
                "USER LIN1 {} 1G", "MDISK 0100 3390 1 END LNX001 MR {} {}", "{}", "APPCPASS {}", "IPL CMS {}",
                "MDISK 0100 3390 DEVNO 7103 MR {}", "MDISK 0100 3390 {}", "MDIKS 0100 3390 1 5 LNX001 MR {}",
            ]
        ),
        max_size=6,
    ),
    WORD,
)  # fmt: skip
def test_a_password_is_never_printed(records: list[str], word: str) -> None:
    """Of a directory, whatever else stands in it."""
    text = "USER A X 1G\nMDISK 191 3390 1 5 LNX001\nCPU 00\n" + "".join(f"{record}\n" for record in records)
    found = parse_text(text.replace("{}", word).encode(), "x")
    assert word not in "\n".join([*lines([found]), *map(str, documents([found]))])
