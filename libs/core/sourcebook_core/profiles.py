"""Profiles: every knob in which the five source systems differ, as typed fields; the five, and one with a holder's own overrides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError

from sourcebook_core.errors import RequestError
from sourcebook_core.retrieval_knobs import MODULE, PRODUCT_POOLS, Frozen, Pool, Retrieval
from sourcebook_core.routing import PRODUCT_ROUTING, Routing

__all__ = ["MODULE", "NOTEBOOK", "PRODUCT_POOLS", "PROFILES", "Pool", "Profile", "ProfileName", "Retrieval", "get", "merged", "of"]

ProfileName = Literal["notebook", "docs", "help", "persona", "product"]
LAYER = "layer"  # of a source's `meta`: `local` is what may not be passed on, told as a local copy and without an address (S0-09, S0-11)
VERSION = 1  # of stored overrides; a field that is renamed or moved raises it and adds a step to UPGRADES
UPGRADES: tuple[Callable[[dict[str, Any]], dict[str, Any]], ...] = ()  # step n - 1 makes version n into n + 1
TEXT_BYTES = 2_097_152  # 2 MiB (A2)


Fact = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]


class Prompting(Frozen):
    """What the writing model is given beside the passages. Conflict C3."""

    document_names: Literal["titles", "none"] = Field(
        "titles", description="none: no title, heading or file name reaches the model (S3-07)."
    )
    document_list: bool = Field(True, description="The model is told which documents there are, by kind and title (S1-45).")
    audience: str = Field("", max_length=2000, description="Who is answered, and in which voice; stands at the head of the instructions.")
    pinned: tuple[Fact, ...] = Field(
        (), max_length=20, description="Facts that are easily misread, told in the instructions of every answer (S0-52)."
    )
    situation: tuple[str, ...] = Field(
        (), max_length=10, description="Fields of the question's context that the model is told (S4-01); the others only steer the search."
    )

    @property
    def gives_titles(self) -> bool:
        """Whether titles and headings reach the model."""
        return self.document_names == "titles"

    @property
    def gives_list(self) -> bool:
        """Whether the list of documents does, which holds their titles."""
        return self.document_list and self.gives_titles


class Conversing(Frozen):
    """Where a conversation lives and how much of it is told again. Conflict C8."""

    store: Literal["db", "client"] = Field(
        "db", description="client: the caller sends what was said (`history`); turns are kept as a trace and never told again (S0-42)."
    )
    ttl_s: int | None = Field(
        None, ge=1, le=31_536_000, description="A conversation idle for longer is not gone on with: a new one begins (S4-37)."
    )
    max_messages: int = Field(20, ge=0, le=200, description="Earlier messages told to the model, at most (S0-41).")
    max_chars: int = Field(6000, ge=0, le=200_000, description="And so many characters of them; a message is never cut.")
    by_resource: bool = Field(
        False, description="A conversation is about one `resource` of the question's context; with another a new one begins (S4-33)."
    )
    max_sessions: int | None = Field(
        None, ge=1, le=10_000, description="Conversations of one person with one holder; the oldest idle goes to the trash (S4-36)."
    )


class Answering(Frozen):
    """How an answer is made and ended. Conflicts C14, C15, C18, C20, C21."""

    mode: Literal["workflow", "agent", "hybrid"] = Field(
        "workflow",
        description="workflow: code searches and reads, the model is called once (S0-45); agent: the model decides what to look up (S0-46);"
        " hybrid: both (S0-47). Never a field of a question (S0-44).",
    )
    on_empty: Literal["model_with_list", "canned", "silent", "low_confidence"] = Field(
        "model_with_list",
        description="Nothing near enough: model_with_list: the model says so, with the list of documents; canned: an honest line; silent:"
        " the model answers as in any conversation; low_confidence: the model says what is missing, and the answer is called so.",
    )
    on_unavailable: Literal["error", "lexical", "without_documents"] = Field(
        "lexical",
        description="A model that search needs is away: the question fails, is searched by words, or (also when the search itself fails)"
        " is answered without documents.",
    )
    tells_degraded: bool = Field(True, description="What an answer had to do without is told in `degraded`; else the log alone has it.")
    on_disconnect: Literal["finish", "cancel"] = Field(
        "finish", description="A reader who leaves: the answer goes on, or is stopped (B49)."
    )
    without_model: Literal["quotes", "cards"] = Field(
        "quotes", description="Without a writing model: quoted sentences, or a line and cards of the sections (S2-31)."
    )
    on_model_failure: Literal["error", "level_below"] = Field(
        "error", description="The writing model fails before a word was shown: the question fails, or is answered without it (S2-50)."
    )
    hides_refusal: bool = Field(
        False, description="A model that says NOT_COVERED is not shown: the honest line and the closest passages are (S2-49)."
    )
    max_passages_model: int | None = Field(None, ge=1, le=50, description="The writing model is given so many passages; null: all (S2-49).")
    translate_to: str | None = Field(
        None,
        pattern=r"^([a-z]{2})?$",
        description="A question in another language is searched in this one, by the role TRANSLATE (S0-04); empty: as written.",
    )
    name_language: bool = Field(True, description="The instructions name the language to answer in, where it is sure (S0-54).")
    temperature: float | None = Field(None, ge=0, le=2, description="Null: the role's.")
    max_tokens: int | None = Field(None, ge=1, le=100_000, description="Longest reply of the model; null: the role's.")
    first_event_s: float | None = Field(
        None, ge=1, le=600, description="The answer begins within so long, or it is refused; null: the installation's setting (S0-69)."
    )
    total_s: float = Field(180.0, ge=1, le=3600, description="The model writes no longer than this (S0-69).")


class Citing(Frozen):
    """How citations are shown and checked. Conflicts C4, C5, C19, C27."""

    sources: Literal["citations", "hidden", "line"] = Field(
        "citations",
        description="citations: marks and their sources; hidden: neither leaves the server (S0-73); line: one line that names the sources"
        " used, which only the program writes (S3-08 to S3-13).",
    )
    invalid: Literal["strip", "flag"] = Field("strip", description="A mark that names no passage is taken out, or stays and is struck out.")
    none_valid: Literal["empty", "retrieved"] = Field(
        "empty", description="Without a valid mark: no source, or all that was found, called a fallback (S4-24)."
    )
    renumber: bool = Field(True, description="Numbers are dense by first appearance; false: those of the passages as handed over.")
    evidence_check: Literal["off", "on"] = Field(
        "on", description="line: a passage is named only if the answer carries its content (S3-09); off: the model's word is enough."
    )
    evidence_share: float = Field(
        0.6, ge=0, le=1, description="line: this share of the answer's content words must stand in a passage (A12)."
    )
    constants: tuple[int, ...] = Field((), description="Numbers that an answer may always name, beside those it was given (S0-58).")


class Tooling(Frozen):
    """How far a model may go that looks things up itself. Conflict C18; sources: S0-46, S4-29. A last turn without tools always follows."""

    rounds: int = Field(4, ge=1, le=10, description="Calls of the model in which it may use tools.")
    calls: int = Field(4, ge=1, le=20, description="Tools used for one answer; further ones are refused (S0-46).")
    argument_bytes: int = Field(2000, ge=100, le=20_000, description="Arguments of one use.")
    result_bytes: int = Field(8000, ge=500, le=60_000, description="What one use gives; the rest is left out, and said so.")
    seconds: float = Field(90.0, ge=1, le=600, description="All rounds together; then the last turn writes the answer.")


class Replying(Frozen):
    """Thresholds of the reply kinds (S2-33, S2-34); numbers of (profile, space)."""

    weak_words: float = Field(9.0, ge=0, description="A best word score below this is weak.")
    weak_similarity: float = Field(0.36, ge=-1, le=1, description="With vectors: and a best similarity below this.")
    clear_ratio: float = Field(1.25, ge=1, description="By words alone: the best has so many times the score of the next.")
    clear_lead: float = Field(0.10, ge=0, le=2, description="With vectors: the nearest leads the next by this.")


class Taking(Frozen):
    """Which sources are taken in. Conflicts C1, C2, C29."""

    kinds: tuple[str, ...] | None = Field(
        None,
        max_length=20,
        description="Kinds of sources, as their `kind` says; null: all that can be read. Others are refused with a reason.",
    )
    max_bytes: int | None = Field(None, ge=1, description="Largest source; null: the installation's limits.")
    capture: Literal["auto", "text", "vision"] | None = Field(
        None, description="How PDFs are read; null: as the upload or its owner says. text: pages without a text layer are not read (S0-12)."
    )


class Limiting(Frozen):
    """Limits on asking of this holder's own, beside those of the installation. Conflict C25; S0-78 to S0-81. Null or 0: none of its own."""

    per_person_hour: int | None = Field(None, ge=0, description="Messages of one person in an hour.")
    per_address_minute: int | None = Field(None, ge=0, description="Messages from one address in a minute.")
    everyone_hour: int | None = Field(None, ge=0, description="Messages of all people in an hour.")
    at_once: int | None = Field(None, ge=0, description="Answers at once.")
    at_once_person: int | None = Field(None, ge=0, description="Answers of one person at once.")


