"""The samples of CP's answers hold: each `# expect:` line of their headers is checked.

The samples of user directories are read by the tests of `zmon.cp.user_directory`.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from zmon.cp.answer_reader import AnswerSet, parse
from zmon.topology.claims import FCP_DEVICES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


FOLDER: Final = Path(__file__).parents[1] / "fixtures" / "cp"
HEAD: Final = b"# "
EXPECT: Final = b"# expect: "
ABOUT_DEVICES: Final = ("disk", "volume", "details", "extent", "linked")
"""Sorts of rows that say something of a device."""


@cache
def sample(name: str) -> tuple[tuple[str, ...], bytes]:
    """Return what a sample's header expects, and the answer itself."""
    lines = (FOLDER / f"{name}.txt").read_bytes().splitlines(keepends=True)
    count = next((place for place, line in enumerate(lines) if not line.startswith(HEAD)), len(lines))
    expected = [line[len(EXPECT) :].decode().strip() for line in lines[:count] if line.startswith(EXPECT)]
    return tuple(expected), b"".join(lines[count:])


def read(name: str) -> AnswerSet:
    """Read the answer of a sample."""
    return parse(sample(name)[1], f"{name}.txt")


NAMES: Final = sorted(path.stem for path in FOLDER.glob("*.txt") if not path.stem.startswith("directory-"))
EXPECTED: Final = [(name, line) for name in NAMES for line in sample(name)[0]]
PAIR: Final = re.compile(r'(\w+)=("[^"]*"|.*?)(?=\s+\w+=|$)')
FIELDS: Final = re.compile(r"(?:(?:fcp|osa) )?\w+=\S.*")
SAID: Final[dict[tuple[str, str], str]] = {}
"""The lines that are sentences, and the test of each."""


def says(name: str, words: str) -> Callable[[Callable[[AnswerSet], None]], Callable[[], None]]:
    """Let a test be about a sentence of a sample; it is given what is understood of it."""

    def about(check: Callable[[AnswerSet], None]) -> Callable[[], None]:
        (line,) = [line for line in sample(name)[0] if line.startswith(words)]
        assert (name, line) not in SAID
        SAID[name, line] = check.__name__

        def test() -> None:
            check(read(name))

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return about


def everything(found: AnswerSet) -> Iterator[Any]:
    """Yield all rows, those too that a later line replaced."""
    for rows in found.rows.values():
        yield from rows
    yield from (conflict.earlier for conflict in found.conflicts)


def row_about(found: AnswerSet, name: str, key: str) -> Any:
    """Return the row of a form about a thing."""
    (row,) = (row for row in found.rows[name] if row.key == key)
    return row


def devices_labelled(found: AnswerSet, label: str) -> list[tuple[str, str]]:
    """Return the real devices with a label, and their states."""
    return [(row.rdev, row.state) for row in found.rows.get("volume", ()) if row.volser == label]


def written(row: Any) -> dict[str, str]:
    """Return the fields of a row as the headers write them."""
    fields = {}
    for name, value in row._asdict().items():
        fields[name] = (
            "-"
            if value in {"", None}
            else ",".join(value)
            if isinstance(value, tuple) and all(isinstance(part, str) for part in value)
            else str(value)
        )
    return fields


def fields_of(line: str) -> dict[str, str]:
    """Return the fields that a header's line wants."""
    bare = re.sub(r"\s*\([^)]*\)$", "", line)
    return {name: value.strip('"') for name, value in PAIR.findall(bare)}


def generic() -> list[tuple[str, str]]:
    """Return the lines that are fields and values and nothing else."""
    return [(name, line) for name, line in EXPECTED if FIELDS.fullmatch(line) and (name, line) not in SAID]


# the sentences


@says("qvdasd-casestudy", "lcu_by_site_rule")
def test_the_second_digit_tells_the_lcu_of_the_case_study(found: AnswerSet) -> None:
    """Four volumes are on LCU 1, eight on 2, three on 5, thirteen on 6."""
    volumes = [row for row in found.rows["disk"] if row.size == 3338]
    assert Counter(row.rdev[1] for row in volumes) == {"1": 4, "2": 8, "5": 3, "6": 13}


@says("qvdasd-none", "no rows")
def test_no_disk_is_an_answer(found: AnswerSet) -> None:
    """The sentence is understood, and there is no row of a disk."""
    assert (list(found.rows), found.counts["unknown"]) == (["nothing"], 0)


