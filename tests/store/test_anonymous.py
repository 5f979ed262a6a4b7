"""What is anybody's name is replaced, consistently; the rest stays; what is not known is left out."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.frames import frame_of
from tests.syntax import nodes, parsed
from zmon.base.absent import Absent, absent
from zmon.base.event import Event, What
from zmon.kinds import CMF_BASIC, EXACT, KEEP, KINDS
from zmon.registry import SOURCES
from zmon.sample import DAMAGED, Field, Frame, Instant, Kind, Meaning, Sample
from zmon.store.anonymous import LEFT_OUT, PREFIX, SAID, Anonymity
from zmon.values.uid import parse_uid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value

ROOT = Path(__file__).parents[2]
ALL = (*KINDS.values(), CMF_BASIC, EXACT)
TEXTS = {Meaning.LABEL, Meaning.IDENTITY}
ANONYMITY = Anonymity(b"the key of all tests")


def frame(kind: Kind, rows: Mapping[str, Mapping[str, Value]], prior: Frame | None = None) -> Frame:
    return frame_of(kind, rows, 5, prior)


def sample(*frames: Frame, source: str = "a name", boot: str = "a boot") -> Sample:
    return Sample(Instant(7, 5, boot), {one.kind.name: one for one in frames}, source)


def changed(kind: str, row: Mapping[str, Value], key: str = "x") -> dict[str, Any]:
    """Return the row as it is without names."""
    found = Anonymity(b"key").sample(sample(frame(KINDS[kind], {key: row}))).frames[kind]
    return {name: values[0] for name, values in found.columns.items()}


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_every_label_and_no_number_declares_its_privacy(kind: Kind) -> None:
    """A new label says that it is kept, or what it names."""
    assert [f.name for f in kind.fields if (f.meaning in TEXTS) != bool(f.privacy)] == []


def test_every_sort_of_name_has_a_stand_in() -> None:
    """Whatever a label or a key names."""
    sorts = {f.privacy for kind in ALL for f in kind.fields} | {kind.key_privacy for kind in ALL}
    assert sorts - {"", KEEP, "words"} <= set(PREFIX)


def test_every_event_has_words() -> None:
    """That stand for what it said."""
    assert set(SAID) == set(What)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_texts_are_kept_only_where_the_table_says_so(kind: Kind) -> None:
    """In every field of every kind a secret is put; it is left where it is kept, and nowhere else."""
    row: dict[str, Value] = {f.name: f"SECRET {f.name}" for f in kind.fields}
    found = Anonymity(b"key").sample(sample(frame(kind, {"SECRET": row}))).frames[kind.name]
    assert "SECRET" not in found.keys[0]
    kept = {name for name, values in found.columns.items() if "SECRET" in str(values[0])}
    assert kept == {f.name for f in kind.fields if f.privacy == KEEP}


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_numbers_stay(kind: Kind) -> None:
    """Where no label is."""
    row: dict[str, Value] = {f.name: 7 for f in kind.fields if f.meaning not in TEXTS}
    found = Anonymity(b"key").sample(sample(frame(kind, {"a": row}))).frames[kind.name]
    assert {name: values[0] for name, values in found.columns.items()} == row


def test_a_kind_that_is_not_known_keeps_its_numbers_alone() -> None:
    """Its labels and keys may be anything."""
    kind = Kind(
        "tape",
        "",
        (Field("owner", Meaning.LABEL), Field("id", Meaning.IDENTITY), Field("n", Meaning.COUNTER)),
    )
    found = Anonymity(b"key").sample(sample(frame(kind, {"anna": {"owner": "anna", "id": 4711, "n": 3}})))
    assert found.frames["tape"].keys[0].startswith("THING")
    assert {name: values[0] for name, values in found.frames["tape"].columns.items()} == {
        "owner": LEFT_OUT,
        "id": LEFT_OUT,
        "n": 3,
    }


def test_a_field_that_is_not_known_is_left_out() -> None:
    """A later zmon may have it."""
    kind = Kind("dasd", "", (*KINDS["dasd"].fields, Field("owner", Meaning.LABEL)))
    found = Anonymity(b"key").sample(sample(frame(kind, {"0.0.7000": {"owner": "anna"}})))
    assert found.frames["dasd"].columns == {"owner": [LEFT_OUT]}


# structure


def test_a_uid_keeps_vendor_subsystem_and_unit() -> None:
    """And its serial's length and sort of digits."""
    found = parse_uid(changed("device", {"uid": "IBM.750000000ABCD1.7001.0f.000d"})["uid"])
    assert (found.vendor, found.ssid, found.ua) == ("IBM", "7001", "0f")
    assert found.serial != "750000000ABCD1"
    assert [letter.isdigit() for letter in found.serial] == [letter.isdigit() for letter in "750000000ABCD1"]
    assert len(found.token) == 4


