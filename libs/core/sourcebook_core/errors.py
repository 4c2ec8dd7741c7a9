"""One error tree: what went wrong, whether to try again, and the sentence a person sees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Every code a person or program can meet, with its sentence: what happened and what to do now.
# `{…}` are filled from the error's facts; the docs' table is generated from this one.
CODES: dict[str, str] = {
    # asking the API
    "malformed": "The request could not be read: {why}",
    "invalid_field": "A field is not right: {why}",
    "not_signed_in": "Sign in first: open a sign-in link, or send a token.",
    "csrf_failed": "The page is out of date. Reload it and try again.",
    "forbidden": "You may not do this here.",
    "not_found": "There is nothing here, or it is not yours to see.",
    "conflict": "This does not fit what is there now: {why}",
    "turn_running": "An answer is still being written in this conversation. Wait for it or stop it first.",
    "idempotency_conflict": "This Idempotency-Key was used for another request. Use a new key.",
    "too_large": "This is larger than the limit of {limit}.",
    "headers_too_large": "The request's headers are too large.",
    "rate_limited": "Too many requests in a short time. Try again in {retry_after_s} seconds.",
    "busy": "The server is busy. Try again in a moment.",
    "database_full": "The database has no room left. What was saved before is safe; free some space on its disk, then try again.",
    "database_away": "The database cannot be reached just now. Nothing was lost; try again in a moment.",
    "search_away": "The sources cannot be searched just now. Try again in a moment; the operator finds the reason in the log.",
    "storage_full": "There is no room left to store this. Free some space and try again.",
    "internal": "Something went wrong on our side. Nothing was lost. Try again, and tell the operator the code if it stays.",
    "interrupted": "The answer was interrupted by a restart. Ask again.",
    "first_event_timeout": "No answer could be started in time. Try again in a moment.",
    "visitor_unknown": "This conversation must be opened anew. Load the page again.",
    "visitor_not_listed": "You may not use this assistant. Ask whoever looks after it to add you.",
    "site_not_allowed": "This site may not use the assistant. Its owner can add the site where the assistant is published.",
    "nothing_said": "Nothing was said in this conversation yet. Ask something first.",
    "contact_needed": "Leave an e-mail address or a phone number, so that a person can answer you.",
    "handover_failed": "The conversation could not be sent to {to}: {why}",
    "no_sources": "This notebook has no source that can be searched yet. Add one, or wait until it is read.",
    "host_refused": "{host} does not let you open this (status {answered}). Sign in there, or choose something of yours.",
    "host_unavailable": "{host} could not be read just now. Try again in a moment.",
    "host_unusable": "The answer of {host} cannot be used: {why} Tell whoever set this assistant up.",
    # sources
    "unsupported_kind": "{name} cannot be read here: {why}",
    "empty_file": "{name} is empty. Choose a file with content.",
    "no_text": "{name} holds no text: every page or line is blank.",
    "password_protected": "{name} needs a password. Enter it to read the file.",
    "certificate_protected": "{name} is locked with a certificate and cannot be opened here. Save an unlocked copy and add that.",
    "drm_protected": "{name} is locked by copy protection (DRM) and cannot be read here. Add a copy without it.",
    "damaged_file": "{name} is damaged and could not be opened. Save it again in its program and add the new file.",
    "no_text_layer": "{name} has no readable text in capture mode {mode}. Connect a picture reader, then read it again in mode auto.",
    "too_many_pages": "{name} has {pages} pages; the limit is {limit}. Split it and add the parts.",
    "too_many_vision_pages": "{name} has {pages} pages that need the picture reader; the limit is {limit}.",
    "needs_approval": "{pages} pages of {name} need the picture reader. Say whether they are to be read.",
    "too_long": "{name} is longer than the limit of {limit}.",
    "no_speech": "No speech was found in {name}.",
    "no_ffmpeg": "Recordings cannot be read here, because ffmpeg 6 or newer is missing. Install ffmpeg, or Sourcebook's extra `local`.",
    "no_audio_track": "{name} has no sound track.",
    "undecodable_text": "{name} is not text in a known encoding. Save it as UTF-8 and add it again.",
    "contains_nul": "{name} contains NUL characters, so it would not be kept word for word. Remove them and add it again.",
    "resource_limit": "{name} needs more memory or time than one file may take. Split or simplify it.",
    "tmp_full": "The server's temporary folder is full. It will be tried again.",
    "site_no_pages": "No page was found at {name}. Give the address of its sitemap, or a list of addresses.",
    "url_scheme": "Only http and https addresses can be added.",
    "url_not_public": "This address does not lead to a public web page, so it is not fetched.",
    "url_failed": "The address answered {why}. Check it and try again.",
    "url_not_found": 'The address answered "not found" ({status}). Check it and try again.',
    "url_login": "The page asks for a sign-in ({status}). Save it as a file and add that.",
    "url_consent": "The page shows a consent notice instead of its text. Save it as a file and add that.",
    "url_needs_script": "The page shows its text only with scripts. Save it as a file and add that.",
    "url_paywall": "The page shows only its beginning without a subscription. Save its whole text as a file and add that.",
    "url_too_little_text": "The page {url} (status {status}) holds too little text to be a source.",
    "out_of_credit": "The credit is used up. It goes on as soon as an administrator adds some.",
    "gave_up": "Reading stopped {attempts} times without an end. Try again; if it stays, the file may be the cause.",
    "stopped": "Reading was stopped. Start it again when you like.",
    # models
    "model_unavailable": "The model for {role} could not be reached. Check that it runs, under Models.",
    "model_refused": "The model for {role} refused the request: {why}",
    "model_unauthorized": "The model for {role} refused the key. Enter a valid key under Models.",
    "model_out_of_credit": "The provider of {role} says that its account has no credit.",
    "model_rate_limited": "The model for {role} is taking no more requests just now. It will be tried again.",
    "model_timeout": "The model for {role} did not answer in time.",
    "model_bad_reply": "The model for {role} gave a reply that cannot be used: {why}",
    "context_too_long": "The text is longer than the model for {role} can take.",
    "no_model": "No model is connected for {role}. Connect one under Models.",
    # set-up
    "bad_setting": "The setting {setting} is not right: {why}",
    "dimension_differs": "The embedding model returns {got} numbers a text, but {want} are set in {setting}.",
}


class _Facts(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "–"


class SourcebookError(Exception):
    """Base of every error with a stable `code` and a sentence (`message`) a person can act on.

    `facts` fill the sentence of `CODES`; `detail` is extra structure for programs. Internals never go in either.
    """

    status = 500

    def __init__(self, code: str, message: str | None = None, *, detail: Mapping[str, Any] | None = None, **facts: Any) -> None:
        self.code = code
        self.message = message or CODES[code].format_map(_Facts(facts))
        self.detail = dict(detail) if detail else None
        self.facts = facts
        super().__init__(f"{code}: {self.message}")


class RequestError(SourcebookError):
    """A request that cannot be served as asked; `status` is its HTTP status."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str | None = None,
        *,
        detail: Mapping[str, Any] | None = None,
        retry_after_s: int | None = None,
        **facts: Any,
    ) -> None:
        super().__init__(code, message, detail=detail, retry_after_s=retry_after_s, **facts)
        self.status = status
        self.retry_after_s = retry_after_s


