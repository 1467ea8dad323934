-- Indexes in which each chunk is stemmed in its own language, which then stands in its row. `language` of the generation is what a
-- text is taken for that does not say, and what a process of before, which does not know the column, indexes everything as.
ALTER TABLE :agent_schema.generations ADD COLUMN IF NOT EXISTS follows_text boolean NOT NULL DEFAULT false;
--> statement-breakpoint
-- A table that such a process makes lacks it: only a generation that follows its texts is asked for it.
ALTER TABLE IF EXISTS :agent_schema.chunks_:generation_id ADD COLUMN IF NOT EXISTS language text;
--> statement-breakpoint
-- The languages of a generation that follows its texts, with the chunks in each when they were last counted. A search stems a word in
-- all of them.
CREATE TABLE IF NOT EXISTS :agent_schema.languages (
  generation_id integer NOT NULL,
  language text NOT NULL,
  chunks integer NOT NULL DEFAULT 0,
  PRIMARY KEY (generation_id, language)
);
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON :agent_schema.languages TO :agent_role;
