-- How many candidates a scan of a generation's HNSW index keeps so that it finds the nearest, measured among so many vectors. NULL: not measured yet.
ALTER TABLE :agent_schema.generations ADD COLUMN IF NOT EXISTS vector_scan integer;
ALTER TABLE :agent_schema.generations ADD COLUMN IF NOT EXISTS vector_scan_count integer;
