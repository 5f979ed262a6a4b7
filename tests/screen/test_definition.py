from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.goldens import compare, refusals
from zmon.base.absent import absent
from zmon.base.shipped import shipped
from zmon.screen import definition
from zmon.screen.definition import (
    Limit,
    ScreenError,
    Screens,
    load_screens,
    own_screens,
    parse_head,
    parse_screen,
)

HEAD = 'id = "FCX1"\ncommand = "TRY"\ntitle = "Try"\ntable = "device"\n'
COLUMN = '[[column]]\nname = "io"\nwidth = 4\nformat = "rate"\n'
SHIPPED = {
    str(file.relative_to(shipped("screens"))): file.read_text(encoding="utf-8")
    for file in Path(shipped("screens")).rglob("*.toml")
    if file.parent.name != "__pycache__"
}


def test_a_screen_needs_little() -> None:
    """Id, command, title and table are enough, and a column needs name, width and format."""
    screen = parse_screen(HEAD + COLUMN, "try.toml")
    assert (screen.id, screen.command, [c.name for c in screen.columns]) == ("FCX1", "TRY", ["io"])


def test_columns_share_defaults() -> None:
    """What stands in `defaults` need not be said again."""
    text = HEAD + '[defaults]\nwidth = 7\nformat = "queue"\n[[column]]\nname = "a"\n'
    assert (parse_screen(text, "f").columns[0].width, parse_screen(text, "f").columns[0].format) == (
        7,
        "queue",
    )


DEVICE = """[defaults]
format = "rate"
width = 4

[[figure]]
name = "pend"
head = "Pend"
unit = "ms"
help = "Pending time."

[[figure]]
name = "queue"
head = "Queue"
format = "queue"
width = 5
sort = ""
look = 2
bad = 8
"""
LCU = """[[figure]]
name = "queue"
head = "LCU"
format = "count"
width = 6

[[figure]]
name = "share"
head = "Share"
format = "percent"
width = 7
"""


