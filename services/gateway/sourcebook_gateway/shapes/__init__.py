"""The shapes of requests and answers: what the OpenAPI document says."""
