import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openPglite } from "../../src/db/pglite.ts";
import { COMMAND } from "../support/process.ts";
import { makeSmallDisk, needsSmallDisk } from "../support/small-disk.ts";

const NOBODY = 65534;

const makeFolder = (...parts: string[]) => {
  const folder = join(...parts);
  mkdirSync(folder, { recursive: true });
  return folder;
};

describe("a data folder that cannot be used is refused with a sentence that names it and the remedy", () => {
  let place: string;
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), "recollect-folder-"));
  });
  afterEach(() => rmSync(place, { recursive: true, force: true }));

  const refusalOf = (folder: string) =>
    openPglite(folder).then(
      async (db) => {
        await db.close();
        throw new Error("It was opened.");
      },
      (error: { code: string; message: string }) => ({ code: error.code, message: error.message }),
    );

  test.each<[string, string, (place: string) => void]>([
    ["a file in its place", "data", (at) => writeFileSync(join(at, "data"), "x")],
    ["a file above it", "file/data", (at) => writeFileSync(join(at, "file"), "x")],
    ["a link that leads nowhere", "data", (at) => symlinkSync(join(at, "gone", "far"), join(at, "data"))],
    ["a folder in place of its lock", "data", (at) => makeFolder(at, "data", "lock.sqlite")],
    ["a file in place of its database", "data", (at) => writeFileSync(join(makeFolder(at, "data"), "postgres"), "x")],
    ["a name that is too long", "x".repeat(300), () => undefined],
  ])("%s", async (_name, path, prepare) => {
    prepare(place);
    const folder = join(place, path);
    const { code, message } = await refusalOf(folder);
    expect([code, message]).toEqual(["config_invalid", expect.stringContaining(folder)]);
    expect(message).toMatch(/RECOLLECT_DATA_DIR/);
  });

  test("a database of another version of Postgres", async () => {
    const folder = join(place, "data");
    await (await openPglite(folder)).close();
    writeFileSync(join(folder, "postgres", "PG_VERSION"), "16\n");
    const { code, message } = await refusalOf(folder);
    expect([code, message]).toEqual(["database_unsupported", expect.stringMatching(/PostgreSQL 16.*has 18.*export/)]);
    expect(message).toContain(folder);
  });

  test("a database that is damaged", async () => {
    const folder = join(place, "data");
    await (await openPglite(folder)).close();
    rmSync(join(folder, "postgres", "global", "pg_control"));
    const { code, message } = await refusalOf(folder);
    expect([code, message]).toEqual(["database_unavailable", expect.stringMatching(/backup/)]);
    expect(message).toContain(folder);
    expect(message).toMatch(/pg_control/);
  });

  test("a database whose making was cut short is made anew", async () => {
    const folder = join(place, "data");
    mkdirSync(join(folder, "postgres"), { recursive: true });
    writeFileSync(join(folder, "postgres.unfinished"), "");
    writeFileSync(join(folder, "postgres", "PG_VERSION"), "18\n");
    const db = await openPglite(folder);
    expect((await db.executeSql("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    await db.close();
    expect(existsSync(join(folder, "postgres.unfinished"))).toBe(false);
  });

  test("a folder of another user, or a part of it", async () => {
    const folder = join(place, "data");
    await (await openPglite(folder)).close();
    chmodSync(place, 0o755);
    const isRoot = process.getuid?.() === 0;
    const parts = ["", "postgres", "postgres/PG_VERSION", "postgres/pg_wal"];
    for (const part of isRoot ? [""] : parts) {
      const path = join(folder, part);
      if (!isRoot) chmodSync(path, 0o000);
      const env = { PATH: process.env.PATH ?? "", HOME: place, RECOLLECT_DATA_DIR: folder, RECOLLECT_CACHE_DIR: place };
      const asUser = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
      const { status, stderr } = spawnSync(process.execPath, [COMMAND, "status"], { env, encoding: "utf8", ...asUser });
      if (!isRoot) chmodSync(path, 0o700);
      expect([status, stderr]).toEqual([1, expect.stringMatching(/may not write the data folder.*chown/)]);
      expect(stderr).toContain(folder);
    }
  });

  test("a disk that is read-only", needsSmallDisk(), async () => {
    const disk = makeSmallDisk(80);
    try {
      const folder = join(disk.folder, "data");
      disk.setReadOnly(true);
      const missing = await refusalOf(folder);
      disk.setReadOnly(false);
      await (await openPglite(folder)).close();
      disk.setReadOnly(true);
      const there = await refusalOf(folder);
      for (const refusal of [missing, there])
        expect(refusal).toEqual({ code: "config_invalid", message: expect.stringContaining("read-only") });
    } finally {
      disk.remove();
    }
  });
});
