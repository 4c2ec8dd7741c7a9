-- Answers that show their evidence: assistants and their visitors, credit, notes, webhooks.

-- holders that are asked ----------------------------------------------------------------------------------------------

-- A visitor is somebody who asks one assistant from outside: known by the host application's own id of them, or by a random one.
-- They ask and have their conversation; they never sign in.
alter table people add column visitor_of uuid references assistants on delete cascade, add column subject text;
alter table people add check ((visitor_of is null) = (subject is null)), add check (visitor_of is null or (email is null and not is_admin));
create unique index visitors on people (visitor_of, subject) where visitor_of is not null;

-- Visitors come and go: what hangs on a person is found without a scan when they are removed.
create index on conversations (person_id);
create index on turns (person_id);

-- What is asked is a notebook or an assistant.
alter table conversations alter column notebook_id drop not null, add column assistant_id uuid references assistants on delete cascade;
alter table conversations add check (num_nonnulls(notebook_id, assistant_id) = 1);
create index on conversations (assistant_id, person_id, updated_at desc) where assistant_id is not null and deleted_at is null;
alter table turns alter column notebook_id drop not null, add column assistant_id uuid references assistants on delete cascade;
alter table turns add check (num_nonnulls(notebook_id, assistant_id) = 1);
create index on turns (assistant_id, created_at desc) where assistant_id is not null;
alter table calls add column assistant_id uuid;

-- assistants ----------------------------------------------------------------------------------------------------------

-- `profile` and `settings` are the draft, which its people try; visitors are answered by `published` {profile, settings}.
alter table assistants add column slug text unique check (slug ~ '^[a-z0-9][a-z0-9-]{1,62}$'),
    add column published jsonb, add column published_at timestamptz;

-- Where it was seen last, and how its question set did when it was published last: {as_before, changed, right, total}.
alter table assistants add column seen_origin text, add column seen_at timestamptz, add column last_check jsonb,
    add column last_asked_at timestamptz;

-- A recipe that its purpose chose and that is not in use yet; `reindex_at`: it is being built beside since then, as for notebooks.
alter table assistants add column wanted_recipe_id text references recipes, add column reindex_at timestamptz;
create or replace view corpus.unused_indexes as
    select i.id, i.reading_id, i.recipe_id from corpus.indexes i
    where exists (select from public.grants g where g.holder_kind = 'notebook' and g.source_id = i.source_id)
        and not exists (
            select from public.grants g join public.notebooks n on n.id = g.holder_id
            where g.holder_kind = 'notebook' and g.source_id = i.source_id and i.recipe_id in (n.recipe_id, n.wanted_recipe_id))
        and not exists (
            select from public.grants g join public.assistants a on a.id = g.holder_id
            where g.holder_kind = 'assistant' and g.source_id = i.source_id and i.recipe_id in (a.recipe_id, a.wanted_recipe_id))
        and not exists (select from public.jobs j where j.subject = i.source_id and j.state in ('queued', 'running'));

-- Who may work on an assistant beside its owner.
create table assistant_members (
    assistant_id uuid not null references assistants on delete cascade,
    person_id uuid not null references people on delete cascade,
    role text not null check (role in ('editor', 'viewer')),
    created_at timestamptz not null default now(),
    primary key (assistant_id, person_id)
);
create index on assistant_members (person_id);

-- Notebooks and assistants that keep to models on this server; what an assistant says of it holds at once.
create view local_only_holders as
    select 'notebook' as kind, id from notebooks where deleted_at is null and settings ->> 'local_only' = 'true'
    union all select 'assistant', id from assistants where deleted_at is null and settings ->> 'local_only' = 'true';

-- A visitor has one conversation for each session that their host application names ('': the only one), until Reset.
alter table conversations add column session text;
create unique index one_conversation_per_session on conversations (assistant_id, person_id, session)
    where session is not null and deleted_at is null;

-- What could not be answered, and what is asked in a test, is a notebook's or an assistant's.
alter table misses alter column notebook_id drop not null, add column assistant_id uuid references assistants on delete cascade,
    add check (num_nonnulls(notebook_id, assistant_id) = 1);
create index on misses (assistant_id, key) where assistant_id is not null;
-- `outcome`: what it found when the assistant was published last, {is_right, first}.
alter table questions alter column notebook_id drop not null, add column assistant_id uuid references assistants on delete cascade,
    add column outcome jsonb, add check (num_nonnulls(notebook_id, assistant_id) = 1);
create unique index one_question_per_miss_of_assistant on questions (assistant_id, key) where key is not null and assistant_id is not null;
create index on questions (assistant_id) where assistant_id is not null;

