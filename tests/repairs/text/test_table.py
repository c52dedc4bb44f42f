from __future__ import annotations

import pathlib
import re

import pytest

import toolmend.repairs.text as package
from toolmend.repairs.engine import Mender
from toolmend.repairs.policy import DEFAULT
from toolmend.repairs.rules.info import RuleInfo
from toolmend.repairs.schema import compile_schema
from toolmend.repairs.text.ladder import mend_text
from toolmend.repairs.text.table import TEXT_RULES

RECORDED = re.compile(r'(?:record|skip|Repair|_inside|_decoded)\(\s*(?:layer, )?"([a-z-]+)"')


@pytest.mark.parametrize("rule", TEXT_RULES, ids=[rule.name for rule in TEXT_RULES])
def test_each_example_holds(rule: RuleInfo) -> None:
    """The example of a rule is mended to what it says, by that rule, which is of the kind that it says."""
    mended = mend_text(rule.given, Mender(compile_schema(rule.example_schema), name=rule.tool))
    assert mended.value == rule.wanted
    assert {repair.kind for repair in mended.repairs if repair.rule == rule.name} == {rule.kind}


@pytest.mark.parametrize("rule", TEXT_RULES, ids=[rule.name for rule in TEXT_RULES])
def test_each_rule_can_be_denied(rule: RuleInfo) -> None:
    """A policy that denies a rule by name makes its example an error."""
    mender = Mender(compile_schema(rule.example_schema), policy=DEFAULT.denying(rule.name), name=rule.tool)
    with pytest.raises(Exception, match=r"not allowed|ambiguous|read in more"):
        mend_text(rule.given, mender)


def test_every_record_has_a_rule_in_the_table() -> None:
    """What the readers write into records is named in the table, each name once."""
    sources = [path for path in pathlib.Path(package.__file__).parent.glob("*.py") if path.name != "python.py"]
    written = {name for path in sources for name in RECORDED.findall(path.read_text(encoding="utf-8"))}
    names = [rule.name for rule in TEXT_RULES]
    assert len(names) == len(set(names))
    assert written <= {*names}
