"""What an installation says of a pgvector that is too old: real databases whose catalogue names an older version."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sourcebook_core import migrations
from sourcebook_core import settings as core_settings
from sourcebook_core.errors import PermanentError
from tests.integration.gateway_rig import whole_gateway
from tests.rig import TestPostgres


def _pretend(postgres: TestPostgres, database: str, version: str) -> None:
    postgres.server.sql(f"update pg_extension set extversion = '{version}' where extname = 'vector'", database)


async def test_a_database_with_a_pgvector_below_0_8_is_refused_by_name_and_left_empty(postgres: TestPostgres) -> None:
    database = postgres.new_empty()
    _pretend(postgres, database, "0.7.4")
    settings = core_settings.load({"SOURCEBOOK_DATABASE_URL": postgres.url(database)})
    with pytest.raises(PermanentError, match=r"pgvector is 0\.7\.4") as refusal:
        await migrations.run(settings)
    assert refusal.value.code == "bad_setting" and await migrations.applied(settings) is None


def test_the_health_page_says_that_a_pgvector_below_0_8_4_searches_large_scopes_without_an_index(
    postgres: TestPostgres, tmp_path: Path
) -> None:
    with whole_gateway(postgres, tmp_path) as (_, api, url):
        lines = {line["name"]: line for line in api.get("/admin/health").json()["items"]}
        assert lines["database"]["next"] is None
        _pretend(postgres, urlsplit(url).path.removeprefix("/"), "0.8.2")
        lines = {line["name"]: line for line in api.get("/admin/health").json()["items"]}
        assert lines["database"]["state"] in ("good", "slow") and "pgvector 0.8.2" in lines["database"]["next"]
