import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

describe("event streams of a tenant beside another tenant's requests", () => {
  let app: TestApp;
  let tenant: string;
  let key: string;
  const open = new Set<Response>();
  beforeEach(async () => {
    app = await startTestApp({ worker: false, env: { RECOLLECT_TENANT_STREAMS: "30", RECOLLECT_STREAMS: "40" } });
    tenant = await app.tenant("watchers");
    key = await app.key(["tenant"], { tenantId: tenant });
  });
  afterEach(async () => {
    for (const stream of open) await stream.body?.cancel().catch(() => undefined);
    open.clear();
    await app.drop();
  });

  const stream = async (agent: string, withKey?: string, kind = "events") => {
    const headers: Record<string, string> = withKey === undefined ? {} : { authorization: `Bearer ${withKey}` };
    const response = await app.runtime.app.request(`/v1/agents/${agent}/${kind}`, { headers });
    if (response.status === 200) open.add(response);
    return response;
  };
  const keys = (count: number) =>
    Promise.all(Array.from({ length: count }, () => app.key(["agent:read"], { tenantId: tenant })));
  /** Opens `count` streams of the tenant, ten per key, which is the most that a key may have. */
  const streams = async (count: number, agentOf: (i: number) => string) => {
    const readers = await keys(Math.ceil(count / 10));
    return Promise.all(Array.from({ length: count }, (_, i) => stream(agentOf(i), readers[Math.floor(i / 10)])));
  };
  const write = (agent: string, content: string) => app.call("PUT", `/v1/agents/${agent}/files/a.md`, { content }, key);
  const agents = async (count: number) => {
    const ids = Array.from({ length: count }, (_, i) => `agent-${i}`);
    for (const id of ids) await app.call("POST", "/v1/agents", { id }, key);
    return ids;
  };
  /**
   * Counts the statuses that are read and how many are read at the same time. Each read asks the
   * queue once.
   */
  const countLooks = () => {
    const looks = { of: new Map<string, number>(), total: 0, underWay: 0, most: 0 };
    const deps = app.runtime.deps as { queue: typeof app.runtime.deps.queue };
    const { queue } = deps;
    deps.queue = {
      ...queue,
      counts: async (agent) => {
        looks.total++;
        looks.of.set(agent?.agentId ?? "", (looks.of.get(agent?.agentId ?? "") ?? 0) + 1);
        looks.most = Math.max(looks.most, ++looks.underWay);
        return queue.counts(agent).finally(() => looks.underWay--);
      },
    };
    return looks;
  };
  /** Resolves when every stream has sent a status with that number of files. */
  const allSay = async (responses: readonly Response[], files: number) => {
    await Promise.all(
      responses.map(async (response) => {
        const reader = response.body?.getReader();
        const decoder = new TextDecoder();
        for (let text = ""; !text.includes(`"files":${files}`); ) {
          const { value, done } = (await reader?.read()) ?? { done: true };
          if (done) throw new Error("the stream has ended");
          text += decoder.decode(value, { stream: true });
        }
        reader?.releaseLock();
      }),
    );
  };

  test("are bounded by tenant and by process, however many keys there are", async () => {
    await write("main", "Text");
    const responses = await streams(31, () => "main");
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array(30).fill(200), 429]);
    await app.put("a.md", "Text");
    for (let i = 0; i < 10; i++) expect((await stream("main")).status).toBe(200);
    const third = await app.tenant("third");
    const another = await app.key(["tenant"], { tenantId: third });
    await app.call("PUT", "/v1/agents/main/files/a.md", { content: "Text" }, another);
    expect((await stream("main", another)).status).toBe(429);
    const [one] = open;
    await one?.body?.cancel();
    expect((await stream("main", another)).status).toBe(200);
  });

  test("are not held back by a proxy", async () => {
    await write("main", "Text");
    for (const kind of ["events", "changes/events"])
      expect((await stream("main", key, kind)).headers.get("x-accel-buffering")).toBe("no");
  });

  test("count together, whatever they tell of", async () => {
    await write("main", "Text");
    for (let i = 0; i < 5; i++) {
      expect((await stream("main", key)).status).toBe(200);
      expect((await stream("main", key, "changes/events")).status).toBe(200);
    }
    expect((await stream("main", key)).status).toBe(429);
    expect((await stream("main", key, "changes/events")).status).toBe(429);
  });

  test("of one agent share a poll", async () => {
    await write("main", "Text");
    const responses = await streams(30, () => "main");
    await allSay(responses, 1);
    const looks = countLooks();
    await app.call("PUT", "/v1/agents/main/files/b.md", { content: "More" }, key);
    await allSay(responses, 2);
    // One read serves all thirty streams. A few reads may happen before the write is seen.
    expect(looks.total).toBeLessThan(15);
  });

  test("of many agents take turns, one at a time, and the other tenant's requests none of them", async () => {
    await app.put("a.md", "Text");
    const ids = await agents(20);
    const responses = await streams(20, (i) => ids[i] ?? "");
    await allSay(responses, 0);
    const looks = countLooks();
    while (looks.of.size < ids.length) {
      const got = await app.call<{ text: string }>("POST", "/v1/agents/main/tools/memory_get", { path: "a.md" });
      expect([got.status, got.body.text]).toEqual([200, "Text"]);
    }
    expect(looks.most).toBe(1);
    // No agent is left out: the first is read again after all the others.
    const [first = ""] = ids;
    const before = looks.of.get(first) ?? 0;
    await until(async () => (looks.of.get(first) ?? 0) > before);
  });

  test("that are closed are polled no more", async () => {
    const [left = "", kept = ""] = await agents(2);
    const [reader] = await keys(1);
    const closed = await stream(left, reader);
    await allSay([closed, await stream(kept, reader)], 0);
    const looks = countLooks();
    await until(async () => (looks.of.get(left) ?? 0) > 0);
    await closed.body?.cancel();
    open.delete(closed);
    // A read that was under way when the stream was closed may still end.
    const after = looks.of.get(left) ?? 0;
    const others = looks.of.get(kept) ?? 0;
    await until(async () => (looks.of.get(kept) ?? 0) >= others + 3);
    expect(looks.of.get(left)).toBeLessThanOrEqual(after + 1);
  });

  test("end when their key is revoked, and only they", async () => {
    await write("main", "Text");
    const reader = await app.call<{ key: string; id: string }>(
      "POST",
      "/v1/keys",
      { name: "r", scopes: ["agent:read"] },
      key,
    );
    const revoked = await stream("main", reader.body.key);
    const kept = await stream("main", key);
    await allSay([revoked, kept], 1);
    expect(
      (
        await app.runtime.app.request(`/v1/keys/${reader.body.id}`, {
          method: "DELETE",
          headers: { authorization: `Bearer ${key}` },
        })
      ).status,
    ).toBeLessThan(300);
    await expect(allSay([revoked], 9)).rejects.toThrow("the stream has ended");
    await app.call("PUT", "/v1/agents/main/files/b.md", { content: "More" }, key);
    await allSay([kept], 2);
  });
});
