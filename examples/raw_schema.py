"""A tool from a raw JSON Schema, as other programs hand them over: always validated, never taken on trust."""

from __future__ import annotations

from collections.abc import Mapping

from toolmend.toolkit import ToolRegistry

SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "labels": {"type": "array", "items": {"enum": ["bug", "feature", "question"]}, "uniqueItems": True},
        "assignee": {"anyOf": [{"$ref": "#/$defs/person"}, {"type": "null"}]},
    },
    "required": ["title"],
    "additionalProperties": False,
    "$defs": {
        "person": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "team": {"type": "string"}},
            "required": ["name"],
            "additionalProperties": False,
        }
    },
}


def create_ticket(arguments: Mapping[str, object]) -> str:
    """Create a ticket; the handler of a raw tool gets the validated arguments as they are."""
    return f"created {arguments['title']!r} with {arguments}"


def main() -> None:
    """Run one call that can be mended and one that cannot."""
    registry = ToolRegistry()
    registry.add_schema("create_ticket", "Create a ticket.", SCHEMA, handler=create_ticket)
    for text in (
        '{"title": "Crash", "labels": "Bug, QUESTION", "assignee": "{\\"name\\": \\"Ann\\"}"}',
        '{"title": "Crash", "labels": ["bug", "urgent"]}',
    ):
        [result] = registry.dispatch(registry.parse_call("create_ticket", text))
        print(f"the model wrote  {text}")
        print(f"goes back        {result.text}\n")


if __name__ == "__main__":
    main()
