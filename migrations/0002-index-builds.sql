-- breaking: a process that does not know this would change files without telling the index that is being built.

-- The newest generation that holds the file as it is now. While an index is built the other files are what remains to do.
ALTER TABLE :agent_schema.files ADD COLUMN IF NOT EXISTS indexed_generation integer;
--> statement-breakpoint
ALTER TABLE :agent_schema.generations DROP CONSTRAINT IF EXISTS generations_status_check;
--> statement-breakpoint
ALTER TABLE :agent_schema.generations ADD CONSTRAINT generations_status_check
  CHECK (status IN ('building', 'active', 'dropped', 'cancelled'));
--> statement-breakpoint
CREATE UNIQUE INDEX IF NOT EXISTS generations_one_building ON :agent_schema.generations ((true)) WHERE status = 'building';
--> statement-breakpoint
-- Why the provider will never embed this chunk; NULL: it has not refused it.
ALTER TABLE IF EXISTS :agent_schema.vectors_:generation_id ADD COLUMN IF NOT EXISTS rejected text;
