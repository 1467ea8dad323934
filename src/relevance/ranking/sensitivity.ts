import type { MeasuredSeparation, Separation } from "../../db/agent/schema/generations.ts";
import type { Script } from "../words/text-language.ts";

/**
 * The prior for an unmeasured model: this many pairs, each one standard deviation above the others.
 */
const PRIOR_PAIRS = 4;
const PRIOR = 1;
/** A value below this many standard errors is chance, given enough pairs. */
const SIGNIFICANT = 2;
const ENOUGH_PAIRS = 16;
/**
 * The bounds of a sensitivity that is not chance: halves of short notes have little in common,
 * halves of long texts much.
 */
const LEAST = 1;
const MOST = 2.5;

/**
 * Measures how far the cosines of texts that belong together lie above the cosines of unrelated
 * texts, in standard deviations. The means of rows and columns are subtracted first, because some
 * texts are near to everything.
 *
 * @param questions unit vectors
 * @param rests for each question, the vector of the text that belongs to it; all have one length
 * @returns undefined for fewer than three pairs, or when all cosines are equal
 */
export function separationOf(
  questions: readonly Float32Array[],
  rests: readonly Float32Array[],
): Separation | undefined {
  const n = questions.length;
  if (n < 3) return undefined;
  const cosines = questions.map((question) => rests.map((rest) => dot(question, rest)));
  const rowMeans = cosines.map(mean);
  const columnMeans = rests.map((_, column) => mean(cosines.map((row) => row[column] ?? 0)));
  const all = mean(rowMeans);
  let squares = 0;
  let own = 0;
  for (const [row, values] of cosines.entries())
    for (const [column, value] of values.entries()) {
      const centred = value - (rowMeans[row] ?? 0) - (columnMeans[column] ?? 0) + all;
      if (row === column) own += centred;
      else squares += centred ** 2;
    }
  const deviation = Math.sqrt(squares / (n * (n - 1)));
  return deviation < 1e-6 ? undefined : { pairs: n, sum: own / deviation };
}

/**
 * Returns d′, the sensitivity index of signal detection (Green and Swets 1966): by how many
 * standard deviations the cosines of related texts lie above other cosines. For normal
 * distributions of equal variance the logarithm of the likelihood ratio grows by d′ with each
 * standard deviation, so d′ is the weight of the vector arm. 0 means that the vectors distinguish
 * nothing and have no vote.
 *
 * @param measured the measurements of the index, perhaps none yet
 * @param script the query's script; undefined when the query has no letters
 * @param isRead tells whether the model reads a script at all; undefined when that is not known
 */
export function sensitivityOf(
  measured: MeasuredSeparation,
  script: Script | undefined,
  isRead: (script: Script) => boolean | undefined,
): number {
  const known = script === undefined ? undefined : isRead(script);
  // A question in a script that no text of the index has is answered across languages, if the model
  // can do that.
  const { pairs, sum } = (script && measured[script]) ?? (known === false ? { pairs: 0, sum: 0 } : pooled(measured));
  const estimate = (PRIOR_PAIRS * (known === false ? 0 : PRIOR) + sum) / (PRIOR_PAIRS + pairs);
  const isChance = estimate < SIGNIFICANT / Math.sqrt(PRIOR_PAIRS + pairs);
  if (known === false) return isChance ? 0 : Math.min(MOST, estimate);
  if (isChance && pairs >= ENOUGH_PAIRS && known === undefined) return 0;
  return Math.min(MOST, Math.max(LEAST, estimate));
}

/**
 * Returns the scripts of an index's texts that its model does not read. Texts in these scripts are
 * searched by keyword alone.
 */
export function unreadScripts(measured: MeasuredSeparation, isRead: (script: Script) => boolean | undefined): string[] {
  return Object.keys(measured).filter((script) => sensitivityOf(measured, script as Script, isRead) === 0);
}

function pooled(measured: MeasuredSeparation): Separation {
  const all = Object.values(measured);
  return { pairs: all.reduce((sum, one) => sum + one.pairs, 0), sum: all.reduce((sum, one) => sum + one.sum, 0) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += (one[i] ?? 0) * (other[i] ?? 0);
  return sum;
}
