"""Profiles: every knob in which the five source systems differ, as typed fields. The defaults are the notebook's."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

ProfileName = Literal["notebook", "docs", "help", "persona", "product"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Retrieval(_Frozen):
    """How passages are found. Conflicts C6, C7, C13; decisions "Over the ledger"."""

    mode: Literal["hybrid", "vector", "lexical"] = "hybrid"
    k: int = Field(8, ge=1, le=50, description="Passages handed over.")
    k_one_source: int = Field(12, ge=1, le=50, description="When the scope is exactly one source; then there is no floor.")
    list_depth: int = Field(50, description="Candidates fetched by each list.")
    fused_depth: int = Field(20, description="Positions of each list that count (S2-28).")
    rrf_k: int = 60
    word_weight: float = 0.5
    meaning_weight: float = 1.0
    floor: float | None = Field(None, description="Overrides the floor of the space in use; on the raw cosine, >= keeps.")
    floor_on: Literal["vectors", "all"] = "vectors"
    words_only_idf_share: float = Field(0.5, description="A chunk found by words alone needs this share of the question's idf.")
    generated_slots: int = 2
    unit: Literal["chunk", "section"] = "chunk"
    carried_passages: int = Field(3, description="Passages of the last answer carried into a follow-up.")


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

    sources: Literal["citations", "hidden", "line"] = "citations"
    invalid: Literal["strip", "flag"] = "strip"
    none_valid: Literal["empty", "retrieved"] = "empty"
    renumber: bool = True


class Replying(_Frozen):
    """Thresholds of the reply kinds for quoted answers (S2-33, S2-34); numbers of (profile, space)."""

    weak_words: float = 9.0
    weak_similarity: float = 0.36
    clear_ratio: float = 1.25
    clear_lead: float = 0.10


class Profile(_Frozen):
    """One way of answering, stored by name with a notebook."""

    name: ProfileName = "notebook"
    retrieval: Retrieval = Retrieval()
    prompt: Prompting = Prompting()
    answer: Answering = Answering()
    citations: Citing = Citing()
    reply: Replying = Replying()


NOTEBOOK = Profile()


def get(name: str) -> Profile:
    """The profile of a name. Raises KeyError for one that does not exist (yet: only `notebook` does)."""
    return {"notebook": NOTEBOOK}[name]
