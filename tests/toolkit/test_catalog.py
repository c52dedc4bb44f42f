from __future__ import annotations

from toolmend.toolkit import ToolOptions
from toolmend.toolkit.catalog import Catalog
from toolmend.toolkit.spec import compile_raw

A, B = (compile_raw(None, ToolOptions(name=name)) for name in "ab")


def test_a_catalog_never_changes() -> None:
    """Each change makes another one."""
    one = Catalog({}).adding(A)
    two = one.adding(B)
    assert (list(one), list(two), list(two.without("a"))) == (["a"], ["a", "b"], ["b"])
    assert two.replacing(A.handled_by(print))["a"].handler is print
    assert two["a"] is A
    assert (two.names, len(two), "b" in two) == (("a", "b"), 2, True)


def test_what_is_told_is_made_once() -> None:
    """And copied for each who asks, since that one may change it."""
    catalog = Catalog({"a": A})
    first = catalog.openai_tools(strict=False)
    first.clear()
    assert len(catalog.openai_tools(strict=False)) == 1
    assert catalog.instructions("json") is catalog.instructions("json")
    assert catalog.openai_tools(strict=True) != catalog.openai_tools(strict=False)
