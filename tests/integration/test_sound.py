"""ffmpeg behind walls: what it may not do, how it is ended, and what bad recordings are called."""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sourcebook_core import ffmpeg_found, sound, walled
from sourcebook_core.errors import PermanentError, SourcebookError, TransientError
from sourcebook_core.sound import Recording
from sourcebook_core.walled import Bounds
from tests.fakes import recordings
from tests.fakes.provider import FakeProvider
from tests.rig import until

MEMORY = 1_500_000_000
BOUNDS = Bounds(MEMORY, file_bytes=30_000_000)


@contextmanager
def opened(content: bytes) -> Iterator[int]:
    with tempfile.TemporaryFile() as held:
        held.write(content)
        held.seek(0)
        yield held.fileno()


async def probed(content: bytes, form: str = "wav") -> sound.Sound:
    """The verdict about a recording called memo."""
    program = await ffmpeg_found.find()
    with opened(content) as source:
        return await Recording(program, source, recordings.MEDIA_TYPES.get(form, form), "memo", MEMORY, 30.0).probe()


async def refused(content: bytes, form: str = "wav") -> SourcebookError:
    with pytest.raises(SourcebookError) as found:
        await probed(content, form)
    assert "memo" in found.value.message
    return found.value


@pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")
async def test_the_program_reads_no_file_of_ours_writes_none_and_reaches_nobody(tmp_path: Path) -> None:
    program = (await ffmpeg_found.find()).path
    tmp_path.chmod(0o777)
    tone = ["-f", "lavfi", "-i", "sine=duration=1", "-f", "wav"]
    with FakeProvider() as fake:
        for arguments in (
            ["-f", "s16le", "-i", "/etc/passwd", "-f", "null", "-"], ["-i", fake.base_url, "-f", "null", "-"],
            [*tone, "-y", str(tmp_path / "out.wav")], [*tone, fake.base_url],
        ):  # fmt: skip
            ended = await walled.run(program, ["-nostdin", "-loglevel", "error", *arguments], BOUNDS)
            assert ended.status != 0
            assert "Permission denied" in ended.errors or "not permitted" in ended.errors, ended.errors
        assert not fake.script.requests()
    assert not list(tmp_path.iterdir())
    shell = await walled.run("/bin/sh", ["-c", "/bin/ls / && echo out; exec 3<>/dev/tcp/127.0.0.1/1"], BOUNDS)
    assert shell.output == b"" and shell.status != 0


async def test_a_program_that_says_very_much_does_not_wait_for_a_reader() -> None:
    chatty = "-nostdin -loglevel info -f lavfi -i sine=duration=10:samples_per_frame=64,ashowinfo -f null -".split()
    ended = await walled.run((await ffmpeg_found.find()).path, chatty, BOUNDS)
    assert (ended.status, ended.is_late) == (0, False)
    assert len(ended.errors) == walled.ERRORS_KEPT_BYTES  # it said more than that


async def test_a_program_without_end_is_ended_with_all_it_started() -> None:
    endless = ["-nostdin", "-re", "-f", "lavfi", "-i", "sine", "-f", "null", "-"]
    program = (await ffmpeg_found.find()).path
    ended = await walled.run(program, endless, Bounds(MEMORY, seconds=1.0))
    assert ended.is_late and ended.broke_bounds
    many = await walled.run(program, ["-nostdin", "-f", "lavfi", "-i", "sine", "-f", "s16le", "-"], Bounds(MEMORY, output_bytes=100_000))
    assert many.is_too_much and len(many.output) < 300_000
    running = asyncio.create_task(walled.run(program, endless, Bounds(MEMORY, seconds=60.0)))
    await until(_children, 30)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert not _children()


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's word to a child that its parent died is Linux's")
async def test_a_program_dies_with_the_process_that_started_it() -> None:
    program = (await ffmpeg_found.find()).path
    script = (
        "import asyncio\nfrom sourcebook_core import walled\n"
        f"bounds = walled.Bounds({MEMORY}, seconds=60.0, stall_s=60.0)\n"
        f"asyncio.run(walled.run({program!r}, '-re -f lavfi -i sine -f null -'.split(), bounds))"
    )
    worker = subprocess.Popen([sys.executable, "-c", script])
    try:
        started = await until(lambda: _children(worker.pid), 30)
    finally:
        worker.kill()
        worker.wait()
    await until(lambda: not any(Path(f"/proc/{one}").exists() for one in started), 30)


