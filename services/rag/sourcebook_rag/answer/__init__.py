"""Answering: route, retrieve, compose, stream, cite, check; each a function of its inputs."""