@says("qvdasd-truncated-4096", "57th line")
def test_eight_characters_are_no_disk(found: AnswerSet) -> None:
    """What a buffer of 4096 bytes cut off is flagged."""
    assert ([line.line for line in found.cut], len(found.rows["disk"])) == ([57], 56)


@says("qvdasd-truncated-rdev-digit", "3rd line")
def test_three_digits_of_four_are_no_real_device(found: AnswerSet) -> None:
    """The cut line is flagged and maps nothing."""
    assert ([line.line for line in found.cut], len(found.rows["disk"])) == ([3], 2)


@says("qvdasd-truncated", "15th line")
def test_two_digits_of_four_are_no_real_device(found: AnswerSet) -> None:
    """The cut line is flagged, and vmcp's own line says how much there would have been."""
    assert ([line.line for line in found.cut], len(found.rows["disk"])) == ([15], 14)
    assert [(row.sort, row.needed) for row in found.rows["failure"]] == [("truncated", 2336)]


@says("errors", "no rows at all")
def test_messages_have_module_and_number(found: AnswerSet) -> None:
    """Three digits or four, and the device stands in the text."""
    assert list(found.rows) == ["message"]
    assert [f"{row.number:03} {row.module}" for row in found.rows["message"]] == [
        "040 QVD", "040 QDV", "040 QPA", "040 QMD", "003 CQV", "003 QPV",
        "001 CMD", "026 CFC", "021 QDA", "022 QVD", "045 CQU", "046 QDA",
    ]  # fmt: skip
    assert [row.text.split()[1] for row in found.rows["message"][:4]] == ["0600", "7100", "7102", "0611"]


@says("errors-console", "no rows")
def test_messages_on_a_console_have_their_command(found: AnswerSet) -> None:
    """Which stands before them, and CMS repeats the number behind them."""
    assert set(found.rows) == {"message", "return"}
    assert [(row.number, row.command, row.text) for row in found.rows["message"]] == [
        (40, "Q V 0600", "Device 0600 does not exist"),
        (3, "Q PAV", "Invalid option - PAV"),
    ]
    assert [row.code for row in found.rows["return"]] == [40, 3]


@says("errors-vmcp", "no rows")
def test_failures_of_vmcp_are_told_apart(found: AnswerSet) -> None:
    """Return code, truncation with the bytes it would have taken, refused, absent."""
    assert set(found.rows) == {"message", "return", "failure"}
    assert [row.code for row in found.rows["return"]] == [45]
    sorts = [(row.sort, row.needed) for row in found.rows["failure"]]
    assert sorts[:3] == [("truncated", 23001), ("forbidden", None), ("absent", None)]


@says("qvall", "osa vdev=0600")
def test_a_simulated_card_has_no_real_device(found: AnswerSet) -> None:
    """What it is on is a NIC of CP's own."""
    (card,) = [row for row in found.rows["adapter"] if row.vdev == "0600"]
    assert (card.on, card.rdev) == ("NIC", "")


@says("qvcpus", "3 CPUs")
def test_virtual_cpus_have_state_and_type(found: AnswerSet) -> None:
    """The base one, one that is stopped, one that runs."""
    assert [(row.number, row.state, row.type) for row in found.rows["cpu"]] == [
        ("00", "base", "CP"), ("01", "stopped", "CP"), ("02", "", "IFL"),
    ]  # fmt: skip


@says("qvfcp", "no DASD rows")
def test_fcp_devices_are_no_disks(found: AnswerSet) -> None:
    """Although their lines look alike."""
    assert list(found.rows) == ["adapter"]
    assert {(claim.via, claim.volser) for claim in found.claims()} == {(FCP_DEVICES, "")}


@says("events-not-queries", "no mapping rows")
def test_what_happened_is_no_row(found: AnswerSet) -> None:
    """Each of the lines is counted as something that happened."""
    assert (found.rows, found.claims(), dict(found.counts)) == ({}, [], {"events": 14})


@says("junk", "no rows from the QUERY VIRTUAL DASD")
def test_key_words_in_wrong_places_map_nothing(found: AnswerSet) -> None:
    """A size that is no number makes the whole line doubtful: it is not read."""
    assert "disk" not in found.rows
    assert all(claim.vdev == "" for claim in found.claims())


@says("junk", "the line DASD 0100 3390")
def test_an_entry_alone_is_doubtful(found: AnswerSet) -> None:
    """It may be the begin of a minidisk's line, so it is a weak entry of a list at the most."""
    rows = [row for row in found.rows["volume"] if row.rdev == "0100"]
    assert rows
    assert all(row.weak and not row.vdev for row in rows)


