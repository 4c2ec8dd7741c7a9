"""Shapes of assistants: what they are, how they are published, their sources and people."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from sourcebook_core.profiles import Limiting, ProfileName
from sourcebook_core.store.assistant_members import Member
from sourcebook_core.store.assistant_sources import HeldSource
from sourcebook_core.store.assistants import Assistant
from sourcebook_core.store.visitors import ANONYMOUS, AskedTurn
from sourcebook_gateway import handing_over
from sourcebook_gateway.shapes.lists import Ask, SmallMap, Title, Told
from sourcebook_gateway.visits import site_of

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{1,62}$")]
Colour = Annotated[str, StringConstraints(pattern=r"^#[0-9a-fA-F]{6}$")]
Email = Annotated[str, StringConstraints(strip_whitespace=True, pattern=f"^{handing_over.MAIL}$", max_length=handing_over.MAIL_CHARS)]


def _subject(given: str) -> str:
    if given.startswith(ANONYMOUS):  # those are nobody's at the host application
        raise ValueError(f"it may not begin with {ANONYMOUS}")
    return given


def _origin(given: str) -> str:
    found = site_of(given)
    if found is None:
        raise ValueError("it must be the beginning of a web address alone, as https://help.example.org")
    return found


Subject = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300), AfterValidator(_subject)]
Origin = Annotated[str, StringConstraints(strip_whitespace=True, max_length=300), AfterValidator(_origin)]


class Look(Ask):
    """How the widget looks. What is not named stays; null goes back to the default."""

    greeting: str | None = Field(None, max_length=1000, description="Said before the first question.")
    placeholder: str | None = Field(None, max_length=200, description="Stands in the empty field.")
    colour: Colour | None = Field(None, description="Colour of its button, as #rrggbb.")
    position: Literal["right", "left"] | None = Field(None, description="Lower corner of the page; null: right.")


class Publication(Ask):
    """Who may meet it. It holds at once, also for what is published already."""

    mode: Literal["off", "signed_in", "public"] = Field(
        "off",
        description="off: nobody; signed_in: people whom the host application's backend vouches for (`/token`); public: also anybody on"
        " one of the sites.",
    )
    origins: list[Origin] = Field(
        default_factory=list, max_length=50, description="Sites whose pages may embed it, as https://help.example.org."
    )
    subjects: list[Subject] | None = Field(
        None, max_length=10_000, description="Only these people, by the host application's own ids (S2-51); null: whomever it vouches for."
    )


class Handover(Ask):
    """Where a visitor who wants a person is led."""

    kind: Literal["none", "link", "mail", "webhook"] = Field(
        "none", description="link: they are told where to go; mail and webhook: their conversation is sent there."
    )
    to: str | None = Field(None, max_length=2000, description="A web address for link and webhook, a mail address for mail.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        why = handing_over.why_not(self.kind, self.to)
        if why:
            raise ValueError(why)
        return self


class AssistantCreate(Ask):
    """A new assistant; it holds no source and answers nobody yet."""

    name: Title = Field(description="Its name, which visitors see.")
    slug: Slug | None = Field(None, description="Its part of public addresses; made of the name without it.")
    profile: ProfileName = Field("help", description="How it finds and answers.")
    profile_settings: SmallMap | None = Field(None, description="Fields in which it differs from the profile; see `GET /profiles`.")
    recipe: str | None = Field(None, max_length=100, description="How its sources are cut; the profile's own without it.")
    look: Look | None = Field(None, description="How the widget looks.")
    language: str | None = Field(None, pattern=r"^[a-z]{2}$", description="Language of the widget's own words; null: the page's.")
    publication: Publication | None = Field(None, description="Who may meet it.")
    handover: Handover | None = Field(None, description="Where a visitor who wants a person is led.")
    hosts: list[SmallMap] | None = Field(None, max_length=5, description="What may be read of host applications.")
    local_only: bool | None = Field(None, description="Refuse hosted models for it and for the sources that it holds; it holds at once.")
    limits: Limiting | None = Field(None, description="The section `limits` of `profile_settings` under a name of its own.")


class AssistantUpdate(Ask):
    """What is given is changed in the draft; `publication` and `local_only` hold at once."""

    name: Title | None = Field(None, description="A new name.")
    slug: Slug | None = Field(None, description="A new part of public addresses; pages that embed it must follow.")
    profile: ProfileName | None = Field(None, description="How it finds and answers. Where it cuts sources otherwise, see `wanted_recipe`.")
    profile_settings: SmallMap | None = Field(None, description="Fields to change; null takes one back to the profile's.")
    look: Look | None = Field(None, description="Fields to change.")
    language: str | None = Field(None, pattern=r"^[a-z]{2}$", description="Language of the widget's own words; null: the page's.")
    publication: Publication | None = Field(None, description="Fields to change; they hold at once.")
    handover: Handover | None = Field(None, description="Where a visitor who wants a person is led.")
    hosts: list[SmallMap] | None = Field(None, max_length=5, description="All host applications, in the place of those before.")
    local_only: bool | None = Field(None, description="Refuse hosted models for it and for the sources that it holds; it holds at once.")
    limits: dict[str, Annotated[int, Field(ge=0)] | None] | None = Field(
        None, description="Fields of `profile_settings.limits` to change; null takes one back."
    )


class GrantCounts(Told):
    """Its sources, by state."""

    given: int = Field(description="Searched.")
    paused: int = Field(description="Kept and not searched.")
    pending: int = Field(description="Given, and not read or cut for it yet.")


class Version(Told):
    """How it answers: a draft, or what was published."""

    profile: str
    profile_settings: dict[str, Any] = Field(description="What differs from the profile.")
    look: dict[str, Any] = Field(description="greeting, placeholder, colour, position, where set.")
    language: str | None = Field(None, description="Language of the widget's own words.")
    handover: dict[str, Any] = Field(description="kind and to.")
    hosts: list[dict[str, Any]] = Field(description="What may be read of host applications.")

    @classmethod
    def parts(cls, profile: str, settings: dict[str, Any]) -> dict[str, Any]:
        """The fields of a version as its settings have them."""
        told = {name: value for name, value in (settings.get("profile") or {}).items() if name != "version"}
        return {
            "profile": profile, "profile_settings": told, "look": settings.get("look") or {}, "language": settings.get("language"),
            "handover": settings.get("handover") or {"kind": "none"}, "hosts": settings.get("hosts") or [],
        }  # fmt: skip


class Check(Told):
    """How its test questions did the last time."""

    as_before: int = Field(description="How many found what they found when it was published last.")
    changed: int = Field(description="How many did not; at the first publication, those that are not answered as they should be.")
    right: int = Field(description="How many found a source that answers them, or nothing where nothing should.")
    total: int
    published: bool = Field(description="Whether it was published then.")


class ChangedQuestion(Told):
    """A test question that found something else than before."""

    question_id: UUID
    question: str
    was_right: bool | None = Field(None, description="Whether it was answered as it should be before; null: it is new.")
    is_right: bool = Field(description="Whether it is now.")


class PublishAsk(Ask):
    """When to publish."""

    when: Literal["always", "as_before", "never"] = Field(
        "always", description="as_before: only if no test question changed; never: only look."
    )


class Published(Check):
    """What publishing gave."""

    questions: list[ChangedQuestion] = Field(default_factory=list, description="Those that changed, at most 200.")
    running: bool = Field(False, description="It still runs; the assistant tells when it is published.")


class AssistantRead(Version):
    """An assistant: its draft, and what visitors are answered by."""

    id: UUID
    slug: str = Field(description="Its part of public addresses.")
    name: str
    role: Literal["owner", "editor", "viewer"] = Field(description="What the asker is here.")
    publication: Publication = Field(description="Who may meet it.")
    limits: dict[str, Any] = Field(description="The section `limits` of `profile_settings`.")
    recipe: str = Field(description="How its sources are cut.")
    wanted_recipe: str | None = Field(None, description="How its purpose cuts them, where that is not in use yet; see `reindex`.")
    stale: int = Field(description="Sources that are to be cut anew for `wanted_recipe`.")
    reindexing: bool = Field(description="They are being cut anew; it answers meanwhile as before.")
    local_only: bool = Field(description="Hosted models are refused.")
    sources: GrantCounts = Field(description="How many sources it holds.")
    published: Version | None = Field(None, description="What visitors are answered by; null: it was never published.")
    published_at: datetime | None = Field(None, description="When it was published last.")
    has_changes: bool = Field(description="The draft differs from what is published.")
    last_check: Check | None = Field(None, description="How its test questions did the last time.")
    seen_origin: str | None = Field(None, description="The site on which it was opened last.")
    seen_at: datetime | None = Field(None, description="When that was.")
    last_asked_at: datetime | None = None
    webhook_secret: str | None = Field(None, description="Signs hand-overs to a webhook; for owner and editors.")
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, row: Assistant, secret: str | None) -> AssistantRead:
        """The row as one of its people sees it."""
        draft = Version.parts(row.profile, row.settings)
        live = row.published and Version.parts(row.published["profile"], row.published["settings"])
        is_webhook = draft["handover"].get("kind") == "webhook" and row.role != "viewer"
        same = (
            "id", "slug", "name", "role", "published_at", "seen_origin", "seen_at", "last_asked_at", "created_at", "updated_at",
        )  # fmt: skip
        return cls(
            **draft, publication=Publication.model_validate(row.settings.get("publication") or {}), recipe=row.recipe_id,
            wanted_recipe=row.wanted_recipe_id, stale=row.stale, reindexing=row.is_reindexing,
            local_only=bool(row.settings.get("local_only")),
            limits=draft["profile_settings"].get("limits") or {}, published=Version(**live) if live else None, has_changes=draft != live,
            sources=GrantCounts(given=row.given, paused=row.paused, pending=row.pending),
            last_check=Check.model_validate(row.last_check) if row.last_check else None, webhook_secret=secret if is_webhook else None,
            **{name: getattr(row, name) for name in same},
        )  # fmt: skip


class AssistantSource(Told):
    """A source of the owner's library, with its state for this assistant."""

    id: UUID
    title: str
    kind: str
    status: str
    language: str | None = None
    labels: list[str]
    external_id: str | None = None
    meta: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    state: Literal["given", "paused", "none"] = Field(description="none: it was not given.")
    searchable: Literal["none", "words", "full"] = Field(description="How questions would find it here now.")

    @classmethod
    def of(cls, row: HeldSource) -> AssistantSource:
        """The row."""
        return cls.model_validate(row, from_attributes=True)


