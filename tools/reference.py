"""Writes docs/reference from the code: settings, error codes, routes, commands, profiles. `--check` says whether the files are current."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel

from sourcebook.cli import app as command_line
from sourcebook_core import profiles, settings
from sourcebook_core.errors import CODES
from sourcebook_gateway.app import create_app

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
_NOTE = "This page is written by `make docs` from the code.\n\n"


def _cell(value: Any) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")


def _table(head: tuple[str, ...], rows: Iterator[tuple[Any, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(_cell(value) for value in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def settings_page() -> str:
    """Every environment name with its default and what its field says."""

    def rows(model: type[BaseModel], prefix: str, skip: set[str]) -> Iterator[tuple[Any, ...]]:
        for name, field in model.model_fields.items():
            if name not in skip:
                default = "" if field.default is None or field.is_required() else f"`{field.default}`"
                secret = "secret" if "Secret" in str(field.annotation) else default
                yield f"`{prefix}{name.upper()}`", secret, field.description or ""

    head = ("name", "default", "meaning")
    prefix = settings.PREFIX
    groups = {"roles", "origins", "limits", "jobs"}
    return (
        "# Settings\n\n" + _NOTE + "Read once from the environment, or from the TOML file that `SOURCEBOOK_CONFIG` names"
        " (the same names in lower case without the prefix; the environment wins). `sourcebook doctor` shows where"
        " each came from. The command line also "
        "reads `SOURCEBOOK_URL` and `SOURCEBOOK_TOKEN`.\n\n## The installation\n\n"
        + _table(head, rows(settings.Settings, prefix, groups))
        + "\n## Limits\n\n" + _table(head, rows(settings.Limits, prefix, set()))
        + "\n## Work\n\n" + _table(head, rows(settings.JobSettings, prefix, set()))
        + "\n## Model roles\n\nFor each role (" + ", ".join(f"`{role.upper()}`" for role in settings.ROLES) + ") the names below with the "
        "role in place of `ROLE`. A role that the environment sets is locked in the page.\n\n"
        + _table(head, rows(settings.RoleSettings, prefix + "ROLE_", {"name", "from_environment", "options"}))
    )  # fmt: skip


def errors_page() -> str:
    """Every error code with its sentence."""
    return "# Error codes\n\n" + _NOTE + _table(("code", "sentence"), ((f"`{code}`", text) for code, text in sorted(CODES.items())))


def routes_page() -> str:
    """Every route of the OpenAPI document with its summary."""
    document = create_app(settings.load({})).openapi()

    def rows() -> Iterator[tuple[Any, ...]]:
        for path, methods in sorted(document["paths"].items()):
            for method, operation in methods.items():
                yield f"`{method.upper()} {path}`", operation.get("summary", "")

    whole = "The whole contract is at `/api/v1/openapi.json` of a running gateway.\n\n"
    return "# Routes\n\n" + _NOTE + whole + _table(("route", "what it does"), rows())


def commands_page() -> str:
    """Every command of the command line with its help."""
    group = typer.main.get_command(command_line)
    text = "# Commands\n\n" + _NOTE
    commands: dict[str, Any] = getattr(group, "commands", {})
    for name, command in _walk("", commands):
        text += f"## `sourcebook {name}`\n\n{command.help or ''}\n\n"
        options = [(", ".join(f"`{o}`" for o in p.opts) or f"`{p.name}`", getattr(p, "help", "") or "") for p in command.params]
        if options:
            text += _table(("option", "meaning"), iter(options)) + "\n"
    return text


def _walk(prefix: str, commands: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, command in commands.items():
        inner = getattr(command, "commands", None)
        if inner:
            yield from _walk(f"{prefix}{name} ", inner)
        else:
            yield prefix + name, command


def profiles_page() -> str:
    """Every field of a profile: what it is in a notebook, in which profiles it differs, and what it means."""

    def told(value: Any) -> str:
        if isinstance(value, tuple | list | dict) and value and not all(isinstance(one, str | int) for one in value):
            return f"{len(value)} of them"
        if isinstance(value, dict):
            return ", ".join(f"`{name}`" for name in value) or "none"
        return "null" if value is None else f"`{', '.join(map(str, value))}`" if isinstance(value, tuple) and value else f"`{value}`"

    def rows(section: str, model: type[BaseModel]) -> Iterator[tuple[Any, ...]]:
        for name, field in model.model_fields.items():
            values = {key: getattr(getattr(profile, section), name) for key, profile in profiles.PROFILES.items()}
            others = [f"{key}: {told(value)}" for key, value in values.items() if value != values["notebook"]]
            yield f"`{section}.{name}`", told(values["notebook"]), ", ".join(others), field.description or ""

    intro = "A notebook or an assistant answers by one of the five; `profile_settings` of its API changes single fields.\n"
    text = "# Profiles\n\n" + _NOTE + intro
    for section, field in profiles.Profile.model_fields.items():
        model = field.annotation
        if isinstance(model, type) and issubclass(model, BaseModel):
            text += f"\n## {section}\n\n{field.description}\n\n" + _table(("field", "notebook", "others", "meaning"), rows(section, model))
    return text


PAGES = {
    "settings.md": settings_page, "errors.md": errors_page, "routes.md": routes_page, "commands.md": commands_page,
    "profiles.md": profiles_page,
}  # fmt: skip


@functools.cache
def stale() -> list[str]:
    """The pages whose file differs from the code."""
    return [name for name, page in PAGES.items() if not (FOLDER / name).exists() or (FOLDER / name).read_text("utf-8") != page()]


def main() -> int:
    """Write the pages, or with `--check` name the stale ones; the exit code."""
    if "--check" in sys.argv:
        found = stale()
        if found:
            print(f"docs/reference is not current ({', '.join(found)}): run `make docs`.")
        return 1 if found else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
