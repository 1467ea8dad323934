-- A search asks which words of the question are names of those who speak in sessions.
CREATE INDEX IF NOT EXISTS messages_speaker ON :agent_schema.messages (split_part(name, ' ', 1)) WHERE name IS NOT NULL;
