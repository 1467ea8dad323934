import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkAgents } from "../support/check-agent.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { wordVector } from "../support/word-embedder.ts";

const RUNS = Number(process.env.RECOLLECT_MODEL_RUNS ?? 8);
const PATHS = ["a.md", "b.md", "notes/c.md"];
const NAMES = ["one", "two"];
/** Few, so that texts come back. */
const WORDS = ["", "alder", "birch", "cedar"];

type Fact = { id: string; text: string };
interface Snapshot {
  files: Map<string, string>;
  facts: string;
}

/** What happens to a memory, each with what the model makes of it. `pick` chooses among what there is. */
const command = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("put"),
      path: fc.constantFrom(...PATHS),
      word: fc.constantFrom(...WORDS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete"), path: fc.constantFrom(...PATHS) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("restore"), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("snapshot"), name: fc.constantFrom(...NAMES) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("roll back"), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("drop snapshot"), pick: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("store"),
      key: fc.constantFrom("city", "team", undefined),
      word: fc.constantFrom("oslo", "rome", "bonn"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("change"), pick: fc.nat(), importance: fc.constantFrom(0.1, 0.9) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("forget"), pick: fc.nat() }) },
);
type Command = {
  kind: string;
  path?: string;
  word?: string;
  name?: string;
  key?: string | undefined;
  pick?: number;
  importance?: number;
};

describe("whatever is done to a memory, what it says is what the model says", () => {
  let app: TestApp;
  let agents = 0;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.drop());

  async function live(commands: readonly Command[]): Promise<void> {
    const agent = `model${++agents}`;
    const at = (path: string) => `/v1/agents/${agent}/${path}`;
    const call = async <T>(method: string, path: string, body?: unknown) => {
      const answer = await app.call<T>(method, at(path), body);
      expect(answer.status, JSON.stringify([method, path, answer.body])).toBeLessThan(300);
      return answer.body;
    };
    const files = new Map<string, string>();
    const snapshots = new Map<string, Snapshot>();
    const facts = async () => (await call<{ facts: Fact[] }>("GET", "facts?all=true&limit=1000")).facts;
    const open = async () => (await call<{ facts: Fact[] }>("GET", "facts?limit=1000")).facts;
    const chosen = <T>(all: readonly T[], pick = 0) => (all.length === 0 ? undefined : all[pick % all.length]);

    const act = async ({ kind, path = "", word = "", name = "", key, pick, importance }: Command) => {
      if (kind === "put") {
        await call("PUT", `files/${path}`, { content: word });
        files.set(path, word);
      } else if (kind === "delete") {
        if (!files.delete(path)) return;
        await call("DELETE", `files/${path}`);
      } else if (kind === "restore") {
        const lists = PATHS.map((one) =>
          call<{ versions: { version: string; path: string }[] }>("GET", `versions?path=${one}`),
        );
        const version = chosen(
          (await Promise.all(lists)).flatMap((one) => one.versions),
          pick,
        );
        if (!version) return;
        const { content } = await call<{ content: string }>("GET", `versions/${version.version}`);
        await call("POST", `versions/${version.version}/restore`, {});
        files.set(version.path, content);
      } else if (kind === "snapshot") {
        if (snapshots.has(name)) await call("DELETE", `snapshots/${name}`);
        await call("POST", "snapshots", { name });
        snapshots.set(name, { files: new Map(files), facts: JSON.stringify(await facts()) });
      } else if (kind === "roll back") {
        const target = chosen([...snapshots.keys()], pick);
        const then = target === undefined ? undefined : snapshots.get(target);
        if (!then) return;
        const before = { files: new Map(files), facts: JSON.stringify(await facts()) };
        const { undo } = await call<{ undo: string }>("POST", `snapshots/${target}/rollback`, {});
        snapshots.set(undo, before);
        files.clear();
        for (const [one, content] of then.files) files.set(one, content);
        expect(JSON.stringify(await facts())).toBe(then.facts);
        const { files: differing, facts: others } = await call<Record<string, { total: number }>>(
          "GET",
          `snapshots/${target}/diff`,
        );
        expect([differing?.total, others?.total]).toEqual([0, 0]);
      } else if (kind === "drop snapshot") {
        const target = chosen([...snapshots.keys()], pick);
        if (target === undefined) return;
        await call("DELETE", `snapshots/${target}`);
        snapshots.delete(target);
      } else if (kind === "store") {
        await call("POST", "facts", { facts: [{ text: `The ${key ?? "river"} is ${word}`, ...(key && { key }) }] });
      } else {
        const fact = chosen(kind === "change" ? await open() : await facts(), pick);
        if (!fact) return;
        if (kind === "change") await call("PATCH", `facts/${fact.id}`, { importance });
        else await call("DELETE", `facts/${fact.id}`);
      }
    };

    await app.call("POST", "/v1/agents", { id: agent });
    for (const one of commands) await act(one);
    const { files: listed } = await call<{ files: { path: string; hash: string }[] }>("GET", "files");
    const contents = listed.map(async ({ path }) => [
      path,
      (await call<{ content: string }>("GET", `files/${path}`)).content,
    ]);
    expect(Object.fromEntries(await Promise.all(contents))).toEqual(Object.fromEntries(files));
    if (files.size === 0) return;
    for (const word of WORDS.slice(1)) {
      const { results } = await app.search(word, { corpus: "memory", minScore: 0, maxResults: 20 }, agent);
      const named = results.filter((hit) => hit.snippet.includes(word)).map((hit) => hit.path);
      const wanted = [...files].flatMap(([path, content]) => (content === word ? [path] : []));
      // Equal texts are shown once.
      expect(
        named.slice(0, 1).every((path) => wanted.includes(path)) && named.length === Math.min(1, wanted.length),
        word,
      ).toBe(true);
    }
  }

  test("files, facts, snapshots and rollbacks", { timeout: 240_000 }, async () => {
    const commands = fc.array(command as fc.Arbitrary<Command>, { minLength: 8, maxLength: 25 });
    await fc.assert(fc.asyncProperty(commands, live), { numRuns: RUNS, endOnFailure: process.env.CI !== undefined });
    await app.rested();
    const problems = await checkAgents(app.db, (_model, text, dimensions) => wordVector(text, dimensions));
    // The agents share their cache, so each embeds only what no other has.
    expect(problems.filter((problem) => !problem.includes("counted as embedded"))).toEqual([]);
  });
});
