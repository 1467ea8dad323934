import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withAgentReads, withAgentTransaction } from "../../src/db/agent/schema/agent-transaction.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import { sqlState } from "../../src/db/pg-error.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const DENIED = "42501";

/**
 * Actions that an agent's role must not be able to do, by kind of object. `m` is the agent's own
 * schema, `o` another agent's.
 */
type Hostile = readonly (readonly [what: string, sql: (m: string, o: string) => string])[];

const TABLES: Hostile = [
  ["another agent's files", (_, o) => `SELECT * FROM ${o}.files`],
  ["another agent's chunks", (_, o) => `SELECT * FROM ${o}.chunks_1`],
  ["another agent's vectors", (_, o) => `SELECT * FROM ${o}.vectors_1`],
  ["another agent's words", (_, o) => `SELECT * FROM ${o}.lexemes`],
  ["a join of its own with another's", (m, o) => `SELECT * FROM ${m}.files JOIN ${o}.files USING (path)`],
  ["a subquery in a filter", (m, o) => `SELECT path FROM ${m}.files WHERE EXISTS (SELECT 1 FROM ${o}.files)`],
  ["an insert", (_, o) => `INSERT INTO ${o}.lexemes VALUES (1, 'x', 1)`],
  ["an update", (_, o) => `UPDATE ${o}.files SET content = 'x'`],
  ["a deletion", (_, o) => `DELETE FROM ${o}.files`],
  ["a truncation", (_, o) => `TRUNCATE ${o}.files CASCADE`],
  ["a truncation of its own", (m) => `TRUNCATE ${m}.files CASCADE`],
  ["a lock", (_, o) => `LOCK TABLE ${o}.files IN ACCESS EXCLUSIVE MODE`],
  ["a copy", (_, o) => `COPY ${o}.files TO STDOUT`],
  ["a whole row as a value", (_, o) => `SELECT f FROM ${o}.files f`],
  ["a plan, which shows how many rows there are", (_, o) => `EXPLAIN SELECT * FROM ${o}.files`],
  ["a dump as XML", (_, o) => `SELECT table_to_xml('${o}.files', true, false, '')`],
  ["a cursor", (_, o) => `DECLARE c CURSOR FOR SELECT * FROM ${o}.files`],
  ["a prepared statement", (_, o) => `PREPARE spy AS SELECT * FROM ${o}.files; EXECUTE spy`],
  ["an anonymous block", (_, o) => `DO $$ BEGIN PERFORM * FROM ${o}.files; END $$`],
  ["a table of its own", (m) => `CREATE TABLE ${m}.extra (id int)`],
  ["a change of its own tables", (m) => `ALTER TABLE ${m}.files ADD COLUMN extra int`],
  ["the removal of its own tables", (m) => `DROP TABLE ${m}.files CASCADE`],
  ["a change of another's tables", (_, o) => `ALTER TABLE ${o}.files DROP COLUMN content`],
];

const SERVICE: Hostile = [
  ["tenants", () => "SELECT * FROM recollect.tenants"],
  ["API keys", () => "SELECT * FROM recollect.api_keys"],
  ["a key of its own making", () => "INSERT INTO recollect.api_keys (id) VALUES (gen_random_uuid())"],
  ["agents", () => "SELECT * FROM recollect.agents"],
  ["its own limits", () => "UPDATE recollect.agents SET limits = '{}'"],
  ["usage", () => "UPDATE recollect.usage SET files = 0"],
  ["the audit log", () => "DELETE FROM recollect.audit_log"],
  ["receipts", () => "SELECT * FROM recollect.erasure_receipts"],
  ["bindings", () => "SELECT * FROM recollect.bindings"],
  ["rate limits", () => "DELETE FROM recollect.rate_limits"],
  ["the embedding cache", () => "SELECT * FROM recollect.embedding_cache"],
  ["the migrations' record", () => "SELECT * FROM recollect.control_migrations"],
  ["jobs", () => "SELECT * FROM recollect_jobs.job"],
  ["a job of its own making", () => "INSERT INTO recollect_jobs.job (name) VALUES ('embed')"],
  ["queues", () => "SELECT * FROM recollect_jobs.queue"],
  ["pg-boss's functions", () => "SELECT recollect_jobs.create_queue('x', '{}')"],
];

