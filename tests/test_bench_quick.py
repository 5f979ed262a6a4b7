"""The figures that are compared with kept ones are those that benchmarks note."""

from __future__ import annotations

import re
import tomllib

from benchmarks.quick import KEPT, MEASURED


def test_each_kept_figure_is_measured() -> None:
    """A figure that nobody measures would be kept for ever."""
    names = {name for of_one in MEASURED.values() for name in of_one}
    kinds = tomllib.loads(KEPT.read_text(encoding="utf-8"))
    assert kinds
    assert all(set(kept) == names for kept in kinds.values())
    assert all(ratio > 0 for kept in kinds.values() for ratio in kept.values())


def test_each_figure_is_noted_by_its_benchmark() -> None:
    """Under its name, or under one of which a part is filled in."""
    for benchmark, names in MEASURED.items():
        text = KEPT.with_name(f"{benchmark}.py").read_text(encoding="utf-8")
        forms = [
            re.sub(r"\\\{.*?\\\}", r"\\w+", re.escape(form)) for form in re.findall(r'note\(f?"(.*?)",', text)
        ]
        for name in names:
            assert any(re.fullmatch(form, name) for form in forms), name
