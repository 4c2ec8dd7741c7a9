"""Embedding models: texts in, checked unit vectors out, in batches that the endpoint takes."""

from __future__ import annotations

import base64
import binascii
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sourcebook_core.errors import PermanentError
from sourcebook_core.providers import failures, request
from sourcebook_core.providers.endpoint import endpoint
from sourcebook_core.providers.listing import context_tokens
from sourcebook_core.settings import RoleSettings

Vector = NDArray[np.float32]
Mode = Literal["query", "passage"]
PATH = "/embeddings"
BATCH_TEXTS = 16  # S0-90, C32: that an index is built with; also what is lost and done again after a crash
LOCAL_BATCH_TOKENS = 2000  # decisions "Models": so that a waiting question is soon served and a time-out is far
HOSTED_BATCH_TOKENS = 8000  # C32: also a bound in tokens; hosted servers take 8,192 or more
SHORTEST_CHARS = 40  # a shorter text that is refused was not refused for its length
# What is longer was pasted, and its whole lies no nearer to its answer. Even as signs it is at most 512 tokens, one run of the local
# model: 4,000 characters took it 7 s and more (measured), while everybody else's questions waited.
QUESTION_CHARS = 500
SHORT_WORDS = 4  # decisions "Models": below, the language of a question is a guess
NOT_A_LANGUAGE = "und"  # BCP 47's "undetermined"
_HYPHENATED = re.compile("\u00ad(?:\r\n|\r|\n)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PART = re.compile(r"[^\s!-@\[-`{-~]+|[0-9]+|[!-@\[-`{-~]")  # words with their marks, numbers, ASCII signs
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


@dataclass
class Embedded:
    """Vectors in the order of their texts (length 1, float32), and what they cost; `tokens` None when a reply did not say."""

    vectors: list[Vector]
    tokens: int | None = 0
    calls: int = 0


@dataclass(frozen=True)
class _Text:
    text: str
    language: str = NOT_A_LANGUAGE


@dataclass
class _Run:
    """One call of `embed`: its role, what is known of its model and what it has cost so far."""

    role: RoleSettings
    dimension: int | None
    limit: int | None  # tokens the embedder takes; a longer text is cut before it is sent, for some servers cut it silently
    tokens: int | None = 0
    calls: int = 0


async def embed(role: RoleSettings, texts: Sequence[str], *, mode: Mode, languages: Sequence[str | None] | None = None) -> list[Vector]:
    """One unit vector (float32) per text, in their order. See `embed_counted`."""
    return (await embed_counted(role, texts, mode=mode, languages=languages)).vectors


async def embed_counted(role: RoleSettings, texts: Sequence[str], *, mode: Mode, languages: Sequence[str | None] | None = None) -> Embedded:
    """One unit vector per text and what they cost, in batches of at most `batch_texts` texts and a bound in tokens.

    `languages` (ISO 639-1, one per text, None when unsure) reach only the local server. A refused batch is halved (F24), a
    text over the embedder's limit is embedded in pieces and gets their normalised mean. Each batch is checked whole: count,
    order, dimension, NaN, zero (F23). No text may be blank (ValueError; B04).

    Raises TransientError or PermanentError (`failures`); `dimension_differs` when the role's dimension is another.
    """
    if any(not text.strip() for text in texts):
        raise ValueError("a blank text has no vector")
    prefix = role.query_prefix if mode == "query" else role.passage_prefix
    named = list(languages) if languages is not None else [None] * len(texts)
    items = [_Text(prefix + readable(text), language or NOT_A_LANGUAGE) for text, language in zip(texts, named, strict=True)]
    run = _Run(role, role.dimension, await context_tokens(role))
    vectors: list[Vector] = []
    for batch in _batches(items, run):
        vectors.extend(await _embed_or_halve(batch, run, prefix))
    return Embedded(vectors, run.tokens, run.calls)


async def embed_question(role: RoleSettings, question: str, *, language: str | None) -> Embedded:
    """The vector of a question and its cost; two vectors when it is too short to tell its language: rank by the higher of the two cosines.

    Only the local server centres by language, so only it gives two: by the given language's mean and by the English one. Of a long
    question its beginning and its end are embedded, where people say what they ask.
    """
    is_short = role.provider == "local" and word_count(question) < SHORT_WORDS and language != "en"
    languages = [language, "en"] if is_short else [language]
    told = _ends_of(question)
    found = await embed_counted(role, [told] * len(languages), mode="query", languages=languages)
    if is_short and np.allclose(found.vectors[0], found.vectors[1], atol=1e-4):  # a local server of another make
        found.vectors = found.vectors[:1]
    return found


def _ends_of(question: str) -> str:
    """A question of at most `QUESTION_CHARS` as it is; of a longer one its first and its last half as many."""
    unfolded = unicodedata.normalize("NFKC", question)  # as the local model reads it: one character may be eighteen
    half = QUESTION_CHARS // 2
    return question if len(unfolded) <= QUESTION_CHARS else f"{unfolded[:half]} {unfolded[-half:]}"


def readable(text: str) -> str:
    """A text as an embedder should see it: NFC, words hyphenated at a line end joined, lone surrogates and NUL replaced."""
    text = _SURROGATE.sub("\ufffd", text).replace("\0", "\ufffd")
    return unicodedata.normalize("NFC", _HYPHENATED.sub("", text))


def word_count(text: str) -> int:
    """Words between blanks; in scripts without blanks two characters count as a word."""
    cjk = len(_CJK.findall(text))
    return len(_CJK.sub(" ", text).split()) + math.ceil(cjk / 2)


def token_estimate(text: str) -> int:
    """About how many tokens a multilingual subword model makes of `text`.

    Measured on 14 kinds of text with multilingual-e5-small's tokeniser: 0.8 to 1.6 of what it counts, most within a tenth.
    """
    total = 0
    for part in _PART.findall(text):
        if part.isascii():
            per_token = 6.5 if part.isalpha() else 2.5  # a sign is one part
        else:
            per_token = 1.8 if _CJK.search(part) else 4.5
        total += math.ceil(len(part) / per_token)
    return total


def _batches(items: Sequence[_Text], run: _Run) -> Iterator[list[_Text]]:
    """The items in their order, in batches within the bounds; one that is too long for the model is a batch of its own."""
    role = run.role
    bound = LOCAL_BATCH_TOKENS if role.provider == "local" else HOSTED_BATCH_TOKENS
    batch: list[_Text] = []
    tokens = 0
    for item in items:
        cost = token_estimate(item.text)
        texts = min(role.batch_texts, endpoint(role).batch_texts or role.batch_texts)
        is_long = _is_long(item, run)
        if batch and (len(batch) >= texts or tokens + cost > bound or is_long):
            yield batch
            batch, tokens = [], 0
        if is_long:
            yield [item]
            continue
        batch.append(item)
        tokens += cost
    if batch:
        yield batch


def _is_long(item: _Text, run: _Run) -> bool:
    return run.limit is not None and token_estimate(item.text) > run.limit and len(item.text) > SHORTEST_CHARS


async def _embed_or_halve(batch: list[_Text], run: _Run, prefix: str) -> list[Vector]:
    if len(batch) == 1 and _is_long(batch[0], run):
        return await _in_pieces(batch[0], run, prefix)
    try:
        return await _embed_batch(batch, run)
    except PermanentError as error:
        if error.facts.get("status") not in {400, 413, 422}:
            raise
        if len(batch) == 1 and len(batch[0].text) - len(prefix) < SHORTEST_CHARS:
            raise
    if len(batch) == 1:
        return await _in_pieces(batch[0], run, prefix)
    half = len(batch) // 2
    first = await _embed_or_halve(batch[:half], run, prefix)
    second = await _embed_or_halve(batch[half:], run, prefix)
    if all(len(item.text) < SHORTEST_CHARS * 10 for item in batch):  # refused for their number, not for a long one among them
        endpoint(run.role).batch_texts = min(half, endpoint(run.role).batch_texts or half)
    return first + second


async def _in_pieces(item: _Text, run: _Run, prefix: str) -> list[Vector]:
    """The normalised mean of the vectors of a long text's two halves, which may be cut again."""
    text = item.text[len(prefix) :]
    cut = _near_middle(text)
    halves = [part for part in (text[:cut], text[cut:]) if part.strip()]
    parts = [(await _embed_or_halve([_Text(prefix + part, item.language)], run, prefix))[0] for part in halves]
    mean = np.mean(parts, axis=0)
    length = float(np.linalg.norm(mean))
    if not length:
        raise failures.bad_reply(run.role, "the parts of a long text cancel out.")
    return [np.asarray(mean / length, dtype=np.float32)]


def _near_middle(text: str) -> int:
    """Where to cut: after the blank nearest to the middle within the middle half, else in the middle."""
    middle, reach = len(text) // 2, len(text) // 4
    for step in range(reach):
        for place in (middle - step, middle + step):
            if text[place].isspace():
                return place + 1
    return middle


async def _embed_batch(batch: Sequence[_Text], run: _Run) -> list[Vector]:
    role = run.role
    fields = {
        "model": role.model,
        "input": [item.text for item in batch],
        "dimensions": role.dimension,
        "encoding_format": "base64",  # a third of the bytes of numbers in JSON; dropped where refused
        **role.options,
    }
    headers = {"X-Language": ",".join(item.language for item in batch)} if role.provider == "local" else {}
    found = await request.post(role, PATH, fields, headers)
    run.calls += 1
    used = (found.get("usage") or {}).get("prompt_tokens")
    run.tokens = run.tokens + used if run.tokens is not None and isinstance(used, int) else None
    vectors = _checked(found, len(batch), role, run.dimension)
    run.dimension = len(vectors[0])
    return vectors


def _checked(found: Mapping[str, Any], count: int, role: RoleSettings, dimension: int | None) -> list[Vector]:
    rows = found.get("data")
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows) or len(rows) != count:
        got = len(rows) if isinstance(rows, list) else 0
        raise failures.bad_reply(role, f"{count} texts were sent, {got} vectors came back.")
    places = [row.get("index", place) for place, row in enumerate(rows)]
    if not all(isinstance(place, int) for place in places) or sorted(places) != list(range(count)):
        raise failures.bad_reply(role, "its vectors cannot be told apart (the field index).")
    vectors: list[Vector] = [np.empty(0, np.float32)] * count
    for place, row in zip(places, rows, strict=True):
        vectors[place] = _unit(_numbers(row.get("embedding"), role), role)
    wanted = dimension or len(vectors[0])
    for vector in vectors:
        if len(vector) != wanted and role.dimension:
            raise PermanentError("dimension_differs", got=len(vector), want=wanted, setting="SOURCEBOOK_EMBEDDING_DIMENSION")
        if len(vector) != wanted:
            raise failures.bad_reply(role, "its vectors differ in length.")
    return vectors


def _numbers(given: object, role: RoleSettings) -> Vector:
    try:
        if isinstance(given, str):
            return np.frombuffer(base64.b64decode(given, validate=True), dtype="<f4").astype(np.float32)
        vector = np.asarray(given, dtype=np.float32)
    except (binascii.Error, ValueError, TypeError):
        raise failures.bad_reply(role, "a vector cannot be read.") from None
    if vector.ndim != 1 or not vector.size:
        raise failures.bad_reply(role, "a vector cannot be read.")
    return vector


def _unit(vector: Vector, role: RoleSettings) -> Vector:
    length = float(np.linalg.norm(vector.astype(np.float64)))
    if not math.isfinite(length):
        raise failures.bad_reply(role, "a vector holds what is not a number.")
    if length == 0:
        raise failures.bad_reply(role, "a vector is zero.")
    return np.asarray(vector / length, dtype=np.float32)
