"""A process that writes to a repair log: `log_writer.py PATH NAME COUNT MAX_BYTES`."""

from __future__ import annotations

import sys

from toolmend.toolkit import RepairLog, ToolRegistry

__all__ = ("write",)


def write(path: str, name: str, count: int, max_bytes: int) -> None:
    """Mend calls that are numbered by their ids."""
    registry = ToolRegistry()
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    registry.add_schema("note", "Keep a note.", schema)
    registry.listen(RepairLog(path, contents=True, labels={"writer": name}, max_bytes=max_bytes, keep=1000))
    for number in range(count):
        registry.parse_call("note", f'{{"text": "{"x" * (number * 37 % 3000)}",}}', id=str(number))


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
