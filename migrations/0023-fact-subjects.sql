-- breaking: a process of before would end one person's fact when another person says the same of themselves.

-- The person who said a fact, or the person or thing that it is about; NULL: nobody said. `subject_folded` is the form in which subjects
-- are compared. Both may be NULL because the rows that snapshots keep were written without them.
ALTER TABLE :agent_schema.facts
  ADD COLUMN IF NOT EXISTS subject text, ADD COLUMN IF NOT EXISTS subject_folded text COLLATE "C";
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS facts_subject ON :agent_schema.facts (subject_folded) WHERE subject_folded IS NOT NULL;
--> statement-breakpoint
-- A recall reads the instructions and preferences of one user.
CREATE INDEX IF NOT EXISTS facts_standing ON :agent_schema.facts (scope_user) WHERE category IN ('instruction', 'preference');
--> statement-breakpoint
-- Facts are listed and deleted by the conversation or file that they come from.
CREATE INDEX IF NOT EXISTS facts_source ON :agent_schema.facts ((coalesce(source->>'session', source->>'path')));
--> statement-breakpoint
-- Earlier releases could store that a fact took the place of another user's fact. No answer may name the other.
UPDATE :agent_schema.facts f
   SET superseded_by = NULL
  FROM :agent_schema.facts n
 WHERE n.id = f.superseded_by
   AND (n.scope_user <> f.scope_user OR n.scope_agent <> f.scope_agent OR n.scope_session <> f.scope_session);
