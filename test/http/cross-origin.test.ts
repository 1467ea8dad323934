import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { readConfig } from "../../src/config/config.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const PAGE = "https://app.example.com";
const OTHER = "https://app.example.com.evil.example";

const allowed = (response: Response) => response.headers.get("access-control-allow-origin");
const ask = (app: TestApp, path: string, origin: string, init: RequestInit = {}) =>
  app.runtime.app.request(`https://memory.example${path}`, { ...init, headers: { origin, ...init.headers } });
const preflight = (app: TestApp, origin: string, path = "/v1/agents/main/files/a.md", method = "PUT") =>
  ask(app, path, origin, {
    method: "OPTIONS",
    headers: {
      "access-control-request-method": method,
      "access-control-request-headers": "authorization,content-type,idempotency-key,if-match",
    },
  });

describe("pages of other origins", () => {
  test("may read nothing unless they are named", async () => {
    const app = await startTestApp({ worker: false, keyless: false });
    try {
      for (const response of [
        await preflight(app, PAGE),
        await ask(app, "/v1/agents", PAGE),
        await ask(app, "/health/live", PAGE),
      ])
        expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect((await preflight(app, PAGE)).status).toBe(401);
    } finally {
      await app.drop();
    }
  });

  describe("that are named", () => {
    let app: TestApp;
    let key: string;
    beforeAll(async () => {
      app = await startTestApp({
        worker: false,
        env: { RECOLLECT_CORS_ORIGINS: `${PAGE}, http://localhost:5173` },
      });
      key = await app.key(["search", "agent:read", "agent:write"], { agentId: "main", requestsPerMinute: 200 });
    });
    afterAll(() => app.drop());

    test("may ask before they send, without a key", async () => {
      const response = await preflight(app, PAGE);
      expect(response.status).toBe(204);
      expect(allowed(response)).toBe(PAGE);
      expect(response.headers.get("vary")).toMatch(/origin/i);
      const headers = response.headers.get("access-control-allow-headers")?.toLowerCase().split(",");
      expect(headers).toEqual(expect.arrayContaining(["authorization", "content-type", "idempotency-key", "if-match"]));
      expect(response.headers.get("access-control-allow-methods")).toBe("GET,POST,PUT,PATCH,DELETE");
      expect(response.headers.get("access-control-max-age")).toBe("600");
    });

    test("never with cookies, and never for every origin", async () => {
      for (const origin of [PAGE, OTHER, "null", "http://localhost:5174", "https://APP.example.com"])
        for (const response of [await preflight(app, origin), await ask(app, "/health/live", origin)]) {
          expect(response.headers.has("access-control-allow-credentials")).toBe(false);
          expect(allowed(response)).toBe(origin === PAGE ? PAGE : null);
        }
    });

    test("read answers, errors included, with the headers that a client needs", async () => {
      const asked = [
        await ask(app, "/v1/agents/main/files/none.md", PAGE, { headers: { authorization: `Bearer ${key}` } }),
        await ask(app, "/v1/agents", PAGE),
        await ask(app, "/v1/nowhere", PAGE, { headers: { authorization: `Bearer ${key}` } }),
      ];
      expect(asked.map(({ status }) => status)).toEqual([404, 401, 404]);
      for (const response of asked) {
        expect(allowed(response)).toBe(PAGE);
        expect(response.headers.get("vary")).toMatch(/origin/i);
        const exposed = response.headers.get("access-control-expose-headers")?.split(",");
        expect(exposed).toEqual(expect.arrayContaining(["ETag", "Retry-After", "X-Request-Id", "RateLimit-Remaining"]));
        expect(response.headers.get("x-request-id")).toBeTruthy();
      }
    });

    test("get nothing without a key, on loopback neither", async () => {
      const response = await app.runtime.app.request("http://localhost/v1/agents", { headers: { origin: PAGE } });
      expect(response.status).toBe(401);
    });

    test("use the client, whose every header is allowed", async () => {
      const sent = new Set<string>();
      const client = createClient({
        url: "https://memory.example",
        key,
        // As in a browser, which asks for each header that is not on its own list.
        fetch: async (url, init) => {
          const headers = new Headers(init.headers);
          for (const name of headers.keys()) sent.add(name);
          headers.set("origin", PAGE);
          return app.runtime.app.request(url, { ...init, headers });
        },
      });
      const agent = client.agent("main");
      const { hash } = await agent.files.put("a.md", "The heron waits.");
      await agent.files.put("a.md", "The heron waits at the ferry.", { ifMatch: hash });
      expect((await agent.search("heron")).results).toHaveLength(1);
      const response = await preflight(app, PAGE);
      const headers = response.headers.get("access-control-allow-headers")?.toLowerCase().split(",") ?? [];
      expect([...sent].filter((name) => name !== "accept" && !headers.includes(name))).toEqual([]);
    });
  });
});

describe("RECOLLECT_CORS_ORIGINS", () => {
  const read = (value: string) => readConfig({ RECOLLECT_CORS_ORIGINS: value }).corsOrigins;
  test("is a list of origins; none by default", () => {
    expect(readConfig({}).corsOrigins).toEqual([]);
    expect(read("")).toEqual([]);
    expect(read(`${PAGE}, http://localhost:5173`)).toEqual([PAGE, "http://localhost:5173"]);
  });
  test.each(["*", "null", "app.example.com", `${PAGE}/`, `${PAGE}/app`, "https://*.example.com", "ftp://example.com"])(
    "%s is refused, and the start says what an origin is",
    (value) => {
      expect(() => read(value)).toThrow(/RECOLLECT_CORS_ORIGINS.*https:\/\/app\.example\.com/);
    },
  );
});
