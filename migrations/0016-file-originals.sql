-- What a file's text was read from, if from a document (PDF, HTML, DOCX): its hash, media type and size, the line on which each page begins, and
-- the hash of the text. It counts as long as the file has that text: a write by a process of before, which does not know of it, ends it.
ALTER TABLE :agent_schema.files ADD COLUMN IF NOT EXISTS original jsonb;