def _children(parent: int | None = None) -> list[str]:
    """Programs that read the lavfi tone and whose parent is this process, or the given one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat, line = (folder / "stat").read_text(), (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if int(stat.rpartition(")")[2].split()[1]) == (parent or os.getpid()) and b"lavfi" in line:
            found.append(folder.name)
    return found


async def test_a_given_ffmpeg_that_is_none_is_named() -> None:
    with pytest.raises(PermanentError) as found:
        await ffmpeg_found.find(Path("/bin/true"))
    assert found.value.code == "bad_setting" and "SOURCEBOOK_FFMPEG" in found.value.message


PLAYLISTS = {
    "hls": "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n{url}\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n",
    "concat": "ffconcat version 1.0\nfile '{url}'\nfile /etc/passwd\n",
    "sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nm=audio 9 RTP/AVP 0\n",
}


@pytest.mark.parametrize("kind", [*PLAYLISTS, "avi"])
async def test_a_playlist_under_any_name_is_a_broken_file_and_nothing_is_fetched(kind: str) -> None:
    with FakeProvider() as fake:
        url = f"{fake.base_url}/models"
        content = PLAYLISTS[kind].format(url=url).encode() if kind in PLAYLISTS else _avi_with_subtitles(PLAYLISTS["hls"].format(url=url))
        for form in ("mp3", "wav", "m4a", "aac", "ogg", "flac", "webm", "aiff"):
            assert (await refused(content, form)).code in ("damaged_file", "no_audio_track"), form
        assert not fake.script.requests()


def _avi_with_subtitles(playlist: str) -> bytes:
    """An AVI whose "subtitle" is a playlist (the GAB2 trick)."""
    text = playlist.encode()
    gab = b"GAB2\x00\x02\x00" + (2).to_bytes(4, "little") + b"x\x00" + b"\x04\x00" + len(text).to_bytes(4, "little") + text
    return b"RIFF" + (len(gab) + 12).to_bytes(4, "little") + b"AVI LIST" + (len(gab) + 4).to_bytes(4, "little") + b"movi" + gab


ABSURD = [
    (recordings.tone(1.0, channels=64), "wav", "resource_limit", "64 sound channels"),
    (recordings.tone(5.0, rate_hz=1), "wav", "resource_limit", "1 samples a second"),
    (recordings.many_tracks(10_000), "webm", "resource_limit", ""),
    (recordings.huge_film(10_000, 10_000), "webm", "resource_limit", "10000"),
    (recordings.huge_film(60_000, 60_000), "webm", "resource_limit", "no film has"),
    (recordings.made("mp4", "-an", film="testsrc=duration=1:size=64x48:rate=5"), "mp4", "no_audio_track", ""),
    (recordings.made("m4a")[:4000], "m4a", "damaged_file", ""),
    (b"\x00" * 100_000, "mp3", "damaged_file", ""),
    (b"fLaC" + os.urandom(5000), "flac", "damaged_file", ""),
    (b"", "ogg", "damaged_file", ""),
    (recordings.tone(1.0), "audio/unheard", "unsupported_kind", ""),
]


@pytest.mark.parametrize(("content", "form", "code", "said"), ABSURD, ids=range(len(ABSURD)))
async def test_what_is_no_sane_recording_is_named_before_anything_is_decoded(content: bytes, form: str, code: str, said: str) -> None:
    error = await refused(content, form)
    assert error.code == code and said in error.message


async def test_length_is_counted_and_not_believed() -> None:
    whole = recordings.tone(10.0)
    lying = whole[:4] + (0xFFFFFFFF).to_bytes(4, "little") + whole[8:40] + (0xFFFFFFFF).to_bytes(4, "little") + whole[44:]
    assert (await probed(lying)).seconds == pytest.approx(10.0, abs=0.01)
    assert (await probed(whole[: len(whole) // 2])).seconds == pytest.approx(5.0, abs=0.1)
    assert (await probed(recordings.tone(0.0))).seconds == 0
    for seconds, is_over in ((14_400.0, False), (14_401.0, True)):
        found = await probed(recordings.long_mp3(seconds), "mp3")
        assert found.seconds == pytest.approx(seconds, abs=0.1)
        assert sound.is_too_long(found.seconds, 4.0) is is_over


async def test_a_tag_before_flac_and_aac_is_seen_through() -> None:
    for form in ("flac", "aac"):
        tagged = b"ID3\x03\x00\x00\x00\x00\x02\x00" + bytes(256) + recordings.made(form)
        assert (await probed(tagged, "mp3")).demuxer == form


async def test_half_a_file_is_played_as_far_as_it_goes_and_said_to_be_damaged() -> None:
    whole = recordings.made("m4a", "-movflags", "+faststart", seconds=20.0)
    found = await probed(whole[: len(whole) // 2], "m4a")
    assert 5 < found.seconds < 15 and found.has_damage
    assert not (await probed(whole, "m4a")).has_damage


async def test_a_full_disk_is_told_from_a_bad_file() -> None:
    program = await ffmpeg_found.find()

    async def told(_: float) -> None:
        pass

    with opened(recordings.tone(10.0)) as source, open("/dev/full", "r+b", buffering=0) as full:
        recording = Recording(program, source, "audio/wav", "memo", MEMORY, 30.0)
        with pytest.raises(TransientError) as found:
            await recording.convert(full.fileno(), 64, "mark", told, 1_000_000)
    assert found.value.code == "tmp_full"


@pytest.mark.parametrize("form", ["mp3", "wav"])
async def test_a_piece_is_the_samples_from_its_second_on(form: str) -> None:
    """A click at 70 s stands where it belongs, also in an MP3 of varying bit rate."""
    content = recordings.tone(100.0, quiet=((0.0, 70.0), (71.0, 100.0)))
    program = await ffmpeg_found.find()
    if form == "mp3":
        content = recordings.converted(content, "mp3", "-q:a", "5")
    with opened(content) as source:
        piece = await Recording(program, source, recordings.MEDIA_TYPES[form], "memo", MEMORY, 30.0).samples(60.0, 15.0)
    loud = [
        place
        for place in range(0, len(piece) // 2, 160)
        if abs(int.from_bytes(piece[2 * place : 2 * place + 2], "little", signed=True)) > 500
    ]
    assert len(piece) == 15 * 32_000
    assert loud[0] / 16_000 == pytest.approx(10.0, abs=0.1) and loud[-1] / 16_000 == pytest.approx(11.0, abs=0.1)
