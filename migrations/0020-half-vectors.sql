-- Whether the vectors of a generation are stored in half precision (halfvec); above 2,000 dimensions they always are.
ALTER TABLE :agent_schema.generations ADD COLUMN IF NOT EXISTS half_vectors boolean NOT NULL DEFAULT false;
