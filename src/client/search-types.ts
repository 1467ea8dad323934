/** Files (memory), conversations (sessions) or facts. */
export type Source = "memory" | "sessions" | "facts";

/** Which arms answered: by words and meaning, or one of them alone. */
export type SearchMode = "hybrid" | "keyword" | "vector";

/** Whom and what a fact or a conversation is for, by your names or ids; an absent part is everybody, everything. */
export interface FactScope {
  user?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
}

export interface SearchOptions {
  /** Most hits, at most 100; default: 6, unless configured. */
  maxResults?: number | undefined;
  /** Leave out hits below this score, 0 to 1; 0.5 is as likely an answer as not. */
  minScore?: number | undefined;
  /** What to search; default: `all`. */
  corpus?: Source | "all" | undefined;
  /** Only texts from this day on, `YYYY-MM-DD`. */
  after?: string | undefined;
  /** Only texts from before this day, `YYYY-MM-DD`. */
  before?: string | undefined;
  /** Only these paths, at most 20; `*` matches any characters, a folder ends with `/`. */
  paths?: readonly string[] | undefined;
  /** What was in memory then, as an ISO 8601 time; texts that have changed since are found by words only. */
  asOf?: string | undefined;
  /** Leaves out facts and conversations of others; default: everybody's. */
  scope?: FactScope | undefined;
  /** Add the whole text to each hit. */
  includeText?: boolean | undefined;
  /** How the arms are combined in this search; default: the agent's setting `query.hybrid.fusion`. */
  fusion?: "adaptive" | "weighted" | "rrf" | undefined;
  /** Say how each hit was ranked, and what both arms found. */
  explain?: boolean | undefined;
  /** The conversation that asks, such as `telegram:group:5`; with the setting `citations: auto` a group gets no citations. */
  sessionKey?: string | undefined;
}

/** What `memory_search` takes. */
export interface SearchInput extends SearchOptions {
  /** A question, or words. */
  query: string;
}

/** A passage that was found, by its lines (1-based, both included). */
export interface SearchHit {
  /** What `get` reads: a file's path, `sessions/<key>` or `facts/<id>`. */
  path: string;
  startLine: number;
  endLine: number;
  /** Of a document with pages: where it begins, and where it ends if on another. */
  page?: number | undefined;
  endPage?: number | undefined;
  /** 0 to 1; 0.5 is as likely an answer as not. */
  score: number;
  vectorScore?: number | undefined;
  textScore?: number | undefined;
  /** The lines that bear on the question, at most 700 characters. */
  snippet: string;
  /** The whole text, with `includeText`. */
  text?: string | undefined;
  /** With `asOf`, of a text that has ended since: the file's version with it. */
  version?: string | undefined;
  source: Source;
  /** The agent whose memory it is from, if another's that is shared; `path` then begins with `@` and its id. */
  sharedBy?: string | undefined;
  /** `path#L1-L4`, where the agent's setting wants citations. */
  citation?: string | undefined;
  fact?: HitFact | undefined;
  session?: HitSession | undefined;
  explain?: HitExplanation | undefined;
}

/** What is known of the fact that a hit is. */
export interface HitFact {
  id: string;
  category: FactCategory;
  since: string;
  confirmed?: string | undefined;
  /** The text that it took the place of. */
  replaced?: string | undefined;
}

/** Where in a conversation a hit stands. */
export interface HitSession {
  key: string;
  messages: { from: number; to: number };
  roles: string[];
  /** When the first and the last of its messages were said. */
  from: string;
  to: string;
}

export type FactCategory = "preference" | "fact" | "decision" | "entity" | "technical" | "other";

/** What a search found. `unavailable` is not set, and tells it from {@link SearchUnavailable}. */
export interface SearchAnswer {
  /** Best first. */
  results: SearchHit[];
  unavailable?: undefined;
  disabled?: undefined;
  error?: undefined;
  action?: undefined;
  provider: string;
  model: string;
  /** The provider of the settings, in whose place its fallback stands. */
  fallback?: { from: string } | undefined;
  /** The setting for citations. */
  citations: "auto" | "on" | "off";
  mode: SearchMode;
  /** What did not go as asked, such as that words alone were searched. */
  warning?: string | undefined;
  note?: string | undefined;
  /** What the search did, with `explain`. */
  debug?: SearchDebug | undefined;
}

