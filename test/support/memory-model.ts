import fc from "fast-check";
import { expect } from "vitest";
import type { TestApp } from "./test-app.ts";

const PATHS = ["a.md", "b.md", "notes/c.md"];
const NAMES = ["one", "two"];
/** Few, so that texts come back. */
export const WORDS = ["", "alder", "birch", "cedar"];

interface Fact {
  id: string;
  text: string;
}

interface Snapshot {
  files: Map<string, string>;
  facts: string;
}

/** What is done to a memory. `pick` chooses among what there is then. */
export type Command =
  | { kind: "put"; path: string; word: string }
  | { kind: "delete"; path: string }
  | { kind: "snapshot"; name: string }
  | { kind: "store"; key: string | undefined; word: string }
  | { kind: "change"; pick: number; importance: number }
  | { [K in Picking]: { kind: K; pick: number } }[Picking];

type Picking = "restore" | "roll back" | "drop snapshot" | "forget" | "move" | "share" | "withdraw";

const path = fc.constantFrom(...PATHS);
const pick = fc.nat();
const picking = <K extends Command["kind"]>(kind: K, weight: number) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), pick }),
});

/** A command; the frequent ones are those that make what the others need. */
export const anyCommand = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("put"), path, word: fc.constantFrom(...WORDS) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete"), path }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("snapshot"), name: fc.constantFrom(...NAMES) }) },
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
    arbitrary: fc.record({ kind: fc.constant("change"), pick, importance: fc.constantFrom(0.1, 0.9) }),
  },
  ...[picking("restore", 2), picking("roll back", 3), picking("drop snapshot", 1), picking("forget", 2)],
  ...[picking("move", 1), picking("share", 1), picking("withdraw", 1)],
) as fc.Arbitrary<Command>;

type Handlers = { [K in Command["kind"]]: (command: Extract<Command, { kind: K }>) => Promise<unknown> };

