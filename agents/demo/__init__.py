"""What `examples/demo.py` shows: a home run by tools, requests with their right calls, and recorded faulty replies."""
