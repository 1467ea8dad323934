/** The source of a text: files (`memory`), conversations (`sessions`) or facts. */
export type Source = "memory" | "sessions" | "facts";

/** The arms that answered: by words and meaning, or only one of them. */
export type SearchMode = "hybrid" | "keyword" | "vector";

/**
 * The user, agent and session that a fact or a conversation is for, by the caller's own names or
 * ids. An absent part means everybody or everything.
 */
export interface FactScope {
  user?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
}

export interface SearchOptions {
  /** The maximum number of hits, at most 100; default: 6, unless the settings give another. */
  maxResults?: number | undefined;
  /**
   * The lowest score to include, 0 to 1. A score of 0.5 means that the hit is as likely an answer
   * as not.
   */
  minScore?: number | undefined;
  /** The sources to search; default: `all`. */
  corpus?: Source | "all" | undefined;
  /** The first day whose texts to search, `YYYY-MM-DD`. */
  after?: string | undefined;
  /** The day before which a text must date, `YYYY-MM-DD`. */
  before?: string | undefined;
  /** The only paths to search, at most 20. `*` matches any characters; a folder ends with `/`. */
  paths?: readonly string[] | undefined;
  /**
   * The time whose memory to search, as an ISO 8601 time. Texts that have changed since are found
   * by words only.
   */
  asOf?: string | undefined;
  /** The scope to search. Facts and conversations of others are left out; default: everybody's. */
  scope?: FactScope | undefined;
  /** Whether to add the whole text to each hit. */
  includeText?: boolean | undefined;
  /**
   * The way in which this search combines the arms; default: the agent's setting
   * `query.hybrid.fusion`.
   */
  fusion?: "adaptive" | "weighted" | "rrf" | undefined;
  /** Whether to explain the rank of each hit and list the results of both arms. */
  explain?: boolean | undefined;
  /**
   * The conversation that makes the search, such as `telegram:group:5`. With the setting
   * `citations: auto`, a group gets no citations.
   */
  sessionKey?: string | undefined;
}

/** The input of `memory_search`. */
export interface SearchInput extends SearchOptions {
  /** A question, or some words. */
  query: string;
}

/** A passage that a search found. Its lines are 1-based; both ends are included. */
export interface SearchHit {
  /** The path to pass to `get`: a file's path, `sessions/<key>` or `facts/<id>`. */
  path: string;
  startLine: number;
  endLine: number;
  /**
   * In a document with pages, the page on which the passage begins. `endPage` is the page on which
   * it ends, if it is another.
   */
  page?: number | undefined;
  endPage?: number | undefined;
  /** The score, 0 to 1. A score of 0.5 means that the hit is as likely an answer as not. */
  score: number;
  vectorScore?: number | undefined;
  textScore?: number | undefined;
  /** The lines that bear on the question, at most 700 characters. */
  snippet: string;
  /** The whole text, if `includeText` was set. */
  text?: string | undefined;
  /**
   * The version of the file that holds the text, if the search had `asOf` and the text has been
   * replaced or deleted since.
   */
  version?: string | undefined;
  source: Source;
  /**
   * The agent that shares the memory with the hit, if it is another agent's memory. `path` then
   * begins with `@` and that agent's id.
   */
  sharedBy?: string | undefined;
  /** `path#L1-L4`, if the agent's settings ask for citations. */
  citation?: string | undefined;
  fact?: HitFact | undefined;
  session?: HitSession | undefined;
  explain?: HitExplanation | undefined;
}

/** Details of the fact, in a hit that is a fact. */
export interface HitFact {
  id: string;
  category: FactCategory;
  since: string;
  confirmed?: string | undefined;
  /** The text that this fact replaced. */
  replaced?: string | undefined;
}

/** The position of a hit within a conversation. */
export interface HitSession {
  key: string;
  messages: { from: number; to: number };
  roles: string[];
  /** The time of the first message of the hit. `to` is the time of the last one. */
  from: string;
  to: string;
}

export type FactCategory = "preference" | "fact" | "decision" | "entity" | "technical" | "other";

/**
 * The result of a search. `unavailable` is not set, which distinguishes it from {@link
 * SearchUnavailable}.
 */
export interface SearchAnswer {
  /** The hits, best first. */
  results: SearchHit[];
  unavailable?: undefined;
  disabled?: undefined;
  error?: undefined;
  action?: undefined;
  provider: string;
  model: string;
  /** The configured provider, if its fallback answers instead of it. */
  fallback?: { from: string } | undefined;
  /** The agent's setting for citations. */
  citations: "auto" | "on" | "off";
  mode: SearchMode;
  /** The deviation from the request, for example that only words were searched. */
  warning?: string | undefined;
  note?: string | undefined;
  /** The details of the search, if `explain` was set. */
  debug?: SearchDebug | undefined;
}

