import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type EvalHarness, startEvalHarness } from "./eval-harness.ts";

let cli: EvalHarness;
beforeAll(async () => {
  cli = await startEvalHarness();
});
afterAll(() => cli.close());
beforeEach(() => cli.reset());

describe("runs", () => {
  /** Answers like a server that cannot explain and refuses unknown keys. */
  const cannotExplain: typeof cli.through = async ({ body }, next) => {
    const error = { code: "invalid_request", message: "explain: unknown key", requestId: "r" };
    return "explain" in body ? Response.json({ error }, { status: 400 }) : next();
  };
  const canExplain: typeof cli.through = async ({ path, body }, next) => {
    if (!path.endsWith("memory_search")) return next();
    const { explain, ...rest } = body;
    const answer = (await (await next(rest)).json()) as { results: { path: string }[] };
    const arms = { keyword: answer.results.toReversed(), vector: answer.results.slice(0, 1) };
    return Response.json(explain === true ? { ...answer, debug: { arms } } : answer);
  };

  test("with a server that explains, one request gives three rankings", async () => {
    cli.through = canExplain;
    const { runs, notes } = await cli.report("set", "--runs", "hybrid,vector,keyword");
    expect(runs.map(({ name, latency }) => [name, latency !== null])).toEqual([
      ["keyword", false],
      ["vector", false],
      ["hybrid", true],
    ]);
    expect(runs.map(({ measures }) => measures.recall1.mean)).toEqual([expect.any(Number), 1, 1]);
    expect(runs[0]?.measures.recall1.mean).toBeLessThan(1);
    expect(notes).toEqual([]);
    // One search to learn whether the server explains, and one unmeasured search per agent.
    expect(cli.requests.filter(({ path }) => path.endsWith("memory_search"))).toHaveLength(1 + 2 + 4);
  });

  test("otherwise the vector arm is a run without hybrid search, and the keyword arm is left out with a sentence", async () => {
    cli.through = cannotExplain;
    const { runs, notes } = await cli.report("set", "--runs", "keyword,vector,hybrid");
    expect(runs.map(({ name }) => name)).toEqual(["vector", "hybrid"]);
    expect(notes).toEqual([expect.stringMatching(/^The run keyword is left out: /)]);
    const patches = cli.requests.filter(({ method }) => method === "PATCH");
    expect(patches[0]?.body).toEqual({ settings: { query: { hybrid: { enabled: false } } } });
    expect(await cli.settings("eval-set-band")).toEqual({});
  });

  test("fusions are runs with that setting, given back afterwards", async () => {
    await cli.app.call("PATCH", "/v1/agents/eval-set-band", {
      settings: { query: { hybrid: { fusion: "rrf", rrfK: 5 } } },
    });
    const { runs } = await cli.report("set", "--fusions", "weighted,rrf");
    expect(runs.map(({ name }) => name)).toEqual(["hybrid weighted", "hybrid rrf"]);
    expect(await cli.settings("eval-set-band")).toEqual({ query: { hybrid: { fusion: "rrf", rrfK: 5 } } });
    await cli.app.call("PATCH", "/v1/agents/eval-set-band", { settings: { query: null } });
  });

  test("a fusion that the server does not know is refused in its words, and no setting stays", async () => {
    const { code, err } = await cli.evaluate(["set", "--fusions", "magic"]);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining("fusion: must be one of adaptive, weighted, rrf"),
    });
    expect(await cli.settings("eval-set-band")).toEqual({});
  });

  test("Ctrl-C in between gives the settings back", async () => {
    const stop = new AbortController();
    let asked = 0;
    cli.through = async ({ path }, next) => {
      // The first search is to learn whether the server explains.
      if (path.endsWith("memory_search") && asked++ > 0) {
        expect(await cli.settings("eval-set-band")).toEqual({ query: { hybrid: { enabled: true, fusion: "rrf" } } });
        stop.abort();
        throw stop.signal.reason;
      }
      return next();
    };
    const { code, err } = await cli.evaluate(["set", "--fusions", "rrf"], { stopping: () => stop.signal });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("Interrupted; ") });
    expect(await cli.settings("eval-set-band")).toEqual({});
  });
});

describe("files", () => {
  test("--save, then --compare: what changed since, with the texts of the questions that did; --html", async () => {
    await cli.report("set", "--save", "before.json");
    expect((await cli.evaluate(["set", "--compare", "before.json"])).out).toContain("no query's nDCG@10 changed");
    cli.through = async ({ path, body }, next) =>
      path.endsWith("memory_search") && body.query === "organ stool"
        ? Response.json({ results: [], mode: "hybrid" })
        : next();
    const { code, out } = await cli.evaluate(["set", "--compare", "before.json", "--html", "report.html"]);
    expect(code).toBe(0);
    expect(out).toMatch(/\nas set minus the saved as set, 4 queries\n/);
    expect(out).toMatch(/\nnDCG@10 +−0\.2500 +−\d\.\d{4} to \+0\.0000 +1\.0000 +0 +1 +3\n/);
    expect(out).toMatch(/\n−1\.0000 +1\.000 +0\.000 +b2 +organ stool\n/);
    const html = readFileSync(join(cli.folder, "report.html"), "utf8");
    expect(html).toContain("as set minus the saved as set");
    expect(html).toContain("organ stool");
  });

  test("a saved run of other questions compares nothing, and says so; another file is refused before anything is sent", async () => {
    cli.write("other.json", JSON.stringify({ form: "recollect-eval-1", name: "x", savedAt: "", runs: [] }));
    expect((await cli.report("set", "--compare", "other.json")).notes).toEqual([
      expect.stringContaining("Nothing is compared"),
    ]);
    for (const text of ["{}", "no json", '{"form":"recollect-eval-2","runs":[]}']) {
      cli.write("other.json", text);
      const { code, err } = await cli.evaluate(["set", "--compare", "other.json"]);
      expect({ code, err, requests: cli.requests }).toEqual({
        code: 1,
        err: expect.stringContaining("other.json is not a file"),
        requests: [],
      });
    }
  });

  test("wrong usage ends with 2, bad data with 1 and the lines, before anything is sent", async () => {
    cli.write("bad/corpus.jsonl", '{"id":"d","text":"x"}\n{\n');
    expect(await cli.evaluate(["bad"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("bad has no queries.jsonl"),
    });
    cli.write("bad/queries.jsonl", '{"id":"q","text":"x"}\n');
    cli.write("bad/qrels.tsv", "query-id\tcorpus-id\tscore\nq\tnone\t1\n");
    const { code, err } = await cli.evaluate(["bad"]);
    expect(code).toBe(1);
    expect(err).toContain(
      "corpus.jsonl line 2: not a JSON object\nqrels.tsv line 2: no document none in corpus.jsonl\n",
    );
    for (const argv of [
      ["nowhere"],
      ["set", "--runs", "magic"],
      ["set", "--html", "no/such/r.html"],
      ["set", "--min-ndcg", "2"],
    ])
      expect((await cli.evaluate(argv)).code).toBe(2);
    expect(cli.requests).toEqual([]);
  });
});
