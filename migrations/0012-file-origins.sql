-- Which folder that is synced a file came from, and the hash of what it sent. A file is the origin's as long as its content is that:
-- a write by a process of before, which does not know of origins, ends it like any other.
ALTER TABLE :agent_schema.files ADD COLUMN IF NOT EXISTS origin text, ADD COLUMN IF NOT EXISTS origin_hash text;
