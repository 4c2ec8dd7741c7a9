"""What is searched apart and has places of its own: the whole scope, or each pool of evidence. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sourcebook_core.profiles import MODULE, Pool, Retrieval
from sourcebook_core.store.scopes import Scope, compared
from sourcebook_core.text import lexemes

FROM_CONTEXT = "$"  # `$technology` in a pool's `where`: the values of that field in the question's context
_WORD = re.compile(r"\w+")
ALWAYS = "en"  # S2-19, S2-47: candidates are in the asker's language and in English


@dataclass(frozen=True, slots=True)
class Part:
    """One search. `reserved` holds for each value that has a place the sources with it; `preferred` sources win ties, the word
    score of `boosted` ones counts more. `name` is empty where there are no pools."""

    name: str
    scope: Scope
    k: int
    reserved: tuple[frozenset[UUID], ...] = ()
    preferred: frozenset[UUID] = frozenset()
    boosted: frozenset[UUID] = frozenset()
    is_evidence: bool = True


def parts_of(
    scope: Scope, question: str, language: str | None, context: Mapping[str, Any], knobs: Retrieval, k: int | None = None
) -> list[Part]:
    """The searches that this question needs, in the order of their passages. `k` overrides the places where there are no pools.

    Languages and pools narrow what is searched, so nothing outside them is ranked or takes a place. Source: S2-19, S4-04.
    """
    if knobs.languages == "asker_and_english" and language is not None:
        scope = scope.in_languages({language, ALWAYS})
    boosted = _with(scope, MODULE, compared(context.get(MODULE))) if knobs.module_boost > 1 else frozenset()
    if not knobs.pools:
        places = k or (knobs.k_one_source if scope.is_one_source else knobs.k)
        return [Part("", scope, places, boosted=boosted)]
    return [_part(pool, scope, question, context, boosted) for pool in knobs.pools]


def _part(pool: Pool, scope: Scope, question: str, context: Mapping[str, Any], boosted: frozenset[UUID]) -> Part:
    within = scope.narrowed({name: _values(allowed, context) for name, allowed in pool.where.items()})
    reserved: tuple[frozenset[UUID], ...] = ()
    if pool.reserve_by is not None:
        reserved = tuple(_with(within, pool.reserve_by, {value}) for value in named(within, pool.reserve_by, question, context))
    preferred = _with(within, pool.prefer, compared(context.get(pool.prefer))) if pool.prefer is not None else frozenset()
    return Part(pool.name, within, pool.k, reserved, preferred, boosted, pool.is_evidence)


def _values(allowed: Sequence[str], context: Mapping[str, Any]) -> list[str]:
    values: list[str] = []
    for one in allowed:
        values += compared(context.get(one[len(FROM_CONTEXT) :])) if one.startswith(FROM_CONTEXT) else [one]
    return values


def named(scope: Scope, field: str, question: str, context: Mapping[str, Any]) -> list[str]:
    """The values of a field of `meta` that the question names in its words, or its context does, in the order of the scope."""
    asked = spelled(question)
    told = compared(context.get(field))
    values = dict.fromkeys(value for source in scope.sources for value in sorted(source.values(field)))
    return [value for value in values if value in told or spelled(value) in asked]


def spelled(text: str) -> str:
    """The words of a text, folded, one blank around each: for finding one in it."""
    return f" {' '.join(_WORD.findall(lexemes.fold(text)))} "


def _with(scope: Scope, field: str, values: Collection[str]) -> frozenset[UUID]:
    return frozenset(source.id for source in scope.sources if source.values(field) & frozenset(values))
