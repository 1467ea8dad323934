import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isOutage } from "../../src/db/pg-error.ts";
import { createGroupCommits } from "../../src/service/core/group-commit.ts";
import type { Deps } from "../../src/service/deps.ts";
import type { AppendedMessages } from "../../src/service/sessions/commit-messages.ts";
import { checkAgents } from "../support/check-agent.ts";
import { countStatements } from "../support/count-statements.ts";
import { needsPostgres } from "../support/needs.ts";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";
import type { ErrorBody } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { wordVector } from "../support/word-embedder.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

describe("appends to one agent at once", () => {
  let app: SessionApp;
  beforeAll(async () => {
    app = await startSessionApp();
    // No append gives up waiting, however slow the machine is. group-commit.test.ts tests appends
    // that do.
    const deps = app.runtime.deps as { appendCommits: Deps["appendCommits"] };
    deps.appendCommits = createGroupCommits(isOutage, { inTurn: true, maxWaitMs: 3_600_000 });
  });
  afterAll(async () => {
    await app.drop();
  });

  /** Commits no append before `count` appends wait for the commit. */
  async function together<T>(count: number, appends: () => Promise<T>): Promise<T> {
    const deps = app.runtime.deps as { appendCommits: Deps["appendCommits"] };
    const queues = deps.appendCommits;
    const all = Promise.withResolvers<void>();
    let come = 0;
    deps.appendCommits = {
      add: (queue, entry) => {
        if (++come === count) all.resolve();
        return queues.add(queue, { ...entry, commit: (items) => all.promise.then(() => entry.commit(items)) });
      },
    };
    return appends().finally(() => {
      deps.appendCommits = queues;
    });
  }
  const texts = async (agent: string, session: string) =>
    (await app.page(agent, session, "?limit=1000")).messages.map((message) => message.text);
  const schemaOf = async (agent: string) => {
    const { rows } = await app.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1",
      [agent],
    );
    return rows[0]?.schema ?? "";
  };
  const codeOf = (body: unknown) => (body as ErrorBody).error?.code;

  test("share transactions, whichever sessions they are for, and each has its own numbers", async () => {
    await app.talker("many");
    let answers: Awaited<ReturnType<SessionApp["append"]>>[] = [];
    const transactions = await countStatements(app, /UPDATE "?recollect"?\."?usage/i, async () => {
      const appends = () =>
        Promise.all(numbers(24).map((i) => app.append("many", `room:${i % 3}`, [`Line ${i} of the egret.`])));
      answers = await together(24, appends);
    });
    // The first append may be committed alone. The index counts its chunks in separate
    // transactions.
    expect(transactions).toBeLessThanOrEqual(6);
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toMatchObject({ appended: 1, duplicates: 0, indexing: "done", unindexedMessages: 0 });
    }
    for (const room of numbers(3)) {
      const own = answers.filter(({ body }) => body.session === `room:${room}`);
      const places = own.map(({ body }) => body.lastMessage).toSorted((a, b) => a - b);
      expect(places).toEqual(numbers(8).map((i) => i + 1));
      const stored = await texts("many", `room:${room}`);
      for (const [i, { body }] of answers.entries())
        if (i % 3 === room) expect(stored[body.lastMessage - 1]).toBe(`Line ${i} of the egret.`);
    }
    expect(await app.status("many")).toMatchObject({ unindexedMessages: 0 });
  });

  const oneSession = needsPostgres("the embedded database has one session, so nothing waits at a lock");
  test("hold one connection while they wait for a session that another process has locked", oneSession, async () => {
    await app.talker("locked");
    await app.append("locked", "web:1", ["The first."]);
    const release = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    const schema = await schemaOf("locked");
    const holding = app.db.transaction(async (tx) => {
      await tx.executeSql(`SELECT FROM ${schema}.sessions WHERE key = 'web:1' FOR UPDATE`);
      isHeld.resolve();
      await release.promise;
    });
    await isHeld.promise;
    const deps = app.runtime.deps as { appendCommits: Deps["appendCommits"] };
    const { add } = deps.appendCommits;
    let come = 0;
    deps.appendCommits.add = (queue, entry) => {
      come++;
      return add(queue, entry);
    };
    const appends = numbers(24).map((i) => app.append("locked", "web:1", [`Line ${i}.`]));
    await until(() => come === 24);
    const waiting = async () =>
      (
        await app.db.executeSql<{ count: number }>(
          `SELECT count(*)::int AS count FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%.sessions %'`,
        )
      ).rows[0]?.count;
    await until(async () => (await waiting()) === 1);
    // A request that is sent in the meantime finds a free connection.
    expect((await app.search("first", {}, "locked")).results).toHaveLength(1);
    expect(await waiting()).toBe(1);
    deps.appendCommits.add = add;
    release.resolve();
    await holding;
    const answers = await Promise.all(appends);
    expect(answers.map(({ status }) => status)).toEqual(Array(24).fill(200));
    expect((await texts("locked", "web:1")).toSorted()).toEqual(
      ["The first.", ...numbers(24).map((i) => `Line ${i}.`)].toSorted(),
    );
  });

  test("store a message with an id once, and answer a repeated request with its first answer", async () => {
    await app.talker("once");
    const message = { id: "m1", text: "Said once." };
    const send = (key: string, text: string) =>
      app.call<AppendedMessages>(
        "POST",
        "/v1/agents/once/sessions/web:1/messages",
        { messages: [{ role: "user", text }] },
        undefined,
        { "idempotency-key": key },
      );
    const [twice, keyed] = await together(12, async () => {
      const twice = Promise.all(numbers(6).map(() => app.append("once", "web:1", [message])));
      const keyed = Promise.all(numbers(6).map((i) => send(`key-${i % 3}`, `Keyed ${i % 3}.`)));
      return [await twice, await keyed] as const;
    });
    expect(twice.map(({ body }) => body.appended).toSorted()).toEqual([0, 0, 0, 0, 0, 1]);
    expect(twice.map(({ body }) => body.duplicates).toSorted()).toEqual([0, 1, 1, 1, 1, 1]);
    // If two requests with the same key run at the same time, the second is refused and must be
    // sent again. If the first is answered before the second arrives, both succeed.
    const codes = keyed.map(({ status, body }) => (status === 200 ? "stored" : codeOf(body)));
    expect(codes.filter((code) => code !== "stored" && code !== "idempotency_key_in_use")).toEqual([]);
    const repeated = await Promise.all(numbers(3).map((i) => send(`key-${i}`, `Keyed ${i}.`)));
    expect(repeated.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await texts("once", "web:1")).toSorted()).toEqual(["Keyed 0.", "Keyed 1.", "Keyed 2.", "Said once."]);
  });

  test("only those fail that are at fault", async () => {
    await app.talker("faults");
    const answers = await together(4, () =>
      Promise.all([
        app.append("faults", "web:1", ["Fits."]),
        app.append("faults", "missing", [], { end: true }),
        app.append("faults", "web:2", ["Fits too."]),
        app.append("faults", "web:1", ["And this."]),
      ]),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 200]);
    expect((await texts("faults", "web:1")).toSorted()).toEqual(["And this.", "Fits."]);
  });

  test("keep the agent's limits, whatever the others of the group store", async () => {
    await app.call("POST", "/v1/agents", { id: "small", limits: { bytes: 100 } });
    const answers = await together(8, () =>
      Promise.all(numbers(8).map((i) => app.append("small", `web:${i % 2}`, [`${i}`.repeat(30)]))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    for (const { status, body } of answers) if (status !== 200) expect(codeOf(body)).toBe("quota_exceeded");
  });

  test("a session that got nothing is not left behind, nor does it keep others from beginning it", async () => {
    await app.talker("expired", { sync: { sessions: { retentionDays: 30 } } });
    const old = { text: "Long ago.", at: "2001-01-01T00:00:00Z" };
    const answers = await together(4, () =>
      Promise.all([
        app.append("expired", "web:1", [old]),
        app.append("expired", "web:1", ["Now."]),
        app.append("expired", "web:2", [old]),
        app.append("expired", "web:2", [old]),
      ]),
    );
    expect(answers.map(({ body }) => [body.appended, body.expired])).toEqual([
      ...[
        [0, 1],
        [1, 0],
        [0, 1],
        [0, 1],
      ],
    ]);
    const { body } = await app.call<{ sessions: { session: string }[] }>("GET", "/v1/agents/expired/sessions");
    expect(body.sessions.map(({ session }) => session)).toEqual(["web:1"]);
    expect(await texts("expired", "web:1")).toEqual(["Now."]);
  });

  test("leave every agent whole", async () => {
    await app.rested();
    const problems = await checkAgents(app.db, (_model, text, dimensions) => wordVector(text, dimensions));
    expect(problems.filter((problem) => !/: (\d+ texts are counted|statistics count)/.test(problem))).toEqual([]);
  });
});
