import { isOnDate, type NamedDate } from "../words/named-dates.ts";
import type { CandidateDetails } from "./candidate-facts.ts";
import { evidenceOfRarity } from "./evidence.ts";
import type { Candidate } from "./fuse.ts";
import { ageReferenceDate } from "./temporal-decay.ts";

/** Days of a year, months of a year, and years that a memory of some years has: how many dates of a kind there are. */
const DAYS = 365;
const MONTHS = 12;
const YEARS = 3;

/**
 * Adds to what speaks for a candidate that it is of a date the question names: a word of the question which is not in the text. Like a
 * word it counts by its rarity (`evidenceOfRarity`), which is that of the calendar: the share of candidates that are of the
 * date would say more, but a hit's score would then depend on what else is found.
 *
 * @param chunks in the index
 */
export function withDateEvidence(
  candidates: readonly Candidate[],
  dates: readonly NamedDate[],
  details: ReadonlyMap<string, CandidateDetails>,
  chunks: number,
): Candidate[] {
  if (dates.length === 0) return [...candidates];
  return candidates.map((candidate) => {
    const known = details.get(candidate.chunkId);
    // A fact holds since its date, not on it.
    if (!known || known.standing) return candidate;
    const at = ageReferenceDate(known.path, known.changedAt);
    const rarity = Math.max(0, ...dates.map((date) => (at && isOnDate(at, [date]) ? rarityOf(date) : 0)));
    return rarity === 0 ? candidate : { ...candidate, dateEvidence: evidenceOfRarity(rarity, chunks) };
  });
}

function rarityOf({ month, day }: NamedDate): number {
  if (day !== undefined) return Math.log(DAYS);
  return Math.log(month === undefined ? YEARS : MONTHS);
}
