"""How much of a recording is sent: the 25 MiB and four-hour rules, bit rates, steps of a local model, replies that fail."""

from decimal import Decimal
from typing import Any

import pytest

from sourcebook_core import jobs, sound
from sourcebook_core import settings as core_settings
from sourcebook_core.blobs import playable_key
from sourcebook_core.jobs import ReadSource
from sourcebook_core.store import sources
from tests.fakes import recordings
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply, Request
from tests.ingest_rig import Library, library

LIMIT = 26_214_400


async def add(lib: Library, content: bytes, form: str = "wav") -> dict[str, Any]:
    source_id = await lib.add("audio", content, name=f"memo.{form}", media_type=recordings.MEDIA_TYPES[form])
    return await lib.ended(source_id, 120)


def heard(fake: FakeProvider) -> list[Request]:
    return fake.script.requests("transcriptions")


async def test_an_mp3_of_25_mebibytes_is_sent_and_one_byte_more_is_refused(environment: dict[str, str], fake: FakeProvider) -> None:
    async with library(core_settings.load(environment | fake.settings("SPEECH"))) as lib:
        row = await add(lib, recordings.padded_mp3(LIMIT), "mp3")
        assert (row["status"], heard(fake)[0].body["file"]["bytes"]) == ("ready", LIMIT)
        row = await add(lib, recordings.padded_mp3(LIMIT + 1), "mp3")
        assert (row["status"], row["error_code"]) == ("failed", "too_large")
        assert "25" in row["error_message"] and "minutes" in row["error_message"]
        row = await add(lib, recordings.long_mp3(14_401.0), "mp3")
        assert (row["status"], row["error_code"]) == ("failed", "too_long")
        assert "4 h 1 min" in row["error_message"] and "4 hours" in row["error_message"]
        assert len(heard(fake)) == 1


async def test_the_limit_is_held_against_what_is_sent(environment: dict[str, str], fake: FakeProvider) -> None:
    """With a limit of 200,000 bytes: a WAV up to it goes as it is, a longer one as MP3 at the highest bit rate that fits."""
    async with library(core_settings.load(environment | fake.settings("SPEECH") | {"SOURCEBOOK_AUDIO_BYTES": "200000"})) as lib:
        for seconds, kbits, is_hoarse in ((12.4, None, False), (12.6, 64, False), (60.0, 24, False), (120.0, 8, True)):
            row = await add(lib, recordings.tone(seconds))
            assert row["status"] == "ready"
            sent = heard(fake)[-1].body["file"]
            assert sent["bytes"] <= 200_000
            assert sent["type"] == ("audio/wav" if kbits is None else "audio/mpeg")
            if kbits is not None:
                assert sent["bytes"] == pytest.approx(seconds * kbits * 125, rel=0.1)
            assert is_hoarse == ("pressed_hard" in str(row["report"]["warnings"]))


def test_four_hours_fit_at_the_lowest_bit_rate() -> None:
    assert [sound.fitting_kbits(minutes * 60.0, LIMIT)[0] for minutes in (30, 54, 60, 80, 120, 180, 240)] == [64, 64, 48, 32, 24, 16, 8]


async def test_a_local_model_hears_a_recording_in_steps_that_are_cut_where_it_is_quiet(
    environment: dict[str, str], fake: FakeProvider
) -> None:
    fake.script.add(*(Reply(kind="transcriptions", segments=((1.0, 9.0, f" Step {step} speaks of lakes."),)) for step in (1, 2, 3)))
    async with library(core_settings.load(environment | fake.settings("SPEECH", PROVIDER="local"))) as lib:
        row = await add(lib, recordings.tone(250.0, quiet=((80.0, 81.0), (160.0, 161.0))))
        assert (row["status"], row["report"]["by_speech"], Decimal(row["report"]["cost"])) == ("ready", 3, Decimal(0))
        seconds = [(one.body["file"]["bytes"] - 44) / 32_000 for one in heard(fake)]
        assert 80.0 < seconds[0] < 81.0 and 160.0 < seconds[0] + seconds[1] < 161.0 and sum(seconds) == pytest.approx(250.0)
        passages = await lib.passages(row["id"])
        starts = [0, seconds[0] * 1000, (seconds[0] + seconds[1]) * 1000]
        assert [one["start_ms"] for one in passages] == [round(start + 1000) for start in starts]
        assert [one["text"] for one in passages] == [f"Step {step} speaks of lakes.\n" for step in (1, 2, 3)]
        paid = await lib.all("select state, units, cost from calls order by started_at")
        assert [(one["state"], one["cost"]) for one in paid] == [("done", 0)] * 3


