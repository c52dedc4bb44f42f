"""A run that ends with typed data: the call of a tool made for it is the result, validated and mended like any call."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from toolmend.agents import CallFinished, ChatAgent, ChatAgentConfig, ModelReply, Nudged, RawCall, ScriptedClient, Task


class Invoice(BaseModel):
    """The data of the invoice."""

    number: str
    total: float = Field(ge=0)
    currency: Literal["EUR", "USD"]
    paid: bool = False


def call(arguments: str, call_id: str) -> ModelReply:
    """A reply with one call."""
    return ModelReply(tool_calls=(RawCall("invoice", arguments, call_id),), finish_reason="tool_calls")


def main() -> None:
    """Read an invoice: words are no answer, a wrong call is told, a sloppy one is mended."""
    # A scripted client stands in for a model here; OpenAIConfig(model=...) takes its place in real use.
    client = ScriptedClient(
        [
            "The invoice R-17 is about 1,234.50 euros.",
            call('{"number": "R-17", "total": "a lot", "currency": "EUR"}', "call_1"),
            call("{'Number': 'R-17', 'total': '1,234.50', 'currency': 'eur',}", "call_2"),
        ]
    )
    task = Task(ChatAgent(ChatAgentConfig(llm=client)), output_type=Invoice)
    stream = task.stream("Invoice R-17: EUR 1,234.50, due in March.")
    for event in stream:
        if isinstance(event, Nudged):
            print(f"words are no answer: {event.text}")
        elif isinstance(event, CallFinished) and not event.result.ok:
            print(f"a wrong call: {event.result.text.splitlines()[1]}")

    result = stream.result
    invoice = result.output  # an Invoice, for type checkers too
    print(f"\n{result.stop_reason}: {invoice!r}")
    for repair in result.calls[-1].repairs:
        print(f"  {repair.rule}: {repair.before} -> {repair.after}")


if __name__ == "__main__":
    main()
