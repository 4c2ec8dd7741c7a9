"""Every setting, read once from the environment or a TOML file into one frozen object."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from sourcebook_core.errors import PermanentError

PREFIX = "SOURCEBOOK_"
EXACT_CHUNKS = 50_000  # performance sections 2 and 3: below it a scan is exact, cheap and needs nothing built
RoleName = Literal["chat", "vision", "speech", "voice", "embedding", "translate", "caption", "entailment"]
ROLES: tuple[RoleName, ...] = get_args(RoleName)


class Frozen(BaseModel):
    """A group of settings that never changes after loading; unknown names are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RoleSettings(Frozen):
    """One model role: where its endpoint is and how to speak to it (`SOURCEBOOK_<ROLE>_<FIELD>`)."""

    name: RoleName = "chat"
    provider: Literal["none", "local", "api"] = Field("none", description="`none`, `local` or `api`.")
    base_url: str | None = Field(None, description="Address of an OpenAI-compatible endpoint, with /v1.")
    model: str | None = Field(None, description="The model's name at that endpoint.")
    api_key: SecretStr | None = Field(None, description="Sent only when the provider is `api`.")
    timeout_s: float = Field(default=120.0, gt=0, description="Whole call; a stream may take as long between two pieces.")
    first_byte_s: float = Field(default=60.0, gt=0, description="Wait for the first byte of a reply.")
    query_prefix: str = Field("", description='Put before a question ("query: " for e5).')
    passage_prefix: str = Field("", description='Put before a passage ("passage: " for e5).')
    dimension: int | None = Field(default=None, ge=1, le=4000, description="pgvector's halfvec index limit is 4,000.")
    context_tokens: int | None = Field(default=None, ge=256, description="What the model takes in; the prompt is made to fit.")
    reasoning_effort: str | None = Field(
        "none", description="Sent with every chat request; with thinking on, a reply can be all thinking (S0-50)."
    )
    temperature: float = Field(default=0.0, ge=0, le=2, description="0 to 2.")
    max_tokens: int = Field(default=1500, ge=1, description="Longest reply.")
    batch_texts: int = Field(default=16, ge=1, description="The hosted embedder refuses more than 25 texts (S0-90).")
    options: dict[str, Any] = Field(default_factory=dict)
    from_environment: bool = False

    @property
    def is_on(self) -> bool:
        """True when the role has an endpoint and a model to call."""
        return self.provider != "none" and bool(self.base_url) and bool(self.model)


