import { type CaptureLanguage, rulesOf } from "./languages.ts";

/**
 * Texts that no rule matches, one in Latin-1 characters and one in others: V8 compiles a pattern
 * separately for the two kinds of text.
 */
const SAMPLES = ["0", "Ω"];
/** The number of runs. V8 compiles a pattern to machine code at its second run. */
const RUNS = 2;

/**
 * Compiles the rules of a language. V8 compiles a pattern when it first runs. For the 650 patterns
 * of all languages that takes about a second, which would otherwise block the event loop at the
 * first message. Patterns stay compiled.
 *
 * @param pause awaited after each pattern; an error that it throws ends the work
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
