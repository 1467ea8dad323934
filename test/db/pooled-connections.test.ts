import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SqlExecutor } from "../../src/db/database.ts";
import { type ArchiveApp, startArchiveApp } from "../support/archive-app.ts";

/** What would be another client's on a connection that a pooler hands on after every transaction, and missing on the next. */
// Not the time limits, which this transaction has too; that a pooler's connections keep none is held by statement-limits.test.ts.
async function sessionState(sql: SqlExecutor): Promise<Record<string, unknown>[]> {
  const { rows } = await sql.executeSql(
    `SELECT 'setting ' || name AS state FROM pg_settings
      WHERE source = 'session' AND name NOT IN ('application_name', 'client_encoding', 'client_min_messages', 'search_path', 'transaction_isolation', 'transaction_read_only', 'transaction_deferrable', 'statement_timeout', 'idle_in_transaction_session_timeout')
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

  // The tests at large run through a real pooler with RECOLLECT_TEST_POOLER: see AGENTS.md.
  test("keeps nothing of the transactions that it had, so that a pooler may hand it on", async () => {
    await Promise.all(["a", "b", "c"].map((agent) => app.put("a.md", "A note of lanterns", agent)));
    await app.store("a", { text: "Mina likes tea" });
    await app.call("POST", "/v1/agents/a/sessions/slack:C1/messages", { messages: [{ role: "user", text: "Hello" }] });
    await app.rested();
    await Promise.all(["a", "b", "c"].map((agent) => app.search("lantern", {}, agent)));
    await app.import(await app.export("a", "?vectors=true"), "?as=d");
    await app.call("DELETE", "/v1/agents/b");
    await app.rested();
    // All of them at once: each waits with its connection until the last has one.
    // A pooler may have fewer than the test's own pool.
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
