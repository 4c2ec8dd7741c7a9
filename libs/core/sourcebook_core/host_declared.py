"""What may be read of a host application, as an assistant's settings declare it: GET addresses, typed parameters, listed fields."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator, model_validator

from sourcebook_core import addresses
from sourcebook_core.addresses import NotAnAddress, WebAddress
from sourcebook_core.errors import PermanentError, RequestError

OWN_TOOLS = ("search", "list_sources", "read_passage")  # names that no read may take
MAX_PAGES = 50  # the hard bound of a list that never ends (N-13): with full pages of 500, 25,000 rows
DEFAULT_CHARS = 200  # of a text field for which nothing is said
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_PLACE = re.compile(r"\{([^{}]*)\}")
_PATH = re.compile(r"(?:/(?:[A-Za-z0-9_~.-]|\{[a-z][a-z0-9_]*\})+)+/?")
_DOTS = re.compile(r"(?:^|/)\.{1,2}(?:/|$)")

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,40}$")]
FieldName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,60}(\.[A-Za-z_][A-Za-z0-9_-]{0,60}){0,4}$")]
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
QueryName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_.\[\]-]{0,40}$")]
Scalar = str | int | float | bool | None


class NotOfType(ValueError):
    """A value is not of the type its parameter declares; `says` is what it must be."""

    def __init__(self, says: str) -> None:
        self.says = says
        super().__init__(says)


class _Declared(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Param(_Declared):
    """One parameter of an address. What is not of its type never becomes part of an address (N-11)."""

    type: Literal["uuid", "integer", "number", "choice", "text"] = Field(description="`text` can only stand in the query.")
    context: Name | None = Field(None, description="The field of the question's context that fills it; else the one of its own name.")
    choices: tuple[Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,60}$")], ...] = Field((), description="For `choice`.")
    min: float | None = Field(None, description="For numbers, compulsory.")
    max: float | None = Field(None, description="For numbers, compulsory.")
    max_chars: int = Field(60, ge=1, le=200, description="For `text`.")
    required: bool = Field(True, description="Without a value of it nothing is read.")
    description: str = Field("", max_length=300, description="What a model is told of it.")

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if self.type in ("integer", "number") and (self.min is None or self.max is None or not self.min <= self.max):
            raise ValueError("a number needs `min` and `max`")
        if (self.type == "choice") != bool(self.choices):
            raise ValueError("`choices` belong to the type `choice`")
        return self

    @property
    def must_be(self) -> str:
        """What a value must be, in words."""
        bounded = f"from {_plain(self.min)} to {_plain(self.max)}"
        words = {
            "uuid": "a UUID", "integer": f"a whole number {bounded}", "number": f"a number {bounded}",
            "choice": f"one of {', '.join(self.choices)}", "text": f"at most {self.max_chars} characters on one line",
        }  # fmt: skip
        return words[self.type]

    def parse(self, given: Any) -> str:
        """The value as it goes into an address. Raises NotOfType."""
        parsed = {"uuid": _uuid, "integer": self._number, "number": self._number, "choice": self._choice, "text": self._text}
        found = parsed[self.type](given)
        if found is None:
            raise NotOfType(self.must_be)
        return found

    def _number(self, given: Any) -> str | None:
        if isinstance(given, bool) or not isinstance(given, int | float | str):
            return None
        try:
            value = int(given) if self.type == "integer" and isinstance(given, str) else float(given)
        except (ValueError, OverflowError):
            return None
        # Compared first: a whole number may be larger than any float, which `isfinite` cannot take.
        if not (self.min or 0) <= value <= (self.max or 0) or not math.isfinite(value) or (self.type == "integer" and value != int(value)):
            return None
        return str(int(value)) if self.type == "integer" else _plain(value)

    def _choice(self, given: Any) -> str | None:
        return given if isinstance(given, str) and given in self.choices else None

    def _text(self, given: Any) -> str | None:
        return given if isinstance(given, str) and 0 < len(given) <= self.max_chars and given.isprintable() else None

    def schema_of(self) -> dict[str, Any]:
        """Its JSON Schema, for a model."""
        told: dict[str, Any] = {"type": self.type if self.type in ("integer", "number") else "string"}
        if self.type in ("integer", "number"):
            told |= {"minimum": self.min, "maximum": self.max}
        if self.type == "uuid":
            told |= {"format": "uuid"}
        if self.type == "choice":
            told |= {"enum": list(self.choices)}
        if self.type == "text":
            told |= {"maxLength": self.max_chars}
        return told | ({"description": self.description} if self.description else {})


class Paging(_Declared):
    """How a list goes on: pages are asked for until a short one comes (N-13)."""

    param: QueryName = Field("page", description="The query parameter that names the page.")
    by: Literal["number", "offset"] = Field("number", description="offset: the parameter is how many items come before.")
    first: int = Field(1, ge=0, le=1, description="The number of the first page.")
    size: int = Field(100, ge=1, le=500, description="Items of a full page.")
    size_param: QueryName | None = Field("page_size", description="The query parameter for the size; null: it is not asked for.")
    most: int = Field(20, ge=1, le=MAX_PAGES, description="A list with more full pages than this is an error, never a part of itself.")

    def query_of(self, number: int) -> dict[str, str]:
        """The query of a page, counted from 0."""
        place = number * self.size if self.by == "offset" else number + self.first
        return {self.param: str(place)} | ({self.size_param: str(self.size)} if self.size_param else {})


class Listing(_Declared):
    """Where the items of a list stand, which of them count and how many are told."""

    at: FieldName | None = Field("items", description="The field of the answer that holds the list; null: the answer is the list.")
    cap: int = Field(50, ge=1, le=200, description="So many are told one by one, the rest as their number.")
    where: dict[FieldName, tuple[Scalar, ...]] = Field({}, description="Field → the values of which an item must have one to be seen.")
    page: Paging | None = Field(None, description="Null: the answer is the whole list.")


class Mark(_Declared):
    """What is said beside an item whose field has this value, such as that a rejected result supports no conclusion (S4-31)."""

    field: FieldName
    equals: Scalar
    says: Words


class Read(_Declared):
    """One GET address of the host and what of its answer may be seen; everything else in it is left where it is (S0-36)."""

    name: Name = Field(description="Of its tool and in messages; no two alike.")
    path: str = Field(max_length=300, description="Below the base address; `{id}` stands for the parameter `id`.")
    params: dict[Name, Param] = Field({}, max_length=12, description="Those that are not in the path go into the query.")
    query: dict[QueryName, Annotated[str, StringConstraints(max_length=200)]] = Field({}, description="Fixed parts of the query.")
    fields: tuple[FieldName, ...] = Field(min_length=1, max_length=30, description="What may be seen; dots lead into objects.")
    at: FieldName | None = Field(None, description="Where the object stands in the answer; null: the answer is the object.")
    list: Listing | None = Field(None, description="For an answer that is a list.")
    clean: dict[FieldName, Annotated[int, Field(ge=4, le=4000)]] = Field({}, description="Longest text of a field, in code points.")
    label: Annotated[str, StringConstraints(strip_whitespace=True, max_length=60)] = Field("", description="Its heading; else its name.")
    description: str = Field("", max_length=400, description="What a model is told that it gives.")
    notes: tuple[Words, ...] = Field((), max_length=5, description='Told with it, such as "The pixels of plots were not seen." (S4-32)')
    marks: tuple[Mark, ...] = Field((), max_length=5, description="Told beside single items.")
    at_gate: bool = Field(True, description="Read before the answer begins, where the context has its parameters; false: only as a tool.")
    in_hybrid: bool = Field(True, description="false: in the mode `hybrid` it is only a tool (S0-47).")

    @field_validator("params", mode="before")
    @classmethod
    def _short_params(cls, given: Any) -> Any:
        """`{"id": "uuid"}` is short for `{"id": {"type": "uuid"}}`."""
        return {name: {"type": one} if isinstance(one, str) else one for name, one in given.items()} if isinstance(given, dict) else given

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if not _PATH.fullmatch(self.path) or _DOTS.search(self.path):
            raise ValueError("`path` must begin with / and have no other signs than letters, digits, -, _, ~, . and {names}")
        for name in self.in_path:
            if name not in self.params:
                raise ValueError(f"`path` names {{{name}}}, which is no parameter")
            if self.params[name].type == "text" or not self.params[name].required:
                raise ValueError(f"{{{name}}} in `path` must be required and not of type text")
        if self.list is not None and self.at is not None:
            raise ValueError("`at` is for one object; a list has `list.at`")
        return self

    @property
    def in_path(self) -> tuple[str, ...]:
        """The parameters that stand in its path."""
        return tuple(_PLACE.findall(self.path))

    @property
    def heading(self) -> str:
        """What it is called in a prompt."""
        return self.label or self.name.replace("_", " ")

    def context_of(self, name: str) -> str:
        """The field of the question's context that fills a parameter."""
        return self.params[name].context or name


