"""What the documents lead to exists, and the commands of the tutorials work as they are written."""

from __future__ import annotations

import io
import re
import shlex
import sqlite3
from pathlib import Path

import pytest

from zmon.cli.full_parser import parse
from zmon.cli.main import main
from zmon.cli.subcommands import SUBCOMMANDS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))
COMMANDS = [
    command
    for page in TUTORIALS
    for command in re.findall(r"^\$ zmon (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
]
SHOWN = sorted(
    {
        re.split(r"  |[>|#]|&&", command)[0].strip()
        for page in [*PAGES, ROOT / "README.md"]
        for block in FENCE.findall(page.read_text(encoding="utf-8"))
        for command in re.findall(r"^(?:\$ |\.venv/bin/)?zmon +(.*)$", block, re.MULTILINE)
    }
)
"""The commands in all pages, without what is said of them, and without where their output goes."""
WHOLE_DAY = re.compile(r"(diagnose|show EXCEPT) --from recordings/lab-healthy-day\.zmon")
"""What looks at each minute of a day."""
LONG = 8
"""Words of a sentence that two pages do not have by chance."""
SMALL = ("--guests", "2", "--for", "2m")
"""A smaller fleet than that of the tutorial, which takes half a minute to be simulated."""


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as sites make them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    found = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.name)
def test_each_link_leads_somewhere(page: Path) -> None:
    """To a file of the repository, and to a heading in it; nothing is checked of other hosts."""
    for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def test_the_documents_are_short() -> None:
    """All pages together, generated ones included; and the newest part of the changes."""
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in PAGES) <= 50_000
    parts = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1:]
    assert [part for part in parts if len(part.splitlines()) > 60] == []


def test_a_sentence_stands_on_one_page() -> None:
    """What two pages need, one says and the other leads to."""
    pages_of: dict[str, set[str]] = {}
    for page in [*PAGES, ROOT / "README.md"]:
        text = re.sub(r"\s+", " ", FENCE.sub("", page.read_text(encoding="utf-8")))
        for sentence in re.split(r"(?<=[.:!?]) |\|", text):
            if len(sentence.split()) >= LONG:
                pages_of.setdefault(sentence.strip(), set()).add(page.name)
    assert not {sentence: pages for sentence, pages in pages_of.items() if len(pages) > 1}


def test_the_site_has_each_document() -> None:
    """A page that is not in its contents is found by nobody."""
    contents = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(contents) == [page.relative_to(DOCS).as_posix() for page in PAGES]


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(command, marks=[pytest.mark.whole_days] if WHOLE_DAY.match(command) else [])
        for command in COMMANDS
    ],
)
def test_a_command_of_a_tutorial_works_as_written(
    command: str,
    utc: None,  # noqa: ARG001 - clocks show UTC
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It ends with 0, with --status also with what was found; it prints something, or writes files."""
    (tmp_path / "recordings").symlink_to(ROOT / "recordings")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("QUIT\n"))
    words = shlex.split(command)
    if words[:2] == ["lab", "fleet"]:
        words += SMALL
    elif words[0] == "fleet":
        assert main(["lab", *words, *SMALL]) == 0
    elif words[0] == "replay":
        words.append("--line")
    status = main(words)
    assert status in ({0, 1, 2} if "--status" in words else {0})
    assert "".join(capsys.readouterr()).strip() or len(list(tmp_path.iterdir())) > 1


@pytest.mark.parametrize("command", SHOWN)
def test_a_command_of_any_page_is_one_that_zmon_takes(command: str) -> None:
    """Its subcommand and options are there, whatever the files are that it names."""
    words = shlex.split(command)
    name = words[0] if words and words[0] in SUBCOMMANDS else ""
    parse(name, words)


def test_the_queries_of_the_recording_format_work_on_what_is_shipped() -> None:
    """Each gives rows, of the time and in the units that the page says."""
    page = (DOCS / "recording-format.md").read_text(encoding="utf-8")
    queries = re.findall(r'^    sqlite3 (?:-header )?(recordings/\S+) "(.+)"$', page, re.MULTILINE)
    assert len(queries) == 2
    by_quarter, whole = (
        sqlite3.connect(f"file:{ROOT / path}?mode=ro", uri=True).execute(query).fetchall()
        for path, query in queries
    )
    assert len(by_quarter) == 4
    assert min(row[2] for row in by_quarter) < whole[0][0] < max(row[2] for row in by_quarter)
