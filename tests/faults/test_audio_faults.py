"""F1 for recordings: killed while it converts, after the call, and between two steps: nothing is lost and nothing paid twice."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from sourcebook_core import jobs
from sourcebook_core import settings as core_settings
from sourcebook_core.blobs import playable_key
from sourcebook_core.jobs import ReadSource
from sourcebook_core.store import sources
from tests.fakes import recordings
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.ingest_rig import Library, library
from tests.rig import PATIENT, Processes, until

SAID = tuple((10.0 * place, 10.0 * place + 10.0, f" Sentence {place} tells of lakes.") for place in range(12))


def listening(processes: Processes, fake: FakeProvider, provider: str) -> None:
    processes.environment |= fake.settings("SPEECH", PROVIDER=provider)


async def undisturbed(lib: Library, fake: FakeProvider, content: bytes, form: str) -> list[tuple[object, ...]]:
    source_id = await lib.add("audio", content, name=f"plain.{form}", media_type=recordings.MEDIA_TYPES[form])
    async with lib.run():
        assert (await lib.ended(source_id, 90))["status"] == "ready"
    fake.script.forget_requests()
    return await whole(lib, source_id)


async def whole(lib: Library, source_id: UUID) -> list[tuple[object, ...]]:
    """What must be equal: the passages with their times."""
    return [(one["ordinal"], one["text"], one["start_ms"], one["end_ms"]) for one in await lib.passages(source_id)]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("stage", "calls"), [("read.converting", 1), ("read.converted", 1), ("read.heard", 1), ("read.parsed", 1)])
async def test_a_worker_killed_at_a_stage_pays_once_and_ends_with_the_same(
    processes: Processes, fake: FakeProvider, stage: str, calls: int
) -> None:
    listening(processes, fake, "api")
    fake.script.add(Reply(kind="transcriptions", segments=SAID, times=0))
    async with library(core_settings.load(processes.environment), working=False) as lib:
        wanted = await undisturbed(lib, fake, recordings.made("flac", seconds=121.0), "flac")
        source_id = await lib.add("audio", recordings.made("flac", seconds=120.0), name="killed.flac", media_type="audio/flac")
        waiting = processes.start("ingest", FAULT_AT=stage)
        await until(waiting.is_at, 90, f"the worker to wait at {stage}")
        waiting.kill()
        processes.start("ingest", **PATIENT)
        row = await lib.ended(source_id, 90)
        assert row["status"] == "ready", row["error_message"]
        assert await whole(lib, source_id) == wanted
        assert len(fake.script.requests("transcriptions")) == calls
        paid = await lib.all("select state, possibly_billed, units from calls where source_id = $1 and role = 'speech'", source_id)
        assert [(one["state"], one["possibly_billed"], one["units"]) for one in paid] == [("done", 0, {"second": 120})]
        assert await lib.deps.blobs.size(playable_key(source_id))
        assert row["report"]["calls"] == 1


@pytest.mark.timeout(300)
async def test_a_worker_killed_between_two_steps_goes_on_after_the_last(processes: Processes, fake: FakeProvider) -> None:
    listening(processes, fake, "local")
    fake.script.add(
        Reply(kind="transcriptions", segments=SAID[:6]),
        Reply(kind="transcriptions", segments=SAID[:6], hold="second"),
        Reply(kind="transcriptions", segments=SAID[:6], times=0),
    )
    async with library(core_settings.load(processes.environment), working=False) as lib:
        source_id = await lib.add(
            "audio", recordings.tone(280.0, quiet=((80.0, 81.0), (170.0, 171.0))), name="long.wav", media_type="audio/wav"
        )
        worker = processes.start("ingest")
        await until(lambda: len(fake.script.requests("transcriptions")) == 2, 90, "the second step to be asked for")

        async def is_amid() -> bool:
            row = await lib.row(source_id)
            return bool(row["progress_total"] == 5 and 0 < row["progress_done"] < 5)

        await until(is_amid, 60, "the first step to be kept")
        worker.kill()
        fake.script.release("second")
        processes.start("ingest", **PATIENT)
        assert (await lib.ended(source_id, 90))["status"] == "ready"
        passages = await lib.passages(source_id)
        assert [one["ordinal"] for one in passages] == list(range(len(passages)))
        assert [one["start_ms"] for one in passages] == sorted({one["start_ms"] for one in passages})
        asked = [one.body["file"]["sha256"] for one in fake.script.requests("transcriptions")]
        assert len(asked) == 4 and asked[1] == asked[2] and len(set(asked)) == 3
        paid = await lib.all("select state, possibly_billed from calls order by started_at")
        assert [one["state"] for one in paid] == ["done"] * 3
        assert sum(one["possibly_billed"] for one in paid) == 1  # the call that was on its way


@pytest.mark.timeout(300)
async def test_a_source_paused_for_a_bad_key_goes_on_where_it_was(processes: Processes, fake: FakeProvider) -> None:
    listening(processes, fake, "api")
    fake.script.add(Reply(kind="transcriptions", status=401), Reply(kind="transcriptions", segments=SAID, times=0))
    async with library(core_settings.load(processes.environment)) as lib:
        source_id = await lib.add("audio", recordings.made("ogg"), name="memo.ogg", media_type="audio/ogg")
        row = await lib.ended(source_id, 90)
        assert (row["status"], row["error_code"]) == ("paused", "model_unauthorized")
        assert "key" in row["error_message"]
        kept = await lib.deps.blobs.get(playable_key(source_id))
        async with lib.deps.db.transaction() as conn:
            await sources.queue_again(conn, source_id)
            await jobs.insert(conn, ReadSource(source_id=source_id), owner_id=lib.owner_id, subject=source_id, once=source_id)
        assert (await lib.ended(source_id, 90))["status"] == "ready"
        assert await lib.deps.blobs.get(playable_key(source_id)) == kept
        assert len(fake.script.requests("transcriptions")) == 2


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The temporary folder of the processes of this test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=False)


@pytest.mark.timeout(300)
async def test_a_full_temporary_folder_delays_a_recording_and_no_more(processes: Processes, fake: FakeProvider, temporary: Path) -> None:
    """F18."""
    listening(processes, fake, "api")
    processes.environment |= {"SOURCEBOOK_BACKOFF_S": "1", "SOURCEBOOK_ATTEMPTS": "50"}
    async with library(core_settings.load(processes.environment), working=False) as lib:
        worker = processes.start("ingest")
        await until(lambda: "worker.started" in worker.said(), 90, "the worker to have started")
        # Over the folder that it has found: room for a third of the converted file.
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(temporary)], capture_output=True, check=False)
        if mounted.returncode != 0:
            pytest.skip("a small file system can only be mounted by root")
        source_id = await lib.add("audio", recordings.made("flac", seconds=120.0), name="memo.flac", media_type="audio/flac")
        await until(lambda: "tmp_full" in worker.said(), 90, "the conversion to find no room")
        assert not fake.script.requests("transcriptions")
        subprocess.run(["umount", "-l", str(temporary)], check=True)
        assert (await lib.ended(source_id, 90))["status"] == "ready"
        assert len(fake.script.requests("transcriptions")) == 1
