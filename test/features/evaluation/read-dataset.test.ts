import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pickQueries } from "../../../src/features/evaluation/commands/pick-queries.ts";
import { readCorpus } from "../../../src/features/evaluation/commands/read-corpus.ts";
import { findDataset, readDataset } from "../../../src/features/evaluation/commands/read-dataset.ts";
import { readLines } from "../../../src/features/evaluation/commands/read-lines.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "recollect-eval-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const HEAD = "query-id\tcorpus-id\tscore\n";

function write(files: { corpus?: string | Buffer; queries?: string; qrels?: string }): void {
  writeFileSync(join(folder, "corpus.jsonl"), files.corpus ?? '{"id":"d1","text":"one"}\n{"id":"d2","text":"two"}\n');
  writeFileSync(join(folder, "queries.jsonl"), files.queries ?? '{"id":"q1","text":"what?"}\n');
  writeFileSync(join(folder, "qrels.tsv"), files.qrels ?? `${HEAD}q1\td1\t1\n`);
}

/** Reads the data set and returns the reported problems and the result. */
async function read(): Promise<{ problems: string[]; error?: string; queries?: string[]; agents?: string[] }> {
  const problems: string[] = [];
  const files = await findDataset(folder);
  if ("missing" in files) return { problems, error: files.missing };
  try {
    const { queries, agents } = await readDataset(files, "set", (problem) => problems.push(problem));
    return { problems, queries: queries.map(({ id }) => id), agents: [...agents.values()].map((agent) => agent.id) };
  } catch (error) {
    return { problems, error: (error as Error).message };
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe("a data set", () => {
  test("only queries with a judgement above 0 count; scopes are agents", async () => {
    write({
      corpus: '{"id":"d1","text":"one","scope":"a"}\n{"id":"d2","text":"two"}\n',
      queries: ["q1", "q2", "q3", "q4"].map((id) => `{"id":"${id}","text":"?","scope":"a"}`).join("\n"),
      qrels: `${HEAD}q1\td1\t2\nq2\td1\t0\nq3\td1\t-1\n\n`,
    });
    expect(await read()).toEqual({ problems: [], queries: ["q1"], agents: ["eval-set-a", "eval-set"] });
  });

  test("as BEIR unpacks it: `_id`, numbers as ids, judgements in qrels/test.tsv, CRLF, a byte order mark", async () => {
    write({ corpus: '\ufeff{"_id":7,"title":"T","text":"one"}\r\n', queries: '{"_id":"q1","text":"?"}\r\n' });
    rmSync(join(folder, "qrels.tsv"));
    mkdirSync(join(folder, "qrels"));
    writeFileSync(join(folder, "qrels/test.tsv"), `${HEAD}q1\t7\t1\r\n`);
    expect(await read()).toEqual({ problems: [], queries: ["q1"], agents: ["eval-set"] });
  });

  test("a missing file is named", async () => {
    write({});
    rmSync(join(folder, "qrels.tsv"));
    expect((await read()).error).toBe("qrels.tsv");
    rmSync(join(folder, "queries.jsonl"));
    expect((await read()).error).toBe("queries.jsonl");
  });

  test("every bad line is named with its file and number, then it fails", async () => {
    write({
      corpus: '{"id":"d1","text":"one"}\nnot json\n[]\n{"id":"","text":"x"}\n{"id":"d2"}\n{"id":"d1","text":"again"}\n',
      queries: '{"id":"q1","text":" "}\n{"id":"q2","text":"a\\u0000b"}\n{"id":"q3","text":"?"}\n',
      qrels: `${HEAD}q3\td1\t1\nq3 d1 1\nq3\td1\tmuch\nq9\td1\t1\nq3\td9\t1\n`,
    });
    const { problems, error } = await read();
    expect(problems).toEqual([
      "corpus.jsonl line 2: not a JSON object",
      "corpus.jsonl line 3: not a JSON object",
      expect.stringMatching(/^corpus.jsonl line 4: id: /),
      expect.stringMatching(/^corpus.jsonl line 5: text: /),
      "corpus.jsonl line 6: the document d1 occurs twice",
      "queries.jsonl line 1: text: must not be empty",
      "queries.jsonl line 2: text: holds a NUL or half a surrogate pair",
      "qrels.tsv line 3: must be a query id, a document id and a number, tab-separated",
      "qrels.tsv line 4: must be a query id, a document id and a number, tab-separated",
      "qrels.tsv line 5: no query q9 in queries.jsonl",
      "qrels.tsv line 6: no document d9 in corpus.jsonl",
    ]);
    expect(error).toBe("The data set has 11 bad lines; correct the files and run it again.");
  });

  test("a file of nothing but bad lines stops at twenty", async () => {
    write({ corpus: "x\n".repeat(1000) });
    const { problems, error } = await read();
    expect(problems).toHaveLength(20);
    expect(error).toContain("20 or more bad lines");
  });

  test("a judgement in another scope, and judgements without a header, are named: they would be lost without a word", async () => {
    write({ corpus: '{"id":"d1","text":"one","scope":"elsewhere"}\n' });
    expect((await read()).problems[0]).toContain("the document d1 is in another scope than the query q1");
    write({ qrels: "q1\td1\t1\n" });
    expect((await read()).problems).toEqual(["qrels.tsv line 1: no header line: query-id, corpus-id, score"]);
  });

  test("no query that counts is an error", async () => {
    write({ qrels: HEAD });
    expect((await read()).error).toContain("No query has a judgement above 0");
  });
});

describe("documents", () => {
  test("the title is the first line; a date in ISO form is the mtime, another way to write one is not guessed", async () => {
    const lines = [
      { id: "a", title: "On\n dust", text: "Wet it.", date: "2026-02-11" },
      { id: "b", text: "x", date: "1:56 pm on 8 May, 2023" },
      { id: "c", title: " ", text: "y", date: "2026-02-31" },
      { id: "d", title: null, text: "", date: 5, scope: null },
    ];
    write({ corpus: lines.map((line) => JSON.stringify(line)).join("\n") });
    expect(await collect(readCorpus(join(folder, "corpus.jsonl"), expect.fail))).toEqual([
      { line: 1, id: "a", scope: "", content: "# On dust\n\nWet it.", mtime: "2026-02-11T00:00:00.000Z" },
      { line: 2, id: "b", scope: "", content: "x" },
      { line: 3, id: "c", scope: "", content: "y" },
      { line: 4, id: "d", scope: "", content: "" },
    ]);
  });

  test("lines are whole across the pieces a file is read in, and long ones are refused by number", async () => {
    const long = "ä".repeat(200_000);
    write({ corpus: `${long}\n\nend` });
    const path = join(folder, "corpus.jsonl");
    expect(await collect(readLines(path, "c", 500_000))).toEqual([
      { number: 1, text: long },
      { number: 2, text: "" },
      { number: 3, text: "end" },
    ]);
    await expect(collect(readLines(path, "c", 100_000))).rejects.toThrow("c line 1: longer than 100000 bytes");
    write({ corpus: Buffer.from([0x61, 0x0a, 0xff, 0xfe]) });
    await expect(collect(readLines(path, "c", 100))).rejects.toThrow("c line 2: not valid UTF-8");
  });
});

describe("pickQueries", () => {
  const queries = Array.from({ length: 50 }, (_, index) => ({
    id: `q${index}`,
    scope: "",
    text: "?",
    judgements: new Map(),
  }));
  const ids = (limit?: number, seed?: number) => pickQueries(queries, limit, seed).map(({ id }) => id);

  test("all, the first, or some by a seed: the same again, others for another seed, in file order", () => {
    expect(ids()).toHaveLength(50);
    expect(ids(99, 1)).toHaveLength(50);
    expect(ids(2)).toEqual(["q0", "q1"]);
    expect(ids(10, 1)).toEqual(ids(10, 1));
    expect(ids(10, 1)).not.toEqual(ids(10, 2));
    const order = ids(10, 1).map((id) => Number(id.slice(1)));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(new Set(order).size).toBe(10);
  });
});
