"""One module per peer: how it turns the text of a call into validated arguments."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Final

from peers.base import Peer

__all__ = ("Peer", "available")

MODULES: Final = (
    "toolmend_peer",
    "json_repair_peer",
    "fast_json_repair_peer",
    "pydantic_ai_peer",
    "instructor_peer",
    "langchain_peer",
    "openai_agents_peer",
    "autogen_peer",
    "langroid_peer",
    "baml_peer",
    "litellm_peer",
)


def available() -> Iterator[Peer]:
    """The peers that can be imported here, ourselves first."""
    for name in MODULES:
        try:
            yield importlib.import_module(f"peers.{name}").peer()
        except ImportError as error:
            print(f"left out: {name} ({error})")
