import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createClient } from "../../src/client/client.ts";

type Answer = (response: ServerResponse) => void;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const reply =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
const problem = (status: number, code: string, headers?: Record<string, string>) =>
  reply(status, { code, detail: `It is ${code}.`, status, requestId: "r1" }, headers);
const hangUp: Answer = (response) => response.destroy();
const never: Answer = () => undefined;
const DONE = reply(200, { path: "a.md", status: "created" });

/** Starts a server that gives these answers and records the requests. */
async function faulty(...answers: Answer[]) {
  const asked: { method: string; key: string | undefined; at: number }[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    asked.push({
      method: request.method ?? "",
      key: request.headers["idempotency-key"] as string | undefined,
      at: performance.now(),
    });
    request.resume().on("end", () => (answers.shift() ?? DONE)(response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, url, client: createClient({ url, maxTries: 4, timeoutMs: 5000 }) };
}

test("a write is sent again under the same key until it is answered", async () => {
  const { client, asked } = await faulty(
    hangUp,
    problem(503, "database_unavailable", { "retry-after": "0" }),
    reply(502, "<html>gateway</html>", { "retry-after": "0" }),
  );
  expect(await client.agent().files.put("a.md", "text")).toMatchObject({ status: "created" });
  expect(asked).toHaveLength(4);
  expect(new Set(asked.map((one) => one.key)).size).toBe(1);
  expect(asked[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
  await client.agent().files.put("a.md", "text");
  expect(asked[4]?.key).not.toBe(asked[0]?.key);
});

test("a write whose first try is still being answered asks again", async () => {
  const { client, asked } = await faulty(problem(409, "idempotency_key_in_use", { "retry-after": "0" }));
  await client.agent().sessions.append({ session: "slack:C1", messages: [{ role: "user", text: "hello" }] });
  expect(asked).toHaveLength(2);
});

test("Retry-After is waited for, in seconds and as a date", async () => {
  const { client, asked } = await faulty(problem(429, "rate_limited", { "retry-after": "1" }));
  await client.agent().status();
  expect((asked[1]?.at ?? 0) - (asked[0]?.at ?? 0)).toBeGreaterThan(950);
  const dated = await faulty(problem(429, "rate_limited", { "retry-after": new Date(0).toUTCString() }));
  await dated.client.agent().status();
  expect(dated.asked).toHaveLength(2);
});

test("what cannot change by waiting is not sent again", async () => {
  const { client, asked } = await faulty(problem(404, "file_not_found"), problem(500, "internal"));
  await expect(client.agent().files.get("a.md")).rejects.toMatchObject({ code: "file_not_found", requestId: "r1" });
  await expect(client.agent().files.put("a.md", "x")).rejects.toMatchObject({ code: "internal", status: 500 });
  expect(asked).toHaveLength(2);
});

test("gives up after as many tries as it may make", async () => {
  const { client, asked } = await faulty(
    ...Array.from({ length: 9 }, () => problem(503, "database_unavailable", { "retry-after": "0" })),
  );
  await expect(client.agent().status()).rejects.toMatchObject({ code: "database_unavailable" });
  expect(asked).toHaveLength(4);
});

test("what may have been done and has no key is not sent twice", async () => {
  const { client, asked } = await faulty(hangUp);
  await expect(client.request("POST", "/v1/keys", { body: {} })).rejects.toMatchObject({ code: "service_unreachable" });
  expect(asked).toHaveLength(1);
  const refused = await faulty(problem(429, "rate_limited", { "retry-after": "0" }));
  await refused.client.request("POST", "/v1/keys", { body: {} });
  expect(refused.asked).toHaveLength(2);
});

test.each([
  ["ERR_SSL_WRONG_VERSION_NUMBER", 1, /does not speak TLS at this port/],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", 1, /not trusted: set NODE_EXTRA_CA_CERTS/],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", 1, /not trusted: set NODE_EXTRA_CA_CERTS/],
  ["CERT_HAS_EXPIRED", 1, /has expired/],
  ["ERR_TLS_CERT_ALTNAME_INVALID", 1, /for another name/],
  ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", 2, /is the server running\?$/],
  ["ECONNRESET", 2, /is the server running\?$/],
])("a connection that fails with %s is tried %i times and explained", async (code, tries, sentence) => {
  let tried = 0;
  const fetch = () => {
    tried++;
    return Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) }));
  };
  const client = createClient({ url: "https://memory.example", fetch, maxTries: 2 });
  await expect(client.agent().status()).rejects.toThrow(sentence);
  expect(tried).toBe(tries);
});

