"""Mend a model's JSON until it fits a schema, and keep a record of every repair."""
