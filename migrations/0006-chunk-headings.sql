-- breaking: a process that does not know the column would write chunks under their headings into an index that leaves them out.

-- Whether a chunk of a file is indexed under its headings.
ALTER TABLE :agent_schema.generations ADD COLUMN IF NOT EXISTS chunk_headings boolean NOT NULL DEFAULT true;
