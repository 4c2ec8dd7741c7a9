"""`make bench`: runs every measuring module (or those named) and prints its figures; 1 when a bound is missed."""

import importlib
import json
import pkgutil
import platform
import sys
from dataclasses import asdict
from pathlib import Path

from tests import load
from tests.load.figure import Figure

NOT_MEASURING = {"__main__", "figure"}
REPORT = Path(".make/bench.json")


def modules(wanted: list[str]) -> list[str]:
    """The names of the measuring modules: those wanted, or all that have a `measure`."""
    return wanted or sorted(found.name for found in pkgutil.iter_modules(load.__path__) if found.name not in NOT_MEASURING)


def main() -> int:
    """Measure, print, and keep the figures in .make/bench.json."""
    figures: list[Figure] = []
    print(f"{platform.platform()}, Python {platform.python_version()}; one run on this machine: read ratios, absolute times drift")
    for name in modules(sys.argv[1:]):
        module = importlib.import_module(f"tests.load.{name}")
        if not hasattr(module, "measure"):
            continue
        print(f"-- {name}: {(module.__doc__ or '').splitlines()[0]}", flush=True)
        for figure in module.measure():
            print(figure.line(), flush=True)
            figures.append(figure)
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(json.dumps([asdict(figure) for figure in figures], indent=2), "utf-8")
    missed = [figure for figure in figures if figure.is_met is False]
    print(f"{len(figures)} figures, {len(missed)} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
