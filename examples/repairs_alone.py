"""The repairs alone, on any JSON Schema: no tool, no registry, no agent."""

from __future__ import annotations

from toolmend.repairs import LOSSLESS, RenameKey, RepairError, compile_schema, repair_json

SCHEMA = compile_schema(
    {
        "type": "object",
        "properties": {
            "selector": {"type": "string"},
            "text": {"type": "string"},
            "delay_ms": {"type": "integer", "minimum": 0},
        },
        "required": ["selector", "text"],
        "additionalProperties": False,
    }
)

TEXTS = (
    '{"element": "#name", "text": "Ann",}',
    "```json\n{'selector': '#q', 'text': 'say \"hi\"', 'delayMs': '250'}\n```",
    '{"selector": "#q", "text": "he said "hello", then left"}',
    '{"selector": "#q", "text": "half a sent',
    '{"selector": "#q", "text": "x", "delay_ms": "soon"}',
)


def main() -> None:
    """Mend what can be mended, and say why the rest cannot."""
    for text in TEXTS:
        print(text)
        try:
            mended = repair_json(text, SCHEMA, rules=[RenameKey("element", to="selector")])
        except RepairError as error:
            print(f"  {type(error).__name__} ({error.kind}): {error}")
            continue
        print(f"  {mended.value}")
        print("  " + mended.explain().replace("\n", "\n  "))

    # A tool with side effects can ask for less: nothing that the schema has to infer.
    try:
        repair_json('{"Selector": "#q", "text": "x"}', SCHEMA, policy=LOSSLESS)
    except RepairError as error:
        print(f"lossless only: {error}")


if __name__ == "__main__":
    main()