@pytest.fixture
def figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let figures of devices and LCUs be what comes with zmon."""
    folder = tmp_path / "figures"
    folder.mkdir()
    (folder / "device.toml").write_text(DEVICE)
    (folder / "lcu.toml").write_text(LCU)
    monkeypatch.setattr(definition, "shipped", lambda name: str(tmp_path / name))
    return folder


def columns_of(*sorts: str, of: str) -> tuple[definition.Column, ...]:
    """Return the columns of a screen that takes figures of these sorts of things."""
    return parse_screen(f"{HEAD}figures = {_toml(list(sorts))}\n{of}", "mine.toml").columns


@pytest.mark.usefixtures("figures")
def test_a_column_is_the_figure_whose_name_it_bears() -> None:
    """All that it does not say is as the figure has it, and as the file of figures has it by default."""
    (column,) = columns_of("device", of='[[column]]\nname = "pend"\ngroup = "Time"\n')
    said = (column.head, column.unit, column.help, column.format, column.width, column.group)
    assert said == (("Pend",), "ms", "Pending time.", "rate", 4, "Time")
    assert column.limit is None
    (column,) = columns_of("device", of='[[column]]\nname = "queue"\n')
    assert (column.limit, column.sort) == (Limit(2, 8, ""), "")


@pytest.mark.usefixtures("figures")
def test_of_several_sorts_the_first_that_has_the_figure_is_meant() -> None:
    """The order of the screen decides."""
    several = '[[column]]\nname = "queue"\n[[column]]\nname = "share"\n'
    assert [c.head[0] for c in columns_of("device", "lcu", of=several)] == ["Queue", "Share"]
    assert [c.head[0] for c in columns_of("lcu", "device", of=several)] == ["LCU", "Share"]


@pytest.mark.usefixtures("figures")
def test_a_column_of_another_name_says_which_figure_it_is() -> None:
    """Its own name stays; the screen need not take figures of that sort; an empty one is no figure."""
    column = parse_screen(HEAD + '[[column]]\nname = "full"\nfigure = "lcu.queue"\n', "f").columns[0]
    assert (column.name, column.head, column.width) == ("full", ("LCU",), 6)
    (column,) = columns_of("device", of=COLUMN.replace("io", "pend") + 'figure = ""\n')
    assert (column.head, column.unit) == (("",), "")


@pytest.mark.usefixtures("figures")
def test_a_column_is_stronger_than_its_figure_and_defaults_are_for_those_of_none() -> None:
    """What the screen says of all its own columns does not change a figure."""
    defaults = '[defaults]\nformat = "rate"\nwidth = 9\ngap = 3\nunit = "s"\n'
    own = '[[column]]\nname = "pend"\nhead = "P"\n[[column]]\nname = "other"\nhead = ""\n'
    pend, other = columns_of("device", of=defaults + own)
    assert (pend.head, pend.unit, pend.width, pend.gap) == (("P",), "ms", 4, 1)
    assert (other.unit, other.width, other.gap) == ("s", 9, 3)


@pytest.mark.usefixtures("figures")
def test_neighbours_are_one_record() -> None:
    """They share what the record says, except what it says of one of them."""
    text = '[[column]]\nname = ["queue", "pend"]\ngroup = "All"\nsort = "asc"\npend.sort = ""\npend.gap = 2\n'
    said = [(c.name, c.head[0], c.group, c.sort, c.gap) for c in columns_of("device", of=text)]
    assert said == [("queue", "Queue", "All", "asc", 1), ("pend", "Pend", "All", "", 2)]


def test_neighbours_may_be_columns_of_the_screens_own() -> None:
    """One that is called as a key is may be among them, if nothing is said of it alone."""
    text = '[[column]]\nname = ["io", "unit"]\nwidth = 4\nformat = "rate"\nunit = "s"\nio.unit = "1/s"\n'
    columns = parse_screen(HEAD + text, "f").columns
    assert [(c.name, c.unit) for c in columns] == [("io", "1/s"), ("unit", "s")]


WRONG = (
    'figures = "device"\n',
    "figures = [3]\n",
    'figures = ["devcie"]\n',
    'figures = ["x"]\n',
    'figures = ["../figures/lcu"]\n',
    '[[column]]\nname = "a"\nfigure = 3\n',
    '[[column]]\nname = "a"\nfigure = "lcs.queue"\n',
    '[[column]]\nname = "a"\nfigure = "device.pned"\n',
    '[[column]]\nname = "a"\nfigure = "lcu"\n',
    "[[column]]\nname = [3]\n",
    "[[column]]\nname = []\n",
    '[[column]]\nname = ["a", "b"]\nc.width = 3\n',
    '[[column]]\nname = ["a", "b"]\nformat = "rate"\na.width = 3\nb.width = "3"\n',
    '[[column]]\nname = ["a"]\na.colour = 3\n',
    '[[column]]\nname = "a"\na.width = 3\n',
    'figures = ["device"]\n[[column]]\nname = ["pend", "pend"]\n',
    'figures = ["device"]\n[[column]]\nname = "pend"\nlook = 3\n',
    'figures = ["device"]\n[[column]]\nname = "pned"\n',
    'figures = ["device"]\n[[column]]\nname = "io"\n',
)


@pytest.mark.usefixtures("figures")
def test_what_is_wrong_with_a_figure_of_a_screen_is_told_with_its_line() -> None:
    """And with what is allowed, or what is called much like it: tests/golden/said/screens.txt."""
    compare("said/screens", refusals(ScreenError, lambda text: parse_screen(HEAD + text, "mine.toml"), WRONG))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[[figure]]\nname = "a"\ngroup = "All"\n', "3: figure.1.group"),
        ('[[figure]]\nname = "a"\nwidth = "4"\n', "3: figure.1.width"),
        ('[[figure]]\nhead = "A"\n', "1: figure.1.name"),
        ("[[column]]\n", "1: column"),
    ],
)
def test_what_is_wrong_with_a_file_of_figures_is_told_with_its_line(
    text: str, place: str, figures: Path
) -> None:
    """What only a screen can say of a column is refused, too."""
    (figures / "lcu.toml").write_text(text)
    with pytest.raises(ScreenError) as error:
        columns_of("lcu", of='[[column]]\nname = "a"\n')
    assert str(error.value).startswith(f"{figures}/lcu.toml:{place}: ")


def test_positions_are_counted_with_gaps() -> None:
    """Column 0 of a line is never used; each gap comes before its column."""
    text = HEAD + COLUMN + COLUMN.replace("io", "b") + "gap = 3\n"
    assert parse_screen(text, "f").starts == (1, 8)
    assert parse_screen(text, "f").width == 12


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("id = 5\n", "id"), (HEAD.replace('"Try"', "1"), "title"), (HEAD.replace("FCX1", ""), "id"),
        (HEAD + "colour = 1\n", "colour"), (HEAD + 'layout = "wide"\n', "layout"),
        (HEAD.replace('"device"', '"x"'), "table"),
        (HEAD + 'about = "DEVICE"\n', "about"), (HEAD + "about = [3]\n", "about"),
        (HEAD + 'naming = ["addr"]\n' + COLUMN, "naming.*addr"), (HEAD + "drawn = 0\n", "drawn"),
        (HEAD.replace("TRY", "try"), "command"), (HEAD + 'sort = "nope"\n', "sort"),
        (HEAD + 'drill = "DEVICE {row}"\n', "drill"), (HEAD + "form = 3\n", "form"),
        (HEAD + "column = 3\n", "column"), (HEAD + "column = [3]\n", "column"),
        (HEAD + "defaults = 3\n", "defaults"), (HEAD + "section = 3\n", "section"),
        (HEAD + 'help = "\\u001b[2J"\n', "help"), (HEAD + 'layout = "menu"\n', "section"),
        (HEAD + '[form_formats]\na = "loud"\n', "form_formats"),
        (HEAD + "[form_names]\na = 3\n", "form_names"),
        (HEAD + '[[section]]\ntitle = "A"\nitems = [["1"]]\n', "section"),
        (HEAD + '[[section]]\ntitle = "A"\nitems = []\n', "items"),
        (HEAD + "[[column]]\nwidth = 3\n", "name"), (HEAD + '[[column]]\nname = "x"\n', "format"),
        (HEAD + COLUMN + COLUMN, "io"), (HEAD + COLUMN + 'sort = "up"\n', "sort"),
        (HEAD + COLUMN + "look = 3\n", "bad"), (HEAD + COLUMN + 'look = "3"\nbad = 4\n', "look"),
        (HEAD + COLUMN.replace("4", "0"), "width"), (HEAD + COLUMN.replace("4", "4000"), "width"),
        (HEAD + COLUMN.replace("4", '"4"'), "width"), (HEAD + COLUMN.replace("4", "true"), "width"),
        (HEAD + COLUMN + "gap = 0\n", "gap"), (HEAD + COLUMN.replace("rate", "loud"), "format"),
        (HEAD + COLUMN + 'colour = "red"\n', "colour"), (HEAD + COLUMN + "limit = 3\n", "limit"),
        (HEAD + COLUMN + 'head = "a\\tb"\n', "head"), (HEAD + COLUMN + "head = [1]\n", "head"),
        (HEAD + COLUMN + 'rollup = "a b"\n', "rollup"),
        (HEAD + COLUMN.replace("io", "i o") + 'rollup = "seconds"\n', "rollup"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_file_and_key(text: str, key: str) -> None:
    """Whoever writes a screen is told where to look."""
    with pytest.raises(ScreenError, match=rf"^mine\.toml(:\d+)?: .*{key}"):
        parse_screen(text, "mine.toml")


@pytest.mark.parametrize("text", ["id = ", "[" * 5000, "a = " + "9" * 5000, "a = 1\na = 2", "\x00"])
def test_garbled_toml_names_the_file(text: str) -> None:
    """What is no TOML is a screen error too, however deep it is nested."""
    with pytest.raises(ScreenError, match=r"^mine\.toml(:\d+)?: "):
        parse_screen(text, "mine.toml")


@given(st.sampled_from(sorted(SHIPPED)), st.data())
@settings(deadline=None)
def test_a_damaged_file_is_read_or_refused(name: str, data: st.DataObject) -> None:
    """A part replaced by anything: a screen comes out, or a screen error."""
    text = SHIPPED[name]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    damaged = text[:start] + data.draw(st.text(max_size=20)) + text[end:]
    for read in (parse_screen, parse_head):
        try:
            read(damaged, "f")
        except ScreenError as error:
            assert str(error).startswith(("f: ", "f:"))  # noqa: PT017 - no error is right too


JSON = st.recursive(
    st.one_of(st.booleans(), st.integers(-9, 999), st.floats(0, 9), st.text("abc{}", max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text("ab", min_size=1), inner, max_size=2)
    ),
)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {_toml(v)}" for k, v in value.items()) + "}"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


KEYS = ("menu", "guidance", "help", "own", "layout", "form", "form_formats", "form_names", "sort", "drill",
        "argument", "about", "naming", "drawn", "defaults", "column", "section")  # fmt: skip


@given(st.dictionaries(st.sampled_from(KEYS), JSON))
@settings(deadline=None)
def test_any_value_of_any_key_is_taken_or_refused(values: dict[str, object]) -> None:
    """Whatever type stands where: a screen, or a screen error."""
    text = HEAD + "".join(f"{key} = {_toml(value)}\n" for key, value in values.items())
    try:
        parse_screen(text, "f")
    except ScreenError as error:
        assert str(error).startswith(("f: ", "f:"))  # noqa: PT017 - no error is right too


def test_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    """It is named, with the place of the first bad byte."""
    (tmp_path / "a.toml").write_bytes(b'id = "\xff"')
    with pytest.raises(ScreenError, match=r"a\.toml: is not UTF-8 at byte 6"):
        load_screens(str(tmp_path))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """A directory in the place of a file is named too."""
    (tmp_path / "a.toml").mkdir()
    with pytest.raises(ScreenError, match=r"a\.toml: cannot be read"):
        load_screens(str(tmp_path))


def test_without_any_screen_the_installation_is_incomplete(tmp_path: Path) -> None:
    """An empty directory is no set of screens."""
    with pytest.raises(ScreenError, match="incomplete"):
        load_screens(str(tmp_path))


def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = tmp_path / "zmon" / "screens"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(text)


def test_a_screen_of_ones_own_replaces_by_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The id decides, not the name of the file."""
    own(tmp_path, monkeypatch, HEAD.replace("FCX1", "FCX108").replace("TRY", "DEVICE"))
    assert load_screens().find("DEVICE").title == "Try"


