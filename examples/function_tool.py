"""A tool from a function: parameters from the signature, their meaning from the docstring."""

from __future__ import annotations

import json
from typing import Literal

from toolmend.toolkit import ToolRegistry, tool


@tool
def convert(amount: float, unit: Literal["km", "mile"] = "km") -> str:
    """Convert a distance to the other unit.

    Args:
        amount: the distance, in the unit that is given.
        unit: the unit that the distance is in.
    """
    return f"{amount * 0.621371:.1f} mile" if unit == "km" else f"{amount / 0.621371:.1f} km"


def main() -> None:
    """Show what the model is told, and run a call that it wrote almost right."""
    registry = ToolRegistry()
    registry.add_function(convert)
    print(json.dumps(registry.openai_tools()[0]["function"], indent=2))

    parsed = registry.parse_call("convert", '{"amount": "1,200.5", "Unit": "KM"}')
    [result] = registry.dispatch(parsed)
    for repair in parsed.calls[0].repairs:
        print(f"mended     {repair}")
    print(f"goes back  {result.text}")


if __name__ == "__main__":
    main()
