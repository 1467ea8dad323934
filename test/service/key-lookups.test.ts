import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeApiKey } from "../../src/service/core/api-key.ts";
import { authenticate } from "../../src/service/core/authenticate.ts";
import { createKeyLookups } from "../../src/service/core/key-lookups.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("keys that nobody made", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
  });
  afterAll(() => app.drop());

  /** Returns the authentication of a separate process, which counts its lookups of keys. */
  const start = () => {
    const counted = { statements: 0 };
    const keyLookups = createKeyLookups({
      ...app.db,
      executeSql: (...given) => {
        counted.statements++;
        return app.db.executeSql(...given);
      },
    });
    const deps = { ...app.runtime.deps, keyLookups };
    const codeOf = (key: string): Promise<string> =>
      authenticate(deps, key).then(
        () => "good",
        (error: { code?: string }) => error.code ?? String(error),
      );
    return { counted, codeOf };
  };
  const made = (count: number) => Array.from({ length: count }, () => makeApiKey().key);

  test("share statements, and are refused unseen when very many wait", async () => {
    const { counted, codeOf } = start();
    const codes = await Promise.all(made(2500).map(codeOf));
    const refused = codes.filter((code) => code === "rate_limited").length;
    expect(codes.filter((code) => code === "unauthenticated")).toHaveLength(2500 - refused);
    expect(refused).toBe(500);
    expect(counted.statements).toBeLessThanOrEqual(2000 / 64 + 1);
  });

  test("let keys that were good before go first, and new keys take their turn", async () => {
    const { codeOf } = start();
    const known = await app.key(["tenant"]);
    expect(await codeOf(known)).toBe("good");
    let isOver = false;
    const flood = Promise.all(made(1500).map(codeOf)).then((codes) => {
      isOver = true;
      return codes;
    });
    expect(await codeOf(known)).toBe("good");
    expect(isOver).toBe(false);
    expect(await codeOf(await app.key(["tenant"]))).toBe("good");
    expect(new Set(await flood)).toEqual(new Set(["unauthenticated"]));
  });

  test("count no more once they are made; a key that was good is refused from its revocation on", async () => {
    const { codeOf } = start();
    const { key, prefix, hash } = makeApiKey();
    expect(await codeOf(key)).toBe("unauthenticated");
    await app.db.executeSql(
      `INSERT INTO recollect.api_keys (id, tenant_id, name, prefix, hash, scopes, created_at)
       SELECT gen_random_uuid(), id, 'late', $1, $2, '{tenant}', now() FROM recollect.tenants WHERE name = 'default'`,
      [prefix, hash],
    );
    expect(await codeOf(key)).toBe("good");
    await app.db.executeSql("UPDATE recollect.api_keys SET revoked_at = now() WHERE prefix = $1", [prefix]);
    expect(await codeOf(key)).toBe("unauthenticated");
  });

  test("with a good key's name are no good keys, and do not make it wait", async () => {
    const { codeOf } = start();
    const good = await app.key(["tenant"]);
    expect(await codeOf(good)).toBe("good");
    const wrong = `${good.slice(0, -1)}${good.endsWith("0") ? "1" : "0"}`;
    expect(await Promise.all([wrong, good, wrong, good].map(codeOf))).toEqual([
      ...["unauthenticated", "good", "unauthenticated", "good"],
    ]);
  });
});
