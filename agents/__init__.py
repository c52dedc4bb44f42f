"""Chat agents that hold a conversation, call tools and keep within the context window."""
