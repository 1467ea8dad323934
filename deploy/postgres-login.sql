-- Creates the database login of the service, which is not a superuser (docs/ISOLATION.md). A
-- superuser runs this file with psql in the service's database; docker-compose.yml does so at every
-- start. It is safe to run again: it sets the password, and gives the login the objects that an
-- earlier version made as a superuser.
\set ON_ERROR_STOP on
\getenv password RECOLLECT_DB_PASSWORD
-- A failed statement must not put the password into the server's log.
SET log_min_error_statement = 'panic';
SET log_statement = 'none';

SELECT 'CREATE ROLE recollect_service' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'recollect_service') \gexec
ALTER ROLE recollect_service
  LOGIN INHERIT CREATEROLE NOSUPERUSER NOCREATEDB NOREPLICATION NOBYPASSRLS PASSWORD :'password';

CREATE EXTENSION IF NOT EXISTS vector;
ALTER DATABASE :"DBNAME" OWNER TO recollect_service;
-- The database's owner keeps both rights.
REVOKE TEMPORARY, CONNECT ON DATABASE :"DBNAME" FROM PUBLIC;

-- Each command is a transaction of its own. One transaction for all would lock every table of every
-- agent at once, and Postgres has no room for so many locks.
CREATE TEMPORARY VIEW our_schemas AS
  SELECT oid, nspname, nspowner FROM pg_namespace
   WHERE nspname IN ('recollect', 'recollect_jobs') OR nspname ~ '^agent_[0-9a-f]{12}$';

SELECT format('ALTER SCHEMA %I OWNER TO recollect_service', nspname) FROM our_schemas WHERE nspowner <> 'recollect_service'::regrole
UNION ALL
-- Indexes and the sequences of columns get the owner of their table.
SELECT format('ALTER %s %s OWNER TO recollect_service',
              CASE c.relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END,
              c.oid::regclass)
  FROM pg_class c JOIN our_schemas n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'S', 'v', 'm') AND c.relowner <> 'recollect_service'::regrole
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                      AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i') AND c.relkind = 'S')
UNION ALL
SELECT format('ALTER ROUTINE %s OWNER TO recollect_service', p.oid::regprocedure)
  FROM pg_proc p JOIN our_schemas n ON n.oid = p.pronamespace WHERE p.proowner <> 'recollect_service'::regrole
UNION ALL
SELECT format('ALTER TYPE %s OWNER TO recollect_service', t.oid::regtype)
  FROM pg_type t JOIN our_schemas n ON n.oid = t.typnamespace WHERE t.typtype IN ('e', 'd') AND t.typowner <> 'recollect_service'::regrole
UNION ALL
-- The login acts as the agents' roles, and drops the role of an erased agent.
SELECT format('GRANT %I TO recollect_service WITH ADMIN OPTION', r.rolname)
  FROM pg_roles r JOIN our_schemas n ON n.nspname = r.rolname
 WHERE NOT r.rolcanlogin AND NOT EXISTS
       (SELECT FROM pg_auth_members m WHERE m.roleid = r.oid AND m.member = 'recollect_service'::regrole AND m.admin_option)
\gexec
DROP VIEW our_schemas;
