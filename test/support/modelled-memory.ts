import { expect } from "vitest";
import type { ModelledFact } from "./memory-standing.ts";
import type { Answer, TestApp } from "./test-app.ts";
import { until } from "./until.ts";

export const PATHS = ["a.md", "b.md", "notes/c.md"];
export const NAMES = ["one", "two"];
/** Few words, so that texts come back. */
export const WORDS = ["", "alder", "birch", "cedar"];
export const CITIES = ["oslo", "rome", "bonn"];

export interface State {
  files: ReadonlyMap<string, string>;
  facts: readonly ModelledFact[];
}

/** An action on one memory. `pick` chooses among the items present at that time. */
export type MemoryCommand =
  | { kind: "put"; path: string; word: string }
  | { kind: "delete"; path: string }
  | { kind: "snapshot"; name: string }
  | { kind: "store"; key: string | undefined; word: string }
  | { kind: "change"; pick: number; importance: number }
  | { kind: "limit"; files: number | null }
  | { [K in Picking]: { kind: K; pick: number } }[Picking];

type Picking = "restore" | "roll back" | "drop snapshot" | "forget" | "move" | "share" | "withdraw" | "note";

/**
 * The expected contents of a memory. Its facts are not included: they are read when they are
 * compared.
 */
export interface Remembered {
  agent: string;
  files: Map<string, string>;
  /** Earlier contents of files. */
  past: { path: string; content: string }[];
  snapshots: Map<string, State>;
  moments: (State & { at: string })[];
  /** The greatest number of files. */
  limit: number;
  isShared: boolean;
}

export type ModelledMemory = ReturnType<typeof modelMemory>;
type Handlers = {
  [K in MemoryCommand["kind"]]: (command: Extract<MemoryCommand, { kind: K }>) => Promise<unknown>;
};

/** Returns the model of an agent without any contents. */
export function emptyMemory(agent: string): Remembered {
  const nothing = { files: new Map(), past: [], snapshots: new Map(), moments: [] };
  return { agent, ...nothing, limit: Infinity, isShared: false };
}

/**
 * Models one agent and its expected contents. Each command is applied to both the service and the
 * model.
 */
