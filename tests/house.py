"""Count what the house is measured by: `make house`; `make house LIST=wording` lists what a line counts."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from tests.syntax import ROOT, ZMON, modules, nodes, parsed
from tests.wording import bindings, names_in, wording
from zmon.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path

TESTS: Final = ROOT / "tests"
CEILINGS: Final = {
    "base": 1554, "check": 1824, "cli": 10261, "collected": 15627, "cp": 3340, "diagnosis": 6228,
    "exposition": 1962, "fleet": 2112, "kernel": 13388, "lab": 5171, "listing": 5613, "machine": 6396,
    "placement": 6049, "queueing": 3871, "recorder": 2050, "rule": 2038, "screen": 4649, "session": 5126,
    "store": 6052, "tables": 8031, "topology": 6479, "trends": 2185, "ui": 5599, "values": 674,
    "words": 311, "zmon": 2731,
}  # fmt: skip
"""The most lines of each package; `zmon` are the modules that are in none."""
VAGUE: Final = frozenset({"each", "found", "known", "one", "words"})
"""Names of variables that say nothing of the thing."""
PHRASE: Final = 6
"""Words in a row that no two write by chance."""
READERS: Final = frozenset({"collected", "cp", "kernel", "lab", "listing", "store", "topology"})
"""Packages that know no screen: a word there is that of a source."""
REGISTRIES: Final = frozenset({"DEFINITIONS", "TABLES"})
"""What says which tables there are."""
TIMES: Final = frozenset({"system", "user"})
"""Parts of processor time, which bear the names of tables."""
LIMITED: Final = ("look", "bad", "when", "siblings")
"""The keys of a rule that have limits."""
SHARED: Final = {
    "diagnosis.examined.ALONE": "path-alone",
    "diagnosis.examined.BUSY_PATHS": "path-busy",
    "diagnosis.examined.TIMES_ALONE": "path-alone",
    "diagnosis.pending.TIMES": "lcu-pend",
    "diagnosis.scsi_paths.BUSY_PATH": "path-busy",
    "diagnosis.scsi_paths.SLOW": "path-slow",
    "fleet.filling.SLOWER": "lcu-share",
    "fleet.filling.WAITING": "lcu-share",
    "machine.observation.FULL_ALIASES": "alias-use",
    "machine.observation.MIN_LOST": "alias-use",
    "queueing.prediction.FULL_PATHS": "path-full",
    "queueing.waiting.FULL_PATHS": "path-waits",
    "queueing.waiting.LIKELY_FULL": "cpu-busy",
    "queueing.waiting.LIMITING_PATHS": "path-full",
    "queueing.waiting.MUCH_STOLEN": "cpu-steal",
}
"""Constants that limit the same figure as a rule, with that rule: both have to name the same shared limit.

Kept by hand: neither a value nor a name tells that two numbers are about the same figure.
"""


def lines_of(path: Path) -> int:
    """Return how many lines a file has."""
    return len(path.read_text().splitlines())


def packages() -> Counter[str]:
    """Return the lines of each package of zmon; `zmon` are the modules that are in none."""
    lines: Counter[str] = Counter()
    for path in ZMON.rglob("*.py"):
        lines["zmon" if path.parent == ZMON else path.relative_to(ZMON).parts[0]] += lines_of(path)
    return lines


def toml_files(*folders: str) -> list[Path]:
    """Return the TOML files of folders, in the order of their names, without what zmon keeps of them."""
    paths = (path for folder in folders for path in sorted((ROOT / folder).rglob("*.toml")))
    return [path for path in paths if path.parent.name != "__pycache__"]


@cache
def document(path: Path) -> dict[str, Any]:
    """Return what a TOML file says, which nobody may change."""
    return tomllib.loads(path.read_text())


def documents(*folders: str) -> list[dict[str, Any]]:
    """Return what the TOML files of folders say."""
    return [*map(document, toml_files(*folders))]


def constants(tree: ast.Module) -> dict[str, ast.expr | None]:
    """Return the values of the constants of a module."""
    return {
        node.target.id: node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }


def limit_of(constant: str) -> str | None:
    """Return the shared limit that a constant of zmon takes; None if it is a number of its own."""
    module, _, name = constant.rpartition(".")
    value = constants(parsed(ZMON.joinpath(*module.split(".")).with_suffix(".py")))[name]
    calls = [node for node in ast.walk(value) if isinstance(node, ast.Call)] if value else []
    return next((ast.literal_eval(call.args[0]) for call in calls if ast.unparse(call.func) == "limit"), None)


def named_limits(rule: Mapping[str, Any]) -> set[str]:
    """Return the shared limits that a rule names."""
    return set(re.findall(r"[a-z]+(?:-[a-z]+)*", str([rule.get(key) for key in LIMITED])))


def limits_beside_rules() -> list[str]:
    """Return what diagnoses, checks and Python compare with by name, as often: limits, and figures, too."""
    records = map(str, documents("rules/diagnoses", "rules/checks"))
    compared = (re.findall("[<>]=? ([a-z]+(?:-[a-z]+)*)(?:'| [*])", record) for record in records)
    taken = (re.findall(r'\blimit\("([a-z-]+)"\)', path.read_text()) for path in ZMON.rglob("*.py"))
    return [name for names in (*compared, *taken) for name in names]


def columns_of(screen: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what a screen file says of its columns, itself or by their figures."""
    folder = ROOT / "figures"
    sorts = {sort: document(folder / f"{sort}.toml") for sort in screen.get("figures", ())}
    figures = {figure["name"]: figure for sort in sorts.values() for figure in sort["figure"]}
    for record in screen.get("column", ()):
        for name in [record["name"]] if isinstance(record["name"], str) else record["name"]:
            own = record.get(name, {}) if isinstance(record["name"], list) else {}
            yield {**figures.get(name, {}), **record, **own, "name": name}


