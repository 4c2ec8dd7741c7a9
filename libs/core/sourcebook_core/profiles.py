"""Profiles: every knob in which the five source systems differ, as typed fields. The defaults are the notebook's."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

ProfileName = Literal["notebook", "docs", "help", "persona", "product"]
MODULE = "module"  # of a question's context, and of a source's `meta`: the part of the product that it is about


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Pool(_Frozen):
    """One kind of evidence: searched apart from the others, with places of its own. Source: S4-04, S4-14 to S4-20."""

    name: str
    k: int = Field(ge=1, le=50, description="At most so many passages.")
    where: dict[str, tuple[str, ...]] = Field(
        {},
        description="Field of a source's `meta` → the values of which it must have one, before anything is ranked. `$field` stands for"
        " the values of that field in the question's context; without them nothing fits.",
    )
    reserve_by: str | None = Field(None, description="Field of `meta`: each of its values that the question names has a place.")
    prefer: str | None = Field(None, description="Field of `meta`: what has the value of the question's context wins ties.")
    is_evidence: bool = Field(True, description="It counts for the coverage told with the answer; background does not (S4-20).")


class Retrieval(_Frozen):
    """How passages are found. Conflicts C6, C7, C13; decisions "Over the ledger"."""

    mode: Literal["hybrid", "vector", "lexical"] = Field("hybrid", description="By both lists, by meaning alone, by words alone.")
    k: int = Field(8, ge=1, le=50, description="Passages handed over.")
    k_one_source: int = Field(12, ge=1, le=50, description="When the scope is exactly one source; then there is no floor.")
    list_depth: int = Field(50, description="Candidates fetched by each list.")
    fused_depth: int = Field(20, description="Positions of each list that count (S2-28).")
    rrf_k: int = Field(60, description="A place counts with weight / (rrf_k + place), from 1 (S2-25).")
    word_weight: float = Field(0.5, description="Of a place by words.")
    few_words_count: bool = Field(False, description="A place by words counts also where the words say too little to be enough alone.")
    meaning_weight: float = Field(1.0, description="Of a place by meaning.")
    floor_on: Literal["vectors", "all", "nothing"] = Field(
        "vectors",
        description="vectors: what is under the floor may stay by its words; all: it may not (S3-06); nothing: whatever is found (C6).",
    )
    words_worth: float = Field(
        0.3, ge=0, le=1, description="How far under the floor a chunk with all of the question's words may lie, of the way from floor to 1."
    )
    floor_slack: float = Field(0.05, ge=0, le=1, description="The same for further chunks, once one is enough by itself.")
    words_only_idf_share: float = Field(0.5, description="A chunk found by words alone needs this share of the question's idf.")
    generated_slots: int = Field(2, description="Made documents take at most so many places that uploads leave (S1-47, A5).")
    unit: Literal["chunk", "section"] = Field("chunk", description="section: each section counts once, by its best chunk (S2-09).")
    languages: Literal["all", "asker_and_english"] = Field("all", description="Which sources are searched, by their language (S2-19).")
    module_boost: float = Field(1.0, ge=1, description="On the word score where `context.module` is `source.meta.module` (S2-14).")
    pools: tuple[Pool, ...] = Field((), description="Kinds of evidence with places of their own; empty: one list with `k` places.")
    carried_passages: int = Field(3, description="Passages of the last answer carried into a follow-up.")

    @property
    def meta_fields(self) -> frozenset[str]:
        """The fields of a source's `meta` that this policy looks at."""
        named = {name for pool in self.pools for name in (*pool.where, pool.reserve_by, pool.prefer) if name}
        return frozenset(named | ({MODULE} if self.module_boost > 1 else set()))


class Prompting(_Frozen):
    """What the writing model is given. Conflicts C3, C8."""

    document_names: Literal["titles", "none"] = "titles"
    document_list: bool = True
    max_messages: int = 20
    max_chars: int = 6000


