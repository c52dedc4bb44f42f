"""Show a reply while it is being written: the text at once, a call bit by bit, and the validated call at the end."""

from __future__ import annotations

from pydantic import Field

from toolmend.toolkit import (
    CallCompleted,
    CallFailed,
    PartialCall,
    StreamFinished,
    TextDelta,
    TextRestart,
    ToolMessage,
    ToolRegistry,
)


class Fill(ToolMessage, name="fill"):
    """Type text into a field of the page."""

    selector: str = Field(description="CSS selector of the field")
    text: str

    def handle(self) -> str:
        """Say what would be typed."""
        return f"typed {self.text!r} into {self.selector}"


REPLY = """I will type the name.
<tool_call>
{"name": "fill", "arguments": {"selector": "#name", "text": "Ada Lovelace",}}
</tool_call>"""


def main() -> None:
    """Follow one reply, which comes in parts of twelve characters."""
    registry = ToolRegistry([Fill])
    stream = registry.stream()
    # Chunks of `client.chat.completions.create(..., stream=True)` are taken as well as text.
    parts = [REPLY[start : start + 12] for start in range(0, len(REPLY), 12)]
    for event in stream.events(parts):
        match event:
            case TextDelta(text=text):
                print(f"text       {text!r}")
            case TextRestart(text=text):
                print(f"instead    {text!r}")
            case PartialCall(name=name, arguments=arguments):
                print(f"so far     {name or '?'} {arguments}")
            case CallCompleted(call=call):
                print(f"call       {call.name} {call.arguments}, mended: {[repair.rule for repair in call.repairs]}")
            case CallFailed(error=error):
                print(f"faulty     {error.message}")
            case StreamFinished(result=result):
                print(f"whole text {result.text!r}")
                for answer in registry.dispatch(result):
                    print(f"result     {answer.text}")


if __name__ == "__main__":
    main()
