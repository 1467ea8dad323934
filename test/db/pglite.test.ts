import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database.ts";
import { openPglite } from "../../src/db/pglite.ts";

test("a start that fails before the thread runs gives the folder back", async () => {
  const folder = mkdtempSync(join(tmpdir(), "recollect-start-"));
  // A function cannot be sent to a thread.
  await expect(openPglite(folder, (() => "") as never)).rejects.toThrow("could not be cloned");
  await (await openPglite(folder)).close();
  rmSync(folder, { recursive: true });
});

describe("the embedded database's one session", () => {
  let db: Database;
  beforeAll(async () => {
    db = await openPglite();
    await db.executeSql("CREATE TABLE t (x int PRIMARY KEY)");
    await db.executeSql("INSERT INTO t VALUES (1)");
  });
  afterAll(() => db.close());

  test("is whole again before the next statement when a text with its own transaction fails", async () => {
    const results = await Promise.allSettled([
      db.executeSql("BEGIN; INSERT INTO t VALUES (1); COMMIT"),
      db.executeSql("SELECT 1 AS one"),
      db.transaction((tx) => tx.executeSql("INSERT INTO t VALUES (2)")),
      db.executeSql("BEGIN; INSERT INTO t VALUES (3); COMMIT"),
    ]);
    expect(results.map((result) => result.status)).toEqual(["rejected", "fulfilled", "fulfilled", "fulfilled"]);
    expect((await db.executeSql("SELECT x FROM t ORDER BY x")).rows).toEqual([{ x: 1 }, { x: 2 }, { x: 3 }]);
  });
});
