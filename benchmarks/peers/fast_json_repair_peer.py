"""fast-json-repair, then pydantic."""

from __future__ import annotations

import fast_json_repair
from pydantic import BaseModel

from peers.base import Peer, Read


def _arguments(tool: type[BaseModel]) -> Read:
    return lambda text: tool.model_validate(fast_json_repair.loads(text))


def peer() -> Peer:
    """The peer."""
    importing = "import fast_json_repair, pydantic; pydantic.BaseModel"
    return Peer("fast-json-repair + pydantic", "fast-json-repair", importing, _arguments)
