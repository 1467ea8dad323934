import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemCaller } from "../../../src/agents/access.ts";
import { exportToFolder } from "../../../src/service/archive/export-to-folder.ts";
import { scheduleSyncs } from "../../../src/service/index/schedule-syncs.ts";
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
  exports: { folder, intervalHours: 24, keep: 2, service: "0", ...more },
});
const never = new AbortController().signal;
const write = (hour: number, more?: object, signal = never) =>
  exportToFolder(at(hour, more), systemCaller(tenantId), { tenantId, agentId: "main" }, signal);
const place = () => join(folder, tenantId, "main");
const names = () => readdirSync(place()).sort();

test("an archive a turn stands in the folder, whole, for its owner alone, and the newest are kept", async () => {
  await write(500_000);
  const [first] = names();
  expect(first).toBe("2027-01-15T08-00-00-000Z.archive");
  const lines = readLines(readFileSync(join(place(), first ?? "")));
  expect(lines.map((line) => line.type)).toEqual(["header", "file", "end"]);
  expect(statSync(join(place(), first ?? "")).mode & 0o777).toBe(0o600);
  // What somebody else put there stays.
  writeFileSync(join(place(), "notes.txt"), "mine");
  // A process that was killed left this.
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

test("every agent is asked for once in its interval, and none without a folder", async () => {
  const waiting = async () =>
    (
      await app.db.executeSql<{ agent: string }>(
        "SELECT data->>'agentId' AS agent FROM recollect_jobs.job WHERE name = 'export' AND state = 'created' ORDER BY 1",
      )
    ).rows.map((row) => row.agent);
  const day = { reason: "interval" as const, throughMinute: (500_096 - 24) * 60 };
  await scheduleSyncs({ ...at(500_096), exports: undefined }, day, never);
  expect(await waiting()).toEqual([]);
  await scheduleSyncs(at(500_096), day, never);
  await scheduleSyncs(at(500_096), { ...day, throughMinute: 500_096 * 60 }, never);
  expect(await waiting()).toEqual(["again", "main"]);
});
