import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { VERSION } from "../../src/start/version.ts";
import { type CliHarness, captureOutput, startCliHarness } from "../support/cli-harness.ts";

let cli: CliHarness;

beforeEach(async () => {
  cli = await startCliHarness();
});

afterEach(async () => {
  expect(cli.openConnections()).toBe(0);
  await cli.close();
});

/** Makes the API answer every request with this body. */
function answer(body: unknown): void {
  cli.api.intercept = () => ({ status: 200, body });
}

const HIT = { path: "a.md", startLine: 3, endLine: 7, score: 0.8123, vectorScore: 0.9, snippet: "one\ntwo" };

describe("search", () => {
  test("prints rank, place, scores and the indented snippet, without its citation line", async () => {
    const second = { ...HIT, path: "b.md", endLine: 3, score: 0.5, textScore: 0.25, snippet: "x\n\nSource: b.md#L3" };
    answer({ results: [HIT, second], mode: "hybrid", model: "minilm" });
    expect(await cli.run(["search", "who?"])).toEqual({
      code: 0,
      out: "mode hybrid · minilm\n\n1. a.md#L3-L7  0.812 (vector 0.900)\n   one\n   two\n\n2. b.md#L3  0.500 (vector 0.900, text 0.250)\n   x\n",
      err: "",
    });
  });

  test("a question need not be quoted", async () => {
    answer({ results: [HIT], facts: [], block: "", instructionsBlock: "" });
    await cli.run(["search", "where", "is", "the", "key", "--max-results", "1"]);
    await cli.run(["facts", "search", "Mina", "lives"]);
    await cli.run(["facts", "recall", "when", "is", "the", "party"]);
    await cli.run(["facts", "add", "Mina", "lives", "in", "Oslo", "--key", "user.city"]);
    expect(cli.api.requests.map(({ body }) => body)).toEqual([
      { query: "where is the key", maxResults: 1 },
      { query: "Mina lives" },
      { message: "when is the party" },
      { facts: [{ text: "Mina lives in Oslo", key: "user.city" }] },
    ]);
  });

  test("says before the nearest passages that nothing certain was found", async () => {
    answer({ results: [HIT], certain: false, note: "for models", mode: "hybrid", model: "minilm" });
    const { out } = await cli.run(["search", "who likes sushi?"]);
    expect(out).toBe(
      "mode hybrid · minilm\n\nNothing certain was found. The nearest passages, cut short after the third (--min-score 0 shows longer ones):\n\n" +
        "1. a.md#L3-L7  0.812 (vector 0.900)\n   one\n   two\n",
    );
  });

  test("says that a day which the question names has no text", async () => {
    const note =
      "Nothing certain was found. No text is of the days that the question names (2026-11-29); these hits are of other days.";
    answer({ results: [HIT], certain: false, note, mode: "hybrid", model: "minilm" });
    const { out } = await cli.run(["search", "what did I do today?"]);
    expect(out).toContain(
      "\nNo text is of the days that the question names (2026-11-29); these hits are of other days.\n",
    );
    expect(out.match(/Nothing certain/g)).toHaveLength(1);
  });

  test("sends the options by the names of the contract, and no others", async () => {
    answer({ results: [] });
    const numbers = ["--max-results", "3", "--min-score", "0.5", "--corpus", "all", "--agent", "work"];
    const days = ["--after", "2026-05-01", "--before", "2026-06-01", "--as-of", "2026-07-01T12:00:00Z"];
    const options = [...numbers, ...days, "--user", "mina", "--paths", "notes/**", "*.csv"];
    expect((await cli.run(["search", "who?", ...options])).out).toBe("Nothing found.\n");
    await cli.run(["search", "who?"]);
    // After an answer without a hit, the command asks whether the agent exists.
    const searches = cli.api.requests.filter(({ path }) => path.endsWith("/memory_search"));
    expect(searches.map(({ path, body }) => ({ path, body }))).toEqual([
      {
        path: "/v1/agents/work/tools/memory_search",
        body: {
          ...{ query: "who?", maxResults: 3, minScore: 0.5, corpus: "all", scope: { user: "mina" } },
          ...{
            after: "2026-05-01",
            before: "2026-06-01",
            asOf: "2026-07-01T12:00:00.000Z",
            paths: ["notes/**", "*.csv"],
          },
        },
      },
      { path: "/v1/agents/main/tools/memory_search", body: { query: "who?" } },
    ]);
  });

  test("a warning stands first; search that is unavailable is a failure that says what to do", async () => {
    answer({ results: [HIT], mode: "keyword", warning: "The model is away." });
    expect((await cli.run(["search", "q"])).out).toMatch(/^warning: The model is away\.\nmode keyword\n\n1\. /);
    const unavailable = {
      results: [],
      disabled: true,
      unavailable: true,
      error: "e",
      warning: "It is off.",
      action: "Turn it on.",
    };
    answer(unavailable);
    expect(await cli.run(["search", "q"])).toEqual({ code: 1, out: "", err: "It is off. See recollect doctor. (e)\n" });
    const json = await cli.run(["search", "q", "--json"]);
    expect(json).toEqual({ code: 1, out: `${JSON.stringify(unavailable)}\n`, err: "" });
  });

  test("colour only when the context says so; escape sequences of the memory never", async () => {
    answer({ results: [{ ...HIT, snippet: "\u001b[2Jgone\r\nnext" }], mode: "hybrid" });
    const plain = await cli.run(["search", "q"]);
    expect(plain.out).not.toContain("\u001b");
    expect(plain.out).toContain("   \ufffd[2Jgone\n   next\n");
    expect((await cli.run(["search", "q"], { colour: true })).out).toContain("\u001b[1ma.md#L3-L7\u001b[22m");
  });
});

