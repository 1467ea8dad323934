import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { needsPostgres } from "../support/needs.ts";
import { callUrl, type RunningCommand, runCommand, startServerProcess } from "../support/process.ts";

let folder: string;
let database: TestDatabase | undefined;
let env: Record<string, string>;
const running: RunningCommand[] = [];
/** Every key of a test. A process may write a key's secret only where it prints the key. */
const secrets: string[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "recollect-keys-"));
  env = { RECOLLECT_DATA_DIR: folder, RECOLLECT_PROVIDER: "none", RECOLLECT_LOG_LEVEL: "debug" };
});
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill("SIGKILL");
    await ended;
  }
  await database?.drop();
  database = undefined;
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Runs a command to its end. */
async function command(args: string[], more: Record<string, string> = {}) {
  const process = runCommand(args, { ...env, ...more });
  running.push(process);
  return { code: await process.ended, ...process.output() };
}

/** Makes a key with a command that prints only the key. */
async function keyFrom(args: string[], more: Record<string, string> = {}): Promise<string> {
  const { code, stdout } = await command(args, more);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^rcl_[0-9a-f]{12}_[0-9a-f]{48}\n$/);
  const key = stdout.trim();
  secrets.push(key.slice(17));
  return key;
}

async function serve(more: Record<string, string> = {}, args: string[] = []) {
  const server = await startServerProcess({ ...env, ...more }, args);
  running.push(server);
  return server;
}

/** Replaces 0.0.0.0, because such a server can be reached on any interface. */
const local = (url: string) => url.replace("0.0.0.0", "127.0.0.1");

const agents = async (url: string, key?: string) =>
  (await callUrl(local(url), "GET", "/v1/agents", undefined, key)).status;

/** Sends a request with a header that `fetch` would not send, such as another Host. */
function statusWith(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL("/v1/agents", url), { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject);
    sent.end();
  });
}

function expectNoSecretInLogs(): void {
  expect(secrets.length).toBeGreaterThan(0);
  for (const process of running) {
    const { stderr } = process.output();
    for (const secret of secrets) expect(stderr).not.toContain(secret);
  }
}

describe("an embedded server", () => {
  test("needs no key on loopback, but a request that was meant for loopback", async () => {
    const { url } = await serve();
    expect(await agents(url)).toBe(200);
    const { port } = new URL(url);
    expect(await statusWith(url, { host: `localhost:${port}` })).toBe(200);
    // DNS rebinding: the name of the page points at 127.0.0.1, and the browser sends that name as
    // Host.
    expect(await statusWith(url, { host: `evil.example:${port}` })).toBe(401);
    // A proxy on this machine that outside clients can reach.
    expect(await statusWith(url, { "x-forwarded-for": "203.0.113.9" })).toBe(401);
    expect(await statusWith(url, { forwarded: "for=203.0.113.9" })).toBe(401);
  });

  test("does not start for others without a key, and says what to do", async () => {
    const { code, stderr } = await command(["serve", "--host", "0.0.0.0", "--port", "0"]);
    expect(code).toBe(1);
    const sentence = stderr.trim().split("\n").at(-1);
    expect(sentence).toMatch(/RECOLLECT_ADMIN_KEY.*\(config_invalid\)$/);
    expect(sentence).toContain("recollect keys create");
    expect(stderr).not.toMatch(/\n\s+at |"listening"/);
  });

  test("starts for others with the operator's key, and answers nobody without one", async () => {
    const admin = await keyFrom(["keys", "generate"]);
    const server = await serve({ RECOLLECT_ADMIN_KEY: admin }, ["--host", "0.0.0.0"]);
    expect(await agents(server.url)).toBe(401);
    expect(await agents(server.url, admin)).toBe(200);
    expect(await agents(server.url, await keyFrom(["keys", "generate"]))).toBe(401);
    // The command finds the server that holds the folder, and sends it the key.
    const listed = await command(["keys", "list"], { RECOLLECT_API_KEY: admin });
    expect(listed).toMatchObject({ code: 0, stderr: "" });
    expect(listed.stdout).toContain("RECOLLECT_ADMIN_KEY");
    const refused = await command(["keys", "list"]);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toMatch(/\(unauthenticated\)\n$/);
    expectNoSecretInLogs();
  });

  test("starts for others once a command has made a key", async () => {
    const key = await keyFrom(["keys", "create", "op", "--scope", "admin"]);
    const server = await serve({}, ["--host", "0.0.0.0"]);
    expect([await agents(server.url), await agents(server.url, key)]).toEqual([401, 200]);
    expectNoSecretInLogs();
  });

  test.each(["hunter2", `rcl_${"0".repeat(12)}_${"0".repeat(47)}`, `rcl_${"A".repeat(12)}_${"0".repeat(48)}`])(
    "refuses %j as the operator's key, without repeating it",
    async (key) => {
      const { code, stderr } = await command(["serve", "--port", "0"], { RECOLLECT_ADMIN_KEY: key });
      expect(code).toBe(1);
      expect(stderr).toMatch(/RECOLLECT_ADMIN_KEY is not an API key.*keys generate.*\(config_invalid\)\n$/);
      expect(stderr).not.toContain(key);
    },
  );
});

