-- Where the provider was that made the vectors: a fingerprint of its address, empty for a model of the service's own. NULL: not noted yet.
ALTER TABLE :agent_schema.generations ADD COLUMN IF NOT EXISTS endpoint text;
