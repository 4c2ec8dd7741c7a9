"""The OpenAPI document with every field described: names that mean the same everywhere are described once, here."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

# Fields with a meaning of their own are described where they are declared; these mean the same wherever they stand.
WORDS = {
    "id": "Its id.",
    "source_id": "Id of the source.",
    "site_id": "Id of the site.",
    "assistant_id": "Id of the assistant.",
    "person_id": "Id of the person.",
    "slug": "The assistant's part of public addresses.",
    "notebook_id": "Id of the notebook.",
    "note_id": "Id of the note.",
    "conversation_id": "Id of the conversation.",
    "turn_id": "Id of the turn.",
    "reading_id": "Id of the reading.",
    "chunk_id": "Id of the chunk.",
    "job_id": "Id of the job.",
    "item_id": "Id of what lies in the trash.",
    "token_id": "Id of the token.",
    "webhook_id": "Id of the webhook.",
    "user_id": "Id of the person.",
    "question_id": "Id of the test question.",
    "key": "Key of the group.",
    "token": "The secret part of a sign-in link.",
    "subject": "Id of what the job is about.",
    "added_by": "Id of the person who added it.",
    "replaces": "Id of the turn this one replaces.",
    "items": "What was found, in order.",
    "title": "Its name.",
    "name": "Its name.",
    "kind": "What it is.",
    "question": "What was asked.",
    "created_at": "When it was made.",
    "updated_at": "When it was changed last.",
    "deleted_at": "When it went to the trash.",
    "ready_at": "When it was read completely.",
    "last_asked_at": "When something was asked last.",
    "expires_at": "When it ends; null = never.",
    "last_used_at": "When it was used last.",
    "started_at": "When it began.",
    "heartbeat_at": "When it was heard last.",
    "last_backup_at": "When the last backup was made.",
    "since": "Since when, as this server saw it.",
    "status": "How far it is.",
    "state": "How it is.",
    "finish": "How the answer ended.",
    "error": "What went wrong.",
    "code": "Stable name of the problem.",
    "message": "What happened and what to do now.",
    "what": "What it is for.",
    "page": "Page, from 1.",
    "pages": "How many pages it has.",
    "passage": "Ordinal of the passage.",
    "heading": "Headings above it.",
    "text": "The words.",
    "start": "First code point, in the passage.",
    "end": "Code point after the last, in the passage.",
    "x0": "Left edge, 0..1.",
    "x1": "Right edge, 0..1.",
    "y0": "Upper edge, 0..1.",
    "y1": "Lower edge, 0..1.",
    "level": "Depth of the heading, from 1.",
    "start_ms": "First millisecond.",
    "end_ms": "Last millisecond.",
    "sheet": "Sheet of the table.",
    "rows": "First and last row.",
    "source_title": "Name of the source.",
    "uses": "Every statement that carries this number.",
    "before": "The sentence before.",
    "after": "The sentence after.",
    "context": "The sentences around the quote.",
    "evidence": "What was compared.",
    "verdict": "What comparing gave.",
    "numbers": "The numbers that were compared.",
    "statements": "The statements of the answer.",
    "degraded": "Parts that were away.",
    "turns": "Its questions and answers, oldest first.",
    "source": "The source.",
    "source_counts": "How many sources, by state.",
    "file": "The file it was about.",
    "stage": "Where it stopped.",
    "attempts": "How often it was tried.",
    "queue": "Which queue.",
    "queues": "Queues.",
    "waiting": "How many are due.",
    "running": "How many are being worked on.",
    "oldest_s": "Seconds the oldest waits.",
    "workers": "Who works.",
    "failed": "What failed for good.",
    "ready": "How many are ready.",
    "total": "How many in all.",
    "done": "How many are done.",
    "step": "What is being done.",
    "service": "Which service.",
    "host": "On which machine.",
    "pid": "Its process number.",
    "version": "Its version.",
    "role": "What it is for, or who speaks.",
    "provider": "Where the model runs.",
    "model": "Name of the model.",
    "base_url": "Address of the endpoint.",
    "models": "Names of its models.",
    "found": "Servers found on this machine.",
    "options": "Further settings of the role.",
    "tested": "Its last test.",
    "api_key": "Key of the endpoint; never shown.",
    "scopes": "What it may do.",
    "email": "Address for mail.",
    "preferences": "What the person set.",
    "content": "What was said.",
    "profile": "How passages are found.",
    "recipe": "How sources are cut.",
    "is_sample": "It is the sample that explains Sourcebook.",
    "captions": "Whether chunks carry a caption in the index.",
    "chunker": "How passages are cut.",
    "size": "How large a chunk is.",
    "overlap": "How much chunks overlap.",
    "authors": "Who wrote it.",
    "byte_size": "Bytes of the original.",
    "capture": "How PDFs are read.",
    "chunks": "How many chunks it has.",
    "doi": "Its DOI.",
    "external_id": "The id that was given to it.",
    "file_name": "Name of the file, for showing.",
    "labels": "Words to sort by.",
    "language": "Its language, as two letters.",
    "meta": "Anything else.",
    "progress": "How far the reading is.",
    "summary": "What it is about.",
    "url": "Its web address.",
    "words": "How many words it has.",
    "year": "Year of publication.",
    "Range": "One range of bytes.",
    "last-event-id": "Number of the last event that was seen.",
}


def describe(app: FastAPI) -> None:
    """Make the application's document one in which no field is left undescribed."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        document = plain()
        for schema in document["components"]["schemas"].values():
            for name, field in schema.get("properties", {}).items():
                _fill(name, field)
        for operations in document["paths"].values():
            for operation in operations.values():
                for parameter in operation.get("parameters", []):
                    _fill(parameter["name"], parameter)
        return document

    app.openapi = described  # type: ignore[method-assign]


def _fill(name: str, field: dict[str, Any]) -> None:
    if not field.get("description") and name in WORDS:
        field["description"] = WORDS[name]
