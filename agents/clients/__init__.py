"""Clients that speak to language models."""
