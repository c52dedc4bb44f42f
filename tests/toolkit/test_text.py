from __future__ import annotations

import json
from typing import Any, Final

import pytest
from inline_snapshot import snapshot

from toolmend.repairs.policy import STRICT
from toolmend.toolkit import Evidence, ParseResult, ToolRegistry

CLICK: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"selector": {"type": "string"}, "count": {"type": "integer"}},
    "required": ["selector"],
    "additionalProperties": False,
}
NOTHING: Final[dict[str, Any]] = {"type": "object", "properties": {}}
ENVELOPE: Final = '{"name": "click", "arguments": {"selector": "#go"}}'
TAGGED: Final = f"<tool_call>\n{ENVELOPE}\n</tool_call>"
PARALLEL: Final = (
    '{"name": "multi_tool_use.parallel", "arguments": {"tool_uses": [{"recipient_name": "functions.click", '
    '"parameters": {"selector": "#go"}}]}}'
)
GO: Final = [("click", {"selector": "#go"})]


def registry(**tools: dict[str, Any]) -> ToolRegistry:
    """A registry of raw tools, `click` and `ping` among them."""
    made = ToolRegistry()
    everything: dict[str, dict[str, Any]] = {"click": CLICK, "ping": NOTHING, **tools}
    for name, parameters in everything.items():
        made.add_schema(name, "", parameters)
    return made


def calls(result: ParseResult) -> list[tuple[str, dict[str, Any]]]:
    """Names and arguments of the calls."""
    return [(call.name, call.arguments) for call in result.calls]


def kinds(result: ParseResult) -> list[str]:
    """Kinds of the errors."""
    return [error.kind for error in result.errors]


# ---------------------------------------------------------------------- what a result holds


def test_calls_keep_their_order_place_and_prose() -> None:
    """Calls come in order with span, raw text and form; the prose around them is kept, without markers."""
    text = f'First this.\n{TAGGED}\nThen that:\n{{"name": "ping", "arguments": {{}}}}\nDone.'
    result = registry().parse_text(text)
    assert calls(result) == [*GO, ("ping", {})]
    assert [call.format for call in result.calls] == ["hermes", "json"]
    for call in result.calls:
        assert call.span is not None
        assert text[slice(*call.span)] == call.raw
    assert result.text == "First this.\nThen that:\nDone."


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        (ENVELOPE, Evidence.SHAPE),
        (TAGGED, Evidence.TAG),
        (f"[TOOL_CALLS] [{ENVELOPE}]", Evidence.SPECIAL_TOKEN),
        ('<tool_call>{"name": "click", "arguments": {}}</tool_call>', Evidence.TAG),
        ('{"name": "unknown", "arguments": {}}', Evidence.SHAPE),
    ],
)
def test_a_call_and_an_error_tell_what_showed_that_one_was_meant(text: str, evidence: Evidence) -> None:
    """The class of evidence stands beside the format, the place and the raw text."""
    (item,) = registry().parse_text(text).items
    assert item.evidence is evidence
    assert item.span == (0, len(text))
    assert item.raw == text


def test_prose_without_calls_comes_back_untouched() -> None:
    """A message that holds no call is its own text, blanks included."""
    text = "  A plain answer, with {braces}, [brackets] and `click`.\n\n"
    result = registry().parse_text(text)
    assert (result.items, result.text) == ((), text)


def test_a_clean_call_leaves_no_record() -> None:
    """A call that is written as its format wants it has no repairs."""
    [call] = registry().parse_text(TAGGED).calls
    assert call.repairs == ()


def test_what_was_changed_is_on_record() -> None:
    """Name, envelope and arguments leave their records, in this order."""
    [call] = registry().parse_text("{'name': 'functions.click', 'arguments': {'selector': '#go', 'count': '2'}}").calls
    rules = [repair.rule for repair in call.repairs]
    assert rules[0] == "tool-name"
    assert "quote-style" in rules
    assert call.repairs[-1].path == ("count",)
    assert call.arguments == {"selector": "#go", "count": 2}


def test_a_strict_policy_mends_nothing() -> None:
    """Where nothing may be mended, a call that needs it is an error that says so, and a clean one runs."""
    strict = ToolRegistry(policy=STRICT)
    strict.add_schema("click", "", CLICK)
    assert calls(strict.parse_text(TAGGED)) == GO
    result = strict.parse_text("{'name': 'click', 'arguments': {'selector': '#go'}}")
    assert (calls(result), kinds(result)) == ([], ["not_json"])
    assert kinds(strict.parse_text('<tool_call>{"name": "Click", "arguments": {"selector": "#go"}}</tool_call>')) == [
        "not_json"
    ]