@says("junk", "from the last line at most")
def test_a_damaged_list_is_not_read(found: AnswerSet) -> None:
    """One part of it is no entry, so it is no list."""
    assert all(row.weak for row in found.rows["volume"] if row.line == 16)
    assert not [row for row in found.rows["volume"] if row.rdev not in {"0100", "0190", "019D"}]


@says("vm370-style", "no rows for z/VM")
def test_three_digits_are_another_systems(found: AnswerSet) -> None:
    """They are never padded; that they are foreign is said."""
    assert found.rows == {}
    assert len([line for line in found.unknown if "three digits" in line.why]) == 5


@says("empty", "no rows")
def test_an_empty_answer_is_no_error(found: AnswerSet) -> None:
    """Nothing is in it and nothing is odd."""
    assert (found.rows, found.unknown, found.conflicts) == ({}, [], [])


@says("qdasd-attached-own", "with own user LINDB01")
def test_only_rows_of_the_own_user_are_about_this_guest(found: AnswerSet) -> None:
    """The same virtual number of another user is that user's."""
    claims = {claim.rdev: claim for claim in found.claims("LINDB01")}
    assert (claims["7600"].vdev, claims["7600"].user) == ("7600", "")
    assert (claims["7601"].vdev, claims["7601"].user) == ("7600", "LINDB02")


@says("qdasd-casestudy-missing", "label PUNCFK")
def test_a_label_that_is_not_there_has_no_real_device(found: AnswerSet) -> None:
    """Neither one nor others."""
    assert devices_labelled(found, "PUNCFK") == []


@says("qdasd-casestudy-missing", "label CGNXF3")
def test_a_label_twice_is_on_the_system_and_flagged(found: AnswerSet) -> None:
    """A minidisk can only be on a volume of the system; the other one is told."""
    assert devices_labelled(found, "CGNXF3") == [("76D8", "CP-SYSTEM"), ("77E0", "FREE")]


@says("qdasd-details", "unknown indented lines")
def test_lines_below_a_device_stay_with_it(found: AnswerSet) -> None:
    """All of them, in their order, and with no other."""
    texts = {row.rdev: row.text for row in found.rows["details"]}
    assert {rdev: len(text) for rdev, text in texts.items()} == {"7601": 7, "76F0": 7, "7201": 7, "7202": 6}
    assert texts["7601"][5] == "HYPERPAV DETAILS: BASE VOLUME IN POOL 6"
    assert found.counts["unknown"] == 0


@says("qchpid-pchid", "chpid virtualization off")
def test_virtual_chpids_are_off(found: AnswerSet) -> None:
    """So the CHPIDs that Linux shows are real."""
    assert [row.on for row in found.rows["virtualization"]] == [False]


@says("qchpid-pchid", "error 846")
def test_a_path_that_is_none_is_a_message(found: AnswerSet) -> None:
    """With its number."""
    assert [row.number for row in found.rows["message"]] == [846]


@says("qchpid", "if recognised")
def test_devices_of_a_path_are_of_one_row(found: AnswerSet) -> None:
    """Over several lines, and doubtful because nobody has seen them."""
    (path,) = found.rows["path"]
    assert path.online == tuple(f"{number:04X}" for number in range(0x7600, 0x760C))
    assert (path.chpid, path.offline, bool(path.weak)) == ("40", ("7610",), True)


@says("qcache", "no hit ratios")
def test_the_state_of_a_cache_has_no_hits(found: AnswerSet) -> None:
    """CP does not tell them."""
    assert not [name for row in found.rows["cache"] for name in row._fields if "hit" in name]


@says("qpav", "if recognised")
def test_an_alias_of_hyperpav_has_no_base(found: AnswerSet) -> None:
    """It has a pool, a base has its aliases."""
    assert [(row.rdev, row.role, row.base, row.aliases, row.pool) for row in found.rows["pav"]] == [
        ("7201", "base", "", ("72F0", "72F1"), ""),
        ("72F0", "alias", "7201", (), ""),
        ("7601", "hyperpav base", "", (), "6"),
        ("76F0", "hyperpav alias", "", (), "6"),
    ]
    assert all(row.weak for row in found.rows["pav"])


