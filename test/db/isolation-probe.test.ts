import { afterAll, beforeAll, test } from "vitest";
import { withAgentTransaction } from "../../src/db/agent/agent-transaction.ts";
import { roleName, schemaName } from "../../src/db/agent/schema-name.ts";
import { sqlState } from "../../src/db/pg-error.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp; let m = ""; let o = ""; let svc = "";
beforeAll(async () => {
  app = await startTestApp({ worker: false });
  await app.put("a.md", "My secret", "mine");
  await app.put("a.md", "Another secret", "other");
  const { rows } = await app.db.executeSql<{ id: string; schema: string }>("SELECT id, schema_name AS schema FROM recollect.agents");
  m = rows.find((r) => r.id === "mine")?.schema ?? ""; o = rows.find((r) => r.id === "other")?.schema ?? "";
  svc = (await app.db.executeSql<{ u: string }>("SELECT current_user AS u")).rows[0]?.u ?? "";
});
afterAll(() => app.drop());
test("probe", async () => {
  const oid = (await app.db.executeSql<{ o: string }>(`SELECT '${o}.files'::regclass::oid::text AS o`)).rows[0]?.o;
  const seq = (await app.db.executeSql<{ o: string }>(`SELECT '${o}.files_id_seq'::regclass::oid::text AS o`)).rows[0]?.o;
  const gin = (await app.db.executeSql<{ o: string }>(`SELECT '${o}.chunks_1_keywords'::regclass::oid::text AS o`)).rows[0]?.o;
  const list = [
    `SELECT nextval(${seq}::oid::regclass)`, `SELECT currval(${seq}::oid::regclass)`, `SELECT setval(${seq}::oid::regclass, 9)`,
    `SELECT pg_sequence_last_value(${seq}::oid)`, `SELECT last_value FROM pg_sequences WHERE schemaname='${o}'`,
    `SELECT nextval('${m}.files_id_seq')`, `SELECT setval('${m}.files_id_seq', 1)`, `SELECT lastval()`,
    `SELECT table_to_xml(${oid}::oid::regclass, true,false,'')`, `SELECT query_to_xml('SELECT * FROM ${o}.files',true,false,'')`,
    `SELECT schema_to_xml('${o}',true,false,'')`, `SELECT length(database_to_xml(true,false,'')::text) AS l`,
    `SELECT * FROM ts_stat('SELECT keywords FROM ${o}.chunks_1')`, `SELECT ts_rewrite('a'::tsquery, 'SELECT ''a''::tsquery, content::tsquery FROM ${o}.files')`,
    `SELECT pg_relation_size(${oid}::oid) AS x`, `SELECT pg_relation_size('${o}.files') AS x`, `SELECT pg_stat_get_live_tuples(${oid}) AS x`, `SELECT reltuples FROM pg_class WHERE oid=${oid}`,
    `SELECT n_tup_ins FROM pg_stat_all_tables WHERE relid=${oid}`,
    `SELECT gin_clean_pending_list(${gin}::oid::regclass)`, `SELECT pg_get_indexdef(${gin}::oid)`,
    `SELECT count(*) FROM pg_attribute WHERE attrelid=${oid}`,
    `TABLE ${o}.files`, `MERGE INTO ${o}.files f USING (SELECT 1) x ON false WHEN NOT MATCHED THEN DO NOTHING`,
    `COPY ${o}.files FROM STDIN`, `COPY ${m}.files TO '/tmp/stolen'`, `ANALYZE ${o}.files`, `ANALYZE ${m}.files`, `REINDEX TABLE ${o}.files`, `REFRESH MATERIALIZED VIEW ${o}.files`, `CLUSTER ${o}.files`,
    `SELECT has_table_privilege(${oid}::oid,'select') AS x`,
    `CREATE TRIGGER t BEFORE UPDATE ON ${m}.files FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
    `ALTER TABLE ${m}.files DISABLE TRIGGER ALL`, `ALTER TABLE ${m}.files ENABLE ROW LEVEL SECURITY`, `CREATE STATISTICS ${m}.s ON path, name FROM ${m}.files`,
    `COMMENT ON TABLE ${m}.files IS 'x'`, `CREATE PROCEDURE ${m}.p() LANGUAGE sql AS 'SELECT 1'`, `CREATE AGGREGATE ${m}.a(int) (sfunc=int4pl, stype=int)`,
    `CREATE OPERATOR ${m}.=== (function=int4eq, leftarg=int, rightarg=int)`, `CREATE CAST (text AS int) WITH INOUT`, `CREATE COLLATION ${m}.c FROM "C"`,
    `CREATE TEXT SEARCH CONFIGURATION ${m}.c (COPY=simple)`, `CREATE TYPE ${m}.e AS ENUM ('a')`, `CREATE TABLE public.t (x int)`,`CREATE TABLE recollect.t (x int)`,
    `SELECT * INTO ${m}.copied FROM ${m}.files`, `CREATE TABLE ${m}.t AS TABLE ${m}.files`,
    `CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE c AS '/tmp/x.so'`, `CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE internal AS 'x'`, `CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE plpython3u AS 'x'`,
    `CREATE FUNCTION pg_temp.f() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM ${o}.files'; SELECT pg_temp.f()`,
    `CREATE FUNCTION pg_temp.f2() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN RETURN (SELECT count(*) FROM ${o}.files); END $$; SELECT pg_temp.f2()`,
    `CREATE LANGUAGE plpython3u`, `CREATE EXTENSION dblink`, `CREATE EXTENSION postgres_fdw`, `CREATE EXTENSION pg_trgm`, `DROP EXTENSION vector CASCADE`, `ALTER EXTENSION vector UPDATE`, `ALTER EXTENSION vector SET SCHEMA ${m}`,
    `CREATE FOREIGN DATA WRAPPER x`, `CREATE PUBLICATION p`, `CREATE PUBLICATION p FOR TABLE ${m}.files`, `CREATE SUBSCRIPTION s CONNECTION 'host=x' PUBLICATION p WITH (connect=false)`,
    `SELECT pg_create_physical_replication_slot('x')`, `SELECT pg_logical_emit_message(true,'a','b')`, `CREATE ACCESS METHOD a TYPE INDEX HANDLER bthandler`, `CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
    `ALTER SCHEMA ${m} OWNER TO ${m}`, `ALTER SCHEMA ${o} RENAME TO x`, `ALTER TABLE ${m}.files SET SCHEMA public`, `ALTER TABLE ${m}.files RENAME TO x`, `DROP SCHEMA recollect CASCADE`, `DROP SCHEMA public CASCADE`, `CREATE SCHEMA AUTHORIZATION ${m}`,
    `GRANT USAGE ON SCHEMA ${o} TO ${m}`, `GRANT USAGE ON SCHEMA ${m} TO ${o}`, `GRANT SELECT ON ${m}.files TO ${o}`, `GRANT SELECT ON ${m}.files TO PUBLIC`, `GRANT SELECT ON ALL TABLES IN SCHEMA ${o} TO ${m}`, `REVOKE SELECT ON ${m}.files FROM ${m}`, `REVOKE ALL ON SCHEMA ${o} FROM ${o}`,
    `GRANT CREATE ON SCHEMA ${m} TO ${m}`, `GRANT CREATE ON DATABASE postgres TO ${m}`,
    `ALTER DEFAULT PRIVILEGES FOR ROLE ${o} GRANT SELECT ON TABLES TO ${m}`, `ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC; SELECT 1`,
    `REASSIGN OWNED BY ${o} TO ${m}`, `DROP OWNED BY ${o}`,
    `CREATE ROLE intr LOGIN`, `CREATE USER intr`, `ALTER ROLE ${svc} SUPERUSER`, `ALTER ROLE ${svc} SET search_path='x'`, `GRANT ${svc} TO ${m}`, `GRANT pg_read_all_data TO ${m}`, `GRANT ${m} TO ${o}`, `REVOKE ${o} FROM ${svc}`, `DROP ROLE ${m}`, `ALTER ROLE ${m} LOGIN`, `ALTER ROLE ${m} RENAME TO x`, `COMMENT ON ROLE ${m} IS 'x'`,
    `ALTER ROLE ${m} PASSWORD 'x'`, `ALTER ROLE ${m} SET search_path='x'`, `ALTER ROLE ${m} RESET ALL`, `ALTER ROLE ALL SET work_mem='1MB'`,
    `SET LOCAL ROLE postgres`, `SET LOCAL ROLE pg_read_all_data`, `SET LOCAL ROLE ${svc}; SELECT current_user`, ...(app.db.kind === "pglite" ? [] : []), `SET LOCAL SESSION AUTHORIZATION DEFAULT; SELECT current_user`,
    `DO $$ BEGIN EXECUTE 'SET LOCAL ROLE NONE'; END $$; SELECT current_user`,
    `SET LOCAL session_replication_role = replica`, `SET LOCAL lo_compat_privileges = on`, `SET LOCAL log_statement='none'`, `LOAD '/tmp/x.so'`, `SET LOCAL dynamic_library_path='/tmp'`, `SET LOCAL row_security = off`, `SET LOCAL work_mem='1GB'; SHOW work_mem`, `SET LOCAL statement_timeout=0`, `SHOW data_directory`, `SHOW hba_file`,
    `SELECT count(*) FROM pg_settings`,
    `ALTER DATABASE template1 SET search_path='x'`, `DO $$ BEGIN EXECUTE 'ALTER DATABASE "' || current_database() || '" SET search_path = x'; END $$`, `DO $$ BEGIN EXECUTE 'COMMENT ON DATABASE "' || current_database() || '" IS ''x'''; END $$`,
    `SELECT lo_import('/etc/passwd')`, `SELECT lo_export(1,'/tmp/x')`, `SELECT count(*) FROM pg_largeobject`, `SELECT count(*) FROM pg_largeobject_metadata`,
    `SELECT pg_read_file('/etc/passwd')`, `SELECT pg_read_binary_file('/etc/passwd')`, `SELECT pg_stat_file('/etc/passwd')`, `SELECT pg_ls_dir('/')`, `SELECT pg_ls_logdir()`, `SELECT pg_ls_waldir()`, `SELECT pg_ls_tmpdir()`, `SELECT pg_current_logfile()`,
    `SELECT pg_hba_file_rules()`, `SELECT * FROM pg_hba_file_rules`, `SELECT * FROM pg_file_settings`, `SELECT pg_reload_conf()`, `SELECT pg_rotate_logfile()`, `SELECT pg_switch_wal()`, `SELECT pg_create_restore_point('x')`, `SELECT pg_backup_start('x')`, `SELECT pg_promote()`, `CHECKPOINT`, `SELECT pg_stat_reset()`,
    `SELECT pg_log_backend_memory_contexts(pg_backend_pid())`, `SELECT * FROM pg_backend_memory_contexts LIMIT 1`, `SELECT * FROM pg_shmem_allocations LIMIT 1`, `SELECT * FROM pg_config`,
    `SELECT pg_terminate_backend(pg_backend_pid())`, `SELECT pg_cancel_backend(pg_backend_pid())`,
    `SELECT * FROM pg_authid`, `SELECT * FROM pg_shadow`, `SELECT * FROM pg_statistic`, `SELECT * FROM pg_statistic_ext_data`, `SELECT * FROM pg_user_mapping`, `SELECT count(*) FROM pg_stats WHERE schemaname='${o}'`,
    `SELECT DISTINCT query FROM pg_stat_activity`, `SELECT pid, usename, application_name, query, client_addr FROM pg_stat_activity WHERE datname=current_database() LIMIT 3`,
    `SELECT count(*) FROM pg_prepared_statements`, `SELECT count(*) FROM pg_cursors`, `SELECT count(*) FROM pg_locks`, `SELECT rolpassword FROM pg_roles WHERE rolpassword IS NOT NULL LIMIT 1`,
    `SELECT count(*) FROM information_schema.columns WHERE table_schema='${o}'`, `SELECT count(*) FROM information_schema.schemata WHERE schema_name='${o}'`, `SELECT count(*) FROM pg_tables WHERE schemaname='${o}'`,
    `PREPARE TRANSACTION 'x'`, `COMMIT; SELECT current_user`, `ROLLBACK; SELECT current_user`,
    `SELECT (SELECT set_config('role','none',true)), (SELECT count(*) FROM ts_stat('SELECT keywords FROM ${o}.chunks_1'))`,
    `SELECT set_config('role','none',true), content FROM ${o}.files`,
    `SET LOCAL search_path=${o}; SELECT * FROM files`, `SELECT content FROM files`, `SHOW search_path`,
    `SELECT count(*) AS x FROM pg_proc WHERE prosecdef`,
    `SELECT pg_advisory_lock(1)`, `SELECT pg_notify('pgboss','x')`, `LISTEN x`, `UNLISTEN *`, `SELECT pg_notification_queue_usage()`,
    `EXPLAIN SELECT * FROM ${m}.files`, `EXPLAIN SELECT * FROM ${o}.files`, `SELECT 1 FROM ${o}.files WHERE false`, `SELECT NULL::${o}.files`, `SELECT ${oid}::regclass::text AS x`,
    `DROP OWNED BY ${m}; SELECT count(*) FROM ${m}.files`,
  ];
  const out: string[] = [];
  for (const sql of list) {
    const shown = sql.replaceAll(m, "MINE").replaceAll(o, "OTHER");
    class Roll extends Error {}
    let result = "";
    try {
      await withAgentTransaction(app.db, { schema: schemaName(m), role: roleName(m) }, async (tx) => {
        const { rows } = await tx.executeSql(sql, []);
        result = `ok ${JSON.stringify(rows).slice(0, 200)}`;
        throw new Roll();
      });
    } catch (e) { if (!(e instanceof Roll)) result = `${sqlState(e)} ${(e as Error).message}`; }
    out.push(`${result.slice(0, 160)}   <- ${shown.slice(0,130)}`);
  }
  process.stdout.write(out.join("\n") + "\n");
});