def test_a_hyperpav_alias_stays_one() -> None:
    """It is known by its unit address."""
    assert changed("device", {"uid": "IBM.750000000ABCD1.7001.xx"})["uid"].endswith(".7001.xx")


def test_what_is_no_uid_is_replaced_whole() -> None:
    """It may say anything."""
    assert changed("device", {"uid": "anna's disk"})["uid"].startswith("UID")


@given(
    st.sets(st.tuples(st.sampled_from(["75000000A", "75000000B", "0001"]), st.sampled_from(["7000", "7001"])))
)
def test_control_units_are_as_many_as_before(units: set[tuple[str, str]]) -> None:
    """Two are one if they were."""
    found = {ANONYMITY._uid(f"IBM.{serial}.{ssid}.00").rpartition(".")[0] for serial, ssid in units}
    assert len(found) == len(units)


@pytest.mark.parametrize(
    ("via", "kept"),
    [
        ("QUERY VIRTUAL DASD", "QUERY VIRTUAL DASD"),
        ("DEDICATE", "DEDICATE"),
        ("LINK MAINT 0190, MDISK", "LINK ... 0190, MDISK"),
    ],
)
def test_a_claim_keeps_its_sort_and_names_no_guest(via: str, kept: str) -> None:
    """What a claim is worth shows in the words that CP and directories use."""
    assert changed("claim", {"via": via})["via"] == kept


def test_a_serial_keeps_zeros_in_front() -> None:
    """And is another one behind them, in every kind where it stands."""
    found = changed("machine", {"sequence": "000000000001C0DE"})["sequence"]
    assert found.startswith("00000000000")
    assert found != "000000000001C0DE"
    assert len(found) == 16


def test_the_same_name_has_the_same_stand_in_everywhere() -> None:
    """The machine's own partition is found among all."""
    machine = frame(KINDS["machine"], {"machine": {"lpar_name": "PROD", "guest_name": "LNX1"}})
    lpars = frame(KINDS["lpar"], {"PROD": {"number": 1}, "TEST": {"number": 2}})
    cpus = frame(
        KINDS["lpar_cpu"], {"PROD/0": {"lpar": "PROD", "cpu": 0}, "TEST/1": {"lpar": "TEST", "cpu": 1}}
    )
    guests = frame(KINDS["guest"], {"LNX1": {"share": 1}})
    found = Anonymity(b"key").sample(sample(machine, lpars, cpus, guests)).frames
    own, other = found["lpar"].keys
    assert own != other
    assert found["machine"].columns["lpar_name"] == [own]
    assert found["lpar_cpu"].keys == [f"{own}/0", f"{other}/1"]
    assert found["lpar_cpu"].columns["lpar"] == [own, other]
    assert found["machine"].columns["guest_name"] == found["guest"].keys


def test_stand_ins_fit_where_names_do() -> None:
    """Volumes have six characters at the most, partitions and guests eight."""
    assert len(changed("dasd", {"volser": "PROD01"})["volser"]) == 6
    for kind in ("lpar", "guest"):
        assert len(ANONYMITY.key(kind, "NAME")) <= 8


def test_stand_ins_of_a_thousand_names_are_a_thousand() -> None:
    """However they are made."""
    for what in ("volume", "serial", "host"):
        assert len({ANONYMITY.name(what, f"A{number:05}") for number in range(1000)}) == 1000


