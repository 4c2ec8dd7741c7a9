"""How a question is taken: by the first rule of its profile's table that holds. Pure, and the same each time (S4-03)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sourcebook_core.events import Route
from sourcebook_core.profiles import Profile, Retrieval
from sourcebook_core.routing import Rule
from sourcebook_core.store.scopes import Scope, compared
from sourcebook_rag.answer import parts

TECHNOLOGY = "technology"  # of a question's context, and of a source's `meta`
WHOLE = 3  # letters: a shorter word of a rule must stand alone, or "co" is found in "cost"
_NOTHING = frozenset({"refusal", "empty"})


@dataclass(frozen=True, slots=True)
class Taken:
    """A question's route, the policy by which it is searched, and its context with the technologies that it is about."""

    route: Route
    retrieval: Retrieval
    context: Mapping[str, Any]

    def told(self, how: str) -> Route:
        """The route as its readers get it. `how`: model, quoted, cards, refusal or empty, where the question is not routed; a routed one
        has its mode, and is `low_confidence` where nothing was found."""
        mode = how if self.route.intent == "question" else "low_confidence" if how in _NOTHING else self.route.answer_mode
        return self.route.model_copy(update={"answer_mode": mode, "by": how})


def of(question: str, context: Mapping[str, Any], profile: Profile, scope: Scope, language: str | None) -> Taken:
    """The route of a question over this scope, whose sources' `meta` name the technologies. No model is asked."""
    routing = profile.routing
    if not routing.rules:
        return Taken(Route(answer_mode=profile.name, language=language), profile.retrieval, context)
    named = technologies_in(question, context, scope, routing.technologies)
    about = named or sorted(compared(routing.focal))
    rule = next((one for one in routing.rules if holds(one, question, context, named)), None)
    if rule is None:
        route = Route(answer_mode="low_confidence", intent="unknown", language=language, technology=", ".join(about) or None)
        return Taken(route, profile.retrieval, {**context, TECHNOLOGY: about})
    route = Route(answer_mode=rule.mode, intent=rule.intent, language=language, technology=", ".join(about) or None)
    pools = routing.pools.get(rule.pools, profile.retrieval.pools)
    return Taken(route, profile.retrieval.model_copy(update={"pools": pools}), {**context, TECHNOLOGY: about})


def technologies_in(question: str, context: Mapping[str, Any], scope: Scope, more: Sequence[str]) -> list[str]:
    """The technologies that the question names or its context does: of the sources' `meta`, and of the profile's list."""
    asked, told = parts.spelled(question), compared(context.get(TECHNOLOGY))
    known = parts.named(scope, TECHNOLOGY, question, context)
    listed = [name for name in compared(list(more)) if name in told or parts.spelled(name) in asked]
    return list(dict.fromkeys([*known, *sorted(listed), *sorted(told)]))


def holds(rule: Rule, question: str, context: Mapping[str, Any], technologies: Collection[str]) -> bool:
    """Whether every condition of a rule is true of the question."""
    asked = parts.spelled(question)
    return (
        len(technologies) >= rule.technologies
        and (not rule.words or any(_has(asked, word) for word in rule.words))
        and (not rule.also or any(_has(asked, word) for word in rule.also))
        and all(compared(context.get(name)) & compared(list(values)) for name, values in rule.context.items())
    )


def _has(asked: str, word: str) -> bool:
    spelled = parts.spelled(word)
    return (spelled if len(word) <= WHOLE else spelled.rstrip()) in asked
