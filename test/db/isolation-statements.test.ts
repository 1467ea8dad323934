import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withAgentTransaction } from "../../src/db/agent/schema/agent-transaction.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import type { Row } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/pg.ts";
import { sqlState } from "../../src/db/pg-error.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const DENIED = "42501";
const NOT_AVAILABLE = "0A000";

/**
 * `m` and `o` are the schema and role of the agent that tries and of the other agent. Numbers are
 * oids of the other agent's objects.
 */
interface Names {
  m: string;
  o: string;
  service: string;
  database: string;
  table: number;
  sequence: number;
}
type Statement = (names: Names) => string;

/**
 * Statements by oid. They look up no name in the other agent's schema, so the check of the object
 * itself has to refuse them.
 */
const BY_OID: readonly Statement[] = [
  (n) => `SELECT nextval(${n.sequence}::oid::regclass)`,
  (n) => `SELECT currval(${n.sequence}::oid::regclass)`,
  (n) => `SELECT setval(${n.sequence}::oid::regclass, 9)`,
  (n) => `SELECT table_to_xml(${n.table}::oid::regclass, true, false, '')`,
];

const BY_TEXT: readonly Statement[] = [
  (n) => `SELECT query_to_xml('SELECT * FROM ${n.o}.files', true, false, '')`,
  (n) => `SELECT schema_to_xml('${n.o}', true, false, '')`,
  (n) => `SELECT * FROM ts_stat('SELECT keywords FROM ${n.o}.chunks_1')`,
  (n) => `SELECT ts_rewrite('a'::tsquery, 'SELECT ''a''::tsquery, content::tsquery FROM ${n.o}.files')`,
  (n) => `SELECT pg_relation_size('${n.o}.files')`,
  (n) => `DO $$ BEGIN EXECUTE 'SELECT * FROM ${n.o}.files'; END $$`,
  (n) => `SELECT set_config('role', 'none', true), content FROM ${n.o}.files`,
];

const TABLES: readonly Statement[] = [
  (n) => `TABLE ${n.o}.files`,
  (n) => `SELECT NULL::${n.o}.files`,
  (n) => `MERGE INTO ${n.o}.files USING (SELECT 1) x ON false WHEN NOT MATCHED THEN DO NOTHING`,
  (n) => `COPY ${n.o}.files FROM STDIN`,
  (n) => `ANALYZE ${n.o}.files`,
  (n) => `REINDEX TABLE ${n.o}.files`,
  (n) => `CLUSTER ${n.o}.files`,
  (n) => `SELECT * INTO ${n.m}.copied FROM ${n.m}.files`,
  (n) => `CREATE TABLE ${n.o}.t (x int)`,
  () => "CREATE TABLE public.t (x int)",
  () => "CREATE TABLE recollect.t (x int)",
  () => "CREATE TABLE recollect_jobs.t (x int)",
  () => "TRUNCATE recollect.agents CASCADE",
  () => "LOCK TABLE recollect.agents",
  () => "COPY recollect.api_keys TO STDOUT",
  () => "COPY recollect_jobs.job TO STDOUT",
  (n) => `SELECT setval('${n.m}.files_id_seq', 1)`,
];

