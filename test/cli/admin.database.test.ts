import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addEmbeddingUsage } from "../../src/db/control/embedding-usage.ts";
import { cliOn, type Ran } from "../support/cli-harness.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const KEY = /^rcl_[0-9a-f]{12}_[0-9a-f]{48}\n$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ESCAPE = "\u001b[2J\u009b31m";

let app: TestApp;
let cli: (...argv: string[]) => Promise<Ran>;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
  cli = cliOn(app);
});
afterAll(() => app.drop());

/**
 * Returns the answer of a command with `--json`. Expects one object on one line, and nothing on
 * standard error.
 */
async function json<T>(...argv: string[]): Promise<T> {
  const ran = await cli(...argv, "--json");
  expect(ran).toMatchObject({ code: 0, err: "" });
  expect(ran.out).toMatch(/^\{.*\}\n$/);
  return JSON.parse(ran.out) as T;
}

/** Returns the rows of a printed table as lists of cells, without the head. */
function rowsOf({ code, out, err }: Ran): string[][] {
  expect([code, err]).toEqual([0, ""]);
  const lines = out.trimEnd().split("\n");
  return lines.slice(1).map((line) => line.split(/ {2,}/));
}

/**
 * Expects a failed command: exit code 1, one sentence with its code, nothing on standard output.
 */
function expectFailure(ran: Ran, code: string): void {
  expect([ran.code, ran.out]).toEqual([1, ""]);
  expect(ran.err).toMatch(new RegExp(`^[^\\n]+ \\(${code}\\)\\n$`));
}

function expectUsageError(ran: Ran, message: RegExp): void {
  expect([ran.code, ran.out]).toEqual([2, ""]);
  expect(ran.err).toMatch(message);
}

interface Key {
  id: string;
  name: string;
  prefix: string;
  scopes: string[];
  agentId: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
  requestsPerMinute: number | null;
}