test("an error is coloured only where standard error is a terminal too", async () => {
  answer({ status: "not_found", text: "", path: "x.md" });
  expect((await cli.run(["get", "x.md"], { colour: true })).err).not.toContain("\u001b");
  const terminal = captureOutput(true);
  await cli.run(["get", "x.md"], { errorColour: true, stderr: terminal });
  expect(terminal.text).toContain("\u001b[31m");
});

describe("get", () => {
  test("prints the text as it is, and on standard error where to go on", async () => {
    answer({ text: "a\n\u001b[1mb\t", path: "a.md", from: 1, lines: 2, truncated: true, nextFrom: 3 });
    const ran = await cli.run(["get", "a.md", "--from", "1", "--lines", "2"]);
    expect(ran).toEqual({ code: 0, out: "a\n\u001b[1mb\t\n", err: "(more: --from 3)\n" });
    expect(cli.api.requests[0]).toMatchObject({
      path: "/v1/agents/main/tools/memory_get",
      body: { path: "a.md", from: 1, lines: 2 },
    });
    const terminal = captureOutput(true);
    await cli.run(["get", "a.md"], { stdout: terminal });
    expect(terminal.text).toBe("a\n\ufffd[1mb\t\n");
  });

  test("a file that is not there is a failure, also with --json", async () => {
    const missing = { status: "not_found", text: "", path: "x.md" };
    answer(missing);
    const err = "The agent has no file x.md. (file_not_found)\n";
    expect(await cli.run(["get", "x.md"])).toEqual({ code: 1, out: "", err });
    const json = await cli.run(["get", "x.md", "--json"]);
    expect(json).toMatchObject({ code: 1, out: `${JSON.stringify(missing)}\n` });
    expect(JSON.parse(json.err)).toEqual({
      type: "urn:recollect:error:file_not_found",
      title: "File not found",
      detail: "The agent has no file x.md.",
      code: "file_not_found",
    });
  });
});

test("status prints a short table of whatever the server says, or the JSON", async () => {
  const embed = { waiting: 4, active: 1, failed: 0 };
  const body = {
    agentId: "main",
    provider: "openai",
    model: "small",
    dimensions: 1536,
    files: 12,
    sessions: 3,
    messages: 46,
    unindexedMessages: 0,
    facts: 5,
    chunks: 120,
    pendingEmbeddings: 4,
    rejectedChunks: 0,
    workerAlive: false,
    lastSyncAt: null,
    lastChangeAt: "2027-01-31T18:00:00.000Z",
    keyword: { language: "auto", languages: ["en", "de"] },
    vector: { ready: true, index: "hnsw", unread: [] },
    jobs: { embed, sync: { waiting: 0, active: 0, failed: 0 } },
    reindex: { state: "none" },
  };
  answer(body);
  expect((await cli.run(["status"])).out.split("\n")).toEqual([
    "agent  files  sessions  messages  facts  chunks",
    "main   12     3         46        5      120",
    "",
    "model     openai · small · 1536 dimensions · HNSW",
    "language  en, de",
    "to do     4 chunks to embed, no worker runs: recollect worker",
    "jobs      embed 4 waiting, 1 active",
    "changed   2027-01-31T18:00:00.000Z",
    "",
  ]);
  expect((await cli.run(["status", "--json"])).out).toBe(`${JSON.stringify(body)}\n`);
  answer({ agentId: "main" });
  expect(await cli.run(["status"])).toMatchObject({ code: 0, err: "", out: expect.stringContaining("main") });
});

