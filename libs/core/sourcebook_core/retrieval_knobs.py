"""How passages are found: the fields of a profile that search looks at, and the pools of a product's evidence."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

MODULE = "module"  # of a question's context, and of a source's `meta`: the part of the product that it is about


class Frozen(BaseModel):
    """A part of a profile: no field is unknown, none changes."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Pool(Frozen):
    """One kind of evidence: searched apart from the others, with places of its own. Source: S4-04, S4-14 to S4-20."""

    name: str = Field(max_length=40, description="What the prompt and the explanation call it.")
    k: int = Field(ge=1, le=50, description="At most so many passages.")
    where: dict[str, tuple[str, ...]] = Field(
        {},
        description="Field of a source's `meta` → the values of which it must have one, before anything is ranked. `$field` stands for"
        " the values of that field in the question's context; without them nothing fits.",
    )
    reserve_by: str | None = Field(None, description="Field of `meta`: each of its values that the question names has a place.")
    prefer: str | None = Field(None, description="Field of `meta`: what has the value of the question's context wins ties.")
    is_evidence: bool = Field(True, description="It counts for the coverage told with the answer; background does not (S4-20).")

    @property
    def meta_fields(self) -> frozenset[str]:
        """The fields of a source's `meta` that it looks at."""
        return frozenset(name for name in (*self.where, self.reserve_by, self.prefer) if name)


class Retrieval(Frozen):
    """How passages are found. Conflicts C6, C7, C13; decisions "Over the ledger"."""

    mode: Literal["hybrid", "vector", "lexical"] = Field("hybrid", description="By both lists, by meaning alone, by words alone.")
    k: int = Field(8, ge=1, le=50, description="Passages handed over.")
    k_one_source: int = Field(12, ge=1, le=50, description="When the scope is exactly one source; then there is no floor.")
    list_depth: int = Field(50, ge=1, le=200, description="Candidates fetched by each list.")
    fused_depth: int = Field(20, ge=1, le=200, description="Positions of each list that count (S2-28).")
    rrf_k: int = Field(60, ge=1, le=1000, description="A place counts with weight / (rrf_k + place), from 1 (S2-25).")
    word_weight: float = Field(0.5, ge=0, le=10, description="Of a place by words.")
    few_words_count: bool = Field(False, description="A place by words counts also where the words say too little to be enough alone.")
    meaning_weight: float = Field(1.0, ge=0, le=10, description="Of a place by meaning.")
    floor_on: Literal["vectors", "all", "nothing"] = Field(
        "vectors",
        description="vectors: what is under the floor may stay by its words; all: it may not (S3-06); nothing: whatever is found (C6).",
    )
    words_worth: float = Field(
        0.3, ge=0, le=1, description="How far under the floor a chunk with all of the question's words may lie, of the way from floor to 1."
    )
    floor_slack: float = Field(0.05, ge=0, le=1, description="The same for further chunks, once one is enough by itself.")
    words_only_idf_share: float = Field(0.5, ge=0, le=1, description="A chunk found by words alone needs this share of the question's idf.")
    generated_slots: int = Field(2, ge=0, le=200, description="Made documents take at most so many places that uploads leave (S1-47, A5).")
    unit: Literal["chunk", "section"] = Field("chunk", description="section: each section counts once, by its best chunk (S2-09).")
    languages: Literal["all", "asker_and_english"] = Field("all", description="Which sources are searched, by their language (S2-19).")
    module_boost: float = Field(1.0, ge=1, le=10, description="On the word score where `context.module` is `source.meta.module` (S2-14).")
    pools: tuple[Pool, ...] = Field(
        (), max_length=6, description="Kinds of evidence with places of their own; empty: one list with `k` places."
    )
    carried_passages: int = Field(3, ge=0, le=20, description="Passages of the last answer carried into a follow-up.")

    @property
    def meta_fields(self) -> frozenset[str]:
        """The fields of a source's `meta` that this policy looks at."""
        boosted = {MODULE} if self.module_boost > 1 else set()
        return frozenset(boosted).union(*(pool.meta_fields for pool in self.pools))


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
    "science": (Pool(name="background", k=6, where=_REFERENCES, prefer="technology"),),
}