class Limits(Frozen):
    """Bounds on what comes in (`SOURCEBOOK_<FIELD>`); the numbers are the ledger's."""

    question_chars: int = Field(default=4000, description="Longest question, in characters (S0-82).")
    body_bytes: int = Field(default=200_000_000, description="One upload, counted while streaming.")
    json_bytes: int = Field(default=32_000_000, description="One JSON body; must hold text_bytes.")
    text_bytes: int = Field(default=20_000_000, description="One text source.")
    files_per_upload: int = Field(100, description="Files in one request.")
    pdf_pages: int = Field(default=2000, description="Pages of one PDF (S1-18).")
    pdf_vision_max_pages: int = Field(default=100, description="Pages of one PDF that are read as pictures (S1-22).")
    vision_confirm_pages: int = Field(20, description="More pages than this wait for a yes where accounting is on.")
    vision_dpi: int = Field(default=150, ge=72, le=300, description="Pages are drawn so for the picture reader (S1-14).")
    vision_in_flight: int = Field(default=4, ge=1, le=32, description="Pages of one source at the picture reader at once.")
    image_pixels: int = Field(40_000_000, description="A picture larger than this is refused before it is decoded.")
    image_frames: int = Field(200, description="Pages of one TIFF.")
    audio_bytes: int = Field(26_214_400, description="A recording as it is sent to the speech model: 25 MiB (S1-09).")
    audio_hours: float = Field(4.0, description="Longest recording (S1-09).")
    audio_doubt: bool = Field(True, description="A transcript of repetitions or stock phrases alone counts as no speech (B22).")
    archive_files: int = Field(500, description="Files taken out of one archive.")
    archive_entries: int = Field(10_000, description="Entries an archive or office file may have.")
    archive_bytes: int = Field(1_000_000_000, description="Bytes an archive or office file may unpack to, counted while unpacking.")
    archive_ratio: int = Field(200, description="Unpacked to packed; more is a bomb.")
    table_cells: int = Field(2_000_000, description="Cells read of one workbook.")
    table_columns: int = Field(1000, description="Columns read of one sheet.")
    slides: int = Field(2000, description="Slides or chapters read of one file.")
    site_pages: int = Field(200, description="Pages of one site; a site may ask for fewer.")
    page_seconds: float = Field(default=30.0, description="One page in the child.")
    child_memory_bytes: int = Field(default=1_100_000_000, description="Address space of the extraction child: below 1 GB resident.")
    page_pixels: int = Field(default=25_000_000, description="Clamped before rendering.")
    site_pause_s: float = Field(default=1.0, ge=0, description="Between two pages of one site.")
    url_bytes: int = Field(20_000_000, description="One fetched page or text.")
    url_seconds: float = Field(30.0, description="One fetch with all its redirects.")
    url_file_bytes: int = Field(100_000_000, description="One fetched PDF, picture, recording or office file.")
    url_file_seconds: float = Field(300.0, description="One fetch of such a file.")
    url_redirects: int = Field(5, description="Redirects followed, each checked anew.")
    trash_days: int = Field(14, description="What is deleted can be brought back this long.")
    trace_days: int = Field(14, description="How an answer was found, and a turn that the client keeps, stay this long (S0-43).")
    visitor_days: int = Field(default=30, ge=0, description="An anonymous visitor is forgotten so long after the last question; 0: never.")
    header_bytes: int = Field(64_000, description="A request's headers together.")
    asks_per_minute: int = Field(default=30, description="One person; 0 switches the limit off.")
    asks_per_hour: int = Field(default=0, ge=0, description="One person; 0 switches the limit off.")
    asks_per_address_minute: int = Field(default=0, ge=0, description="One address; 0 switches the limit off.")
    asks_everyone_per_hour: int = Field(default=0, ge=0, description="All people together; 0 switches the limit off.")
    asks_at_once: int = Field(default=0, ge=0, description="Answers of all people at once; 0 switches the limit off.")
    asks_at_once_per_person: int = Field(default=0, ge=0, description="Answers of one person at once; 0 switches the limit off.")
    visitor_asks_per_hour: int = Field(default=60, ge=0, description="One visitor of an assistant (S0-78); 0 switches the limit off.")
    visitor_asks_per_address_minute: int = Field(
        default=20, ge=0, description="Visitors of assistants from one address (S0-79); 0 switches the limit off."
    )
    searches_per_minute: int = Field(default=600, description="One person; 0 switches the limit off.")
    sign_ins_per_minute: int = Field(default=20, description="One address; 0 switches the limit off.")


class JobSettings(Frozen):
    """The claim protocol's times (`SOURCEBOOK_<FIELD>`): architecture section 2."""

    lease_s: float = Field(30.0, description="A claimed job belongs to its worker this long.")
    renew_s: float = Field(10.0, description="Leases are renewed this often.")
    poll_s: float = Field(1.0, description="Workers look at the rows this often without a ring.")
    attempts: int = Field(5, description="Claims of a job since its last checkpoint before it gives up.")
    backoff_s: float = Field(default=2.0, description="First wait; doubles with jitter up to backoff_max_s.")
    backoff_max_s: float = Field(300.0, description="Longest wait between two tries.")
    grace_s: float = Field(default=8.0, description="After SIGTERM: finish or give back within this.")
    redis_timeout_s: float = Field(2.0, description="No call to Redis takes longer.")
    turn_s: float = Field(default=30.0, description="Reading and indexing give their slot to waiting work after this long.")
    slots_ingest: int = Field(2, description="Sources one ingest worker reads at once.")
    slots_answer: int = Field(4, description="Answers one rag worker writes at once.")


