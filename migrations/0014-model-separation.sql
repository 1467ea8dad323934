-- How well the model tells apart what belongs together in this index, by script, and of how many embedded chunks that was measured.
ALTER TABLE :agent_schema.generations ADD COLUMN IF NOT EXISTS separation jsonb, ADD COLUMN IF NOT EXISTS separation_count integer;
