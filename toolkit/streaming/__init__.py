"""A reply that is still being written: what it says so far, and what of that can be shown already."""
