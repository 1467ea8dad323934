import { type CaptureLanguage, rulesOf } from "./languages.ts";

/** A text that no rule fits, in Latin letters and in others: V8 compiles a pattern for each of the two kinds of text. */
const SAMPLES = ["0", "Ω"];
/** The second run of a pattern makes machine code of it. */
const RUNS = 2;

/**
 * Compiles the rules of a language. V8 compiles a pattern when it first runs: for the 650 of all languages that takes about a
 * second, which a first message would otherwise hold the event loop for. Patterns stay compiled.
 *
 * @param pause awaited after each pattern; what it throws ends the work
 */
export async function warmRules(language: CaptureLanguage, pause: () => Promise<void>): Promise<void> {
  for (const pattern of patternsOf(rulesOf(language))) {
    for (const sample of SAMPLES) {
      for (let run = 0; run < RUNS; run++) sample.search(pattern);
      await pause();
    }
  }
}

function patternsOf(table: unknown): RegExp[] {
  if (table instanceof RegExp) return [table];
  return typeof table === "object" && table !== null ? Object.values(table).flatMap(patternsOf) : [];
}
