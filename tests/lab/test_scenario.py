from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.casestudy import FOLDER
from tests.goldens import compare, refusals
from zmon.lab.model import Arrivals, Compute, ControlProgram, DiskIo, GuestMemory, Stream, Think, Touch
from zmon.lab.scenario import ScenarioError, load_scenario, names, parse_scenario, path_of
from zmon.lab.simulation import engine_of

if TYPE_CHECKING:
    from zmon.lab.model import Scenario

SMALL = """\
title = "small"
text = "two volumes"
seed = 3
step = 5

[paths.even]
chpids = ["40", "41"]
mb_s = 12

[lcus."LCU 6"]
ssid = "7600"
paths = "even"
mb_s = 40

[volumes]
043A = { lcu = "LCU 6", label = "HWZJZH", mount = "/db/1" }
7600-7601 = { lcu = "LCU 6" }

[tablespaces.TSFACT]
file = "fact.data"
pages = { 043A = 1000 }

[loads.scan]
customers = 2
steps = [
  { read = "TSFACT", kb = 128, at_once = 4 },
  { think_ms = 8, constant = true },
]

[[phases]]
name = "all day"
seconds = 60
loads = ["scan"]

[[figures]]
name = "rate"
study = "none"
low = 1
high = 2
why = "none"
measure = "MB/s in all day"
"""


def small(was: str = "", now: str = "", **files: str) -> Scenario:
    """Return the small scenario, something in it replaced; `files` are those that it may be based on."""
    assert was in SMALL

    def read(path: str) -> str:
        try:
            return files[path.removesuffix(".toml")]
        except KeyError:
            raise FileNotFoundError(2, "No such file or directory", path) from None

    return parse_scenario(SMALL.replace(was, now, 1), "mine.toml", read)


def message(was: str, now: str, **files: str) -> str:
    """Return what is said about the small scenario when something in it is replaced."""
    with pytest.raises(ScenarioError) as caught:
        small(was, now, **files)
    return str(caught.value)


def test_a_load_on_a_tablespace_goes_where_its_files_are() -> None:
    """Who writes a scenario says what is read; on which volumes that is follows."""
    load = small().phases[0].streams[0]

    assert isinstance(load, Stream)
    assert isinstance(load.steps[0], DiskIo)
    assert load.steps[0].aim.volumes == (0,)


def test_times_are_given_in_milliseconds() -> None:
    """The engine counts in microseconds."""
    assert small().phases[0].streams[0].steps[1] == Think(8000.0, constant=True)


def test_a_range_is_many_volumes() -> None:
    """A fleet needs no line for each."""
    assert [volume.devno for volume in small().box.volumes] == [0x043A, 0x7600, 0x7601]


def test_an_lcu_stands_for_its_volumes() -> None:
    """A load may name where it goes instead of what it reads."""
    load = small('"TSFACT", kb', '"LCU 6", kb').phases[0].streams[0]

    assert isinstance(load.steps[0], DiskIo)
    assert load.steps[0].aim.volumes == (0, 1, 2)


def test_a_factor_makes_more_of_a_load() -> None:
    """A shift has half the sessions of another."""
    load = small('loads = ["scan"]', "loads = { scan = 3.5 }").phases[0].streams[0]

    assert isinstance(load, Stream)
    assert load.customers == 7


def test_a_rate_is_an_open_load() -> None:
    """Those who come by chance do not wait for one another."""
    assert isinstance(small("customers = 2", "rate = 2").phases[0].streams[0], Arrivals)


def test_paths_that_cost_processor_time_let_linux_compute_before_each_request() -> None:
    """FCP needs more of it than ECKD; four pieces need it four times."""
    plan = small("mb_s = 12", "mb_s = 12\ncpu_ms = 0.05")

    assert plan.phases[0].streams[0].steps[0] == Compute(200.0)


def test_a_switch_of_paths_costs_each_request_its_part() -> None:
    """Whoever switches after ten requests pays a tenth for each."""
    plan = small("mb_s = 12", 'mb_s = 12\npolicy = "multibus"\nturn = 10\nswitch_cpu_ms = 0.5')

    assert plan.phases[0].streams[0].steps[0] == Compute(200.0)