/** The memory cannot be searched just now: tell the user `warning` and `action`. */
export interface SearchUnavailable {
  /** Always empty. */
  results: SearchHit[];
  unavailable: true;
  disabled: true;
  /** Why. */
  error: string;
  warning: string;
  /** What to do. */
  action: string;
  provider?: undefined;
  model?: undefined;
  fallback?: undefined;
  citations?: undefined;
  mode?: undefined;
  note?: undefined;
  debug?: undefined;
}

/** The place of a chunk in the list of one arm. The score is BM25 or a cosine. */
export interface ArmPlace {
  rank: number;
  score: number;
}

/** Why a hit is where it is. Without `keyword` or `vector`, that arm did not find it. */
export interface HitExplanation {
  keyword?: ArmPlace | undefined;
  vector?: ArmPlace | undefined;
  /** BM25 as a share of the best, as it was fused. */
  textScore?: number | undefined;
  /** The cosine, as it was fused. */
  vectorScore?: number | undefined;
  /** How many times the evidence of chance. */
  evidence: number;
  fusedScore: number;
  /** The factor of temporal decay. */
  decay: number;
  /** The factor of a fact's importance. */
  importance?: number | undefined;
  /** Whether it is first because the query names its file. */
  named: boolean;
  rerankScore?: number | undefined;
  /** The place among all candidates before reranking, MMR and the joining of neighbours. */
  rankedAt: number;
  /** Whether it joins several chunks. */
  joined: boolean;
}

/** Some lines of a file, session or fact. */
export interface Passage {
  path: string;
  startLine: number;
  endLine: number;
}

/** What an arm found. */
export interface ArmEntry extends Passage {
  score: number;
}

/** What was below the floor, or has the text of a passage that is shown (`of`). */
export type LeftOut =
  | (Passage & { stage: "floor"; score: number })
  | (Passage & {
      stage: "duplicate";
      of: string;
    });

/** What a search did. */
export interface SearchDebug {
  fusion: {
    mode: string;
    rule: string;
    vectorWeight: number;
    textWeight: number;
    /** What chance reaches in this index. */
    background?:
      | { chunks: number; wanted: number; cosines?: { mean: number; deviation: number } | undefined }
      | undefined;
  };
  minScore: number | "auto" | "recall";
  limit: number;
  arms: { keyword: ArmEntry[]; vector: ArmEntry[] };
  leftOut: LeftOut[];
}

export interface GetOptions {
  /** First line, counted from 1. */
  from?: number | undefined;
  /** How many lines; default and most: 120. */
  lines?: number | undefined;
  /** What it said then, as an ISO 8601 time. */
  asOf?: string | undefined;
  /** Whom it is for: others' facts and conversations are not found. */
  scope?: FactScope | undefined;
}

/** What `memory_get` takes. */
export interface GetInput extends GetOptions {
  /** As in a hit, such as `memory/2026-05-18.md` or `facts/12`. */
  path: string;
}

/** Lines that were read. `status` is not set, and tells it from {@link LinesNotFound}. */
export interface ReadLines {
  text: string;
  path: string;
  /** The agent whose memory it is, if another's that is shared. */
  sharedBy?: string | undefined;
  status?: undefined;
  from: number;
  lines: number;
  /** Of a document with pages: those of the first and, if another, the last line. */
  page?: number | undefined;
  endPage?: number | undefined;
  truncated?: true | undefined;
  /** Where to go on, when there is more. */
  nextFrom?: number | undefined;
}

/** There is nothing at this path. */
export interface LinesNotFound {
  text: "";
  path: string;
  status: "not_found";
  from?: undefined;
  lines?: undefined;
  truncated?: undefined;
  nextFrom?: undefined;
}

/** Where a chunk stood in one arm's ranking. */
export interface MissedPlace {
  rank?: number | undefined;
  score?: number | undefined;
}

/** A chunk of a document, and at which stage of a search it was left out. */
export interface MissedChunk {
  startLine: number;
  endLine: number;
  stage: "shown" | "joined" | "limit" | "duplicate" | "floor" | "candidates" | "excluded";
  reason: string;
  keyword?: MissedPlace | undefined;
  vector?: MissedPlace | undefined;
}

/** Why a search does not show a document. */
export interface MissedDocument {
  path: string;
  found: boolean;
  indexed: boolean;
  chunks: MissedChunk[];
  /** The warnings of the search, such as that a part of it took too long. */
  warning?: string | undefined;
}
