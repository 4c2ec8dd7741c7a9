"""`python -m sourcebook_gateway.openapi`: the OpenAPI document on standard output, for generating clients."""

from __future__ import annotations

import sys

import orjson

from sourcebook_core.settings import load
from sourcebook_gateway.app import create_app


def main() -> None:
    """Print the document; needs no database."""
    document = create_app(load({})).openapi()
    sys.stdout.buffer.write(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n")


if __name__ == "__main__":
    main()
