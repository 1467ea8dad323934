import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openProfiles } from "../../../src/config/profiles.ts";
import { databaseTrouble } from "../../../src/db/database-trouble.ts";
import { lockFolder } from "../../../src/db/folder-lock.ts";
import { diagnose } from "../../../src/features/doctor/diagnose.ts";
import type { Finding } from "../../../src/features/doctor/finding.ts";
import { advertise } from "../../../src/wiring/running-server.ts";
import { startFakeProvider } from "../../support/fake-provider.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "recollect-doctor-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function findings(env: Record<string, string> = {}, freeBytes?: () => Promise<number>): Promise<Finding[]> {
  const own = { HOME: home, RECOLLECT_DATA_DIR: join(home, "data"), RECOLLECT_PROVIDER: "none", ...env };
  const { findings: found } = await diagnose({}, { env: own, ...(freeBytes ? { freeBytes } : {}) });
  return found;
}
const of = (found: readonly Finding[], check: Finding["check"]) => found.find((finding) => finding.check === check);

test("nothing is there yet, and nothing is wrong; nothing is made either", async () => {
  const found = await findings();
  expect(found.filter(({ state }) => state === "failed")).toEqual([]);
  expect(of(found, "database")?.message).toContain("no database");
  expect(of(found, "provider")?.message).toContain("keyword only");
  expect(of(await findings(), "database")?.message).toContain("no database");
});

test("a file in the place of the data folder", async () => {
  const file = join(home, "no-folder");
  writeFileSync(file, "x");
  const found = of(await findings({ RECOLLECT_DATA_DIR: file }), "database");
  expect(found).toMatchObject({ state: "failed", message: `${file} is a file, not a folder.` });
  const below = of(await findings({ RECOLLECT_DATA_DIR: join(file, "data") }), "database");
  expect(below).toEqual(found);
});

test("a database nobody serves; its password is told to nobody", async () => {
  const found = await findings({ DATABASE_URL: "postgres://me:s3cret@127.0.0.1:1/memory" });
  expect(of(found, "database")).toMatchObject({ state: "failed", message: "No server listens at 127.0.0.1:1." });
  expect(JSON.stringify(found)).not.toContain("s3cret");
});

test.each([
  ["28P01", "refuses the login me"],
  ["3D000", "has no database memory"],
  ["53300", "no connection left"],
  ["53100", "disk"],
  ["ENOTFOUND", "no host"],
  ["XX000", "boom"],
])("a server that answers %s: %s", (code, said) => {
  const trouble = databaseTrouble(Object.assign(new Error("boom"), { code }), "postgres://me:s3cret@db.example/memory");
  expect(trouble.what).toContain(said);
  expect(JSON.stringify(trouble)).not.toContain("s3cret");
});

test("a folder that another process has open is looked at through its server, or not at all", async () => {
  const data = join(home, "data");
  mkdirSync(join(data, "postgres"), { recursive: true });
  const lock = lockFolder(data);
  expect(of(await findings(), "database")).toMatchObject({
    state: "warning",
    message: expect.stringContaining("Another process"),
  });
  const withdraw = advertise(data, "http://127.0.0.1:9");
  const env = { HOME: home, RECOLLECT_DATA_DIR: data, RECOLLECT_PROVIDER: "none" };
  const { findings: found, server } = await diagnose({}, { env });
  expect([of(found, "database")?.state, server?.description]).toEqual(["ok", "http://127.0.0.1:9"]);
  withdraw();
  lock.release();
});

test("a provider's key that is right, and one that is wrong and is not repeated", async () => {
  const provider = await startFakeProvider("openai", 1536);
  const env = { RECOLLECT_PROVIDER: "openai", RECOLLECT_BASE_URL: provider.url };
  expect(of(await findings({ ...env, OPENAI_API_KEY: provider.key }), "provider")).toMatchObject({
    state: "ok",
    message: expect.stringMatching(/^openai · .*one embedding of \d+ dimensions in \d+\.\d\d s/),
  });
  const found = await findings({ ...env, OPENAI_API_KEY: "sk-wrong-one" });
  expect(of(found, "provider")).toMatchObject({ state: "failed", remedy: "Put a valid key into OPENAI_API_KEY." });
  expect(JSON.stringify(found)).not.toContain("sk-wrong-one");
  await provider.close();
});