class WhatIf(Read):
    """A calculation of the host: a GET address with typed, bounded parameters that changes nothing. Only ever a tool (S4-28)."""

    at_gate: Literal[False] = False

    @model_validator(mode="after")
    def _has_parameters(self) -> Self:
        if all(one.type == "uuid" for one in self.params.values()):
            raise ValueError("a what-if needs a parameter that is more than an id")
        return self


class Host(_Declared):
    """One host application and what may be read of it."""

    name: Name
    base_url: str = Field(max_length=500, description="Its address; a local one must stand in SOURCEBOOK_HOST_ALLOW.")
    reads: tuple[Read, ...] = Field((), max_length=20)
    what_if: tuple[WhatIf, ...] = Field((), max_length=10)
    with_token: bool = Field(True, description="The asker's own Authorization for the host goes along.")
    seconds: float = Field(10.0, gt=0, le=30, description="For one read with all its pages.")
    max_bytes: int = Field(1_000_000, ge=1000, le=5_000_000, description="Of one answer of the host.")

    @property
    def all_reads(self) -> tuple[Read, ...]:
        """Everything that can be read there."""
        return (*self.reads, *self.what_if)

    def address(self, allowed: Collection[str]) -> WebAddress:
        """Its base address. Raises PermanentError `url_not_public` or `url_scheme`, NotAnAddress."""
        return addresses.parse(self.base_url, allowed)