def test_a_screen_of_ones_own_is_about_what_the_shipped_one_of_its_table_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So one that was written before a file could say it is drawn, completed and plotted as ever."""
    own(tmp_path, monkeypatch, HEAD.replace('"device"', '"check"') + COLUMN)
    assert load_screens().find("TRY").drawn is load_screens(whole=False).find("TRY").drawn is False


def test_a_screen_of_ones_own_is_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new id is one screen more."""
    own(tmp_path, monkeypatch, HEAD)
    assert load_screens().find("TRY").id == "FCX1"
    assert load_screens().find("DEVICE").id == "FCX108"


def test_a_broken_screen_of_ones_own_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message has the whole path."""
    own(tmp_path, monkeypatch, HEAD + "colour = 1\n")
    with pytest.raises(ScreenError, match=r"zmon/screens/mine\.toml:5: colour: "):
        load_screens()


def test_files_may_be_read_only_as_far_as_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken column of one screen does not stand in the way of another."""
    own(tmp_path, monkeypatch, HEAD + "[[column]]\nname = 3\n")
    screens = load_screens(whole=False)
    assert screens.find("DEVICE").id == "FCX108"
    with pytest.raises(ScreenError, match="column"):
        screens.find("TRY")


def test_own_screens_are_checked_before_one_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mistake in one is told at once; of those that come with zmon only the one of its table is read."""
    own(tmp_path, monkeypatch, HEAD + COLUMN)
    read: list[str] = []

    def noted(text: str, file: str, *, is_shipped: bool = False) -> definition.Screen:
        read.append(Path(file).name)
        return parse_screen(text, file, is_shipped=is_shipped)

    monkeypatch.setattr(definition, "parse_screen", noted)
    load_screens(whole=False).check_own()
    assert read == ["mine.toml", "device.toml"]
    (tmp_path / "zmon" / "screens" / "mine.toml").write_text(HEAD + "[[column]]\nname = 3\n")
    with pytest.raises(ScreenError, match=r"mine\.toml.*column"):
        load_screens(whole=False).check_own()


def test_a_head_may_hold_brackets() -> None:
    """A line of help that begins with a bracket is no table."""
    text = HEAD + 'help = """\nsee\n[column] and more\n"""\nmenu = "7"\n' + COLUMN
    assert (parse_head(text, "f").menu, parse_screen(text, "f").menu) == ("7", "7")


def test_heads_and_whole_files_agree() -> None:
    """What is read for finding is what stands in the screen."""
    folders = (shipped("screens"), shipped("screens/fleet"))
    whole = {(s.id, s.command, s.shortest, s.menu) for folder in folders for s in load_screens(folder)}
    heads = (parse_head(text, "f") for text in SHIPPED.values())
    assert {(s.id, s.command, s.shortest, s.menu) for s in heads} == whole


def test_without_a_home_for_configuration_it_is_below_dot_config(monkeypatch: pytest.MonkeyPatch) -> None:
    """XDG's own default."""
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("HOME", "/home/op")
    assert own_screens() == "/home/op/.config/zmon/screens"


