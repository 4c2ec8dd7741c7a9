"""`python -m sourcebook_models`: serve the local models on 127.0.0.1."""

from __future__ import annotations

from pathlib import Path

import uvicorn

from sourcebook_core import local_models, start
from sourcebook_core.errors import PermanentError
from sourcebook_core.settings import Settings
from sourcebook_models import pictures, recordings
from sourcebook_models.app import Parts, build
from sourcebook_models.bench import Bench
from sourcebook_models.local_chat import Choice, LocalChat

CONTEXT_TOKENS = 4096  # 1.36 GB with it; the model itself could take 32,768


def serve(given: Settings) -> None:
    """Serve until stopped; never on another address than this machine's own."""
    folder = given.data_dir / "models" if given.data_dir is not None else None
    config = uvicorn.Config(
        build(_parts(given, folder)),
        host="127.0.0.1",
        port=given.models_port,
        log_config=None,
        access_log=False,
        ws="none",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
    )
    uvicorn.Server(config).run()


def _parts(given: Settings, folder: Path | None) -> Parts:
    here = local_models.readers()
    reading = listening = None
    if here.words:
        arguments = ["--pixels", str(given.limits.image_pixels)]
        reading = Bench("sourcebook_models.reading", arguments, most=pictures.MOST, silent_s=pictures.SILENT_S, idle_s=pictures.IDLE_S)
    if local_models.can_listen() and folder is not None:
        arguments = ["--folder", str(folder), "--seconds", str(given.limits.audio_hours * 3600)]
        most, silent_s, idle_s = recordings.MOST, recordings.SILENT_S, recordings.IDLE_S
        listening = Bench("sourcebook_models.listening", arguments, most=most, silent_s=silent_s, idle_s=idle_s)
    return Parts(folder, _chat(given, folder), here, reading, listening, given.limits.audio_bytes)


def _chat(given: Settings, folder: Path | None) -> LocalChat | None:
    """The writing model, when it is asked for; it is kept in the data folder, so without one only a file of your own will do."""
    if not given.local_chat and given.local_chat_gguf is None:
        return None
    if folder is None and given.local_chat_gguf is None:
        raise PermanentError("bad_setting", setting="SOURCEBOOK_DATA_DIR", why="the local writing model is kept there.")
    context = given.role("chat").context_tokens or CONTEXT_TOKENS
    return LocalChat(Choice(folder or Path(), given.local_chat_gguf, context))


if __name__ == "__main__":
    start.service("models", serve)
