-- Files, their index generations and the document frequencies of one agent. The chunk and vector tables of a generation
-- are made when it begins (src/db/agent/generation-tables.ts), because their columns depend on its settings.

-- COLLATE "C": paths are compared as bytes, so that a prefix or a page of a listing is one range of the index.
CREATE TABLE IF NOT EXISTS :agent_schema.files (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  path text COLLATE "C" NOT NULL UNIQUE,
  name text COLLATE "C" NOT NULL,
  content text NOT NULL,
  content_hash text NOT NULL,
  size_bytes integer NOT NULL,
  line_count integer NOT NULL,
  mtime timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
--> statement-breakpoint
-- An exact file name comes first in a search (contract: exact path or file-name hit).
CREATE INDEX IF NOT EXISTS files_name ON :agent_schema.files (lower(name));
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS :agent_schema.generations (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  provider text NOT NULL,
  model text NOT NULL,
  -- NULL: keyword search only, there is no vector table.
  dimensions integer,
  chunk_tokens integer NOT NULL,
  chunk_overlap integer NOT NULL,
  language text NOT NULL,
  status text NOT NULL CHECK (status IN ('building', 'active', 'dropped')),
  vector_index boolean NOT NULL DEFAULT false,
  stats_chunk_count integer,
  stats_total_length bigint,
  stats_at timestamptz,
  created_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX IF NOT EXISTS generations_one_active ON :agent_schema.generations ((true)) WHERE status = 'active';
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS :agent_schema.lexemes (
  generation_id integer NOT NULL,
  lexeme text COLLATE "C" NOT NULL,
  df integer NOT NULL,
  PRIMARY KEY (generation_id, lexeme)
);
--> statement-breakpoint
GRANT USAGE ON SCHEMA :agent_schema TO :agent_role;
--> statement-breakpoint
-- By name: ON ALL TABLES IN SCHEMA reads the whole of pg_class five times, 300,000 rows with ten thousand agents. The one edit of a
-- migration that has landed; it gives what it gave before.
GRANT SELECT, INSERT, UPDATE, DELETE ON :agent_schema.files, :agent_schema.generations, :agent_schema.lexemes TO :agent_role;