def test_what_is_based_on_another_changes_it_key_by_key() -> None:
    """Only what differs is written."""
    plan = parse_scenario(
        'base = "small.toml"\ntitle = "x"\ntext = "y"\n[lcus]\n"LCU 6".mb_s = 80\n',
        "mine.toml",
        lambda _: SMALL,
    )

    assert (plan.box.lcus[0].speed, plan.box.lcus[0].ssid, plan.title) == (80.0, "7600", "x")


def test_false_takes_away_what_the_base_has() -> None:
    """A volume that is gone afterwards."""
    plan = parse_scenario(
        'base = "small.toml"\ntitle = "x"\ntext = "y"\n[volumes]\n7600-7601 = false\n',
        "mine.toml",
        lambda _: SMALL,
    )

    assert len(plan.box.volumes) == 1


def test_figures_are_not_taken_from_the_base() -> None:
    """What one scenario reproduces is not what another does."""
    plan = parse_scenario('base = "small.toml"\ntitle = "x"\ntext = "y"\n', "mine.toml", lambda _: SMALL)

    assert plan.figures == ()


MISTAKES = (
    ('title = "small"\n', ""),
    ("seed = 3", "sed = 3"),
    ("seed = 3", "seed = true"),
    ("step = 5", "step = nan"),
    ("seed = 3", "begin = 2003-03-17"),
    ("seed = 3", 'environment = "vm"'),
    ("seed = 3", 'serial = "x.y"'),
    ("[paths.even]", "[path.even]"),
    ("mb_s = 12", "mb_s = 0"),
    ('"41"', '"40"'),
    ('"41"', '"4"'),
    ("mb_s = 12", "mb_s = 12\nturn = 3"),
    ('paths = "even"', 'paths = "odd"'),
    ('ssid = "7600"', 'ssid = "760"'),
    ('7600-7601 = { lcu = "LCU 6"', '7600-7601 = { lcu = "LCU 7"'),
    ("7600-7601 = {", "76xx = {"),
    ("7600-7601 = {", "7600-7700 = {"),
    ("7600-7601 = {", "0430-043F = {"),
    ('label = "HWZJZH"', 'rdev = "1000"'),
    (', mount = "/db/1"', ""),
    ("043A = 1000", "043A = 1000000"),
    ("043A = 1000", "043B = 1000"),
    ("043A = 1000", "043A = 0"),
    ("customers = 2\n", ""),
    ("customers = 2", "customers = 2\nrate = 3"),
    ('"TSFACT", kb', '"TSFACE", kb'),
    ("think_ms = 8,", "think = 8,"),
    ("kb = 128", "kb = 0"),
    ("seconds = 60", "seconds = 1"),
    ('loads = ["scan"]', 'loads = ["scam"]'),
    ("[[phases]]", "[[phase]]"),
    ("low = 1", "low = 3"),
    ("MB/s in all day", "MB/s in noon"),
    ("MB/s in all day", "MB/s of LCU 7"),
    ("MB/s in all day", "time of scam"),
    ("low = 1", 'basis = "x"\nlow = 1'),
    ("MB/s in all day", "furlongs"),
    ("customers = 2", "rate = 100"),
    ('{ read = "TSFACT", kb = 128, at_once = 4 },\n  { think_ms = 8, constant = true },', '{ count = "x" }'),
    ("seed = 3", 'base = "other.toml"'),
    ("seed = 3", 'base = "shark"'),
)  # fmt: skip
OF_A_GUEST = (
    ('swap = "7604"', 'swap = "7600-7603"'),
    ('swap = "7604"', 'swap = "6000"'),
    ("used_mb = 1000", "used_mb = 0"),
    ("resident = 0.9", "resident = 1.1"),
    ('environment = "zvm"', ""),
    ("stripe_kb = 256", "stripe_kb = 100"),
    ("{ compute_ms = 2 }", '{ read = "6000" }'),
    ('type = "FCP"', 'type = "FCP"\npolicy = "any"'),
    ("touch = 5", "touch = 0"),
)


def test_a_mistake_is_answered_with_file_line_and_key() -> None:
    """Who has copied a scenario and changed it finds it without reading the code: said/scenarios.txt."""
    lines = refusals(ScenarioError, lambda one: small(*one), MISTAKES)
    lines += refusals(ScenarioError, lambda one: guest(*one), OF_A_GUEST)
    compare("said/scenarios", lines)
    assert message("seed = 3", "seed = 3 3").startswith("mine.toml:")


