-- People, notebooks, sources, work and answers (schema public); what was read and how it is searched (schema corpus).
-- Offsets are Unicode code points, half-open, inside one passage. All times are the database's own.

create extension if not exists vector;
create schema if not exists corpus;

-- people -----------------------------------------------------------------------------------------------------------

create table people (
    id uuid primary key,
    email text unique,
    name text not null check (length(name) between 1 and 200),
    is_admin boolean not null default false,
    preferences jsonb not null default '{}',
    created_at timestamptz not null default now()
);

-- A browser session or a program's token: only the SHA-256 of the secret is kept.
create table sessions (
    id uuid primary key,
    person_id uuid not null references people on delete cascade,
    secret_hash bytea not null unique check (length(secret_hash) = 32),
    csrf text not null,
    scopes text[] not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
);
create index on sessions (person_id);

create table tokens (
    id uuid primary key,
    person_id uuid not null references people on delete cascade,
    name text not null check (length(name) between 1 and 200),
    prefix text not null,
    secret_hash bytea not null unique check (length(secret_hash) = 32),
    scopes text[] not null default '{read,ask,add,manage,admin}',
    created_at timestamptz not null default now(),
    last_used_at timestamptz,
    expires_at timestamptz
);
create index on tokens (person_id);

create table sign_in_links (
    secret_hash bytea primary key check (length(secret_hash) = 32),
    person_id uuid not null references people on delete cascade,
    scopes text[] not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at timestamptz
);

-- The first result of a creating request, for 24 hours.
create table idempotency (
    person_id uuid not null references people on delete cascade,
    route text not null,
    key text not null check (length(key) <= 255),
    body_hash bytea not null,
    status integer,
    response jsonb,
    created_at timestamptz not null default now(),
    primary key (person_id, route, key)
);
create index on idempotency (created_at);

-- Limits: one row per (limit, subject, window); a window always has an end.
create table counters (
    name text not null,
    subject text not null,
    window_ends_at timestamptz not null,
    count bigint not null check (count >= 0),
    primary key (name, subject)
);

-- recipes and spaces -----------------------------------------------------------------------------------------------

-- How a reading is cut and which words it gives. avgdl is fixed per recipe, so that a weight never depends on other sources.
create table recipes (
    id text primary key,
    chunker text not null check (chunker in ('token_window', 'headings', 'blocks')),
    size integer not null check (size > 0),
    overlap integer not null check (overlap >= 0 and overlap < size),
    analyser integer not null,
    avgdl real not null check (avgdl > 0)
);
insert into recipes (id, chunker, size, overlap, analyser, avgdl) values
    ('token_window-300-40-a1', 'token_window', 300, 40, 1, 180),
    ('token_window-420-50-a1', 'token_window', 420, 50, 1, 250),
    ('headings-500-50-a1', 'headings', 500, 50, 1, 60);

-- One embedding model in use in the whole installation.
create table spaces (
    id uuid primary key,
    provider text not null check (provider in ('local', 'api')),
    base_url text not null,
    model text not null,
    dimension integer not null check (dimension between 1 and 4000),
    query_prefix text not null default '',
    passage_prefix text not null default '',
    centring integer not null default 0,
    floor real,
    state text not null check (state in ('building', 'in_use', 'retired')),
    created_at timestamptz not null default now(),
    in_use_since timestamptz
);
create unique index one_space_in_use on spaces (state) where state = 'in_use';

-- Roles set in the page; what the environment sets wins and never comes here.
create table model_roles (
    role text primary key check (role in ('chat', 'vision', 'speech', 'voice', 'embedding', 'translate', 'caption', 'entailment')),
    provider text not null check (provider in ('none', 'local', 'api')),
    base_url text,
    model text,
    sealed_key bytea,
    options jsonb not null default '{}',
    tested jsonb,
    updated_at timestamptz not null default now()
);

-- notebooks and sources --------------------------------------------------------------------------------------------

create table notebooks (
    id uuid primary key,
    owner_id uuid not null references people,
    title text not null check (length(title) between 1 and 300),
    profile text not null default 'notebook' check (profile in ('notebook', 'docs', 'help', 'persona', 'product')),
    settings jsonb not null default '{}',
    recipe_id text not null references recipes,
    is_sample boolean not null default false,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    last_asked_at timestamptz,
    deleted_at timestamptz
);
create index on notebooks (owner_id) where deleted_at is null;
create index on notebooks (deleted_at) where deleted_at is not null;

