"""Arguments of MCP's tools: none but the known ones are taken, and what is wrong with one is told in our words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.mcpserver.tools import Tool
from pydantic import ConfigDict, ValidationError

from sourcebook_core.errors import RequestError

_TYPES = {"string": "a text", "integer": "a whole number", "number": "a number", "boolean": "true or false"}
_MOST_NAME_CHARS = 60  # of an argument nobody knows: it is the client's own word, repeated to it


def closed(tool: Tool) -> Tool:
    """The tool, whose schema and whose checks know no argument but its own. The SDK drops others in silence: a search whose
    notebook is misnamed would go over the whole library."""
    model = tool.fn_metadata.arg_model
    strict: Any = type(model.__name__, (model,), {"model_config": ConfigDict(extra="forbid"), "__module__": model.__module__})
    tool.fn_metadata.arg_model = strict
    tool.parameters = strict.model_json_schema(by_alias=True)
    return tool


def refused(error: ValidationError, schema: Mapping[str, Any] | None = None) -> RequestError:
    """The refusal of arguments that are not right, the first of them told; it repeats no value. `schema` is the tool's."""
    known: Mapping[str, Any] = (schema or {}).get("properties", {})
    errors = sorted(error.errors(include_url=False, include_input=False), key=lambda one: one["type"] != "extra_forbidden")
    told = [{"field": ".".join(str(part) for part in one["loc"]), "why": _why(one, known)} for one in errors[:20]]
    first = told[0]
    return RequestError(422, "invalid_field", why=f"{_shown(first['field'])}: {first['why']}", detail={"fields": told})


def _shown(name: str) -> str:
    plain = "".join(sign if sign.isprintable() else " " for sign in name)
    return plain if len(plain) <= _MOST_NAME_CHARS else f"{plain[:_MOST_NAME_CHARS]}…"


def _why(one: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    kind, bounds = one["type"], one.get("ctx") or {}
    if kind == "extra_forbidden":
        names = ", ".join(known)
        return f"there is no such argument. Known here: {names}." if names else "there is no such argument; this tool takes none."
    if kind == "missing":
        return "this argument is needed."
    if kind == "string_too_long":
        return f"at most {bounds.get('max_length'):,} characters."
    if kind == "string_too_short":
        return "it may not be empty."
    if kind == "value_error":  # a check of ours, with its own words
        return str(bounds.get("error", "it cannot be taken"))
    return f"it takes {_taken(known.get(str(one['loc'][0]) if one['loc'] else '', {}))}."


def _taken(of: Mapping[str, Any]) -> str:
    """What an argument takes, in words."""
    plain = next((way for way in of.get("anyOf", []) if way.get("type") != "null"), of)
    least, most = plain.get("minimum"), plain.get("maximum")
    words = _TYPES.get(str(plain.get("type")), "another value")
    return words if least is None or most is None else f"{words} from {least} to {most}"