@pytest.mark.parametrize("word", ["DEVICE", "device", "13", "FCX108", "devi"])
def test_a_screen_is_found_by_command_menu_or_number(word: str) -> None:
    """A command may be shortened, and case does not matter."""
    assert load_screens(shipped("screens")).find(word).id == "FCX108"


@pytest.mark.parametrize(
    ("word", "command"),
    [
        ("dev", "DEVICE"), ("devl", "DEVLOG"), ("chan", "CHANNEL"), ("chanl", "CHANLOG"), ("ct", "CTLUNIT"),
        ("ctlu", "CTLUNIT"), ("ctlul", "CTLULOG"), ("lpa", "LPAR"), ("lp", "LPAR"), ("lparl", "LPARLOG"),
        ("ca", "CACHEXT"), ("bench", "BENCHMRK"), ("f", "FILES"),
        ("mem", "STORAGE"), ("dsk", "DEVICE"), ("net", "NETWORK"), ("prc", "UPROC"),
    ],
)  # fmt: skip
def test_a_minimum_abbreviation_means_the_main_screen(word: str, command: str) -> None:
    """Though its log begins with the same letters; so do what is unambiguous, and the words of atop."""
    assert load_screens(shipped("screens")).find(word).command == command


def test_screens_declare_abbreviations_that_differ() -> None:
    """No two screens have one in common."""
    short = [s.command[: s.shortest] for s in load_screens(shipped("screens")) if s.shortest]
    assert len(short) == len(set(short))