def test_a_circle_of_bases_ends() -> None:
    """Nobody waits for ever."""
    circle = SMALL.replace("seed = 3", 'base = "a.toml"')

    assert "more than 8" in message("seed = 3", 'base = "a.toml"', a=circle)


def test_what_no_base_gives_is_missing_in_the_file_of_the_user() -> None:
    """Title and text are not taken from the base, so the error names the file that lacks them."""
    with pytest.raises(ScenarioError) as caught:
        parse_scenario('base = "shark-before"', "mine.toml")

    assert str(caught.value).startswith("mine.toml: title: ")


def test_a_mistake_in_the_base_names_the_base() -> None:
    """The line is in the file where it is written."""
    base = SMALL.replace("mb_s = 40", "mb_s = -1")

    with pytest.raises(ScenarioError) as caught:
        parse_scenario('base = "a.toml"\ntitle = "x"\ntext = "y"', "mine.toml", lambda _: base)

    assert str(caught.value).startswith("a.toml:13: lcus.LCU 6.mb_s")


@pytest.mark.parametrize("name", names())
def test_every_scenario_that_comes_along_can_be_used(name: str) -> None:
    """And says what it shows."""
    plan = load_scenario(name)

    assert plan.title
    assert plan.text
    assert plan.phases


def test_a_name_that_is_none_is_answered_with_those_that_are() -> None:
    """Nobody remembers them all; with those that are called much like it, if there are some."""
    with pytest.raises(ScenarioError, match="shark-after, shark-before"):
        path_of("xyzzy")
    with pytest.raises(ScenarioError, match=r"hyperpva-0.* hyperpav-0 .*lab:"):
        path_of("hyperpva-0")


def test_the_case_study_is_the_example_that_comes_along() -> None:
    """Its volumes, labels and real devices are those that CP answers with in recordings/casestudy."""
    plan = load_scenario("shark-before")
    rows = {
        (f"{volume.devno:04X}", label, rdev)
        for volume, label, rdev in zip(plan.box.volumes, plan.labels, plan.rdevs, strict=True)
    }
    with open(f"{FOLDER}/cp.txt", encoding="utf-8") as file:
        words = [line.split() for line in file if line.startswith("DASD ")]

    assert rows == {
        (row[1], row[3], row[9]) for row in words if row[1] not in {"0100", "0190", "0191", "019D", "019E"}
    }


def test_the_case_study_has_the_tablespaces_of_the_example() -> None:
    """Each file of the DDL is in the scenario, with its pages."""
    plan = load_scenario("shark-before")
    with open(f"{FOLDER}/tablespaces.ddl", encoding="utf-8") as file:
        ddl = file.read()

    assert all(
        f"'{place.path}'{place.bytes // 4096}" in ddl
        for place in plan.places
        if place.tablespace != "TEMPSPACE1"
    )


@given(st.text(max_size=200))
def test_any_text_is_a_scenario_or_a_mistake(text: str) -> None:
    """Nothing else comes out."""
    with pytest.raises(ScenarioError):
        parse_scenario(text, "mine.toml")


VALUES = st.sampled_from(
    ["-1", "0", "1e300", "nan", "inf", "''", '"x"', "[]", "{}", "true", "false", "[[]]", "[{}]", "{ x = 1 }",
     "1979-05-27", "99999999999999999999", '["LCU 6"]', '"043A"']
)  # fmt: skip


@settings(deadline=None)
@given(st.integers(0, SMALL.count("=") - 1), VALUES)
def test_any_value_in_any_place_is_taken_or_answered(number: int, value: str) -> None:
    """No value, wherever it stands, leads to anything but a plan or a sentence with the file's name."""
    lines = SMALL.splitlines()
    entries = [place for place, line in enumerate(lines) if " = " in line]
    place = entries[number % len(entries)]
    lines[place] = f"{lines[place].partition(' = ')[0]} = {value}"

    try:
        parse_scenario("\n".join(lines), "mine.toml")
    except ScenarioError as error:
        assert str(error).startswith("mine.toml")  # noqa: PT017 - there may be none