async def test_a_local_model_takes_an_mp3_of_any_size(environment: dict[str, str], fake: FakeProvider) -> None:
    async with library(core_settings.load(environment | fake.settings("SPEECH", PROVIDER="local"))) as lib:
        row = await add(lib, recordings.padded_mp3(LIMIT + 1), "mp3")
        assert row["status"] == "ready" and heard(fake)[0].body["file"]["type"] == "audio/wav"


async def test_a_recording_that_is_silent_in_every_step_holds_no_speech(environment: dict[str, str], fake: FakeProvider) -> None:
    fake.script.add(Reply(kind="transcriptions", text="Thank you.", times=0))
    async with library(core_settings.load(environment | fake.settings("SPEECH", PROVIDER="local"))) as lib:
        row = await add(lib, recordings.silence(150.0))
        assert (row["status"], row["error_code"], len(heard(fake))) == ("failed", "no_speech", 2)


FAULTS: list[tuple[Reply, str, str]] = [
    (Reply(kind="transcriptions", status=429, retry_after="0", times=2), "ready", ""),
    (Reply(kind="transcriptions", status=503, times=2), "ready", ""),
    (Reply(kind="transcriptions", broken="cut", times=1), "ready", ""),
    (Reply(kind="transcriptions", hang=True, times=1), "ready", ""),
    (Reply(kind="transcriptions", body="<html>no</html>", times=0), "failed", "model_bad_reply"),
    (Reply(kind="transcriptions", body='{"segments": "none"}', times=0), "failed", "model_bad_reply"),
    (Reply(kind="transcriptions", status=401, times=0), "paused", "model_unauthorized"),
    (Reply(kind="transcriptions", status=402, times=0), "paused", "model_out_of_credit"),
    (Reply(kind="transcriptions", status=400, message="Audio file might be corrupted.", times=0), "failed", "model_refused"),
]


async def test_a_speech_model_that_fails_is_tried_again_or_named_as_the_fault_is(environment: dict[str, str], fake: FakeProvider) -> None:
    async with library(core_settings.load(environment | fake.settings("SPEECH", TIMEOUT_S="3"))) as lib:
        for place, (reply, status, code) in enumerate(FAULTS):
            fake.script.reset()
            fake.script.add(reply)
            row = await add(lib, recordings.tone(1.0 + place / 10))
            assert (row["status"], row["error_code"] or "") == (status, code), (place, row["error_message"])
            assert len(heard(fake)) <= 4
        # A paused one goes on when the key is mended.
        states = await lib.all("select state, error_code from calls order by started_at")
        assert [one["state"] for one in states] == ["done"] * 4 + ["failed"] * 5


async def test_times_that_make_no_sense_are_left_out(environment: dict[str, str], fake: FakeProvider) -> None:
    fake.script.add(
        Reply(kind="transcriptions", body='{"text": "It rains.", "segments": [{"start": null, "end": 1, "text": "It rains."}]}'),
        Reply(kind="transcriptions", segments=((0.5, 9999.0, " It\x00 rains."),)),
    )
    async with library(core_settings.load(environment | fake.settings("SPEECH"))) as lib:
        first = await lib.passages((await add(lib, recordings.tone(3.0)))["id"])
        assert [(one["text"], one["start_ms"]) for one in first] == [("It rains.", None)]
        second = await lib.passages((await add(lib, recordings.tone(4.0)))["id"])
        assert [(one["text"], one["start_ms"], one["end_ms"]) for one in second] == [("It\ufffd rains.\n", 500, 4000)]


async def test_new_content_of_a_known_source_is_not_played_from_the_old(environment: dict[str, str], fake: FakeProvider) -> None:
    """A stored MP3 that was made of other content is made anew; one of this content is taken as it is."""
    async with library(core_settings.load(environment | fake.settings("SPEECH"))) as lib:
        row = await add(lib, recordings.made("flac"), "flac")
        key = playable_key(row["id"])
        kept = await lib.deps.blobs.get(key)
        assert row["content_hash"].hex().encode() in kept[:600]
        for stored in (kept.replace(row["content_hash"].hex().encode(), b"0" * 64), kept):
            await lib.deps.blobs.put(key, stored)
            async with lib.deps.db.transaction() as conn:
                await sources.queue_again(conn, row["id"])
                await jobs.insert(conn, ReadSource(source_id=row["id"]), owner_id=lib.owner_id, subject=row["id"], once=row["id"])
            assert (await lib.ended(row["id"], 120))["status"] == "ready"
            assert await lib.deps.blobs.get(key) == kept
