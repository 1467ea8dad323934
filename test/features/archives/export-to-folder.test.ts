import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../../../src/config/config.ts";
import { exportToFolder, type ScheduledExports } from "../../../src/features/archives/export-to-folder.ts";
import { archiveService } from "../../../src/features/archives/service.ts";
import { collectHooks } from "../../../src/service/hooks.ts";
import { scheduleSyncs } from "../../../src/service/indexing/schedule-syncs.ts";
import { systemCaller } from "../../../src/settings/access.ts";
import { type ArchiveApp, readLines, startArchiveApp } from "../../support/archive-app.ts";

const HOUR = 3_600_000;
let app: ArchiveApp;
let tenantId: string;
let folder: string;
beforeAll(async () => {
  app = await startArchiveApp({ embedder: undefined, worker: false });
  folder = mkdtempSync(join(tmpdir(), "recollect-exports-"));
  await app.call("POST", "/v1/agents", { id: "main" });
  await app.put("a.md", "A note", "main");
  const { rows } = await app.db.executeSql<{ id: string }>("SELECT tenant_id AS id FROM recollect.agents");
  tenantId = rows[0]?.id ?? "";
});
afterAll(async () => {
  await app.drop();
  rmSync(folder, { recursive: true });
});

const at = (hour: number, more: object = {}) => ({
  ...app.runtime.deps,
  clock: () => new Date(hour * HOUR),
  ...("db" in more ? { db: more.db as typeof app.runtime.deps.db } : {}),
});
const exportsTo = (more: object = {}) => ({ folder, intervalHours: 24, keep: 2, ...more });
const never = new AbortController().signal;
const write = (hour: number, more?: object, signal = never) =>
  exportToFolder(at(hour, more), systemCaller(tenantId), { tenantId, agentId: "main" }, { ...exportsTo(more), signal });
const place = () => join(folder, tenantId, "main");
const names = () => readdirSync(place()).sort();

test("an archive a turn stands in the folder, whole, for its owner alone, and the newest are kept", async () => {
  await write(500_000);
  const [first] = names();
  expect(first).toBe("2027-01-15T08-00-00-000Z.archive");
  const lines = readLines(readFileSync(join(place(), first ?? "")));
  expect(lines.map((line) => line.type)).toEqual(["header", "file", "end"]);
  expect(statSync(join(place(), first ?? "")).mode & 0o777).toBe(0o600);
  // A file that was put there by hand stays.
  writeFileSync(join(place(), "notes.txt"), "mine");
  // A process that was killed left this file.
  writeFileSync(join(place(), "2027-01-15T09-00-00-000Z.archive.part"), "half");
  await write(500_024);
  await write(500_048);
  expect(names()).toEqual(["2027-01-16T08-00-00-000Z.archive", "2027-01-17T08-00-00-000Z.archive", "notes.txt"]);
  expect((await app.import(readFileSync(join(place(), names()[1] ?? "")), "?as=again")).status).toBe(201);
});

test("one that is stopped leaves nothing, and those of before stay", async () => {
  const before = names();
  await expect(write(500_072, {}, AbortSignal.abort())).rejects.toThrow();
  expect(names()).toEqual(before);
});

test("a folder that is not there is not made", async () => {
  const missing = join(folder, "missing");
  await expect(write(500_096, { folder: missing })).rejects.toMatchObject({ code: "config_invalid" });
  expect(readdirSync(folder)).not.toContain("missing");
  mkdirSync(missing);
  await write(500_096, { folder: missing });
  expect(readdirSync(join(missing, tenantId, "main"))).toHaveLength(1);
});

test("an export that cannot be written does not begin, so that it leaves no snapshot", async () => {
  const blocked = join(folder, "blocked");
  mkdirSync(blocked);
  writeFileSync(join(blocked, tenantId), "a file where the tenant's folder belongs");
  const begun = async () =>
    (await app.db.executeSql("SELECT 1 FROM recollect.audit_log WHERE action = 'agent.export'")).rows.length;
  const before = await begun();
  await expect(write(500_096, { folder: blocked })).rejects.toMatchObject({ code: "config_invalid" });
  expect(await begun()).toBe(before);
});

test("writers wait for as many statements of an export, however many sessions there are", async () => {
  const { rows } = await app.db.executeSql<{ schema: string }>(
    "SELECT schema_name AS schema FROM recollect.agents WHERE id = 'main'",
  );
  const addSessions = (prefix: string, count: number) =>
    app.db.executeSql(
      `INSERT INTO ${rows[0]?.schema}.sessions (key, started_at, last_message_at, message_count, bytes, last_seq, last_line, removed,
         indexed_seq, unindexed_bytes, next_seq, created_at, updated_at)
       SELECT $1 || n, now(), now(), 0, 0, 0, 0, 0, 0, 0, 0, '2020-01-01', '2020-01-01' FROM generate_series(1, $2::int) AS n`,
      [prefix, count],
    );
  const { db } = app.runtime.deps;
  const whileLocked = async (hour: number) => {
    let count = 0;
    const watched: typeof db = {
      ...db,
      executeSql: db.executeSql,
      transaction: (fn, options) =>
        db.transaction((tx) => {
          let isLocked = false;
          const executeSql: typeof tx.executeSql = (text, ...rest) => {
            isLocked ||= text.includes("EXCLUSIVE");
            if (isLocked) count++;
            return tx.executeSql(text, ...rest);
          };
          return fn({ ...tx, executeSql });
        }, options),
    };
    await write(hour, { db: watched });
    return count;
  };
  await addSessions("few:", 10);
  const few = await whileLocked(500_120);
  await addSessions("many:", 3000);
  expect(await whileLocked(500_144)).toBe(few);
  const archive = names().findLast((name) => name.endsWith(".archive")) ?? "";
  const lines = readLines(readFileSync(join(place(), archive)));
  expect(lines.at(-1)).toMatchObject({ type: "end", sessions: 3010 });
});

test("every agent is asked for once in its interval, and none without a folder", async () => {
  const waiting = async () =>
    (
      await app.db.executeSql<{ agent: string }>(
        "SELECT data->>'agentId' AS agent FROM recollect_jobs.job WHERE name = 'export' AND state = 'created' ORDER BY 1",
      )
    ).rows.map((row) => row.agent);
  const day = { reason: "interval" as const, throughMinute: (500_096 - 24) * 60 };
  // The dependencies of a service with these scheduled exports; undefined: the operator wants none.
  const withExports = (exports: ScheduledExports | undefined) => {
    const config = { ...readConfig({}), exports };
    return { ...at(500_096), hooks: collectHooks([archiveService(config).hooks ?? {}]) };
  };
  await scheduleSyncs(withExports(undefined), day, never);
  expect(await waiting()).toEqual([]);
  await scheduleSyncs(withExports(exportsTo()), day, never);
  await scheduleSyncs(withExports(exportsTo()), { ...day, throughMinute: 500_096 * 60 }, never);
  expect(await waiting()).toEqual(["again", "main"]);
});
