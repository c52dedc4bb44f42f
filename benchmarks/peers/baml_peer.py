"""BAML: its parser of a model's answer, for a function that returns an order."""

from __future__ import annotations

import types
from typing import Final

import baml_py
from pydantic import BaseModel
from work import Address, Order

from peers.base import Peer, Read

_SOURCE: Final = """
class Address {
  street string
  zip string
  city string
}
class Order {
  item string
  count int
  express bool
  tags string[]
  address Address
}
client<llm> Client {
  provider openai
  options {
    model "none"
    api_key "none"
  }
}
function Ask(question: string) -> Order {
  client Client
  prompt #"{{ question }} {{ ctx.output_format }}"#
}
"""


def _module(name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    module.Order, module.Address = Order, Address  # type: ignore[attr-defined]
    return module


def _arguments(tool: type[BaseModel]) -> Read | None:
    if tool is not Order:
        return None
    runtime = baml_py.BamlRuntime.from_files("baml_src", {"main.baml": _SOURCE}, {})
    context = runtime.create_context_manager()
    whole, partial = _module("whole"), _module("partial")
    partly = False  # an answer that is still being written
    return lambda text: runtime.parse_llm_response("Ask", text, whole, whole, partial, partly, context, None, None, {})


def peer() -> Peer:
    """The peer."""
    return Peer("BAML", "baml-py", "import baml_py", _arguments, _arguments)  # type: ignore[arg-type]