class _Hosts(_Declared):
    hosts: tuple[Host, ...] = Field((), max_length=5)

    @model_validator(mode="after")
    def _are_told_apart(self) -> Self:
        for names in ([host.name for host in self.hosts], [read.name for host in self.hosts for read in host.all_reads]):
            twice = {name for name in names if names.count(name) > 1 or name in OWN_TOOLS}
            if twice:
                raise ValueError(f"two have the name {min(twice)}, or it is one of ours")
        return self


def hosts_of(settings: Mapping[str, Any]) -> tuple[Host, ...]:
    """The hosts that an assistant's settings declare. Raises RequestError 422 `invalid_field` naming the field."""
    try:
        return _Hosts.model_validate({"hosts": settings.get("hosts") or ()}).hosts
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise RequestError(422, "invalid_field", why=f"{where or 'hosts'}: {first['msg'].removeprefix('Value error, ')}.") from None


def check(settings: Mapping[str, Any], allowed: Collection[str] = ()) -> None:
    """Refuse settings whose hosts are not right. `allowed`: local host:port pairs (SOURCEBOOK_HOST_ALLOW).

    Raises RequestError 422 `invalid_field` naming the field (`hosts.0.reads.1.path`).
    """
    for place, host in enumerate(hosts_of(settings)):
        try:
            address = host.address(allowed)
        except (NotAnAddress, PermanentError) as error:
            why = error.message if isinstance(error, PermanentError) else "it is not an address."
            raise RequestError(422, "invalid_field", why=f"hosts.{place}.base_url: {why}") from None
        if "?" in address.target or "#" in host.base_url or not is_private_on_the_way(address, allowed):
            raise RequestError(422, "invalid_field", why=f"hosts.{place}.base_url: it must be https and have no query and no fragment.")


def is_private_on_the_way(address: WebAddress, allowed: Collection[str]) -> bool:
    """Whether a token may be sent there: encrypted, or to a place the operator allowed."""
    return address.scheme == "https" or f"{address.host}:{address.port}" in allowed


def _uuid(given: Any) -> str | None:
    return given.lower() if isinstance(given, str) and _UUID.fullmatch(given.lower()) else None


def _plain(value: float | None) -> str:
    return "" if value is None else repr(float(value)).removesuffix(".0")
