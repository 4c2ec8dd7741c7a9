"""Try a role for real: three questions for writing, three texts for embedding, a drawn picture, a second of sound."""

from __future__ import annotations

import io
import re
import time
from dataclasses import dataclass, replace

from PIL import Image, ImageDraw, ImageFont

from sourcebook_core import waves
from sourcebook_core.providers import chat, embed, failures, speech, vision
from sourcebook_core.providers.endpoint import endpoint
from sourcebook_core.settings import RoleSettings

ANSWER_TOKENS = 120
# One call tells the speed of building an index: for a hosted model a batch as large, for the delay is most of it; a local one works
# text by text, and two tell as much without making a slow machine wait.
LOCAL_TEXTS = 2
SHORTEST_TEXT = 40
PICTURE_WORDS = "The ferry to Lindow leaves at nine"
SPEECH_HZ = 16_000
_MARK = re.compile(r"\[(\d+)\]")
_ASK = (
    "Answer the question in one sentence from the numbered sources alone. Put the number of the source that says it in "
    "square brackets at the end of the sentence, like [1]. Use no other knowledge."
)


@dataclass(frozen=True)
class _Case:
    sources: tuple[str, ...]
    question: str
    cites: int
    says: str  # a word that a right answer holds


CASES = (
    _Case(
        (
            "The orchard of Lindow was planted in 1911 by the Brandt family.",
            "The mill of Lindow was closed in 1968 and is a museum now.",
            "The school of Lindow has 240 pupils.",
        ),
        "When was the mill closed?",
        2,
        "1968",
    ),
    _Case(
        (
            "Keep the sourdough at 26 degrees and feed it every twelve hours.",
            "Rye flour takes up more water than wheat flour.",
            "Bake the loaf for 50 minutes and let it cool on a rack.",
        ),
        "How long is the loaf baked?",
        3,
        "50",
    ),
    _Case(
        (
            "Line 4 runs from the harbour to the university every ten minutes.",
            "Line 7 runs from the airport to the main station every half hour.",
            "Bicycles may be taken on board after nine in the evening.",
        ),
        "Which line goes to the university?",
        1,
        "4",
    ),
)


# Small models cite only after they have seen it done; answers are asked for with worked examples too.
EXAMPLE = _Case(
    ("The bridge over the Warn is 84 metres long.", "The bridge over the Warn was painted green in 2003."),
    "What colour is the bridge?",
    2,
    "The bridge is green [2].",
)


@dataclass(frozen=True)
class ChatTrial:
    """How a writing model did: seconds for all calls, words a second while writing, and how many answers cited rightly."""

    seconds: float
    words_per_s: float | None
    cites_right: int
    cites_of: int


@dataclass(frozen=True)
class EmbeddingTrial:
    """How an embedding model did: seconds for one call, numbers per text, and whether the nearer text came out nearer.

    `batch_seconds` for a call of `batch_texts` texts as an index is built with, and the tokens the provider counted; 0 and None
    when none was asked for.
    """

    seconds: float
    dimension: int
    is_sensible: bool
    batch_texts: int = 0
    batch_seconds: float = 0.0
    batch_tokens: int | None = None


@dataclass(frozen=True)
class VisionTrial:
    """How a picture reader did: seconds for one call, and how many words of a small picture it read."""

    seconds: float
    reads_right: int
    reads_of: int


async def test_chat(role: RoleSettings) -> ChatTrial:
    """Ask three questions with three sources each; an answer is right when it holds the fact and cites its source alone.

    Costs three short calls. Raises the errors of `chat.stream`, also when only one of the calls fails.
    """
    endpoint(role).try_now()
    began = time.perf_counter()
    right, words, writing_s = 0, 0, 0.0
    for case in CASES:
        answer, first_at = "", time.perf_counter()
        async for piece in chat.stream(role, messages_of(case), max_tokens=ANSWER_TOKENS):
            if not answer:
                first_at = time.perf_counter()
            answer += piece.text
        words += len(answer.split())
        writing_s += time.perf_counter() - first_at
        right += is_right(answer, case)
    speed = round(words / writing_s, 1) if writing_s > 0.01 else None  # a fake or a cache answers at once
    return ChatTrial(round(time.perf_counter() - began, 2), speed, right, len(CASES))


