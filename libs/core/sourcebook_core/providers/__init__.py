"""Clients of model endpoints; the only importers of the openai package."""