class Settings(Frozen):
    """The whole configuration of one process."""

    database_url: SecretStr = Field(
        SecretStr("postgresql://127.0.0.1:5432/sourcebook"),
        description="Postgres 18 with pgvector 0.8 or newer; set it and nothing is embedded.",
    )
    redis_url: SecretStr = Field(SecretStr("redis://127.0.0.1:6379/0"), description="Redis 6 or newer, the doorbell.")
    blobs_url: str = Field("file:///tmp/sourcebook-blobs", description="Where files lie: file://, s3://, gs:// or az://.")
    data_dir: Path | None = Field(None, description="The one folder of a one-machine stack.")
    host: str = Field("127.0.0.1", description="The address the gateway listens on.")
    port: int = Field(default=8400, ge=1, le=65535, description="The port the gateway listens on.")
    public_url: str | None = Field(default=None, description="The address people use; cookies are Secure exactly when it is https.")
    trusted_proxies: tuple[str, ...] = Field((), description="Addresses whose X-Forwarded-For is believed.")
    models_port: int = Field(default=8401, ge=1, le=65535, description="The port of the local model server, on the loopback address.")
    local_chat: bool = Field(False, description="Start the local writing model too.")
    local_chat_gguf: Path | None = Field(None, description="A GGUF file to use as the local writing model.")
    ffmpeg: Path | None = Field(None, description="The ffmpeg for recordings; else the one on the PATH, else the wheel's.")
    web_dir: Path | None = Field(None, description="Where the built page lies.")
    secret_key: SecretStr | None = Field(
        None, description="Seals provider keys and passwords; made in the data folder, compulsory when deployed."
    )
    deployed: bool = Field(False, description="A stack for others: secrets and hosted roles are compulsory.")
    require_hosted: bool | None = Field(None, description="Refuse roles that are local; follows `deployed` unless set.")
    accounting: bool = Field(False, description="Keep prices and credit.")
    prices: Path | None = Field(None, description="A TOML file of prices.")
    url_allow: tuple[str, ...] = Field(default=(), description="host:port pairs the URL guard lets pass though they are local.")
    host_allow: tuple[str, ...] = Field(default=(), description="host:port pairs of host applications assistants may read though local.")
    smtp_host: str | None = Field(None, description="The mail server through which assistants hand visitors over; null: no mail.")
    smtp_port: int = Field(default=587, ge=1, le=65535, description="Its port.")
    smtp_tls: Literal["starttls", "tls", "off"] = Field("starttls", description="How the way to it is encrypted.")
    smtp_user: str | None = Field(None, description="Signs in there; null: it asks for no sign-in.")
    smtp_password: SecretStr | None = Field(None, description="The password for it.")
    smtp_from: str = Field("sourcebook@localhost", description="Sender of the mails.")
    first_event_s: float = Field(20.0, description="Longest wait for the beginning of an answer.")
    comment_s: float = Field(default=15.0, description="A comment on a silent stream; proxies cut after 100 s (S0-68).")
    floor: float | None = Field(default=None, ge=-1, le=1, description="Overrides the floor of the space in use.")
    exact_scan_chunks: int = Field(
        EXACT_CHUNKS, ge=0, description="Chunks in scope up to which a search scans; above it uses what care built."
    )
    database_pool: int = Field(default=8, ge=2, description="Connections one process keeps at most.")
    # Half of the 60 s that a statement may wait for a lock: who waits for one of a frozen process still gets it. Nothing but the
    # database is awaited inside a transaction (a test holds that), so that a live process never stands still there for seconds.
    database_idle_s: float = Field(default=30.0, gt=0, description="A transaction that stands still so long is ended: its process froze.")
    log_level: str = Field("info", description="debug, info, warning or error.")
    fault_at: str | None = Field(default=None, description="Tests only: a process waits for ever at this place, to be killed there.")
    limits: Limits = Limits()
    jobs: JobSettings = JobSettings()
    roles: dict[RoleName, RoleSettings] = Field(default_factory=dict)
    filled_in: tuple[str, ...] = Field(default=(), description="Roles that `sourcebook up` filled in: defaults, so not locked.")
    origins: dict[str, str] = Field(default_factory=dict, description="Where each given setting came from, for doctor.")

    def role(self, name: RoleName) -> RoleSettings:
        """The settings of one role; a role nobody set is off."""
        return self.roles.get(name) or RoleSettings(name=name)


