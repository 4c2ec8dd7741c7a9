"""What a model call costs; a model without a price has no cost, never a cost of 0."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from sourcebook_core.errors import PermanentError
from sourcebook_core.settings import Settings

PER_TOKENS = 1_000_000
PLACES = Decimal("0.00000001")  # a token of the cheapest hosted model costs about 1e-8


@dataclass(frozen=True, slots=True)
class Price:
    """Money for a million tokens in and out; an embedding model has no `tokens_out`."""

    tokens_in: Decimal
    tokens_out: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of an installation, by model name, in one currency."""

    models: Mapping[str, Price] = field(default_factory=dict)
    currency: str = "EUR"

    @classmethod
    def of(cls, settings: Settings) -> Prices:
        """The prices of this installation. Raises PermanentError `bad_setting` when accounting is on and a model has none (S1-34)."""
        prices = cls.load(settings.prices)
        if settings.accounting:
            for role in settings.roles.values():
                if role.is_on and role.model not in prices.models:
                    raise PermanentError(
                        "bad_setting", setting="SOURCEBOOK_PRICES", why=f"the model {role.model} has no price (0 is a price)."
                    )
        return prices

    @staticmethod
    def load(path: Path | None) -> Prices:
        """Read the TOML file that SOURCEBOOK_PRICES names; no file, no prices.

        Form: `currency = "EUR"` and per model `[models."name"]` with `tokens_in` and `tokens_out` for a million tokens
        (strings or integers, so that no digit is lost). Raises PermanentError `bad_setting`.
        """
        if path is None:
            return Prices()
        try:
            given = tomllib.loads(path.read_text("utf-8"))
            models = {name: _price(name, entry) for name, entry in given.get("models", {}).items()}
        except (OSError, ValueError) as error:
            raise PermanentError("bad_setting", setting="SOURCEBOOK_PRICES", why=f"{path} cannot be used: {error}.") from None
        return Prices(models, str(given.get("currency", "EUR")))

    def cost(self, model: str | None, tokens_in: int | None, tokens_out: int | None = 0) -> Decimal | None:
        """The cost of a call; None when the model has no price or the provider did not count (0 is a price)."""
        price = self.models.get(model or "")
        if price is None or tokens_in is None or tokens_out is None:
            return None
        return ((price.tokens_in * tokens_in + price.tokens_out * tokens_out) / PER_TOKENS).quantize(PLACES)


def _price(name: str, entry: Any) -> Price:
    if not isinstance(entry, Mapping) or set(entry) - {"tokens_in", "tokens_out"} or "tokens_in" not in entry:
        raise ValueError(f"{name} needs tokens_in and may have tokens_out")
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