def test_a_command_declares_its_abbreviation_by_capitals() -> None:
    """A command in capitals alone declares none, and begins as long as it is the only one."""
    main, log = (
        parse_screen(HEAD.replace("TRY", "TRYout"), "f"),
        parse_screen(HEAD.replace("TRY", "TRYLOG").replace("FCX1", "FCX2"), "f"),
    )
    assert (main.command, main.shortest, main.spelled) == ("TRYOUT", 3, "TRYout")
    assert (log.command, log.shortest, log.spelled) == ("TRYLOG", 0, "TRYLOG")
    screens = Screens([main, log])
    found = [screens.find(word).command for word in ("try", "TRYO", "tryl")]
    assert found == ["TRYOUT", "TRYOUT", "TRYLOG"]
    with pytest.raises(ScreenError, match="'tr' may mean TRYLOG or TRYOUT"):
        screens.find("tr")


def test_a_word_that_means_no_screen_or_several() -> None:
    """The message says which is called much like it, or which may be meant: tests/golden/said/words.txt."""
    words = ("", "NOPE", "devcie", "C", "7", "17")
    compare("said/words", refusals(ScreenError, load_screens(shipped("screens")).find, words))


@given(st.text())
def test_any_word_is_a_screen_or_an_error_with_words(word: str) -> None:
    """No other error comes out."""
    said = ""
    try:
        said = load_screens(shipped("screens"), whole=False).find(word).command
    except ScreenError as error:
        said = str(error)
    assert said


def test_of_two_screens_with_an_id_the_later_wins() -> None:
    """The user's directory is read after the shipped one."""
    one, two = parse_screen(HEAD, "one"), parse_screen(HEAD, "two")
    assert [s.file for s in Screens([one, two])] == ["two"]


@pytest.mark.parametrize(
    ("value", "mark"), [(10, " "), (10.1, "*"), (60, "*"), (60.1, "!"), (absent("x"), " "), ("DED", " ")]
)
def test_a_limit_marks_what_exceeds_it(value: float, mark: str) -> None:
    """Over `look` a star, over `bad` an exclamation mark; texts and what is absent exceed nothing."""
    assert Limit(10, 60, "").mark(value) == mark


def test_a_way_deeper_may_name_a_column() -> None:
    """Of a page it may name any fact."""
    assert parse_screen(HEAD + 'drill = "DEVICE {io}"\n' + COLUMN, "f").drill == "DEVICE {io}"
    assert parse_screen(HEAD + 'layout = "page"\ndrill = "DEVICE {any}"\n', "f").drill == "DEVICE {any}"


def test_a_screen_is_read_by_its_command_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A lookup of one reads its file and its figures; what is not found so, and all, are found as ever."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    read: list[str] = []
    text = definition._text

    def noted(file: str) -> str:
        read.append(file)
        return text(file)

    monkeypatch.setattr(definition, "_text", noted)
    monkeypatch.setattr(definition, "parse_screen", inspect.unwrap(parse_screen))  # else parsed once for all
    definition._figures_of.cache_clear()
    screens = load_screens(whole=False)
    found = screens.find("device")
    assert found.command == "DEVICE"
    assert ["/".join(Path(file).parts[-2:]) for file in read] == [
        "screens/device.toml",
        "figures/device.toml",
    ]
    assert screens.find("DEV") is found
    assert screens.find("FCX108") is found
    assert sorted(screen.id for screen in screens) == sorted(screen.id for screen in load_screens())


def test_every_shipped_file_is_named_after_its_command() -> None:
    """By that it is found."""
    for name, text in SHIPPED.items():
        assert parse_head(text, name).command.lower() == Path(name).stem
