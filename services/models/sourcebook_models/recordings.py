"""POST /v1/audio/transcriptions: one recording in, what is said in it out, with its seconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Message

from sourcebook_core.local_models import SPEECH_MODEL
from sourcebook_models.bench import Bench
from sourcebook_models.line import Full
from sourcebook_models.presence import GONE_STATUS, unless_gone
from sourcebook_models.refused import Refused

MOST = 3  # recordings at work or in line; one takes minutes
SILENT_S = 300.0  # a step of ten minutes is looked through for speech before its first words come
IDLE_S = 120.0  # then its memory (0.4 GB) is given back; loading again takes 1 to 3 s
SPARE_BYTES = 100_000  # of the form around the file
FORMATS = ("json", "verbose_json", "text")


@dataclass(frozen=True)
class Asked:
    """A request that was read."""

    upload: UploadFile
    head: dict[str, Any]
    format: str


async def answer(request: Request, bench: Bench | None, most_bytes: int) -> Response:
    """The transcript in the form asked for, or OpenAI's error object. The file is kept on disk while it waits."""
    try:
        if bench is None:
            raise Refused("No speech model is installed here. Install the extra local, or connect one under Models.", status=404)
        bench.check()
        async with _bounded(request, most_bytes + SPARE_BYTES).form(max_files=1, max_fields=20) as form:
            asked = read(form, most_bytes)
            heard = await unless_gone(request, bench.ask(asked.head, asked.upload.file.read))
    except Full as full:
        refused = Refused("Too many recordings are waiting. Send it again later.", status=429, code="rate_limit_exceeded")
        return refused.response({"Retry-After": str(full.retry_after_s)})
    except HTTPException as broken:  # Starlette's word for a form that is none
        return Refused(f"The form cannot be read: {broken.detail}").response()
    except Refused as refused:
        return refused.response()
    if heard is None:
        return Response(status_code=GONE_STATUS)
    return _shaped(heard, asked.format, with_words=bool(asked.head["words"]))


def _bounded(request: Request, most_bytes: int) -> Request:
    """The same request, whose body ends with Refused once it is larger than it may be."""
    seen = 0

    async def receive() -> Message:
        nonlocal seen
        message = await request.receive()
        seen += len(message.get("body", b""))
        if seen > most_bytes:
            raise Refused(f"The recording is larger than {most_bytes} bytes.", status=413, param="file")
        return message

    return Request(request.scope, receive)


def read(form: FormData, most_bytes: int) -> Asked:
    """Check the form of a request; raises Refused naming the field."""
    upload = form.get("file")
    if not isinstance(upload, UploadFile) or not upload.size:
        raise Refused("file is the recording.", param="file")
    if upload.size > most_bytes:
        raise Refused(f"The recording is larger than {most_bytes} bytes.", status=413, param="file")
    if form.get("model", SPEECH_MODEL) != SPEECH_MODEL:
        raise Refused(f"The speech model here is {SPEECH_MODEL}.", status=404, code="model_not_found", param="model")
    wanted = str(form.get("response_format") or "json")
    if wanted not in FORMATS:
        raise Refused(f"response_format is one of {', '.join(FORMATS)}.", param="response_format")
    if form.get("stream") == "true":
        raise Refused("This model does not stream.", param="stream")
    language = str(form.get("language") or "").strip().lower().split("-")[0] or None
    if language is not None and not (language.isascii() and language.isalpha() and len(language) <= 3):
        raise Refused("language is a code, as en.", param="language")
    grains = [*form.getlist("timestamp_granularities[]"), *form.getlist("timestamp_granularities")]
    prompt = str(form.get("prompt") or "")[:1000] or None
    return Asked(upload, {"language": language, "prompt": prompt, "words": "word" in grains}, wanted)


def _shaped(heard: dict[str, Any], wanted: str, *, with_words: bool) -> Response:
    if wanted == "text":
        return PlainTextResponse(heard["text"] + "\n")
    if wanted == "json":
        return JSONResponse({"text": heard["text"]})
    words = [word for segment in heard["segments"] for word in segment.pop("words", [])]
    return JSONResponse({"task": "transcribe", **heard, **({"words": words} if with_words else {})})