@settings(deadline=None)
@given(st.sampled_from(sorted(tomllib.loads(SMALL))), st.sampled_from(["", "x = 1\n", "[x]\n", "[[x.y]]\n"]))
def test_any_part_may_be_missing_or_twice(key: str, more: str) -> None:
    """An incomplete scenario, or one with something strange, is answered with a sentence."""
    kept: dict[str, Any] = tomllib.loads(SMALL)
    kept.pop(key)
    text = SMALL.replace(key, f"un{key}") + more

    with pytest.raises(ScenarioError, match=r"^mine\.toml"):
        parse_scenario(text, "mine.toml")


GUEST = """\
title = "guest"
text = "a guest of z/VM on all kinds of disks"
step = 5
environment = "zvm"

[paths.ficon]
chpids = ["40", "41"]
mb_s = 800
command_ms = 0.01
command_kb = 48
hpf = true

[paths.fcp]
chpids = ["60", "61"]
type = "FCP"
mb_s = 800
turn = 100

[lcus.fast]
ssid = "7600"
paths = "ficon"
ranks = 4
miss_ms = 5
array_mb_s = 100
placed = true
nvs = 0

[lcus.scsi]
ssid = "6000"
paths = "fcp"

[volumes]
7600-7603 = { lcu = "fast", pav = 3, turn = 10 }
7604 = { lcu = "fast" }
6000 = { lcu = "scsi", pav = 31 }

[memory]
mb = 900
used_mb = 1000
swap = "7604"
hits = 0.5

[zvm]
cpus = 3
resident = 0.9
page_ms = 2

[loads.sessions]
customers = 2
steps = [
  { read = "7600-7603", kb = 64, at_once = 4, stripe_kb = 256 },
  { touch = 5 },
  { write = "6000" },
]

[loads.others]
customers = 1
outside = true
steps = [{ compute_ms = 2 }, { think_ms = 2 }]

[[phases]]
name = "all day"
seconds = 60
loads = ["sessions", "others"]
"""


def guest(was: str = "", now: str = "") -> Scenario:
    """Return that scenario, something in it replaced."""
    assert was in GUEST
    return parse_scenario(GUEST.replace(was, now, 1), "guest.toml")


def test_all_abilities_of_the_machine_can_be_written() -> None:
    """In ms, MB and KiB; the model has microseconds and bytes."""
    plan = guest()

    ficon, fcp = plan.box.paths
    assert (ficon.command, ficon.record, ficon.hpf) == (10.0, 49152, True)
    assert (fcp.policy, fcp.turn) == ("multibus", 100)
    fast = plan.box.lcus[0]
    assert (fast.array_speed, fast.placed, fast.nvs) == (100.0, True, 0)
    assert plan.box.volumes[0].turn == 10
    assert plan.memory == GuestMemory(900 << 20, 1000 << 20, 4, 0.5)
    assert plan.zvm == ControlProgram(3, 0.9, 2000.0)
    sessions, others = plan.phases[0].streams
    assert isinstance(sessions, Stream)
    assert isinstance(others, Stream)
    assert (sessions.outside, others.outside) == (False, True)
    assert isinstance(sessions.steps[0], DiskIo)
    assert sessions.steps[0].stripe == 256 << 10
    assert sessions.steps[1] == Touch(5)


def test_touching_needs_a_memory_that_may_lack_pages() -> None:
    """Of a machine that has all, nothing would be read."""
    memory, sessions = GUEST.index("[memory]"), GUEST.index("[loads.sessions]")
    others, phases = GUEST.index("[loads.others]"), GUEST.index("[[phases]]")
    text = GUEST[:memory] + GUEST[sessions:others] + GUEST[phases:].replace(', "others"', "")
    with pytest.raises(ScenarioError, match=r"touch: needs \[memory\]"):
        parse_scenario(text, "guest.toml")


@settings(deadline=None)
@given(st.integers(0, GUEST.count("=") - 1), VALUES)
def test_any_value_of_an_ability_is_taken_or_answered(number: int, value: str) -> None:
    """As above; what is taken can be simulated for a moment."""
    lines, seen = [], 0
    for line in GUEST.splitlines():
        if "=" in line and "{" not in line:
            if seen == number:
                line = f"{line.partition('=')[0]}= {value}"  # noqa: PLW2901 - it is another line
            seen += 1
        lines.append(line)
    try:
        plan = parse_scenario("\n".join(lines), "guest.toml")
    except ScenarioError as error:
        assert str(error).startswith("guest.toml")  # noqa: PT017 - or nothing is raised
        return
    engine_of(plan, 0).run(1000)
