"""Manual pages and completions name every subcommand and option."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import manual
import parts
import pytest
import sbom

from zmon.cli.full_parser import parser_of
from zmon.cli.subcommands import SUBCOMMANDS

if TYPE_CHECKING:
    from pathlib import Path

REQUESTS = {".TH", ".SH", ".TP", ".PP", ".nf", ".fi"}


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write everything once."""
    place = tmp_path_factory.mktemp("share")
    manual.write_pages(place, 1_700_000_000)
    manual.write_completions(place)
    return place


@pytest.mark.parametrize("name", ["", *SUBCOMMANDS])
def test_a_page_has_each_option_of_its_subcommand(share: Path, name: str) -> None:
    """As `--help` has it."""
    title = f"zmon-{name}" if name else "zmon"
    text = gzip.decompress((share / f"man/man1/{title}.1.gz").read_bytes()).decode()
    assert text.startswith(f'.TH {title.upper()} 1 2023-11-14 "zmon ')
    for option in parser_of(name)._option_string_actions:
        assert option.replace("-", "\\-") in text
    assert {line.split()[0] for line in text.splitlines() if line.startswith((".", "'"))} <= REQUESTS


@pytest.mark.parametrize("name", ["", *SUBCOMMANDS])
def test_what_man_does_not_fill_fits_80_columns(share: Path, name: str) -> None:
    """Usage and lists that are printed as they are: seven of the columns are the margin."""
    title = f"zmon-{name}" if name else "zmon"
    text = gzip.decompress((share / f"man/man1/{title}.1.gz").read_bytes()).decode()
    for part in re.findall(r"^\.nf\n(.*?)^\.fi$", text, re.DOTALL | re.MULTILINE):
        assert max(len(line.replace("\\-", "-")) for line in part.splitlines()) <= 73


def test_text_cannot_become_a_request() -> None:
    """A line that begins with a point or quote, and a backslash."""
    assert manual._roff(".SH\n'a\\b-c") == "\\&.SH\n\\&'a\\eb\\-c"


def test_completions_know_subcommands_options_and_screens(share: Path) -> None:
    """In each of the three shells."""
    for name in manual.PLACES.values():
        text = (share / name).read_text()
        assert all(re.search(rf"\b{re.escape(word)}\b", text) for word in SUBCOMMANDS)
        assert "no-hypervisor" in text
        assert "CTLUNIT" in text


def test_zsh_completes_scenarios_wherever_it_completes_a_source(share: Path) -> None:
    """And files besides."""
    text = (share / manual.PLACES["zsh"]).read_text()
    assert "lab:shark-before" in text
    assert text.count(':_zmon_source"') > len(SUBCOMMANDS) // 2
    assert not re.search(r"^ *\"--from\[.*:_files\"", text, re.MULTILINE)
    if zsh := shutil.which("zsh"):
        subprocess.run([zsh, "-n", share / manual.PLACES["zsh"]], check=True)  # noqa: S603 - found


def test_bash_completes_a_subcommand_and_a_screen(share: Path) -> None:
    """As a user at a prompt sees it."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    script = f"""
        source {share / manual.PLACES["bash"]}
        ask() {{
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=() COMP_LINE="$*" COMP_POINT=1000
            _zmon_or_lab; echo "${{COMPREPLY[@]}}"
        }}
        ask zmon wher; ask zmon show CTLUN; ask zmon help exit; ask zmon --theme cont
        COMP_WORDBREAKS=" :" ask zmon --from lab:healthy
        COMP_WORDBREAKS=" " ask zmon show DEVICE --from lab:healthy
    """
    done = subprocess.run([bash, "-c", script], capture_output=True, text=True, check=False)  # noqa: S603
    words = ["where", "CTLUNIT", "exit-codes", "contrast", "healthy-day", "lab:healthy-day"]
    assert done.stdout.split() == words, done.stderr


def test_the_bill_names_every_part_with_its_hashes() -> None:
    """And has the same text from the same input."""
    text = sbom.bill(parts.parts(), "1.0", "2026-01-01T00:00:00Z")
    document = json.loads(text)
    assert [one["name"] for one in document["components"]] == [part.name for part in parts.parts()]
    assert all(one["externalReferences"][0]["hashes"] for one in document["components"])
    assert all(one["licenses"] for one in document["components"])
    assert sbom.bill(parts.parts(), "1.0", "2026-01-01T00:00:00Z") == text
