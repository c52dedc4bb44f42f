"""json-repair, then pydantic."""

from __future__ import annotations

import json_repair
from pydantic import BaseModel

from peers.base import Peer, Read


def _arguments(tool: type[BaseModel]) -> Read:
    return lambda text: tool.model_validate(json_repair.loads(text))


def peer() -> Peer:
    """The peer."""
    return Peer("json-repair + pydantic", "json-repair", "import json_repair, pydantic; pydantic.BaseModel", _arguments)
