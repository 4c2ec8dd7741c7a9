"""An OpenAI-compatible server over small local models."""
