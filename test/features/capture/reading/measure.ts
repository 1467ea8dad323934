import { readFileSync } from "node:fs";
import { captureFacts } from "../../../../src/features/capture/reading/capture-facts.ts";
import type { FactCandidate } from "../../../../src/features/capture/reading/fact-candidate.ts";

interface WantedFact {
  text: string;
  category: string;
  key?: string;
  /** The turn of the fact that this one replaces, with the number of that fact after a colon. */
  contradicts?: string;
}

/**
 * A line of test/features/capture/data: the messages, and the facts in them or the reason why there are
 * none.
 */
export interface Turn {
  id: string;
  lang: string;
  messages: [role: string, text: string][];
  facts?: WantedFact[];
  trap?: string;
}

export interface Measured {
  turns: number;
  traps: number;
  wanted: number;
  /** The mistakes, to be read when a bound is missed. */
  missed: string[];
  invented: string[];
  otherCategory: string[];
  otherKey: string[];
  contradictions: number;
  /** The number of contradictions that replace the fact that they contradict. */
  superseding: number;
}

export function readTurns(name: string): Turn[] {
  const lines = readFileSync(new URL(`../data/${name}.jsonl`, import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as Turn);
}

/**
 * Measures capture. A fact is found if a statement contains its words; all other statements are
 * invented.
 */
export function measureCapture(turns: readonly Turn[]): Measured & { precision: number; recall: number } {
  const measured: Measured = {
    turns: turns.length,
    traps: turns.filter(({ trap }) => trap !== undefined).length,
    wanted: 0,
    missed: [],
    invented: [],
    otherCategory: [],
    otherKey: [],
    contradictions: 0,
    superseding: 0,
  };
  const keys = new Map<string, string | undefined>();
  for (const { id, messages, facts = [] } of turns) {
    const said = messages.map(([role, text]) => ({ role, text }));
    const left = captureFacts(said);
    for (const [number, fact] of facts.entries()) {
      const at = left.findIndex(({ text }) => words(text).includes(words(fact.text)));
      const found = at < 0 ? undefined : left.splice(at, 1)[0];
      keys.set(number === 0 ? id : `${id}:${number}`, found?.key);
      count(measured, keys, fact, found, `${id}: ${fact.text}`);
    }
    measured.invented.push(...left.map(({ trigger, text }) => `${id}: ${trigger}: ${text}`));
  }
  const found = measured.wanted - measured.missed.length;
  return { ...measured, precision: found / (found + measured.invented.length), recall: found / measured.wanted };
}

function count(
  measured: Measured,
  keys: ReadonlyMap<string, string | undefined>,
  fact: WantedFact,
  found: FactCandidate | undefined,
  name: string,
): void {
  measured.wanted++;
  if (!found) measured.missed.push(name);
  if (found && found.category !== fact.category) measured.otherCategory.push(`${name}: ${found.category}`);
  if (found && fact.key !== undefined && found.key !== fact.key) measured.otherKey.push(`${name}: ${found.key}`);
  if (fact.contradicts === undefined) return;
  measured.contradictions++;
  if (found?.key !== undefined && keys.get(fact.contradicts) === found.key) measured.superseding++;
}

function words(text: string): string {
  const plain = text.normalize("NFKC").toLowerCase().replaceAll("’", "'");
  return plain.replace(/[^\p{L}\p{N}']+/gu, " ").trim();
}
