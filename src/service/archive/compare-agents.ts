import type { StateRow } from "../../db/agent/archive/branch-base.ts";

/** What one agent has done since both were alike; without a common past what it has in place of the other. */
export type Change = "none" | "added" | "changed" | "deleted";

/** A file or fact that two agents do not have alike. */
export interface Difference {
  kind: StateRow["kind"];
  /** A path, or a fact's key. */
  key: string;
  here: Change;
  there: Change;
  /** The hashes of both; undefined: it has none such. */
  mine: string | undefined;
  theirs: string | undefined;
}

/**
 * What two agents do not have alike, by kind and key. With what both had when the one was made of the other, it is known who has
 * changed it.
 *
 * @param base undefined: they have no common past
 */
export function compareStates(
  mine: readonly StateRow[],
  theirs: readonly StateRow[],
  base: readonly StateRow[] | undefined,
): Difference[] {
  const [here, there, before] = [byName(mine), byName(theirs), base && byName(base)];
  const names = new Set([...here.keys(), ...there.keys()]);
  const differences = [...names].flatMap((name): Difference[] => {
    const [one, other] = [here.get(name), there.get(name)];
    const { kind, key } = (one ?? other) as StateRow;
    if (one?.hash === other?.hash) return [];
    const was = before ? before.get(name)?.hash : other?.hash;
    const changes = { here: changeOf(was, one?.hash), there: changeOf(before ? was : other?.hash, other?.hash) };
    return [{ kind, key, ...changes, mine: one?.hash, theirs: other?.hash }];
  });
  return differences.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** Whether both have changed it, each in its own way. */
export function isConflict({ here, there }: Difference): boolean {
  return here !== "none" && there !== "none";
}

function byName(rows: readonly StateRow[]): Map<string, StateRow> {
  return new Map(rows.map((row) => [nameOf(row), row]));
}

function nameOf({ kind, key }: Pick<StateRow, "kind" | "key">): string {
  return `${kind} ${key}`;
}

function changeOf(before: string | undefined, now: string | undefined): Change {
  if (before === now) return "none";
  if (before === undefined) return "added";
  return now === undefined ? "deleted" : "changed";
}
