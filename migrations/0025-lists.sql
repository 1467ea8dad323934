-- Lists of facts and of conversations by person and by time, for pages that people read.

-- The facts of one user, newest first. Facts for everybody are read in the order of their ids.
CREATE INDEX IF NOT EXISTS facts_user ON :agent_schema.facts (scope_user, id) WHERE scope_user <> '';
--> statement-breakpoint
-- Conversations, the last one that somebody spoke in first.
CREATE INDEX IF NOT EXISTS sessions_recent ON :agent_schema.sessions (last_message_at, id);
--> statement-breakpoint
-- The feed of changes, by time in both directions.
CREATE INDEX IF NOT EXISTS facts_stored ON :agent_schema.facts (created_at, id);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS fact_changes_at ON :agent_schema.fact_changes (at, seq) WHERE kind <> 'confirmed';
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS files_written ON :agent_schema.files (updated_at);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS file_versions_written ON :agent_schema.file_versions (written_at);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS file_versions_ended ON :agent_schema.file_versions (ended_at) WHERE deleted;
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS sessions_started ON :agent_schema.sessions (created_at, id);
--> statement-breakpoint
-- The positions of some of a generation's chunks on a plane, for a map of the memory. It has no texts: a chunk that is deleted is on no map.
CREATE TABLE IF NOT EXISTS :agent_schema.maps (
  generation_id integer PRIMARY KEY,
  made_at timestamptz NOT NULL,
  -- How many embedded chunks the index had.
  chunks integer NOT NULL,
  chunk_ids bigint[] NOT NULL,
  xs real[] NOT NULL,
  ys real[] NOT NULL
);
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON :agent_schema.maps TO :agent_role;
--> statement-breakpoint
-- Questions with the documents that a search should find, and what searches found. Both are small and bounded in number.
CREATE TABLE IF NOT EXISTS :agent_schema.eval_sets (
  name text COLLATE "C" PRIMARY KEY,
  description text NOT NULL,
  questions jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  updated_by text NOT NULL
);
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS :agent_schema.eval_runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  set_name text COLLATE "C" NOT NULL REFERENCES :agent_schema.eval_sets (name) ON DELETE CASCADE,
  state text NOT NULL,
  label text NOT NULL,
  -- The questions as they were when the run began.
  questions jsonb NOT NULL,
  results jsonb NOT NULL,
  -- The figures of all questions, once the run has ended.
  summary jsonb,
  error text,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  ended_at timestamptz
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS eval_runs_set ON :agent_schema.eval_runs (set_name, id);
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON :agent_schema.eval_sets, :agent_schema.eval_runs TO :agent_role;
