-- A process of before searches without it, only slower. Posting lists took its place (0007), and each write paid for it.
DROP INDEX IF EXISTS :agent_schema.chunks_:generation_id_keywords;
