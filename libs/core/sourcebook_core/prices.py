"""What a model call costs; a model without a price has no cost, never a cost of 0."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from sourcebook_core.errors import PermanentError
from sourcebook_core.settings import RoleSettings, Settings

PER_TOKENS = 1_000_000
UNITS = ("tokens_in", "tokens_out", "page", "second")
# What is set aside for one call where its size is not known yet: 12 passages of 420 tokens with history and instructions, a batch of
# 16 chunks, and one stretch of a recording. A call that costs more takes the rest from the balance when it is paid.
PROMPT_TOKENS, EMBEDDED_TOKENS, SPOKEN_S = 8000, 8192, 600
PLACES = Decimal("0.00000001")  # a token of the cheapest hosted model costs about 1e-8


@dataclass(frozen=True, slots=True)
class Price:
    """Money for a million tokens in and out, for one page or picture read, and for one second of sound.

    A model is billed by what it has a price for: an embedding model has `tokens_in` alone, a speech model `second`.
    """

    tokens_in: Decimal | None = None
    tokens_out: Decimal | None = None
    page: Decimal | None = None
    second: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of an installation, by model name, in one currency."""

    models: Mapping[str, Price] = field(default_factory=dict)
    currency: str = "EUR"
    is_charged: bool = False  # accounting is on: work is refused without credit

    @classmethod
    def of(cls, settings: Settings) -> Prices:
        """The prices of this installation. Raises PermanentError `bad_setting` when accounting is on and a model has none (S1-34).

        A local model costs nothing and needs no price.
        """
        prices = replace(cls.load(settings.prices), is_charged=settings.accounting)
        for role in settings.roles.values():
            if role.is_on:
                prices.require(role.provider, role.model)
        return prices

    def require(self, provider: str, model: str | None) -> None:
        """Raises PermanentError `bad_setting` for a hosted model without a price while accounting is on (S1-34)."""
        if self.is_charged and provider == "api" and model not in self.models:
            raise PermanentError("bad_setting", setting="SOURCEBOOK_PRICES", why=f"the model {model} has no price (0 is a price).")

    @staticmethod
    def load(path: Path | None) -> Prices:
        """Read the TOML file that SOURCEBOOK_PRICES names; no file, no prices.

        Form: `currency = "EUR"` and per model `[models."name"]` with at least one of `tokens_in` and `tokens_out` for a
        million tokens, `page`, `second` (strings or integers, so that no digit is lost). Raises PermanentError `bad_setting`.
        """
        if path is None:
            return Prices()
        try:
            given = tomllib.loads(path.read_text("utf-8"))
            models = {name: _price(name, entry) for name, entry in given.get("models", {}).items()}
        except (OSError, ValueError) as error:
            raise PermanentError("bad_setting", setting="SOURCEBOOK_PRICES", why=f"{path} cannot be used: {error}.") from None
        return Prices(models, str(given.get("currency", "EUR")))

    def cost_of(self, role: RoleSettings, units: Mapping[str, float | None]) -> Decimal | None:
        """The cost of a call of this role from its `units` (tokens_in, tokens_out, page, second); others count nothing.

        0 for a local model. None when a hosted one has no price (0 is a price), or the provider did not count what is priced.
        """
        if role.provider == "local":
            return Decimal(0)
        price = self.models.get(role.model or "")
        if price is None:
            return None
        total = Decimal(0)
        for unit in UNITS:
            each, count = getattr(price, unit), units.get(unit, 0)
            if each:
                if count is None:
                    return None
                total += each * Decimal(str(count)) / (PER_TOKENS if unit.startswith("tokens") else 1)
        return total.quantize(PLACES)

    def most(self, role: RoleSettings) -> Decimal:
        """What one call of this role costs at most, as it is reserved before it is made; 0 for a local model.

        Raises PermanentError `bad_setting` for a model without a price (S1-34).
        """
        self.require(role.provider, role.model)
        tokens_in = EMBEDDED_TOKENS if role.name == "embedding" else min(role.context_tokens or PROMPT_TOKENS, PROMPT_TOKENS)
        tokens_out = 0 if role.name == "embedding" else role.max_tokens
        cost = self.cost_of(role, {"tokens_in": tokens_in, "tokens_out": tokens_out, "page": 1, "second": SPOKEN_S})
        return cost or Decimal(0)


def _price(name: str, entry: Any) -> Price:
    if not isinstance(entry, Mapping) or not entry or set(entry) - set(UNITS):
        raise ValueError(f"{name} needs one or more of {', '.join(UNITS)}")
    return Price(**{side: _money(name, value) for side, value in entry.items()})


def _money(name: str, value: Any) -> Decimal:
    if isinstance(value, (bool, float)):
        raise ValueError(f'write the price of {name} as a string, like "0.15"')
    try:
        money = Decimal(value)
    except (InvalidOperation, TypeError):
        raise ValueError(f"the price of {name} is not a number") from None
    if not money.is_finite() or money < 0:
        raise ValueError(f"the price of {name} is not a number of 0 or more")
    return money
