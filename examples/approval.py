"""Ask before a tool runs: let the call through, give it other arguments, deny it, or let it wait for a person."""

from __future__ import annotations

import json

from toolmend.agents import (
    ChatAgent,
    ChatAgentConfig,
    Defer,
    Deny,
    Edit,
    ModelReply,
    RawCall,
    ScriptedClient,
    Task,
    approve_tools,
)
from toolmend.toolkit import ToolCall, ToolMessage


class ListFiles(ToolMessage, name="list_files"):
    """List the files of a folder."""

    folder: str

    def handle(self) -> list[str]:
        """What is there."""
        return ["notes.txt", "taxes.pdf"]


class DeleteFile(ToolMessage, name="delete_file"):
    """Delete a file."""

    path: str

    def handle(self) -> str:
        """Only say so."""
        return f"{self.path} is gone"


def ask(call: ToolCall) -> Deny | Edit | Defer | None:
    """Decide on a call of `delete_file`; a dialogue with the user takes this place in real use."""
    path = str(call.arguments["path"])
    if path == "/":
        return Deny("Deleting everything is never allowed.")
    if path.startswith("cache/"):
        return Edit({"path": f"{path}.bak"})
    return Defer("the word of the owner") if path == "taxes.pdf" else None


def calls(*made: tuple[str, str, str]) -> ModelReply:
    """A reply with calls: name, the one argument, its value."""
    raw = [RawCall(name, json.dumps({key: value}), f"call_{value}") for name, key, value in made]
    return ModelReply(tool_calls=tuple(raw), finish_reason="tool_calls")


def main() -> None:
    """Run until a call waits, decide on it, and go on."""
    # A scripted client stands in for a model here; OpenAIConfig(model=...) takes its place in real use.
    client = ScriptedClient(
        [
            calls(("list_files", "folder", ".")),
            calls(
                ("delete_file", "path", "notes.txt"),
                ("delete_file", "path", "cache/a"),
                ("delete_file", "path", "/"),
                ("delete_file", "path", "taxes.pdf"),
            ),
            "The notes are deleted, the taxes are kept.",
        ]
    )
    config = ChatAgentConfig(llm=client, approve=approve_tools(DeleteFile, ask))
    task = Task(ChatAgent(config, [ListFiles, DeleteFile]))

    result = task.run("Tidy up.")
    print(f"{result.stop_reason}: {result.detail}")
    for call, one in zip(result.calls, result.results, strict=True):  # no call was faulty
        print(f"  {call.name}({', '.join(map(str, call.arguments.values()))}): {one.text}")

    [waiting] = result.deferred
    result = task.resume({str(waiting.id): Deny("The owner wants to keep the taxes.")})
    print(f"\n{result.stop_reason}: {result.output}")
    for message in result.messages:
        if message["role"] == "tool":
            print(f"  {message['tool_call_id']}: {message['content']}")


if __name__ == "__main__":
    main()
