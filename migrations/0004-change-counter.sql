-- breaking: a process that does not count its changes would leave answers of before them in the caches of others.

-- Grows with every change of what searches find: what a process remembers of a search holds as long as this stays.
ALTER TABLE :agent_schema.generations ADD COLUMN IF NOT EXISTS changes bigint NOT NULL DEFAULT 0;