def checks_as_records() -> list[str]:
    """Return the checks that compare in their cases, or in those of the places that they are on."""
    files = documents("rules/checks")
    places = {place["name"]: place["case"] for file in files for place in file.get("place", ())}

    def compares(cases: Iterable[Mapping[str, Any]]) -> bool:
        return any("when" in case or any(compares(places[on]) for on in case.get("on", ())) for case in cases)

    checks = [check for file in files for check in file.get("check", ())]
    return [check["id"] for check in checks if compares([check, *check["case"]])]


def diagnoses_as_records() -> list[str]:
    """Return the diagnoses all of whose cases compare figures of a sort of things."""
    records = [record for file in documents("rules/diagnoses") for record in file.get("diagnosis", ())]
    cases = {record["id"]: record.get("case", ()) for record in records}
    return [id_ for id_, own in cases.items() if own and all("of" in case for case in own)]


def twice() -> list[str]:
    """Return the thresholds that stand twice: in a constant, a rule or a column about the same figure."""
    rules = {rule["name"]: rule for document in documents("rules") for rule in document.get("rule", ())}
    in_constants = [
        f"{constant}: rule {rule}"
        for constant, rule in SHARED.items()
        if limit_of(constant) not in named_limits(rules[rule])
    ]
    judged = {rule["on"] for rule in rules.values() if "look" in rule}
    in_columns = [
        f"{document['table']}.{column['name']}: {key}"
        for document in documents("screens")
        for column in columns_of(document)
        if f"{document['table']}.{column['name']}" in judged
        for key in ("look", "bad")
        if isinstance(column.get(key), (int, float))
    ]
    return in_constants + in_columns


@cache
def vague_names(tree: ast.Module) -> list[str]:
    """Return the vague names of variables and arguments, each as often as it is bound; fields are none."""
    inside = nodes(tree)
    fields = {field.target for node in inside if isinstance(node, ast.ClassDef) for field in node.body
              if isinstance(field, ast.AnnAssign)}  # fmt: skip
    variables = [name for target, _ in bindings(inside) if target not in fields for name in names_in(target)]
    arguments = [node.arg for node in inside if isinstance(node, ast.arg)]
    return [name for name in (*variables, *arguments) if name in VAGUE]


def first_text(node: ast.expr) -> str | None:
    """Return a text, or the first field of a record if that is a text."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Call(args=[field, *_]) | ast.Tuple(elts=[field, *_]):
            return first_text(field)
    return None


def members(node: ast.expr | None) -> Iterator[str | None]:
    """Yield the members or keys of a collection that is written down."""
    match node:
        case ast.Dict(keys, values):
            for key, value in zip(keys, values, strict=True):
                yield from members(value) if key is None else [first_text(key)]
        case ast.Set(values) | ast.Tuple(values) | ast.List(values):
            yield from map(first_text, values)
        case ast.Call(args=[collection, *_]):
            yield from members(collection)
        case ast.DictComp(generators=[loop]) | ast.GeneratorExp(generators=[loop]):
            yield from members(loop.iter)


def lists_by_id(tree: ast.Module, ids: Collection[str]) -> list[str]:
    """Return the collections of a module all of whose members name a screen, or half of them and three.

    Where fewer do, a word means something else, as those of `TIMES` always may.
    """
    lists = []
    for name, value in constants(tree).items():
        is_id = [member in ids and member not in TIMES for member in members(value)]
        if sum(is_id) >= 2 and (all(is_id) or (sum(is_id) >= 3 and 2 * sum(is_id) >= len(is_id))):
            lists.append(name)
    return [name for name in lists if name not in REGISTRIES]


def repeated(columns: Iterable[dict[str, Any]]) -> list[str]:
    """Return the columns that state name, head and unit as another one before does."""
    stated = [(column["name"], column["head"], column.get("unit")) for column in columns if "head" in column]
    return [figure[0] for place, figure in enumerate(stated) if figure in stated[:place]]


def texts_in(tree: ast.Module) -> Iterator[str]:
    """Yield the texts of a module that are no docstrings."""
    inside = nodes(tree)
    documented = (node for node in inside if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef))
    docstrings = {
        id(node.body[0].value) for node in documented if node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in inside:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def texts_of(data: Any) -> Iterator[str]:
    """Yield the texts in what a TOML file says."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for value in data.values() if isinstance(data, dict) else data:
            yield from texts_of(value)