class Answering(_Frozen):
    """How an answer is made and ended. Conflicts C14, C15, C18, C20."""

    on_empty: Literal["model_with_list", "canned", "silent", "low_confidence"] = "model_with_list"
    on_unavailable: Literal["error", "lexical", "without_documents"] = "lexical"
    on_disconnect: Literal["finish", "cancel"] = "finish"
    temperature: float = 0.0
    max_tokens: int = 1500
    first_event_s: float | None = Field(None, description="Null: the installation's setting.")
    total_s: float = 180.0


class Citing(_Frozen):
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


class Replying(_Frozen):
    """Thresholds of the reply kinds for quoted answers (S2-33, S2-34); numbers of (profile, space)."""

    weak_words: float = 9.0
    weak_similarity: float = 0.36
    clear_ratio: float = 1.25
    clear_lead: float = 0.10


class Limiting(_Frozen):
    """Limits on asking of this holder's own, beside those of the installation. Conflict C25; S0-78 to S0-81. Null or 0: none of its own."""

    per_person_hour: int | None = Field(None, ge=0, description="Messages of one person in an hour.")
    per_address_minute: int | None = Field(None, ge=0, description="Messages from one address in a minute.")
    everyone_hour: int | None = Field(None, ge=0, description="Messages of all people in an hour.")
    at_once: int | None = Field(None, ge=0, description="Answers at once.")
    at_once_person: int | None = Field(None, ge=0, description="Answers of one person at once.")


class Profile(_Frozen):
    """One way of answering, stored by name with a notebook."""

    name: ProfileName = "notebook"
    retrieval: Retrieval = Retrieval()
    prompt: Prompting = Prompting()
    answer: Answering = Answering()
    citations: Citing = Citing()
    reply: Replying = Replying()
    limits: Limiting = Limiting()


NOTEBOOK = Profile()
# `meta` of a product's sources: `evidence` product or reference, `technology` (one or several), `transfer` validated, shared,
# compatible or analogy. Which set is in force is for the route of the question; operation is the default (S4-03, S4-14 to S4-16).
_FOCAL = {"technology": ("$technology",)}
_OF_PRODUCT = {"evidence": ("product",)}
_REFERENCES = {"evidence": ("reference",)}
PRODUCT_POOLS: dict[str, tuple[Pool, ...]] = {
    "operation": (
        Pool(name="actionable", k=4, where=_OF_PRODUCT, prefer="technology"),
        Pool(name="background", k=2, where=_REFERENCES | _FOCAL | {"transfer": ("validated", "shared")}, is_evidence=False),
    ),
    "chemistry": (
        Pool(name="actionable", k=3, where=_OF_PRODUCT, prefer="technology"),
        Pool(name="background", k=3, where=_REFERENCES | {"transfer": ("validated", "shared", "compatible")}, is_evidence=False),
    ),
    "comparison": (Pool(name="background", k=6, where=_REFERENCES, reserve_by="technology"),),
}
# How each of them finds passages. How it answers stays the notebook's until the assistants are built.
PROFILES: dict[str, Profile] = {
    "notebook": NOTEBOOK,
    "docs": Profile(
        name="docs",
        retrieval=Retrieval(k=3, word_weight=1.0, few_words_count=True, floor_on="nothing"),
        limits=Limiting(per_person_hour=60, per_address_minute=20, everyone_hour=600, at_once=8, at_once_person=2),
    ),
    "help": Profile(
        name="help",
        retrieval=Retrieval(
            k=5,
            few_words_count=True,
            words_worth=0,
            floor_slack=0,
            unit="section",
            languages="asker_and_english",
            module_boost=1.15,
            carried_passages=0,
        ),
    ),
    "persona": Profile(
        name="persona",
        retrieval=Retrieval(floor_on="all", carried_passages=0),
        prompt=Prompting(document_names="none", document_list=False),
    ),
    "product": Profile(
        name="product",
        retrieval=Retrieval(
            mode="lexical", k=6, few_words_count=True, floor_on="nothing", pools=PRODUCT_POOLS["operation"], carried_passages=0
        ),
    ),
}


def get(name: str) -> Profile:
    """The profile of a name. Raises KeyError for one that does not exist."""
    return PROFILES[name]