const OBJECTS: Hostile = [
  ["a function in its schema", (m) => `CREATE FUNCTION ${m}.f() RETURNS int LANGUAGE sql AS 'SELECT 1'`],
  ["a function in public", () => "CREATE FUNCTION public.f() RETURNS int LANGUAGE sql AS 'SELECT 1'"],
  ["a function in another's schema", (_, o) => `CREATE FUNCTION ${o}.f() RETURNS int LANGUAGE sql AS 'SELECT 1'`],
  ["a sequence in its schema", (m) => `CREATE SEQUENCE ${m}.s`],
  ["another's sequence, read", (_, o) => `SELECT last_value FROM ${o}.files_id_seq`],
  ["another's sequence, advanced", (_, o) => `SELECT nextval('${o}.files_id_seq')`],
  ["another's sequence, set", (_, o) => `SELECT setval('${o}.files_id_seq', 1)`],
  ["a view in its schema", (m) => `CREATE VIEW ${m}.v AS SELECT 1 AS x`],
  ["a view in public over another's table", (_, o) => `CREATE VIEW public.v AS SELECT * FROM ${o}.files`],
  ["a materialized view", (m) => `CREATE MATERIALIZED VIEW ${m}.v AS SELECT 1 AS x`],
  ["a type", (m) => `CREATE TYPE ${m}.t AS (x int)`],
  ["a domain", (m) => `CREATE DOMAIN ${m}.d AS int`],
  ["an index on its own table", (m) => `CREATE INDEX spy ON ${m}.files (content_hash)`],
  ["a policy", (m) => `CREATE POLICY p ON ${m}.files USING (true)`],
  ["a rule on its own table", (m) => `CREATE RULE r AS ON INSERT TO ${m}.files DO NOTHING`],
  ["a schema", () => "CREATE SCHEMA intruder"],
  ["the removal of another's schema", (_, o) => `DROP SCHEMA ${o} CASCADE`],
  ["the removal of its own schema", (m) => `DROP SCHEMA ${m} CASCADE`],
  ["another name for its schema", (m) => `ALTER SCHEMA ${m} RENAME TO stolen`],
  ["ownership of its own table", (m) => `ALTER TABLE ${m}.files OWNER TO ${m}`],
  ["a table moved to another schema", (m, o) => `ALTER TABLE ${o}.files SET SCHEMA ${m}`],
  ["a grant of another's table", (m, o) => `GRANT SELECT ON ${o}.files TO ${m}`],
  ["an untrusted language", () => "CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE c AS '/tmp/x.so'"],
  ["an event trigger", () => "CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION pg_notify()"],
  ["a publication", () => "CREATE PUBLICATION p FOR ALL TABLES"],
];

const CLUSTER: Hostile = [
  ["a new role", () => "CREATE ROLE agent_intruder"],
  ["another's role, changed", (_, o) => `ALTER ROLE ${o} LOGIN`],
  ["its own role, raised", (m) => `ALTER ROLE ${m} SUPERUSER`],
  ["membership of another's role", (m, o) => `GRANT ${o} TO ${m}`],
  ["the removal of a role", (_, o) => `DROP ROLE ${o}`],
  ["a setting of the database", () => "ALTER DATABASE postgres SET search_path = 'x'"],
  ["a program on the server", () => "COPY (SELECT 1) TO PROGRAM 'id'"],
  ["a program as a source", (m) => `COPY ${m}.lexemes FROM PROGRAM 'id'`],
  ["a file of the server, read", (m) => `COPY ${m}.lexemes FROM '/etc/passwd'`],
  ["a file of the server, written", (m) => `COPY ${m}.files TO '/tmp/stolen'`],
  ["pg_read_file", () => "SELECT pg_read_file('/etc/passwd')"],
  ["pg_ls_dir", () => "SELECT pg_ls_dir('/')"],
  ["a file as a large object", () => "SELECT lo_import('/etc/passwd')"],
  ["a large object as a file", () => "SELECT lo_export(1, '/tmp/stolen')"],
  ["password hashes", () => "SELECT * FROM pg_authid"],
  ["the text of subscriptions", () => "SELECT subconninfo FROM pg_subscription"],
];

