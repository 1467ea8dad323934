import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { branchOf } from "../../support/branches.ts";
import { type EvalHarness, startEvalHarness } from "./eval-harness.ts";

let cli: EvalHarness;
beforeAll(async () => {
  cli = await startEvalHarness();
  const { app } = cli;
  await app.put("pets/rex.md", "Rex the dog eats at seven.", "pets");
  await app.put("pets/tom.md", "Tom the cat sleeps on the stove.", "pets");
  await app.embedded("pets");
  await branchOf(app, "pets", "pets-try");
  await app.call("DELETE", "/v1/agents/pets-try/files/pets/tom.md");
  await app.put("pets/ada.md", "Ada the parrot speaks Latin.", "pets-try");
  await app.embedded("pets-try");
  cli.write(
    "own/queries.jsonl",
    ["when does the dog Rex eat", "where does the cat Tom sleep", "which parrot speaks Latin"]
      .map((text, i) => JSON.stringify({ id: `q${i}`, text }))
      .join("\n"),
  );
  cli.write("own/qrels.tsv", "query\tdocument\tscore\nq0\tpets/rex.md\t1\nq1\tpets/tom.md\t1\nq2\tpets/ada.md\t1\n");
});
afterAll(() => cli.close());
beforeEach(() => cli.reset());

test("the same questions of an agent and its branch: each better, worse or equal, and the means", async () => {
  const report = await cli.report("own", "--agent", "pets-try", "--compare", "pets");
  expect(report).toMatchObject({ agent: "pets-try", queries: 3, sent: 0, notes: [] });
  const [comparison] = report.comparisons;
  expect(comparison?.each.map(({ id, before, after, change }) => [id, before, after, change])).toEqual([
    ["q0", 1, 1, "equal"],
    ["q1", 1, 0, "worse"],
    ["q2", 0, 1, "better"],
  ]);
  expect(comparison).toMatchObject({ before: "pets", measures: { ndcg10: { mean: 0, wins: 1, losses: 1, ties: 1 } } });
  const { code, out } = await cli.evaluate(["own", "--agent", "pets-try", "--compare", "pets", "--html", "own.html"]);
  expect(code).toBe(0);
  expect(out).toMatch(/\nas set minus pets, 3 queries\n/);
  expect(out).not.toContain("--erase");
});

test("an agent that is asked as it is stays as it is", async () => {
  await cli.evaluate(["own", "--agent", "pets"]);
  expect(new Set(cli.requests.map(({ method, path }) => `${method} ${path.replace(/\?.*/, "")}`))).toEqual(
    new Set(["GET /v1/agents/pets/status", "POST /v1/agents/pets/tools/memory_search"]),
  );
  for (const more of [["--erase"], ["--fusions", "rrf"]])
    expect(await cli.evaluate(["own", "--agent", "pets", ...more])).toMatchObject({
      code: expect.any(Number),
      err: expect.stringContaining("invalid_request"),
    });
  expect((await cli.app.call("GET", "/v1/agents/pets")).status).toBe(200);
  expect(await cli.evaluate(["own", "--agent", "nobody"])).toMatchObject({ code: 1 });
});
