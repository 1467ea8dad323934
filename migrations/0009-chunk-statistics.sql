-- ANALYZE counts neither words nor texts, as for new generations (src/db/agent/generation-tables.ts).
DO $$ BEGIN
  IF to_regclass(':agent_schema.chunks_:generation_id') IS NOT NULL THEN
    ALTER TABLE :agent_schema.chunks_:generation_id
      ALTER COLUMN keywords SET STATISTICS 0, ALTER COLUMN text SET STATISTICS 0;
  END IF;
END $$;
