import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import type { Database, SqlExecutor } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/pg.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { answerOf, connectClient, ERAS } from "../support/mcp-client.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const SEARCH = "/v1/agents/main/tools/memory_search";
const NOTE = "The heron waits at the ferry.";

interface Unavailable {
  results?: unknown[];
  facts?: unknown[];
  error: string;
  warning: string;
  action: string;
}

/** Returns a database that fails like one that is away, while `trouble` is set. */
function fragile({ db, ...rest }: TestDatabase) {
  const state: { trouble: AppError | undefined; spared: number } = { trouble: undefined, spared: 0 };
  const guard =
    <Args extends unknown[], T>(run: (...args: Args) => Promise<T>) =>
    async (...args: Args) => {
      if (state.trouble && --state.spared < 0) throw state.trouble;
      return run(...args);
    };
  const executeSql = guard(db.executeSql) as SqlExecutor["executeSql"];
  const transaction = guard(db.transaction) as Database["transaction"];
  return { state, database: { ...rest, db: { ...db, executeSql, transaction } } };
}

describe("while the database is away", () => {
  const away = new AppError("database_unavailable", "The database cannot be reached right now; try again in a moment.");
  let app: TestApp;
  let own: TestDatabase;
  let key: string;
  /** `spared` is the number of statements that succeed before the failure. */
  let setTrouble: (trouble: AppError | undefined, spared?: number) => void;
  beforeAll(async () => {
    own = await openTestDatabase();
    const { state, database } = fragile(own);
    setTrouble = (trouble, spared = 0) => {
      Object.assign(state, { trouble, spared });
    };
    app = await startTestApp({ worker: false, on: database });
    await app.put("a.md", NOTE);
    key = await app.key(["search", "agent:read", "agent:write"]);
  });
  afterAll(async () => {
    setTrouble(undefined);
    await app.drop();
    await own.drop();
  });
  const during = async <T>(act: () => Promise<T>, trouble = away, spared = 0) => {
    setTrouble(trouble, spared);
    return act().finally(() => setTrouble(undefined));
  };

  test.each([
    ["with a key", true],
    ["in process, without one", false],
    ["by the route for programs", true, "/v1/agents/main/search"],
  ])("memory_search %s is a result that says what to do, not an error", async (_how, keyed, path = SEARCH) => {
    const found = await during(() => app.call<Unavailable>("POST", path, { query: "heron" }, keyed ? key : undefined));
    expect(found).toMatchObject({
      status: 200,
      body: { results: [], disabled: true, unavailable: true, error: "database_unavailable" },
    });
    expect(found.body.warning).toMatch(/unavailable/);
    expect(found.body.action).toMatch(/Tell the user/);
  });

  test("so is memory_recall", async () => {
    const recalled = await during(() =>
      app.call<Unavailable>("POST", "/v1/agents/main/tools/memory_recall", { query: "heron" }, key),
    );
    expect(recalled).toMatchObject({ status: 200, body: { facts: [], disabled: true, unavailable: true } });
  });

  test("other routes and tools that write are problems, so that clients send them again", async () => {
    const asked: [string, string, unknown?][] = [
      ["GET", "/v1/agents/main/files/a.md"],
      ["GET", "/v1/agents/main/tools"],
      ["PUT", "/v1/agents/main/files/b.md", { content: "b" }],
      ["POST", "/v1/agents/main/recall", { message: "heron" }],
      ["POST", "/v1/agents/main/tools/memory_store", { text: "The heron waits." }],
      ["POST", "/v1/agents/main/tools/memory_get", { path: "a.md" }],
    ];
    for (const [method, path, body] of asked)
      expect(await during(() => app.call(method, path, body, key)), path).toMatchObject({
        status: 503,
        body: { error: { code: "database_unavailable" } },
      });
  });

  test("the process is not ready, and says whether the database is away or has no connection left", async () => {
    const ready = (code: "database_unavailable" | "database_busy") =>
      during(() => app.call("GET", "/health/ready"), new AppError(code, "A state."));
    expect(await ready("database_busy")).toMatchObject({ status: 503, body: { status: "database busy" } });
    expect(await ready("database_unavailable")).toMatchObject({
      status: 503,
      body: { status: "database unavailable" },
    });
  });

  test("a key that is none is refused as ever", async () => {
    const refused = await during(() => app.call("POST", SEARCH, { query: "heron" }, "rcl_none"));
    expect(refused).toMatchObject({ status: 401, body: { error: { code: "unauthenticated" } } });
  });

  test.each(["database_busy", "database_timeout", "database_full"] as const)(
    "%s is such a result too",
    async (code) => {
      const trouble = new AppError(code, "A state.");
      const found = await during(() => app.call("POST", SEARCH, { query: "heron" }, key), trouble);
      expect(found).toMatchObject({ status: 200, body: { results: [], unavailable: true, error: code } });
    },
  );

  describe.each(ERAS)("over MCP, %j", (era) => {
    test("a client connects, sees the tools, and a search is a result that says what to do", async () => {
      await during(async () => {
        const client = await connectClient(app, { era, key });
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toContain("memory_search");
        const found = answerOf(await client.callTool({ name: "memory_search", arguments: { query: "heron" } }));
        expect(found).toMatchObject({ results: [], disabled: true, unavailable: true, error: "database_unavailable" });
        expect(found.action).toMatch(/Tell the user/);
        const stored = await client.callTool({ name: "memory_store", arguments: { text: "The heron waits." } });
        expect(stored).toMatchObject({ isError: true });
        expect(JSON.stringify(stored.content)).toMatch(/try again in a moment.*database_unavailable/);
        await client.close();
      });
    });

    test.each([1, 2, 3, 4, 5])("after %i statements of the request, a search is such a result", async (spared) => {
      const client = await connectClient(app, { era, key });
      const call = async () =>
        answerOf(await client.callTool({ name: "memory_search", arguments: { query: `heron ${spared}` } }));
      const found = await during(call, away, spared);
      // The answer has the results found so far, or all of them if no more statements were needed.
      if (found.unavailable === true) expect(found).toMatchObject({ error: "database_unavailable" });
      else expect(found).toMatchObject({ results: [{ path: "a.md" }] });
      await client.close();
    });

    test("a client that was connected before goes on when the database is back", async () => {
      const client = await connectClient(app, { era, key });
      const call = async () =>
        answerOf(await client.callTool({ name: "memory_search", arguments: { query: "heron" } }));
      expect(await during(call)).toMatchObject({ unavailable: true });
      expect(await call()).toMatchObject({ results: [{ path: "a.md" }] });
      await client.close();
    });
  });

  test("a message that is large is not read for who cannot be known", async () => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { padding: "x".repeat(100_000) } };
    const answer = await during(() =>
      app.call("POST", "/v1/agents/main/mcp", message, key, { accept: "application/json, text/event-stream" }),
    );
    expect(answer).toMatchObject({ status: 503, body: { error: { code: "database_unavailable" } } });
  });
});

