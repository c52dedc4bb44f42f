"""A tool whose model writes `element` for `selector`, or just `#go`: mended by rules that the tool declares.

No second call of the model is made for either.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from toolmend.repairs import BareString, RenameKey
from toolmend.toolkit import ToolMessage, ToolRegistry


class Click(ToolMessage, name="click", repairs=[RenameKey("element", to="selector"), BareString("selector")]):
    """Click an element of the page."""

    selector: str = Field(description="CSS selector of the element")
    button: Literal["left", "right"] = "left"

    def handle(self) -> str:
        """Say what was clicked."""
        return f"clicked {self.selector} with the {self.button} button"


def main() -> None:
    """Hand the registry what a weak model wrote as the arguments of its calls."""
    registry = ToolRegistry([Click])
    for arguments in ('{"element": "#go", "button": "LEFT"}', "#go", '{"selector": "#go", "speed": 3}'):
        parsed = registry.parse_call("click", arguments)
        [outcome] = registry.dispatch(parsed)
        print(f"the model wrote  {arguments}")
        for call in parsed.calls:
            for repair in call.repairs:
                print(f"    mended       {repair}")
        print(f"    goes back    {outcome.text}")


if __name__ == "__main__":
    main()
