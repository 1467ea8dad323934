import type { LanguageRules } from "./language-rules.ts";

/** A part of a sentence that can be a statement of its own; places in the sentence, `end` exclusive. */
export interface Clause {
  readonly start: number;
  readonly end: number;
  /** What stands between it and the clause before: a colon, nothing but "and", or more. */
  readonly after: "start" | "colon" | "and" | "stop";
  /** Its subject stands in the clause before. */
  readonly carried: boolean;
}

/** Cuts a sentence before what may be another statement. What joins them ("and", ", because") belongs to neither. */
export function cutClauses(mask: string, { breaks, bareBreak }: LanguageRules, conditional: boolean): Clause[] {
  const bare = conditional ? bareBreak?.exec(mask) : undefined;
  const cuts = [...mask.matchAll(breaks), ...(bare ? [bare] : [])].sort((a, b) => a.index - b.index);
  const clauses: Clause[] = [];
  let next: Omit<Clause, "end"> = { start: 0, after: "start", carried: false };
  for (const cut of cuts) {
    if (cut.index <= next.start) continue;
    clauses.push({ ...next, end: cut.index });
    const carried = cut.groups?.carry !== undefined;
    const after = /[:：]/.test(cut[0]) ? "colon" : cut.groups?.weak === undefined ? "stop" : "and";
    next = { start: cut.index + cut[0].length, after, carried };
  }
  clauses.push({ ...next, end: mask.length });
  return clauses;
}
