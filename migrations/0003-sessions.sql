-- breaking: a process that does not know sessions would put an index without them in the place of one that has them.

-- Conversations. `key` is what stands behind the agent in a session key, `{channel}:{context}`. Messages are numbered from 1
-- in the order of their arrival, and so are the lines of the transcript; neither is ever given out again.
CREATE TABLE IF NOT EXISTS :agent_schema.sessions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text COLLATE "C" NOT NULL UNIQUE,
  -- The earliest and the latest message that is still there, by when it was said, or arrived if that was before.
  started_at timestamptz NOT NULL,
  last_message_at timestamptz NOT NULL,
  -- Of the messages that are still there.
  message_count integer NOT NULL,
  bytes bigint NOT NULL,
  -- The last number and line that were given out.
  last_seq integer NOT NULL,
  last_line integer NOT NULL,
  -- How many messages retention has removed: whoever read messages sees by it whether they are still those.
  removed integer NOT NULL,
  -- The active generation holds the messages up to this one.
  indexed_seq integer NOT NULL,
  unindexed_bytes bigint NOT NULL,
  -- The generation that is being built holds the messages up to `next_seq`, if it is this one.
  next_generation integer,
  next_seq integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
--> statement-breakpoint
-- What every search asks of the sessions: whether anything is left to index.
CREATE INDEX IF NOT EXISTS sessions_unindexed ON :agent_schema.sessions (id) WHERE last_seq > indexed_seq;
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS :agent_schema.messages (
  session_id bigint NOT NULL REFERENCES :agent_schema.sessions (id) ON DELETE CASCADE,
  seq integer NOT NULL,
  -- The sender's own id: a message that is sent again is known by it.
  external_id text COLLATE "C",
  role text NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
  name text,
  text text NOT NULL,
  size_bytes integer NOT NULL,
  first_line integer NOT NULL,
  line_count integer NOT NULL,
  -- When it was said, and when it arrived.
  at timestamptz NOT NULL,
  stored_at timestamptz NOT NULL,
  PRIMARY KEY (session_id, seq)
);
--> statement-breakpoint
CREATE UNIQUE INDEX IF NOT EXISTS messages_external_id ON :agent_schema.messages (session_id, external_id)
  WHERE external_id IS NOT NULL;
--> statement-breakpoint
-- The tables of a generation that was cancelled may be gone, and CREATE INDEX has no IF EXISTS for its table.
DO $$ BEGIN
  IF to_regclass(':agent_schema.chunks_:generation_id') IS NOT NULL THEN
    ALTER TABLE :agent_schema.chunks_:generation_id ALTER COLUMN file_id DROP NOT NULL;
    ALTER TABLE :agent_schema.chunks_:generation_id
      ADD COLUMN IF NOT EXISTS session_id bigint REFERENCES :agent_schema.sessions (id) ON DELETE CASCADE,
      ADD COLUMN IF NOT EXISTS first_message integer,
      ADD COLUMN IF NOT EXISTS last_message integer;
    CREATE INDEX IF NOT EXISTS chunks_:generation_id_session ON :agent_schema.chunks_:generation_id (session_id, ordinal)
      WHERE session_id IS NOT NULL;
  END IF;
END $$;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON :agent_schema.sessions, :agent_schema.messages TO :agent_role;