const DEFINITIONS: readonly Statement[] = [
  (n) =>
    `CREATE TRIGGER t BEFORE UPDATE ON ${n.m}.files FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
  (n) => `ALTER TABLE ${n.m}.files DISABLE TRIGGER ALL`,
  (n) => `ALTER TABLE ${n.m}.files ENABLE ROW LEVEL SECURITY`,
  (n) => `ALTER TABLE ${n.m}.files SET SCHEMA public`,
  (n) => `ALTER TABLE ${n.m}.files RENAME TO x`,
  (n) => `CREATE STATISTICS ${n.m}.s ON path, name FROM ${n.m}.files`,
  (n) => `COMMENT ON TABLE ${n.m}.files IS 'x'`,
  (n) => `CREATE PROCEDURE ${n.m}.p() LANGUAGE sql AS 'SELECT 1'`,
  (n) => `CREATE AGGREGATE ${n.m}.a(int) (sfunc = int4pl, stype = int)`,
  (n) => `CREATE OPERATOR ${n.m}.=== (function = int4eq, leftarg = int, rightarg = int)`,
  () => "CREATE CAST (text AS int) WITH INOUT",
  (n) => `CREATE COLLATION ${n.m}.c FROM "C"`,
  (n) => `CREATE TEXT SEARCH CONFIGURATION ${n.m}.c (COPY = simple)`,
  (n) => `CREATE TYPE ${n.m}.e AS ENUM ('a')`,
  (n) => `REFRESH MATERIALIZED VIEW ${n.o}.files`,
  () => "CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE c AS '/tmp/x.so'",
  () => "CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE internal AS 'int4pl'",
  (n) =>
    `CREATE FUNCTION pg_temp.f() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
       AS $$ BEGIN RETURN (SELECT count(*) FROM ${n.o}.files); END $$; SELECT pg_temp.f()`,
  () => "DROP EXTENSION vector CASCADE",
  () => "ALTER EXTENSION vector UPDATE",
  () => "CREATE FOREIGN DATA WRAPPER x",
  () => "CREATE ACCESS METHOD a TYPE INDEX HANDLER bthandler",
  () => "CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION suppress_redundant_updates_trigger()",
  (n) => `CREATE PUBLICATION p FOR TABLE ${n.m}.files`,
  () => "CREATE SUBSCRIPTION s CONNECTION 'host=x' PUBLICATION p WITH (connect = false)",
  () => "DROP SCHEMA recollect CASCADE",
  () => "DROP SCHEMA recollect_jobs CASCADE",
  () => "DROP SCHEMA public CASCADE",
  (n) => `ALTER SCHEMA ${n.m} OWNER TO ${n.m}`,
  (n) => `ALTER SCHEMA ${n.o} RENAME TO x`,
  (n) => `CREATE SCHEMA AUTHORIZATION ${n.m}`,
];

const ROLES: readonly Statement[] = [
  (n) => `GRANT USAGE ON SCHEMA ${n.o} TO ${n.m}`,
  (n) => `GRANT USAGE ON SCHEMA recollect TO ${n.m}`,
  (n) => `REVOKE ALL ON SCHEMA ${n.o} FROM ${n.o}`,
  (n) => `ALTER DEFAULT PRIVILEGES FOR ROLE ${n.o} GRANT SELECT ON TABLES TO ${n.m}`,
  (n) => `ALTER DEFAULT PRIVILEGES FOR ROLE ${n.service} GRANT SELECT ON TABLES TO ${n.m}`,
  (n) => `REASSIGN OWNED BY ${n.service} TO ${n.m}`,
  (n) => `DROP OWNED BY ${n.o}`,
  (n) => `DROP OWNED BY ${n.m}`,
  () => "CREATE ROLE agent_intruder LOGIN",
  (n) => `ALTER ROLE ${n.service} SUPERUSER`,
  (n) => `ALTER ROLE ${n.service} SET search_path = 'x'`,
  (n) => `ALTER ROLE ${n.m} LOGIN`,
  (n) => `ALTER ROLE ${n.o} PASSWORD 'x'`,
  (n) => `COMMENT ON ROLE ${n.m} IS 'x'`,
  (n) => `GRANT ${n.service} TO ${n.m}`,
  (n) => `GRANT pg_read_all_data TO ${n.m}`,
  (n) => `GRANT ${n.m} TO ${n.o}`,
  (n) => `REVOKE ${n.o} FROM ${n.service}`,
  (n) => `DROP ROLE ${n.m}`,
];

const SERVER: readonly Statement[] = [
  (n) => `ALTER DATABASE ${n.database} SET search_path = 'x'`,
  (n) => `COMMENT ON DATABASE ${n.database} IS 'x'`,
  ...["session_replication_role = replica", "lo_compat_privileges = on", "log_statement = 'none'"].map(
    (setting) => () => `SET LOCAL ${setting}`,
  ),
  () => "SET LOCAL dynamic_library_path = '/tmp'",
  () => "LOAD '/tmp/x.so'",
  () => "SHOW data_directory",
  () => "CHECKPOINT",
  ...["pg_read_binary_file('/etc/passwd')", "pg_stat_file('/etc/passwd')", "pg_ls_logdir()", "pg_ls_waldir()"].map(
    (call) => () => `SELECT ${call}`,
  ),
  ...["pg_current_logfile()", "pg_reload_conf()", "pg_rotate_logfile()", "pg_switch_wal()", "pg_promote()"].map(
    (call) => () => `SELECT ${call}`,
  ),
  ...["pg_create_restore_point('x')", "pg_backup_start('x')", "pg_stat_reset()"].map((call) => () => `SELECT ${call}`),
  () => "SELECT pg_create_physical_replication_slot('x')",
  () => "SELECT pg_log_backend_memory_contexts(pg_backend_pid())",
  // All backends belong to the service's login, including this one.
  () => "SELECT pg_terminate_backend(pg_backend_pid())",
  () => "SELECT pg_cancel_backend(pg_backend_pid())",
  ...["pg_shadow", "pg_statistic", "pg_statistic_ext_data", "pg_user_mapping", "pg_largeobject"].map(
    (table) => () => `SELECT * FROM ${table}`,
  ),
  ...["pg_hba_file_rules", "pg_file_settings", "pg_backend_memory_contexts", "pg_shmem_allocations", "pg_config"].map(
    (view) => () => `SELECT * FROM ${view}`,
  ),
];

/**
 * Statements that are not allowed in a transaction. A session that has taken the agent's role sends
 * each of them alone.
 */
const ALONE: readonly Statement[] = [
  () => "CREATE DATABASE intruder",
  (n) => `DROP DATABASE ${n.database}`,
  () => "ALTER SYSTEM SET work_mem = '1MB'",
  () => "CREATE TABLESPACE intruder LOCATION '/tmp'",
  (n) => `VACUUM ${n.o}.files`,
  () => "VACUUM recollect.agents",
  (n) => `REINDEX SCHEMA ${n.m}`,
  (n) => `CREATE INDEX CONCURRENTLY spy ON ${n.m}.files (path)`,
];

/** Statements that Postgres answers with a warning instead of an error. */
const IN_VAIN: readonly Statement[] = [
  (n) => `GRANT USAGE ON SCHEMA ${n.m} TO ${n.o}`,
  (n) => `GRANT SELECT ON ${n.m}.files TO ${n.o}`,
  (n) => `GRANT SELECT ON ${n.m}.files TO PUBLIC`,
  (n) => `GRANT CREATE ON SCHEMA ${n.m} TO ${n.m}`,
  (n) => `GRANT CREATE ON DATABASE ${n.database} TO ${n.m}`,
  (n) => `GRANT USAGE ON LANGUAGE plpgsql TO ${n.m}`,
  (n) => `REVOKE SELECT ON ${n.m}.files FROM ${n.m}`,
];

const PLACEHOLDERS = { m: "mine", o: "other", service: "service", database: "db", table: 1, sequence: 2 };
const titled = (statements: readonly Statement[]) => statements.map((sql) => [sql(PLACEHOLDERS), sql] as const);

describe("an agent's role, statement by statement", () => {
  let app: TestApp;
  let names: Names;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    await app.put("a.md", "My secret", "mine");
    await app.put("a.md", "Another secret", "other");
    const { rows } = await app.db.executeSql<Names>(
      `SELECT mine.schema_name AS m, other.schema_name AS o, current_user AS service, current_database() AS database,
              (other.schema_name || '.files')::regclass::oid::int AS table,
              (other.schema_name || '.files_id_seq')::regclass::oid::int AS sequence
         FROM recollect.agents mine, recollect.agents other WHERE mine.id = 'mine' AND other.id = 'other'`,
    );
    if (!rows[0]) throw new Error("The agents are missing.");
    names = rows[0];
  });
  afterAll(() => app.drop());

  const asMine = (sql: string) =>
    withAgentTransaction(app.db, { schema: schemaName(names.m), role: roleName(names.m) }, (tx) =>
      tx.executeSql(sql, []),
    );
  const outcome = (answer: Promise<unknown>) =>
    answer.then(
      () => "allowed",
      (error: unknown) => sqlState(error) ?? String(error),
    );
  /**
   * Returns everything that a statement above could change: definitions, owners, grants, roles,
   * settings and rows of both agents.
   */
  const state = async (): Promise<Row | undefined> => {
    const { m, o, service } = names;
    const known = `('${m}', '${o}', '${service}')`;
    const { rows } = await app.db.executeSql(
      `SELECT (SELECT string_agg(concat_ws(' ', oid, relname, relnamespace, relowner, relacl, relrowsecurity, relhasrules, relhastriggers), E'\n' ORDER BY oid)
                 FROM pg_class WHERE relpersistence = 'p') AS relations,
              (SELECT string_agg(concat_ws(' ', nspname, nspowner, coalesce(nspacl, acldefault('n', nspowner))), E'\n' ORDER BY oid) FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp') AS schemas,
              (SELECT string_agg(concat_ws(' ', datname, datdba, coalesce(datacl, acldefault('d', datdba))), E'\n' ORDER BY oid) FROM pg_database WHERE datname IN (current_database(), 'intruder')) AS databases,
              (SELECT string_agg(r::text, E'\n' ORDER BY oid) FROM pg_roles r WHERE rolname IN ${known} OR rolname ~ 'intruder') AS roles,
              (SELECT count(*) FROM pg_auth_members WHERE member::regrole::text IN ${known} AND roleid::regrole::text IN ${known}) AS members,
              (SELECT count(*) FROM pg_proc) AS functions, (SELECT count(*) FROM pg_type WHERE typnamespace <> pg_my_temp_schema()) AS types,
              (SELECT count(*) FROM pg_trigger) AS triggers, (SELECT count(*) FROM pg_extension) AS extensions,
              (SELECT count(*) FROM pg_default_acl) AS defaults, (SELECT count(*) FROM pg_publication) AS publications,
              (SELECT count(*) FROM pg_db_role_setting WHERE setrole::regrole::text IN ${known}
                  OR (setrole = 0 AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database())))) AS settings,
              (SELECT string_agg(concat_ws(' ', lanname, coalesce(lanacl, acldefault('l', lanowner))), ' ') FROM pg_language) AS languages,
              (SELECT string_agg(f::text, ' ') FROM ${o}.files f) AS others, (SELECT string_agg(f::text, ' ') FROM ${m}.files f) AS own,
              (SELECT last_value FROM ${o}.files_id_seq) AS sequence, (SELECT last_value FROM ${m}.files_id_seq) AS own_sequence,
              (SELECT string_agg(a::text, ' ' ORDER BY id) FROM recollect.agents a) AS agents, (SELECT count(*) FROM recollect_jobs.job) AS jobs`,
    );
    return rows[0];
  };

  for (const [kind, statements] of Object.entries({ BY_OID, BY_TEXT, TABLES, DEFINITIONS, ROLES, SERVER }))
    test.each(titled(statements))(`${kind.toLowerCase()}: is refused %s`, async (_title, sql) => {
      const before = await state();
      expect(await outcome(asMine(sql(names)))).toBe(DENIED);
      expect(await state()).toEqual(before);
    });

  test.each(titled(ALONE))("alone: is refused %s", async (_title, sql) => {
    const session = app.url
      ? openPostgres({ connectionString: app.url, maxConnections: 1, onIdleError: () => undefined })
      : app.db;
    const before = await state();
    await session.executeSql(`SET ROLE ${names.m}`);
    const answer = await outcome(session.executeSql(sql(names)));
    await session.executeSql("RESET ROLE");
    if (session !== app.db) await session.close();
    expect(answer).toBe(DENIED);
    expect(await state()).toEqual(before);
  });

  test("may number a change of its own; the numbers have gaps anyway", async () => {
    expect(await outcome(asMine(`SELECT nextval('${names.m}.files_id_seq')`))).toBe("allowed");
  });

  test.each(titled(IN_VAIN))("in vain: %s changes nothing", async (_title, sql) => {
    const before = await state();
    expect(await outcome(asMine(sql(names)))).toBe("allowed");
    expect(await state()).toEqual(before);
  });

  test.each(["pg_trgm", "dblink", "postgres_fdw", "plpython3u"])("is refused the extension %s", async (name) => {
    const { rows } = await app.db.executeSql("SELECT 1 FROM pg_available_extensions WHERE name = $1", [name]);
    expect(await outcome(asMine(`CREATE EXTENSION ${name}`))).toBe(rows.length > 0 ? DENIED : NOT_AVAILABLE);
    const { rows: present } = await app.db.executeSql("SELECT 1 FROM pg_extension WHERE extname = $1", [name]);
    expect(present).toEqual([]);
  });

  test("there is no function that would run with another's rights", async () => {
    const { rows } = await app.db.executeSql("SELECT proname FROM pg_proc WHERE prosecdef");
    expect(rows).toEqual([]);
  });
});
