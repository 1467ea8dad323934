-- Who is behind a message, as its sender knows: the owner, the agent, somebody outside, or the host's own scaffolding. NULL: the sender did
-- not say. The constraint has a name and a statement of its own, because Citus adds no column with a constraint.
ALTER TABLE :agent_schema.messages ADD COLUMN IF NOT EXISTS origin_class text;
--> statement-breakpoint
ALTER TABLE :agent_schema.messages DROP CONSTRAINT IF EXISTS messages_origin_class_check;
--> statement-breakpoint
ALTER TABLE :agent_schema.messages
  ADD CONSTRAINT messages_origin_class_check CHECK (origin_class IN ('owner', 'agent', 'untrusted', 'system'));
