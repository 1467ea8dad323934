import * as english from "./english.ts";
import { ENGLISH_RULES } from "./english-rules.ts";
import { OWN_WORDS_PATTERNS } from "./own-words.ts";

/**
 * Texts that no rule matches, one in Latin-1 characters and one in others: V8 compiles a pattern
 * separately for the two kinds of text.
 */
const SAMPLES = ["0", "Ω"];
/** The number of runs. V8 compiles a pattern to machine code at its second run. */
const RUNS = 2;

/**
 * Compiles the rules. V8 compiles a pattern when it first runs. For all patterns that takes some
 * hundred milliseconds, which would otherwise block the event loop at the first message. Patterns
 * stay compiled.
 *
 * @param pause awaited after each pattern; an error that it throws ends the work
 */
export async function warmRules(pause: () => Promise<void>): Promise<void> {
  for (const pattern of capturePatterns()) {
    for (const sample of SAMPLES) {
      for (let run = 0; run < RUNS; run++) sample.search(pattern);
      await pause();
    }
  }
}

/** Returns all patterns of capture. */
export function capturePatterns(): RegExp[] {
  return [...patternsOf(ENGLISH_RULES), ...patternsOf({ ...english }), ...OWN_WORDS_PATTERNS];
}

function patternsOf(table: unknown): RegExp[] {
  if (table instanceof RegExp) return [table];
  return typeof table === "object" && table !== null ? Object.values(table).flatMap(patternsOf) : [];
}
