"""Pure text machinery: tokens, chunks, lexemes, languages, numbers."""
