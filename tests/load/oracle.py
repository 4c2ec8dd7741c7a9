"""bm25s with the analyser's own terms, lengths and fixed average length: what the ranking in the database is held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import bm25s
import numpy as np
from bm25s import scoring
from numpy.typing import NDArray

from sourcebook_core.text import lexemes
from sourcebook_core.text.lexemes import ChunkLexemes, QuestionLexemes


class Oracle:
    """BM25 scores of a fixed set of chunks by bm25s.

    bm25s takes the number of tokens as length and their mean as average; here a word and its stem are two terms of one word
    and the average is the recipe's, so its matrix is built by its own formulas with those two numbers given.
    """

    def __init__(self, found: Sequence[ChunkLexemes], average: float) -> None:
        self._places = {term: place for place, term in enumerate(dict.fromkeys(term for one in found for term in one.counts))}
        self._count = len(found)
        engine = bm25s.BM25(k1=lexemes.K1, b=lexemes.B, method="lucene", csc_backend="numpy")
        tokens = [[self._places[term] for term in Counter(one.counts).elements()] for one in found]
        frequencies = scoring._calculate_doc_freqs(tokens, range(len(self._places)), show_progress=False)
        idf = scoring._build_idf_array(frequencies, self._count, scoring._select_idf_scorer("lucene"), dtype="float64")
        weigh = scoring._select_tfc_scorer("lucene")
        data, rows, columns = [], [], []
        for place, (held, one) in enumerate(zip(tokens, found, strict=True)):
            if not held:
                continue
            terms, how_often = scoring._get_counts_from_token_ids(held, dtype="float64", int_dtype="int32")
            data.append(idf[terms] * weigh(how_often, one.length, average, engine.k1, engine.b))
            columns.append(terms)
            rows.append(np.full(len(terms), place, dtype="int32"))
        shape = (self._count, len(self._places))
        values, indices, starts = engine._np_csc(np.concatenate(data), np.concatenate(rows), np.concatenate(columns), shape)
        engine.scores = {"data": values, "indices": indices, "indptr": starts, "num_docs": self._count}
        engine.nonoccurrence_array = None
        self._engine = engine

    def scores(self, question: QuestionLexemes) -> NDArray[np.float64]:
        """The score of every chunk in order: for each word the best of its terms, as bm25s weighs it."""
        total = np.zeros(self._count)
        for word in question.words:
            terms = [self._places[term] for term in word.terms if term in self._places]
            if terms:
                total += np.max([self._engine.get_scores_from_ids([term]) for term in terms], axis=0)
        return total