class TransientError(SourcebookError):
    """May work when tried again; `retry_after_s` is the other side's wish, if it named one."""

    status = 503

    def __init__(self, code: str, message: str | None = None, *, retry_after_s: float | None = None, **facts: Any) -> None:
        super().__init__(code, message, retry_after_s=retry_after_s, **facts)
        self.retry_after_s = retry_after_s


class PermanentError(SourcebookError):
    """Will fail the same way again: no retry; a person has to change something."""

    status = 422


class DatabaseAway(TransientError):
    """Postgres cannot be reached, is starting or stopping, or cut the connection."""

    def __init__(self) -> None:
        super().__init__("database_away", retry_after_s=2)


class SearchRefused(TransientError):
    """The database does not let the search read the corpus: a right was taken from its role."""

    def __init__(self) -> None:
        super().__init__("search_away", retry_after_s=10)


class Contended(DatabaseAway):
    """A statement waited or ran for too long, or met another in a circle; its transaction was rolled back and can be run again.

    Whoever goes on later when the database is away goes on later here too; only a job counts it as a try.
    """

    def __init__(self) -> None:
        TransientError.__init__(self, "busy", retry_after_s=1)


class DatabaseFull(Contended):
    """The disk of Postgres is full: the transaction was rolled back, and can be run again once there is room.

    A job counts it as a try as well: one that waited for room for ever would pay its model calls again each time.
    """

    def __init__(self) -> None:
        TransientError.__init__(self, "database_full", retry_after_s=30)


class TurnOver(Exception):
    """The job has worked for long enough: it goes back behind those that wait, and on from its last checkpoint later."""


class Overtaken(Exception):
    """The job is no longer ours (lease lost, cancelled or finished elsewhere): stop and write nothing."""