/** One agent and what it should say; each command is done to both. */
export function createMemoryModel(app: TestApp, first: string, reader: string) {
  let agent = first;
  let moves = 0;
  let isShared = false;
  const files = new Map<string, string>();
  const snapshots = new Map<string, Snapshot>();

  const call = async <T>(method: string, rest: string, body?: unknown): Promise<T> => {
    const answer = await app.call<T>(method, `/v1/agents/${agent}/${rest}`, body);
    expect(answer.status, JSON.stringify([method, rest, answer.body])).toBeLessThan(300);
    return answer.body;
  };
  const facts = async () => (await call<{ facts: Fact[] }>("GET", "facts?all=true&limit=1000")).facts;
  const holding = async () => (await call<{ facts: Fact[] }>("GET", "facts?limit=1000")).facts;
  const chosen = <T>(all: readonly T[], at: number) => all[at % Math.max(1, all.length)];
  const now = async (): Promise<Snapshot> => ({ files: new Map(files), facts: JSON.stringify(await facts()) });

  const handlers: Handlers = {
    put: async ({ path, word }) => {
      await call("PUT", `files/${path}`, { content: word });
      files.set(path, word);
    },
    delete: async ({ path }) => files.delete(path) && call("DELETE", `files/${path}`),
    restore: async ({ pick }) => {
      const list = (one: string) =>
        call<{ versions: { version: string; path: string }[] }>("GET", `versions?path=${one}`);
      const version = chosen(
        (await Promise.all(PATHS.map(list))).flatMap((one) => one.versions),
        pick,
      );
      if (!version) return;
      const { content } = await call<{ content: string }>("GET", `versions/${version.version}`);
      await call("POST", `versions/${version.version}/restore`, {});
      files.set(version.path, content);
    },
    snapshot: async ({ name }) => {
      if (snapshots.has(name)) await call("DELETE", `snapshots/${name}`);
      await call("POST", "snapshots", { name });
      snapshots.set(name, await now());
    },
    "roll back": async ({ pick }) => {
      const [target, then] = chosen([...snapshots], pick) ?? [];
      if (!then) return;
      const before = await now();
      snapshots.set((await call<{ undo: string }>("POST", `snapshots/${target}/rollback`, {})).undo, before);
      files.clear();
      for (const [one, content] of then.files) files.set(one, content);
      expect(JSON.stringify(await facts())).toBe(then.facts);
      const difference = await call<Record<string, { total: number }>>("GET", `snapshots/${target}/diff`);
      expect([difference.files?.total, difference.facts?.total]).toEqual([0, 0]);
    },
    "drop snapshot": async ({ pick }) => {
      const [target] = chosen([...snapshots], pick) ?? [];
      if (target === undefined) return;
      await call("DELETE", `snapshots/${target}`);
      snapshots.delete(target);
    },
    store: ({ key, word }) =>
      call("POST", "facts", { facts: [{ text: `The ${key ?? "river"} is ${word}`, ...(key && { key }) }] }),
    change: async ({ pick, importance }) => {
      const fact = chosen(await holding(), pick);
      if (fact) await call("PATCH", `facts/${fact.id}`, { importance });
    },
    forget: async ({ pick }) => {
      const fact = chosen(await facts(), pick);
      if (fact) await call("DELETE", `facts/${fact.id}`);
    },
    // Goes on in a copy that was made of its archive: that is the same memory, its past included.
    move: async () => {
      await handlers.withdraw({ kind: "withdraw", pick: 0 });
      const archive = await app.runtime.app.request(`/v1/agents/${agent}/archive`);
      const moved = `${first}-${++moves}`;
      const init = {
        method: "POST",
        headers: { "content-type": "application/gzip" },
        body: await archive.arrayBuffer(),
      };
      const imported = await app.runtime.app.request(`/v1/archives?as=${moved}`, init);
      expect(imported.status, await imported.text()).toBe(201);
      const before = await now();
      agent = moved;
      expect((await now()).facts).toBe(before.facts);
    },
    share: async () => {
      await call("PUT", `shares/${reader}`, {});
      const taken = await app.call("PUT", `/v1/agents/${reader}/reads/${agent}`, {});
      expect(taken.status).toBe(200);
      isShared = true;
    },
    withdraw: async () => {
      if (isShared) await call("DELETE", `shares/${reader}`);
      isShared = false;
    },
  };

  const shown = async (word: string, who: string) =>
    (await app.search(word, { corpus: "memory", minScore: 0, maxResults: 20 }, who)).results.filter((hit) =>
      hit.snippet.includes(word),
    );

  /** What the agent says, counts and finds is what the model says; so is what its reader sees of it. */
  async function check(): Promise<void> {
    const listed = (await call<{ files: { path: string }[] }>("GET", "files")).files;
    const content = async ({ path }: { path: string }) =>
      [path, (await call<{ content: string }>("GET", `files/${path}`)).content] as const;
    expect(Object.fromEntries(await Promise.all(listed.map(content)))).toEqual(Object.fromEntries(files));
    const { usage } = (await app.call<{ usage: Record<string, number> }>("GET", `/v1/agents/${agent}`)).body;
    const kept = await facts();
    const bytes = [...files.values(), ...kept.map(({ text }) => text)].reduce((sum, text) => sum + text.length, 0);
    expect(usage).toMatchObject({ files: files.size, facts: kept.length, bytes });
    for (const word of WORDS.slice(1)) {
      const wanted = [...files].flatMap(([path, text]) => (text === word ? [path] : []));
      // Equal texts are shown once.
      const own = await shown(word, agent);
      expect([own.length, own.every((hit) => wanted.includes(hit.path))], word).toEqual([
        Math.min(1, wanted.length),
        true,
      ]);
      const read = (await shown(word, reader)).map((hit) => hit.path);
      expect([read.length, read.every((one) => wanted.includes(one.replace(`@${agent}/`, "")))], word).toEqual([
        isShared ? Math.min(1, wanted.length) : 0,
        true,
      ]);
    }
  }

  return {
    act: (command: Command) => (handlers[command.kind] as (one: Command) => Promise<unknown>)(command),
    check,
  };
}