export function modelMemory(app: TestApp, reader: string, memory: Remembered) {
  const first = memory.agent;
  let moves = 0;
  const ask = <T>(method: string, rest: string, body?: unknown) =>
    app.call<T>(method, `/v1/agents/${memory.agent}${rest && `/${rest}`}`, body);
  const call = async <T>(method: string, rest: string, body?: unknown): Promise<T> => {
    const answer = await ask<T>(method, rest, body);
    expect(answer.status, JSON.stringify([method, rest, answer.body])).toBeLessThan(300);
    return answer.body;
  };
  const facts = async () => (await call<{ facts: ModelledFact[] }>("GET", "facts?all=true&limit=1000")).facts;
  const holding = async () => (await facts()).filter((fact) => fact.validTo === undefined);
  const now = async (): Promise<State> => ({ files: new Map(memory.files), facts: await facts() });

  /** Replaces the files; their former contents become versions. */
  const became = (files: ReadonlyMap<string, string>) => {
    for (const [path, content] of memory.files) if (files.get(path) !== content) memory.past.push({ path, content });
    memory.files = new Map(files);
  };
  /**
   * Sends a request that replaces the files. Beyond the quota it must be refused.
   *
   * @returns undefined if it was refused
   */
  const become = async <T>(files: ReadonlyMap<string, string>, send: () => Promise<Answer<T>>) => {
    const isBeyond = files.size > memory.files.size && files.size > memory.limit;
    const { status, body } = await send();
    expect(isBeyond ? status === 413 : status < 300, `${status} ${JSON.stringify(body)}`).toBe(true);
    if (isBeyond) return undefined;
    became(files);
    return body;
  };
  const put = (path: string, content: string, send: () => Promise<Answer<unknown>>) =>
    become(new Map([...memory.files, [path, content]]), send);

  const handlers: Handlers = {
    put: ({ path, word }) => put(path, word, () => ask("PUT", `files/${path}`, { content: word })),
    delete: async ({ path }) => {
      if (!memory.files.has(path)) return;
      await call("DELETE", `files/${path}`);
      became(new Map([...memory.files].filter(([one]) => one !== path)));
    },
    restore: async ({ pick }) => {
      const list = (one: string) =>
        call<{ versions: { version: string; path: string }[] }>("GET", `versions?path=${one}&limit=1000`);
      const versions = (await Promise.all(PATHS.map(list))).flatMap((one) => one.versions);
      const count = (all: readonly { path: string }[]) =>
        PATHS.map((one) => all.filter(({ path }) => path === one).length);
      expect(count(versions)).toEqual(count(memory.past));
      const version = chosen(versions, pick);
      if (!version) return;
      const { content } = await call<{ content: string }>("GET", `versions/${version.version}`);
      expect(memory.past).toContainEqual({ path: version.path, content });
      await put(version.path, content, () => ask("POST", `versions/${version.version}/restore`, {}));
    },
    snapshot: async ({ name }) => {
      if (memory.snapshots.has(name)) await call("DELETE", `snapshots/${name}`);
      await call("POST", "snapshots", { name });
      memory.snapshots.set(name, await now());
    },
    "roll back": async ({ pick }) => {
      const [target, then] = chosen([...memory.snapshots], pick) ?? [];
      if (!then) return;
      const before = await now();
      const done = await become(then.files, () => ask<{ undo: string }>("POST", `snapshots/${target}/rollback`, {}));
      expect(await facts()).toEqual((done ? then : before).facts);
      if (!done) return;
      memory.snapshots.set(done.undo, before);
      const difference = await call<Record<string, { total: number }>>("GET", `snapshots/${target}/diff`);
      expect([difference.files?.total, difference.facts?.total]).toEqual([0, 0]);
    },
    "drop snapshot": async ({ pick }) => {
      const [target] = chosen([...memory.snapshots], pick) ?? [];
      if (target === undefined) return;
      await call("DELETE", `snapshots/${target}`);
      memory.snapshots.delete(target);
    },
    store: async ({ key, word }) => {
      const text = `The ${key ?? "river"} is ${word}`;
      const others = (await holding()).filter((one) => one.text !== text && (key === undefined || one.key !== key));
      await call("POST", "facts", { facts: [{ text, ...(key && { key }) }] });
      expect(textsOf(await holding())).toEqual(textsOf([...others, { text }]));
    },
    change: async ({ pick, importance }) => {
      const fact = chosen(await holding(), pick);
      if (!fact) return;
      await call("PATCH", `facts/${fact.id}`, { importance });
      expect(await call("GET", `facts/${fact.id}`)).toMatchObject({ text: fact.text, importance });
    },
    forget: async ({ pick }) => {
      const before = await facts();
      const fact = chosen(before, pick);
      if (!fact) return;
      await call("DELETE", `facts/${fact.id}`);
      // Forgetting a fact also removes the facts that it has superseded.
      const gone = new Set([fact.id]);
      for (const id of gone) for (const one of before) if (one.supersededBy === id) gone.add(one.id);
      const ids = (all: readonly ModelledFact[]) => all.map(({ id }) => id);
      expect(ids(await facts())).toEqual(ids(before).filter((id) => !gone.has(id)));
    },
    limit: async ({ files }) => {
      await call("PATCH", "", { limits: { files } });
      memory.limit = files ?? Infinity;
    },
    // Waits, so that the next write gets another millisecond.
    note: async () => {
      const at = new Date();
      memory.moments.push({ at: at.toISOString(), ...(await now()) });
      await until(() => Date.now() > at.getTime(), "the clock");
    },
    // Continues in a copy that was imported from the agent's archive: it is the same memory, with
    // its history.
    move: async () => {
      await handlers.withdraw({ kind: "withdraw", pick: 0 });
      await handlers.limit({ kind: "limit", files: null });
      const before = await now();
      const archive = await app.runtime.app.request(`/v1/agents/${memory.agent}/archive`);
      const moved = `${first}-${++moves}`;
      const init = {
        method: "POST",
        headers: { "content-type": "application/gzip" },
        body: await archive.arrayBuffer(),
      };
      const imported = await app.runtime.app.request(`/v1/archives?as=${moved}`, init);
      expect(imported.status, await imported.text()).toBe(201);
      memory.agent = moved;
      expect(await facts()).toEqual(before.facts);
    },
    share: async () => {
      await call("PUT", `shares/${reader}`, {});
      const taken = await app.call("PUT", `/v1/agents/${reader}/reads/${memory.agent}`, {});
      expect(taken.status).toBe(200);
      memory.isShared = true;
    },
    withdraw: async () => {
      if (memory.isShared) await call("DELETE", `shares/${reader}`);
      memory.isShared = false;
    },
  };

  /** Checks that the agent lists, counts and finds what the model expects. */
  async function check(): Promise<void> {
    const listed = (await call<{ files: { path: string }[] }>("GET", "files")).files;
    const content = async ({ path }: { path: string }) =>
      [path, (await call<{ content: string }>("GET", `files/${path}`)).content] as const;
    expect(Object.fromEntries(await Promise.all(listed.map(content)))).toEqual(Object.fromEntries(memory.files));
    const { snapshots } = await call<{ snapshots: { name: string }[] }>("GET", "snapshots");
    expect(snapshots.map(({ name }) => name).sort()).toEqual([...memory.snapshots.keys()].sort());
    const kept = await facts();
    const bytes = sizeOf([...memory.files.values(), ...kept.map(({ text }) => text)]);
    const historyBytes = sizeOf(memory.past.map((one) => one.content));
    const { usage } = await call<{ usage: Record<string, number> }>("GET", "");
    expect(usage).toMatchObject({ files: memory.files.size, facts: kept.length, bytes, historyBytes });
    await checkFound(kept);
    for (const { at, files } of memory.moments.slice(-2))
      for (const path of PATHS) {
        const { status, text } = await call<{ status?: string; text: string }>("POST", "tools/memory_get", {
          path,
          asOf: at,
        });
        expect([path, at, status === "not_found" ? undefined : text]).toEqual([path, at, files.get(path)]);
      }
  }

  async function checkFound(kept: readonly ModelledFact[]): Promise<void> {
    for (const word of WORDS.slice(1)) {
      const wanted = pathsOf(memory, word);
      // Equal texts are shown once.
      const own = await found(app, word, memory.agent);
      expect([own.length, own.every((path) => wanted.includes(path))], word).toEqual([
        Math.min(1, wanted.length),
        true,
      ]);
    }
    const held = kept.filter((one) => one.validTo === undefined);
    for (const query of CITIES) {
      const asked = { query, minScore: 0, maxResults: 50 };
      const { facts: results } = await call<{ facts: ModelledFact[] }>("POST", "facts/search", asked);
      const about = (all: readonly ModelledFact[]) => [
        ...new Set(textsOf(all.filter(({ text }) => text.includes(query)))),
      ];
      expect(about(results)).toEqual(about(held));
    }
  }

  return {
    memory,
    ask,
    call,
    facts,
    now,
    became,
    become,
    check,
    act: (command: MemoryCommand) => (handlers[command.kind] as (one: MemoryCommand) => Promise<unknown>)(command),
  };
}

/** Returns the paths of files whose text contains the word that was searched. */
export async function found(app: TestApp, word: string, agent: string): Promise<string[]> {
  const { results } = await app.search(word, { corpus: "memory", minScore: 0, maxResults: 20 }, agent);
  return results.flatMap(({ path, snippet }) => (snippet.includes(word) ? [path] : []));
}

export function pathsOf({ files }: Pick<Remembered, "files">, word: string): string[] {
  return [...files].flatMap(([path, text]) => (text === word ? [path] : []));
}

/** Returns one of the items; undefined if there are none. */
export function chosen<T>(all: readonly T[], at: number): T | undefined {
  return all[at % Math.max(1, all.length)];
}

const textsOf = (facts: readonly { text: string }[]) => facts.map(({ text }) => text).sort();
const sizeOf = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0);
