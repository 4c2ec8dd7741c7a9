"""The prompts of reading and indexing, one Markdown file a step (`sourcebook_core.prompts`)."""
