import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EmbeddingSettings } from "../../src/service/embedding/embedder-registry.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

describe("attacks by somebody with a key", () => {
  let app: TestApp;
  let tenant: string;
  const home = mkdtempSync(join(tmpdir(), "recollect-home-"));
  const asked: EmbeddingSettings[] = [];
  beforeAll(async () => {
    mkdirSync(join(home, ".recollect"));
    const file = {
      memory: { search: { provider: "openai", remote: { apiKey: "sk-operators", headers: { a: "b" } } } },
    };
    writeFileSync(join(home, ".recollect", "config.yaml"), JSON.stringify(file));
    const words = new WordEmbedder();
    app = await startTestApp({
      env: { HOME: home },
      embedders: async (settings) => {
        asked.push(settings);
        return words;
      },
    });
    tenant = await app.key(["tenant"]);
  });
  afterAll(async () => {
    await app.drop();
    rmSync(home, { recursive: true, force: true });
  });

  const make = (id: string, settings: unknown, key = tenant) => app.call("POST", "/v1/agents", { id, settings }, key);

  test("the operator's key goes to no provider that a tenant chooses", async () => {
    expect((await make("plain", {})).status).toBe(201);
    expect(asked.at(-1)?.remote).toMatchObject({ apiKey: "sk-operators" });
    for (const provider of ["voyage", "mistral", "gemini"]) {
      expect((await make(provider, { provider })).status).toBe(201);
      const ours = asked.filter((settings) => settings.provider === provider);
      expect(ours.length).toBeGreaterThan(0);
      for (const { remote } of ours)
        expect([remote.apiKey, remote.headers, remote.baseUrl]).toEqual([undefined, undefined, undefined]);
    }
  });

  test("providers of the server's own network and disk are the operator's, also as fallback", async () => {
    for (const settings of [
      { provider: "ollama" },
      { provider: "local" },
      { provider: "openai-compatible" },
      { fallback: "ollama" },
    ]) {
      const { status, body } = await make("reaching", settings);
      expect([settings, status, body.error.code]).toEqual([settings, 403, "forbidden"]);
    }
    expect((await make("operators", { provider: "ollama" }, await app.key(["admin"]))).status).toBe(201);
  });

  test("a model's name is no path", async () => {
    for (const model of ["../../secret", "a/../../b", "/etc/passwd", "x?y=1", "a b", "https://x/y"]) {
      const { status, body } = await make("named", { model });
      expect([model, status, body.error.code]).toEqual([model, 400, "invalid_settings"]);
    }
    expect((await make("named", { model: "BAAI/bge-m3:latest@v1.2" })).status).toBe(201);
  });

  test("a key makes none that may more, or for longer, than itself", async () => {
    const soon = new Date(Date.now() + 600_000).toISOString();
    const small = await app.key(["tenant"], { requestsPerMinute: 20, expiresAt: soon });
    const mint = (more: object) =>
      app.call<ErrorBody & { requestsPerMinute: number; expiresAt: string }>(
        ...(["POST", "/v1/keys", { name: "n", scopes: ["search"], ...more }, small] as const),
      );
    expect((await mint({ requestsPerMinute: 1000 })).status).toBe(403);
    expect((await mint({ expiresAt: "2999-01-01T00:00:00Z" })).status).toBe(403);
    const made = await mint({});
    expect([made.status, made.body.requestsPerMinute, made.body.expiresAt]).toEqual([201, 20, soon]);
  });

  test("an agent that is being made is not left behind by an erasure that comes in between", async () => {
    for (let round = 0; round < 10; round++) {
      const writes = Array.from({ length: 4 }, (_, i) => app.put(`${i}.md`, "Text", "contested"));
      const erasures = Array.from({ length: 2 }, () => app.call("DELETE", "/v1/agents/contested"));
      const answers = await Promise.all([...writes, ...erasures]);
      expect(answers.map((answer) => answer.status).filter((status) => ![200, 404].includes(status))).toEqual([]);
      // The agent is erased or it exists, but never half of each.
      await app.call("DELETE", "/v1/agents/contested");
      expect((await app.call("GET", "/v1/agents/contested")).status).toBe(404);
    }
  });

  test("an erasure that this process could not finish is finished by a job", async () => {
    await app.put("a.md", "Text", "unfinished");
    await app.db.executeSql("UPDATE recollect.agents SET status = 'erasing' WHERE id = 'unfinished'");
    // Sends the job that the erasure itself sends, due at once.
    await app.call("POST", "/v1/fleet/migrate", {});
    await until(async () => {
      const { rows } = await app.db.executeSql("SELECT 1 FROM recollect.agents WHERE id = 'unfinished'");
      return rows.length === 0;
    });
    await app.put("a.md", "Text", "finished");
    await app.call("DELETE", "/v1/agents/finished");
    const { rows } = await app.db.executeSql(
      "SELECT 1 FROM recollect_jobs.job WHERE name = 'migrate-fleet' AND state = 'created'",
    );
    expect(rows.length).toBeGreaterThan(0);
  });

  test("large bodies are for files only, and an error does not repeat them", async () => {
    const large = await app.call("PATCH", "/v1/tenant", { settings: { ["k".repeat(300_000)]: 1 } });
    expect(large.status).toBe(413);
    const named = await app.call("PATCH", "/v1/tenant", { settings: { ["k".repeat(100_000)]: 1 } });
    expect([named.status, named.body.error.message.length < 1000]).toEqual([400, true]);
  });

  test("instants and texts that Postgres cannot hold are bad requests", async () => {
    for (const mtime of ["0000-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]) {
      const { status } = await app.call("PUT", "/v1/agents/main/files/a.md", { content: "x", mtime });
      expect([mtime, status]).toEqual([mtime, 400]);
    }
    for (const path of ["/v1/agents/main/files?prefix=%00", "/v1/jobs?agentId=%00"])
      expect([path, (await app.call("GET", path)).status]).toEqual([path, 400]);
  });

  test("without a key nobody is let in through a proxy or from another page", async () => {
    const ask = (headers: Record<string, string>) => app.runtime.app.request("/v1/agents", { headers });
    expect((await ask({})).status).toBe(200);
    expect((await ask({ origin: "http://localhost:3000" })).status).toBe(200);
    for (const headers of [
      ...["via", "x-real-ip", "x-forwarded-host", "x-forwarded-proto", "forwarded"].map((name) => ({ [name]: "x" })),
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
    ] as Record<string, string>[])
      expect([headers, (await ask(headers)).status]).toEqual([headers, 401]);
  });

  test("a key has ten streams at most", async () => {
    await app.put("a.md", "Text");
    const reader = await app.key(["agent:read"]);
    const open = () =>
      app.runtime.app.request("/v1/agents/main/events", { headers: { authorization: `Bearer ${reader}` } });
    const streams = await Promise.all(Array.from({ length: 10 }, open));
    expect(streams.map((stream) => stream.status)).toEqual(Array(10).fill(200));
    expect((await open()).status).toBe(429);
    await Promise.all(streams.map((stream) => stream.body?.cancel()));
  });
});