# ---------------------------------------------------------------------- where no call is read


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{TAGGED}</think>No call is needed.",
        f"<think>\n{ENVELOPE}\n</think>\nNo call is needed.",
        f"I could send {TAGGED}, but no.\n</think>\nNo call is needed.",
        f"[THINK]{TAGGED}[/THINK]No.",
        f"<|START_THINKING|>{TAGGED}<|END_THINKING|>No.",
        f"<think>\n{ENVELOPE}",
        f"Say `{ENVELOPE}` to click.",
        f"Say `` {ENVELOPE} `` to click.",
        f"Say `{TAGGED}` to click.",
        "Say `click(selector='#go')` to click.",
        f"> {ENVELOPE}\n> ".replace("\n", "\n> ") + TAGGED.replace("\n", "\n> "),
        f"The log says:\n\n> {ENVELOPE}\n\nand stops.",
        f"For example:\n```json\n{ENVELOPE}\n```\nShall I?",
        f"For example:\n```\n{TAGGED}\n```\nShall I?",
        f"For example:\n~~~json\n{ENVELOPE}\n~~~\nShall I?",
        f"````\n```json\n{ENVELOPE}\n```\n````\nThat is how.",
        f"Inline fence ```json\n\n{ENVELOPE}\n\n``` in a line.",
        f"Example:\n\n    {ENVELOPE}\n\nThat is how.",
        f"```python\npayload = {ENVELOPE}\nsend(payload)\n```",
        f"Docs: {ENVELOPE} is a call.",
        f"{ENVELOPE} is a call.",
        'The model wrote "<tool_call>' + ENVELOPE + '</tool_call>" and stopped.',
        "He said:\n\"click(selector='#go')\"\nand left.",
        "def main():\n    click(selector='#go')\n",
        "import shop\n\nclick(selector='#go')\n",
        "const calls = [\n" + ENVELOPE + "\n];",
        "x = [\n" + ENVELOPE + ",\n]",
        f"<response>\n{TAGGED}\n</response>",
        f"<|channel|>final<|message|>{ENVELOPE}<|return|>",
        f"<|channel|>commentary<|message|>{TAGGED}<|end|>",
        f"<|channel|>analysis<|message|>{TAGGED}<|end|>",
        '{"selector": "#go"}',
        '{"name": "Ann", "height": 170}',
        '{"request": "refund", "order": 5}',
        "[max(1, 2), min(3)] is a list.",
        "Use the <tool_call> tag to call a tool.",
        "Use the <function name> placeholder.",
        "<click>here</click>",
        '{"tool_calls": []}',
        "[]",
        "Action: click the button\nAction Input: none of your business\n",
    ],
)
def test_prose_quotes_code_and_reasoning_hold_no_call(text: str) -> None:
    """No call and no error comes out of what is quoted, shown, thought, addressed to the user, or data."""
    result = registry().parse_text(text)
    assert (calls(result), kinds(result)) == ([], [])


@pytest.mark.parametrize("name", ["None", "directly-answer"])
def test_words_for_no_tool_are_prose(name: str) -> None:
    """The names that mean that nothing is called are neither a call nor an error, behind a marker too."""
    text = f'<tool_call>{{"name": "{name}", "arguments": {{}}}}</tool_call>'
    assert registry().parse_text(text).items == ()


# ---------------------------------------------------------------------- where calls are read