@says("qsystem", "rdev=7110")
def test_users_of_a_volume_map_nothing(found: AnswerSet) -> None:
    """The number in the first line counts links."""
    (linked,) = found.rows["linked"]
    assert (linked.rdev, linked.volser, linked.links) == ("7110", "LNX001", 3)
    assert linked.users == (
        ("LINDB01", "0200", "R/W"), ("LINDB02", "0200", "R/O"), ("MAINT", "0551", "R/O"),
    )  # fmt: skip
    assert found.claims() == []


@says("qalloc", "rdev=7000")
def test_a_volume_with_a_directory_says_so(found: AnswerSet) -> None:
    """Total, in use, available, active."""
    row = row_about(found, "allocation", "7000")
    assert (row.volser, row.kinds[-1]) == ("VMRES1", ("DRCT", 20, 2, 18, True))


@says("qalloc", "rdev=7003")
def test_a_volume_for_paging_says_so(found: AnswerSet) -> None:
    """Total, in use, available."""
    row = row_about(found, "allocation", "7003")
    assert (row.volser, row.kinds) == ("VMPAG1", (("PAGE", 3338, 17, 3321, False),))


@says("qalloc", "nucleus")
def test_the_nucleus_has_a_volume(found: AnswerSet) -> None:
    """Its label is told."""
    assert [row.volser for row in found.rows["nucleus"]] == ["VMRES1"]


@says("qproc", "4 processors")
def test_processors_have_state_and_type(found: AnswerSet) -> None:
    """Parked ones too."""
    assert [(row.number, row.state, row.type) for row in found.rows["processor"]] == [
        ("00", "master", "CP"), ("01", "alternate", "CP"),
        ("02", "alternate", "IFL"), ("03", "parked", "IFL"),
    ]  # fmt: skip


@says("qproc-core", "3 processors")
def test_processors_have_cores(found: AnswerSet) -> None:
    """Where multithreading is on."""
    assert [row.core for row in found.rows["processor"]] == ["0000", "0000", "0001"]


@says("qmdcache", "if recognised")
def test_minidisk_cache_is_on(found: AnswerSet) -> None:
    """For the system and for a user."""
    assert [(row.whose, row.on) for row in found.rows["mdcache"]] == [
        ("system", True),
        ("user LINDB01", True),
    ]


@says("qshare", "if recognised")
def test_a_share_is_relative_and_may_have_no_limit(found: AnswerSet) -> None:
    """The limit stands in the second line."""
    (share,) = found.rows["share"]
    assert (share.sort, share.value, share.limit) == ("relative", "100", "NOLIMIT")


@says("qedevice", "if recognised")
def test_emulated_devices_have_paths(found: AnswerSet) -> None:
    """FCP device, WWPN and LUN."""
    first, second = found.rows["edevice"]
    assert (first.rdev, first.attributes) == ("F001", "2107")
    assert first.paths == (("5A07", "500507630300ABCD", "4010400000000000"),)
    assert second.rdev == "F002"


@says("qvdisk", "vdisk LINDB01")
def test_disks_in_storage_have_users(found: AnswerSet) -> None:
    """And blocks."""
    assert [(row.user, row.vdev, row.blocks) for row in found.rows["vdisk"]] == [
        ("LINDB01", "0300", 262144), ("LINDB01", "0301", 4194304),
    ]  # fmt: skip


LOAD: Final = (
    "avg",
    "cpus",
    "mdc_reads",
    "mdc_writes",
    "mdc_hit",
    "paging",
    "q0",
    "dormant",
    "q1",
    "q2",
    "q3",
    "limited",
)


@says("indload-e", "avg=21")
def test_the_long_form_of_load_has_processors(found: AnswerSet) -> None:
    """With type and polarization."""
    (load,) = found.rows["load"]
    assert [getattr(load, name) for name in LOAD] == [21, 5, 12, 3, 87, 4, 1, 12, 2, 1, 9, 0]
    assert load.procs == (
        ("0000", 31, "CP", "HZ"), ("0001", 20, "CP", "HZ"), ("0002", 18, "IFL", "VH"),
        ("0003", 17, "IFL", "VM"), ("0004", 19, "IFL", "VL"),
    )  # fmt: skip


@says("indload-old", "avg=38")
def test_an_older_form_of_load_has_no_types(found: AnswerSet) -> None:
    """And a line about expanded storage that is passed over."""
    (load,) = found.rows["load"]
    assert (load.avg, load.cpus) == (38, 4)
    assert [proc[:2] for proc in load.procs] == [("0000", 38), ("0001", 36), ("0002", 40), ("0003", 38)]


