"""Find where code decides by what a sentence says, or cuts one apart: there facts travel as English.

A sentence is a field such as `reason` or `claim`, a variable that is called so, and what is made of either.
"""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING, Final

from tests.syntax import nodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Node = ast.AST | None

SINGLE: Final = frozenset({
    "action", "besides", "claim", "clause", "gain", "help", "note", "problem", "reason", "sentence", "title",
    "weak", "why",
})  # fmt: skip
"""Fields that say something to people."""
SENTENCES: Final = SINGLE | {"excluded", "missing", "notes", "reasons", "sentences", "unseen"}
"""These, and fields that hold several."""
VARIABLES: Final = SENTENCES - {"action", "help", "missing", "title"}
"""What no variable is called that holds something else."""
ASKING: Final = frozenset({"count", "endswith", "find", "index", "startswith"})
MATCHING: Final = frozenset({"findall", "finditer", "fullmatch", "match", "search"})
SPLITTING: Final = frozenset({"partition", "rpartition", "rsplit", "split", "sub"})
TRIMMING: Final = frozenset({"removeprefix", "removesuffix", "replace"})


@cache
def wording(tree: ast.Module) -> tuple[list[str], list[str]]:
    """Return where a module decides by what a sentence says, and where it cuts one apart: `LINE: CODE`."""
    decisions: list[str] = []
    pieces: list[str] = []
    bodies = [node.body if isinstance(node, ast.ClassDef) else [node] for node in tree.body]
    for scope in (statement for body in bodies for statement in body):
        said, before = VARIABLES, frozenset[str]()
        inside = nodes(scope)
        bound = [*bindings(inside)]
        while said != before:
            targets = (target for target, value in bound if is_said(value, said))
            said, before = said | {name for target in targets for name in names_in(target)}, said
        for node in inside:
            for places, is_meant in ((decisions, decides), (pieces, cuts)):
                if isinstance(node, ast.expr) and is_meant(node, said):
                    places.append(f"{node.lineno}: {ast.unparse(node)}")
    return decisions, pieces


def bindings(inside: Iterable[ast.AST]) -> Iterator[tuple[ast.expr, Node]]:
    """Yield what nodes bind, and from what: a loop from what it walks through."""
    for node in inside:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                yield from zip(targets, values, strict=False)
            case ast.Assign(targets=targets, value=value):
                yield from ((target, value) for target in targets)
            case ast.AnnAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
                yield target, value
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                yield target, value
            case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
                yield target, value


def names_in(target: ast.AST) -> Iterator[str]:
    """Yield the variables that a target binds."""
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def is_said(node: Node, said: frozenset[str]) -> bool:
    """Return whether an expression is a sentence, a part of it, or several; `said` are variables that are."""
    parts: list[ast.expr] = []
    match node:
        case ast.Name(id=name):
            return name in said
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            return name in SENTENCES or (
                name == "text" and owner in {"event", "note"}
            )  # those of tokens are not
        case ast.Attribute(attr=name):
            return name in SENTENCES
        case ast.Call(ast.Attribute(attr="join"), [part]) | ast.Call(
            ast.Name("next" | "text_of"), [part, *_]
        ):
            parts = [part]
        case ast.Call(ast.Attribute(value=part)) | ast.Subscript(part) | ast.NamedExpr(value=part):
            parts = [part]
        case ast.GeneratorExp(part) | ast.ListComp(part) | ast.SetComp(part):
            parts = [part]
        case ast.BoolOp(values=values):
            parts = values
        case ast.IfExp(body=body, orelse=other):
            parts = [body, other]
    return any(is_said(part, said) for part in parts)


def is_constant(node: Node) -> bool:
    """Return whether a text is written there, or stands in a constant."""
    match node:
        case ast.Constant(value=str(text)):
            return bool(text)
        case ast.Name(id=name):
            return name.isupper()
        case ast.Attribute(value=value, attr=name):
            return name.isupper() or is_constant(value)
        case ast.Set(elts=values) | ast.Tuple(elts=values) | ast.List(elts=values):
            return all(map(is_constant, values))
    return isinstance(node, ast.JoinedStr)


def decides(node: ast.expr, said: frozenset[str]) -> bool:
    """Return whether a sentence is compared with a constant, matched, or looked up in one."""
    match node:
        case ast.Compare(left, [ast.In() | ast.NotIn() | ast.Eq() | ast.NotEq()], [right]):
            sides = (left, right), (right, left)
            return any(is_said(sentence, said) and is_constant(other) for sentence, other in sides)
        case ast.Call(ast.Attribute(value=sentence, attr=name), [wanted, *_]) if name in ASKING:
            return is_said(sentence, said) and is_constant(wanted)
        case ast.Call(ast.Attribute(attr=name), sentences) if name in MATCHING:
            return any(is_said(sentence, said) for sentence in sentences)
        case ast.Call(ast.Attribute(value=table, attr="get"), [key, *_]) | ast.Subscript(table, key):
            return is_constant(table) and is_said(key, said)
    return False


def cuts(node: ast.expr, said: frozenset[str]) -> bool:
    """Return whether a sentence is cut apart; not where it only gets a capital or loses its full stop."""
    match node:
        case ast.Call(ast.Attribute(value=sentence, attr=name), [part, *_]) if name in TRIMMING:
            is_mark = isinstance(part, ast.Constant) and not any(map(str.isalnum, str(part.value)))
            return not is_mark and (is_said(sentence, said) or is_said(part, said))
        case ast.Call(ast.Attribute(value=sentence, attr=name), [_, *_] as others) if name in SPLITTING:
            return any(is_said(text, said) for text in (sentence, *others))
        case ast.Subscript(ast.Name(id=name) | ast.Attribute(attr=name) as text, ast.Slice(lower, upper)):
            edges = [edge.value if isinstance(edge, ast.Constant) else edge for edge in (lower, upper)]
            return name in SINGLE and is_said(text, said) and edges not in ([None, 1], [1, None])
    return False
