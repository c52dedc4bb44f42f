"""langroid: the JSON objects found in a text, then its tool message."""

from __future__ import annotations

import json

import vocabularies
from pydantic import BaseModel

from peers.base import Peer, Read

vocabularies.provide()  # else the import would fetch them

from langroid.parsing.parse_json import extract_top_level_json  # noqa: E402


def _arguments(tool: type[BaseModel]) -> Read:
    def read(text: str) -> object:
        found = extract_top_level_json(text)
        return tool.model_validate(json.loads(found[0])) if found else None

    return read


def _content(tool: type[BaseModel]) -> Read:
    def read(text: str) -> object:
        for found in extract_top_level_json(text):
            value = json.loads(found)
            arguments = value.get("arguments", value) if isinstance(value, dict) else value
            return tool.model_validate(arguments)
        return None

    return read


def peer() -> Peer:
    """The peer."""
    return Peer("langroid", "langroid", "import langroid", _arguments, _content)