create table sources (
    id uuid primary key,
    owner_id uuid not null references people,
    added_by uuid not null references people,
    kind text not null check (kind in ('pdf', 'markdown', 'text', 'url', 'image', 'audio', 'office', 'generated')),
    title text not null check (length(title) between 1 and 1000),
    file_name text,
    media_type text,
    byte_size bigint not null default 0 check (byte_size >= 0),
    content_hash bytea check (length(content_hash) = 32),
    url text,
    has_file boolean not null default false,
    capture text not null default 'auto' check (capture in ('auto', 'text', 'vision')),
    status text not null default 'queued'
        check (status in ('queued', 'needs_approval', 'reading', 'indexing', 'ready', 'failed', 'stopped', 'paused')),
    progress_step text check (progress_step in ('waiting', 'reading', 'indexing')),
    progress_done integer not null default 0,
    progress_total integer,
    error_code text,
    error_message text,
    report jsonb,
    summary text,
    language text,
    pages integer,
    words bigint,
    chunks integer not null default 0,
    reading_id uuid,
    authors text[] not null default '{}',
    year integer,
    doi text,
    labels text[] not null default '{}',
    external_id text,
    meta jsonb not null default '{}',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    ready_at timestamptz,
    deleted_at timestamptz,
    check (status not in ('failed', 'paused') or error_code is not null)
);
create unique index one_source_per_content on sources (owner_id, content_hash) where deleted_at is null and content_hash is not null and url is null;
create unique index one_source_per_url on sources (owner_id, url) where deleted_at is null and url is not null;
create unique index one_source_per_external_id on sources (owner_id, external_id) where deleted_at is null and external_id is not null;
create index on sources (owner_id, created_at desc) where deleted_at is null;
create index on sources (deleted_at) where deleted_at is not null;

-- Absence of a row means: not given.
create table grants (
    holder_kind text not null check (holder_kind in ('notebook', 'assistant')),
    holder_id uuid not null,
    source_id uuid not null references sources on delete cascade,
    state text not null default 'given' check (state in ('given', 'paused')),
    added_by uuid not null references people,
    created_at timestamptz not null default now(),
    primary key (holder_kind, holder_id, source_id)
);
create index on grants (source_id);

-- work -------------------------------------------------------------------------------------------------------------

create sequence job_fence;

create table jobs (
    id uuid primary key,
    queue text not null check (queue in ('answer', 'ingest', 'make', 'care')),
    kind text not null,
    subject uuid,
    owner_id uuid,
    payload jsonb not null default '{}',
    sealed bytea,
    once text,
    state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
    priority integer not null default 0,
    attempt integer not null default 0,
    crashes integer not null default 0,
    run_after timestamptz not null default now(),
    lease_until timestamptz,
    fence bigint,
    worker uuid,
    result jsonb,
    error jsonb,
    cancel_requested boolean not null default false,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    finished_at timestamptz,
    check ((state = 'running') = (lease_until is not null)),
    check ((state in ('done', 'failed', 'cancelled')) = (finished_at is not null))
);
create index jobs_due on jobs (queue, run_after) where state = 'queued';
create index jobs_leased on jobs (queue, lease_until) where state = 'running';
create unique index jobs_once on jobs (once) where once is not null and state in ('queued', 'running');
create index on jobs (subject) where subject is not null;
create index on jobs (finished_at) where finished_at is not null;

-- Ledger and checkpoint of provider calls: started (committed), then done with what it bought, in one commit.
create table calls (
    id uuid primary key,
    job_id uuid,
    step text not null,
    role text not null,
    provider text not null,
    model text not null,
    input_hash bytea not null,
    owner_id uuid,
    notebook_id uuid,
    source_id uuid,
    turn_id uuid,
    state text not null check (state in ('started', 'done', 'failed')),
    possibly_billed integer not null default 0,
    response jsonb,
    units jsonb not null default '{}',
    cost numeric(18, 9),
    error_code text,
    started_at timestamptz not null default now(),
    done_at timestamptz,
    unique (job_id, step, input_hash, model)
);
create index on calls (owner_id, started_at);
create index on calls (source_id) where source_id is not null;
create index on calls (turn_id) where turn_id is not null;

create table workers (
    id uuid primary key,
    service text not null,
    host text not null,
    pid integer not null,
    queues text[] not null,
    version text not null,
    started_at timestamptz not null default now(),
    heartbeat_at timestamptz not null default now()
);

-- conversations and answers ----------------------------------------------------------------------------------------

create table conversations (
    id uuid primary key,
    notebook_id uuid not null references notebooks on delete cascade,
    person_id uuid not null references people on delete cascade,
    title text not null default '' check (length(title) <= 300),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz
);
create index on conversations (notebook_id, person_id, updated_at desc) where deleted_at is null;

create table turns (
    id uuid primary key,
    conversation_id uuid not null references conversations on delete cascade,
    notebook_id uuid not null references notebooks on delete cascade,
    person_id uuid not null references people on delete cascade,
    question text not null check (length(question) between 1 and 4000),
    request jsonb not null default '{}',
    status text not null default 'queued' check (status in ('queued', 'running', 'done', 'stopped', 'failed')),
    finish text check (finish in ('complete', 'stopped', 'broken')),
    answer text not null default '',
    outcome jsonb,
    why jsonb,
    error jsonb,
    in_history boolean not null default false,
    replaces uuid references turns on delete set null,
    fence bigint,
    opened_at timestamptz,
    stop_requested boolean not null default false,
    feedback smallint check (feedback in (-1, 1)),
    feedback_note text,
    created_at timestamptz not null default now(),
    finished_at timestamptz
);
create unique index one_turn_running on turns (conversation_id) where status in ('queued', 'running');
create index on turns (conversation_id, created_at);

