-- breaking: a process of before cuts windows of five messages, and would mix them with those of three.

-- A search asks which words of the question are names of those who speak in sessions.
CREATE INDEX IF NOT EXISTS messages_speaker ON :agent_schema.messages (split_part(name, ' ', 1)) WHERE name IS NOT NULL;
--> statement-breakpoint
-- Windows have three messages now: those of five go, and the next sync indexes the sessions anew.
DO $$ BEGIN
  IF to_regclass(':agent_schema.chunks_:generation_id') IS NOT NULL THEN
    DELETE FROM :agent_schema.chunks_:generation_id WHERE session_id IS NOT NULL;
  END IF;
END $$;
--> statement-breakpoint
UPDATE :agent_schema.sessions SET indexed_seq = 0, next_seq = 0, next_generation = NULL, unindexed_bytes = bytes
 WHERE indexed_seq > 0 OR next_seq > 0;
--> statement-breakpoint
UPDATE :agent_schema.generations SET changes = changes + 1 WHERE status = 'active';