def messages_of(case: _Case) -> list[dict[str, str]]:
    """The prompt of one case: the rule, one worked example, the case."""
    return [
        {"role": "system", "content": _ASK},
        {"role": "user", "content": _put(EXAMPLE)},
        {"role": "assistant", "content": EXAMPLE.says},
        {"role": "user", "content": _put(case)},
    ]


def _put(case: _Case) -> str:
    sources = "\n".join(f"[{n}] {text}" for n, text in enumerate(case.sources, 1))
    return f"Sources:\n{sources}\n\nQuestion: {case.question}"


def is_right(answer: str, case: _Case) -> bool:
    """True when the answer holds the case's fact and cites its source and no other."""
    marks = {int(mark) for mark in _MARK.findall(answer)}
    return case.says in _MARK.sub("", answer) and marks == {case.cites}


async def test_embedding(role: RoleSettings, batch_chars: int = 0) -> EmbeddingTrial:
    """Embed a question and two passages in one call each; raises the errors of `embed.embed`.

    With `batch_chars` also one call of texts of about that many characters, to tell how fast an index would be built.
    """
    endpoint(role).try_now()
    case = CASES[0]
    began = time.perf_counter()
    (question,) = await embed.embed(role, [case.question], mode="query", languages=["en"])
    near, far = await embed.embed(role, [case.sources[case.cites - 1], CASES[1].sources[1]], mode="passage", languages=["en", "en"])
    seconds = round(time.perf_counter() - began, 2)
    told = EmbeddingTrial(seconds, len(question), bool(float(question @ near) > float(question @ far)))
    return await _with_speed(role, told, batch_chars) if batch_chars else told


async def _with_speed(role: RoleSettings, told: EmbeddingTrial, chars: int) -> EmbeddingTrial:
    texts = sample_texts(LOCAL_TEXTS if role.provider == "local" else embed.BATCH_TEXTS, chars)
    began = time.perf_counter()
    found = await embed.embed_counted(role, texts, mode="passage", languages=["en"] * len(texts))
    return replace(told, batch_texts=len(texts), batch_seconds=time.perf_counter() - began, batch_tokens=found.tokens)


def sample_texts(count: int, chars: int) -> list[str]:
    """So many texts of about so many characters, each another one: a server that keeps what it has embedded tells no speed."""
    sentences = [sentence for case in CASES for sentence in case.sources]
    whole = " ".join(sentences) + " "
    length = max(SHORTEST_TEXT, chars)
    return [f"{n + 1}. " + (whole[n * 37 % len(whole) :] + whole * (length // len(whole) + 1))[:length] for n in range(count)]


async def test_speech(role: RoleSettings) -> float:
    """Have one second of sound without a word written down; gives the seconds that took. Raises the errors of `speech.transcribe`."""
    endpoint(role).try_now()
    began = time.perf_counter()
    await speech.transcribe(role, waves.wav(bytes(2 * SPEECH_HZ), SPEECH_HZ), "audio/wav", 1.0)
    return round(time.perf_counter() - began, 2)


async def test_vision(role: RoleSettings) -> VisionTrial:
    """Have a small drawn picture read; one call. Raises the errors of `vision.transcribe`, and `model_bad_reply` when no word came back."""
    endpoint(role).try_now()
    began = time.perf_counter()
    found = await vision.transcribe(role, picture(), "Write down the words in this picture and nothing else.", language="en")
    seconds = round(time.perf_counter() - began, 2)
    read = {word.strip(".,:;!?\"'").lower() for word in found.text.split()}
    words = PICTURE_WORDS.lower().split()
    right = sum(word in read for word in words)
    if not right:
        raise failures.bad_reply(role, "it read none of the words of a small picture.")
    return VisionTrial(seconds, right, len(words))


def picture() -> bytes:
    """A JPEG with `PICTURE_WORDS` in black on white."""
    page = Image.new("L", (760, 120), 255)
    ImageDraw.Draw(page).text((40, 36), PICTURE_WORDS, fill=0, font=ImageFont.load_default(36))
    out = io.BytesIO()
    page.save(out, "JPEG", quality=90)
    return out.getvalue()
