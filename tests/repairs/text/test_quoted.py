from __future__ import annotations

from collections.abc import Callable

import pytest

from toolmend.repairs.errors import CutOffError, NotJsonError
from toolmend.repairs.record import JsonValue, Mended

ValueOf = Callable[..., JsonValue]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'title': 'a', 'body': \"it's\"}", {"title": "a", "body": "it's"}),
        ("{`title`: `a`, `body`: `b`}", {"title": "a", "body": "b"}),
        ("{“title”: “a”, “body”: “b”}", {"title": "a", "body": "b"}),
        ("{„title“: „a“, „body”: „b”}", {"title": "a", "body": "b"}),
        ("{«title»: «a», «body»: «b»}", {"title": "a", "body": "b"}),
        ("｛＂title＂：＂a，b＂，＂body＂：＂b＂｝", {"title": "a，b", "body": "b"}),
        ('{"title": r"\\d+\\n", "body": u"x"}', {"title": "\\d+\\n", "body": "x"}),
        ("{'title': 'a\\'b', 'body': 'say \\\"x\\\" \\u00e9\\n'}", {"title": "a'b", "body": 'say "x" é\n'}),
        ('{"title": "“Plan”", "body": "it’s fine",}', {"title": "“Plan”", "body": "it’s fine"}),
    ],
)
def test_strings_in_other_quotes(text: str, value: JsonValue, value_of: ValueOf) -> None:
    """Quotes of any style delimit, and those of another style within them are text."""
    assert value_of(text, "title:text body:text") == value


@pytest.mark.parametrize(
    "body",
    [
        "line\n",
        " padded  \n",
        'x = \'\'\'a\'\'\'\ny = """b"""\n# c: "d", e\n',
        '# T\n\n```json\n{"a": 1,}\n```\n\n| a | "b" |\n',
        "a\fb",
        "https://example.org/a#b // c /* d */",
        "😀 日本語",
        "\\\\srv\\share\\new",
        "C:\\new\\table.txt\\",
        "None, True or {b: 1};",
        "\u200d\ufeff\xa0",
        "",
        '{"title": "x", "body": "y",}',
    ],
)
def test_a_string_in_proper_quotes_is_never_read_again(body: str, value_of: ValueOf) -> None:
    """Whatever is wrong between the tokens, each escaped string comes out as it was written."""
    import json

    written = json.dumps(body)
    assert value_of(f'{{"title": "t", "body": {written},}}', "title:text body:text") == {"title": "t", "body": body}
    assert value_of(f"{{title: 't', body: {written}}}", "title:text body:text") == {"title": "t", "body": body}
    assert value_of(f'{{"tags": [{written} "x"],}}', "tags:texts") == {"tags": [body, "x"]}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"city": "Oslo, "days": 3}', {"city": "Oslo", "days": 3}),
        ('{"city": "Paris, France, "days": 3}', {"city": "Paris, France", "days": 3}),
        ("{'city': 'Oslo, 'days': 3}", {"city": "Oslo", "days": 3}),
        ('{"days": 3, "city": "Oslo}', None),
        ('{"city": "Oslo,, "days": 3}', None),
        ('{"city": ", "days": 3}', None),
        ('{"city": "Oslo, "dayz": 3}', None),
        ('{"city": "Oslo, days: 3}', None),
        ('{"city": "Oslo , "days": 3}', None),
        ('{"city": "Oslo // x\n, "days": 3}', None),
        ('{"city": "Oslo /* x */, "days": 3}', None),
    ],
)
def test_a_lost_closing_quote_is_put_back(text: str, value: JsonValue, value_of: ValueOf) -> None:
    """Only in front of a comma and a known key in quotes of the same kind."""
    assert value_of(text, "city:text days?:whole") == value


@pytest.mark.parametrize(
    "text", ['{"city": "Os', "{'city': 'Os", '{"city": "Oslo\\', '{"city": “Os', '{"ci', '{"city": """Os"']
)
def test_a_text_that_ends_in_a_string_is_cut_off(text: str, mend: Callable[..., Mended]) -> None:
    """It is an error whatever the model is known to have done."""
    for complete in (None, True, False):
        with pytest.raises(CutOffError):
            mend(text, "city:text", complete=complete)


@pytest.mark.parametrize(
    "text",
    [
        '{"pattern": "a\\.b", "path": "C:\\temp\\"}',
        '{"path": "C:\\temp\\", "pattern": "a\\.b"}',
    ],
)
def test_a_backslash_that_ends_a_drive_path_escapes_no_quote(text: str, value_of: ValueOf) -> None:
    """The quote behind it closes the string."""
    assert value_of(text, "pattern:text path:text") == {"pattern": "a\\.b", "path": "C:\\temp\\"}


@pytest.mark.parametrize(
    ("title", "body"),
    [("\\d+", "C:\\new"), ("\\alpha", "\\times \\theta"), ("\\w", "\\bword\\b")],
)
def test_backslashes_mean_the_same_everywhere(title: str, body: str, value_of: ValueOf) -> None:
    """Where they are not escaped in one string, a string that may be written in the same way is not believed."""
    assert value_of(f'{{"title": "{title}", "body": "{body}"}}', "title:text body:text") is None
    assert value_of(f'{{"title": "{title}", "body": "a\\nb"}}', "title:text body:text") == {
        "title": title,
        "body": "a\nb",
    }


def test_escaped_line_breaks_between_tokens_and_doubled_backslashes_do_not_go_together(value_of: ValueOf) -> None:
    """The whole text may have been escaped once more."""
    assert value_of('{\\n "title": "a", \\n "body": "b\\n"}', "title:text body:text") == {"title": "a", "body": "b\n"}
    assert value_of('{\\n "title": "a", \\n "body": "b\\\\n"}', "title:text body:text") is None


def test_a_bad_escape_tells_its_place(mend: Callable[..., Mended]) -> None:
    """Line and column are those of the backslash."""
    with pytest.raises(NotJsonError, match="hexadecimal") as caught:
        mend('{"title": "x",\n "body": "caf\\u00e"}', "title:text body:text")
    assert (caught.value.line, caught.value.column) == (2, 14)


def test_records_of_strings(mend: Callable[..., Mended]) -> None:
    """Quotes, escapes and control characters have a rule each."""
    text = '{\'a\': \'x\', "b": "\\d", "c": "y\nz"}'
    repairs = mend(text, "a:text b:text c:text").repairs
    assert [(one.rule, text[slice(*(one.span or ()))]) for one in repairs] == [
        ("quote-style", "'a'"),
        ("quote-style", "'x'"),
        ("escape", "\\d"),
        ("control-character", "y\nz"),
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"city": \\"Oslo\\", "days": 3}', {"city": "Oslo", "days": 3}),
        ('{"days": 3, "city": \\"New York\\"}', {"days": 3, "city": "New York"}),
        ('{"city": \\"Os"lo\\"}', None),
        ('{"city": \\"Os\\"lo\\"}', None),
        ('{"city": \\"Os\\nlo\\"}', None),
        ('{"city": \\"Oslo', None),
    ],
)
def test_one_string_with_escaped_quotes(text: str, value: JsonValue, value_of: ValueOf) -> None:
    """Quotes escaped where no string is open delimit one, if nothing in it is escaped."""
    assert value_of(text, "city:text days?:whole") == value
