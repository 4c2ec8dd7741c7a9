"""A program that shows Markdown, as far as it would fetch, open or run something."""

from markdown_it import MarkdownIt

_LIVE = {"link_open", "image", "html_inline", "html_block"}
_PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def live_in(markdown: str) -> list[str]:
    """The links, pictures and HTML that a viewer would make of it."""
    found = []
    for token in _PARSER.parse(markdown):
        found += [one.type for one in (token, *(token.children or ())) if one.type in _LIVE]
    return found