describe("an agent's role", () => {
  let app: TestApp;
  let mine: string;
  let other: string;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    await app.put("a.md", "My secret", "mine");
    await app.put("a.md", "Another secret", "other");
    const { rows } = await app.db.executeSql<{ id: string; schema: string }>(
      "SELECT id, schema_name AS schema FROM recollect.agents",
    );
    mine = rows.find((row) => row.id === "mine")?.schema ?? "";
    other = rows.find((row) => row.id === "other")?.schema ?? "";
  });
  afterAll(() => app.drop());

  const asMine = <T>(sql: string) =>
    withAgentTransaction(app.db, { schema: schemaName(mine), role: roleName(mine) }, (tx) => tx.executeSql<T>(sql, []));
  const refusal = (sql: string) =>
    asMine(sql).then(
      () => "allowed",
      (error: unknown) => sqlState(error) ?? String(error),
    );
  const state = async () => {
    const { rows } = await app.db.executeSql(
      `SELECT (SELECT count(*) FROM pg_class) AS relations, (SELECT count(*) FROM pg_roles) AS roles, (SELECT count(*) FROM pg_proc) AS functions,
              (SELECT content FROM ${other}.files) AS content, (SELECT count(*) FROM recollect.agents) AS agents,
              (SELECT last_value FROM ${other}.files_id_seq) AS sequence, (SELECT count(*) FROM recollect_jobs.job) AS jobs`,
    );
    // Roles belong to the whole server, on which other tests make roles too.
    return { ...rows[0], roles: 0 };
  };

  test("reads its own memory", async () => {
    expect((await asMine(`SELECT content FROM ${mine}.files`)).rows).toEqual([{ content: "My secret" }]);
  });

  for (const [kind, statements] of Object.entries({ TABLES, SERVICE, OBJECTS, CLUSTER })) {
    test.each(statements)(`${kind.toLowerCase()}: is refused %s`, async (_what, sql) => {
      const before = await state();
      expect(await refusal(sql(mine, other))).toBe(DENIED);
      expect(await state()).toEqual(before);
    });
  }

  test("a statement that another agent's transaction prepared on the connection is refused all the same", async () => {
    const read = (schema: string, role: string) =>
      withAgentTransaction(app.db, { schema: schemaName(schema), role: roleName(role) }, (tx) =>
        tx.executeSql(`SELECT content FROM ${schema}.files WHERE path = $1`, ["a.md"], { prepare: true }),
      );
    for (let i = 0; i < 3; i++) expect((await read(other, other)).rows).toEqual([{ content: "Another secret" }]);
    const refused = { code: "database_unavailable", cause: { code: DENIED } };
    await expect(read(other, mine)).rejects.toMatchObject(refused);
  });

  test("a role that a connection may not take yet is taken as soon as it may", async () => {
    const space = { schema: schemaName(mine), role: roleName(mine) };
    const name = `SELECT content FROM ${mine}.files`;
    const both = () =>
      Promise.all([
        withAgentTransaction(app.db, space, async (tx) => (await tx.executeSql(name)).rows),
        withAgentReads(app.db, space, async (tx) => (await tx.executeSql(name)).rows),
      ]);
    await app.db.executeSql(`REVOKE ${space.role} FROM CURRENT_USER`);
    const early = both();
    await app.db.executeSql(`GRANT ${space.role} TO CURRENT_USER`);
    expect(await early).toEqual([[{ content: "My secret" }], [{ content: "My secret" }]]);
  });

  test("when it cannot be taken, no statement that was sent with it answers", async () => {
    const space = { schema: schemaName(mine), role: roleName("agent_ffffffffffff") };
    const answers: unknown[] = [];
    const reading = withAgentReads(app.db, space, (tx) =>
      Promise.all(
        ["SELECT 1", `SELECT content FROM ${mine}.files`].map(async (sql) => answers.push(await tx.executeSql(sql))),
      ),
    );
    await expect(reading).rejects.toBeDefined();
    expect(answers).toEqual([]);
  });

  test("in a transaction that reads is refused another's tables, and to write its own", async () => {
    const space = { schema: schemaName(mine), role: roleName(mine) };
    const reading = (sql: string) => withAgentReads(app.db, space, (tx) => tx.executeSql(sql));
    await expect(reading(`SELECT * FROM ${other}.files`)).rejects.toMatchObject({ code: DENIED });
    await expect(reading(`UPDATE ${mine}.files SET content = 'x'`)).rejects.toBeDefined();
    expect((await reading(`SELECT content FROM ${mine}.files`)).rows).toEqual([{ content: "My secret" }]);
  });

  test("a search path leads nowhere: what is not its own stays refused", async () => {
    expect(await refusal(`SET LOCAL search_path = ${other}, recollect; SELECT * FROM lexemes`)).not.toBe("allowed");
    const { rows } = await app.db.executeSql<{ path: string }>("SHOW search_path");
    expect(JSON.stringify(rows)).not.toContain(other);
  });

  test("statistics of another's table are not shown", async () => {
    await app.db.executeSql(`ANALYZE ${other}.files`);
    expect((await asMine(`SELECT * FROM pg_stats WHERE schemaname = '${other}'`)).rows).toEqual([]);
    const { rows } = await asMine(`SELECT * FROM information_schema.tables WHERE table_schema = '${other}'`);
    expect(rows).toEqual([]);
  });

  test("leaves nothing behind on the connection", async () => {
    await asMine("SELECT 1");
    const { rows } = await app.db.executeSql<{ name: string }>("SELECT current_user AS name");
    expect(rows[0]?.name).not.toBe(mine);
  });

  describe("cannot be kept from (docs/ISOLATION.md)", () => {
    test("taking its role off: SQL that it was given must never be run", async () => {
      for (const off of ["RESET ROLE", "SET LOCAL ROLE NONE", "SELECT set_config('role', 'none', true)"])
        expect((await asMine(`${off}; SELECT content FROM ${other}.files`)).rows).toContainEqual({
          content: "Another secret",
        });
      expect((await asMine(`SET LOCAL ROLE ${other}; SELECT content FROM ${other}.files`)).rows).toHaveLength(1);
    });

    test("names in the catalogue, which say nothing of tenants and agents", async () => {
      const { rows } = await asMine<{ name: string }>("SELECT nspname AS name FROM pg_namespace");
      expect(rows).toContainEqual({ name: other });
      expect(other).toMatch(/^agent_[0-9a-f]{12}$/);
    });

    test("temporary tables and large objects of its own, which others cannot read", async () => {
      expect(await refusal("CREATE TEMP TABLE scratch (x int) ON COMMIT DROP")).toBe("allowed");
      const { rows } = await asMine<{ id: number }>("SELECT lo_from_bytea(0, 'secret') AS id");
      const asOther = withAgentTransaction(app.db, { schema: schemaName(other), role: roleName(other) }, (tx) =>
        tx.executeSql(`SELECT lo_get(${rows[0]?.id})`, []),
      );
      expect(sqlState(await asOther.catch((error: unknown) => error))).toBe(DENIED);
      await asMine(`SELECT lo_unlink(${rows[0]?.id})`);
    });

    test("taking advisory locks, notifying and sleeping", async () => {
      expect(await refusal("SELECT pg_advisory_xact_lock(1)")).toBe("allowed");
      expect(await refusal("SELECT pg_notify('anything', '')")).toBe("allowed");
      expect(await refusal("SELECT pg_sleep(0)")).toBe("allowed");
    });
  });
});
