import type { HeldRow, StateRow } from "../../db/agent/archive/branch-base.ts";

/** What one agent has done since both were alike; without a common past what it has in place of the other. */
export type Change = "none" | "added" | "changed" | "deleted";

/** A file or timeline of facts that two agents do not have alike. */
export interface Difference {
  kind: StateRow["kind"];
  /** A path, or a timeline's key. */
  key: string;
  here: Change;
  there: Change;
  /** Whether both have changed it, each in its own way. */
  conflict: boolean;
  /** The hashes of both; undefined: it has none such. */
  mine: string | undefined;
  theirs: string | undefined;
}

/**
 * What two agents do not have alike, by kind and key. With what both had when the one was made of the other, it is known who has
 * changed it. Where both have learnt the same since, they are alike, whenever either did.
 *
 * @param base undefined: they have no common past
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
