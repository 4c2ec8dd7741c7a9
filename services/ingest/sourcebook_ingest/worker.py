"""What an ingest worker serves."""

from __future__ import annotations

from typing import Any

from sourcebook_core.jobs import Queue, Task
from sourcebook_ingest.bulk import index_vectors, post_words
from sourcebook_ingest.care import purge_deleted, rebuild_space
from sourcebook_ingest.floors import measure_floor
from sourcebook_ingest.handing_over import hand_over
from sourcebook_ingest.hooks import send_webhook
from sourcebook_ingest.indexing import index_reading
from sourcebook_ingest.site import look_at_site
from sourcebook_ingest.summary import summarise_source
from sourcebook_ingest.tasks import read_source

QUEUES: tuple[Queue, ...] = ("ingest", "care")
TASKS: tuple[Task[Any], ...] = (
    read_source, index_reading, summarise_source, purge_deleted, rebuild_space, measure_floor, look_at_site, post_words, index_vectors,
    send_webhook, hand_over,
)  # fmt: skip
