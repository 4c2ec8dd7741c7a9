"""Puts the built web page into the wheel, so that `pipx install` and `uvx` bring the whole product."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageHook(BuildHookInterface[Any]):
    """Adds `web/dist` to a real wheel as `sourcebook/page`; an editable install finds the page in the checkout."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before a build; `version` is "standard" or "editable"."""
        if version == "editable":
            return
        page = Path(self.root) / "web" / "dist"
        if not (page / "index.html").exists():
            raise FileNotFoundError("The web page is not built yet: run `npm ci && npm run build` in web/ first.")
        build_data["force_include"][str(page)] = "sourcebook/page"
