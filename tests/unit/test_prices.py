"""Prices: exact money, and no price is not a price of nothing."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from sourcebook_core.errors import PermanentError
from sourcebook_core.prices import Prices
from sourcebook_core.settings import RoleSettings
from sourcebook_core.settings import load as load_settings

FILE = 'currency = "USD"\n[models.writer]\ntokens_in = "0.15"\ntokens_out = "0.60"\n[models.free]\ntokens_in = 0\n'


def load(tmp_path: Path, text: str) -> Prices:
    path = tmp_path / "prices.toml"
    path.write_text(text, "utf-8")
    return Prices.load(path)


def cost(prices: Prices, model: str | None, tokens_in: int | None, tokens_out: int | None) -> Decimal | None:
    role = RoleSettings(provider="api", model=model)
    return prices.cost_of(role, {"tokens_in": tokens_in, "tokens_out": tokens_out})


def test_a_call_costs_its_tokens_both_ways(tmp_path: Path) -> None:
    prices = load(tmp_path, FILE)
    assert prices.currency == "USD"
    assert cost(prices, "writer", 1000, 500) == Decimal("0.00045")
    assert cost(prices, "writer", 1, 0) == Decimal("0.00000015")


def test_an_unknown_price_is_none_and_a_price_of_nothing_is_nothing(tmp_path: Path) -> None:
    prices = load(tmp_path, FILE)
    assert cost(prices, "other", 1000, 500) is None
    assert cost(prices, None, 1000, 500) is None
    assert cost(prices, "writer", None, 500) is None
    assert cost(prices, "free", 1000, 500) == 0
    assert cost(Prices.load(None), "writer", 1, 1) is None


def test_a_local_model_costs_nothing_whatever_its_name_and_count() -> None:
    assert Prices().cost_of(RoleSettings(provider="local", model="embedder"), {"tokens_in": None}) == 0


@pytest.mark.parametrize(
    "text",
    [
        "[models.writer]\ntokens_in = 0.15",
        '[models.writer]\ntokens_in = "cheap"',
        '[models.writer]\ntokens_in = "-1"',
        '[models.writer]\ntokens_in = "nan"',
        "[models.writer]",
        '[models.writer]\ntokens_in = "1"\nper_page = "2"',
        "[models\n",
    ],
)
def test_a_price_that_cannot_be_exact_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(PermanentError) as caught:
        load(tmp_path, text)
    assert caught.value.code == "bad_setting"


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PermanentError):
        Prices.load(tmp_path / "none.toml")


def test_where_money_is_counted_a_hosted_model_needs_a_price_and_a_local_one_costs_nothing() -> None:
    env = {"SOURCEBOOK_ACCOUNTING": "true"}
    role = {"BASE_URL": "http://127.0.0.1:1/v1", "MODEL": "ocr"}
    env |= {f"SOURCEBOOK_VISION_{name}": value for name, value in role.items()}
    assert Prices.of(load_settings(env | {"SOURCEBOOK_VISION_PROVIDER": "local"})).models == {}
    with pytest.raises(PermanentError, match="ocr has no price"):
        Prices.of(load_settings(env | {"SOURCEBOOK_VISION_PROVIDER": "api"}))


def test_what_is_set_aside_for_a_call_is_the_most_it_may_cost(tmp_path: Path) -> None:
    prices = replace(load(tmp_path, FILE), is_charged=True)
    writer = RoleSettings(name="chat", provider="api", base_url="http://x/v1", model="writer", max_tokens=1500)
    assert prices.most(writer) == Decimal("0.0021")  # 8,000 in at 0.15 and 1,500 out at 0.60 a million
    assert prices.most(writer.model_copy(update={"context_tokens": 4000})) == Decimal("0.0015")
    assert prices.most(writer.model_copy(update={"context_tokens": 128_000})) == Decimal("0.0021")
    assert prices.most(writer.model_copy(update={"name": "embedding"})) == Decimal("0.0012288")
    assert prices.most(writer.model_copy(update={"provider": "local", "model": "any"})) == 0
    assert prices.most(writer.model_copy(update={"model": "free"})) == 0
    with pytest.raises(PermanentError, match="dear"):
        prices.most(writer.model_copy(update={"model": "dear"}))
    prices.require("local", "dear")