/**
 * The answer when the memory cannot be searched at the moment. Tell the user `warning` and
 * `action`.
 */
export interface SearchUnavailable {
  /** Always empty. */
  results: SearchHit[];
  unavailable: true;
  disabled: true;
  /** The reason. */
  error: string;
  warning: string;
  /** The remedy. */
  action: string;
  provider?: undefined;
  model?: undefined;
  fallback?: undefined;
  citations?: undefined;
  mode?: undefined;
  note?: undefined;
  debug?: undefined;
}

/** The rank of a chunk in the list of one arm. The score is BM25 or a cosine. */
export interface ArmPlace {
  rank: number;
  score: number;
}

/**
 * The reason for a hit's rank. If `keyword` or `vector` is absent, that arm did not find the hit.
 */
export interface HitExplanation {
  keyword?: ArmPlace | undefined;
  vector?: ArmPlace | undefined;
  /** The BM25 score as a share of the best one, in the form that was fused. */
  textScore?: number | undefined;
  /** The cosine, in the form that was fused. */
  vectorScore?: number | undefined;
  /** The evidence for the hit, as a multiple of the evidence by chance. */
  evidence: number;
  fusedScore: number;
  /** The factor of temporal decay. */
  decay: number;
  /** The factor of a fact's importance. */
  importance?: number | undefined;
  /** Whether the hit is first because the query names its file. */
  named: boolean;
  rerankScore?: number | undefined;
  /** The rank among all candidates, before reranking, MMR and the joining of neighbours. */
  rankedAt: number;
  /** Whether the hit joins several chunks. */
  joined: boolean;
}

/** The lines of a passage in a file, session or fact. */
export interface Passage {
  path: string;
  startLine: number;
  endLine: number;
}

/** A passage that an arm found. */
export interface ArmEntry extends Passage {
  score: number;
}

/**
 * A passage that was left out: either its score is below the floor, or it has the same text as a
 * passage that is shown (`of`).
 */
export type LeftOut =
  | (Passage & { stage: "floor"; score: number })
  | (Passage & {
      stage: "duplicate";
      of: string;
    });

/** The details of a search. */
export interface SearchDebug {
  fusion: {
    mode: string;
    rule: string;
    vectorWeight: number;
    textWeight: number;
    /** The data from which the search estimates the scores that chance reaches in this index. */
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
  /** The first line, counted from 1. */
  from?: number | undefined;
  /** The number of lines; default and maximum: 120. */
  lines?: number | undefined;
  /** The time whose text to read, as an ISO 8601 time. */
  asOf?: string | undefined;
  /** The scope to read for. Facts and conversations of others are not found. */
  scope?: FactScope | undefined;
}

/** The input of `memory_get`. */
export interface GetInput extends GetOptions {
  /** A path as in a hit, such as `memory/2026-05-18.md` or `facts/12`. */
  path: string;
}

/**
 * The lines that were read. `status` is not set, which distinguishes it from {@link LinesNotFound}.
 */
export interface ReadLines {
  text: string;
  path: string;
  /** The agent that shares the memory, if it is another agent's memory. */
  sharedBy?: string | undefined;
  status?: undefined;
  from: number;
  lines: number;
  /**
   * In a document with pages, the page of the first line. `endPage` is the page of the last line,
   * if it is another.
   */
  page?: number | undefined;
  endPage?: number | undefined;
  truncated?: true | undefined;
  /** The line from which to continue, if more lines follow. */
  nextFrom?: number | undefined;
}

/** The answer when nothing exists at the path. */
export interface LinesNotFound {
  text: "";
  path: string;
  status: "not_found";
  from?: undefined;
  lines?: undefined;
  truncated?: undefined;
  nextFrom?: undefined;
}

/** The rank of a chunk in one arm. */
export interface MissedPlace {
  rank?: number | undefined;
  score?: number | undefined;
}

/** A chunk of a document, and the stage of a search at which it was left out. */
export interface MissedChunk {
  startLine: number;
  endLine: number;
  stage: "shown" | "joined" | "limit" | "duplicate" | "floor" | "candidates" | "excluded";
  reason: string;
  keyword?: MissedPlace | undefined;
  vector?: MissedPlace | undefined;
}

/** The reason why a search does not show a document. */
export interface MissedDocument {
  path: string;
  found: boolean;
  indexed: boolean;
  chunks: MissedChunk[];
  /** The warnings of the search, for example that a part of it took too long. */
  warning?: string | undefined;
}
