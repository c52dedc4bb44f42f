"""The tools at work inside other libraries, one module for each; each needs the extra of its name."""
