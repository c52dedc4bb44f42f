"""The markers that are ordinary text, tags for the most part: a new format is one row."""

from __future__ import annotations

from typing import Final

from toolmend.toolkit.extract import readers
from toolmend.toolkit.extract.candidate import Evidence
from toolmend.toolkit.extract.ends import SUFFIX
from toolmend.toolkit.extract.marker import LONGEST_ATTRIBUTES, NAME, SECTION, Example, Marker
from toolmend.toolkit.extract.readers import any_body, named

__all__ = ("TAGS",)

_SPACED: Final = r"\s{0,4}"

TAGS: Final[tuple[Marker, ...]] = (
    Marker(
        "hermes",
        rf"<(?:longcat_)?(?i:tool[_-]call){SUFFIX}(?:\s(?!\s?name\s?=)[^<>\n]{{0,80}})?>",
        Evidence.TAG,
        any_body,
        (
            Example(
                "Hermes, Qwen2.5, Qwen3, QwQ, Trinity, Ling, Granite 4, ERNIE 4.5",
                '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>',
            ),
            Example(
                "GLM-4.5 to 5, Ling 3, Spark, Laguna",
                "<tool_call>add\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>",
            ),
            Example(
                "LongCat",
                "<longcat_tool_call>add\n<longcat_arg_key>a</longcat_arg_key>\n"
                "<longcat_arg_value>1</longcat_arg_value>\n</longcat_tool_call>",
            ),
            Example("Granite 3.1", '<tool_call>[{"name": "add", "arguments": {"a": 1}}]'),
            Example(
                "Hunyuan 3 and 4",
                "<tool_call:opensource>add<tool_sep:opensource>\n<arg_key:opensource>a</arg_key:opensource>\n"
                "<arg_value:opensource>1</arg_value:opensource>\n</tool_call:opensource>",
            ),
        ),
    ),
    Marker(
        "hermes",
        rf"<(?i:(?:tool|function)[_-]call|tool[_-]use)\s{{1,4}}name\s?=\s?{NAME}[^<>\n]{{0,{LONGEST_ATTRIBUTES}}}>",
        Evidence.TAG,
        named,
        (Example("prompted models, the name in the tag", '<tool_call name="add">{"a": 1}</tool_call>'),),
    ),
    Marker(
        "function-tag",
        rf"<function{_SPACED}(?:=|\sname=|\s){_SPACED}{NAME}"
        rf"(?:\s{{1,4}}[\w.:-]{{1,40}}\s?=[^<>\n]{{0,{LONGEST_ATTRIBUTES}}}|{_SPACED})>",
        Evidence.TAG,
        named,
        (
            Example(
                "Qwen3-Coder, Qwen3.5, Nemotron 3, MiMo, Nanbeige",
                "<tool_call>\n<function=add>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>",
            ),
            Example("Functionary 3.1", '<function=add>{"a": 1}</function>'),
            Example(
                "Step 3.5", "<tool_call>\n<function add>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>"
            ),
            Example("MiniCPM-5", '<function name="add"><param name="a">1</param></function>'),
        ),
    ),
    Marker(
        "tool-calls-tag",
        rf"<(?i:tool[_-]calls){SUFFIX}>",
        Evidence.TAG,
        any_body,
        (
            Example("Jamba", '<tool_calls>[\n {"name": "add", "arguments": {"a": 1}}\n]</tool_calls>'),
            Example("MiniMax M1", '<tool_calls>\n{"name": "add", "arguments": {"a": 1}}\n</tool_calls>'),
        ),
    ),
    Marker(
        SECTION,
        rf"<answer>{_SPACED}(?=<tool_calls)",
        Evidence.TAG,
        None,
        (
            Example(
                "Hunyuan A13B", '<answer><tool_calls>[{"name": "add", "arguments": {"a": 1}}]</tool_calls></answer>'
            ),
        ),
    ),
    Marker(
        "function-call-tag",
        r"<function_call>",
        Evidence.TAG,
        any_body,
        (Example("Granite 20B", '<function_call> {"name": "add", "arguments": {"a": 1}}'),),
    ),
    Marker(
        "tool-use-tag",
        r"<tool_use>",
        Evidence.TAG,
        any_body,
        (Example("prompted models", '<tool_use>{"name": "add", "input": {"a": 1}}</tool_use>'),),
    ),
    Marker(
        "toolcall-tag",
        r"<(?i:toolcall)>",
        Evidence.TAG,
        any_body,
        (Example("Nemotron Nano 2", '<TOOLCALL>[{"name": "add", "arguments": {"a": 1}}]</TOOLCALL>'),),
    ),
    Marker(
        "functools",
        r"functools\s?(?=\[)",
        Evidence.TAG,
        any_body,
        (Example("Phi-4-mini, FireFunction 2", 'functools[{"name": "add", "arguments": {"a": 1}}]'),),
        starts=("functools",),
    ),
    Marker(
        "invoke",
        rf"<(?:[A-Za-z][\w.-]{{0,30}}:)?invoke\s{{1,4}}name\s?=\s?{NAME}[^<>\n]{{0,{LONGEST_ATTRIBUTES}}}>",
        Evidence.TAG,
        named,
        (
            Example("Claude", '<invoke name="add">\n<parameter name="a">1</parameter>\n</invoke>'),
            Example(
                "Muse",
                '<atem:function_calls>\n<atem:invoke name="add">\n<atem:parameter name="a">1</atem:parameter>\n'
                "</atem:invoke>\n</atem:function_calls>",
            ),
            Example(
                "Step 3",
                "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>"
                '<steptml:invoke name="add"><steptml:parameter name="a">1</steptml:parameter></steptml:invoke>'
                "<｜tool_call_end｜><｜tool_calls_end｜>",
            ),
        ),
    ),
    Marker(
        "invoke-legacy",
        rf"<invoke>\s{{0,9}}<tool_name>\s{{0,9}}{NAME}\s{{0,9}}</tool_name>\s{{0,9}}<parameters>",
        Evidence.TAG,
        readers.legacy_invoke,
        (Example("Claude 2", "<invoke><tool_name>add</tool_name><parameters><a>1</a></parameters></invoke>"),),
    ),
    Marker(
        SECTION,
        r"<(?:[A-Za-z]\w{0,12}:|dots_)?function_calls?>",
        Evidence.TAG,
        any_body,
        (
            Example(
                "Claude",
                '<function_calls>\n<invoke name="add">\n<parameter name="a">1</parameter>\n</invoke>\n'
                "</function_calls>",
            ),
            Example(
                "dots.llm",
                '<dots_function_call>\n<invoke name="add">\n<parameter name="a">1</parameter>\n</invoke>\n'
                "</dots_function_call>",
            ),
        ),
    ),
    Marker(
        "kimi",
        r"(?P<name>functions\.[\w.-]{1,200}:\d{1,6})\s{0,4}(?=\{)",
        Evidence.TAG,
        named,
        (Example("Kimi K2 without its tokens", 'functions.add:0{"a": 1}'),),
        starts=("functions.",),
    ),
    Marker(
        "harmony",
        rf"commentary to=(?P<name>[\w.:-]{{1,200}}){_SPACED}(?:json|code)?{_SPACED}(?=\{{)",
        Evidence.TAG,
        readers.stripped_message,
        (Example("gpt-oss without its tokens", 'assistantcommentary to=functions.add json{"a": 1}'),),
        starts=("commentary to=",),
        in_front=readers.ROLE,
    ),
    Marker(SECTION, r">>>all[ \t\r]*\n", Evidence.SHAPE, None, (), starts=(">>>",)),
    Marker(
        "functionary",
        rf">>>(?P<name>[\w.-]{{1,200}})[ \t\r]*\n{_SPACED}(?=\{{)",
        Evidence.SHAPE,
        readers.recipient,
        (Example("Functionary 3.2", '>>>add\n{"a": 1}'),),
        starts=(">>>",),
    ),
)
"""The rows, those first that would else be taken for another one."""
