-- Answers that show their evidence: assistants and their visitors, credit, notes, webhooks.

-- holders that are asked ----------------------------------------------------------------------------------------------

-- A visitor is somebody who asks one assistant from outside: known by the host application's own id of them, or by a random one.
-- They ask and have their conversation; they never sign in.
alter table people add column visitor_of uuid references assistants on delete cascade, add column subject text;
alter table people add check ((visitor_of is null) = (subject is null)), add check (visitor_of is null or (email is null and not is_admin));
create unique index visitors on people (visitor_of, subject) where visitor_of is not null;

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

-- profiles ------------------------------------------------------------------------------------------------------------

-- credit and limits ---------------------------------------------------------------------------------------------------

-- webhooks ------------------------------------------------------------------------------------------------------------

-- notes and guides ----------------------------------------------------------------------------------------------------

-- tools and host data -------------------------------------------------------------------------------------------------
