import type { FactStanding } from "./fact-standing.ts";

/** What ranking has to know of a chunk besides its scores. */
export interface CandidateDetails {
  readonly path: string;
  /** Equal texts have equal hashes. */
  readonly hash: string;
  readonly changedAt: Date;
  /** Of a fact: what it counts for besides its text. */
  readonly standing?: FactStanding | null;
}