@pytest.mark.parametrize(
    "text",
    [
        TAGGED,
        ENVELOPE,
        f"  {ENVELOPE}  \n",
        f"\ufeff{ENVELOPE}",
        f"Pressing.\r\n{ENVELOPE}\r\nDone.",
        f"<think>Hm, `{ENVELOPE}`.</think>{ENVELOPE}",
        f"<think>Let me see.\n{TAGGED}",
        f"done thinking</think>\n{TAGGED}",
        f"```json\n{ENVELOPE}\n```",
        f"```json\r\n{ENVELOPE}\r\n```\r\n",
        f"Like this:\n```\n{ENVELOPE}",
        f"```python\n{{'a': 1}}\n```\nNow:\n```json\n{ENVELOPE}\n```",
        f"<|im_start|>assistant\n{ENVELOPE}<|im_end|>",
        f"{ENVELOPE}</tool_call>",
        f"Action: {ENVELOPE}",
        f"**Tool call:**\n{ENVELOPE}",
        f"[{ENVELOPE}]",
        f"[{ENVELOPE}",
        f"{ENVELOPE}}}",
        '{"tool_call": ' + ENVELOPE + "}",
        '{"function_call": {"name": "click", "arguments": "{\\"selector\\": \\"#go\\"}"}}',
        '{"request": "click", "selector": "#go"}',
        '{"type": "tool_use", "id": "t1", "name": "click", "selector": "#go"}',
        "{request: click, selector: '#go'}",
        "[click(selector='#go')]",
        "click(selector='#go')",
        "click('#go')  # press it",
        "click({'selector': '#go'})",
        "print(click(selector='#go'))",
        "result = click(selector='#go')",
        "await click(selector='#go')",
        "[\"click(selector='#go')\"]",
        "['click(selector='#go')']",
        "\"click(selector='#go')\"",
        "'click'(selector='#go')",
        "[click(selector='#go')\n\nThis presses it.",
        "```tool_code\nprint(default_api.click(selector='#go'))\n```",
        "<tool_call>click\n<arg_key>selector</arg_key>\n<arg_value>#go</arg_value>\n</tool_call>",
        "<function=click><parameter=selector>#go</parameter></function>",
        "<click>\n<selector>#go</selector>\n</click>",
        'Action: click\nAction Input: {"selector": "#go"}\nObservation: it was pressed\nFinal Answer: done',
        "Action: click\nAction Input: #go\nObservation: pressed",
        PARALLEL,
    ],
)
def test_the_forms_of_a_call_are_one_call(text: str) -> None:
    """However it is written, the call is the same, and nothing is reported beside it."""
    result = registry().parse_text(text)
    assert (calls(result), kinds(result)) == (GO, [])


def test_markdown_escapes_in_call_syntax_are_taken_off() -> None:
    """A model that escapes underscores for Markdown calls the same tool with the same parameters."""
    tools = registry(
        get_page={"type": "object", "properties": {"page_no": {"type": "integer"}, "lang": {"type": "string"}}}
    )
    result = tools.parse_text("[get\\_page(page\\_no=3, lang='en\\_GB')]")
    assert calls(result) == [("get_page", {"page_no": 3, "lang": "en_GB"})]


def test_several_calls_on_lines_or_one_line_are_several() -> None:
    """Calls one after the other keep their order, whether commas, semicolons or lines part them."""
    one, other = ENVELOPE, '{"name": "ping", "arguments": {}}'
    for text in (
        f"{one}\n{other}",
        f"{one}; {other}",
        f"[{one}, {other}]",
        f"<tool_calls>\n{one}\n{other}\n</tool_calls>",
    ):
        assert calls(registry().parse_text(text)) == [*GO, ("ping", {})]
    assert calls(registry().parse_text("click('#go')\nping()")) == [*GO, ("ping", {})]
    assert calls(registry().parse_text("[click('#go'), ping()]")) == [*GO, ("ping", {})]


def test_calls_beside_each_other_do_not_look_like_code() -> None:
    """Pretty-printed objects one under the other are calls, each of them."""
    pretty = json.dumps(json.loads(ENVELOPE), indent=2)
    for text in (
        f"{ENVELOPE}\n{pretty}\n{ENVELOPE}",
        f"{pretty}\n{pretty}\n{pretty}",
        f"{pretty}\n\n{pretty}\n\n{pretty}",
    ):
        assert calls(registry().parse_text(text)) == GO * 3
    assert calls(registry().parse_text("click('#go');\nclick('#go');\nclick('#go');")) == GO * 3


def test_closing_tags_inside_strings_end_nothing() -> None:
    """A call ends where its value ends, whatever stands in its strings."""
    nasty = 'a </tool_call> "b" </parameter> ``` <tool_call> {"name": "ping", "arguments": {}}'
    text = "<tool_call>" + json.dumps({"name": "click", "arguments": {"selector": nasty}}) + "</tool_call>"
    assert calls(registry().parse_text(text)) == [("click", {"selector": nasty})]


