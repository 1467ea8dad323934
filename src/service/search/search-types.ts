import type { FactCategory, FactScope } from "../../db/agent/facts/facts.ts";
import type { Floor } from "../../search/ranking/apply-floor.ts";
import type { Background } from "../../search/ranking/evidence.ts";
import type { SearchMode } from "../../search/ranking/fuse.ts";
import type { LeftOut } from "../../search/ranking/rank.ts";

export interface SearchInput {
  query: string;
  maxResults?: number | undefined;
  minScore?: number | undefined;
  corpus?: "memory" | "sessions" | "facts" | "all" | undefined;
  /** Whom and what for: facts of others are left out. Undefined: everybody's. */
  scope?: FactScope | undefined;
  /** Days, `YYYY-MM-DD`: only what is from this day on, or from before that one. */
  after?: string | undefined;
  before?: string | undefined;
  /** Only files and sessions with one of these paths; `*` stands for any characters, a folder ends with `/`. */
  paths?: readonly string[] | undefined;
  /** Whether each hit has its whole text. */
  includeText?: boolean | undefined;
  /** Whether the answer says how it came about. */
  explain?: boolean | undefined;
}

export interface SearchHit {
  path: string;
  startLine: number;
  endLine: number;
  score: number;
  vectorScore?: number;
  textScore?: number;
  snippet: string;
  text?: string;
  source: "memory" | "sessions" | "facts";
  citation?: string;
  /** Of a hit that is a fact. */
  fact?: FactOfHit;
  /** Of a hit in a session. */
  session?: SessionOfHit;
  explain?: HitExplanation;
}

/** Since when a fact holds, and what it took the place of. */
export interface FactOfHit {
  id: string;
  category: FactCategory;
  since: string;
  /** When it was last said, if later. */
  confirmed?: string;
  /** The text of the fact before it. */
  replaced?: string;
}

/** Where in a conversation a hit stands, who speaks there and when. */
export interface SessionOfHit {
  key: string;
  /** Numbers of the first and the last message. */
  messages: { from: number; to: number };
  roles: string[];
  from: string;
  to: string;
}

export interface SearchOutput {
  results: SearchHit[];
  provider: string;
  model: string;
  citations: "auto" | "on" | "off";
  mode: SearchMode;
  warning?: string;
  /** What to try when nothing was found. */
  note?: string;
  debug?: SearchDebug;
}

/** A normal answer, not an exception: the agent that called the tool has to tell its user what to do. */
export interface Unavailable {
  disabled: true;
  unavailable: true;
  error: string;
  warning: string;
  action: string;
}

export interface UnavailableOutput extends Unavailable {
  results: [];
}

/** Where a chunk stands in an arm's list. */
export interface ArmPlace {
  /** From 1. */
  rank: number;
  /** BM25, or cosine. */
  score: number;
}

/** Why a hit is where it is. */
export interface HitExplanation {
  /** Absent: that arm did not find it. */
  keyword?: ArmPlace;
  vector?: ArmPlace;
  /** BM25 as a share of the best, and cosine, as they were fused. */
  textScore?: number;
  vectorScore?: number;
  /** How many times what chance gives speaks for it. */
  evidence: number;
  fusedScore: number;
  /** What temporal decay multiplied the fused score by. */
  decay: number;
  /** What the importance of a fact multiplied it by. */
  importance?: number;
  /** Whether it was put first because the query names its file. */
  named: boolean;
  rerankScore?: number;
  /** Place among all candidates before reranking, MMR and joining neighbours. */
  rankedAt: number;
  /** Whether it joins several chunks. */
  joined: boolean;
}

export interface ArmEntry {
  path: string;
  startLine: number;
  endLine: number;
  score: number;
}

/** A candidate that is not shown. `of`: where the equal text stands that is. */
export type LeftOutEntry = Omit<ArmEntry, "score"> & LeftOut;

/** What a search did, on request. */
export interface SearchDebug {
  fusion: { mode: string; rule: string; vectorWeight: number; textWeight: number; background?: Background };
  minScore: number | Floor;
  /** Most candidates of an arm. */
  limit: number;
  arms: { keyword: ArmEntry[]; vector: ArmEntry[] };
  leftOut: LeftOutEntry[];
}
