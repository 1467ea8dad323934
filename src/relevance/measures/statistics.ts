/** A mean with its 95 % confidence interval. */
export interface Interval {
  mean: number;
  low: number;
  high: number;
}

/**
 * A mean difference with its interval, and the probability (`p`) that chance alone causes a
 * difference at least as large.
 */
export interface PairedDifference extends Interval {
  p: number;
  wins: number;
  losses: number;
  ties: number;
}

/**
 * The number of resamples. More would narrow the interval's own noise by less than a digit that is
 * shown.
 */
const RESAMPLES = 2000;
const SHUFFLES = 10_000;
/** The seed is fixed, so that the same answers always give the same report. */
const SEED = 20_021_018;
/** A smaller difference comes from arithmetic, not from ranking. */
const TIE = 1e-9;

/**
 * Returns a generator of numbers in 0..1 that a seed repeats: mulberry32 (Ettinger 2017), which is
 * good enough for resampling but not for secrets.
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns the arithmetic mean; 0 for no values. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Returns the value below which a share of the values lies, interpolated between neighbours (R's
 * type 7); NaN for no values.
 */
export function quantile(values: readonly number[] | Float64Array, share: number): number {
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return below === undefined || above === undefined ? Number.NaN : below + (above - below) * (at % 1);
}

/**
 * Returns the mean and its percentile bootstrap interval (Efron and Tibshirani 1993, §13.3): as
 * many queries as there are, drawn with replacement, 2,000 times; the 2.5th and 97.5th percentile
 * of the drawn means.
 */
export function bootstrap(values: readonly number[]): Interval {
  const random = seededRandom(SEED);
  const means = new Float64Array(RESAMPLES);
  for (let resample = 0; resample < RESAMPLES; resample++) {
    let sum = 0;
    for (let drawn = 0; drawn < values.length; drawn++) sum += values[Math.floor(random() * values.length)] ?? 0;
    means[resample] = values.length === 0 ? 0 : sum / values.length;
  }
  return { mean: mean(values), low: quantile(means, 0.025), high: quantile(means, 0.975) };
}

/** Returns whether a difference is too small to come from ranking. */
export function isTie(difference: number): boolean {
  return Math.abs(difference) <= TIE;
}

/**
 * Compares two runs query by query. Returns the mean of `after − before`, its paired bootstrap
 * interval, and the two-sided p-value of Fisher's randomisation test. If the runs did not differ,
 * each difference could as well have the other sign; p is the share of 10,000 random choices of
 * signs with a mean at least as far from 0 (the run itself counted, so never 0). Smucker, Allan and
 * Carterette (CIKM 2007) recommend this test for retrieval over sign and Wilcoxon tests.
 *
 * @param before the values of one run; `after` has the other run's values for the same queries in
 *   the same order
 */
export function comparePaired(before: readonly number[], after: readonly number[]): PairedDifference {
  const differences = after.map((value, index) => value - (before[index] ?? 0));
  const tied = differences.filter(isTie).length;
  const wins = differences.filter((difference) => difference > TIE).length;
  return {
    ...bootstrap(differences),
    p: randomisationTest(differences),
    wins,
    losses: differences.length - wins - tied,
    ties: tied,
  };
}

function randomisationTest(differences: readonly number[]): number {
  const random = seededRandom(SEED);
  // Ties have no sign; leaving them out changes no sum and is many times faster.
  const signed = differences.filter((difference) => Math.abs(difference) > TIE);
  const seen = Math.abs(signed.reduce((sum, value) => sum + value, 0));
  let asFar = 1;
  for (let shuffle = 0; shuffle < SHUFFLES; shuffle++) {
    let sum = 0;
    for (const value of signed) sum += random() < 0.5 ? value : -value;
    if (Math.abs(sum) >= seen - TIE) asFar++;
  }
  return asFar / (SHUFFLES + 1);
}