# ---------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('<tool_call>{"name": "klick", "arguments": {}}</tool_call>', "unknown_tool"),
        ('{"name": "klick", "arguments": {}}', "unknown_tool"),
        ("[klick(selector='#go')]", "unknown_tool"),
        ("[klick(selector='#go'), ping()]", "unknown_tool"),
        ('<tool_call>{"selector": "#go"}</tool_call>', "no_tool_name"),
        ("<tool_call>", "cut_off"),
        ('<tool_call>{"name": "click", "arguments": {"selector": "#g', "cut_off"),
        ('{"name": "click", "arguments": {"selector": "#g', "cut_off"),
        ('<tool_call>{"name": "click", "arguments": {"selector": "#go"', "cut_off"),
        ('{"request": "click", "selector": "#go"', "cut_off"),
        ("<function=click><parameter=selector>#g", "cut_off"),
        ("<function=click><parameter=selector>#go</parameter>", "cut_off"),
        ("click(selector='#g", "cut_off"),
        ("Action: click\nAction Input: #go", "cut_off"),
        ('{"name": "click", "arguments": {}}', "invalid_arguments"),
        ('{"name": "click", "arguments": {"selector": "#go"}, "dry_run": true}', "invalid_arguments"),
        ("click(selector=button)", "not_json"),
        ("click(selector=find('#go'))", "not_json"),
        ("click('#go', count=1/2)", "not_json"),
        ("click('#go') + ping()", "not_json"),
        ("[click('#go')][0]", "not_json"),
        ("[click('#go') | click('#no')]", "not_json"),
        ('[{"name": "click", "arguments": {"selector": "#go"}}, ...]', "not_json"),
        ('{"request": "click", "tool": "ping", "selector": "#go"}', "ambiguous"),
        ("<function=click><parameter=selector>#a</parameter><parameter=selector>#b</parameter></function>", "not_json"),
        ("<function=click><parameter=selector>#a</parameter> and more</function>", "cut_off"),
        ("<function=click><parameter=selector>#a</parameter>x<parameter=count>1</parameter></function>", "ambiguous"),
    ],
)
def test_an_attempt_that_cannot_run_is_an_error(text: str, kind: str) -> None:
    """What was meant as a call and cannot be one is told, never dropped and never run in part."""
    result = registry().parse_text(text)
    assert ([name for name, _ in calls(result) if name != "ping"], kinds(result)) == ([], [kind])


def test_an_error_for_the_model_names_what_it_can_call() -> None:
    """The text of an error can be acted on."""
    [error] = registry().parse_text('<tool_call>{"name": "clck", "arguments": {}}</tool_call>').errors
    assert error.message == snapshot(
        """\
There is no tool named 'clck'. Nothing was run.
The tools are: click, ping.
If you meant 'click', send the call again with that name.\
"""
    )


@pytest.mark.parametrize(
    ("finish_reason", "expected"),
    [(None, ([], ["cut_off"])), ("length", ([], ["cut_off"])), ("stop", (GO, []))],
)
def test_open_objects_are_closed_only_if_the_model_stopped(
    finish_reason: str | None, expected: tuple[list[Any], list[str]]
) -> None:
    """An object that may have gone on with an optional member is closed only if the model ended by itself."""
    result = registry().parse_text(TAGGED.removesuffix("}}\n</tool_call>"), finish_reason=finish_reason)
    assert (calls(result), kinds(result)) == expected


def test_an_outer_brace_may_be_missing_behind_complete_arguments() -> None:
    """Only the envelope is open: nothing of the arguments can be missing."""
    assert calls(registry().parse_text("<tool_call>" + ENVELOPE[:-1])) == GO


def test_what_follows_a_broken_call_is_part_of_it() -> None:
    """Behind a string whose end is not known nothing is run, as it may be the string's own text."""
    text = '{"request": "click", "selector": "a" b, c\n' + TAGGED + "\nping()\n"
    result = registry().parse_text(text)
    assert calls(result) == []
    assert len(result.errors) == 1


# ---------------------------------------------------------------------- invented results