test("another server than ours is said to be one", async () => {
  const { client } = await faulty(reply(404, "<html>nginx</html>"));
  await expect(client.agent().status()).rejects.toThrow(/answered \(status 404\) but not as Recollect does/);
});

test("a proxy that refuses a large body is said to be one", async () => {
  const { client } = await faulty(reply(413, "<html>413 Request Entity Too Large</html>"));
  await expect(client.agent().status()).rejects.toThrow(/refused the request as too large \(status 413\)/);
});

test("an error in the form of an older server is understood", async () => {
  const error = { code: "invalid_path", message: "No such path.", requestId: "r1" };
  const { client } = await faulty(reply(400, { error }));
  await expect(client.agent().status()).rejects.toMatchObject({ ...error, status: 400 });
});

test("the caller's signal ends the request and the waiting, with its own reason", async () => {
  const reason = new Error("enough");
  const hanging = await faulty(never);
  const stop = new AbortController();
  const request = hanging.client.request("GET", "/v1/agents", { signal: stop.signal });
  stop.abort(reason);
  await expect(request).rejects.toBe(reason);
  const waiting = await faulty(problem(429, "rate_limited", { "retry-after": "30" }));
  const timer = AbortSignal.timeout(200);
  await expect(waiting.client.request("GET", "/v1/agents", { signal: timer })).rejects.toMatchObject({
    name: "TimeoutError",
  });
});

test("a try that takes too long is given up, and the next may succeed", async () => {
  const { url, asked } = await faulty(never, reply(200, { agents: [] }));
  const client = createClient({ url, timeoutMs: 300, maxTries: 2 });
  expect(await client.agents.list()).toEqual({ agents: [] });
  expect(asked).toHaveLength(2);
});

test("a limit that every try exceeds is named, and a write may have been carried out", async () => {
  const { url } = await faulty(never, never, never, never);
  const client = createClient({ url, timeoutMs: 300, maxTries: 1 });
  const code = "service_unreachable";
  await expect(client.agents.list()).rejects.toMatchObject({
    code,
    message: expect.stringContaining("within 300 ms; give"),
  });
  const write = client.agent().files.put("a.md", "x");
  await expect(write).rejects.toMatchObject({ code, message: expect.stringContaining("may have carried it out") });
});

const stream =
  (...data: object[]): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const one of data) response.write(`event: status\ndata: ${JSON.stringify(one)}\n\n`);
    response.end();
  };

test("a stream that breaks is followed by another; a refusal ends it", async () => {
  const { client, asked } = await faulty(
    stream({ files: 1 }, { files: 2 }),
    hangUp,
    stream({ files: 3 }),
    problem(401, "unauthenticated"),
  );
  const seen: number[] = [];
  const follow = async () => {
    for await (const status of client.agent().watchStatus()) seen.push(status.files);
  };
  await expect(follow()).rejects.toMatchObject({ code: "unauthenticated" });
  expect(seen).toEqual([1, 2, 3]);
  expect(asked).toHaveLength(4);
});

test("a stream goes on after a limit, and while the server is away", async () => {
  const { client, asked, url } = await faulty(
    problem(429, "rate_limited", { "retry-after": "0" }),
    stream({ files: 1 }),
    problem(429, "rate_limited", { "retry-after": "2" }),
    stream({ files: 2 }),
    problem(429, "rate_limited"),
    stream({ files: 3 }),
    problem(503, "overloaded"),
    stream({ files: 4 }),
    reply(502, "<html>gateway</html>"),
    stream({ files: 5 }),
    reply(504, "<html>gateway</html>"),
    stream({ files: 6 }),
    problem(404, "agent_not_found"),
    stream({ files: 7 }),
    problem(403, "forbidden"),
  );
  const seen: number[] = [];
  const follow = async (by = client) => {
    for await (const status of by.agent().watchStatus()) seen.push(status.files);
  };
  await expect(follow()).rejects.toMatchObject({ code: "agent_not_found", status: 404 });
  expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
  expect((asked[3]?.at ?? 0) - (asked[2]?.at ?? 0)).toBeGreaterThan(1950);
  let refused = 0;
  const flaky = createClient({
    url,
    fetch: async (to, init) => {
      if (refused++ === 0) throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } });
      return fetch(to, init);
    },
  });
  await expect(follow(flaky)).rejects.toMatchObject({ code: "forbidden" });
  expect(seen.at(-1)).toBe(7);
}, 30_000);

test("too many streams are said at once", async () => {
  const { client, asked } = await faulty(problem(429, "rate_limited"));
  const first = client.agent().watchStatus()[Symbol.asyncIterator]().next();
  await expect(first).rejects.toMatchObject({ code: "rate_limited", retryAfterMs: undefined });
  expect(asked).toHaveLength(1);
});
