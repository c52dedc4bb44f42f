from __future__ import annotations

import subprocess
import sys

import pytest

# Slow to import, or absent without an extra: imported on first use, inside functions.
HEAVY = {
    *("griffe", "httpx2", "json_repair", "jsonschema", "openai", "pydantic_ai", "referencing", "rich"),
    *("sqlalchemy", "tiktoken", "xllamacpp"),
}


@pytest.mark.parametrize(
    ("package", "unwanted"),
    [
        ("toolmend.repairs", HEAVY | {"pydantic", "toolmend.toolkit", "toolmend.agents"}),
        ("toolmend.toolkit", HEAVY | {"toolmend.agents"}),
        ("toolmend.agents", HEAVY - {"rich"}),
    ],
)
def test_importing_a_package_loads_nothing_heavy(package: str, unwanted: set[str]) -> None:
    """Libraries that cost time or are optional are not loaded before they are used."""
    code = f"import sys, {package}; print(*sorted(sys.modules), sep='\\n')"
    loaded = subprocess.run([sys.executable, "-P", "-c", code], check=True, capture_output=True, text=True)
    assert unwanted & set(loaded.stdout.split()) == set()
