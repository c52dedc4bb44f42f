from __future__ import annotations

import collections
import pathlib

import pytest

from toolmend.repairs.docs import all_rules, render
from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import RepairError
from toolmend.repairs.policy import DEFAULT, STRICT, RepairPolicy
from toolmend.repairs.record import Mended
from toolmend.repairs.rules.info import RuleInfo
from toolmend.repairs.rules.table import RULE_INFOS
from toolmend.repairs.schema import compile_schema
from toolmend.repairs.text.ladder import mend_text
from toolmend.repairs.values import same


def mend(info: RuleInfo, policy: RepairPolicy) -> Mended:
    """Run a rule's example."""
    mender = Mender(compile_schema(info.example_schema), rules=info.declared, policy=policy, name=info.tool)
    return mend_text(info.given, mender, complete=True) if info.layer == "text" else mender.mend(info.given)


@pytest.mark.parametrize("info", all_rules(), ids=lambda info: f"{info.layer}-{info.name}")
def test_every_example_holds(info: RuleInfo) -> None:
    """The example of a rule is mended to what it says, by that rule, with the kind that it says."""
    mended = mend(info, DEFAULT if info.kind != "lossy" else DEFAULT.allowing(info.name))
    assert same(mended.value, info.wanted)
    assert (info.name, info.kind) in {(repair.rule, repair.kind) for repair in mended.repairs}


@pytest.mark.parametrize("info", RULE_INFOS, ids=lambda info: info.name)
def test_a_policy_can_deny_every_rule(info: RuleInfo) -> None:
    """Without the rule its example is an error that names it."""
    with pytest.raises(RepairError) as caught:
        mend(info, DEFAULT.denying(info.name))
    assert info.name in {refusal.rule for refusal in caught.value.refused}


@pytest.mark.parametrize("info", RULE_INFOS, ids=lambda info: info.name)
def test_the_strict_policy_mends_nothing(info: RuleInfo) -> None:
    """Under the strict policy every example is an error that names the rule."""
    with pytest.raises(RepairError) as caught:
        mend(info, STRICT)
    assert info.name in {refusal.rule for refusal in caught.value.refused}


def test_rule_names_are_unique() -> None:
    """A name stands for one rule in each layer."""
    counts = collections.Counter((info.layer, info.name) for info in all_rules())
    assert [name for name, count in counts.items() if count > 1] == []


def test_the_page_is_current(root: pathlib.Path) -> None:
    """docs/rules.md is what the rules say (`make docs` writes it anew)."""
    page = (root / "docs" / "rules.md").read_text(encoding="utf-8")
    assert page == render(all_rules())
