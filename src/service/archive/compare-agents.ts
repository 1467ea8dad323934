import type { HeldRow, StateRow } from "../../db/agent/archive/branch-base.ts";

/** What one agent has done since both were alike; without a common past what it has in place of the other. */
export type Change = "none" | "added" | "changed" | "deleted";

/** A file or fact that two agents do not have alike. */
export interface Difference {
  kind: StateRow["kind"];
  /** A path, or a fact's key. */
  key: string;
  here: Change;
  there: Change;
  /** Whether both have changed it, each in its own way; of facts of one slot it is enough that each has another one. */
  conflict: boolean;
  /** The hashes of both; undefined: it has none such. */
  mine: string | undefined;
  theirs: string | undefined;
  /** The key of the other agent's fact that holds in the slot of this one. */
  rival?: string;
}

/**
 * What two agents do not have alike, by kind and key. With what both had when the one was made of the other, it is known who has
 * changed it. A statement that both have learnt since is alike, whenever either did.
 *
 * @param base undefined: they have no common past
 */
export function compareStates(
  mine: readonly HeldRow[],
  theirs: readonly HeldRow[],
  base: readonly StateRow[] | undefined,
): Difference[] {
  const [here, there, before] = [byName(mine), byName(theirs), base && byName(base)];
  const differences = new Map<string, Difference>();
  for (const name of [...new Set([...here.keys(), ...there.keys()])].sort()) {
    const [one, other] = [here.get(name), there.get(name)];
    if (one?.hash === other?.hash) continue;
    const { kind, key } = (one ?? other) as StateRow;
    const was = before ? before.get(name)?.hash : other?.hash;
    const changes = { here: changeOf(was, one?.hash), there: changeOf(was, other?.hash) };
    const conflict = changes.here !== "none" && changes.there !== "none";
    differences.set(name, { kind, key, ...changes, conflict, mine: one?.hash, theirs: other?.hash });
  }
  compareSlots(mine, theirs, differences);
  return [...differences.values()];
}

/** Two facts of one slot, one of each agent: alike when they say the same, else a conflict. */
function compareSlots(
  mine: readonly HeldRow[],
  theirs: readonly HeldRow[],
  differences: Map<string, Difference>,
): void {
  const open = new Map(theirs.flatMap((row) => (row.slot === null ? [] : [[row.slot, row]])));
  for (const row of mine) {
    const rival = row.slot === null ? undefined : open.get(row.slot);
    const [one, other] = rival ? [differences.get(nameOf(row)), differences.get(nameOf(rival))] : [];
    if (!rival || !one || !other || one === other || one.here === "none" || other.there === "none") continue;
    if (row.says === rival.says && one.here === "added" && other.there === "added") {
      differences.delete(nameOf(row));
      differences.delete(nameOf(rival));
    } else {
      one.rival = rival.key;
      one.conflict = other.conflict = true;
    }
  }
}

function nameOf({ kind, key }: Pick<StateRow, "kind" | "key">): string {
  return `${kind} ${key}`;
}

export function byName<Row extends StateRow>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [nameOf(row), row]));
}

function changeOf(before: string | undefined, now: string | undefined): Change {
  if (before === now) return "none";
  if (before === undefined) return "added";
  return now === undefined ? "deleted" : "changed";
}
