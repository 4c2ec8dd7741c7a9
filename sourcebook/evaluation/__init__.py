"""Measures how well questions find what answers them: question sets run through the server's own search."""
