"""From text to JSON: the readers, in the order in which they are tried."""
