import { rankOfFrequency, TF_THRESHOLDS } from "../keyword/bm25.ts";
import type { PostingList } from "./add-concepts.ts";

const RANKS = Float64Array.from({ length: 256 }, (_, frequency) => rankOfFrequency(frequency));

/**
 * One list for all lexemes that begin alike, with the frequency that ts_rank has for a prefix: it adds up the sums of each
 * lexeme (calc_rank_or in Postgres' tsrank.c).
 */
export function joinPostings(lists: readonly PostingList[]): PostingList {
  const [only] = lists;
  if (lists.length <= 1) return only ?? new Uint32Array();
  let size = 0;
  for (const list of lists) for (let i = 0; i < list.length; i++) size = Math.max(size, ((list[i] ?? 0) >>> 8) + 1);
  // An array: a map of chunks took up to 14 ms for one segment, and a process that has just started joins those of all.
  const sums = new Float64Array(size);
  for (const list of lists)
    for (let i = 0; i < list.length; i++) {
      const posting = list[i] ?? 0;
      sums[posting >>> 8] = (sums[posting >>> 8] ?? 0) + (RANKS[posting & 255] ?? 0);
    }
  const joined = new Uint32Array(size);
  let length = 0;
  for (let number = 0; number < size; number++)
    if (sums[number]) joined[length++] = (number << 8) | frequencyOf(sums[number] ?? 0);
  return joined.slice(0, length);
}

/** How many of the thresholds are not above a rank, as `width_bucket` has it. */
function frequencyOf(rank: number): number {
  let from = 0;
  let to = TF_THRESHOLDS.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((TF_THRESHOLDS[middle] ?? 0) <= rank) from = middle + 1;
    else to = middle;
  }
  return from;
}
