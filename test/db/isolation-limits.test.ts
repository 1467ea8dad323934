import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withAgentTransaction } from "../../src/db/agent/schema/agent-transaction.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import type { Database, Row } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/pg.ts";
import { sqlState } from "../../src/db/pg-error.ts";
import { openPglite } from "../../src/db/pglite.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const DENIED = "42501";

let app: TestApp;
let mine: string;
let other: string;
let service: string;
/** One connection, which a pool hands from one agent's transaction to the next. */
let session: Database;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
  await app.put("a.md", "My secret", "mine");
  await app.put("a.md", "Another secret", "other");
  const { rows } = await app.db.executeSql<{ id: string; schema: string; login: string }>(
    "SELECT id, schema_name AS schema, current_user AS login FROM recollect.agents ORDER BY id",
  );
  [mine, other] = ["mine", "other"].map((id) => rows.find((row) => row.id === id)?.schema ?? "") as [string, string];
  service = rows[0]?.login ?? "";
  session = app.url
    ? openPostgres({ connectionString: app.url, maxConnections: 1, onIdleError: () => undefined })
    : app.db;
});
afterAll(async () => {
  if (session !== app.db) await session.close();
  await app.drop();
});

async function asAgent<T = Row>(agent: string, sql: string, values: unknown[] = []): Promise<T[]> {
  const space = { schema: schemaName(agent), role: roleName(agent) };
  return (await withAgentTransaction(session, space, (tx) => tx.executeSql<T>(sql, values))).rows;
}
const asMine = <T = Row>(sql: string, values: unknown[] = []) => asAgent<T>(mine, sql, values);
const outcome = (answer: Promise<unknown>) =>
  answer.then(
    () => "allowed",
    (error: unknown) => sqlState(error) ?? String(error),
  );

describe("the service's login", () => {
  test("is no superuser on a server and has no right that lifts the checks", async () => {
    const { rows } = await app.db.executeSql(
      `SELECT rolsuper, rolbypassrls, rolreplication, pg_has_role(current_user, 'pg_read_all_data', 'MEMBER') AS reads_all
         FROM pg_roles WHERE rolname = current_user`,
    );
    const served = app.db.kind === "postgres";
    // PGlite has only its superuser: no other role could read the process's own memory.
    expect(rows[0]).toEqual({ rolsuper: !served, rolbypassrls: !served, rolreplication: !served, reads_all: !served });
  });

  test("has a role of each agent that cannot log in, owns nothing and is a member of nothing", async () => {
    const { rows } = await app.db.executeSql(
      `SELECT rolcanlogin, rolinherit, rolsuper, rolcreaterole, rolcreatedb,
              (SELECT count(*)::int FROM pg_class WHERE relowner = r.oid) AS owns,
              (SELECT count(*)::int FROM pg_auth_members WHERE member = r.oid) AS memberships
         FROM pg_roles r WHERE rolname IN ($1, $2)`,
      [mine, other],
    );
    const nothing = {
      rolcanlogin: false,
      rolinherit: false,
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
    };
    expect(rows).toEqual([1, 2].map(() => ({ ...nothing, owns: 0, memberships: 0 })));
  });
});

describe("the role does not show", () => {
  test("statistics, columns and sequences of another's tables", async () => {
    await app.db.executeSql(`ANALYZE ${other}.files; ANALYZE ${other}.lexemes; ANALYZE recollect.agents`);
    const schemas = `IN ('${other}', 'recollect', 'recollect_jobs')`;
    for (const view of ["pg_stats", "pg_stats_ext", "pg_stats_ext_exprs"])
      expect(await asMine(`SELECT * FROM ${view} WHERE schemaname ${schemas}`)).toEqual([]);
    for (const view of ["tables", "columns", "table_privileges", "table_constraints", "view_table_usage"])
      expect(await asMine(`SELECT * FROM information_schema.${view} WHERE table_schema ${schemas}`)).toEqual([]);
    expect(await asMine(`SELECT * FROM information_schema.schemata WHERE schema_name ${schemas}`)).toEqual([]);
    const sequences = await asMine(`SELECT DISTINCT last_value FROM pg_sequences WHERE schemaname ${schemas}`);
    expect(sequences).toEqual([{ last_value: null }]);
  });

  test("the text of anybody's statements, and no password", async () => {
    const activity = await asMine("SELECT query FROM pg_stat_activity WHERE datname = current_database()");
    expect(activity).toContainEqual({ query: "<insufficient privilege>" });
    expect(new Set(activity.map((row) => row.query)).size).toBe(1);
    expect(await asMine("SELECT statement FROM pg_prepared_statements")).toEqual([]);
    expect(await asMine("SELECT statement FROM pg_cursors")).toEqual([]);
    expect(await asMine("SELECT DISTINCT rolpassword FROM pg_roles")).toEqual([{ rolpassword: "********" }]);
  });

  test("another's text in a dump of all that it may read", async () => {
    const [dump] = await asMine<{ xml: string }>("SELECT database_to_xml(true, false, '')::text AS xml");
    expect(dump?.xml).toContain("My secret");
    expect(dump?.xml).not.toContain("Another secret");
  });

  test("anything through a search path: schemas that it may not use are passed over", async () => {
    expect(await outcome(asMine(`SET LOCAL search_path = ${other}, recollect; SELECT * FROM files`))).toBe("42P01");
    expect(await outcome(asMine(`SET LOCAL search_path = ${other}, recollect; SELECT * FROM agents`))).toBe("42P01");
  });
});

