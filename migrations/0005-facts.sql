-- breaking: a process that does not know facts would put an index without them in the place of one that has them.

-- Statements that are remembered for good. A text never changes: one that takes its place is a row of its own, and the old row
-- says until when it held and what holds since.
CREATE TABLE IF NOT EXISTS :agent_schema.facts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  text text NOT NULL,
  -- Of the text as it is compared: without case, extra spaces and the stop at its end.
  text_hash text NOT NULL,
  -- What it is about, such as `user.name`: of the facts of one scope with one key, one holds at a time.
  key text COLLATE "C",
  category text NOT NULL,
  importance real NOT NULL CHECK (importance BETWEEN 0 AND 1),
  -- Whom and what it is for; empty: everybody, everything.
  scope_user text COLLATE "C" NOT NULL,
  scope_agent text COLLATE "C" NOT NULL,
  scope_session text COLLATE "C" NOT NULL,
  tags text[] NOT NULL,
  -- Which message, file or call it comes from.
  source jsonb NOT NULL,
  decay_class text NOT NULL,
  valid_from timestamptz NOT NULL,
  valid_to timestamptz,
  superseded_by bigint REFERENCES :agent_schema.facts (id) ON DELETE SET NULL,
  -- What ended it: `key`, `supersede` or `update`.
  ended_by text,
  expires_at timestamptz,
  size_bytes integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- When it was last said; it ages from then on.
  confirmed_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS facts_text_hash ON :agent_schema.facts (text_hash);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS facts_key ON :agent_schema.facts (key, valid_from) WHERE key IS NOT NULL;
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS facts_superseded_by ON :agent_schema.facts (superseded_by) WHERE superseded_by IS NOT NULL;
--> statement-breakpoint
-- The tables of a generation that was cancelled may be gone, and CREATE INDEX has no IF EXISTS for its table.
DO $$ BEGIN
  IF to_regclass(':agent_schema.chunks_:generation_id') IS NOT NULL THEN
    ALTER TABLE :agent_schema.chunks_:generation_id
      ADD COLUMN IF NOT EXISTS fact_id bigint REFERENCES :agent_schema.facts (id) ON DELETE CASCADE;
    CREATE INDEX IF NOT EXISTS chunks_:generation_id_fact ON :agent_schema.chunks_:generation_id (fact_id)
      WHERE fact_id IS NOT NULL;
  END IF;
END $$;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON :agent_schema.facts TO :agent_role;
