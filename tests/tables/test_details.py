from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.goldens import facts as facts_of
from tests.placement.study import filled, sample
from tests.tables.test_user import simulated
from zmon.base.absent import Absent, absent
from zmon.base.shipped import shipped
from zmon.interval import Interval
from zmon.kinds import BLOCK, CMF, DASD, DEVICE, LAYER, MULTIPATH, PATH, UNLISTED
from zmon.machine.topology import NOTHING_ON
from zmon.machine.view import View
from zmon.sample import Frame, empty_frame
from zmon.screen.definition import load_screens
from zmon.screen.sheet import Sheet
from zmon.tables import io_configuration
from zmon.tables.details import NO_CHANNEL, NO_DISK, NO_STATE, path_states, table
from zmon.topology.machine import UserInputs

if TYPE_CHECKING:
    from collections.abc import Callable

DISK = {"online": 1, "uid": "IBM.750000000L0001.2482.00", "alias": 0, "block": "dasda", "status": "online",
        "availability": "good", "discipline": "ECKD", "readonly": 1, "hpf": 0, "chpids": "62 63 72 73",
        "pim": 0xF0, "pam": 0xE0, "pom": 0xB0, "vpm": 0x70}  # fmt: skip


@pytest.fixture
def page(make_interval: Callable[..., Interval]) -> Callable[..., Any]:
    """Fill the page of 7000."""

    def filled(**more: Any) -> Any:
        rows = {
            DEVICE: {"0.0.7000": DISK | more},
            CMF: {"0.0.7000": {"error": 5_000_000}},
            BLOCK: {"dasda": {"size": 2000, "busid": "0.0.7000"}},
            DASD: {"0.0.7000": {"cylinders": 10017}},
        }
        return table(View(make_interval(rows, rows), argument="7000")).facts

    return filled


def test_paths_that_cannot_be_used_say_why(make_interval: Callable[..., Interval]) -> None:
    """Available, operational, verified: the first mask that lacks a path is named."""
    rows = {DEVICE: {"0.0.7000": DISK}}
    assert path_states(make_interval(rows, rows), "0.0.7000", 4) == ["NOTVER", "NOTOP", "ON", "OFF"]


def test_paths_stand_under_their_names(page: Callable[..., Any]) -> None:
    """Every six columns, as the original has them."""
    facts = page()
    assert facts["path_names"] == "62    63    72    73    "
    assert facts["path_states"] == "NOTVERNOTOP ON    OFF   "


def test_the_title_names_device_and_owner(page: Callable[..., Any]) -> None:
    """A volume is Linux's, an alias says what it is."""
    assert page()["subject"] == "7000 ( LINUX )"
    assert page(alias=1, uid="IBM.75.2482.xx")["subject"] == "7000 ( HPAV ALIAS )"


def test_status_lists_what_is_special(page: Callable[..., Any]) -> None:
    """State, availability, discipline and what was set."""
    assert page()["status"] == "ONLINE, GOOD, ECKD, READ ONLY"


def test_the_unique_id_may_be_that_of_the_configuration_data(make_interval: Callable[..., Interval]) -> None:
    """The page, DEVICE and IOCONF have it from wherever `where` has it."""
    uid = "IBM.750000000ABC11.1500.22"
    rows = {DEVICE: {"0.0.7000": DISK | {"uid": absent("none")}}, DASD: {"0.0.7000": {"uid": uid}}}
    view = View(make_interval(rows, rows), argument="7000")
    facts = table(view).facts
    assert (facts["uid"], facts["role"]) == (uid, "base")
    assert io_configuration.table(view).column("role") == ["base"]


def test_the_size_is_that_of_the_driver_where_the_block_layer_was_not_read(
    make_interval: Callable[..., Interval],
) -> None:
    """Texts have it from lsdasd, which prints blocks and their size."""
    rows = {DEVICE: {"0.0.7000": DISK}, DASD: {"0.0.7000": {"blocks": 601020, "block_size": 4096}}}
    assert table(View(make_interval(rows, rows), argument="7000")).facts["size"] == 601020 * 4096


def test_the_size_is_in_bytes(page: Callable[..., Any]) -> None:
    """From sectors of 512."""
    assert page()["size"] == 2000 * 512


def test_the_cache_that_was_not_asked_says_how(page: Callable[..., Any]) -> None:
    """Its absence has a reason a person can act on."""
    assert isinstance(page()["cu_total"], Absent)


def test_what_linux_does_not_count_is_dots(page: Callable[..., Any]) -> None:
    """Never zero."""
    facts = page()
    assert {type(facts[n]) for n in ("seek", "reserved", "sense", "links", "avoid", "throttle")} == {Absent}


def on(disk: str, **more: Any) -> Any:
    """Return what lies on a disk of the case study."""
    made = sample(**more)
    return table(View(Interval(made, made), argument=disk)).facts


def test_what_lies_on_a_disk_is_named() -> None:
    """Where it is mounted, which tablespaces have files on it, those with most bytes first, and how many."""
    facts = on("dasdg")
    assert (facts["mounts"], facts["spaces"]) == ("/v6", "PROD.T1, PROD.T2 and PROD.T3")
    assert (facts["files"], facts["lodged"]) == (10, "dasdg")


def test_a_disk_without_files_says_so() -> None:
    """And ENTER leads nowhere."""
    facts = on("dasda")
    assert [facts[name] for name in ("spaces", "files", "lodged")] == [NOTHING_ON] * 3


