"""Sites for tests: added the way the gateway adds them, looked at by the worker's own runtime."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from sourcebook_core import jobs
from sourcebook_core.jobs import LookAtSite
from sourcebook_core.store import sites
from tests.fakes.website import Answer, Website, article, sitemap
from tests.ingest_rig import Library
from tests.rig import until


def serve(site: Website, *names: str, day: str | None = None) -> None:
    """Serve a page for each name under /<name>, and a sitemap of all of them."""
    site.pages |= {f"/{name}": Answer(article(name).encode()) for name in names}
    site.pages["/sitemap.xml"] = Answer(sitemap(*((site.url(f"/{name}"), day) for name in names)))


@dataclass
class Sites:
    """The sites of a library's notebook."""

    lib: Library

    async def add(self, url: str, *, addresses: list[str] | None = None, most: int = 50, hours: int | None = None) -> UUID:
        """A site with its first look queued."""
        site_id = uuid4()
        async with self.lib.deps.db.transaction() as conn:
            assert await sites.insert(conn, site_id, self.lib.owner_id, self.lib.notebook_id, url, addresses, most, hours)
        await self.look(site_id)
        return site_id

    async def look(self, site_id: UUID) -> None:
        """Have it looked at now."""
        async with self.lib.deps.db.transaction() as conn:
            work = LookAtSite(site_id=site_id)
            await jobs.insert_at(conn, work, owner_id=self.lib.owner_id, subject=site_id, once=site_id, delay_s=0)
            await sites.queue(conn, site_id)
        await self.lib.deps.bell.ring("ingest")

    async def looked(self, site_id: UUID, timeout_s: float = 60.0) -> dict[str, Any]:
        """The site's row once its look has ended."""

        async def row() -> dict[str, Any] | None:
            found = await self.lib.all("select * from sites where id = $1", site_id)
            return found[0] if found[0]["status"] in ("ready", "failed") else None

        return await until(row, timeout_s, "the end of the look") or {}

    async def states(self, site_id: UUID) -> dict[str, str]:
        """What became of each address, by its path, at the end of the look; refused ones with why."""
        report = (await self.looked(site_id))["report"]
        return {"/" + item["url"].split("/", 3)[-1]: item.get("why") or item["state"] for item in report["items"]}

    async def sources(self) -> dict[str, dict[str, Any]]:
        """The notebook's living sources by their path, once none is worked on."""

        async def rows() -> list[dict[str, Any]] | None:
            found = await self.lib.all(
                "select s.* from sources s join grants g on g.source_id = s.id where g.holder_id = $1 and s.deleted_at is null",
                self.lib.notebook_id,
            )
            left = await self.lib.all(
                "select 1 from jobs where kind <> 'look_at_site' and queue = 'ingest' and state in ('queued', 'running')"
            )
            return None if left or any(row["status"] in ("queued", "reading", "indexing") for row in found) else found

        return {"/" + row["url"].split("/", 3)[-1]: row for row in await until(rows, 90, "every page to be read") or []}
