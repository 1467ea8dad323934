import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { EvalReport } from "../../../src/features/evaluation/commands/eval-report.ts";
import { type EvalHarness, GARDEN, startEvalHarness } from "./eval-harness.ts";

const AGENTS = [/^eval-set-garden-club-[0-9a-f]{8}$/, /^eval-set-band$/];

let cli: EvalHarness;
beforeAll(async () => {
  cli = await startEvalHarness();
});
afterAll(() => cli.close());
beforeEach(() => cli.reset());

const written = () => cli.requests.filter(({ method, path }) => method === "POST" && path.endsWith("/files"));

describe("recollect eval", () => {
  test("stores each scope in an agent of its own, asks, measures; a second run sends nothing", async () => {
    const first = await cli.evaluate(["set"]);
    expect(first.code).toBe(0);
    expect(first.out).toMatch(
      /^set · 4 queries · 12 documents · 2 agents · test words\nsent 12 · unchanged 0 · removed 0\n/,
    );
    expect(first.out).toMatch(/\nas set {2}1\.0000 {7}1\.0000 {7}1\.0000 /);
    expect(first.out).toContain("The 2 agents stay, so that the next run is quick; --erase removes them.\n");
    const { body } = await cli.app.call<{ agents: { id: string }[] }>("GET", "/v1/agents");
    const ids = body.agents.map(({ id }) => id).filter((id) => id.startsWith("eval-"));
    for (const pattern of AGENTS) expect(ids.filter((id) => pattern.test(id))).toHaveLength(1);
    const garden = ids.find((id) => id !== "eval-set-band");
    const file = await cli.app.call<{ content: string; mtime: string }>(
      "GET",
      `/v1/agents/${garden}/files/corpus/beds~2f1.md`,
    );
    expect(file.body).toMatchObject({
      content: `# Raised beds\n\n${GARDEN[0]?.text}`,
      mtime: "2026-03-01T00:00:00.000Z",
    });

    const second = await cli.evaluate(["set", "--clients", "3"]);
    expect(second.out).toContain("sent 0 · unchanged 12 · removed 0\n");
    expect(written()).toEqual([]);
  });

  test("what changed is sent, what is gone is removed", async () => {
    cli.writeSet("set", [...GARDEN.slice(2), { id: "hose", text: "The hose is mended." }]);
    expect(await cli.report("set")).toMatchObject({ sent: 1, unchanged: 10, removed: 1, documents: 11 });
    expect(written().map(({ body }) => body)).toEqual([
      { delete: ["corpus/beds~2f1.md"] },
      { put: [{ path: "corpus/hose.md", content: "The hose is mended." }] },
    ]);
  });

  test("asks for everything, and counts a document with several hits once", async () => {
    const { runs, queries } = await cli.report("set", "--limit", "4");
    expect(queries).toBe(4);
    const asked = cli.requests.filter(({ path }) => path.endsWith("/tools/memory_search"));
    expect(asked.at(-1)?.body).toEqual({ query: "organ stool", maxResults: 100, minScore: 0, explain: true });
    // Unmeasured: one search to learn whether the server explains, and one per agent.
    expect(asked).toHaveLength(1 + 2 + 4);
    const [run] = runs;
    expect(run?.measures.recall100).toEqual({ mean: 1, low: 1, high: 1 });
    expect(run?.latency?.p50).toBeGreaterThan(0);
    const { body } = await cli.app.call<{ results: { path: string }[] }>(
      "POST",
      "/v1/agents/eval-set-band/tools/memory_search",
      asked.at(-1)?.body,
    );
    const paths = body.results.map(({ path }) => path);
    expect(paths.filter((path) => path === "corpus/keys.md").length).toBeGreaterThan(1);
  });

  test("with fewer questions only their scopes are stored", async () => {
    cli.writeSet("other");
    expect(await cli.report("other", "--limit", "2")).toMatchObject({ agents: 1, documents: 6, sent: 6 });
    expect(await cli.report("other", "--erase", "--limit", "2")).toMatchObject({ agents: 1, sent: 0, erased: 1 });
    const { body } = await cli.app.call<{ agents: { id: string }[] }>("GET", "/v1/agents");
    expect(body.agents.filter(({ id }) => id.startsWith("eval-other"))).toEqual([]);
  });

  test("below --min-ndcg it fails, after the report", async () => {
    cli.through = async (request, next) =>
      request.path.endsWith("memory_search") ? Response.json({ results: [], mode: "hybrid" }) : next();
    const { code, out } = await cli.evaluate(["set", "--min-ndcg", "0.5", "--json"]);
    expect(code).toBe(1);
    const { runs } = JSON.parse(out) as EvalReport;
    expect(runs[0]).toMatchObject({ empty: 1, measures: { ndcg10: { mean: 0 } } });
  });
});

describe("who may", () => {
  test("a key that may not create agents is told which scope it takes", async () => {
    cli.writeSet("mine");
    for (const scopes of [["search"], ["search", "agent:read", "agent:write"]]) {
      const { code, err } = await cli.evaluate(["mine"], { key: await cli.app.key(scopes) });
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringContaining("use one with the scope tenant. (forbidden)"),
      });
    }
    expect((await cli.evaluate(["set"], { key: await cli.app.key(["tenant"]) })).code).toBe(0);
  });

  test("an agent with files of somebody's own is left alone", async () => {
    await cli.app.put("notes.md", "mine", "eval-precious-band");
    const { code, err } = await cli.evaluate(["set", "--name", "precious"]);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("choose another name with --name") });
    expect((await cli.app.call("GET", "/v1/agents/eval-precious-band/files/notes.md")).status).toBe(200);
  });
});
