"""S2-01, S2-53: a product's help of 722 sections in 1,900 passages, searched as its profile does, the embedding call left out."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sourcebook_core import profiles
from sourcebook_core.db import Conn, Db
from sourcebook_core.store import scopes, search
from sourcebook_core.store.scopes import Holder, Scope
from sourcebook_core.text import lexemes
from sourcebook_rag.answer import parts, retrieve
from tests import rows
from tests.load import corpus
from tests.load.bench import Bench
from tests.load.corpus import Model
from tests.load.figures import Figure, median, ms, percentile

SOURCES, SECTIONS_EACH = 19, 38  # 722 sections; the help that was measured before had 1,853 passages
ROUNDS, WARM = 40, 3


@dataclass
class _Asked:
    """A notebook and what is asked of it: each question with its vector."""

    db: Db
    notebook: rows.Notebook
    questions: list[str]
    vectors: list[list[float]]

    async def timed(self, ask: Callable[[Conn, Scope, int], Awaitable[None]]) -> list[float]:
        """The seconds of each question, its scope included."""
        took = []
        for place in range(ROUNDS):
            began = time.perf_counter()
            async with self.db.snapshot() as conn:
                scope = await scopes.of(conn, Holder("notebook", self.notebook.id), self.notebook.owner_id, None)
                assert scope is not None
                await scopes.enter(conn, scope)
                await ask(conn, scope, place)
            took.append(time.perf_counter() - began)
        return took[WARM:]

    async def whole(self, conn: Conn, scope: Scope, place: int) -> None:
        """What an answer does up to the words of its passages."""
        knobs, question = profiles.get(scope.profile).retrieval, self.questions[place]
        (part,) = parts.parts_of(scope, question, "en", {}, knobs)
        found = await retrieve.gather(conn, part, question, "en", [self.vectors[place]], knobs, corpus.CHUNKS * SOURCES)
        told = retrieve.retrieve([found], scope, knobs, -1.0)  # every vector is near enough: more to rank, not less
        await retrieve.read_words(conn, told, told.wanted())
        assert sum(one.kept for one in told.candidates) == knobs.k

    async def words(self, conn: Conn, scope: Scope, place: int) -> None:
        """The list by words alone."""
        assert await search.matching(conn, scope, lexemes.question_lexemes(self.questions[place], {"en"}, "en"))

    async def meaning(self, conn: Conn, scope: Scope, place: int) -> None:
        """The list by meaning alone."""
        assert await search.nearest(conn, scope, [self.vectors[place]])


async def sections(bench: Bench) -> list[Figure]:
    """The whole search within 0.2 s, and what words and vectors alone take."""
    db = await Db.open(bench.settings())
    try:
        made = await corpus.empty(db, seed=20, model=Model())
        notebook = await made.notebook()
        await made.fill(notebook, SOURCES)
        async with db.transaction() as conn:
            await conn.execute("update notebooks set profile = 'help' where id = $1", notebook.id)
            await conn.execute("update corpus.passages set heading = 'Section ' || ordinal * $1 / $2", SECTIONS_EACH, corpus.CHUNKS)
        await made.settle()
        texts = list(made.texts.values())
        questions = [made.prose.question(texts[place * 7919 % len(texts)]) for place in range(ROUNDS)]
        asked = _Asked(db, notebook, questions, made.prose.vectors(ROUNDS, corpus.DIMENSION).tolist())
        whole, words, meaning = [await asked.timed(way) for way in (asked.whole, asked.words, asked.meaning)]
    finally:
        await db.close()
    what = f"seconds of a search of {SOURCES * SECTIONS_EACH} sections, {SOURCES * corpus.CHUNKS} passages, p50"
    parts_of_it = f"words {ms(median(words))}, vectors {ms(median(meaning))}"
    return [Figure("S2-01", what, median(whole), 0.2, "<=", f"p95 {ms(percentile(whole, 0.95))}; {parts_of_it}")]
