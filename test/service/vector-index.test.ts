import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentStatus } from "../../src/service/admin/agent-status.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const words = ["amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath", "inlet", "jetty"];

describe("the vector index", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ env: { RECOLLECT_VECTOR_INDEX_THRESHOLD: "100" } });
  });
  afterAll(() => app.drop());

  const index = async () =>
    (await app.call<{ vector: { index: string } }>("GET", "/v1/agents/main/status")).body.vector.index;

  /** By then the worker has looked at the index after the last write. */
  const atRest = () =>
    until(async () => {
      const { body } = await app.call<AgentStatus>("GET", "/v1/agents/main/status");
      return Object.values(body.jobs).every(({ waiting, active }) => waiting + active === 0);
    });

  test("is built when an agent has outgrown the exact scan, and finds the same", async () => {
    const put = Array.from({ length: 100 }, (_, i) => ({
      path: `n/${i}.md`,
      content: `Note ${i} about ${words[i % 10]} and ${words[Math.floor(i / 10)]}.`,
    }));
    await app.call("POST", "/v1/agents/main/files", { put: put.slice(0, 99) });
    await app.embedded();
    await atRest();
    expect(await index()).toBe("exact");
    await app.call("POST", "/v1/agents/main/files", { put: put.slice(99) });
    await app.embedded();
    const exact = await app.search("amber grove", { maxResults: 5 });
    await until(async () => (await index()) === "hnsw");
    expect(await app.search("amber grove", { maxResults: 5 })).toEqual(exact);
    await atRest();
    expect(await index()).toBe("hnsw");
  });

  test("is scanned as wide as was measured in it, again once it has twice as many vectors", async () => {
    const scan = async () => {
      const { rows: agents } = await app.db.executeSql<{ schema: string }>(
        "SELECT schema_name AS schema FROM recollect.agents WHERE id = 'main'",
      );
      const { rows } = await app.db.executeSql<{ width: number; count: number }>(
        `SELECT vector_scan AS width, vector_scan_count AS count FROM ${agents[0]?.schema}.generations`,
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
