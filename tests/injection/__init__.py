"""Hostile documents of our own writing, each with what a model that obeys it would write."""
