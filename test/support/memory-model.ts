import fc from "fast-check";
import { expect } from "vitest";
import { branchOf } from "./branches.ts";
import { differing, filesOf, inOrder, joined, listsOf, type Standings, standingsOf } from "./memory-standing.ts";
import {
  CITIES,
  chosen,
  emptyMemory,
  found,
  type MemoryCommand,
  type ModelledMemory,
  modelMemory,
  NAMES,
  PATHS,
  pathsOf,
  type State,
  WORDS,
} from "./modelled-memory.ts";
import type { TestApp } from "./test-app.ts";

type Side = "main" | "branch";
type Prefer = "branch" | "target" | undefined;

/** An action on a memory, or on a branch of it. */
export type Command =
  | (MemoryCommand & { side: Side })
  | { kind: "branch"; side: Side; moment: "now" | "snapshot" | "time"; pick: number }
  | { kind: "merge"; prefer: Prefer; dryRun: boolean };

const pick = fc.nat();
const path = fc.constantFrom(...PATHS);
const side = fc.constantFrom<Side>("main", "branch");
const command = <K extends Command["kind"], More extends object>(
  kind: K,
  weight: number,
  more: { [Name in keyof More]: fc.Arbitrary<More[Name]> },
) => ({ weight, arbitrary: fc.record({ kind: fc.constant(kind), side, ...more }) });

/** A command. The frequent commands make the data that the others need. */
export const anyCommand = fc.oneof(
  command("put", 6, { path, word: fc.constantFrom(...WORDS) }),
  command("delete", 2, { path }),
  command("snapshot", 2, { name: fc.constantFrom(...NAMES) }),
  command("store", 4, { key: fc.constantFrom("city", "team", undefined), word: fc.constantFrom(...CITIES) }),
  command("change", 2, { pick, importance: fc.constantFrom(0.1, 0.9) }),
  command("limit", 1, { files: fc.constantFrom(1, 2, null, null) }),
  command("branch", 3, { moment: fc.constantFrom("now", "now", "snapshot", "time"), pick }),
  command("merge", 4, {
    prefer: fc.constantFrom(undefined, "branch", "target"),
    dryRun: fc.constantFrom(false, false, false, true),
  }),
  ...(["restore", "roll back", "forget"] as const).map((kind) => command(kind, 2, { pick })),
  ...(["drop snapshot", "move", "share", "withdraw", "note"] as const).map((kind) => command(kind, 1, { pick })),
) as fc.Arbitrary<Command>;

/**
 * Models one agent with at most one branch, and their expected contents. Each command is applied to
 * both the service and the model.
 */
