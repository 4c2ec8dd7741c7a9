"""Prices: exact money, and no price is not a price of nothing."""

from decimal import Decimal
from pathlib import Path

import pytest

from sourcebook_core.errors import PermanentError
from sourcebook_core.prices import Prices
from sourcebook_core.settings import load as load_settings

FILE = 'currency = "USD"\n[models.writer]\ntokens_in = "0.15"\ntokens_out = "0.60"\n[models.free]\ntokens_in = 0\n'


def load(tmp_path: Path, text: str) -> Prices:
    path = tmp_path / "prices.toml"
    path.write_text(text, "utf-8")
    return Prices.load(path)


def test_a_call_costs_its_tokens_both_ways(tmp_path: Path) -> None:
    prices = load(tmp_path, FILE)
    assert prices.currency == "USD"
    assert prices.cost("writer", 1000, 500) == Decimal("0.00045")
    assert prices.cost("writer", 1, 0) == Decimal("0.00000015")


def test_an_unknown_price_is_none_and_a_price_of_nothing_is_nothing(tmp_path: Path) -> None:
    prices = load(tmp_path, FILE)
    assert prices.cost("other", 1000, 500) is None
    assert prices.cost(None, 1000, 500) is None
    assert prices.cost("writer", None, 500) is None
    assert prices.cost("free", 1000, 500) == 0
    assert Prices.load(None).cost("writer", 1, 1) is None


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
