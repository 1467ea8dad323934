import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkStillUsable } from "../../src/service/core/authenticate.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

describe("requests a minute", () => {
  let app: TestApp;
  let second: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    // Another API process on the same database.
    second = await startTestApp({ worker: false, on: app });
  });
  afterAll(async () => {
    await second.drop();
    await app.drop();
  });

  const ask = (key: string, of = app) =>
    of.runtime.app.request("/v1/key", { headers: { authorization: `Bearer ${key}` } });
  const make = (key: string, more: object = {}) =>
    app.call<{ key: string } & ErrorBody>("POST", "/v1/keys", { name: "k", scopes: ["tenant"], ...more }, key);
  const limit = (tenantId: string, limits: object, key?: string) =>
    app.call("PATCH", "/v1/tenant", { limits }, key, key === undefined ? { "recollect-tenant": tenantId } : {});
  /**
   * Asks with each key in turn until all are refused.
   *
   * @returns the number of answered requests, and the last refusal
   */
  const useUp = async (keys: readonly string[], most: number) => {
    let answered = 0;
    let refused: Response | undefined;
    for (let i = 0; i < most; i++) {
      const response = await ask(keys[i % keys.length] as string, i % 2 ? second : app);
      if (response.status === 200) answered++;
      else refused = response;
    }
    return { answered, refused };
  };

  test("of a tenant are counted over all its keys and processes, and the answer says whose limit it is", async () => {
    const tenantId = await app.tenant("bounded");
    const keys = await Promise.all(Array.from({ length: 3 }, () => app.key(["tenant"], { tenantId })));
    expect((await limit(tenantId, { requestsPerMinute: 12 })).status).toBe(200);
    const { answered, refused } = await useUp(keys, 20);
    expect(answered).toBe(12);
    expect(refused?.status).toBe(429);
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused?.headers.get("ratelimit-limit")).toBe("12");
    expect(refused?.headers.get("ratelimit-remaining")).toBe("0");
    expect(refused?.headers.get("ratelimit-policy")).toBe('12;w=60;comment="tenant"');
    expect((await refused?.json()) as ErrorBody).toMatchObject({
      error: {
        code: "rate_limited",
        message: expect.stringContaining("All keys of this tenant"),
        details: { limit: 12, of: "tenant" },
      },
    });
    // Another tenant and the operator need not wait. The operator lifts the limit, with immediate
    // effect.
    expect((await ask(await app.key(["tenant"], { tenantId: await app.tenant("beside") }))).status).toBe(200);
    expect((await ask(await app.key(["admin"], { tenantId }))).status).toBe(200);
    expect((await limit(tenantId, { requestsPerMinute: null })).status).toBe(200);
    expect((await ask(keys[0] as string)).status).toBe(200);
  });

  test("of a tenant are the operator's to set, from one to a million", async () => {
    const tenantId = await app.tenant("eager");
    const own = await app.key(["tenant"], { tenantId });
    expect((await limit(tenantId, { requestsPerMinute: 100 }, own)).status).toBe(403);
    for (const wrong of [0, -1, 1.5, 1_000_001, "many"])
      expect((await limit(tenantId, { requestsPerMinute: wrong })).status).toBe(400);
    await limit(tenantId, { requestsPerMinute: 500 });
    const { body } = await app.call<{ effectiveLimits: object }>("GET", "/v1/tenant", undefined, own);
    expect(body.effectiveLimits).toEqual({ requestsPerMinute: 500 });
    expect((await app.call("POST", "/v1/agents", { id: "a", limits: { requestsPerMinute: 5 } }, own)).status).toBe(400);
  });

  test("of a limited key are shared with the keys that it makes, and with theirs", async () => {
    const parent = await app.key(["tenant"], { tenantId: await app.tenant("family"), requestsPerMinute: 20 });
    const { body: child } = await make(parent);
    const { body: slower } = await make(child.key, { requestsPerMinute: 3 });
    expect((await make(child.key, { requestsPerMinute: 21 })).body.error.code).toBe("forbidden");
    const some = await useUp([slower.key], 5);
    expect([some.answered, some.refused?.headers.get("ratelimit-policy")]).toEqual([3, '3;w=60;comment="key"']);
    const { answered, refused } = await useUp([child.key, (await make(child.key)).body.key], 30);
    // Of the twenty requests, the parent made one, the child three to make keys, and its slower key
    // three.
    expect(answered).toBe(20 - 1 - 3 - 3);
    expect((await ask(parent)).status).toBe(429);
    expect(refused?.status).toBe(429);
    expect((await refused?.json()) as ErrorBody).toMatchObject({ error: { details: { limit: 20, of: "creator" } } });
  });

  test("of a key without a limit of its own, and of the operator's, are not shared", async () => {
    const tenantId = await app.tenant("free");
    const { body: made } = await make(await app.key(["tenant"], { tenantId }));
    const operator = await app.key(["admin"], { requestsPerMinute: 50 });
    const { body: ofOperator } = await make(operator);
    for (const { key } of [made, ofOperator]) {
      const { rows } = await app.db.executeSql<{ of: string | null }>(
        'SELECT shares_rate_of AS "of" FROM recollect.api_keys WHERE prefix = $1',
        [key.slice(0, 16)],
      );
      expect(rows).toEqual([{ of: null }]);
    }
  });

  test("do not count the checks of an event stream's key", async () => {
    const key = await app.key(["tenant"], { requestsPerMinute: 5 });
    for (let i = 0; i < 10; i++) await checkStillUsable(app.runtime.deps, key);
    expect((await ask(key)).headers.get("ratelimit-remaining")).toBe("4");
  });
});