@says("indload-g", "avg=33")
def test_the_short_form_of_load_has_no_processors(found: AnswerSet) -> None:
    """What it does not tell is absent, never zero."""
    (load,) = found.rows["load"]
    assert [getattr(load, name) for name in LOAD] == [33, 6, 1, 0, 99, 5, 0, None, 3, 1, 21, None]
    assert load.procs == ()


@says("induser", "user=LINDB01")
def test_usage_has_a_section_for_each_cpu(found: AnswerSet) -> None:
    """Under the names CP gives."""
    (usage,) = found.rows["usage"]
    values = dict(usage.values)
    assert [values[name] for name in ("MACH", "STOR", "IPLSYS", "RES", "WS", "READS", "WRITES")] == [
        "ESA", "4G", "DEV 0100", "1048576", "1041120", "120", "344",
    ]  # fmt: skip
    cpus = {number: dict(pairs) for number, pairs in usage.cpus}
    assert [cpus["00"][name] for name in ("VTIME", "TTIME", "IO")] == ["041:12", "041:55", "8120603"]
    assert [cpus["01"][name] for name in ("VTIME", "TTIME", "IO")] == ["040:02", "040:31", "7120041"]


@says("indwaits", "empty lists")
def test_nobody_waiting_is_an_answer(found: AnswerSet) -> None:
    """Two sentences, no error."""
    assert ([row.line for row in found.rows["nothing"]], found.counts["unknown"]) == ([1, 2], 0)


@says("indqueues", "if recognised")
def test_queues_have_a_row_for_each_virtual_cpu(found: AnswerSet) -> None:
    """Doubtful, because nobody has seen them."""
    assert [(row.user, row.cpu, row.queue) for row in found.rows["queued"]] == [
        ("LINDB01", "", "Q3"), ("LINDB01", "MP01", "Q3"), ("TCPIP", "", "Q0"),
    ]  # fmt: skip
    assert all(row.weak for row in found.rows["queued"])


@says("dbginfo-zvm-runtime", "error 003")
def test_messages_in_an_archive_have_their_command(found: AnswerSet) -> None:
    """It stands in the line of the shell's prompt."""
    assert ("Q PAV", 3) in [(row.command, row.number) for row in found.rows["message"]]
    assert found.counts["unknown"] == 0


@says("query-devno-class-b", "error 040")
def test_a_message_tells_which_lookup_answered(found: AnswerSet) -> None:
    """QDV looked among real devices."""
    assert [(row.number, row.module) for row in found.rows["message"]] == [(40, "QDV")]


@says("query-devno-class-b", "no row for virtual device")
def test_an_answer_about_a_real_device_is_not_about_a_virtual_one(found: AnswerSet) -> None:
    """The command looks the same, the shape of the line decides."""
    assert "disk" not in found.rows
    assert [(claim.vdev, claim.user) for claim in found.claims("LINDB01")] == [("", ""), ("0191", "OTHER01")]


# the fields


@pytest.mark.parametrize(("name", "line"), generic())
def test_a_row_has_the_fields_that_its_sample_expects(name: str, line: str) -> None:
    """There is a row with all of the fields of the line."""
    found, wanted = read(name), fields_of(line)
    for mask in ("pam", "lpm"):
        wanted |= {mask: wanted["pim"]} if wanted.get(mask) == "all" else {}
    assert any(wanted.items() <= written(row).items() for row in everything(found))


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_mapped_that_no_line_expects(name: str) -> None:
    """The rows that map a virtual to a real device are exactly those of the header."""
    wanted = {
        (f.get("vdev"), f["rdev"]) for _, line in generic() if _ == name and "kind" in (f := fields_of(line))
    }
    rows = read(name).rows.get("disk", ())
    assert {(row.vdev, row.rdev or "-") for row in rows} == wanted


def test_a_replaced_row_is_a_conflict() -> None:
    """The later line holds, and the earlier one is told."""
    (conflict,) = read("qvdasd-duplicates").conflicts
    assert (conflict.about, conflict.words) == (
        "virtual device 0101", "rdev 4A02, then 4B02; volser LX4A02, then LX4B02",
    )  # fmt: skip
    assert (conflict.earlier.line, conflict.later.line) == (2, 6)


def test_no_expectation_is_left_out() -> None:
    """Every line is one of fields or has a test of its own."""
    assert [pair for pair in EXPECTED if pair not in SAID and pair not in generic()] == []
    assert len(EXPECTED) == 387
