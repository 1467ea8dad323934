/** A fact as the list of facts returns it. */
export interface ModelledFact {
  id: string;
  text: string;
  key?: string;
  validFrom: string;
  validTo?: string;
  supersededBy?: string;
  [more: string]: unknown;
}

/** A file, or all facts of one key, or, without a key, all facts of one text. */
interface Standing {
  kind: "files" | "facts";
  /** The path of a file, or the text that was learnt last. */
  name: string;
  key: string | null;
  state: string;
  /** The facts that hold, whenever they were learnt. */
  holds: string | undefined;
}

/** The contents of a memory, by their subject. */
export type Standings = ReadonlyMap<string, Standing>;

/** A difference between two memories, in the form of a diff. */
export interface Differing {
  about: string;
  kind: Standing["kind"];
  said: { here: string; there: string; conflict: boolean } & ({ path: string } | { text: string; key: string | null });
}

const CONTENT = ["text", "category", "importance", "tags", "decayClass", "expiresAt"];
const TIMES = ["validFrom", "validTo", "endedBy"];

export function standingsOf({
  files,
  facts,
}: {
  files: ReadonlyMap<string, string>;
  facts: readonly ModelledFact[];
}): Standings {
  const timelines = Map.groupBy(facts, ({ key, text }) => (key === undefined ? `text ${text}` : `key ${key}`));
  return new Map<string, Standing>([
    ...[...files].map(([name, state]): [string, Standing] => [
      `file ${name}`,
      { kind: "files", name, key: null, state, holds: undefined },
    ]),
    ...[...timelines].map(([about, all]): [string, Standing] => {
      const last = all.toSorted(byTime).at(-1);
      const held = all.filter(({ validTo }) => validTo === undefined);
      const holds = held.length > 0 ? told(held, CONTENT) : undefined;
      const state = told(all, [...CONTENT, ...TIMES]);
      return [about, { kind: "facts", name: last?.text ?? "", key: last?.key ?? null, state, holds }];
    }),
  ]);
}

const byTime = (a: ModelledFact, b: ModelledFact) =>
  a.validFrom.localeCompare(b.validFrom) || Number(a.id) - Number(b.id);
const told = (facts: readonly ModelledFact[], parts: readonly string[]) =>
  JSON.stringify(facts.map((fact) => JSON.stringify(parts.map((part) => fact[part]))).sort());

/**
 * Returns the differences, and which side has changed since both equalled `base`. Without a base, a
 * side has added what the other lacks.
 */
export function differing(here: Standings, there: Standings, base: Standings | undefined): Differing[] {
  return [...new Set([...here.keys(), ...there.keys()])].flatMap((about): Differing[] => {
    const [mine, theirs] = [here.get(about), there.get(about)];
    const one = mine ?? theirs;
    if (!one || mine?.state === theirs?.state) return [];
    const was = base ? base.get(about) : theirs;
    const said = { here: change(was, mine), there: change(was, theirs) };
    const conflict = said.here !== "none" && said.there !== "none";
    // Both sides have learnt the same facts since then.
    if (conflict && mine?.holds !== undefined && mine.holds === theirs?.holds) return [];
    const name = one.kind === "files" ? { path: one.name } : { text: one.name, key: one.key };
    return [{ about, kind: one.kind, said: { ...name, ...said, conflict } }];
  });
}

function change(before: Standing | undefined, now: Standing | undefined): string {
  if (before?.state === now?.state) return "none";
  if (before === undefined) return "added";
  return now === undefined ? "deleted" : "changed";
}

/**
 * Joins the contents of two memories: the subjects in `of` from the first, all others from the
 * second.
 */
export function joined(one: Standings, of: ReadonlySet<string>, other: Standings): Standings {
  return new Map([...[...other].filter(([about]) => !of.has(about)), ...[...one].filter(([about]) => of.has(about))]);
}

export function filesOf(standings: Standings): Map<string, string> {
  const files = [...standings.values()].filter((one) => one.kind === "files");
  return new Map(files.map(({ name, state }) => [name, state]));
}

/** Returns the lists of an answer, in an order that the model and the service share. */
export function listsOf(differences: readonly Differing[]): { files: object[]; facts: object[] } {
  const list = (kind: Differing["kind"]) =>
    inOrder(differences.flatMap((one) => (one.kind === kind ? [one.said] : [])));
  return { files: list("files"), facts: list("facts") };
}

export function inOrder(list: readonly object[]): object[] {
  return list.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
}

const nameOf = (one: { path?: string; key?: string | null; text?: string }) => one.path ?? one.key ?? one.text ?? "";
