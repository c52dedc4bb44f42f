"""The markers that are special tokens, which nobody writes by accident: a new format is one row."""

from __future__ import annotations

from typing import Final

from toolmend.toolkit.extract import readers
from toolmend.toolkit.extract.candidate import Evidence
from toolmend.toolkit.extract.ends import BAR, DSML
from toolmend.toolkit.extract.marker import NAME, SECTION, Example, Marker
from toolmend.toolkit.extract.nested import TOKEN
from toolmend.toolkit.extract.readers import any_body

__all__ = ("SPECIAL_TOKENS",)

_GAP: Final = "[▁_ ]"
_SPACED: Final = r"\s{0,4}"

SPECIAL_TOKENS: Final[tuple[Marker, ...]] = (
    Marker(
        SECTION,
        r"<(?:seed|minimax):tool_call>",
        Evidence.SPECIAL_TOKEN,
        any_body,
        (
            Example(
                "Seed-OSS",
                "<seed:tool_call>\n<function=add>\n<parameter=a>1</parameter>\n</function>\n</seed:tool_call>",
            ),
            Example(
                "MiniMax M2",
                '<minimax:tool_call>\n<invoke name="add">\n<parameter name="a">1</parameter>\n</invoke>\n'
                "</minimax:tool_call>",
            ),
        ),
    ),
    Marker(
        "minimax-m3",
        rf"{TOKEN}<invoke\s{{1,4}}name\s?=\s?{NAME}>",
        Evidence.SPECIAL_TOKEN,
        readers.nested,
        (
            Example(
                "MiniMax M3",
                ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="add">]<]minimax[>[<a>1]<]minimax[>[</a>'
                "]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>",
            ),
        ),
        starts=("]<]",),
    ),
    Marker(SECTION, rf"{TOKEN}<tool_call>", Evidence.SPECIAL_TOKEN, None, (), starts=("]<]",)),
    Marker(
        "mistral",
        r"\[TOOL_CALLS?\]",
        Evidence.SPECIAL_TOKEN,
        any_body,
        (
            Example("Mistral Small 3, Devstral, Magistral, Ministral 3", '[TOOL_CALLS]add[ARGS]{"a": 1}'),
            Example("Mistral Small 3.2", '[TOOL_CALLS]add[CALL_ID]x1y2z3a4b[ARGS]{"a": 1}'),
            Example(
                "Mistral 7B, Nemo, Large 2, Apriel",
                '[TOOL_CALLS] [{"name": "add", "arguments": {"a": 1}, "id": "a1b2c3d4e"}]',
            ),
        ),
        starts=("[TOOL_CALL",),
    ),
    Marker(
        "mistral",
        r"\[ARGS\]",
        Evidence.SPECIAL_TOKEN,
        readers.name_in_front,
        (Example("Mistral Small 3 without its first token", 'add[ARGS]{"a": 1}'),),
        starts=("[ARGS]",),
        in_front=readers.NAME_IN_FRONT,
    ),
    Marker(
        SECTION,
        rf"<{BAR}tool{_GAP}(?:calls|calls?{_GAP}section){_GAP}begin{BAR}>",
        Evidence.SPECIAL_TOKEN,
        None,
        (),
    ),
    Marker(
        "deepseek",
        rf"<{BAR}tool{_GAP}call{_GAP}begin{BAR}>(?:{_SPACED}function{_SPACED}<{BAR}tool{_GAP}sep{BAR}>{_SPACED}(?=<))?",
        Evidence.SPECIAL_TOKEN,
        any_body,
        (
            Example(
                "DeepSeek V3, R1-0528",
                "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add\n"
                '```json\n{"a": 1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
            ),
            Example(
                "DeepSeek V3.1",
                '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>add<｜tool▁sep｜>{"a": 1}<｜tool▁call▁end｜>'
                "<｜tool▁calls▁end｜>",
            ),
            Example(
                "Kimi K2",
                "<|tool_calls_section_begin|><|tool_call_begin|>functions.add:0<|tool_call_argument_begin|>"
                '{"a": 1}<|tool_call_end|><|tool_calls_section_end|>',
            ),
        ),
    ),
    Marker(
        "deepseek",
        rf"<{BAR}tool{_GAP}sep{BAR}>",
        Evidence.SPECIAL_TOKEN,
        readers.separated,
        (Example("DeepSeek without its first token", 'add<｜tool▁sep｜>{"a": 1}<｜tool▁call▁end｜>'),),
        in_front=readers.NAME_IN_FRONT,
    ),
    Marker(
        "kimi",
        rf"<{BAR}tool{_GAP}call{_GAP}argument{_GAP}begin{BAR}>",
        Evidence.SPECIAL_TOKEN,
        readers.name_in_front,
        (
            Example(
                "Kimi K2 without its first token",
                'functions.add:0<|tool_call_argument_begin|>{"a": 1}<|tool_call_end|>',
            ),
        ),
        in_front=readers.NAME_IN_FRONT,
    ),
    Marker(
        "dsml",
        rf"<{DSML}invoke\s{{1,4}}name\s?=\s?{NAME}[^<>\n]{{0,80}}>",
        Evidence.SPECIAL_TOKEN,
        readers.dsml,
        (
            Example(
                "DeepSeek V3.2",
                '<｜DSML｜function_calls><｜DSML｜invoke name="add"><｜DSML｜parameter name="a" string="false">1'
                "</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>",
            ),
            Example(
                "DeepSeek V4",
                '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="add">\n<｜DSML｜parameter name="a" string="false">1'
                "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
            ),
            Example(
                "DeepSeek V4.1",
                '<｜DSML｜ calls><｜DSML｜ invoke name="add"><｜DSML｜ parameter name="a" string="false">1'
                "</｜DSML｜ parameter></｜DSML｜ invoke></｜DSML｜ calls>",
            ),
            Example(
                "GigaChat 3.5",
                '<｜GCML｜function_calls><｜GCML｜invoke name="add"><｜GCML｜parameter name="a" string="false">1'
                "</｜GCML｜parameter></｜GCML｜invoke></｜GCML｜function_calls>",
            ),
        ),
    ),
    Marker(SECTION, rf"<{DSML}\w{{1,30}}\s?>", Evidence.SPECIAL_TOKEN, None, ()),
    Marker(
        "kimi-k3",
        rf"<\|open\|>call\s{{1,4}}tool={NAME}[^<>|\n]{{0,80}}<\|sep\|>",
        Evidence.SPECIAL_TOKEN,
        readers.xtml,
        (
            Example(
                "Kimi K3",
                '<|open|>tools<|sep|><|open|>call tool="add" index="1"<|sep|><|open|>argument key="a" type="number"'
                "<|sep|>1<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>",
            ),
        ),
    ),
    Marker(SECTION, r"<\|open\|>tools<\|sep\|>", Evidence.SPECIAL_TOKEN, None, ()),
    Marker(
        "llama-tag",
        r"<\|python_(?:tag|start)\|>",
        Evidence.SPECIAL_TOKEN,
        any_body,
        (
            Example("Llama 3.1 to 3.3", '<|python_tag|>{"name": "add", "parameters": {"a": 1}}'),
            Example("Llama 3.1, its built-in tools", "<|python_tag|>add.call(a=1)"),
            Example("Llama 4", "<|python_start|>[add(a=1)]<|python_end|>"),
        ),
    ),
    Marker(
        "tool-call-token",
        r"<\|(?:tool_calls?|tool_call_start|function_call|tools_prefix|START_ACTION)\|>"
        r"|(?:<\|message_model\|>[^<>|\n]{0,200})?<\|content_invoke_tool_json\|>",
        Evidence.SPECIAL_TOKEN,
        any_body,
        (
            Example("Granite 3", '<|tool_call|>[{"name": "add", "arguments": {"a": 1}}]'),
            Example("Phi-4-mini", '<|tool_call|>[{"name": "add", "arguments": {"a": 1}}]<|/tool_call|>'),
            Example("LFM2", "<|tool_call_start|>[add(a=1)]<|tool_call_end|>"),
            Example(
                "Command-R7B, Command-A",
                '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "add", "parameters": {"a": 1}}]<|END_ACTION|>',
            ),
            Example("Apertus", '<|tools_prefix|>[{"add": {"a": 1}}]<|tools_suffix|>'),
            Example("GigaChat 3", '<|function_call|>{"name": "add", "arguments": {"a": 1}}'),
            Example(
                "Inkling",
                '<|message_model|>add<|content_invoke_tool_json|>{"name": "add", "args": {"a": 1}}<|end_message|>',
            ),
        ),
    ),
    Marker(
        "gigachat",
        r"(?:<\|message_sep\|>\s{0,4})?function call<\|role_sep\|>",
        Evidence.SPECIAL_TOKEN,
        any_body,
        (
            Example(
                "GigaChat 3", '<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "add", "arguments": {"a": 1}}'
            ),
        ),
        starts=("<", "function call<"),
    ),
    Marker(
        "internlm",
        r"<\|action_start\|>\s{0,4}<\|plugin\|>",
        Evidence.SPECIAL_TOKEN,
        any_body,
        (
            Example(
                "InternLM 2",
                '<|action_start|><|plugin|>\n{"name": "add", "parameters": {"a": 1}}<|action_end|>',
            ),
            Example(
                "Intern-S1",
                '<|action_start|> <|plugin|>\n{"name": "add", "parameters": {"a": 1}}<|action_end|>',
            ),
        ),
    ),
    Marker(
        "gemma",
        r"<\|tool_call>|<start_function_call>",
        Evidence.SPECIAL_TOKEN,
        readers.braces,
        (
            Example("Gemma 4", "<|tool_call>call:add{a:1}<tool_call|>"),
            Example("FunctionGemma", "<start_function_call>call:add{a:1}<end_function_call>"),
        ),
    ),
    Marker(
        "qwen-agent",
        r"✿FUNCTION✿\s{0,4}:",
        Evidence.SPECIAL_TOKEN,
        any_body,
        (Example("Qwen-Agent", '✿FUNCTION✿: add\n✿ARGS✿: {"a": 1}\n✿RESULT✿'),),
        starts=("✿",),
    ),
)
"""The rows, those first that would else be taken for another one."""