describe("what the role cannot stop", () => {
  test("ending its transaction or taking itself off in a block of code", async () => {
    const read = `SELECT content FROM ${other}.files`;
    for (const off of ["COMMIT", "ROLLBACK", "DO $$ BEGIN EXECUTE 'SET LOCAL ROLE NONE'; END $$"])
      expect(await asMine(`${off}; ${read}`)).toContainEqual({ content: "Another secret" });
  });

  test("a single expression that takes the role off and runs a text", async () => {
    const [row] = await asMine<{ words: string }>(
      `SELECT (SELECT set_config('role', 'none', true)) AS off,
              (SELECT string_agg(word, ' ') FROM ts_stat('SELECT keywords FROM ${other}.chunks_1')) AS words`,
    );
    expect(row?.words).toContain("secret");
  });

  test("but a parameter is a value, and a statement with parameters is one statement", async () => {
    const text = `x'; RESET ROLE; SELECT content FROM ${other}.files; --`;
    expect(await asMine("SELECT $1::text AS text", [text])).toEqual([{ text }]);
    expect(await outcome(asMine(`RESET ROLE; SELECT content FROM ${other}.files WHERE path = $1`, ["a.md"]))).toBe(
      "42601",
    );
  });

  test("another role of the session's login, which on a server is no superuser's", async () => {
    const whoAmI = async (role: string) =>
      (await asMine(`SET LOCAL ROLE ${role}; SELECT current_user`))[0]?.current_user;
    expect(await whoAmI(other)).toBe(other);
    expect(await whoAmI(`"${service}"`)).toBe(service);
    const raised = app.db.kind === "postgres" ? DENIED : "allowed";
    expect(await outcome(asMine("SET LOCAL ROLE pg_read_all_data"))).toBe(raised);
    expect(await outcome(asMine("SET LOCAL ROLE pg_execute_server_program"))).toBe(raised);
  });

  test("another session user on PGlite, for good: the process has to be started again", async () => {
    if (app.db.kind === "postgres") {
      expect(await outcome(asMine(`SET LOCAL SESSION AUTHORIZATION ${other}`))).toBe(DENIED);
      return;
    }
    const embedded = await openPglite();
    await embedded.executeSql("CREATE ROLE agent_a; CREATE ROLE agent_b");
    const space = { schema: schemaName("agent_a"), role: roleName("agent_a") };
    await withAgentTransaction(embedded, space, (tx) => tx.executeSql("SET LOCAL SESSION AUTHORIZATION agent_b"));
    expect((await embedded.executeSql("SELECT session_user AS name")).rows).toEqual([{ name: "agent_b" }]);
    await embedded.close();
  });

  test("names and sizes: catalogue, row counts, locks", async () => {
    const known = await app.db.executeSql<{ oid: string }>(`SELECT '${other}.files'::regclass::oid::text AS oid`);
    const oid = known.rows[0]?.oid;
    const [sizes] = await asMine(
      `SELECT relname AS name, reltuples AS rows, pg_relation_size(oid) > 0 AS bytes, pg_stat_get_live_tuples(oid) >= 0 AS live,
              (SELECT count(*) > 0 FROM pg_attribute WHERE attrelid = c.oid) AS columns FROM pg_class c WHERE oid = ${oid}`,
    );
    expect(sizes).toEqual({ name: "files", rows: 1, bytes: true, live: true, columns: true });
    expect(await asMine(`SELECT rolname FROM pg_roles WHERE rolname = '${other}'`)).toHaveLength(1);
    const [locks] = await asMine("SELECT count(*) > 0 AS shown FROM pg_locks");
    expect(locks).toEqual({ shown: true });
  });

  test("waiting in another's way: the lock of its schema, a wake-up of the queue, memory and time", async () => {
    const key = `hashtextextended('"${other}"', 0)`;
    expect(await asMine(`SELECT pg_try_advisory_xact_lock(${key}) AS held`)).toEqual([{ held: true }]);
    expect(await outcome(asMine("LISTEN anything; UNLISTEN anything"))).toBe("allowed");
    expect(await outcome(asMine("SET LOCAL statement_timeout = 0; SET LOCAL work_mem = '1GB'"))).toBe("allowed");
  });

  test("a search_path: no transaction of an agent takes the one that a statement has left behind", async () => {
    const usual = await asMine("SHOW search_path");
    await asMine("SET search_path = nowhere");
    expect(await asAgent(other, "SHOW search_path")).toEqual(usual);
    expect(await asMine("SHOW search_path")).toEqual(usual);
    await asMine("RESET search_path");
    // Postgres lets every role set its own defaults. They take effect at a login, and an agent's
    // role cannot log in.
    expect(await outcome(asMine(`ALTER ROLE ${mine} SET search_path = nowhere`))).toBe("allowed");
    expect(await asMine("SHOW search_path")).toEqual(usual);
    expect(await asMine("SELECT rolcanlogin FROM pg_roles WHERE rolname = current_user")).toEqual([
      { rolcanlogin: false },
    ]);
    expect(await outcome(asMine(`ALTER ROLE ${other} SET search_path = nowhere`))).not.toBe("allowed");
    await asMine(`ALTER ROLE ${mine} RESET ALL`);
  });

  test("what outlives its transaction on the connection: settings, session locks, temporary objects", async () => {
    await asMine("SET work_mem = '77MB'");
    expect(await asAgent(other, "SHOW work_mem")).toEqual([{ work_mem: "77MB" }]);
    await asMine("RESET work_mem");
    await asMine("SELECT pg_advisory_lock(7)");
    expect(await asAgent(other, "SELECT pg_advisory_unlock(7) AS held")).toEqual([{ held: true }]);
    // Unqualified names find temporary relations first, types included.
    await asMine("CREATE TEMP TABLE vector (x int)");
    expect(await outcome(asAgent(other, "SELECT '[1]'::vector"))).toBe("22P02");
    await asMine("DROP TABLE pg_temp.vector");
    // The failure is safe: the next transaction of the service is refused, not given access.
    await asMine(`SET ROLE ${mine}`);
    expect(await outcome(session.executeSql("SELECT * FROM recollect.agents"))).toBe(DENIED);
    await session.executeSql("RESET ROLE");
  });

  test("defaults and a password of its own, which open nothing", async () => {
    await asMine(`ALTER ROLE ${mine} PASSWORD 'known'; ALTER ROLE ${mine} SET work_mem = '1MB'`);
    if (app.url) {
      const url = new URL(app.url);
      [url.username, url.password] = [mine, "known"];
      const login = openPostgres({ connectionString: url.href, maxConnections: 1, onIdleError: () => undefined });
      expect(await outcome(login.executeSql("SELECT 1"))).toBe("28000");
      await login.close();
    }
    expect(await asMine("SELECT rolcanlogin FROM pg_roles WHERE rolname = current_user")).toEqual([
      { rolcanlogin: false },
    ]);
    await asMine(`ALTER ROLE ${mine} RESET ALL`);
  });
});

test("hardening: without TEMPORARY for PUBLIC an agent makes no temporary objects, the service still does", async () => {
  const [row] = (await session.executeSql<{ name: string }>("SELECT current_database() AS name")).rows;
  await session.executeSql(`REVOKE TEMPORARY ON DATABASE ${row?.name} FROM PUBLIC`);
  expect(await outcome(asMine("CREATE TEMP TABLE scratch (x int)"))).toBe(DENIED);
  expect(await outcome(asMine("CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql AS 'SELECT 1'"))).toBe(DENIED);
  expect(await outcome(session.executeSql("CREATE TEMP TABLE scratch (x int); DROP TABLE scratch"))).toBe("allowed");
});
