from __future__ import annotations

import subprocess
import sys

import pytest

from toolmend.toolkit.docstrings import Docstring, read_docstring

GOOGLE = """Type text.

    Into a field.

    Args:
        selector: where, as a
            CSS selector
        text (str): what

    Returns:
        nothing
    """
NUMPY = """Type text.

    Into a field.

    Parameters
    ----------
    selector : str
        where, as a
        CSS selector
    text
        what

    Returns
    -------
    None
        nothing
    """
SPHINX = """Type text.

    Into a field.

    :param selector: where, as a
        CSS selector
    :param str text: what
    :returns: nothing
    """


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_the_three_styles_tell_the_same(docstring: str) -> None:
    """Text without the sections, and a line for each parameter."""
    found = read_docstring(docstring)
    assert found == Docstring("Type text.\n\nInto a field.", {"selector": "where, as a CSS selector", "text": "what"})


@pytest.mark.parametrize("docstring", ["Just text: really.", "Do.\n\n    Example:\n        fill(1)\n    "])
def test_a_docstring_without_sections_is_the_text(docstring: str) -> None:
    """Nothing is cut out of it but the indentation."""
    assert read_docstring(docstring).parameters == {}
    assert read_docstring(docstring).text.startswith(docstring[:2])


def test_no_docstring_tells_nothing() -> None:
    """None is no error."""
    assert read_docstring(None) == Docstring()


def test_the_parser_is_loaded_only_for_sections() -> None:
    """Its import takes its time."""
    code = (
        "import sys; from toolmend.toolkit.docstrings import read_docstring; read_docstring('A.\\n\\nB.');"
        "print('griffe' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-P", "-c", code], check=True, capture_output=True, text=True)
    assert result.stdout.strip() == "False"
