"""Handle a tool call without a task loop: the agent runs what the model wrote, and you decide what comes next."""

from __future__ import annotations

from pydantic import Field

from toolmend.agents import ChatAgent, ChatAgentConfig, ScriptedClient
from toolmend.toolkit import ToolMessage


class Square(ToolMessage, name="square"):
    """Square a whole number."""

    number: int = Field(description="the number to square")

    def handle(self) -> str:
        """Square it."""
        return str(self.number**2)


def main() -> None:
    """Run one reply with a call that needs mending, and one without a call."""
    # A scripted client stands in for a model here; OpenAIConfig(model=...) takes its place in real use.
    client = ScriptedClient(
        [
            "{'name': 'square', 'arguments': {'number': '12',}}",
            "That makes 144.",
        ]
    )
    agent = ChatAgent(ChatAgentConfig(llm=client, use_tools=True))
    agent.enable_message(Square)

    reply = agent.llm_response("What is twelve squared?")
    result = agent.agent_response(reply)  # None if the reply holds no attempt at a call
    print(f"the model wrote  {reply.text}")
    print(f"the tool says    {result.text if result else 'nothing'}")

    answer = agent.llm_response()  # without text: the result goes back to the model
    print(f"the model says   {answer.text}")
    print(f"a call again?    {agent.agent_response(answer) is not None}")


if __name__ == "__main__":
    main()
