import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { reportSync, type SyncSummary } from "../../src/cli/folder/sync-report.ts";
import { table, tableWidth } from "../../src/cli/shell/table.ts";
import { type CliHarness, captureOutput, cliContext, startCliHarness } from "../support/cli-harness.ts";

let cli: CliHarness;
beforeEach(async () => {
  cli = await startCliHarness();
});
afterEach(() => cli.close());

const ID = "5c1d9f0e-3a77-4a52-9a39-0a7f4f5b1c2d";
const lengths = (text: string) => text.split("\n").map((line) => line.length);

describe("tables", () => {
  test("characters that take two columns keep the columns aligned, and long lines within the width", () => {
    expect(
      table(
        ["subject", "category"],
        [
          ["王小明", "fact"],
          ["Zoe\u0301", "fact"],
        ],
      ),
    ).toBe("subject  category\n王小明   fact\nZoe\u0301      fact\n");
    expect(
      table(["text"], [["发布时间改为每周三上午十点".repeat(4)]], 40)
        .split("\n")
        .slice(1, -1),
    ).toEqual([
      "发布时间改为每周三上午十点发布时间改为每",
      "周三上午十点发布时间改为每周三上午十点发",
      "布时间改为每周三上午十点",
    ]);
  });

  const head = ["id", "kind", "agent", "state", "tries", "created", "error"];
  const row = [ID, "maintain-index", "support", "waiting", 0, "2026-11-28T17:14:05.123Z", null];

  test("a table that fits, and one for a pipe, has a line for each row", () => {
    expect(table(["a", "b"], [["1", "two words"]], 80)).toBe("a  b\n1  two words\n");
    expect(table(head, [row]).split("\n")).toHaveLength(3);
  });

  test("instants are shortened before rows are folded", () => {
    const narrow = [["main", "2026-11-28T17:14:05.123Z"]];
    expect(table(["agent", "created"], narrow, 40)).toContain("2026-11-28T17:14:05.123Z");
    expect(table(["agent", "created"], narrow, 25)).toBe("agent  created\nmain   2026-11-28 17:14Z\n");
  });

  test("a row that does not fit goes on in indented lines, and nothing is cut off", () => {
    expect(table(head, [row], 80)).toBe(
      [
        "id                                    kind            agent    state    tries",
        "    created            error",
        `${ID}  maintain-index  support  waiting  0`,
        "    2026-11-28 17:14Z  –",
        "",
      ].join("\n"),
    );
  });

  test.each([40, 60, 80, 100])("no line is longer than %d, whatever the cells hold", (width) => {
    const cells = [
      [ID, "x".repeat(300), "words ".repeat(60), "日本語のテキスト".repeat(30), ""],
      ["", "", "", "", "last"],
    ];
    const text = table(["id", "path", "text", "title", "note"], cells, width);
    expect(Math.max(...lengths(text))).toBeLessThanOrEqual(width);
    expect(text.replaceAll(/\s/g, "")).toContain("x".repeat(300));
    expect(text).toContain(ID);
  });

  test("a huge cell takes linear time", () => {
    const started = performance.now();
    table(["text"], [["x".repeat(2_000_000)]], 80);
    table(["text"], [["word ".repeat(400_000)]], 80);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test("only a terminal has a width", () => {
    expect(tableWidth(captureOutput(true))).toBe(80);
    expect(tableWidth(captureOutput(false))).toBeUndefined();
    expect(tableWidth({ write: () => true, isTTY: true })).toBe(80);
  });

  test("a command at a terminal fits its table", async () => {
    const stdout = captureOutput(true);
    const job = { id: ID, kind: "maintain-index", agentId: "support", state: "failed", retryCount: 3 };
    const createdAt = "2026-11-28T17:14:05.123Z";
    cli.api.intercept = () => ({ status: 200, body: { jobs: [{ ...job, createdAt, error: { code: "internal" } }] } });
    await cli.run(["jobs", "list"], { stdout });
    expect(stdout.text).toContain(ID);
    expect(Math.max(...lengths(stdout.text))).toBeLessThanOrEqual(80);
  });
});

test("jobs list shows unfinished jobs first, then failed ones, and keeps the order within a state", async () => {
  const states = ["completed", "failed", "waiting", "cancelled", "active", "waiting", "retry", "completed"];
  const jobs = states.map((state, index) => ({
    id: `j${index}`,
    kind: "embed",
    agentId: "main",
    state,
    retryCount: 0,
    createdAt: "2026-11-28T17:14:05.123Z",
  }));
  cli.api.intercept = () => ({ status: 200, body: { jobs } });
  const { out } = await cli.run(["jobs", "list"]);
  expect(out.match(/^j\d/gm)).toEqual(["j4", "j6", "j2", "j5", "j1", "j3", "j0", "j7"]);
  expect(JSON.parse((await cli.run(["jobs", "list", "--json"])).out).jobs).toEqual(jobs);
});

describe("hits", () => {
  const hit = { path: "a.pdf", startLine: 1, endLine: 4, score: 0.5, snippet: "Pumps", source: "memory", date: "2026" };
  const search = async (...results: object[]) => {
    cli.api.intercept = () => ({ status: 200, body: { results } });
    return (await cli.run(["search", "pumps"])).out;
  };

  test("a passage of a document with pages has its pages", async () => {
    expect(await search({ ...hit, page: 3 })).toContain("1. a.pdf#L1-L4, page 3  0.500\n");
    expect(await search({ ...hit, page: 3, endPage: 4 })).toContain("1. a.pdf#L1-L4, pages 3-4  0.500\n");
    expect(await search(hit)).toContain("1. a.pdf#L1-L4  0.500\n");
  });

  test("get says on which pages the lines are", async () => {
    cli.api.intercept = () => ({ status: 200, body: { text: "Pumps", path: "a.pdf", from: 1, lines: 1, page: 7 } });
    expect(await cli.run(["get", "a.pdf"])).toMatchObject({ out: "Pumps\n", err: "(page 7)\n" });
  });
});

describe("--timezone", () => {
  test.each([
    ["search", ["search", "pumps"]],
    ["facts search", ["facts", "search", "pumps"]],
    ["facts recall", ["facts", "recall", "pumps"]],
  ])("%s passes it on", async (_name, argv) => {
    cli.api.intercept = () => ({ status: 200, body: { results: [], facts: [], block: "" } });
    expect((await cli.run([...argv, "--timezone", "Asia/Tokyo"])).code).toBe(0);
    expect(cli.api.requests.at(-1)?.body).toMatchObject({ timezone: "Asia/Tokyo" });
    const wrong = await cli.run([...argv, "--timezone", "Tokyo"]);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain("It must be the name of a time zone, such as Europe/Lisbon.");
  });
});

describe("the summary of a sync", () => {
  const summary: SyncSummary = {
    agent: "main",
    origin: "o",
    dryRun: false,
    sent: 1204,
    unchanged: 0,
    adopted: 0,
    removed: 0,
    shared: [],
    kept: 0,
    chunks: 1636,
    toEmbed: 0,
    embedded: 0,
    keywordOnly: false,
    pendingEmbeddings: 0,
    seconds: 1,
    embedSeconds: 64.2,
    skipped: [],
    conflicts: [],
    failed: [],
    leftOut: [],
    otherKinds: {},
  };
  const lineOf = (more: Partial<SyncSummary>) => {
    const stdout = captureOutput();
    reportSync(cliContext({ stdout, stderr: captureOutput() }), { ...summary, ...more }, {});
    return stdout.text;
  };

  test("says how many embeddings were known, and gives the time in seconds", () => {
    expect(lineOf({})).toBe(
      "sent 1,204 · unchanged 0 · removed 0 · skipped 0 · chunks 1,636 · embedded 0 (1,636 from the cache) · 65.2 s\n",
    );
    expect(lineOf({ toEmbed: 1636, embedded: 1636 })).toContain(" · embedded 1,636 · ");
    expect(lineOf({ toEmbed: 600, embedded: 600 })).toContain(" · embedded 600 (1,036 from the cache) · ");
  });

  test("counts the folders that are left out, and names them if asked", () => {
    const leftOut = [".obsidian/", ".git/"];
    expect(lineOf({ leftOut })).toContain(" · left out 2 folders (--verbose) · ");
    expect(lineOf({ leftOut })).not.toContain(".obsidian");
    const stdout = captureOutput();
    reportSync(cliContext({ stdout, stderr: captureOutput() }), { ...summary, leftOut }, { verbose: true });
    expect(stdout.text).toContain("left out .obsidian/: hidden");
    expect(stdout.text).toContain("a line !.obsidian/ in .recollectignore brings it back");
    expect(stdout.text).not.toContain("!.git/");
  });

  test("counts the files of other kinds, and names the kinds if asked", () => {
    const otherKinds = { ".json": 1, "without an ending": 2 };
    expect(lineOf({ otherKinds })).toContain(" · left out 3 files of other kinds (--verbose) · ");
    const stdout = captureOutput();
    reportSync(cliContext({ stdout, stderr: captureOutput() }), { ...summary, otherKinds }, { verbose: true });
    expect(stdout.text).toContain("left out .json: 1 file of a kind that is not read\n");
    expect(stdout.text).toContain("left out without an ending: 2 files of a kind that is not read\n");
  });

  test("does not speak of a cache without a model, or without knowing of one", () => {
    expect(lineOf({ keywordOnly: true })).toContain(" · embedded none: search is by keyword only · ");
    const { keywordOnly: _unknown, ...unknown } = summary;
    const stdout = captureOutput();
    reportSync(cliContext({ stdout, stderr: captureOutput() }), unknown, {});
    expect(stdout.text).toContain(" · embedded 0 · ");
  });
});

describe("Ctrl-C", () => {
  /** Stops the command when the server gets the request that `isIt` accepts. */
  const stopAt = (isIt: (path: string) => boolean) => {
    const ending = new AbortController();
    cli.api.intercept = (request) => {
      if (isIt(request.path)) ending.abort();
      return undefined;
    };
    return { stopping: () => ending.signal };
  };

  test("a sync says what is stored, and the same command sends the rest", async () => {
    for (let index = 0; index < 400; index++) cli.write(`${index}.md`, `text ${index}`);
    let batches = 0;
    const stopped = await cli.run(
      ["sync", "."],
      stopAt((path) => path.endsWith("/files") && ++batches === 4),
    );
    expect(stopped).toMatchObject({ code: 130, out: "" });
    expect(stopped.err).toMatch(/^\nStopped: \d+ of 400 changes are stored; the same command sends the rest\.\n$/);
    expect(cli.api.paths().length).toBeLessThan(400);
    cli.api.intercept = () => undefined;
    expect((await cli.run(["sync", "."])).code).toBe(0);
    expect(cli.api.paths()).toHaveLength(400);
  });

  test("a sync that waits for embeddings says that all is stored", async () => {
    cli.write("a.md", "a");
    cli.api.pendingPerFile = 2;
    cli.api.pending = [2];
    const stopped = await cli.run(
      ["sync", "."],
      stopAt((path) => path.endsWith("/status")),
    );
    expect(stopped.code).toBe(130);
    expect(stopped.err).toMatch(/^\nStopped: all changes are stored; missing embeddings are made by the server/);
  });
});
