"""POST /v1/chat/completions with the model `ocr`: one picture in, its text out, with a place for every word."""

from __future__ import annotations

import base64
import binascii
import time
import uuid
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sourcebook_core.local_models import OCR_MODEL
from sourcebook_models.bench import Bench
from sourcebook_models.line import Full
from sourcebook_models.presence import GONE_STATUS, unless_gone
from sourcebook_models.refused import Refused

MAX_BODY_BYTES = 32_000_000  # a picture of 24 MB in base64; a page at 150 dpi is below 1 MB
MOST = 12  # pictures at work or in line: two sources being read, four pages of each in flight, and some room
SILENT_S = 130.0  # above the longest call of tesseract
IDLE_S = 120.0  # then its memory (up to 0.5 GB) is given back; starting again takes 1 to 2 s


async def answer(request: Request, body: Mapping[str, Any], bench: Bench) -> Response:
    """A chat completion whose message is the picture's text, with `words`, `turned` and `unreadable`; or OpenAI's error object."""
    try:
        picture = picture_of(body)
        head = {"language": request.headers.get("x-language", "").strip().lower().split("-")[0]}
        read = await unless_gone(request, bench.ask(head, lambda: picture))
    except Full as full:
        refused = Refused("Too many pictures are waiting. Send it again later.", status=429, code="rate_limit_exceeded")
        return refused.response({"Retry-After": str(full.retry_after_s)})
    except Refused as refused:
        return refused.response()
    if read is None:
        return Response(status_code=GONE_STATUS)
    message = {"role": "assistant", "content": read["text"], "refusal": None}
    message |= {name: read[name] for name in ("words", "turned", "unreadable")}
    return JSONResponse(
        {
            "id": f"chatcmpl-{uuid.uuid4().hex}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": OCR_MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
            "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        }
    )


def picture_of(body: Mapping[str, Any]) -> bytes:
    """The one picture of a request in OpenAI's form, as a data URL. Raises Refused; nothing is ever fetched."""
    if body.get("stream"):
        raise Refused("This model does not stream.", param="stream")
    messages = body.get("messages")
    if not isinstance(messages, list):
        raise Refused("messages is a list of messages.", param="messages")
    urls = [url for message in messages if isinstance(message, Mapping) for url in _urls(message.get("content"))]
    if len(urls) != 1:
        raise Refused(f"This model reads one picture a request, got {len(urls)}.", param="messages")
    kind, comma, coded = urls[0].partition(",")
    if not comma or not kind.startswith("data:image/") or not kind.endswith(";base64"):
        raise Refused("The picture is given as a data URL (data:image/jpeg;base64,…); addresses are not fetched.", param="messages")
    try:
        return base64.b64decode(coded, validate=True)
    except (binascii.Error, ValueError):
        raise Refused("The picture is not base64.", param="messages") from None


def _urls(content: object) -> list[str]:
    parts = content if isinstance(content, list) else []
    pictures = [part.get("image_url") for part in parts if isinstance(part, Mapping) and part.get("type") == "image_url"]
    given = [picture.get("url") if isinstance(picture, Mapping) else picture for picture in pictures]
    return [url if isinstance(url, str) else "" for url in given]
