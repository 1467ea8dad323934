-- breaking: a process of before would show a user's conversation to others, and append to it for another user.

-- Whom a conversation is for, as facts have it; empty: the whole agent.
ALTER TABLE :agent_schema.sessions
  ADD COLUMN IF NOT EXISTS scope_user text COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN IF NOT EXISTS scope_agent text COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN IF NOT EXISTS scope_session text COLLATE "C" NOT NULL DEFAULT '';
--> statement-breakpoint
-- A search for one user looks up the conversations that it may show.
CREATE INDEX IF NOT EXISTS sessions_scope_user ON :agent_schema.sessions (scope_user);
--> statement-breakpoint
-- Conversations with a speaker of a name, each found once, however many messages it has.
CREATE INDEX IF NOT EXISTS messages_speaker_session ON :agent_schema.messages (split_part(name, ' ', 1), session_id) WHERE name IS NOT NULL;
--> statement-breakpoint
DROP INDEX IF EXISTS :agent_schema.messages_speaker;
--> statement-breakpoint
-- Facts that were captured from a conversation's messages have the scope with which these were appended. A conversation takes that
-- scope. One that was appended to with several is for itself alone: nobody who was not in it sees it.
UPDATE :agent_schema.sessions s
   SET scope_user = d.scope_user, scope_agent = d.scope_agent, scope_session = d.scope_session
  FROM (SELECT f.source->>'session' AS key,
               CASE WHEN count(DISTINCT concat_ws(chr(31), f.scope_user, f.scope_agent, f.scope_session)) = 1 THEN min(f.scope_user) ELSE '' END AS scope_user,
               CASE WHEN count(DISTINCT concat_ws(chr(31), f.scope_user, f.scope_agent, f.scope_session)) = 1 THEN min(f.scope_agent) ELSE '' END AS scope_agent,
               CASE WHEN count(DISTINCT concat_ws(chr(31), f.scope_user, f.scope_agent, f.scope_session)) = 1 THEN min(f.scope_session) ELSE f.source->>'session' END AS scope_session
          FROM :agent_schema.facts f
         WHERE f.source->>'kind' = 'message' AND f.source->>'message' IS NOT NULL AND (f.scope_user <> '' OR f.scope_agent <> '' OR f.scope_session <> '')
         GROUP BY f.source->>'session') AS d
 WHERE s.key = d.key AND s.scope_user = '' AND s.scope_agent = '' AND s.scope_session = '';
--> statement-breakpoint
-- Remembered answers show conversations to everybody.
UPDATE :agent_schema.generations SET changes = changes + 1
 WHERE status = 'active' AND EXISTS (SELECT FROM :agent_schema.sessions WHERE scope_user <> '' OR scope_agent <> '' OR scope_session <> '');
