-- breaking: a process that does not know these tables would make a generation without them.

-- Posting lists of the keyword arm (src/db/agent/keyword-segments.ts).
DO $$ BEGIN
  IF to_regclass(':agent_schema.chunks_:generation_id') IS NOT NULL THEN
    CREATE TABLE IF NOT EXISTS :agent_schema.segments_:generation_id (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      key uuid NOT NULL,
      first_chunk bigint NOT NULL,
      last_chunk bigint NOT NULL,
      chunk_count integer NOT NULL,
      offsets bytea STORAGE EXTERNAL NOT NULL,
      lengths bytea STORAGE EXTERNAL NOT NULL,
      sources bytea STORAGE EXTERNAL NOT NULL
    );
    CREATE TABLE IF NOT EXISTS :agent_schema.postings_:generation_id (
      segment_id bigint REFERENCES :agent_schema.segments_:generation_id (id) ON DELETE CASCADE,
      lexeme text COLLATE "C",
      entries bytea STORAGE EXTERNAL NOT NULL,
      PRIMARY KEY (segment_id, lexeme)
    );
    GRANT SELECT, INSERT, UPDATE, DELETE ON :agent_schema.segments_:generation_id, :agent_schema.postings_:generation_id
      TO :agent_role;
  END IF;
END $$;
