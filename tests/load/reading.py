"""R2, the gain of a second worker, and the readers' memory: chunks a second without a model's cost; one child's peak."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import numpy as np
import pypdfium2
from pgvector import HalfVector

from sourcebook_core import settings as core_settings
from sourcebook_core.db import Db
from sourcebook_core.sandbox import Child
from sourcebook_core.settings import Limits
from sourcebook_core.text import chunk
from sourcebook_ingest.read import pdf as reader
from sourcebook_ingest.read.outcome import Facts
from tests.ingest_rig import Library, library
from tests.load import free_embedder
from tests.load.bench import Bench
from tests.load.figures import Figure, ratio
from tests.load.pdf import write_pdf

ROUNDS = 3
PAGES = 60
LONG = 300  # pages of R2: what a file costs beside its pages is told by R1
FILES = 24
SLOTS = "1"  # a worker reads one file at a time, so that two workers are compared with one and not two slots with four


def _embedding(address: str) -> dict[str, str]:
    """An embedding role that costs next to nothing."""
    return {
        "SOURCEBOOK_EMBEDDING_PROVIDER": "api",
        "SOURCEBOOK_EMBEDDING_BASE_URL": address,
        "SOURCEBOOK_EMBEDDING_MODEL": "free",
        "SOURCEBOOK_EMBEDDING_DIMENSION": str(free_embedder.DIMENSION),
    }


async def chunks_a_second(bench: Bench) -> list[Figure]:
    """R2: from the commit of a PDF to `ready`, beside a loop that reads it with pdfium, cuts it and copies chunks and vectors."""
    files = [_file(bench.folder / f"r2-{number}.pdf", number, pages=LONG) for number in range(ROUNDS)]
    with free_embedder.running() as address:
        environment = bench.environment(SLOTS_INGEST=SLOTS) | _embedding(address)
        ours, bare, count = [], [], 0
        with bench.processes(environment) as processes:
            processes.start("ingest")
            async with library(core_settings.load(environment), working=False) as made:
                await _bare_tables(made.deps.db)
                await _read(made, [_file(bench.folder / "r2-warm.pdf", 99, pages=2)])
                for file in files:
                    ours.append(await _read(made, [file]))
                    began = time.perf_counter()
                    count += await _bare(made.deps.db, file)
                    bare.append(time.perf_counter() - began)
    mine, theirs = f"{count / sum(ours):.0f}/s", f"{count / sum(bare):.0f}/s"
    return [
        Figure("R2", "ingest, chunks of PDF with a free embedder, beside pdfium and COPY", 1 / ratio(ours, bare), 0.4, ">=", mine, theirs)
    ]


async def two_workers(bench: Bench) -> list[Figure]:
    """Text PDFs by two workers of one slot each, beside one."""
    files = [_file(bench.folder / f"two-{number}.pdf", 200 + number) for number in range(FILES)]
    alone, both = await _timed(bench, files, 1), await _timed(bench, files, 2)
    return [Figure("two", f"{FILES} PDFs by two workers, beside one", alone / both, 1.6, ">=", f"{both:.1f} s", f"{alone:.1f} s")]


async def memory(bench: Bench) -> list[Figure]:
    """The peak of the child that reads a PDF of 1,000 pages, in GB."""
    file = _file(bench.folder / "long.pdf", 7, pages=1000)
    child = Child(Limits())
    peaks = _Peaks()
    try:
        descriptor = os.open(file, os.O_RDONLY)
        async for _ in reader.read(child, descriptor, file.name, None, set(), Facts()):
            peaks.look(child)
        os.close(descriptor)
    finally:
        await child.close()
    return [Figure("memory", "peak of the child that reads 1,000 pages, GB", peaks.most / 1e9, 1.0, "<=")]


class _Peaks:
    """The most memory that any child of a fork server held, as the kernel tells it."""

    def __init__(self) -> None:
        self.most = 0

    def look(self, child: Child) -> None:
        server = child.process_number
        for status in Path("/proc").glob("[0-9]*/status"):
            try:
                lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
            except OSError:
                continue
            if lines.get("PPid", "").strip() == str(server):
                self.most = max(self.most, int(lines.get("VmHWM", "0 kB").split()[0]) * 1024)


def _file(path: Path, seed: int, pages: int = PAGES) -> Path:
    write_pdf(path, pages, seed)
    return path


async def _read(made: Library, files: Sequence[Path]) -> float:
    """Seconds from the commit of the first of the files until all are ready."""
    began = time.perf_counter()
    ids = [await made.add("pdf", file.read_bytes(), name=file.name) for file in files]
    for source_id in ids:
        row = await made.ended(source_id, 600)
        assert row["status"] == "ready", row
    return time.perf_counter() - began


async def _timed(bench: Bench, files: Sequence[Path], workers: int) -> float:
    with free_embedder.running() as address:
        environment = bench.environment(SLOTS_INGEST=SLOTS) | _embedding(address)
        with bench.processes(environment) as processes:
            async with library(core_settings.load(environment), working=False) as made:
                for _ in range(workers):
                    processes.start("ingest", wait=False)
                await _read(made, [_file(bench.folder / f"warm-{uuid4()}.pdf", 98 + at, pages=2) for at in range(2 * workers)])
                return await _read(made, files)


async def _bare_tables(db: Db) -> None:
    async with db.transaction() as conn:
        await conn.execute("create table bare_chunks (id uuid primary key, page int, text text, e halfvec)")


async def _bare(db: Db, file: Path) -> int:
    """What can hardly be left out: text of each page, windows of it, and one COPY a page of 16 with a vector each."""
    document = pypdfium2.PdfDocument(file)
    vector = HalfVector(np.full(free_embedder.DIMENSION, 0.05, np.float32))
    rows, count = [], 0
    for number, page in enumerate(document, 1):
        text = page.get_textpage().get_text_range()
        rows += [(uuid4(), number, text[start:end], vector) for start, end in chunk.token_window(text, 300, 40)]
        if number % 16 == 0 or number == len(document):
            async with db.transaction() as conn:
                await conn.copy_records_to_table("bare_chunks", records=rows, columns=["id", "page", "text", "e"])
            count, rows = count + len(rows), []
    document.close()
    return count
