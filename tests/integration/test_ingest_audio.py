"""Recordings through the worker: what is sent, what it costs, which passages come of it."""

import hashlib
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path

import pytest

from sourcebook_core import settings as core_settings
from sourcebook_core.blobs import original_key, playable_key
from tests.fakes import recordings
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.ingest_rig import Library, library

LIMIT = 26_214_400
PRICES = 'currency = "EUR"\n[models."fake-listen"]\nsecond = "0.0001"\n'


@pytest.fixture
async def lib(environment: dict[str, str], fake: FakeProvider, tmp_path: Path) -> AsyncIterator[Library]:
    """A library with a hosted speech role at the fake, and its price."""
    prices = tmp_path / "prices.toml"
    prices.write_text(PRICES)
    async with library(core_settings.load(environment | fake.settings("SPEECH") | {"SOURCEBOOK_PRICES": str(prices)})) as made:
        yield made


async def add(lib: Library, content: bytes, form: str = "wav", name: str | None = None) -> dict[str, object]:
    """A recording, read to its end."""
    source_id = await lib.add("audio", content, name=name or f"memo.{form}", media_type=recordings.MEDIA_TYPES[form])
    return await lib.ended(source_id, 90)


async def calls(lib: Library) -> list[dict[str, object]]:
    return await lib.all("select role, step, state, units, cost, response from calls order by started_at")


@pytest.mark.parametrize(("form", "content"), [("mp3", recordings.made("mp3")), ("wav", recordings.tone(3.0))])
async def test_mp3_and_small_wav_are_sent_as_they_were_added(lib: Library, fake: FakeProvider, form: str, content: bytes) -> None:
    row = await add(lib, content, form)
    assert (row["status"], row["error_message"]) == ("ready", None)
    asked = fake.script.requests("transcriptions")
    assert [one.body["file"]["sha256"] for one in asked] == [hashlib.sha256(content).hexdigest()]
    assert asked[0].body["response_format"] == "verbose_json"
    assert "memo" not in str(asked[0].body)  # the name of a person's file is not the provider's business
    assert await lib.deps.blobs.size(playable_key(row["id"])) is None  # type: ignore[arg-type]


@pytest.mark.parametrize("form", ["m4a", "mp4", "aac", "ogg", "opus", "flac", "webm", "aiff"])
async def test_every_other_form_is_sent_as_mono_mp3_and_kept_beside_the_original(lib: Library, fake: FakeProvider, form: str) -> None:
    content = recordings.made(form, film="testsrc=duration=3:size=64x48:rate=5" if form == "mp4" else "")
    row = await add(lib, content, form)
    assert (row["status"], row["error_message"]) == ("ready", None)
    sent = fake.script.requests("transcriptions")[0].body["file"]
    assert (sent["name"], sent["type"]) == ("recording.mp3", "audio/mpeg")
    kept = await lib.deps.blobs.get(playable_key(row["id"]))  # type: ignore[arg-type]
    assert sent["sha256"] == hashlib.sha256(kept).hexdigest()
    assert await lib.deps.blobs.get(original_key(row["id"])) == content  # type: ignore[arg-type]
    # ISO/IEC 11172-3 and 13818-3, the header of a frame: MPEG-2, layer III, 16 kHz, one channel.
    frame = kept[10 + sum((byte & 0x7F) << shift for byte, shift in zip(kept[6:10], (21, 14, 7, 0), strict=True)) :]
    assert (frame[0], frame[1] & 0xFE, frame[2] & 0x0C, frame[3] & 0xC0) == (0xFF, 0xF2, 0x08, 0xC0)


async def test_a_recording_becomes_passages_of_half_a_minute_to_a_minute_with_their_times(lib: Library, fake: FakeProvider) -> None:
    said = tuple(
        (4.0 * place, 4.0 * place + 4.0, f" Sentence {place} is about the lake{'.' if place % 3 == 2 else ''}") for place in range(40)
    )
    fake.script.add(Reply(kind="transcriptions", segments=said))
    row = await add(lib, recordings.tone(160.0))
    assert row["status"] == "ready"
    passages = await lib.passages(row["id"])  # type: ignore[arg-type]
    assert [(one["start_ms"], one["end_ms"]) for one in passages] == [
        (0, 36000),
        (36000, 72000),
        (72000, 108000),
        (108000, 144000),
        (144000, 160000),
    ]
    assert "".join(one["text"] for one in passages).count("Sentence") == 40
    assert {(one["page"], one["method"]) for one in passages} == {(None, "speech")}
    assert (row["duration_ms"], row["pages"]) == (160_000, None)
    report = row["report"]
    assert (report["by_speech"], report["minutes"], report["calls"]) == (5, 2.7, 1)  # type: ignore[index]
    assert all(chunk["page"] is None for chunk in await lib.chunks(row["id"]))  # type: ignore[arg-type]


