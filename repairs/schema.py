"""A JSON Schema compiled once: what is asked of a value, and what keys and types are known at each place."""

from __future__ import annotations

from toolmend.repairs._compile import MAX_SCHEMA_DEPTH, compile_schema
from toolmend.repairs._node import ALL_TYPES, SchemaNode, json_type, normalise_name, plain_words

__all__ = (
    "ALL_TYPES",
    "MAX_SCHEMA_DEPTH",
    "SchemaNode",
    "compile_schema",
    "json_type",
    "normalise_name",
    "plain_words",
)
