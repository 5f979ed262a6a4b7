"""Sources as trees: tests that hold rules of the whole house ask these often, so each is made once."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
ZMON: Final = ROOT / "zmon"


@cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a module, which nobody may change."""
    return ast.parse(path.read_text(encoding="utf-8"))


def nodes(tree: ast.AST) -> list[ast.AST]:
    """Return a node with all below it, as `ast.walk` yields them; whether a name is bound or read is none."""
    reached = [tree]
    for node in reached:  # which grows meanwhile
        for field in node._fields:
            below = getattr(node, field, None)
            if isinstance(below, list):
                reached += [part for part in below if isinstance(part, ast.AST)]
            elif isinstance(below, ast.AST) and not isinstance(below, ast.expr_context):
                reached.append(below)
    return reached


@cache
def modules() -> dict[str, ast.Module]:
    """Return the syntax trees of zmon, by the names of its modules without `zmon`."""
    return {
        ".".join(path.relative_to(ZMON).with_suffix("").parts): parsed(path)
        for path in sorted(ZMON.rglob("*.py"))
    }
