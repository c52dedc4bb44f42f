"""autogen-core: the arguments of a function tool, as its agents read them."""

from __future__ import annotations

import json

from autogen_core.tools import FunctionTool
from pydantic import BaseModel

from peers.base import Peer, Read


def _arguments(tool: type[BaseModel]) -> Read:
    def run(**_arguments: object) -> str:
        return ""

    run.__annotations__ = {key: field.annotation for key, field in tool.model_fields.items()}
    run.__signature__ = tool.__signature__  # type: ignore[attr-defined]
    model = FunctionTool(run, description="", name="run").args_type()
    return lambda text: model.model_validate(json.loads(text))


def peer() -> Peer:
    """The peer."""
    return Peer("autogen-core", "autogen-core", "import autogen_core.tools", _arguments)