class Profile(Frozen):
    """One way of answering. A holder stores its name and what differs from it."""

    name: ProfileName = Field("notebook", description="Which of the five.")
    retrieval: Retrieval = Field(Retrieval(), description="How passages are found.")
    routing: Routing = Field(Routing(), description="How a question is routed before it is searched.")
    prompt: Prompting = Field(Prompting(), description="What the writing model is given.")
    tools: Tooling = Field(Tooling(), description="How far a model may go that looks things up itself.")
    conversation: Conversing = Field(Conversing(), description="What was said before.")
    answer: Answering = Field(Answering(), description="How an answer is made and ended.")
    citations: Citing = Field(Citing(), description="How citations are shown and checked.")
    reply: Replying = Field(Replying(), description="How sure a fixed line may sound.")
    ingest: Taking = Field(Taking(), description="Which sources are taken in.")
    limits: Limiting = Field(Limiting(), description="How much may be asked.")
    wording: Literal["standard", "product"] = Field(
        "standard", description="Field names of NDJSON events; product: `content`, `ai_message`, `session_id`, ... (S4-09 to S4-12)."
    )

    @property
    def meta_fields(self) -> frozenset[str]:
        """The fields of a source's `meta` that search, prompt, cards or citations of this profile look at."""
        pools = [pool for named in self.routing.pools.values() for pool in named]
        routed = {name for pool in pools for name in pool.meta_fields}
        labels = {"transfer", "claim", "technology"} if pools else set()
        cards = {"url", "anchor", "anchors"} if self.answer.without_model == "cards" else set()
        return self.retrieval.meta_fields | routed | labels | cards | {LAYER}


