"""Keys of caches: what counts as the same."""

from __future__ import annotations

from zmon.base.same import Same, SameNames


def test_the_very_same_object_is_the_same_key() -> None:
    """One that is equal is another: to compare them would take as long as what is cached."""
    one = {"a": 1}
    assert {Same(one): "kept"}[Same(one)] == "kept"
    assert Same(one) != Same(dict(one))


def test_equal_names_in_the_same_order_are_the_same_key() -> None:
    """Each sample has a list of its own."""
    assert {SameNames(["a", "b"]): "kept"}[SameNames(["a", "b"])] == "kept"
    assert SameNames(["a", "b"]) != SameNames(["b", "a"])
    assert SameNames(["a", "b"]) != SameNames(["a", "c"])