test("a spent quota, and vectors of another length, have remedies of their own", async () => {
  const provider = await startFakeProvider("openai", 1536);
  const env = { RECOLLECT_PROVIDER: "openai", RECOLLECT_BASE_URL: provider.url, OPENAI_API_KEY: provider.key };
  provider.steady = { status: 429, reason: "insufficient_quota", headers: { "retry-after": "60" } };
  expect(of(await findings(env), "provider")).toMatchObject({
    state: "failed",
    message: expect.stringContaining("status 429 (insufficient_quota)"),
    remedy: expect.stringContaining("quota is spent"),
  });
  provider.steady = "dimension";
  expect(of(await findings(env), "provider")).toMatchObject({
    state: "failed",
    message: expect.stringMatching(/vectors of \d+ dimensions instead of 1536/),
    remedy: expect.stringMatching(/recollect agents set <agent> outputDimensionality \d+`/),
  });
  for (const fault of ["few", "null"] as const) {
    provider.steady = fault;
    expect(of(await findings(env), "provider"), fault).toMatchObject({
      state: "failed",
      remedy: expect.stringContaining("not those of an embedding API"),
    });
  }
  await provider.close();
});

test("a provider without its key names the variable", async () => {
  const provider = of(await findings({ RECOLLECT_PROVIDER: "mistral" }), "provider");
  expect(provider).toMatchObject({ state: "failed", message: expect.stringContaining("MISTRAL_API_KEY") });
});

test("an address that the provider does not use is a warning", async () => {
  const found = await findings({ RECOLLECT_BASE_URL: "http://127.0.0.1:9/v1" });
  expect(of(found, "configuration")).toMatchObject({
    state: "warning",
    message: expect.stringContaining("(RECOLLECT_BASE_URL) has no effect, because the provider none is used"),
  });
});

test("a folder for archives that is missing is a warning", async () => {
  const folder = join(home, "archives");
  const warned = async () => {
    const found = await findings({ RECOLLECT_EXPORT_DIR: folder });
    return found.filter(({ message }) => message.includes("RECOLLECT_EXPORT_DIR")).map(({ state }) => state);
  };
  expect(await warned()).toEqual(["warning"]);
  mkdirSync(folder);
  expect(await warned()).toEqual([]);
});

test("with a server and a database in the environment, the database is examined if the server does not serve", async () => {
  const env = {
    HOME: home,
    RECOLLECT_URL: "http://127.0.0.1:9",
    DATABASE_URL: "postgres://me:s3cret@127.0.0.1:1/memory",
  };
  const { findings: found, server, ifNotServed } = await diagnose({}, { env });
  expect([of(found, "configuration")?.message, server?.description]).toEqual([
    "Uses the server at http://127.0.0.1:9 (RECOLLECT_URL); DATABASE_URL is not used.",
    "http://127.0.0.1:9",
  ]);
  expect(of((await ifNotServed?.()) ?? [], "database")).toMatchObject({
    state: "failed",
    message: "No server listens at 127.0.0.1:1.",
  });
  expect((await diagnose({ url: "http://127.0.0.1:9" }, { env })).ifNotServed).toBeUndefined();
});

test("a disk that is full, or nearly", async () => {
  const disk = async (bytes: number) => of(await findings({}, async () => bytes), "disk");
  expect(await disk(50_000_000)).toMatchObject({ state: "failed", message: expect.stringContaining("50 MB are free") });
  expect((await disk(500_000_000))?.state).toBe("warning");
  expect((await disk(5_000_000_000))?.state).toBe("ok");
});

test("an environment that is not valid is a finding, by its variable", async () => {
  const found = await findings({ RECOLLECT_PORT: "x" });
  expect(found).toEqual([expect.objectContaining({ check: "configuration", state: "failed" })]);
  expect(found[0]?.message).toContain("RECOLLECT_PORT");
});

test("with a profile it is the server that is looked at", async () => {
  openProfiles({ HOME: home }).write({ current: "team", profiles: [{ name: "team", url: "http://team.example" }] });
  const { findings: found, server } = await diagnose({}, { env: { HOME: home } });
  expect([found, server?.description]).toEqual([[], "team (http://team.example)"]);
  const missing = await diagnose({ profile: "teem" }, { env: { HOME: home } });
  expect(missing.findings[0]).toMatchObject({ check: "configuration", state: "failed" });
});