class SourcesReplace(Ask):
    """All sources at once."""

    source_ids: list[UUID] = Field(max_length=100_000, description="Given from now on; every other grant is taken back.")


class SourcesReplaced(Told):
    """What a swap came to."""

    given: int = Field(description="Sources it holds now.")
    pending: int = Field(description="Of these, not read or cut for it yet.")


class MemberAdd(Ask):
    """Let somebody work on it."""

    email: Email = Field(description="Address of a person who signs in here.")
    role: Literal["editor", "viewer"] = Field(
        "viewer", description="editor: changes and publishes it; viewer: tries it and sees what visitors asked in vain."
    )


class MemberRead(Told):
    """Somebody who may work on it."""

    person_id: UUID = Field(description="Id of the person.")
    name: str
    email: str | None = None
    role: Literal["editor", "viewer"] = Field(description="What they may do.")
    created_at: datetime

    @classmethod
    def of(cls, row: Member) -> MemberRead:
        """The row."""
        return cls.model_validate(row, from_attributes=True)


class TokenAsk(Ask):
    """A person whom the host application has signed in."""

    subject: Subject = Field(description="The host application's own id of them, the same every time.")
    name: str | None = Field(None, min_length=1, max_length=200, description="What to call them in a hand-over.")


class VisitorToken(Told):
    """What a visitor shows with each request, as `Authorization: Visitor <token>`."""

    token: str = Field(description="Sealed; it names nobody to who holds it.")
    expires_in: int = Field(description="Seconds until it ends.")


class AskedRead(Told):
    """A question of a visitor, without whose it is."""

    id: UUID
    question: str
    language: str | None = None
    status: Literal["queued", "running", "done", "stopped", "failed"]
    reply_kind: str | None = Field(None, description="How sure the search was.")
    feedback: Literal[1, -1] | None = Field(None, description="Thumbs.")
    sources: int = Field(description="How many sources the answer drew on.")
    created_at: datetime

    @classmethod
    def of(cls, row: AskedTurn) -> AskedRead:
        """The row."""
        return cls.model_validate(row, from_attributes=True)
