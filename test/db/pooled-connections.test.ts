import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SqlExecutor } from "../../src/db/database.ts";
import { type ArchiveApp, startArchiveApp } from "../support/archive-app.ts";

/**
 * Returns the state of a session. A pooler hands the connection on after every transaction, so this
 * state would reach another client and be missing in the next transaction.
 */
// Leaves out the time limits, because this transaction has some too. statement-limits.test.ts tests
// that a pooler's connections keep none.
async function sessionState(sql: SqlExecutor): Promise<Record<string, unknown>[]> {
  const { rows } = await sql.executeSql(
    `SELECT 'setting ' || name AS state FROM pg_settings
      WHERE source = 'session' AND name NOT IN ('application_name', 'client_encoding', 'client_min_messages', 'search_path', 'transaction_isolation', 'transaction_read_only', 'transaction_deferrable', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')
     UNION ALL SELECT 'a lock of the session' FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'
     UNION ALL SELECT 'the table ' || relname FROM pg_class WHERE relpersistence = 't' AND pg_table_is_visible(oid)
     UNION ALL SELECT 'the role ' || current_user WHERE current_user <> session_user`,
  );
  return rows;
}

describe("a connection of the pool", () => {
  let app: ArchiveApp;
  beforeAll(async () => {
    app = await startArchiveApp();
  });
  afterAll(() => app.drop());

  // With RECOLLECT_TEST_POOLER all tests run through a real pooler: see AGENTS.md.
  test("keeps nothing of the transactions that it had, so that a pooler may hand it on", async () => {
    await Promise.all(["a", "b", "c"].map((agent) => app.put("a.md", "A note of lanterns", agent)));
    await app.store("a", { text: "Mina likes tea" });
    await app.call("POST", "/v1/agents/a/sessions/slack:C1/messages", { messages: [{ role: "user", text: "Hello" }] });
    await app.rested();
    await Promise.all(["a", "b", "c"].map((agent) => app.search("lantern", {}, agent)));
    await app.import(await app.export("a", "?vectors=true"), "?as=d");
    await app.call("DELETE", "/v1/agents/b");
    await app.rested();
    // Takes all connections at once: each transaction waits with its connection until the last one
    // has a connection. A pooler may have fewer connections than the test's own pool.
    const most = process.env.RECOLLECT_TEST_POOLER ? 4 : 12;
    const wanted = app.db.kind === "postgres" ? most : 1;
    let [held, open] = [0, () => {}];
    const all = new Promise<void>((resolve) => {
      open = resolve;
    });
    const states = await Promise.all(
      Array.from({ length: wanted }, () =>
        app.db.transaction(async (tx) => {
          if (++held === wanted) open();
          await all;
          return sessionState(tx);
        }),
      ),
    );
    expect(states.flat()).toEqual([]);
  });
});