@pytest.mark.parametrize(
    "invented",
    [
        "Observation: it was pressed\nAction: ping\nAction Input: {}",
        '<tool_response>pressed</tool_response>\n<tool_call>{"name": "ping", "arguments": {}}</tool_call>',
        "<|im_start|>user\nAnd now?\n" + '{"name": "ping", "arguments": {}}',
        "[TOOL_RESULTS] pressed",
        "✿RESULT✿: pressed\n✿FUNCTION✿: ping\n✿ARGS✿: {}",
    ],
)
def test_a_result_that_the_model_invented_cuts_off_the_rest(invented: str) -> None:
    """No call is read behind it, none of it is text, and it is on record."""
    result = registry().parse_text(f"Pressing.\n{TAGGED}\n{invented}")
    assert (calls(result), kinds(result), result.text) == (GO, [], "Pressing.")
    assert [repair.rule for repair in result.repairs] == ["invented-result"]


def test_an_observation_without_a_call_is_prose() -> None:
    """Only behind a call is it a result."""
    text = "Observation: the sky is blue.\n" + ENVELOPE
    result = registry().parse_text(text)
    assert (calls(result), result.text) == (GO, "Observation: the sky is blue.")


# ---------------------------------------------------------------------- options


@pytest.mark.parametrize("text", ['{"request": "klick", "selector": "#go"}', '{"name": "klick", "selector": "#go"}'])
def test_the_form_that_was_asked_for_counts_as_a_marker(text: str) -> None:
    """In a conversation whose instructions asked for JSON, an object with an unknown name is an error; else data."""
    assert registry().parse_text(text).items == ()
    assert kinds(registry().parse_text(text, dialect="json")) == ["unknown_tool"]


def test_a_missing_name_is_inferred_only_if_asked() -> None:
    """Arguments alone are data; with the option they go to the one tool that they fit, on record."""
    inferring = ToolRegistry(infer_tool_name=True)
    inferring.add_schema("click", "", CLICK)
    inferring.add_schema("ping", "", NOTHING)
    text = '{"selector": "#go"}'
    assert registry().parse_text(text).items == ()
    [call] = inferring.parse_text(text).calls
    assert (call.name, [repair.rule for repair in call.repairs]) == ("click", ["inferred-tool-name"])
    assert inferring.parse_text('{"selector": "#go", "dry_run": true}').items == ()
    assert inferring.parse_text("{}").items == ()
    inferring.add_schema("tap", "", CLICK)
    assert inferring.parse_text(text).items == ()


def test_a_tool_may_have_parameters_named_like_the_envelope() -> None:
    """Which key is the name and which the arguments is told by the tool that is named."""
    tools = registry(
        run={"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]},
        add_user={"type": "object", "properties": {"name": {"type": "string"}, "id": {"type": "string"}}},
        make={"type": "object", "properties": {"label": {"type": "string"}, "function": {"type": "object"}}},
    )
    for text, expected in (
        ('{"name": "run", "input": "ls"}', ("run", {"input": "ls"})),
        ('{"name": "run", "arguments": {"input": "ls"}}', ("run", {"input": "ls"})),
        ('{"request": "add_user", "name": "bob", "id": "7"}', ("add_user", {"name": "bob", "id": "7"})),
        ('{"request": "add_user", "name": "click"}', ("add_user", {"name": "click"})),
        (
            '{"request": "make", "label": "x", "function": {"name": "f"}}',
            ("make", {"label": "x", "function": {"name": "f"}}),
        ),
    ):
        assert calls(tools.parse_text(text)) == [expected]


def test_a_registry_without_tools_calls_nothing() -> None:
    """Envelopes are errors even then, and prose is prose."""
    empty = ToolRegistry()
    assert empty.parse_text("Hello {there}.").items == ()
    assert kinds(empty.parse_text(TAGGED)) == ["unknown_tool"]


@pytest.mark.parametrize(
    "shown",
    [ENVELOPE, f"before\n{ENVELOPE}\nafter", 'click(selector="#go")', f"```json\n{ENVELOPE}\n```"],
    ids=["object", "own line", "call", "fence"],
)
def test_arguments_of_a_call_that_cannot_be_read_are_never_calls(shown: str) -> None:
    """Where a marked call is torn, what looks like a call behind it may be a piece of its arguments."""
    text = (
        '<invoke name="put_text">\n<parameter name="tags">["<parameter=count>"]</parameter>\n'
        f'<parameter name="text">\n{shown}\n</parameter>\n</invoke>'
    )
    put_text = {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "count": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["text"],
    }
    result = registry(put_text=put_text).parse_text(text)
    assert all(call.name == "put_text" for call in result.calls)
    assert result.calls or result.errors