NOTEBOOK = Profile()
_TEXTS_AND_TABLES = ("markdown", "text", "url", "pdf", "office")
# The seeds' numbers.
PROFILES: dict[str, Profile] = {
    "notebook": NOTEBOOK,
    "docs": Profile(
        name="docs",
        retrieval=Retrieval(k=3, word_weight=1.0, few_words_count=True, floor_on="nothing", carried_passages=0),
        prompt=Prompting(document_list=False),
        conversation=Conversing(store="client"),
        answer=Answering(on_unavailable="error", translate_to="en", temperature=0.0, max_tokens=800, first_event_s=90.0),
        citations=Citing(invalid="flag", renumber=False, constants=(2, 3, 20, 40)),
        ingest=Taking(kinds=_TEXTS_AND_TABLES, capture="text"),
        limits=Limiting(per_person_hour=60, per_address_minute=20, everyone_hour=600, at_once=8, at_once_person=2),
    ),
    "help": Profile(
        name="help",
        retrieval=Retrieval(
            k=5, few_words_count=True, words_worth=0, floor_slack=0, unit="section", languages="asker_and_english", module_boost=1.15,
            carried_passages=0,
        ),
        prompt=Prompting(document_list=False),
        answer=Answering(
            on_empty="canned", without_model="cards", on_model_failure="level_below", hides_refusal=True, max_passages_model=4
        ),
    ),
    "persona": Profile(
        name="persona",
        retrieval=Retrieval(floor_on="all", carried_passages=0),
        prompt=Prompting(document_names="none", document_list=False),
        answer=Answering(on_empty="silent", on_unavailable="without_documents", tells_degraded=False),
        citations=Citing(sources="line"),
        ingest=Taking(kinds=("markdown", "text"), max_bytes=TEXT_BYTES),
    ),
    "product": Profile(
        name="product",
        retrieval=Retrieval(
            mode="lexical", k=6, few_words_count=True, floor_on="nothing", pools=PRODUCT_POOLS["operation"], carried_passages=0
        ),
        routing=PRODUCT_ROUTING,
        prompt=Prompting(document_list=False, situation=("goal", "step", "selection")),
        conversation=Conversing(ttl_s=3600, by_resource=True, max_sessions=20),
        answer=Answering(on_empty="low_confidence", on_disconnect="cancel"),
        citations=Citing(none_valid="retrieved"),
        wording="product",
    ),
}  # fmt: skip


