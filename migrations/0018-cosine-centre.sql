-- The mean of a generation's vectors, each of length one: its product with a question's is the mean of their cosines. NULL: not measured yet.
ALTER TABLE :agent_schema.generations ADD COLUMN IF NOT EXISTS cosine_centre vector;
