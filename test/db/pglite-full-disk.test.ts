import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database.ts";
import { openPglite } from "../../src/db/pglite.ts";
import { prepareDatabase } from "../../src/db/prepare-database.ts";
import { makeSmallDisk, needsSmallDisk, type SmallDisk } from "../support/small-disk.ts";

const MEGABYTE = 2 ** 20;

describe("the embedded database on a disk that fills up", needsSmallDisk(), () => {
  let disk: SmallDisk;
  let folder: string;
  beforeEach(() => {
    disk = makeSmallDisk(160);
    folder = join(disk.folder, "data");
  });
  afterEach(() => disk.remove());

  const insert = async (db: Database, kilobytes: number) => {
    const sql = "INSERT INTO notes (bytes) SELECT repeat('x', 1000) FROM generate_series(1, $1::int) RETURNING id";
    const { rows } = await db.transaction((tx) => tx.executeSql<{ id: number }>(sql, [kilobytes]));
    return rows.map(({ id }) => id);
  };
  const makeNotes = (db: Database) =>
    db.executeSql(
      "CREATE TABLE notes (id serial PRIMARY KEY, bytes text); ALTER TABLE notes ALTER bytes SET STORAGE PLAIN",
    );
  const storedIds = async (db: Database) =>
    (await db.executeSql<{ id: number }>("SELECT id FROM notes ORDER BY id")).rows.map(({ id }) => id);

  test("writes are refused before there is no room for its log, reads go on, and writes are taken when there is room", async () => {
    const db = await openPglite(folder);
    await makeNotes(db);
    const acknowledged = await insert(db, 100);
    disk.fill(0);
    const writes = [
      () => insert(db, 1),
      () => db.executeSql("INSERT INTO notes (bytes) VALUES ('x')"),
      () => db.executeSql("BEGIN; INSERT INTO notes (bytes) VALUES ('x'); COMMIT"),
      () => db.executeSql("CREATE TABLE more (x int)"),
    ];
    await expect(db.executeSql("DELETE FROM notes WHERE false")).rejects.toThrow(/disk is full/);
    for (const write of writes) await expect(write()).rejects.toMatchObject({ code: "database_full" });
    expect(await db.transaction((tx) => storedIds({ ...db, ...tx }))).toEqual(acknowledged);
    disk.empty();
    expect(await insert(db, 1)).toHaveLength(1);
    await db.close();
  });

  test("a start without room says that it needs some, and succeeds when there is room", async () => {
    const db = await openPglite(folder);
    const start = () => prepareDatabase(db, new Date(), () => undefined);
    await start();
    disk.fill(0);
    await expect(start()).rejects.toMatchObject({
      code: "database_full",
      message: expect.stringContaining("Recollect cannot start until the operator has made room"),
    });
    disk.empty();
    await start();
    await db.close();
  });

  test("a transaction that writes more than there was room for is refused whole", async () => {
    const db = await openPglite(folder);
    await makeNotes(db);
    disk.fill(60 * MEGABYTE);
    const grow = db.transaction(async (tx) => {
      const sql = "INSERT INTO notes (bytes) SELECT repeat('x', 1000) FROM generate_series(1, 2000)";
      for (let i = 0; i < 60; i++) await tx.executeSql(sql);
    });
    await expect(grow).rejects.toMatchObject({ code: "database_full" });
    expect(disk.freeBytes()).toBeGreaterThan(8 * MEGABYTE);
    expect(await storedIds(db)).toEqual([]);
    await db.close();
  });

  test("one that ends without room for its log answers all who wait, and is opened again with all that it acknowledged", async () => {
    const causes: Error[] = [];
    const db = await openPglite(folder, undefined, (error) => causes.push(error));
    const heard: string[] = [];
    let connected = 0;
    const listening = await db.listen(
      "news",
      (payload) => heard.push(payload),
      () => void connected++,
    );
    await makeNotes(db);
    const acknowledged = await insert(db, 100);
    disk.fill(40 * MEGABYTE);
    // A single statement that writes nothing but log, between two checks of the disk.
    const tooMuch = db.executeSql(
      "SELECT pg_logical_emit_message(false, 'x', repeat('x', 1000000)) FROM generate_series(1, 100)",
    );
    const behind = [db.executeSql("SELECT 1"), insert(db, 1), db.transaction((tx) => storedIds({ ...db, ...tx }))];
    for (const waiting of [tooMuch, ...behind]) await expect(waiting).rejects.toMatchObject({ code: "database_full" });
    await expect(db.executeSql("SELECT 1")).rejects.toMatchObject({ code: "database_full" });
    disk.empty();
    expect(await storedIds(db)).toEqual(acknowledged);
    expect(causes).toMatchObject([{ code: "database_full" }]);
    await insert(db, 1);
    await db.executeSql("NOTIFY news, 'of today'");
    await expect.poll(() => heard).toEqual(["of today"]);
    expect(connected).toBe(2);
    await listening.close();
    await db.close();
    // The folder is complete, too, for the next process that opens it.
    const next = await openPglite(folder);
    expect(await storedIds(next)).toHaveLength(acknowledged.length + 1);
    await next.close();
  });

  test("a first start without room says so, leaves nothing behind, and succeeds when there is room", async () => {
    disk.fill(20 * MEGABYTE);
    const refused = { code: "database_full", message: expect.stringContaining(folder) };
    await expect(openPglite(folder)).rejects.toMatchObject(refused);
    expect(disk.freeBytes()).toBeGreaterThan(19 * MEGABYTE);
    disk.fill(0);
    await expect(openPglite(folder)).rejects.toMatchObject(refused);
    disk.empty();
    await (await openPglite(folder)).close();
  });

  test("a start after a crash says that there is no room, and succeeds when there is", async () => {
    const db = await openPglite(folder);
    await makeNotes(db);
    const acknowledged = await insert(db, 100);
    disk.fill(40 * MEGABYTE);
    await expect(
      db.executeSql("SELECT pg_logical_emit_message(false, 'x', repeat('x', 1000000)) FROM generate_series(1, 100)"),
    ).rejects.toMatchObject({ code: "database_full" });
    await db.close();
    disk.fill(0);
    const refused = { code: "database_full", message: expect.stringContaining(folder) };
    await expect(openPglite(folder)).rejects.toMatchObject(refused);
    disk.empty();
    const again = await openPglite(folder);
    expect(await storedIds(again)).toEqual(acknowledged);
    await again.close();
  });
});