def get(name: str) -> Profile:
    """The profile of a name. Raises KeyError for one that does not exist."""
    return PROFILES[name]


def of(name: str, overrides: Mapping[str, Any] | None) -> Profile:
    """The profile with a holder's own fields, which may be of an older version (`settings["profile"]`).

    Raises KeyError for a name that does not exist, RequestError 422 `invalid_field` that names the field as
    `profile.answer.max_tokens`. A list or a set of pools replaces the one before as a whole.
    """
    base = get(name)
    given = upgraded(overrides or {})
    if not given:
        return base
    if "name" in given:
        raise RequestError(422, "invalid_field", why="profile.name: it is chosen by the holder's `profile`.")
    if _has_nul(given):
        raise RequestError(422, "invalid_field", why="profile: a text holds a NUL character.")
    try:
        return Profile.model_validate(_put(base.model_dump(), given))
    except ValidationError as error:
        raise RequestError(422, "invalid_field", why=_first_of(error)) from None


def merged(stored: Mapping[str, Any] | None, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Stored overrides with changes put in; null takes a field's override back, or a whole section's. Of this version, not validated."""
    found = _put(upgraded(stored or {}), changes, drop_null=True)
    return {"version": VERSION, **found} if found else {}


def upgraded(overrides: Mapping[str, Any], upgrades: Sequence[Callable[[dict[str, Any]], dict[str, Any]]] = UPGRADES) -> dict[str, Any]:
    """Overrides as this version has them, without their version. Raises RequestError 422 for a version that comes later."""
    given = dict(overrides)
    version = given.pop("version", 1)
    if not isinstance(version, int) or not 1 <= version <= len(upgrades) + 1:
        raise RequestError(422, "invalid_field", why=f"profile.version: this server knows versions 1 to {len(upgrades) + 1}.")
    for step in upgrades[version - 1 :]:
        given = step(given)
    return given


def _put(into: Mapping[str, Any], given: Mapping[str, Any], *, drop_null: bool = False) -> dict[str, Any]:
    out = dict(into)
    for name, value in given.items():
        before = out.get(name)
        if value is None and drop_null:
            out.pop(name, None)
        elif isinstance(value, Mapping):
            inner = _put(before if isinstance(before, Mapping) else {}, value, drop_null=drop_null)
            out[name] = inner
            if drop_null and not inner:
                out.pop(name)
        else:
            out[name] = value
    return out


def _has_nul(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(_has_nul(one) for pair in value.items() for one in pair)
    if isinstance(value, list | tuple):
        return any(_has_nul(one) for one in value)
    return isinstance(value, str) and "\x00" in value


def _first_of(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    return ".".join(["profile", *(str(part) for part in first["loc"])]) + f": {first['msg']}"
