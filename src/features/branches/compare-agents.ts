import type { HeldRow, StateRow } from "./sql/branch-base.ts";

/**
 * The change that one agent made since the two agents were alike. Without a common past, its
 * difference from the other agent.
 */
export type Change = "none" | "added" | "changed" | "deleted";

/** A file or timeline of facts that differs between two agents. */
export interface Difference {
  kind: StateRow["kind"];
  /** A file's path, or a timeline's key. */
  key: string;
  here: Change;
  there: Change;
  /** Whether both agents have changed it, each in its own way. */
  conflict: boolean;
  /** The hash in each agent; undefined when that agent does not have it. */
  mine: string | undefined;
  theirs: string | undefined;
}

/**
 * Returns the files and timelines that differ between two agents, sorted by kind and key. `base`
 * shows which of them made each change. A timeline that both have changed since counts as alike if
 * the same facts hold in both, whenever each agent learnt them.
 *
 * @param base the state that both had when one was branched from the other or last merged into it;
 *   undefined when the agents have no common past
 */
export function compareStates(
  mine: readonly HeldRow[],
  theirs: readonly HeldRow[],
  base: readonly StateRow[] | undefined,
): Difference[] {
  const [here, there, before] = [byName(mine), byName(theirs), base && byName(base)];
  return [...new Set([...here.keys(), ...there.keys()])].sort().flatMap((name): Difference[] => {
    const [one, other] = [here.get(name), there.get(name)];
    if (one?.hash === other?.hash) return [];
    const { kind, key } = (one ?? other) as StateRow;
    const was = before ? before.get(name)?.hash : other?.hash;
    const changes = { here: changeOf(was, one?.hash), there: changeOf(was, other?.hash) };
    const conflict = changes.here !== "none" && changes.there !== "none";
    if (conflict && one?.holds != null && one.holds === other?.holds) return [];
    return [{ kind, key, ...changes, conflict, mine: one?.hash, theirs: other?.hash }];
  });
}

export function byName<Row extends StateRow>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [`${row.kind} ${row.key}`, row]));
}

function changeOf(before: string | undefined, now: string | undefined): Change {
  if (before === now) return "none";
  if (before === undefined) return "added";
  return now === undefined ? "deleted" : "changed";
}