describe("keys", () => {
  const keys = async () => (await json<{ keys: Key[] }>("keys", "list")).keys;
  const keyNamed = async (name: string) => (await keys()).find((key) => key.name === name) as Key;

  test("create prints the key alone, and the key opens the service with its scopes", async () => {
    const made = await cli("keys", "create", "searcher", "--scope", "search", "agent:read");
    expect(made).toEqual({ code: 0, out: expect.stringMatching(KEY), err: "" });
    const key = made.out.trim();
    expect((await app.call("GET", "/v1/agents/main", undefined, key)).status).toBe(200);
    expect((await app.call("GET", "/v1/keys", undefined, key)).status).toBe(403);
    expect(await keyNamed("searcher")).toMatchObject({ prefix: key.slice(0, 16), scopes: ["search", "agent:read"] });
    expect((await cli("keys", "list", "--json")).out).not.toContain(key.slice(17));
  });

  test("create passes on agent, expiry and rate limit; --json prints the whole answer", async () => {
    const argv = ["--scope", "search", "--agent", "main", "--expires", "2097-01-31", "--requests-per-minute", "5"];
    const made = await json<Key & { key: string }>("keys", "create", "bot", ...argv);
    expect(`${made.key}\n`).toMatch(KEY);
    expect(await keyNamed("bot")).toMatchObject({
      agentId: "main",
      expiresAt: "2097-01-31T00:00:00.000Z",
      requestsPerMinute: 5,
    });
    await cli("keys", "create", "zoned", "--scope", "search", "--expires", "2097-01-31T10:00:00+02:00");
    expect((await keyNamed("zoned")).expiresAt).toBe("2097-01-31T08:00:00.000Z");
  });

  test("list shows who may do what and what is no longer valid", async () => {
    await cli("keys", "create", "plain", "--scope", "search");
    await cli("keys", "create", "lapsed", "--scope", "search", "--expires", "2097-01-31");
    await app.db.executeSql("UPDATE recollect.api_keys SET expires_at = $1 WHERE name = 'lapsed'", [
      new Date("2001-01-01T00:00:00Z"),
    ]);
    const rows = rowsOf(await cli("keys", "list"));
    const row = (name: string) => rows.find((cells) => cells[2] === name);
    expect(row("plain")?.slice(2)).toEqual(["plain", "search", "all", "valid", "–"]);
    expect(row("bot")?.slice(2, 6)).toEqual(["bot", "search", "main", "until 2097-01-31T00:00:00.000Z"]);
    expect(row("lapsed")?.[5]).toBe("expired 2001-01-01T00:00:00.000Z");
    expect(rows.every((cells) => UUID.test(cells[0] ?? ""))).toBe(true);
  });

  test("revoke ends a key at once; what is not there is an error", async () => {
    const key = (await cli("keys", "create", "doomed", "--scope", "agent:read")).out.trim();
    const { id, prefix } = await keyNamed("doomed");
    expect(await cli("keys", "revoke", id)).toEqual({ code: 0, out: `Revoked ${prefix} (doomed).\n`, err: "" });
    expect((await app.call("GET", "/v1/agents/main", undefined, key)).status).toBe(401);
    expect((await keyNamed("doomed")).revokedAt).not.toBeNull();
    expect(rowsOf(await cli("keys", "list")).find((cells) => cells[2] === "doomed")?.[5]).toBe("revoked");
    expectFailure(await cli("keys", "revoke", "3b241101-e2bb-4255-8caf-4136c566a962"), "key_not_found");
    expectFailure(await cli("keys", "revoke", "../agents"), "invalid_request");
    expect((await cli("keys", "revoke", "")).err).toMatch(/It must be the id of a key, or its prefix/);
    expect((await cli("jobs", "show", "")).err).toMatch(/It must be the id of a job/);
  });

  test("revoke takes a prefix, as logs name a key, and a whole key that has leaked", async () => {
    for (const [name, isWhole] of [
      ["of the log", false],
      ["of the chat", true],
    ] as const) {
      const key = (await cli("keys", "create", name, "--scope", "search")).out.trim();
      const { prefix } = await keyNamed(name);
      expect((await cli("keys", "revoke", isWhole ? key : prefix)).out).toBe(`Revoked ${prefix} (${name}).\n`);
      expect((await keyNamed(name)).revokedAt).not.toBeNull();
    }
    expectFailure(await cli("keys", "revoke", "rcl_000000000000"), "key_not_found");
  });

  test("revoke takes several keys, each as an argument of its own, and none if one is not there", async () => {
    for (let i = 0; i < 2; i++) await cli("keys", "create", "twice over", "--scope", "search");
    const both = () => keys().then((all) => all.filter((key) => key.name === "twice over"));
    const [one, other] = (await both()).map(({ prefix }) => prefix) as [string, string];
    expectUsageError(await cli("keys", "revoke", `${one}\n${other}`), /It must be the id or the prefix of one key/);
    expectFailure(await cli("keys", "revoke", one, "rcl_000000000000"), "key_not_found");
    expect((await both()).map((key) => key.revokedAt)).toEqual([null, null]);
    expect(await cli("keys", "revoke", one, other)).toEqual({
      code: 0,
      out: `Revoked ${one} (twice over).\nRevoked ${other} (twice over).\n`,
      err: "",
    });
    expect((await both()).every((key) => key.revokedAt !== null)).toBe(true);
    expect((await json<{ revoked: Key[] }>("keys", "revoke", one, other)).revoked).toHaveLength(2);
  });

  test("generate prints a key for the environment and stores nothing", async () => {
    const before = await keys();
    const [one, two] = [await cli("keys", "generate"), await cli("keys", "generate")];
    expect(one).toEqual({ code: 0, out: expect.stringMatching(KEY), err: "" });
    expect(one.out).not.toBe(two.out);
    expect(await keys()).toEqual(before);
    expect((await app.call("GET", "/v1/keys", undefined, one.out.trim())).status).toBe(401);
  });

  test("what cannot be made is refused, and nothing is made", async () => {
    const before = await keys();
    expectFailure(await cli("keys", "create", "x", "--scope", "root"), "invalid_request");
    expectFailure(await cli("keys", "create", "x", "--scope", "search", "--agent", "nobody"), "agent_not_found");
    expectFailure(await cli("keys", "create", "x", "--scope", "admin", "--agent", "main"), "invalid_request");
    expectFailure(await cli("keys", "create", "x", "--scope", "search", "--expires", "2001-01-01"), "invalid_request");
    expectFailure(await cliOn(app, "rcl_nonsense")("keys", "create", "x", "--scope", "search"), "unauthenticated");
    const tenantKey = await app.key(["tenant"]);
    expectFailure(await cliOn(app, tenantKey)("keys", "create", "x", "--scope", "admin"), "forbidden");
    expectUsageError(await cli("keys", "create", "x"), /--scope/);
    expectUsageError(await cli("keys", "create", "--scope", "admin"), /name/);
    expectUsageError(await cli("keys"), /Usage: recollect keys/);
    expectUsageError(await cli("keys", "create", "x", "--scope", "search", "--requests-per-minute", "0"), /whole/);
    expect((await keys()).map((key) => key.name)).toEqual([...before.map((key) => key.name), "test"]);
  });

  test.each(["tomorrow", "2097-02-31", "2097-01-31T10:00", "2097-01-31 (noon)", "2097-13-01", ""])(
    "%j is no date to expire on",
    async (text) => {
      const ran = await cli("keys", "create", "x", "--scope", "search", "--expires", text);
      expectUsageError(ran, /It must be a date such as 2027-01-31/);
    },
  );
});