export function createMemoryModel(app: TestApp, first: string, reader: string) {
  let main = modelMemory(app, reader, emptyMemory(first));
  let branch: ModelledMemory | undefined;
  /**
   * The contents that both sides had when they were last equal; undefined if neither was made from
   * the other.
   */
  let base: Standings | undefined;
  let branches = 0;

  const standing = async (memory: ModelledMemory) => standingsOf(await memory.now());
  const drop = ({ memory }: ModelledMemory) => app.call("DELETE", `/v1/agents/${memory.agent}`);

  /** Returns the state that a branch is made from, and the request for it. */
  const momentOf = async (origin: ModelledMemory, { moment, pick }: Extract<Command, { kind: "branch" }>) => {
    const { snapshots, moments } = origin.memory;
    const [snapshot, then] = (moment === "snapshot" && chosen([...snapshots], pick)) || [];
    const noted = moment === "time" ? chosen(moments, pick) : undefined;
    const wanted = snapshot !== undefined ? { snapshot } : noted && { at: noted.at };
    return { state: then ?? noted ?? (await origin.now()), wanted: wanted ?? {}, isWhole: noted === undefined };
  };

  /**
   * Makes a branch that replaces the present one. A branch of the branch replaces both sides: the
   * main agent is erased, and its branch outlives it.
   */
  async function makeBranch(asked: Extract<Command, { kind: "branch" }>): Promise<void> {
    const origin = asked.side === "branch" && branch ? branch : main;
    const other = origin === main ? branch : main;
    if (other) expect((await drop(other)).status).toBe(200);
    [main, branch, base] = [origin, undefined, undefined];
    const agent = `${first}-try${++branches}`;
    const { state, wanted, isWhole } = await momentOf(origin, asked);
    // The service does not compare the quota with the past state when a branch is requested.
    if ("at" in wanted || "snapshot" in wanted) await main.act({ kind: "limit", files: null });
    if (main.memory.files.size > main.memory.limit) {
      const refused = await main.ask("POST", "branches", { as: agent });
      expect(refused).toMatchObject({ status: 413, body: { error: { code: "quota_exceeded" } } });
      expect((await app.call("GET", `/v1/agents/${agent}`)).status).toBe(404);
      return;
    }
    await branchOf(app, main.memory.agent, agent, wanted);
    const { files, past, snapshots, moments, limit } = main.memory;
    const copied = { files, past: [...past], snapshots: new Map(snapshots), moments: [...moments] };
    branch = modelMemory(app, reader, { agent, ...copied, limit, isShared: false });
    branch.became(state.files);
    const facts = await branch.facts();
    if (isWhole) expect(facts).toEqual(state.facts);
    else await checkFactsOf(state, facts);
    base = standingsOf({ files: state.files, facts });
    await check();
  }

  /**
   * Checks the facts of a past state. A change or removal of a fact since then is not part of a
   * state at a time, but the fact's validity is.
   */
  async function checkFactsOf(state: State, facts: State["facts"]): Promise<void> {
    const then = new Map(state.facts.map((one) => [one.id, one]));
    const still = new Set((await main.facts()).map(({ id }) => id));
    for (const { id, text } of facts) expect([id, then.get(id)?.text]).toEqual([id, text]);
    const ends = (all: State["facts"]) => all.flatMap(({ id, validTo }) => (still.has(id) ? [[id, validTo]] : []));
    expect(ends(facts)).toEqual(ends(state.facts));
  }

  /**
   * Compares the sides and, unless conflicts prevent it, merges. A refused merge or a dry run
   * changes nothing.
   */
  async function merge({ prefer, dryRun }: Extract<Command, { kind: "merge" }>): Promise<void> {
    if (!branch) return;
    const [here, there] = [await standing(branch), await standing(main)];
    const changed = differing(here, there, base).filter((one) => one.said.here !== "none");
    const conflicts = changed.filter((one) => one.said.conflict);
    const taken = changed.filter((one) => prefer !== "target" || !one.said.conflict);
    const about = new Set(taken.map((one) => one.about));
    const body = { into: main.memory.agent, dryRun, ...(prefer && { prefer }) };
    const from = branch;
    const send = () => from.ask<Told>("POST", "merge", body);
    if (!base || dryRun || (conflicts.length > 0 && !prefer)) {
      const answer = await send();
      const named = conflicts.map(({ said }) => ("path" in said ? said.path : said.text));
      if (!base) expect(answer).toMatchObject({ status: 404, body: { error: { code: "branch_not_found" } } });
      else if (dryRun)
        expect(toldBy(answer.body)).toEqual({ ...listsOf(taken), conflicts: conflicts.length, merged: false });
      else {
        expect(answer).toMatchObject({ status: 409, body: { error: { code: "merge_conflict" } } });
        expect(answer.body.error?.details.conflicts.toSorted()).toEqual(named.sort());
      }
    } else {
      const wanted = joined(here, about, there);
      const merged = await main.become(filesOf(wanted), send);
      if (merged) {
        expect(toldBy(merged)).toEqual({ ...listsOf(taken), conflicts: conflicts.length, merged: true });
        expect(await standing(main)).toEqual(wanted);
        const settled = [...here.keys(), ...base.keys()].filter(
          (one) => here.get(one)?.state === wanted.get(one)?.state,
        );
        base = joined(here, new Set([...settled, ...changed.map((one) => one.about)]), base);
        return check();
      }
    }
    expect([await standing(branch), await standing(main)]).toEqual([here, there]);
    await check();
  }

  async function checkDiff(of: ModelledMemory): Promise<void> {
    const expected = listsOf(differing(await standing(of), await standing(main), base));
    const body = await of.call<Told>("GET", `diff/${main.memory.agent}?limit=1000`);
    expect(toldBy(body)).toEqual({
      ...expected,
      conflicts: undefined,
      merged: undefined,
    });
    expect([body.counts, body.since === null]).toEqual([
      { files: expected.files.length, facts: expected.facts.length },
      base === undefined,
    ]);
  }

  /**
   * Checks that both sides list, count and find what the model expects, that a reader of theirs
   * finds the same, and that they differ as the model expects.
   */
  async function check(): Promise<void> {
    const memories = branch ? [main, branch] : [main];
    for (const one of memories) await one.check();
    if (branch) await checkDiff(branch);
    for (const word of WORDS.slice(1)) {
      const wanted = memories.flatMap(({ memory }) =>
        memory.isShared ? pathsOf(memory, word).map((path) => `@${memory.agent}/${path}`) : [],
      );
      const read = await found(app, word, reader);
      // Equal texts are shown once.
      expect([read.length, read.every((one) => wanted.includes(one))], word).toEqual([
        Math.min(1, wanted.length),
        true,
      ]);
    }
  }

  async function act(asked: Command): Promise<void> {
    if (asked.kind === "branch") return makeBranch(asked);
    if (asked.kind === "merge") return merge(asked);
    const memory = asked.side === "branch" && branch ? branch : main;
    await memory.act(asked);
    // The copy is neither the origin of the branch nor the branch itself.
    if (asked.kind === "move") base = undefined;
  }

  return { act, check };
}

/** The answer of a diff or a merge. */
interface Told {
  files?: object[];
  facts?: object[];
  conflicts?: number;
  merged?: boolean;
  counts?: object;
  since?: string | null;
  error?: { details: { conflicts: string[] } };
}

/** Returns the answer's lists in the model's order. */
function toldBy({ files, facts, conflicts, merged }: Told): object {
  return { files: inOrder(files ?? []), facts: inOrder(facts ?? []), conflicts, merged };
}
