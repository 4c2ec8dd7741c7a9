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
