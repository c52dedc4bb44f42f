"""pydantic-ai: the validator of a function tool."""

from __future__ import annotations

from pydantic import BaseModel
from pydantic_ai import Tool

from peers.base import Peer, Read


def _arguments(tool: type[BaseModel]) -> Read:
    def run(**_arguments: object) -> str:
        return ""

    run.__annotations__ = {key: field.annotation for key, field in tool.model_fields.items()}
    run.__signature__ = tool.__signature__  # type: ignore[attr-defined]
    validator = Tool(run, name=tool.__name__.lower()).function_schema.validator
    return lambda text: validator.validate_json(text or "{}")


def peer() -> Peer:
    """The peer."""
    return Peer("pydantic-ai", "pydantic-ai-slim", "import pydantic_ai", _arguments)
