"""Settings: where they come from, and what is refused before anything starts."""

from pathlib import Path

import pytest

from sourcebook_core import settings
from sourcebook_core.errors import PermanentError
from sourcebook_core.prices import Prices


def refusal(env: dict[str, str]) -> str:
    """The sentence with which settings of this environment are refused."""
    with pytest.raises(PermanentError) as refused:
        settings.load(env)
    assert refused.value.code == "bad_setting"
    return refused.value.message


def test_the_environment_wins_over_the_file_and_each_origin_is_known(tmp_path: Path) -> None:
    file = tmp_path / "sourcebook.toml"
    file.write_text('port = 9001\nlog_level = "debug"\n[limits]\nquestion_chars = 10\n[chat]\nprovider = "api"\nmodel = "m"\n')
    found = settings.load({"SOURCEBOOK_CONFIG": str(file), "SOURCEBOOK_PORT": "9002"})
    assert (found.port, found.log_level, found.limits.question_chars, found.role("chat").model) == (9002, "debug", 10, "m")
    assert found.origins["SOURCEBOOK_PORT"] == "environment" and found.origins["SOURCEBOOK_LOG_LEVEL"] == str(file)


@pytest.mark.parametrize(
    ("env", "named"),
    [
        ({"SOURCEBOOK_PROT": "1"}, "SOURCEBOOK_PROT"),
        ({"SOURCEBOOK_PORT": "many"}, "PORT"),
        ({"SOURCEBOOK_CONFIG": "/nowhere.toml"}, "SOURCEBOOK_CONFIG"),
        ({"SOURCEBOOK_EMBEDDING_DIMENSION": "5000"}, "DIMENSION"),
    ],
)
def test_a_setting_that_is_not_right_is_named(env: dict[str, str], named: str) -> None:
    assert named in refusal(env)


def test_a_secret_never_shows_in_what_is_printed() -> None:
    found = settings.load({"SOURCEBOOK_SECRET_KEY": "hidden-words", "SOURCEBOOK_CHAT_API_KEY": "hidden-key"})
    assert "hidden" not in repr(found)


def test_a_deployed_stack_refuses_a_local_role_and_names_its_setting() -> None:
    """S0-88."""
    deployed = {"SOURCEBOOK_DEPLOYED": "true"}
    with pytest.raises(PermanentError, match="SOURCEBOOK_SECRET_KEY"):
        settings.require_fit_to_deploy(settings.load(deployed))
    local = {**deployed, "SOURCEBOOK_SECRET_KEY": "x" * 32, "SOURCEBOOK_EMBEDDING_PROVIDER": "local"}
    with pytest.raises(PermanentError, match="SOURCEBOOK_EMBEDDING_PROVIDER"):
        settings.require_fit_to_deploy(settings.load(local))
    settings.require_fit_to_deploy(settings.load({**local, "SOURCEBOOK_REQUIRE_HOSTED": "false"}))
    settings.require_fit_to_deploy(settings.load({**deployed, "SOURCEBOOK_SECRET_KEY": "x" * 32, "SOURCEBOOK_CHAT_PROVIDER": "none"}))


def test_a_model_without_a_price_refuses_to_start_while_accounting_is_on(tmp_path: Path) -> None:
    """S1-34."""
    role = {
        f"SOURCEBOOK_EMBEDDING_{name}": value for name, value in {"PROVIDER": "api", "BASE_URL": "http://x/v1", "MODEL": "dear"}.items()
    }
    with pytest.raises(PermanentError, match="dear"):
        Prices.of(settings.load({**role, "SOURCEBOOK_ACCOUNTING": "true"}))
    Prices.of(settings.load(role))
    prices = tmp_path / "prices.toml"
    prices.write_text('[models."dear"]\ntokens_in = 0\n')
    Prices.of(settings.load({**role, "SOURCEBOOK_ACCOUNTING": "true", "SOURCEBOOK_PRICES": str(prices)}))
