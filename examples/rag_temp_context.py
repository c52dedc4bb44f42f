"""Retrieved passages go out with the question, and only the question stays in the conversation."""

from __future__ import annotations

from toolmend.agents import ChatAgent, ChatAgentConfig, ScriptedClient

PASSAGES = {
    "roof": "The roof was laid in 1962, of slate from Wales.",
    "door": "The door is of oak, and was painted green in 1987.",
    "well": "The well in the yard is 14 metres deep, and dry since 1999.",
}


def retrieved(question: str) -> str:
    """The passages that share a word with the question; a vector store takes this place in real use."""
    return "\n".join(passage for word, passage in PASSAGES.items() if word in question)


def prompt_of(question: str) -> str:
    """What the model is sent: the passages, then the question."""
    return f"Answer from these passages.\n\n{retrieved(question)}\n\nQuestion: {question}"


def main() -> None:
    """Ask two questions, and look at what was sent and at what stays."""
    # A scripted client stands in for a model here; OpenAIConfig(model=...) takes its place in real use.
    client = ScriptedClient(["Of slate from Wales.", "It is green."])
    agent = ChatAgent(ChatAgentConfig(llm=client, system_message="You know this house."))
    for question in ("What is the roof made of?", "And what colour is the door?"):
        reply = agent.llm_response_temp_context(question, prompt_of(question))
        print(f"user   {question}\nmodel  {reply.text}\n")

    print("the second request:")
    for message in client.requests[1].messages:
        print(f"  {message['role']:9} {message['content']!r}")
    print("\nwhat stays:")
    for message in agent.messages:
        print(f"  {message['role']:9} {message['content']!r}")


if __name__ == "__main__":
    main()
