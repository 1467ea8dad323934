import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { archive, markdown, sentBody } from "../support/hostile-input.ts";
import { callUrl, startServerProcess } from "../support/process.ts";
import { ROUTE_TABLE, type RouteCase } from "../support/route-table.ts";

const ADMIN_KEY = `rcl_${"a".repeat(12)}_${"b".repeat(48)}`;
/** The number of inputs per route; set a higher number to try more by hand. */
const RUNS = Number(process.env.RECOLLECT_HOSTILE_RUNS ?? 12);
const MOST_BLOCK_MS = 250;
/** Routes that would leave nothing for the other routes to work on. */
const FINAL = ["DELETE /v1/tenant", "DELETE /v1/agents/{agentId}"];
const ROUTES = Object.entries(ROUTE_TABLE).filter(
  ([route, { scope }]) => scope !== "admin" && scope !== "none" && !FINAL.includes(route),
);
/**
 * Whether the database has its own process: the embedded database computes in the thread that
 * answers.
 */
const OWN_THREAD = inject("serverUrl") !== undefined;

describe("any input of a size that is allowed", () => {
  let database: TestDatabase | undefined;
  let server: Awaited<ReturnType<typeof startServerProcess>>;
  let key: string;
  let lines: unknown[];
  let probing = true;
  let probes: Promise<void>;
  /** The slowest answer of `/health/live` since the last test, in milliseconds. */
  let slowest = 0;
  let quiet = 0;
  const folder = mkdtempSync(join(tmpdir(), "recollect-hostile-"));

  beforeAll(async () => {
    if (OWN_THREAD) database = await openTestDatabase();
    server = await startServerProcess(
      {
        ...(database?.url === undefined ? { RECOLLECT_DATA_DIR: folder } : { DATABASE_URL: database.url }),
        RECOLLECT_ADMIN_KEY: ADMIN_KEY,
        RECOLLECT_PROVIDER: "none",
        RECOLLECT_REQUESTS_PER_MINUTE: "1000000",
        // A worker's jobs would add computation that does not belong to a request.
      },
      ["--no-worker"],
    );
    const { body } = await callUrl<{ key: string }>(
      ...([server.url, "POST", "/v1/keys", { name: "any", scopes: ["tenant"] }, ADMIN_KEY] as const),
    );
    key = body.key;
    const note = { content: "# A\n\nA note of the harbour." };
    const file = await callUrl(server.url, "PUT", "/v1/agents/main/files/a.md", note, key);
    const facts = { facts: [{ text: "The boat is green." }] };
    const fact = await callUrl(server.url, "POST", "/v1/agents/main/facts", facts, key);
    const messages = { messages: [{ role: "user", text: "Is the boat green?" }] };
    const path = "/v1/agents/main/sessions/slack:C042/messages";
    const message = await callUrl(server.url, "POST", path, messages, key);
    expect([file.status, fact.status, message.status]).toEqual([200, 200, 200]);
    const exported = await fetch(`${server.url}/v1/agents/main/archive`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const text = gunzipSync(await exported.arrayBuffer()).toString();
    lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    probes = probe();
    await pause(2000);
    quiet = slowest;
  });
  afterAll(async () => {
    probing = false;
    await probes?.catch(() => undefined);
    server?.child.kill("SIGKILL");
    await server?.ended;
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function probe(): Promise<void> {
    while (probing) {
      const begun = performance.now();
      await fetch(`${server.url}/health/live`).then((response) => response.arrayBuffer());
      slowest = Math.max(slowest, performance.now() - begun);
      await pause(10);
    }
  }

  /** Sends a request and reads the answer; of an event stream only the head. */
  async function send(method: string, path: string, body?: Uint8Array, type = "application/json") {
    const headers = { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { "content-type": type }) };
    const init = body === undefined ? { method, headers } : { method, headers, body: Buffer.from(body) };
    const response = await fetch(server.url + path, init);
    if (response.headers.get("content-type")?.includes("event-stream")) {
      await response.body?.cancel();
      return { status: response.status, text: "" };
    }
    return { status: response.status, text: await response.text() };
  }

  /** Fails with the input if it makes the service fail or stand still. */
  async function holds(method: string, path: string, body?: Uint8Array, type?: string): Promise<void> {
    slowest = 0;
    const before = mainThreadMs(server.child.pid ?? 0);
    const { status, text } = await send(method, path, body, type);
    const computed = mainThreadMs(server.child.pid ?? 0) - before;
    // This server has no chat model, and says so.
    if (status >= 500 && !text.includes('"model_unavailable"')) throw new Error(`${status} ${text.slice(0, 500)}`);
    // Waiting for a busy machine is no computation, so both times must be long.
    if (OWN_THREAD && Math.min(slowest - quiet, computed) > MOST_BLOCK_MS)
      throw new Error(`The process stood still for ${slowest} ms and computed for ${computed} ms.`);
  }

  const filled = (path: string, params: Record<string, string>) =>
    path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(name === "agentId" ? "main" : (params[name] ?? "")),
    );

  const withBody = ROUTES.filter(([, { body, contentType }]) => body !== undefined && contentType === undefined);
  test.for(withBody)("as the body of %s", async ([route, { body, params = {} }]) => {
    const [method = "", path = ""] = route.split(" ");
    const property = fc.asyncProperty(sentBody(body), (sent) => holds(method, filled(path, params), sent));
    await fc.assert(property, { numRuns: RUNS });
  });

  test.for(ROUTES)("in the address of %s", async ([route, { body, params = {} }]) => {
    const [method = "", path = ""] = route.split(" ");
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("..", "%00", "main", "a".repeat(3000), "-1"));
    const address = fc.record({
      names: fc.tuple(...names.map((name) => fc.oneof(fc.constant(params[name] ?? "main"), text))),
      query: fc.array(
        fc.tuple(fc.oneof(fc.constantFrom("limit", "cursor", "from", "lines", "since", "all"), text), text),
        {
          maxLength: 3,
        },
      ),
    });
    const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const property = fc.asyncProperty(address, async ({ names: values, query }) => {
      const given = Object.fromEntries(names.map((name, i) => [name, values[i] ?? ""]));
      const base = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(wellFormed(given[name] ?? "")));
      const search = query.map((pair) => pair.map((one) => encodeURIComponent(wellFormed(one))).join("=")).join("&");
      await holds(method, `${base}?${search}`, sent, (ROUTE_TABLE[route] as RouteCase).contentType);
    });
    await fc.assert(property, { numRuns: RUNS });
  });

  test("as Markdown", async () => {
    const property = fc.asyncProperty(markdown, (content) => {
      const body = Buffer.from(JSON.stringify({ content }));
      return holds("PUT", "/v1/agents/main/files/any.md", body);
    });
    await fc.assert(property, { numRuns: RUNS * 10 });
  });

  test("as an archive", async () => {
    const property = fc.asyncProperty(archive(lines), (sent) =>
      holds("POST", `/v1/archives?as=a${crypto.randomUUID()}`, sent, "application/gzip"),
    );
    await fc.assert(property, { numRuns: RUNS * 5 });
  });

  test("and the service is as it was", async () => {
    const found = await callUrl<{ results: unknown[] }>(
      ...([server.url, "POST", "/v1/agents/main/tools/memory_search", { query: "harbour boat" }, key] as const),
    );
    expect([found.status, Array.isArray(found.body.results)]).toEqual([200, true]);
    expect(server.output().stderr).not.toMatch(/"level":60/);
  });
});

/**
 * Returns the processor time of a process's first thread, its event loop, in milliseconds; 0 if the
 * system does not report it.
 */
function mainThreadMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, "utf8");
    // The fields after the name, which may contain spaces: user and system time in hundredths of a
    // second.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}

/** Replaces half surrogate pairs, which an address cannot contain. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}
