-- The day that a file is about: from its path, or else from its front matter. NULL: only the time of its last change is known.
ALTER TABLE :agent_schema.files ADD COLUMN IF NOT EXISTS day date;
--> statement-breakpoint
ALTER TABLE :agent_schema.file_versions ADD COLUMN IF NOT EXISTS day date;
--> statement-breakpoint
-- Files and versions of before get the day of a path with year, month and day in numbers, the last one of several. Other days
-- (25.12.2026, "Mar 14th, 2026", front matter) are read when the file is next written.
UPDATE :agent_schema.files f
   SET day = n.day
  FROM (SELECT id, CASE WHEN m[2]::int BETWEEN 1 AND 12 AND m[3]::int BETWEEN 1 AND 31
                         AND m[3]::int <= extract(day FROM make_date(m[1]::int, m[2]::int, 1) + interval '1 month' - interval '1 day')
                        THEN make_date(m[1]::int, m[2]::int, m[3]::int) END AS day
          FROM (SELECT id, coalesce(
                         regexp_match(path, '.*(?:^|[^0-9])((?:19|20)[0-9]{2})[-_./ ](0[1-9]|1[0-2])[-_./ ](0[1-9]|[12][0-9]|3[01])(?![0-9])'),
                         regexp_match(path, '.*(?:^|[^0-9])((?:19|20)[0-9]{2})(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])(?![0-9])')) AS m
                  FROM :agent_schema.files
                 WHERE path ~ '(?:19|20)[0-9]{2}') AS read
         WHERE m IS NOT NULL) AS n
 WHERE f.id = n.id AND n.day IS NOT NULL;
--> statement-breakpoint
UPDATE :agent_schema.file_versions v
   SET day = n.day
  FROM (SELECT until_seq, CASE WHEN m[2]::int BETWEEN 1 AND 12 AND m[3]::int BETWEEN 1 AND 31
                                AND m[3]::int <= extract(day FROM make_date(m[1]::int, m[2]::int, 1) + interval '1 month' - interval '1 day')
                               THEN make_date(m[1]::int, m[2]::int, m[3]::int) END AS day
          FROM (SELECT until_seq, coalesce(
                         regexp_match(path, '.*(?:^|[^0-9])((?:19|20)[0-9]{2})[-_./ ](0[1-9]|1[0-2])[-_./ ](0[1-9]|[12][0-9]|3[01])(?![0-9])'),
                         regexp_match(path, '.*(?:^|[^0-9])((?:19|20)[0-9]{2})(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])(?![0-9])')) AS m
                  FROM :agent_schema.file_versions
                 WHERE path ~ '(?:19|20)[0-9]{2}') AS read
         WHERE m IS NOT NULL) AS n
 WHERE v.until_seq = n.until_seq AND n.day IS NOT NULL;
--> statement-breakpoint
-- A question about a day or a week reads the messages and files of these days.
CREATE INDEX IF NOT EXISTS messages_at ON :agent_schema.messages (at);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS files_day ON :agent_schema.files (day) WHERE day IS NOT NULL;
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS files_mtime ON :agent_schema.files (mtime) WHERE day IS NULL;