-- One row per number in an answer; data is the citation of the contract without the words, which stand in `uses`.
create table citations (
    turn_id uuid not null references turns on delete cascade,
    n integer not null check (n > 0),
    source_id uuid not null,
    reading_id uuid not null,
    chunk_id uuid not null,
    passage integer not null,
    start_at integer not null,
    end_at integer not null,
    data jsonb not null,
    primary key (turn_id, n)
);
create index on citations (source_id);
create index on citations (reading_id);

-- the corpus -------------------------------------------------------------------------------------------------------

create table corpus.readings (
    id uuid primary key,
    source_id uuid not null,
    number integer not null,
    fingerprint text not null,
    state text not null default 'open' check (state in ('open', 'closed')),
    language text,
    page_count integer,
    characters bigint not null default 0,
    outline jsonb not null default '[]',
    created_at timestamptz not null default now(),
    closed_at timestamptz,
    unique (source_id, number)
);

-- Ordered passages that tile a reading. `offset_at` is the passage's place in the whole text of the reading.
create table corpus.passages (
    reading_id uuid not null references corpus.readings on delete cascade,
    ordinal integer not null check (ordinal >= 0),
    source_id uuid not null,
    text text not null,
    characters integer not null,
    offset_at bigint,
    page integer check (page > 0),
    heading text,
    state text not null default 'read' check (state in ('read', 'empty', 'unread')),
    code text,
    method text not null default 'text' check (method in ('text', 'vision', 'speech')),
    meta jsonb not null default '{}',
    primary key (reading_id, ordinal)
);
create index on corpus.passages (source_id);

create table corpus.indexes (
    id uuid primary key,
    reading_id uuid not null references corpus.readings on delete cascade,
    source_id uuid not null,
    recipe_id text not null references recipes,
    space_id uuid references spaces,
    state text not null check (state in ('building', 'words', 'full')),
    chunks integer not null default 0,
    created_at timestamptz not null default now(),
    unique nulls not distinct (reading_id, recipe_id, space_id)
);
create index on corpus.indexes (source_id);

-- A chunk is a half-open range inside one passage; its text is the slice. id = uuid5(reading, recipe, passage, start, end).
create table corpus.chunks (
    id uuid primary key,
    source_id uuid not null,
    reading_id uuid not null references corpus.readings on delete cascade,
    recipe_id text not null,
    ordinal integer not null,
    passage integer not null,
    start_at integer not null check (start_at >= 0),
    end_at integer not null check (end_at > start_at),
    page integer,
    heading text,
    language text,
    lexemes integer not null default 0,
    unique (reading_id, recipe_id, ordinal)
);
create index on corpus.chunks (source_id);

-- The two narrow tables that searches scan. Both name the reading: while a source is read anew, two of its readings stand here.
create table corpus.chunk_lex (
    chunk_id uuid primary key,
    source_id uuid not null,
    reading_id uuid not null,
    recipe_id text not null,
    ordinal integer not null,
    sv sparsevec(1000000000) not null
);
create index on corpus.chunk_lex (source_id);

create table corpus.chunk_vec (
    chunk_id uuid not null,
    source_id uuid not null,
    reading_id uuid not null,
    recipe_id text not null,
    space_id uuid not null,
    ordinal integer not null,
    e halfvec not null,
    primary key (chunk_id, space_id)
);
alter table corpus.chunk_vec alter column e set storage plain;
alter table corpus.chunk_lex alter column sv set storage main;
create index on corpus.chunk_vec (source_id);

-- Second wall: searches run as a role that can only read the corpus, and only the sources named for this transaction.
do $$ begin
    if not exists (select from pg_roles where rolname = 'sourcebook_search') then
        create role sourcebook_search nologin nosuperuser nobypassrls;
    end if;
exception when duplicate_object or unique_violation then null;
end $$;
do $$ begin execute format('grant sourcebook_search to %I', current_user); end $$;
grant usage on schema corpus to sourcebook_search;
grant select on corpus.readings, corpus.passages, corpus.indexes, corpus.chunks, corpus.chunk_lex, corpus.chunk_vec to sourcebook_search;
do $$
declare
    t text;
begin
    foreach t in array array['readings', 'passages', 'indexes', 'chunks', 'chunk_lex', 'chunk_vec'] loop
        execute format('alter table corpus.%I enable row level security', t);
        execute format('create policy scoped on corpus.%I for select to sourcebook_search using '
            '(source_id = any ((select nullif(current_setting(''sourcebook.sources'', true), '''')::uuid[])::uuid[]))', t);
    end loop;
end $$;