_GROUPS: dict[str, type[Frozen]] = {"limits": Limits, "jobs": JobSettings}
_LISTS = {"url_allow", "host_allow", "trusted_proxies", "filled_in"}
_NOT_READ = {"roles", "origins", *_GROUPS}


def names() -> dict[str, Any]:
    """Every environment name with its default, in the order of this file (for doctor and the docs)."""
    found: dict[str, Any] = {}
    for field, info in Settings.model_fields.items():
        if field not in _NOT_READ:
            found[PREFIX + field.upper()] = info.default
    for group in _GROUPS.values():
        for field, info in group.model_fields.items():
            found[PREFIX + field.upper()] = info.default
    for role in ROLES:
        for field, info in RoleSettings.model_fields.items():
            if field not in {"name", "from_environment", "options"}:
                found[f"{PREFIX}{role.upper()}_{field.upper()}"] = info.default
    return found


def load(env: Mapping[str, str] | None = None) -> Settings:
    """Read the environment (and the TOML file that `SOURCEBOOK_CONFIG` names; the environment wins).

    Raises PermanentError `bad_setting` naming the setting; unknown `SOURCEBOOK_` names are refused too.
    """
    env = os.environ if env is None else env
    given: dict[str, Any] = {}
    origins: dict[str, str] = {}
    config = env.get(PREFIX + "CONFIG")
    if config:
        for key, value in _flatten(_read_toml(Path(config))).items():
            given[PREFIX + key.upper()] = value
            origins[PREFIX + key.upper()] = config
    for key, text in env.items():
        if key.startswith(PREFIX) and key not in {PREFIX + "CONFIG", PREFIX + "URL", PREFIX + "TOKEN"}:
            given[key] = text
            origins[key] = "environment"
    unknown = sorted(set(given) - set(names()))
    if unknown:
        raise PermanentError("bad_setting", setting=unknown[0], why="there is no setting of this name.")
    return _build(given, origins)


def require_fit_to_deploy(settings: Settings) -> None:
    """Refuse a deployed stack without its own secret, or with a local role where hosted ones are compulsory (S0-88).

    A role that is off is never refused, and an address of your own counts as hosted. Raises PermanentError `bad_setting`.
    """
    if not settings.deployed:
        return
    if settings.secret_key is None:
        raise PermanentError("bad_setting", setting=PREFIX + "SECRET_KEY", why="a deployed stack needs a secret of its own.")
    if settings.require_hosted is False:
        return
    for role in settings.roles.values():
        if role.provider == "local":
            name = f"{PREFIX}{role.name.upper()}_PROVIDER"
            raise PermanentError("bad_setting", setting=name, why="a deployed stack needs a hosted role here, not `local`.")


def _build(given: Mapping[str, Any], origins: dict[str, str]) -> Settings:
    def pick(fields: Any, prefix: str) -> dict[str, Any]:
        picked = {}
        for field in fields:
            value = given.get(prefix + field.upper())
            if value is not None and value != "":
                picked[field] = _split(value) if field in _LISTS else value
        return picked

    try:
        top = pick(set(Settings.model_fields) - _NOT_READ, PREFIX)
        groups = {name: group(**pick(group.model_fields, PREFIX)) for name, group in _GROUPS.items()}
        roles = {}
        for role in ROLES:
            picked = pick(set(RoleSettings.model_fields) - {"name", "from_environment", "options"}, f"{PREFIX}{role.upper()}_")
            chosen = bool(picked) and role not in top.get("filled_in", ())
            roles[role] = RoleSettings(name=role, from_environment=chosen, **picked)
        return Settings(**top, **groups, roles=roles, origins=origins)
    except ValidationError as error:
        first = error.errors()[0]
        where = "_".join(str(part) for part in first["loc"]).upper()
        raise PermanentError("bad_setting", setting=PREFIX + where, why=first["msg"]) from None


def _split(value: Any) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else tuple(value)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise PermanentError("bad_setting", setting=PREFIX + "CONFIG", why=f"{path} cannot be read ({error}).") from None


def _flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat.update(_flatten(value, "" if key in _GROUPS else f"{prefix}{key}_"))
        else:
            flat[prefix + key] = value
    return flat