def phrases(text: str) -> Iterator[tuple[str, ...]]:
    """Yield each few words of a text that follow each other; what is filled in ends a row of words."""
    for part in re.split(r"[{}0-9%]+", text.lower()):
        spelled = re.findall("[a-z][a-z'-]*", part)
        yield from (tuple(spelled[at : at + PHRASE]) for at in range(len(spelled) - PHRASE + 1))


@cache
def asserting_sentences() -> tuple[str, ...]:
    """Return the test modules with a text that repeats a phrase of zmon; some are what a test reads."""
    coded = [text for tree in modules().values() for text in texts_in(tree)]
    recorded = texts_of(documents("rules", "screens", "figures"))
    spoken = {phrase for text in (*coded, *recorded) for phrase in phrases(text)}
    return tuple(
        str(path.relative_to(TESTS))
        for path in sorted(TESTS.rglob("*.py"))
        if any(phrase in spoken for text in texts_in(ast.parse(path.read_text())) for phrase in phrases(text))
    )


def measures() -> Iterator[tuple[str, int | list[str]]]:
    """Yield what is measured with its number, or with what is counted."""
    trees = modules()
    spoken = {module: wording(tree) for module, tree in trees.items()}
    screens = documents("screens", "figures")
    tables = {module: tree for module, tree in trees.items() if module.startswith("tables.")}
    shown = [screen for screen in screens if "table" in screen]
    ids = {*TABLES, *(name for screen in shown for name in (screen["id"], screen["command"].upper()))}
    columns = [column for screen in screens for column in screen.get("column", ())]
    yield "lines of zmon/tables", packages()["tables"]
    yield "modules of zmon/tables that fill no screen", [
        module for module, tree in tables.items()
        if "DEFINITIONS" not in constants(tree) and module != "tables.__init__"
    ]  # fmt: skip
    yield "decisions by wording", [f"{module}:{place}" for module in trees for place in spoken[module][0]]
    yield "sentences cut by wording", [f"{module}:{place}" for module in trees for place in spoken[module][1]]
    yield "lists by the id of a screen", [
        f"{module}.{name}"
        for module, tree in trees.items() if module.partition(".")[0] not in READERS
        for name in lists_by_id(tree, ids)
    ]  # fmt: skip
    yield "columns in screens and figures", len(columns)
    yield "columns that repeat another", repeated(columns)
    yield "thresholds that stand twice", twice()
    yield "vague names", [f"{module}: {name}" for module, tree in trees.items() for name in vague_names(tree)]
    yield "checks as records", checks_as_records()
    yield "diagnoses as records", diagnoses_as_records()
    yield "results written three times", [
        module for module, tree in trees.items() for node in nodes(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "write_format"
    ]  # fmt: skip
    yield "modules of zmon", len(trees)
    yield "lines of zmon", packages().total()
    yield "lines of screens and figures", sum(map(lines_of, toml_files("screens", "figures")))
    yield "lines of tests", sum(map(lines_of, TESTS.rglob("*.py")))
    yield "test files that assert sentences", [*asserting_sentences()]


def main(word: str = "") -> None:
    """Print the table; with a word what the lines count that have it."""
    if word:
        chosen = [counted for what, counted in measures() if word in what and isinstance(counted, list)]
        sys.stdout.writelines(f"{line}\n" for counted in chosen for line in counted)
        return
    rows = [(what, f"{now if isinstance(now, int) else len(now):,}") for what, now in measures()]
    for package, lines in sorted(packages().items()):
        what = "modules in no package" if package == "zmon" else f"zmon/{package}"
        rows.append((f"lines of {what}", f"{lines:,} of {CEILINGS.get(package, 0):,}"))
    wide = max(len(what) for what, _ in rows)
    sys.stdout.writelines(f"{what:<{wide}} | {now}\n" for what, now in [("what", "now"), *rows])


if __name__ == "__main__":
    main(*sys.argv[1:])