def test_they_follow_from_the_key() -> None:
    """The same for the same, others for another."""
    assert (
        Anonymity(b"a").name("host", "x")
        == Anonymity(b"a").name("host", "x")
        != Anonymity(b"b").name("host", "x")
    )


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("machine", "machine"), ("memory", "memory"), ("channel", "0.4e"), ("device", "0.0.7000"),
        ("block", "dasda"), ("block", "dasdabc"), ("block", "sda"), ("block", "dm-12"), ("block", "nvme0n1"),
        ("block", "dev253-0"), ("physical_cpu", "3"), ("cpu", "12"), ("lpar", "#7"), ("source", "hypervisor"),
    ],
)  # fmt: skip
def test_names_that_the_kernel_gives_stay(kind: str, key: str) -> None:
    """Of devices, disks, channels and processors."""
    assert ANONYMITY.key(kind, key) == key


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("block", "vgprod-root"), ("block", "mpatha"), ("device", "anna"), ("channel", "0.4e\n"),
        ("lpar", "P"), ("cpu", "anna"), ("source", "Anna Bauer"), ("lpar_cpu", "PROD/anna"),
        ("lpar_cpu", "PROD/0"),
    ],
)  # fmt: skip
def test_other_names_do_not(kind: str, key: str) -> None:
    """Whoever gave them."""
    assert not set(key.strip().replace("/", " ").split()) - {"0"} & set(ANONYMITY.key(kind, key).split("/"))


def test_a_frame_that_is_the_same_is_the_same_again() -> None:
    """Else what was not read again would seem to have been; and one that is not is another."""
    anonymity = Anonymity(b"key")
    lpars = frame(KINDS["lpar"], {"PROD": {"number": 1}})
    one, two = anonymity.sample(sample(lpars)), anonymity.sample(sample(lpars))
    other = anonymity.sample(sample(lpars.but()))
    assert one.frames["lpar"] is two.frames["lpar"] is not other.frames["lpar"]


def test_the_reading_before_is_without_names_too() -> None:
    """And so is that of one that says why there is nothing."""
    lpars = frame(KINDS["lpar"], {"PROD": {"os": "SECRET"}})
    found = Anonymity(b"key").sample(sample(lpars.but(prior=lpars))).frames["lpar"]
    assert found.prior is not None
    assert found.prior.keys == found.keys
    assert found.prior.columns == found.columns


def test_source_and_boot_are_replaced() -> None:
    """They may be names of files; two boots are still two."""
    one = Anonymity(b"key").sample(sample(source="/home/anna/x.zmon", boot="anna.tar.gz"))
    assert one.source.startswith("SOURCE")
    assert one.at.boot.startswith("BOOT")
    assert one.at != ANONYMITY.sample(sample(boot="another")).at


# words


@cache
def reasons() -> set[str]:
    """Return what zmon itself says of what is absent, where it quotes nothing."""
    found: set[object] = {words for source in SOURCES for words in (source.what, source.off, source.captured)}
    for path in [
        *(ROOT / "zmon/kernel").glob("*.py"),
        ROOT / "zmon/store/sadf.py",
        ROOT / "zmon/interval.py",
        ROOT / "zmon/kinds.py",
    ]:
        tree = parsed(path)
        said = [
            node
            for node in nodes(tree)
            if isinstance(node, ast.Call)
            and getattr(node.func, "id", "") in {"absent", "declared", "empty_frame", "_none"}
        ]
        constants = [node.value for node in tree.body if isinstance(node, ast.AnnAssign)]
        simple = [node for node in constants if isinstance(node, ast.Constant | ast.JoinedStr)]
        for node in [*said, *simple]:
            found |= {one.value for one in nodes(node) if isinstance(one, ast.Constant)}
    texts = {reason for reason in found if isinstance(reason, str) and " " in reason}
    return {reason for reason in texts if "\\" not in reason and not reason.startswith("(?")}  # no patterns