async def test_a_whole_recording_is_one_billed_call_per_second_whatever_its_form(lib: Library) -> None:
    tone = recordings.tone(61.0)
    for content, form in ((tone, "wav"), (recordings.made("mp3", seconds=61.0), "mp3")):
        row = await add(lib, content, form)
        assert Decimal(row["report"]["cost"]) == Decimal("0.0061")  # type: ignore[index]
    paid = await calls(lib)
    assert [(one["role"], one["step"], one["units"], one["cost"]) for one in paid] == [
        ("speech", "speech", {"second": 61}, Decimal("0.0061"))
    ] * 2
    assert [one["response"] for one in paid] == [{}, {}]  # the transcript is kept once: as passages


async def test_without_times_there_is_one_passage_without_them(lib: Library, fake: FakeProvider) -> None:
    fake.script.add(Reply(kind="transcriptions", text="All of it. In one piece, " + "and more of it, " * 300, timeless=True))
    row = await add(lib, recordings.tone(100.0))
    passages = await lib.passages(row["id"])  # type: ignore[arg-type]
    assert [(one["page"], one["start_ms"], one["end_ms"]) for one in passages] == [(None, None, None)]
    assert len(await lib.chunks(row["id"])) > 1  # type: ignore[arg-type]


async def test_an_endpoint_that_refuses_verbose_json_is_asked_without(lib: Library, fake: FakeProvider) -> None:
    fake.script.rules.refused_parameters = ("response_format",)
    row = await add(lib, recordings.tone(2.0))
    assert row["status"] == "ready"
    assert ["response_format" in one.body for one in fake.script.requests("transcriptions")] == [True, False]


SILENT = [
    "",
    " \n ",
    "you " * 50,
    "Thank you for watching!",
    "Thanks for watching. Thank you.",
    "Vielen Dank.",
    "ご視聴ありがとうございました",
    "♪ ♪",
    "la la land " * 9,
]


async def test_a_transcript_without_speech_fails_the_source_and_is_billed(lib: Library, fake: FakeProvider) -> None:
    for place, text in enumerate(SILENT):
        fake.script.add(Reply(kind="transcriptions", segments=((0.0, 60.0, text),)))
        row = await add(lib, recordings.silence(60.0 + place))
        assert (row["status"], row["error_code"]) == ("failed", "no_speech"), text
        assert "memo.wav" in str(row["error_message"])
    assert [(one["state"], one["units"]) for one in await calls(lib)] == [("done", {"second": 60 + place}) for place in range(len(SILENT))]


async def test_what_only_looks_like_silence_is_kept_where_the_doubt_is_switched_off(
    environment: dict[str, str], fake: FakeProvider
) -> None:
    settings = core_settings.load(environment | fake.settings("SPEECH") | {"SOURCEBOOK_AUDIO_DOUBT": "false"})
    fake.script.add(Reply(kind="transcriptions", segments=((0.0, 60.0, "you " * 50),)))
    async with library(settings) as lib:
        assert (await add(lib, recordings.silence(60.0)))["status"] == "ready"


async def test_without_a_speech_role_the_source_says_what_to_do(environment: dict[str, str]) -> None:
    async with library(core_settings.load(environment)) as lib:
        row = await add(lib, recordings.tone(1.0))
    assert (row["status"], row["error_code"]) == ("failed", "no_model")
    assert "Connect one under Models" in str(row["error_message"])


async def test_a_notebook_that_keeps_to_local_models_sends_no_recording_away(lib: Library, fake: FakeProvider) -> None:
    async with lib.deps.db.transaction() as conn:
        await conn.execute("update notebooks set settings = '{\"local_only\": true}'")
    row = await add(lib, recordings.tone(1.0))
    assert (row["status"], row["error_code"]) == ("failed", "no_model")
    assert not fake.script.requests("transcriptions")
