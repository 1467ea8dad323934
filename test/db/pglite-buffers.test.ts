import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { databaseBytes } from "../../src/db/database-folder.ts";
import { buffersFor, openPglite } from "../../src/db/pglite.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "recollect-buffers-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const MB = 2 ** 20;

async function buffersOf(dataDir?: string): Promise<string | undefined> {
  const db = await openPglite(dataDir);
  try {
    const { rows } = await db.executeSql<{ shared_buffers: string }>("SHOW shared_buffers");
    return rows[0]?.shared_buffers;
  } finally {
    await db.close();
  }
}

test("a database has shared buffers by its size, within limits", () => {
  expect([0, 1 * MB, 20 * MB, 63.2 * MB, 500 * MB].map(buffersFor)).toEqual([32, 32, 40, 127, 128]);
});

test("a new database on disk and one in memory have few shared buffers, which are resident memory", async () => {
  expect(databaseBytes(folder)).toBe(0);
  expect(await buffersOf(folder)).toBe("32MB");
  expect(await buffersOf()).toBe("16MB");
});

test("a database that has grown has more of them when it is opened again", async () => {
  const db = await openPglite(folder);
  await db.executeSql(
    "CREATE TABLE grown AS SELECT repeat(md5(n::text), 60) AS text FROM generate_series(1, 12000) AS n",
  );
  await db.executeSql("CHECKPOINT");
  await db.close();
  const bytes = databaseBytes(folder);
  expect(bytes).toBeGreaterThan(20 * MB);
  expect(await buffersOf(folder)).toBe(`${buffersFor(bytes)}MB`);
});
