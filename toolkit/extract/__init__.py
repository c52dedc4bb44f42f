"""Find tool calls in the text of an assistant message."""
