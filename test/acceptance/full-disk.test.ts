import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { StartedPostgreSqlContainer } from "@testcontainers/postgresql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/pg.ts";
import { openPglite } from "../../src/db/pglite.ts";
import { prepareDatabase } from "../../src/db/prepare-database.ts";
import { needsDocker } from "../support/needs.ts";
import { postgresContainer } from "../support/postgres-container.ts";
import { makeSmallDisk, needsSmallDisk } from "../support/small-disk.ts";
import { type ErrorBody, startTestApp } from "../support/test-app.ts";

/** Enough room for a database and little more. */
const DISK = "size=64m";

describe("a Postgres whose disk fills up", needsDocker("it fills a disk of its own"), () => {
  let container: StartedPostgreSqlContainer;
  let db: Database;
  let url: string;
  beforeAll(async () => {
    container = await postgresContainer("pgvector/pgvector:pg17")
      .withTmpFs({ "/small": `rw,mode=1777,${DISK}` })
      .start();
    await container.exec(["mkdir", "/small/space"], { user: "postgres" });
    const place = new URL(container.getConnectionUri());
    const admin = openPostgres({ connectionString: place.href, maxConnections: 1, onIdleError: () => undefined });
    await admin.executeSql("CREATE TABLESPACE small LOCATION '/small/space'");
    await admin.executeSql("CREATE DATABASE small TABLESPACE small");
    await admin.close();
    place.pathname = "/small";
    url = place.href;
    db = openPostgres({ connectionString: url, maxConnections: 4, onIdleError: () => undefined });
    await prepareDatabase(db, new Date(), () => undefined);
  });
  afterAll(async () => {
    await db.close();
    await container.stop();
  });

  test("refuses writes with what to do, is searched meanwhile, and takes them again when there is room", async () => {
    const app = await startTestApp({ on: { db, url, drop: async () => undefined }, worker: false });
    try {
      await app.put("a.md", "The heron waits at the ferry.");
      // First a filler table takes the remaining space, then the table of files, whose pages have
      // some room left.
      await db.executeSql("CREATE TABLE filler (bytes text); ALTER TABLE filler ALTER bytes SET STORAGE EXTERNAL");
      const fill = async (): Promise<unknown> => {
        for (;;) await db.executeSql("INSERT INTO filler SELECT repeat('x', 100000) FROM generate_series(1, 20)");
      };
      await expect(fill()).rejects.toMatchObject({ code: "database_full" });
      const write = (path: string) =>
        app.call<ErrorBody>("PUT", `/v1/agents/main/files/${path}`, { content: randomBytes(100_000).toString("hex") });
      let written = await write("0.md");
      for (let i = 1; written.status === 200 && i < 200; i++) written = await write(`${i}.md`);
      expect([written.status, written.body.error.code]).toEqual([507, "database_full"]);
      expect(written.body.error.message).toMatch(/disk is full/);
      expect((await app.search("heron")).results[0]?.path).toBe("a.md");
      expect((await app.call("GET", "/v1/agents/main/files/a.md")).status).toBe(200);
      expect((await app.call("GET", "/health/ready")).status).toBe(200);
      await db.executeSql("DROP TABLE filler");
      expect((await write("after.md")).status).toBe(200);
    } finally {
      await app.drop();
    }
  });
});

describe("an embedded database whose disk fills up", needsSmallDisk(), () => {
  test("refuses writes with what to do, answers reads, stays ready, and takes writes again when there is room", async () => {
    const disk = makeSmallDisk(160);
    try {
      const db = await openPglite(join(disk.folder, "data"));
      await prepareDatabase(db, new Date(), () => undefined);
      const app = await startTestApp({ on: { db, url: undefined, drop: async () => undefined } });
      try {
        const key = await app.key(["search", "agent:read", "agent:write"]);
        await app.put("a.md", "The heron waits at the ferry.");
        disk.fill(0);
        const write = (content: string) => app.call<ErrorBody>("PUT", "/v1/agents/main/files/b.md", { content }, key);
        let count = 0;
        await expect.poll(async () => (await write(`Kept ${++count}`)).status).toBe(507);
        const kept = await app.call<{ content: string }>("GET", "/v1/agents/main/files/b.md", undefined, key);
        // All writes but the last were acknowledged.
        expect(kept.body.content).toBe(count === 1 ? undefined : `Kept ${count - 1}`);
        const refused = await write("Refused");
        expect(refused).toMatchObject({ status: 507, body: { error: { code: "database_full" } } });
        expect(refused.body.error.message).toMatch(/disk is full.*made room/);
        const reads: [string, string, unknown?][] = [
          ["GET", "/v1/agents/main/files/a.md"],
          ["GET", "/v1/agents/main/files"],
          ["GET", "/v1/agents/main/status"],
          ["POST", "/v1/agents/main/recall", { message: "heron" }],
          ["POST", "/v1/agents/main/tools/memory_get", { path: "a.md" }],
          ["GET", "/health/ready"],
        ];
        for (const [method, path, body] of reads)
          expect((await app.call(method, path, body, key)).status, path).toBe(200);
        expect((await app.search("heron")).results[0]?.path).toBe("a.md");
        disk.empty();
        await expect.poll(async () => (await write("There is room.")).status).toBe(200);
      } finally {
        await app.drop();
        await db.close();
      }
    } finally {
      disk.remove();
    }
  });
});
