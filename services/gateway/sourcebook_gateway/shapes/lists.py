"""What every shape is built on: strict requests, pages of lists, cursors, ids."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, TypeVar
from uuid import UUID

import orjson
from fastapi import Query
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from sourcebook_core.errors import RequestError

T = TypeVar("T")
Row = TypeVar("Row")


class Ask(BaseModel):
    """A request body: a field nobody knows is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Told(BaseModel):
    """An answer."""

    model_config = ConfigDict(frozen=True)


class Listed(Told, Generic[T]):
    """One page of a list."""

    items: list[T] = Field(description="This page.")
    next_cursor: str | None = Field(None, description="Give it as `cursor` for the next page; null at the end.")


def _small(given: dict[str, Any]) -> dict[str, Any]:
    if len(orjson.dumps(given)) > MAP_BYTES:
        raise ValueError(f"it is larger than {MAP_BYTES // 1000} kB")
    return given


# Free fields are kept with a row and sent along with every list: they are for facts, not for files.
MAP_BYTES = 20_000
SmallMap = Annotated[dict[str, Any], AfterValidator(_small)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]
Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z]{2,4})?$")]
CursorQuery = Annotated[str | None, Query(alias="cursor", max_length=300, description="`next_cursor` of the page before.")]
LimitQuery = Annotated[int, Query(ge=1, le=200, description="At most so many items.")]


def cursor(at: datetime, last_id: UUID) -> str:
    """The place after an item of a list ordered by time and id."""
    return base64.urlsafe_b64encode(orjson.dumps([at.isoformat(), str(last_id)])).decode().rstrip("=")


def place(given: str | None) -> tuple[datetime | None, UUID | None]:
    """What `cursor` says; (None, None) at the beginning. Raises 422 for one that was not given by us."""
    if not given:
        return None, None
    try:
        at, last_id = orjson.loads(base64.urlsafe_b64decode(given + "=" * (-len(given) % 4)))
        found = datetime.fromisoformat(at)
        # The first and last hours that a date can say have no UTC: such a place is none of ours either.
        return (found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)), UUID(last_id)
    except (ValueError, TypeError, AttributeError, OverflowError, binascii.Error):
        raise RequestError(422, "invalid_field", why="cursor: it is not one that a list gave.") from None


def paged(found: Sequence[Row], limit: int, told: Callable[[Row], T], at: Callable[[Row], tuple[datetime, UUID]]) -> Listed[T]:
    """The page of rows of which one more than `limit` was asked for: each as it is told, and the cursor of the last one's place."""
    page = found[:limit]
    return Listed(items=[told(row) for row in page], next_cursor=cursor(*at(page[-1])) if len(found) > limit else None)
