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
RoleName = Literal["chat", "vision", "speech", "voice", "embedding", "translate", "caption", "entailment"]
ROLES: tuple[RoleName, ...] = get_args(RoleName)


class Frozen(BaseModel):
    """A group of settings that never changes after loading; unknown names are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RoleSettings(Frozen):
    """One model role: where its endpoint is and how to speak to it (`SOURCEBOOK_<ROLE>_<FIELD>`)."""

    name: RoleName = "chat"
    provider: Literal["none", "local", "api"] = "none"
    base_url: str | None = None
    model: str | None = None
    api_key: SecretStr | None = None
    timeout_s: float = Field(default=120.0, gt=0, description="Whole call; a stream may take as long between two pieces.")
    first_byte_s: float = Field(default=60.0, gt=0)
    query_prefix: str = ""
    passage_prefix: str = ""
    dimension: int | None = Field(default=None, ge=1, le=4000, description="pgvector's halfvec index limit is 4,000.")
    context_tokens: int | None = Field(default=None, ge=256)
    reasoning_effort: str | None = "none"
    temperature: float = Field(default=0.0, ge=0, le=2)
    max_tokens: int = Field(default=1500, ge=1)
    batch_texts: int = Field(default=16, ge=1, description="The hosted embedder refuses more than 25 texts (S0-90).")
    options: dict[str, Any] = Field(default_factory=dict)
    from_environment: bool = False

    @property
    def is_on(self) -> bool:
        """True when the role has an endpoint and a model to call."""
        return self.provider != "none" and bool(self.base_url) and bool(self.model)


class Limits(Frozen):
    """Bounds on what comes in (`SOURCEBOOK_<FIELD>`); the numbers are the ledger's."""

    question_chars: int = Field(default=4000, description="S0-82")
    body_bytes: int = Field(default=200_000_000, description="One upload, counted while streaming.")
    json_bytes: int = Field(default=32_000_000, description="One JSON body; must hold text_bytes.")
    text_bytes: int = Field(default=20_000_000, description="One text source.")
    files_per_upload: int = 100
    pdf_pages: int = Field(default=2000, description="S1-18")
    pdf_vision_max_pages: int = Field(default=100, description="S1-22")
    vision_confirm_pages: int = 20
    page_seconds: float = Field(default=30.0, description="One page in the child.")
    child_memory_bytes: int = Field(default=1_500_000_000, description="Address space of the extraction child.")
    page_pixels: int = Field(default=25_000_000, description="Clamped before rendering.")
    url_bytes: int = 20_000_000
    url_seconds: float = 30.0
    url_redirects: int = 5
    history_messages: int = Field(default=20, description="S0-41")
    history_chars: int = Field(default=6000, description="S0-41")
    trash_days: int = 14
    header_bytes: int = 64_000
    asks_per_minute: int = Field(default=30, description="One person; 0 switches the limit off.")
    sign_ins_per_minute: int = Field(default=20, description="One address; 0 switches the limit off.")


class JobSettings(Frozen):
    """The claim protocol's times (`SOURCEBOOK_<FIELD>`): architecture section 2."""

    lease_s: float = 30.0
    renew_s: float = 10.0
    poll_s: float = 1.0
    attempts: int = 5
    backoff_s: float = Field(default=2.0, description="First wait; doubles with jitter up to backoff_max_s.")
    backoff_max_s: float = 300.0
    grace_s: float = Field(default=8.0, description="After SIGTERM: finish or give back within this.")
    redis_timeout_s: float = 2.0
    slots_ingest: int = 2
    slots_answer: int = 4


class Settings(Frozen):
    """The whole configuration of one process."""

    database_url: SecretStr = SecretStr("postgresql://127.0.0.1:5432/sourcebook")
    redis_url: SecretStr = SecretStr("redis://127.0.0.1:6379/0")
    blobs_url: str = "file:///tmp/sourcebook-blobs"
    data_dir: Path | None = None
    host: str = "127.0.0.1"
    port: int = Field(default=8400, ge=1, le=65535)
    public_url: str | None = Field(default=None, description="The address people use; cookies are Secure exactly when it is https.")
    trusted_proxies: tuple[str, ...] = ()
    models_port: int = Field(default=8401, ge=1, le=65535)
    local_chat: bool = False
    local_chat_gguf: Path | None = None
    web_dir: Path | None = None
    secret_key: SecretStr | None = None
    deployed: bool = False
    require_hosted: bool | None = None
    accounting: bool = False
    prices: Path | None = None
    url_allow: tuple[str, ...] = Field(default=(), description="host:port pairs the URL guard lets pass though they are local.")
    first_event_s: float = 20.0
    comment_s: float = Field(default=15.0, description="A comment on a silent stream; proxies cut after 100 s (S0-68).")
    floor: float | None = Field(default=None, ge=-1, le=1, description="Overrides the floor of the space in use.")
    database_pool: int = Field(default=8, ge=2)
    log_level: str = "info"
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
_LISTS = {"url_allow", "trusted_proxies", "filled_in"}
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
