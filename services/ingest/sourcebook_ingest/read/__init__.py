"""One reader per kind of source: bytes in, passages out."""
