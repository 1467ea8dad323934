-- Facts that are over have a source of their own (4), where searches of what holds now do not look, and a generation knows how
-- cosines between its texts vary.
ALTER TABLE :agent_schema.generations
  ADD COLUMN IF NOT EXISTS cosine_deviation double precision,
  ADD COLUMN IF NOT EXISTS cosine_count integer;
--> statement-breakpoint
-- The tables of a generation that was cancelled may be gone.
DO $$ BEGIN
  IF to_regclass(':agent_schema.chunks_:generation_id') IS NOT NULL THEN
    UPDATE :agent_schema.chunks_:generation_id c SET source = 4
      FROM :agent_schema.facts f WHERE f.id = c.fact_id AND f.valid_to <= now();
  END IF;
  IF to_regclass(':agent_schema.vectors_:generation_id') IS NOT NULL THEN
    UPDATE :agent_schema.vectors_:generation_id v SET source = 4
      FROM :agent_schema.chunks_:generation_id c WHERE c.id = v.chunk_id AND c.source = 4;
  END IF;
END $$;
