"""A tool that is called again and again in a window of 4,096 tokens: the older results give way, the run goes on."""

from __future__ import annotations

import json

from pydantic import Field

from toolmend.agents import ChatAgent, ChatAgentConfig, ChatRequest, ModelReply, RawCall, ScriptedClient, Task
from toolmend.agents.tokens import counter_for
from toolmend.toolkit import ToolMessage

PAGES = 30


class ReadPage(ToolMessage, name="read_page", max_result_tokens=500):
    """Read one page of the log."""

    page: int = Field(ge=1, le=PAGES)

    def handle(self) -> str:
        """The page; most of them are long."""
        lines = [f"page {self.page} line {line}: all is well, nothing to report" for line in range(60)]
        return "\n".join([*lines, f"errors on page {self.page}: {self.page % 3}"])


def model(request: ChatRequest) -> ModelReply:
    """Stands in for a model that reads page after page, and then answers."""
    done = sum(message["role"] == "tool" for message in request.messages)
    if done == PAGES:
        return ModelReply("There are 30 errors in the log.", finish_reason="stop")
    call = RawCall("read_page", json.dumps({"page": done + 1}), f"call_{done + 1}")
    return ModelReply(tool_calls=(call,), finish_reason="tool_calls")


def main() -> None:
    """Read the whole log, and tell what was sent at the end."""
    client = ScriptedClient(model)
    agent = ChatAgent(ChatAgentConfig(llm=client, chat_context_length=4096, max_output_tokens=300), [ReadPage])
    result = Task(agent, max_turns=PAGES + 1).run("How many errors are in the log?")
    print(f"{result.stop_reason} after {result.turns} turns: {result.output}")

    tokens = counter_for("gpt-4o").count
    stored = [message for message in result.messages if message["role"] == "tool"]
    sent = [message for message in client.requests[-1].messages if message["role"] == "tool"]
    print(f"stored: {len(stored)} results of {tokens(stored[0]['content'])} tokens and alike")
    print(f"sent:   {len(sent)} results, the first of {tokens(sent[0]['content'])}, the last of", end=" ")
    print(f"{tokens(sent[-1]['content'])} tokens")
    print(f"\nthe last result, as the model saw it:\n{sent[-1]['content'][:46]}\n...{sent[-1]['content'][-90:]}")


if __name__ == "__main__":
    main()