describe("servers on Postgres", needsPostgres("the embedded database has one server"), () => {
  beforeEach(async () => {
    database = await openTestDatabase();
    env.DATABASE_URL = database.url ?? "";
  });

  test("want a key on loopback too; a command with the database's URL makes the first one", async () => {
    const server = await serve();
    await server.saw(/"msg":"There is no API key yet/);
    expect(await agents(server.url)).toBe(401);
    const key = await keyFrom(["keys", "create", "op", "--scope", "admin"]);
    expect(await agents(server.url, key)).toBe(200);
    expectNoSecretInLogs();
  });

  test("refuse a revoked key at once, whichever of them it was revoked on", async () => {
    const admin = await keyFrom(["keys", "generate"]);
    const more = { RECOLLECT_ADMIN_KEY: admin };
    const [first, second] = [await serve(more), await serve(more)];
    const remote = (url: string) => ({ RECOLLECT_API_KEY: admin, RECOLLECT_URL: url });
    const key = await keyFrom(["keys", "create", "reader", "--scope", "agent:read"], remote(first.url));
    for (const { url } of [first, second]) expect(await agents(url, key)).toBe(200);
    const { body } = await callUrl<{ keys: { id: string; name: string }[] }>(
      ...([first.url, "GET", "/v1/keys", undefined, admin] as const),
    );
    const id = body.keys.find((one) => one.name === "reader")?.id ?? "";
    expect((await command(["keys", "revoke", id, "--url", first.url], remote(first.url))).code).toBe(0);
    for (const { url } of [second, first]) expect(await agents(url, key)).toBe(401);
    expect(await agents(second.url, admin)).toBe(200);
    expectNoSecretInLogs();
  });

  test("start together with the same operator's key", async () => {
    const admin = await keyFrom(["keys", "generate"]);
    const servers = await Promise.all([1, 2, 3].map(() => serve({ RECOLLECT_ADMIN_KEY: admin })));
    for (const { url } of servers) expect(await agents(url, admin)).toBe(200);
    expectNoSecretInLogs();
  });
});

test("a request that fails leaves no secret in the log", async () => {
  const admin = await keyFrom(["keys", "generate"]);
  const { url } = await serve({ RECOLLECT_ADMIN_KEY: admin });
  const made = await callUrl<{ key: string }>(url, "POST", "/v1/keys", { name: "k", scopes: ["search"] }, admin);
  secrets.push(made.body.key.slice(17));
  for (const key of [made.body.key, `${admin}0`, admin.toUpperCase()])
    for (const path of ["/v1/keys", "/v1/nothing", `/v1/agents/main/files/${key}`])
      expect((await callUrl(url, "GET", path, undefined, key)).status).toBeGreaterThanOrEqual(400);
  expectNoSecretInLogs();
});
