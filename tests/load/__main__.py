"""Run the benches named on the command line (all without names); prints each figure and writes build/bench.json."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

from sourcebook_core import log
from tests.load import (
    answers,
    citing,
    exports,
    faces,
    ingest,
    many_streams,
    page,
    pdf,
    product_help,
    queue,
    reading,
    relay,
    rounds,
    scale,
    search,
    stack,
)
from tests.load.bench import Bench, opened
from tests.load.figures import Figure

BENCHES: dict[str, Callable[[Bench], Awaitable[list[Figure]]]] = {
    "R1": pdf.text_of_pages,
    "R2": reading.chunks_a_second,
    "R3": ingest.chunks_a_second,
    "R4": search.both_lists,
    "R6": scale.large_scopes,
    "S2": product_help.sections,
    "R15": answers.first_token,
    "quoted": answers.first_quote,
    "CITE": citing.filter_and_check,
    "R13": relay.tokens_a_second,
    "R14": many_streams.three_hundred,
    "R10": queue.start_delay,
    "R11": queue.slot_use,
    "R12": queue.recovery,
    "R16": queue.under_kills,
    "two": reading.two_workers,
    "memory": reading.memory,
    "stack": stack.whole,
    "page": page.waits,
    "AGENT": rounds.beside_its_calls,
    "MCP": faces.over_mcp,
    "PUB": faces.publication,
    "WORD": exports.notes_to_word,
}
# Takes most of an hour: only when named (`make bench SCALE=1`).
LONG: dict[str, Callable[[Bench], Awaitable[list[Figure]]]] = {"SCALE": scale.million}


def main(names: list[str]) -> int:
    """Run and print; the exit code is 0 also when a bound was missed, for a noisy machine is no defect."""
    log.configure("bench", "error")
    figures: list[Figure] = []
    began = time.monotonic()
    with opened() as bench:
        for name, run in {**BENCHES, **LONG}.items():
            if name in (names or BENCHES):
                for figure in asyncio.run(_run(run, bench)):
                    figures.append(figure)
                    print(figure.line(), flush=True)
    missed = [figure.name for figure in figures if not figure.is_kept]
    print(f"{len(figures)} figures in {time.monotonic() - began:.0f} s, {'missed: ' + ', '.join(missed) if missed else 'none missed'}")
    report = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{os.cpu_count()} x {platform.processor() or platform.machine()}",
        "load_1m": round(os.getloadavg()[0], 1),
        "figures": [figure.as_row() for figure in figures],
    }
    Path("build").mkdir(exist_ok=True)
    Path("build/bench.json").write_text(json.dumps(report, indent=2), "utf-8")
    return 0


async def _run(run: Callable[[Bench], Awaitable[list[Figure]]], bench: Bench) -> list[Figure]:
    return await run(bench)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