describe("a database that takes no writes", () => {
  let app: TestApp;
  let key: string;
  const readOnly = async (is: boolean) => {
    const { db, url } = app;
    const state = is ? "on" : "off";
    if (url === undefined) {
      await db.executeSql(`SET default_transaction_read_only = ${state}`);
      return;
    }
    const admin = openPostgres({ connectionString: url, maxConnections: 1, onIdleError: () => undefined });
    await admin.executeSql("SET default_transaction_read_only = off");
    const name = new URL(url).pathname.slice(1);
    await admin.executeSql(`ALTER DATABASE ${name} SET default_transaction_read_only = ${state}`);
    // As in a failover, after which all connections are new.
    await admin.executeSql(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'recollect'`,
    );
    await admin.close();
    // Uses all of the pool's connections at once, so that every connection notices its end.
    const ask = () => Array.from({ length: 24 }, () => app.db.executeSql("SELECT pg_sleep(0.01)"));
    await until(async () => (await Promise.allSettled(ask())).every(({ status }) => status === "fulfilled"));
  };
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    await app.put("a.md", NOTE);
    await app.call("POST", "/v1/agents/main/facts", { facts: [{ text: "The ferry leaves at noon." }] });
    // Unindexed messages make a search request a sync, which is a write.
    await app.call("POST", "/v1/agents/main/sessions/s1/messages", {
      messages: [{ role: "user", content: "Where is the heron?" }],
    });
    key = await app.key(["search", "agent:read", "agent:write"]);
    await readOnly(true);
  });
  afterAll(async () => {
    await readOnly(false);
    await app.drop();
  });

  test("is not ready, and says why; it lives", async () => {
    expect(await app.call("GET", "/health/ready")).toMatchObject({
      status: 503,
      body: { status: "database read-only" },
    });
    expect((await app.call("GET", "/health/live")).status).toBe(200);
    expect(await app.runtime.ready()).toBe(false);
  });

  test("is searched and read all the same, with a key, whose requests are counted in the process", async () => {
    const found = await app.call<{ results: { path: string }[] }>("POST", SEARCH, { query: "heron" }, key);
    expect(found.status).toBe(200);
    expect(found.body.results.map(({ path }) => path)).toContain("a.md");
    const asked: [string, string, unknown?][] = [
      ["POST", "/v1/agents/main/tools/memory_get", { path: "a.md" }],
      ["POST", "/v1/agents/main/tools/memory_recall", { query: "ferry" }],
      ["POST", "/v1/agents/main/recall", { message: "When does the ferry leave?" }],
      ["GET", "/v1/agents/main/files/a.md"],
      ["GET", "/v1/agents/main/facts"],
      ["GET", "/v1/agents/main/status"],
    ];
    for (const [method, path, body] of asked) expect((await app.call(method, path, body, key)).status, path).toBe(200);
    const client = await connectClient(app, { key });
    const answer = answerOf(await client.callTool({ name: "memory_search", arguments: { query: "heron" } }));
    expect(answer).toMatchObject({ results: expect.arrayContaining([expect.objectContaining({ path: "a.md" })]) });
    await client.close();
  });

  test("has settings whose index would have to be built anew, and is searched all the same", async () => {
    await readOnly(false);
    await app.call("PATCH", "/v1/agents/main", { settings: { chunking: { tokens: 100, overlap: 10 } } });
    // Without this the search would see that the build has been requested already.
    await app.db.executeSql("DELETE FROM recollect_jobs.job");
    await readOnly(true);
    expect(await app.search("heron ferry")).toMatchObject({
      results: expect.arrayContaining([expect.objectContaining({ path: "a.md" })]),
    });
  });

  test("holds a key's limit in each process", async () => {
    await readOnly(false);
    const few = await app.key(["search"], { requestsPerMinute: 3 });
    await readOnly(true);
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await app.call("POST", SEARCH, { query: "heron" }, few)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  });

  test("refuses a write with a code of its own and a remedy", async () => {
    const writes: [string, string, unknown][] = [
      ["PUT", "/v1/agents/main/files/b.md", { content: "b" }],
      ["POST", "/v1/agents/main/tools/memory_store", { text: "The heron waits." }],
      ["POST", "/v1/agents/main/sync", {}],
    ];
    for (const [method, path, body] of writes) {
      const { status, body: problem } = await app.call<ErrorBody>(method, path, body, key);
      expect([status, problem.error.code], path).toEqual([503, "database_read_only"]);
      expect(problem.error.message).toMatch(/primary/);
    }
  });

  test("takes them again when it may, and is ready", async () => {
    await readOnly(false);
    expect((await app.call("GET", "/health/ready")).status).toBe(200);
    expect((await app.call("PUT", "/v1/agents/main/files/b.md", { content: "b" }, key)).status).toBe(200);
  });
});

describe("a disk that is full", () => {
  test("is said of a write; searches go on", async () => {
    const app = await startTestApp({ worker: false });
    try {
      await app.put("a.md", NOTE);
      const { rows } = await app.db.executeSql<{ schema: string }>(
        "SELECT schema_name AS schema FROM recollect.agents",
      );
      await app.db.executeSql(
        `CREATE FUNCTION public.full_disk() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
         CREATE TRIGGER full_disk BEFORE INSERT ON ${rows[0]?.schema}.files EXECUTE FUNCTION public.full_disk()`,
      );
      const written = await app.call<ErrorBody>("PUT", "/v1/agents/main/files/b.md", { content: "b" });
      expect([written.status, written.body.error.code]).toEqual([507, "database_full"]);
      expect(await app.search("heron")).toMatchObject({ results: [{ path: "a.md" }] });
    } finally {
      await app.drop();
    }
  });
});

describe("a database whose tables were dropped", () => {
  test("is a sentence for the operator, not a fault", async () => {
    const app = await startTestApp({ worker: false });
    try {
      const key = await app.key(["search", "agent:read"]);
      await app.db.executeSql("ALTER TABLE recollect.api_keys RENAME TO dropped");
      const { status, body } = await app.call<ErrorBody>("GET", "/v1/agents", undefined, key);
      expect([status, body.error.code]).toEqual([503, "database_unavailable"]);
      expect(body.error.message).toMatch(/tables are missing.*backup/);
    } finally {
      await app.drop();
    }
  });
});

test("a database without the service's tables, as when it was made anew under the process, is not ready", async () => {
  const app = await startTestApp({ worker: false });
  const ready = () => app.call("GET", "/health/ready");
  const empty = { status: 503, body: { status: "database empty" } };
  expect(await ready()).toMatchObject({ status: 200, body: { status: "ready" } });
  for (const schema of ["recollect", "recollect_jobs"]) {
    await app.db.executeSql(`ALTER SCHEMA ${schema} RENAME TO away`);
    expect(await ready()).toMatchObject(empty);
    expect(await app.runtime.ready()).toBe(false);
    await app.db.executeSql(`ALTER SCHEMA away RENAME TO ${schema}`);
    expect(await ready()).toMatchObject({ status: 200 });
  }
  await app.drop();
});
