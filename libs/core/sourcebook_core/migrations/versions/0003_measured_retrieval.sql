-- Retrieval that is measured: newer words, large scopes, floors, misses and test questions.

-- words: recipes of the newer analyser --------------------------------------------------------------------------------

-- large scopes: postings ----------------------------------------------------------------------------------------------

-- holders of grants ---------------------------------------------------------------------------------------------------

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
    state text not null default 'open' check (state in ('open', 'solved', 'question')),
    state_at timestamptz not null default now(),
    asked_at timestamptz not null,
    check (found is not null or is_down)
);
create index on misses (notebook_id, key);
create index on misses (state_at) where state = 'solved';

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
