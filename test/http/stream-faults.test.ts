import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createChangeStreams } from "../../src/http/streams/change-streams.ts";
import { LOCAL_CALLER } from "../../src/service/core/authenticate.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** The most streams of one caller at a time. */
const MOST = 10;

describe("an event stream", () => {
  let app: TestApp;
  const logged: string[] = [];
  beforeEach(async () => {
    logged.length = 0;
    app = await startTestApp({
      worker: false,
      env: { RECOLLECT_LOG_LEVEL: "error" },
      log: { write: (line) => logged.push(line) },
    });
    await app.put("a.md", "Text");
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await app.drop();
  });

  const open = (kind: string) => app.runtime.app.request(`/v1/agents/main/${kind}`);
  /**
   * Makes every use of the database fail, as a mistake in the code would.
   *
   * @returns a function that repairs it
   */
  const breakDatabase = () => {
    const deps = app.runtime.deps as { db: typeof app.runtime.deps.db };
    const { db } = deps;
    deps.db = new Proxy(db, {
      get: () => () => {
        throw new TypeError("nobody thought of this");
      },
    });
    return () => {
      deps.db = db;
    };
  };

  test.each(["events", "changes/events"])(
    "at %s that ends by a fault says so in the log, once, and nowhere else, and gives back its place",
    async (kind) => {
      const written = vi.spyOn(console, "error");
      const streams = await Promise.all(Array.from({ length: MOST }, () => open(kind)));
      const repair = breakDatabase();
      for (const stream of streams) expect(await stream.text()).not.toContain("nobody thought");
      repair();
      const faults = logged.map((line) => JSON.parse(line) as { code: string; err: { message: string } });
      // Each stream of changes reads by itself; streams of a status share a poll.
      expect(faults).toHaveLength(kind === "events" ? 1 : MOST);
      for (const { code, err } of faults) expect([code, err.message]).toEqual(["internal", "nobody thought of this"]);
      expect(written).not.toHaveBeenCalled();
      const again = await open(kind);
      expect(again.status).toBe(200);
      await again.body?.cancel();
    },
  );

  test("of changes adds no listener for each look", async () => {
    const { service, accepting, takeStreamPlace } = {
      service: app.runtime.deps,
      takeStreamPlace: () => () => undefined,
      accepting: vi.fn(() => true),
    };
    const ended = new AbortController();
    const feed = {
      caller: LOCAL_CALLER,
      agentId: "main",
      since: new Date(Date.now() + 3_600_000),
      cursor: undefined,
      checkKey: async () => undefined,
    };
    const events = await createChangeStreams({ service, accepting, takeStreamPlace })({
      ...feed,
      signal: ended.signal,
    });
    const next = events[Symbol.asyncIterator]().next();
    await until(async () => accepting.mock.calls.length >= 3);
    expect(getEventListeners(ended.signal, "abort").length).toBeLessThanOrEqual(2);
    ended.abort();
    expect((await next).done).toBe(true);
  });
});