def test_without_a_listing_nobody_knows() -> None:
    """It says how to give one."""
    assert on("dasdg", files=[])["spaces"] is UNLISTED


def test_an_alias_carries_no_file_system(page: Callable[..., Any]) -> None:
    """It has no block device."""
    assert page(block=Absent("none"))["mounts"] is NO_DISK


def test_without_diskstats_the_mounts_of_a_disk_are_known() -> None:
    """Where it lies follows from its name; that it has a block device is not denied."""
    before = sample()
    frames = {name: frame for name, frame in before.frames.items() if name != BLOCK.name}
    frames[BLOCK.name] = empty_frame(BLOCK, "not read")
    view = View(Interval(None, before._replace(frames=frames)), argument="7600")
    facts = table(view).facts
    assert facts["mounts"] == "/v6"
    assert facts["ios"] is absent("not read")


def test_the_bus_id_of_a_scsi_disk_is_its_adapters() -> None:
    """The name of the disk is no bus id."""
    before = sample()
    layers = before.frames[LAYER.name]
    columns = {name: list(values) for name, values in layers.columns.items()}
    row = layers.keys.index("94:0")
    columns["name"][row], columns["busid"][row] = "sda", "0.0.1940"
    frames = {
        **before.frames,
        LAYER.name: Frame(LAYER, layers.keys, columns, layers.times),
        BLOCK.name: filled(BLOCK, {"sda": {"number": "94:0", "sectors_read": 0}}, 0),
        DEVICE.name: empty_frame(DEVICE, "none"),
    }
    after = before._replace(frames=frames)
    assert table(View(Interval(None, after), argument="sda")).facts["busid"] == "0.0.1940"


def test_the_page_of_a_multipath_device_lists_its_paths(make_interval: Callable[..., Interval]) -> None:
    """Each with its state, and with the response of the SCSI disk that it is."""
    still = {"reads": 0, "writes": 0, "read_ms": 0, "write_ms": 0, "sectors_read": 0, "sectors_written": 0}
    names = {"8:0": ("sda", "active"), "8:16": ("sdb", "failed")}
    rows: dict[Any, dict[str, dict[str, Any]]] = {
        PATH: {
            number: {"name": name, "map": "dm-0", "state": state, "device": "running", "failures": 0,
                     "adapter": "0.0.fc60", "port": "0x500507630a1b06dc", "in_flight": 0}
            for number, (name, state) in names.items()
        },
        MULTIPATH: {"dm-0": {"title": "data01"}},
        BLOCK: {name: still | {"map": "dm-0"} for name in ("dm-0", "sda", "sdb")},
    }  # fmt: skip
    after = rows | {BLOCK: rows[BLOCK] | {"sda": still | {"map": "dm-0", "reads": 600, "read_ms": 1500}}}
    found = table(View(make_interval(rows, after), argument="dm-0"))
    assert found.facts["path_names"] == "sda   sdb   "
    assert found.facts["path_states"] == "ON    OFF   "
    assert [(note.split()[:2], facts_of(note)) for note in found.notes] == [
        (["sda:", "active"], "0.0.fc60 0x500507630a1b06dc 10.0 2.5"),
        (["sdb:", "failed"], "0.0.fc60 0x500507630a1b06dc 0.0"),
    ]


def test_an_nvme_disk_has_its_paths(make_interval: Callable[..., Interval]) -> None:
    """DEVICE counts two; the page names both, and the controller of each, as the names have it."""
    still = {"reads": 0, "writes": 0, "read_ms": 0, "write_ms": 0, "sectors_read": 0, "sectors_written": 0}
    names = ("nvme0n1", "nvme0c0n1", "nvme0c1n1")
    rows = {BLOCK: {name: still | {"map": "nvme0n1"} for name in names}}
    found = table(View(make_interval(rows, rows), argument="nvme0n1"))
    assert found.facts["path_names"] == "nvme0c0n1 nvme0c1n1"
    assert found.facts["path_states"] is NO_STATE
    assert [note.split()[::3] for note in found.notes] == [["nvme0c0n1:", "nvme0"], ["nvme0c1n1:", "nvme1"]]


def test_the_page_of_a_disk_that_is_no_dasd_is_not_cut() -> None:
    """It has no device number; the adapters of its paths are told apart; no channel measures it."""
    view = simulated("fcp-path-slow", 5, 6)
    facts = table(View(view.interval, argument="dm-0", inputs=UserInputs)).facts
    assert facts["busid"] == "fc60 fc61"
    still = {"reads": 0, "writes": 0, "read_ms": 0, "write_ms": 0, "sectors_read": 0, "sectors_written": 0}
    before = sample()
    frames = {
        **before.frames,
        BLOCK.name: filled(
            BLOCK, {"nvme0n1": still | {"number": "259:0", "model": "Nimbus Data ExaDrive"}}, 0
        ),
        CMF.name: filled(CMF, {"0.0.7000": {}}, 0),
    }
    found = table(View(Interval(None, before._replace(frames=frames)), argument="nvme0n1"))
    assert found.facts["measured"] == NO_CHANNEL.reason
    form = "\n".join(Sheet(load_screens(shipped("screens")).find("DETAILS"), found).form)
    assert " nvme0n1:" in form
    assert "ADDR VOLSER" in form
    assert "..  .... " in form
    assert found.notes == ("Device type: Nimbus Data ExaDrive",)
