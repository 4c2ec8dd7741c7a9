-- Every kind of source: places in pictures, tables and recordings, summaries, captions, stale indexes, sites.

-- Where a passage stands beside its page: rows of a sheet (1-based, inclusive), milliseconds of a recording (half-open).
-- `lead` goes before each of its chunks in what is indexed, never into what is shown (a table's header row).
-- `boxes` are the words of a picture: [[start, end, x0, y0, x1, y1], …], code points of the passage, places in 0..1 from the top left.
alter table corpus.passages
    add column sheet text,
    add column row_from integer check (row_from > 0),
    add column row_to integer check (row_to >= row_from),
    add column start_ms bigint check (start_ms >= 0),
    add column end_ms bigint check (end_ms >= start_ms),
    add column lead text not null default '',
    add column boxes jsonb;

-- What a caption model wrote about a chunk, for the index only; kept by the hash of what it was asked about.
create table corpus.captions (
    source_id uuid not null,
    chunk_hash bytea not null check (length(chunk_hash) = 32),
    model text not null,
    caption text not null,
    created_at timestamptz not null default now(),
    primary key (source_id, chunk_hash, model)
);

-- Whether chunks carry a caption in the index. `-c` recipes cut like their namesakes.
alter table recipes add column captions boolean not null default false;
insert into recipes (id, chunker, size, overlap, analyser, avgdl, captions)
    select replace(id, '-a1', '-c-a1'), chunker, size, overlap, analyser, avgdl, true from recipes where chunker = 'token_window';

-- `summary_kind`: of `summary_reading_id`, `written` by the chat model, or `quoted` sentences of the source.
-- `approved`: what a person chose when reading pictures would cost much; `estimate` is what they were told.
-- `stale`: its reading or index was made with other settings than now; it answers all the same.
alter table sources
    add column summary_reading_id uuid,
    add column summary_kind text check (summary_kind in ('written', 'quoted')),
    add column approved text check (approved in ('all', 'text')),
    add column estimate jsonb,
    add column stale boolean not null default false,
    add column site_id uuid,
    add column fetched_at timestamptz,
    add column canonical_url text,
    add column duration_ms bigint check (duration_ms >= 0);
create index on sources (site_id) where site_id is not null;

-- A web site: its pages are sources of their own, found by a sitemap or a list and looked at again by its plan.
create table sites (
    id uuid primary key,
    owner_id uuid not null references people,
    notebook_id uuid not null references notebooks on delete cascade,
    added_by uuid not null references people,
    url text not null,
    addresses text[],
    max_pages integer not null check (max_pages > 0),
    refresh_hours integer check (refresh_hours > 0),
    status text not null default 'queued' check (status in ('queued', 'looking', 'ready', 'failed')),
    error_code text,
    error_message text,
    report jsonb,
    looked_at timestamptz,
    look_again_at timestamptz,
    created_at timestamptz not null default now(),
    check (status <> 'failed' or error_code is not null),
    unique (notebook_id, url)
);
create index on sites (look_again_at) where look_again_at is not null;

-- `wanted_recipe_id`: a recipe chosen in the settings and not in use yet; `reindex_at`: it is being built beside since then, and
-- takes the place of `recipe_id` when every source has it.
alter table notebooks
    add column wanted_recipe_id text references recipes,
    add column reindex_at timestamptz;

-- Everything of an index that could be made then is there, be it words alone.
alter table corpus.indexes add column is_whole boolean not null default false;
create function corpus.is_built(uuid, text) returns boolean language sql stable as $$
    select exists (
        select from corpus.indexes i left join public.spaces p on p.id = i.space_id
        where i.reading_id = $1 and i.recipe_id = $2 and ((i.state = 'full' and p.state = 'in_use') or (i.state = 'words' and i.is_whole)))
$$;
create view corpus.unused_indexes as
    select i.id, i.reading_id, i.recipe_id from corpus.indexes i
    where exists (select from public.grants g where g.holder_kind = 'notebook' and g.source_id = i.source_id)
        and not exists (
            select from public.grants g join public.notebooks n on n.id = g.holder_id
            where g.holder_kind = 'notebook' and g.source_id = i.source_id and i.recipe_id in (n.recipe_id, n.wanted_recipe_id))
        and not exists (select from public.jobs j where j.subject = i.source_id and j.state in ('queued', 'running'));

-- What is erased for good is looked for in its owner's answers and searches alone.
create index on turns (notebook_id);
create index on jobs (owner_id) where kind = 'search_notebook';
alter table sources add foreign key (site_id) references sites on delete set null;
