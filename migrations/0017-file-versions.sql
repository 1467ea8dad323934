-- breaking: a process of before would change files and keep nothing of what they said, and a snapshot would not know.

-- Every change of an agent's memory has a number of one sequence, that of the ids of files. `seq` is the number of the change that made
-- the text what it is, `born` of the one that made the file; NULL: its id.
ALTER TABLE :agent_schema.files
  ADD COLUMN IF NOT EXISTS seq bigint, ADD COLUMN IF NOT EXISTS born bigint, ADD COLUMN IF NOT EXISTS written_by text;
--> statement-breakpoint
-- What files said before, from change `since_seq` to change `until_seq`, which is also its name. `deleted`: the file ended with it.
CREATE TABLE IF NOT EXISTS :agent_schema.file_versions (
  until_seq bigint PRIMARY KEY,
  since_seq bigint NOT NULL,
  born bigint NOT NULL,
  path text COLLATE "C" NOT NULL,
  content text NOT NULL,
  content_hash text NOT NULL,
  size_bytes integer NOT NULL,
  line_count integer NOT NULL,
  mtime timestamptz NOT NULL,
  origin text,
  original jsonb,
  written_at timestamptz NOT NULL,
  written_by text,
  ended_at timestamptz NOT NULL,
  ended_by text NOT NULL,
  deleted boolean NOT NULL
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS file_versions_path ON :agent_schema.file_versions (path, until_seq);
--> statement-breakpoint
-- What happened to facts besides their being stored. `before`: the whole row as it was, if a snapshot needs it; JSON's null: there was none.
CREATE TABLE IF NOT EXISTS :agent_schema.fact_changes (
  seq bigint PRIMARY KEY,
  fact_id bigint NOT NULL,
  kind text NOT NULL,
  at timestamptz NOT NULL,
  by text,
  before jsonb
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS fact_changes_fact ON :agent_schema.fact_changes (fact_id, seq);
--> statement-breakpoint
-- States to go back to: what had changed before `seq`, and facts up to `last_fact`.
CREATE TABLE IF NOT EXISTS :agent_schema.snapshots (
  name text COLLATE "C" PRIMARY KEY,
  seq bigint NOT NULL,
  last_fact bigint NOT NULL,
  taken_at timestamptz NOT NULL,
  taken_by text NOT NULL,
  expires_at timestamptz,
  files integer NOT NULL,
  bytes bigint NOT NULL,
  facts integer NOT NULL
);
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON :agent_schema.file_versions, :agent_schema.fact_changes, :agent_schema.snapshots TO :agent_role;
--> statement-breakpoint
GRANT USAGE ON SEQUENCE :agent_schema.files_id_seq TO :agent_role;
