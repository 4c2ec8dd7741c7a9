"""The waiting line before the model: one worker thread, text by text, a question before the next passage."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

import structlog

from sourcebook_models.embedder import Mode, Vector

MAX_WAITING_TOKENS = 16_000  # passages in line: half a minute of work on a free core, so that no caller times out in line
MAX_WAITING_QUESTIONS = 64
TOKENS_PER_S = 500.0  # a first guess for Retry-After, replaced by what is measured (1.4–1.7 texts of 300 tokens)

log = structlog.get_logger()
Embed = Callable[[str, Mode, Sequence[str]], list[Vector]]


class Full(Exception):
    """There is no room in the line; `retry_after_s` says when there may be."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(f"full for about {retry_after_s} s")
        self.retry_after_s = retry_after_s


@dataclass(frozen=True)
class Text:
    """One text to embed, once for each of its `languages`."""

    text: str
    mode: Mode
    languages: tuple[str, ...]
    tokens: int
    is_question: bool
    done: Future[list[Vector]] = field(default_factory=Future)


class Line:
    """Texts in order of arrival, questions first; the worker thread is a daemon and lives as long as the process."""

    def __init__(self, embed: Embed, warm: Callable[[], None]) -> None:
        self._embed = embed
        self._warm = warm
        self._changed = threading.Condition()
        self._questions: deque[Text] = deque()
        self._passages: deque[Text] = deque()
        self._passage_tokens = 0
        self._tokens_per_s = TOKENS_PER_S
        self._is_closed = False
        self._worker = threading.Thread(target=self._work, name="embedder", daemon=True)

    def start(self) -> None:
        """Start the worker."""
        self._worker.start()

    def close(self) -> None:
        """Stop after the text at work; what waits is cancelled."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._worker.join(10)

    @property
    def waiting(self) -> tuple[int, int]:
        """Questions and passages in line."""
        with self._changed:
            return len(self._questions), len(self._passages)

    async def embed(self, texts: Sequence[Text]) -> list[list[Vector]]:
        """The vectors of `texts`, all or none of which were taken in; raises Full.

        Cancelling (the caller went away) takes what still waits out of the line.
        """
        self._take_in(texts)
        try:
            return list(await asyncio.gather(*(asyncio.wrap_future(text.done) for text in texts)))
        except asyncio.CancelledError:
            for text in texts:
                text.done.cancel()
            raise

    def _take_in(self, texts: Sequence[Text]) -> None:
        questions = [text for text in texts if text.is_question]
        passages = [text for text in texts if not text.is_question]
        tokens = sum(text.tokens for text in passages)
        with self._changed:
            is_over = self._passage_tokens and self._passage_tokens + tokens > MAX_WAITING_TOKENS
            if (passages and is_over) or (questions and len(self._questions) + len(questions) > MAX_WAITING_QUESTIONS):
                raise Full(max(1, min(60, round(self._passage_tokens / 2 / self._tokens_per_s))))
            self._questions.extend(questions)
            self._passages.extend(passages)
            self._passage_tokens += tokens
            self._changed.notify_all()

    def _next(self) -> Text | None:
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._questions or self._passages)
            if self._is_closed:
                for text in (*self._questions, *self._passages):
                    text.done.cancel()
                return None
            if self._questions:
                return self._questions.popleft()
            text = self._passages.popleft()
            self._passage_tokens -= text.tokens
            return text

    def _work(self) -> None:
        self._warm()
        while (text := self._next()) is not None:
            if not text.done.set_running_or_notify_cancel():
                continue
            began = time.perf_counter()
            try:
                vectors = self._embed(text.text, text.mode, text.languages)
            except Exception as error:  # noqa: BLE001 - the worker must outlive any text; the caller gets the error
                log.error("text.not_embedded", tokens=text.tokens, why=repr(error))
                text.done.set_exception(error)
                continue
            seconds = max(time.perf_counter() - began, 1e-6)
            self._tokens_per_s += 0.1 * (text.tokens / seconds - self._tokens_per_s)
            text.done.set_result(vectors)
