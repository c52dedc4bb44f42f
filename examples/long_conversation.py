"""A conversation that outgrows the window of its model, and what is sent of it."""

from __future__ import annotations

from typing import Any

from toolmend.agents.errors import ContextOverflowError
from toolmend.agents.fitting import Fitted, HistoryFitter, fit_history

SETTINGS: dict[str, Any] = {
    "context_length": 2_000,
    "max_output_tokens": 500,
    "model": "gpt-4o",
    "context_overflow_fallback": "drop_turns",  # where no vocabulary can be had, more is counted than there is
}


def conversation(turns: int) -> list[dict[str, Any]]:
    """Questions about a long report, each looked up with a tool."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "Answer from the report."}]
    for turn in range(1, turns + 1):
        call = {"id": f"call_{turn}", "type": "function", "function": {"name": "look_up", "arguments": '{"page": 1}'}}
        messages += [
            {"role": "user", "content": f"What does page {turn} say?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call_{turn}", "content": f"Page {turn}: " + "many figures, " * 40},
            {"role": "assistant", "content": f"Page {turn} has many figures."},
        ]
    return [*messages, {"role": "user", "content": "So how many figures are there?"}]


def show(label: str, fitted: Fitted) -> None:
    """Tell what is sent, and what was changed for it."""
    kinds = [change.kind for change in fitted.changes]
    changed = ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds))) or "nothing changed"
    sent = f"{len(fitted.messages):2} messages, {fitted.tokens} tokens, output {fitted.max_output_tokens}"
    print(f"{label:22} {sent}: {fitted.stage}, {changed}")


def main() -> None:
    """Let a conversation grow, then make it fit in three ways, then ask for too much."""
    fitter = HistoryFitter(**SETTINGS)
    for turns in (4, 9, 10, 14):
        show(f"{turns} turns", fitter.fit(conversation(turns)))

    long = conversation(14)
    for strategy in ("drop_turns", "clear_tool_results"):
        show(strategy, fit_history(long, strategy=strategy, **SETTINGS))
    cut = fitter.fit(long).messages[3]["content"]
    print(f"\nthe first result, as truncate leaves it:\n{cut[:40]} ... {cut[-60:]}")

    interrupted = [*long[:3], {"role": "user", "content": "Are you there?"}]
    print("\nafter an interrupted call:", fit_history(interrupted, **SETTINGS).messages[3])
    try:
        fit_history([*long, {"role": "user", "content": "word " * 2_000}], **SETTINGS)
    except ContextOverflowError as error:
        print(f"\n{error}")


if __name__ == "__main__":
    main()
