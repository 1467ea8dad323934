-- Whether the vectors of a generation are stored in half precision (halfvec). Until now they were above 2,000 dimensions.
ALTER TABLE :agent_schema.generations ADD COLUMN IF NOT EXISTS half_vectors boolean NOT NULL DEFAULT false;
--> statement-breakpoint
UPDATE :agent_schema.generations SET half_vectors = true WHERE dimensions > 2000 AND NOT half_vectors;