-- A visitor asks for a person: once for what was said until then, however often they press.
create table handovers (
    id uuid primary key,
    assistant_id uuid not null references assistants on delete cascade,
    conversation_id uuid not null references conversations on delete cascade,
    last_turn_id uuid not null references turns on delete cascade,
    kind text not null check (kind in ('mail', 'webhook')),
    target text not null,
    reply_to text,
    note text,
    state text not null default 'queued' check (state in ('queued', 'sent', 'failed')),
    error_code text,
    created_at timestamptz not null default now(),
    ended_at timestamptz,
    unique (conversation_id, last_turn_id)
);
create index on handovers (assistant_id, created_at desc);

-- profiles ------------------------------------------------------------------------------------------------------------

-- What of the host application a conversation is about: with another resource, or after its time, a new one begins.
alter table conversations add column resource text not null default '';

-- citations -----------------------------------------------------------------------------------------------------------

-- A profile may hide its sources: the rows stay for follow-ups, deletion and the log, and are shown to nobody.
alter table citations add column hidden boolean not null default false;

-- credit and limits ---------------------------------------------------------------------------------------------------

-- What an owner may still spend, and at most in a calendar month (UTC; null: no cap). The commit that writes what a call cost
-- debits it here, so that the balance is all that was given less all that was spent (A20).
create table accounts (
    person_id uuid primary key references people on delete cascade,
    balance numeric(18, 9) not null default 0,
    cap_month numeric(18, 9) check (cap_month >= 0),
    month date not null default date_trunc('month', now() at time zone 'utc')::date,
    spent numeric(18, 9) not null default 0
);
create table credits (
    id uuid primary key,
    person_id uuid not null references accounts on delete cascade,
    amount numeric(18, 9) not null check (amount <> 0),
    note text not null default '' check (length(note) <= 500),
    given_by uuid,
    created_at timestamptz not null default now()
);
create index on credits (person_id, created_at desc);

-- Credit set aside for a job. It holds it while the job is unfinished, less what its calls have cost: derived, so it cannot leak.
create table reservations (
    job_id uuid primary key references jobs on delete cascade,
    owner_id uuid not null references accounts on delete cascade,
    amount numeric(18, 9) not null check (amount >= 0)
);
create index on reservations (owner_id);
alter table calls add column reserved numeric(18, 9);

alter table tokens add column limits jsonb not null default '{}';

-- Traces (S0-43): how passages were found is kept 14 days; a turn whose conversation the client keeps is itself one.
alter table turns add column expires_at timestamptz;
create index on turns (expires_at) where expires_at is not null;
create index on turns (finished_at) where why is not null;

-- webhooks ------------------------------------------------------------------------------------------------------------

create table webhooks (
    id uuid primary key,
    person_id uuid not null references people on delete cascade,
    url text not null check (length(url) between 1 and 2000),
    events text[] not null check (cardinality(events) > 0),
    sealed_secret bytea not null,
    created_at timestamptz not null default now(),
    last_sent_at timestamptz,
    last_error text
);
create index on webhooks (person_id);

-- notes and guides ----------------------------------------------------------------------------------------------------

-- What a person kept of a notebook: Markdown in which [^n] stands for `citations[n]`. `kept` is the text as it was saved, which
-- tells what they wrote themselves since; `source_id` the source that the note was made.
create table notes (
    id uuid primary key,
    notebook_id uuid not null references notebooks on delete cascade,
    person_id uuid not null references people on delete cascade,
    turn_id uuid references turns on delete set null,
    source_id uuid references sources on delete set null,
    title text not null check (length(title) <= 300),
    text text not null check (length(text) <= 200000),
    kept text not null default '',
    citations jsonb not null default '[]',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz
);
create index on notes (notebook_id, person_id, updated_at desc) where deleted_at is null;
create index on notes using gin (citations jsonb_path_ops);

-- A notebook's guide: made of what was ready at `sources_hash`; made again when that changes.
create table guides (
    notebook_id uuid primary key references notebooks on delete cascade,
    sources_hash bytea not null,
    told jsonb not null,
    made_at timestamptz not null default now()
);

-- tools and host data -------------------------------------------------------------------------------------------------

-- built corpora -------------------------------------------------------------------------------------------------------

-- Captions are brought with a corpus too; they may stand before chunks that are cut at headings.
insert into recipes (id, chunker, size, overlap, analyser, avgdl, captions) values ('headings-500-50-c-a2', 'headings', 500, 50, 2, 45, true);