describe("tenants", () => {
  test("create prints the id alone, list shows it, --tenant acts in it", async () => {
    const made = await cli("tenants", "create", "acme");
    const id = made.out.trim();
    expect(made).toMatchObject({ code: 0, err: "" });
    expect(id).toMatch(UUID);
    expect(rowsOf(await cli("tenants", "list"))).toContainEqual([id, "acme", "active"]);
    const { tenants } = await json<{ tenants: { id: string; name: string }[] }>("tenants", "list");
    expect(tenants.map((tenant) => tenant.name).sort()).toEqual(["acme", "default"]);
    await cli("agents", "create", "theirs", "--tenant", id);
    expect(rowsOf(await cli("agents", "list", "--tenant", id)).map(([agent]) => agent)).toEqual(["theirs"]);
    expect(rowsOf(await cli("agents", "list")).map(([agent]) => agent)).not.toContain("theirs");
    const key = (await cli("keys", "create", "acme", "--scope", "tenant", "--tenant", "acme")).out.trim();
    expect(rowsOf(await cliOn(app, key)("agents", "list")).map(([agent]) => agent)).toEqual(["theirs"]);
    const { usage } = await json<{ usage: { agents: number } }>("usage", "--tenant", id);
    expect(usage.agents).toBe(1);
    const limited = await app.call("PATCH", "/v1/tenant", { limits: { bytes: 5_000_000 } }, undefined, {
      "recollect-tenant": id,
    });
    expect(limited.status).toBe(200);
    const shown = (await cli("usage", "--tenant", id)).out;
    expect(shown).toMatch(/^tenant +acme \(.+\)\n\n +used +limit\nagents +1 +–$/m);
    expect(shown).toMatch(/^bytes +0 B +5\.0 MB$/m);
    await addEmbeddingUsage(app.db, [
      {
        tenantId: id,
        agentId: "theirs",
        day: "2026-11-02",
        provider: "openai",
        model: "small",
        kind: "document",
        requests: 2,
        texts: 150,
        tokens: 1050,
        costNanoUsd: 1_000_021_000,
        unpricedTokens: 0,
      },
    ]);
    expect(rowsOf(await cli("agents", "list", "--tenant", "acme")).map(([agent]) => agent)).toEqual(["theirs"]);
    const days = ["--from", "2026-11-01", "--to", "2026-11-03", "--tenant", id];
    expect(rowsOf(await cli("usage", "--embeddings", ...days))).toEqual([
      ["2026-11-02", "theirs", "openai", "small", "document", "2", "150", "1050", "1.000021"],
      ["total", "2", "150", "1050", "1.000021"],
    ]);
    expect((await json<{ entries: unknown[] }>("usage", "--embeddings", ...days, "--agent", "main")).entries).toEqual(
      [],
    );
    expectUsageError(await cli("usage", "--embeddings", "--from", "2026-02-30"), /It must be a day/);
  });

  test("limit sets a limit and lifts it; usage says the rate", async () => {
    await cli("tenants", "create", "limited");
    const set = await cli("tenants", "limit", "requestsPerMinute", "600", "--tenant", "limited");
    expect(set).toMatchObject({ code: 0, out: "Set the limit requestsPerMinute of limited.\n" });
    expect((await cli("usage", "--tenant", "limited")).out).toMatch(/^rate +at most 600 requests a minute$/m);
    expect((await cli("tenants", "limit", "requestsPerMinute", "none", "--tenant", "limited")).code).toBe(0);
    expect((await cli("usage", "--tenant", "limited")).out).not.toContain("rate");
    expectUsageError(await cli("tenants", "limit", "requests", "5"), /has the limits requestsPerMinute/);
    expectUsageError(await cli("tenants", "limit", "bytes", "much"), /must be a whole number/);
  });

  test("disable refuses a tenant's keys, enable takes them again", async () => {
    await cli("tenants", "create", "resting");
    const key = (await cli("keys", "create", "x", "--scope", "tenant", "--tenant", "resting")).out.trim();
    expect(await cli("tenants", "disable", "resting")).toMatchObject({
      code: 0,
      out: "The tenant resting is disabled.\n",
    });
    expectFailure(await cliOn(app, key)("agents", "list"), "tenant_disabled");
    expect(rowsOf(await cli("tenants", "list"))).toContainEqual([expect.any(String), "resting", "disabled"]);
    expect(await cli("tenants", "enable", "resting")).toMatchObject({
      code: 0,
      out: "The tenant resting is enabled.\n",
    });
    expect((await cliOn(app, key)("agents", "list")).code).toBe(0);
    expectUsageError(await cli("tenants", "disable"), /missing required argument/);
  });

  test("erase removes a tenant with its agents and keys, and says what stays", async () => {
    const id = (await cli("tenants", "create", "leaving")).out.trim();
    const key = (await cli("keys", "create", "x", "--scope", "tenant", "--tenant", "leaving")).out.trim();
    for (const agent of ["one", "two"]) {
      const put = await app.call("PUT", `/v1/agents/${agent}/files/a.md`, { content: "A note" }, key);
      expect(put.status).toBe(200);
    }
    expectUsageError(await cli("tenants", "erase", "leaving"), /pass --yes/);
    expectFailure(await cliOn(app, key)("tenants", "erase", "leaving", "--yes"), "forbidden");
    const erased = await cli("tenants", "erase", "leaving", "--yes");
    expect(erased.code).toBe(0);
    expect(erased.out).toMatch(/^tenant +leaving \(.+\)$/m);
    expect(erased.out).toMatch(/^counts\.agents +2$/m);
    expect(erased.out).toMatch(/^counts\.keys +1$/m);
    expect(erased.out).toMatch(/^receipt +[0-9a-f-]{36}$/m);
    for (const stays of [/RECOLLECT_EXPORT_DIR/, /dumps/, /write-ahead log/, /audit log/, /logs/])
      expect(erased.out).toMatch(stays);
    expectFailure(await cliOn(app, key)("agents", "list"), "unauthenticated");
    expect((await cli("tenants", "list")).out).not.toContain("leaving");
    const { entries } = await json<{ entries: { action: string; target: string }[] }>("audit", "--tenant", id);
    expect(entries.filter(({ action }) => action === "agent.erase").map(({ target }) => target)).toEqual([
      "two",
      "one",
    ]);
    expectFailure(await cli("tenants", "erase", "leaving", "--yes"), "tenant_not_found");
  });

  test("erase refuses the default tenant before anything is lost, and prints one receipt as JSON", async () => {
    await cli("agents", "create", "kept");
    expectFailure(await cli("tenants", "erase", "default", "--yes"), "tenant_not_empty");
    expect(rowsOf(await cli("agents", "list")).map(([agent]) => agent)).toContain("kept");
    expect(rowsOf(await cli("tenants", "list"))).toContainEqual([expect.any(String), "default", "active"]);
    const id = (await cli("tenants", "create", "short")).out.trim();
    await cli("agents", "create", "one", "--tenant", id);
    // No list shows an agent during its import, but the tenant cannot be removed before it ends.
    await app.db.executeSql("UPDATE recollect.agents SET status = 'importing' WHERE tenant_id = $1", [id]);
    const receipt = await json<{ tenantId: string; agents: object[] }>("tenants", "erase", id, "--yes");
    expect(receipt).toMatchObject({ removed: true, tenantId: id, tenantName: "short", agents: [{ agentId: "one" }] });
  });

  test("usage --storage says which agents hold the disk, and for the operator what else does", async () => {
    const id = (await cli("tenants", "create", "stored")).out.trim();
    for (const agent of ["first", "second"]) await cli("agents", "create", agent, "--tenant", id);
    const head = ["agent", "on disk", "files", "conversations", "facts", "history", "index", "dead rows", "cache"];
    const shown = await cli("usage", "--storage", "--tenant", "stored");
    expect(shown.out.split("\n")[0]?.split(/ {2,}/)).toEqual(head);
    expect(rowsOf(shown).map(([agent]) => agent)).toEqual(["first", "second"]);
    expect((await cli("usage", "--storage", "--limit", "1", "--tenant", "stored")).out).toMatch(
      /^1 smaller agents were not measured; see --limit\.$/m,
    );
    const one = (await cli("usage", "--storage", "--agent", "second", "--tenant", "stored")).out;
    expect(one).toMatch(/^second .+\n\nsnapshots +0\nkeep +0 former versions of files with 0 B of text\n$/m);
    const all = (await cli("usage", "--storage", "--server")).out;
    expect(all).toMatch(/^tenant +agent +on disk/);
    for (const line of [
      /^database +\d+(\.\d)? MB$/m,
      /^embedding cache +/m,
      /^spare schemas +\d+ \(/m,
      /^log held by slots +0 B$/m,
    ])
      expect(all).toMatch(line);
    expectUsageError(await cli("usage", "--storage", "--embeddings"), /cannot be used with/);
    expectUsageError(await cli("usage", "--storage", "--server", "--tenant", "stored"), /cannot be used with/);
    expectUsageError(await cli("usage", "--storage", "--limit", "101"), /whole number/);
  });

  test("a name that is taken, a tenant that is not there, a key that may not", async () => {
    expectFailure(await cli("tenants", "create", "acme"), "tenant_exists");
    const unknown = ["--tenant", "3b241101-e2bb-4255-8caf-4136c566a962"];
    expectFailure(await cli("agents", "list", ...unknown), "tenant_not_found");
    expectFailure(await cli("agents", "list", "--tenant", "Acme"), "tenant_not_found");
    expectUsageError(await cli("agents", "list", "--tenant", ""), /name or the id of a tenant/);
    const key = await app.key(["tenant"]);
    expectFailure(await cliOn(app, key)("agents", "list", "--tenant", "acme"), "forbidden");
    expectFailure(await cliOn(app, key)("tenants", "list"), "forbidden");
    expectFailure(await cliOn(app, key)("agents", "list", ...unknown), "forbidden");
    expectFailure(await cliOn(app, key)("fleet", "status"), "forbidden");
  });
});

test("audit lists who did what, newest first", async () => {
  const id = (await cli("tenants", "create", "audited")).out.trim();
  const key = await app.key(["tenant"], { tenantId: id });
  await cliOn(app, key)("agents", "create", "noted");
  await cli("tenants", "limit", "bytes", "10GB", "--tenant", id);
  const rows = rowsOf(await cli("audit", "--tenant", id));
  expect(rows.map((cells) => cells.slice(1))).toEqual([
    ["local", "tenant.update", id, "limits.bytes: default → 10000000000"],
    [key.slice(0, 16), "agent.create", "noted"],
    ["local", "key.create", key.slice(0, 16)],
    ["local", "tenant.create", id],
  ]);
  const { entries } = await json<{ entries: { action: string }[] }>("audit", "--tenant", id);
  expect(entries.map((entry) => entry.action)).toEqual([
    "tenant.update",
    "agent.create",
    "key.create",
    "tenant.create",
  ]);
  const { effectiveLimits } = await json<{ effectiveLimits: { bytes?: number } }>("usage", "--tenant", id);
  expect(effectiveLimits.bytes).toBe(10_000_000_000);
});

test("fleet status says how far the migration is; migrate starts it", async () => {
  await app.put("a.md", "A note", "of-the-fleet");
  const status = await cli("fleet", "status");
  expect(status).toMatchObject({ code: 0, err: "" });
  expect(status.out).toMatch(/^agents +\d+: \d+ at version \d+, 0 behind, 0 failed$/m);
  expect(status.out).toMatch(/^version +agents\n\d+ +\d+$/m);
  const fleet = await json<{ agents: number; current: number }>("fleet", "status");
  expect(fleet.agents).toBeGreaterThan(0);
  expect(fleet.current).toBe(fleet.agents);
  expect(await json("fleet", "migrate")).toMatchObject({ agents: fleet.agents, behind: 0, failed: [] });
});

test("control characters in names that others chose do not reach the terminal", async () => {
  await app.call("POST", "/v1/agents", { id: "hostile", name: `x${ESCAPE}\r\nforged row` });
  const key = await app.call<{ id: string }>("POST", "/v1/keys", { name: `k${ESCAPE}`, scopes: ["search"] });
  await app.tenant(`t${ESCAPE}`);
  const outputs = [
    await cli("agents", "list"),
    await cli("keys", "list"),
    await cli("tenants", "list"),
    await cli("keys", "revoke", key.body.id),
    await cli("audit"),
  ];
  for (const { code, out } of outputs) {
    expect(code).toBe(0);
    expect(out).not.toMatch(/[^\P{Cc}\n]/u);
    expect(out).not.toMatch(/^forged/m);
  }
  expect(outputs[0]?.out).toContain("x\ufffd[2J\ufffd31m\ufffd\ufffdforged row");
});
