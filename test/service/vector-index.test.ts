import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildVectorIndex } from "../../src/db/agent/chunks/vector-index.ts";
import { schemaName } from "../../src/db/agent/schema/schema-name.ts";
import type { SearchOutput } from "../../src/service/search/search-schemas.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const words = ["amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath", "inlet", "jetty"];

const places = ({ results }: SearchOutput) => results.map(({ path, startLine }) => `${path}:${startLine}`);

describe("the vector index", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ env: { RECOLLECT_VECTOR_INDEX_THRESHOLD: "100" } });
  });
  afterAll(() => app.drop());

  const index = async () =>
    (await app.call<{ vector: { index: string } }>("GET", "/v1/agents/main/status")).body.vector.index;

  const schemaOf = async () => {
    const { rows } = await app.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id = 'main'",
    );
    return schemaName(rows[0]?.schema ?? "");
  };

  test("is built when an agent has outgrown the exact scan, and finds the same", async () => {
    const put = Array.from({ length: 100 }, (_, i) => ({
      path: `n/${i}.md`,
      content: `Note ${i} about ${words[i % 10]} and ${words[Math.floor(i / 10)]}.`,
    }));
    await app.call("POST", "/v1/agents/main/files", { put: put.slice(0, 99) });
    await app.embedded();
    await app.rested();
    expect(await index()).toBe("exact");
    await app.call("POST", "/v1/agents/main/files", { put: put.slice(99) });
    await app.embedded();
    const exact = await app.search("amber grove", { maxResults: 5 });
    await app.rested();
    expect(await index()).toBe("hnsw");
    expect(await app.search("amber grove", { maxResults: 5 })).toEqual(exact);
  });

  test("has vectors of half precision where Postgres computes with them; one that was made of others stays in use", async () => {
    const schema = await schemaOf();
    const types = async () =>
      (
        await app.db.executeSql<{ type: string }>(
          `SELECT format_type(atttypid, NULL) AS type FROM pg_attribute
            WHERE attname = 'embedding' AND attrelid IN ('${schema}.vectors_1'::regclass, '${schema}.vectors_1_hnsw'::regclass)`,
        )
      ).rows.map(({ type }) => type.replace(/^.*\./, ""));
    const type = app.db.kind === "postgres" ? "halfvec" : "vector";
    expect(await types()).toEqual([type, type]);
    if (app.db.kind === "pglite") return;
    const halves = await app.search("amber grove", { maxResults: 5 });
    // Puts an index into the state in which an earlier release left it for migration 0020.
    await app.db.executeSql(
      `DROP INDEX ${schema}.vectors_1_hnsw; ALTER TABLE ${schema}.vectors_1 ALTER COLUMN embedding TYPE vector(64);
       UPDATE ${schema}.generations SET half_vectors = false, changes = changes + 1`,
    );
    await buildVectorIndex(app.db, { schema, generationId: 1, dimensions: 64, halfVectors: false }, 100);
    expect(await types()).toEqual(["vector", "vector"]);
    expect(places(await app.search("amber grove", { maxResults: 5 }))).toEqual(places(halves));
  });

  test("is scanned as wide as was measured in it, again once it has twice as many vectors", async () => {
    const scan = async () => {
      const { rows } = await app.db.executeSql<{ width: number; count: number }>(
        `SELECT vector_scan AS width, vector_scan_count AS count FROM ${await schemaOf()}.generations`,
      );
      return rows;
    };
    expect(await scan()).toEqual([{ width: 100, count: 100 }]);
    const more = Array.from({ length: 110 }, (_, i) => ({
      path: `m/${i}.md`,
      content: `Another ${words[i % 10]} ${i}.`,
    }));
    await app.call("POST", "/v1/agents/main/files", { put: more.slice(0, 90) });
    await app.rested();
    expect(await scan()).toEqual([{ width: 100, count: 100 }]);
    await app.call("POST", "/v1/agents/main/files", { put: more.slice(90) });
    await app.rested();
    expect(await scan()).toEqual([{ width: 100, count: 210 }]);
  });
});
