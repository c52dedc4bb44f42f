"""Declare tools, tell the model of them, and turn what it wrote into validated calls."""