describe("usage", () => {
  test.each([
    [["nonsense"]],
    [[]],
    [["sync", "--dry-run"]],
    [["sync", ".", "extra"]],
    [["search"]],
    [["search", "q", "--max-results", "0"]],
    [["search", "q", "--max-results", "1.5"]],
    [["search", "q", "--min-score", ""]],
    [["search", "q", "--min-score", "3"]],
    [["search", " "]],
    [["facts", "search", ""]],
    [["facts", "add", "x", "--importance", "-1"]],
    [["search", "q", "--corpus", "everything"]],
    [["search", "q", "--url", "localhost:7420"]],
    [["search", "q", "--agent", ".."]],
    [["get", "a.md", "--from", "0x10"]],
    [["sync", ".", "--max-file-bytes", "4000001"]],
    [["facts", "forget", "abc", "--yes"]],
    [["facts", "forget", "1", "two"]],
    [["facts", "history", "-"]],
    [["facts", "history", "0"]],
    [["serve", "--port", ""]],
    [["serve", "--port", "65536"]],
  ])("%j is wrong usage: exit code 2, an explanation on standard error, no request", async (argv) => {
    const ran = await cli.run(argv);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).not.toBe("");
    expect(ran.err).not.toMatch(/\n\s+at /);
    expect(cli.api.requests).toEqual([]);
  });

  test.each([
    [
      ["files", "restore", "n.md", "--version", "1"],
      "--version",
      "The version is an argument: recollect files restore <version>",
    ],
    [["files", "diff", "--version=1"], "--version=1", "The version is an argument: recollect files diff <version>"],
    [["search", "q", "--version"], "--version", "The version of Recollect: recollect --version"],
    [["files", "--version"], "--version", "The version of Recollect: recollect --version"],
    [["serve", "-V"], "-V", "The version of Recollect: recollect --version"],
  ])("%j: the program's version is not an option of a command", async (argv, option, hint) => {
    const ran = await cli.run(argv);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain(`error: unknown option '${option}'\n${hint}\nSee: recollect help ${argv[0]}`);
    const { err } = await cli.run([...argv, "--json"]);
    expect(JSON.parse(err)).toMatchObject({ code: "invalid_request", detail: `Unknown option '${option}' ${hint}` });
    expect(cli.api.requests).toEqual([]);
  });

  test("options of a command may stand in any place behind its name, and --help and --version before it", async () => {
    answer({ results: [HIT], mode: "hybrid", model: "minilm" });
    for (const argv of [
      ["search", "--json", "q"],
      ["search", "q", "--json"],
      ["search", "--max-results", "1", "q", "--json"],
    ])
      expect(await cli.run(argv), argv.join(" ")).toMatchObject({ code: 0, err: "" });
    for (const argv of [
      ["search", "--help"],
      ["search", "q", "-h"],
      ["--help", "search"],
      ["files", "restore", "--help"],
    ])
      expect(await cli.run(argv), argv.join(" ")).toMatchObject({ code: 0, out: expect.stringContaining("Usage: ") });
    for (const argv of [["-V"], ["--version", "search"]])
      expect(await cli.run(argv), argv.join(" ")).toEqual({ code: 0, out: `${VERSION}\n`, err: "" });
  });

  test("a fact is named in each form that a search shows", async () => {
    answer({ forgotten: ["42", "7"] });
    await cli.run(["facts", "forget", "facts/42", "facts/7#L1", "--yes"]);
    expect(cli.api.requests.at(-1)?.body).toEqual({ ids: ["42", "7"] });
  });

  test("help and version go to standard output", async () => {
    for (const words of ["--version", "version"])
      expect(await cli.run([words])).toEqual({ code: 0, out: `${VERSION}\n`, err: "" });
    expect(await cli.run(["--help"])).toMatchObject({ code: 0, err: "" });
  });
});

describe("processes", () => {
  test("serve, worker and start pass their options on and give back the exit code", async () => {
    const seen: unknown[] = [];
    const serve = async (options: object) => {
      seen.push(options);
      return 0;
    };
    expect((await cli.run(["serve"], { serve })).code).toBe(0);
    expect((await cli.run(["serve", "--host", "::1", "--port", "0", "--no-worker"], { serve })).code).toBe(0);
    expect((await cli.run(["serve", "--json"], { serve })).code).toBe(0);
    expect(seen).toEqual([{ worker: true }, { host: "::1", port: 0, worker: false }, { worker: true, json: true }]);
    expect((await cli.run(["worker"], { work: async () => 1 })).code).toBe(1);
    expect((await cli.run(["start"], { start: async () => 0 })).code).toBe(0);
  });

  test("--url reaches connect; an error of connect or of a process is one sentence with its code", async () => {
    const connect = async ({ url }: { url?: string }) => {
      throw new AppError("config_invalid", `No:\n${url}.`, { cause: new Error("hidden") });
    };
    const ran = await cli.run(["status", "--url", "http://x"], { connect });
    expect(ran).toEqual({ code: 1, out: "", err: "No:\ufffdhttp://x. (config_invalid)\n" });
    const work = () => Promise.reject(new TypeError("boom"));
    expect(await cli.run(["worker"], { work })).toEqual({
      code: 1,
      out: "",
      err: "Something went wrong: boom (internal)\n",
    });
  });
});