def test_what_zmon_itself_says_is_kept() -> None:
    """Every reason that holds nothing of the machine's."""
    assert len(reasons()) > 60
    changed = {reason for reason in reasons() if ANONYMITY.reason(absent(reason)).reason != reason}
    assert changed == set()


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("/proc/diskstats: not numbers: '94 0 anna'", "/proc/diskstats: not numbers: ..."),
        ("cmf: numbers expected, found [b'anna', b'bert']", "cmf: numbers expected, found [..."),
        (f"{DAMAGED.reason}: /home/anna/x.zmon: segment 3", DAMAGED.reason),
        ("diag_204: CPU of PROD at offset 3 needs 4 bytes", "diag_204: CPU of ..."),
        ("/home/anna/x.zmon: broken", "...: broken"),
        ("no lpar PRODUCT7", "no lpar ..."),
        ("lnx001 is gone: 0x500507630300c562, 3600507680c8101ad", "... is gone: ..., ..."),
        ("WWPN 0x500507630300C562 is gone", "... ... is gone"),
        ("M\u00fcllers Rechner", "... ..."),
        ("0.0.7000 is offline", "0.0.7000 is offline"),
    ],
)  # fmt: skip
def test_what_is_quoted_is_left_out(said: str, left: str) -> None:
    """With all that follows; and single words that zmon does not use."""
    assert ANONYMITY.reason(absent(said)).reason == left


def test_a_known_name_in_a_reason_is_replaced() -> None:
    """Even if it looks like any word, and whichever is seen first."""
    lost = Frame(KINDS["channel"], [], {}, [], absent("mainframe does not answer"))
    machine = frame(KINDS["machine"], {"machine": {"hostname": "mainframe"}})
    found = Anonymity(b"key").sample(sample(lost, machine)).frames
    host = found["machine"].columns["hostname"][0]
    assert found["channel"].missing == absent(f"{host} does not answer")


@given(st.text())
def test_reasons_of_any_kind_can_be_said(text: str) -> None:
    """No text is too odd."""
    assert isinstance(ANONYMITY.reason(absent(text)), Absent)


@given(st.text())
@example("0D")
def test_names_of_any_kind_can_be_replaced(text: str) -> None:
    """No name is too odd, and none stays."""
    for what in ("volume", "serial", "host"):
        assert ANONYMITY.name(what, text) != text or not text.strip("0")


# events


def test_an_event_loses_its_text() -> None:
    """Its thing has its stand-in."""
    anonymity = Anonymity(b"key")
    found = anonymity.sample(sample(frame(KINDS["lpar"], {"PROD": {"number": 1}})))
    event = anonymity.event(Event(What.LIMIT, 1, 2, "PROD", "PROD is busy", "LPAR"))
    assert event == Event(What.LIMIT, 1, 2, found.frames["lpar"].keys[0], event.text, "LPAR")
    assert not {"PROD", "busy"} & set(event.text.split())


@pytest.mark.parametrize("thing", ["0.0.7000", "0.4e", "dasda", "3"])
def test_an_event_keeps_a_thing_that_has_no_name(thing: str) -> None:
    """What the kernel calls it."""
    assert ANONYMITY.event(Event(What.CAME, 1, 1, thing, "x")).thing == thing


def test_an_event_of_what_nobody_knows_has_no_thing() -> None:
    """Nor a screen that is none."""
    event = Anonymity(b"key").event(Event(What.WENT, 1, 1, "ANNA", "x", "Anna's screen"))
    assert (event.thing, event.screen) == ("", "")


def test_an_empty_name_is_no_name_in_words() -> None:
    """Three dots, where something was left out, stay three dots."""
    one = Anonymity(b"key")
    one.name("label", "")
    assert one.reason(absent("cmf: numbers expected, found [b'anna']")).reason.endswith("[...")


def test_settings_are_kept_as_no_value_of_theirs_is_a_name() -> None:
    """But a key that is not one of zmon's is replaced."""
    good = ["vm.swappiness", "disk/sda/scheduler", "multipath.conf/devices.1/rr_min_io", "paths/253:0",
            "fc/0.0.fc50/port_type", "rport/0:0-1/port_state", "hugepages/1024/free"]  # fmt: skip
    assert [ANONYMITY.key("setting", key) for key in good] == good
    for key in ("disk/secretdisk/scheduler", "what is this", "paths/secret"):
        assert ANONYMITY.key("setting", key) != key
