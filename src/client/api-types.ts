/** The data of the API, made from its OpenAPI document by `npm run client:types`. */

export interface FilePage {
  files: ListedFile[];
  /** With a delimiter: the folders that directly follow the prefix, with their slash */
  folders?: string[] | undefined;
  nextCursor?: string | undefined;
}

export interface ListedFile extends FileSummary {
  chunks: number;
}

/** The document that the content of a file was read from */
export interface FileOriginal {
  /** SHA-256 of the document's bytes, in hex */
  hash: string;
  /**
   * The media type
   * @example application/pdf
   */
  type: string;
  size: number;
  pages?: number | undefined;
}

export interface FileSummary {
  path: string;
  hash: string;
  size: number;
  lines: number;
  mtime: string;
  /** The synced folder that sent the current content */
  origin: string | null;
  /** The document that the content was read from; null: it was written as text */
  original: FileOriginal | null;
}

/** An error's body (RFC 9457) */
export interface Problem {
  /** @example urn:recollect:error:file_not_found */
  type: string;
  /** @example File not found */
  title: string;
  /** @example 404 */
  status: number;
  /** A sentence that says what happened and how to fix it */
  detail: string;
  /** @example urn:recollect:request:0d9c… */
  instance: string;
  /**
   * Stable
   * @example file_not_found
   */
  code: string;
  requestId: string;
  details?:
    | {
        [key: string]: unknown;
      }
    | undefined;
  /** The same in an older format */
  error: {
    code: string;
    message: string;
    requestId: string;
    details?:
      | {
          [key: string]: unknown;
        }
      | undefined;
  };
}

export interface WrittenFiles {
  files: WrittenFile[];
  deleted: string[];
}

export interface WrittenFile {
  path: string;
  hash: string;
  status: "created" | "updated" | "unchanged";
  chunks: number;
  /** Chunks that only keyword search finds until a job has embedded them */
  pendingEmbeddings: number;
}

/** Up to 100 files to write and to delete; either all changes are made or none */
export interface FilesInput {
  /** @default [] */
  put?: readonly FileInput[] | undefined;
  /** @default [] */
  delete?: readonly string[] | undefined;
  /** The source that the files are synced from, such as a folder. It becomes the origin of each file that is written */
  origin?: string | undefined;
  /**
   * Also replace files of other origins, or of none. Deletions stay limited to the origin's own files
   * @default false
   */
  takeOver?: boolean | undefined;
}

/** A file to write */
export interface FileInput extends FileContent {
  path: string;
}

export interface FileContent {
  content: string;
  /**
   * Format: date-time
   * When the file was last changed, by its author's file system; default: the time of the request
   */
  mtime?: (string | Date) | undefined;
}

/** A file with its content */
export interface File extends FileSummary {
  content: string;
}

export interface DeletedFiles {
  deleted: string[];
}

export interface ChunkPage {
  chunks: ChunkBorders[];
  nextCursor?: string | undefined;
}

/** The lines of a chunk, its heading, and whether it has an embedding */
export interface ChunkBorders {
  startLine: number;
  endLine: number;
  /** The headings that the chunk is indexed under */
  heading: string;
  /** The first and the last message of the chunk, if it is of a conversation */
  messages?:
    | {
        from: number;
        to: number;
      }
    | undefined;
  /** Null in an index without vectors */
  embedded: boolean | null;
}

export interface OriginList {
  origins: Origin[];
}

/** A folder from which files are synced */
export interface Origin {
  origin: string;
  files: number;
}

export interface VersionPage {
  path: string;
  /** The current text of the file; null: there is no such file */
  current: CurrentVersion | null;
  /** The earlier texts, newest first */
  versions: FileVersion[];
  nextCursor?: string | undefined;
}

/** The current text of a file */
export interface CurrentVersion {
  hash: string;
  size: number;
  lines: number;
  writtenAt: string;
  /**
   * Null for a file written before Recollect recorded the writer
   * @example rcl_3f9a tool:memory
   */
  writtenBy: string | null;
}

/** An earlier text of a file */
export interface FileVersion {
  /**
   * The version's number, with which it is read and restored
   * @example 1842
   */
  version: string;
  path: string;
  hash: string;
  size: number;
  lines: number;
  mtime: string;
  origin: string | null;
  writtenAt: string;
  /**
   * A key's prefix, `local` or `system`; then the way in: `tool:memory`, `job:sync`, `restore`
   * @example rcl_3f9a tool:memory
   */
  writtenBy: string | null;
  /** When another text replaced this version, or the file was deleted */
  endedAt: string;
  /**
   * A key's prefix, `local` or `system`; then the way in: `tool:memory`, `job:sync`, `restore`
   * @example rcl_3f9a tool:memory
   */
  endedBy: string;
  /** Whether the version ended because the file was deleted */
  deleted: boolean;
}

export interface ForgottenVersions {
  path: string;
  versions: number;
}

/** Deleted files in path order, each with its last version */
export interface DeletedFilePage {
  versions: FileVersion[];
  nextCursor?: string | undefined;
}

/** An earlier text of a file, with its content */
export interface FileVersionText {
  /**
   * The version's number, with which it is read and restored
   * @example 1842
   */
  version: string;
  path: string;
  hash: string;
  size: number;
  lines: number;
  mtime: string;
  origin: string | null;
  writtenAt: string;
  /**
   * A key's prefix, `local` or `system`; then the way in: `tool:memory`, `job:sync`, `restore`
   * @example rcl_3f9a tool:memory
   */
  writtenBy: string | null;
  /** When another text replaced this version, or the file was deleted */
  endedAt: string;
  /**
   * A key's prefix, `local` or `system`; then the way in: `tool:memory`, `job:sync`, `restore`
   * @example rcl_3f9a tool:memory
   */
  endedBy: string;
  /** Whether the version ended because the file was deleted */
  deleted: boolean;
  content: string;
}

export interface VersionDiff {
  path: string;
  from: string;
  /** Null: the current text of the file */
  to: string | null;
  /** A unified diff; empty when the texts are equal */
  diff: string;
  /** False: the texts have too little in common, and the diff replaces the whole text */
  exact: boolean;
}

export interface SessionPage {
  sessions: ListedSession[];
  nextCursor?: string | undefined;
}

/** A conversation in a list */
export interface ListedSession extends SessionSummary {
  details?: SessionDetails | undefined;
}

/** The content of a conversation in a few words */
export interface SessionDetails {
  /** The first part of the key, such as `slack`; empty: the key has no parts */
  channel: string;
  /** The names of the speakers in the last 100 messages, at most ten */
  people: string[];
  /** The first message, at most 300 characters */
  firstText: string;
  /** The last message, at most 300 characters */
  lastText: string;
  lastRole?: string | undefined;
  lastName?: string | undefined;
  /** How many facts that hold come from the session */
  facts: number;
  /** The last message that has the text `q` */
  found?:
    | {
        /** The message's number */
        message: number;
        text: string;
      }
    | undefined;
}

export interface SessionSummary {
  session: string;
  key: string;
  path: string;
  /** The user, agent and session that the conversation is for; empty: the whole agent */
  scope: {
    user?: string | undefined;
    agent?: string | undefined;
    session?: string | undefined;
  };
  messages: number;
  bytes: number;
  lines: number;
  startedAt: string;
  lastMessageAt: string;
  unindexedMessages: number;
}

/** A conversation with a page of its messages */
export interface Session {
  session: SessionSummary;
  lastMessageId: string | null;
  messages: Message[];
  /** `after` for the next page */
  nextAfter?: number | undefined;
  /** `before` for the page of earlier messages; absent on the first page */
  previousBefore?: number | undefined;
}

/** A stored message */
export interface Message {
  /** The message's position in the conversation, from 1 */
  number: number;
  id?: string | undefined;
  role: "user" | "assistant" | "system" | "tool";
  name?: string | undefined;
  text: string;
  at: string;
  startLine: number;
  endLine: number;
}

export interface AppendedMessages {
  session: string;
  /** The whole key, `agent:{agentId}:{session}` */
  key: string;
  /** Where `memory_get` reads the session as a transcript */
  path: string;
  appended: number;
  /** Messages with a known id, and the beginning of a conversation that was sent again from its start without ids; they were not stored again */
  duplicates: number;
  /** Messages older than `sync.sessions.retentionDays`, which were not stored */
  expired: number;
  /** Messages without a text, which were not stored */
  skipped: number;
  /** The number of the session's last message */
  lastMessage: number;
  /** Messages of the session that no search finds yet */
  unindexedMessages: number;
  /**
   * `done`: the next search finds the messages. `queued`: a sync indexes them. `off`: the agent does not search sessions
   */
  indexing: "done" | "queued" | "off";
  captured?: Captured | undefined;
}

export interface Captured {
  facts: CapturedFact[];
  stored: number;
  duplicates: number;
  superseded: number;
  warnings: string[];
}

/** A statement that was found in a turn */
export interface CapturedFact {
  /** The fact's id; a dry run has no `id` and no `status` */
  id?: string | undefined;
  status?: ("stored" | "duplicate") | undefined;
  text: string;
  /** The speaker, or the person or thing that it is about */
  subject?: string | undefined;
  category: "preference" | "instruction" | "fact" | "decision" | "entity" | "technical" | "other";
  key?: string | undefined;
  /** The rule that matched */
  trigger: string;
  superseded: string[];
}

export interface AppendInput {
  /** @default [] */
  messages?: readonly MessageInput[] | undefined;
  /**
   * The conversation is over
   * @default false
   */
  end?: boolean | undefined;
  /** Store the user's statements as facts; default: the setting `facts.capture.onAppend` */
  capture?: boolean | undefined;
  /** The user, agent and session that the conversation and its captured facts are for; the first append that names a scope fixes it */
  scope?:
    | {
        /** The user it is about, by your name or id for them */
        user?: string | undefined;
        /** The agent it is for */
        agent?: string | undefined;
        /** The conversation it is for */
        session?: string | undefined;
      }
    | undefined;
}

export interface MessageInput {
  /** The sender's id: a message with a known id is not stored again */
  id?: (string | null) | undefined;
  /**
   * In any letter case. `developer` is stored as `system`, `function` as `tool`; items of OpenAI's Responses may have none
   */
  role?:
    | ("user" | "human" | "assistant" | "ai" | "bot" | "model" | "system" | "developer" | "tool" | "function")
    | undefined;
  type?: (string | null) | undefined;
  /** The speaker's name */
  name?: (string | null) | undefined;
  text?: (string | null) | undefined;
  /** A text, or parts as in chat APIs; parts other than text are named, as in `[image]` */
  content?: (string | readonly unknown[] | object | null) | undefined;
  /** The same as `content`, under the name of Gemini and of Vercel's AI SDK */
  parts?: (readonly unknown[] | null) | undefined;
  /**
   * The class of the author, if your program knows it: the owner, the agent, somebody outside (`untrusted`) or the host's own scaffolding (`system`)
   */
  originClass?: ("owner" | "agent" | "untrusted" | "system") | undefined;
  /** The time of the message: ISO 8601, without an offset in the agent's time zone, or seconds or milliseconds since 1970; default: now */
  at?: ((string | Date) | number) | undefined;
  /** The time of the message, under the name of another API */
  timestamp?: unknown;
  /** The time of the message, under the name of another API */
  createdAt?: unknown;
  /** The time of the message, under the name of another API */
  created_at?: unknown;
  /** Shown in the text, as `[tool call: search]` */
  tool_calls?: unknown;
  /** Shown in the text, as `[tool call: search]` */
  toolInvocations?: unknown;
  /** Shown in the text, as `[tool call: search]` */
  function_call?: unknown;
  tool_call_id?: unknown;
  call_id?: unknown;
  arguments?: unknown;
  output?: unknown;
  refusal?: unknown;
  audio?: unknown;
}

export interface DeletedSession {
  session: string;
  messages: number;
  chunks: number;
  /** How many facts came from the session, ended ones included */
  facts: number;
  /** How many of them were deleted with it */
  forgotten: number;
}

export interface FactPage {
  facts: Fact[];
  /** With `total`: how many facts the list has on all pages */
  total?: number | undefined;
  /** With `total`. False: the list has at least so many facts; 50,000 were looked at */
  totalIsExact?: boolean | undefined;
  nextCursor?: string | undefined;
}

export interface Fact {
  id: string;
  text: string;
  /** The person who said the fact, or the person or thing that it is about; absent if nobody is known */
  subject?: string | undefined;
  /** The property that the fact states, such as `user.name` */
  key?: string | undefined;
  category: "preference" | "instruction" | "fact" | "decision" | "entity" | "technical" | "other";
  /** 0 to 1 */
  importance: number;
  /** The user, agent and session that the fact is for; an absent part means everybody or everything */
  scope: {
    user?: string | undefined;
    agent?: string | undefined;
    session?: string | undefined;
  };
  tags: string[];
  /** Where the fact comes from; `by` is the key that stored it */
  source:
    | {
        kind: "call";
        by: string;
        note?: string | undefined;
      }
    | {
        kind: "message";
        by: string;
        session: string;
        message?: number | undefined;
      }
    | {
        kind: "file";
        by: string;
        path: string;
        startLine?: number | undefined;
        endLine?: number | undefined;
      };
  /**
   * How fast the fact loses weight: never, or by half in 365, 30, 1 or ¼ days, unless the agent's settings say otherwise
   */
  decayClass: "permanent" | "stable" | "active" | "session" | "transient";
  validFrom: string;
  /** Until when the fact held; absent while it holds */
  validTo?: string | undefined;
  /** The id of the fact that replaced this one */
  supersededBy?: string | undefined;
  endedBy?: ("key" | "supersede" | "update") | undefined;
  expiresAt?: string | undefined;
  createdAt: string;
  updatedAt: string;
  confirmedAt: string;
}

/** The people and things that facts are about, and the users that they are for */
export interface FactPeople {
  people: {
    /** The name, as the latest fact spells it */
    subject: string;
    facts: number;
    /** When one of the facts was last said */
    latest: string;
  }[];
  /** How many facts have no subject */
  withoutSubject: number;
  /** The users that facts are for */
  users: {
    /** The `user` of the facts' scope */
    user: string;
    /** The subject of most of these facts, as a rule the user's name; null: none has one */
    subject: string | null;
    facts: number;
    /** When one of the facts was last said */
    latest: string;
  }[];
  /** How many facts are for no user in particular */
  withoutUser: number;
  /** False: only the newest 50,000 facts were counted */
  complete: boolean;
}

/** The ids of the deleted facts */
export interface ForgottenOfSource {
  forgotten: string[];
  /** Whether the source has more facts than one call deletes */
  more: boolean;
  /** At most three conversations and files that the facts came from and that still exist */
  stillIn?: string[] | undefined;
  /** Where the words still stand, and how to remove them */
  note?: string | undefined;
}

/** The results for a list of facts, in the order of the list */
export interface StoredFacts {
  facts: StoredFact[];
}

export interface StoredFact {
  /** The id of the stored fact, or of the known fact that says the same */
  id: string;
  status: "stored" | "duplicate";
  /** The ids of the facts that this one ended */
  superseded: string[];
}

export interface FactInput {
  /** The statement: one self-contained sentence, with names instead of pronouns */
  text: string;
  /** The person or thing it is about, by name, such as Ana or Project Kestrel; it is found by this name */
  subject?: string | undefined;
  /** The property it states, such as user.name; the next fact with the same key and subject replaces it */
  key?: string | undefined;
  /**
   * Kind of statement; default: fact
   */
  category?: ("preference" | "instruction" | "fact" | "decision" | "entity" | "technical" | "other") | undefined;
  /** How much it matters, 0 to 1; default: 0.5 */
  importance?: number | undefined;
  /** Whom and what it is for; a missing part means everybody */
  scope?:
    | {
        /** The user it is about, by your name or id for them */
        user?: string | undefined;
        /** The agent it is for */
        agent?: string | undefined;
        /** The conversation it is for */
        session?: string | undefined;
      }
    | undefined;
  /** Words to find it by later, such as the name of a project */
  tags?: readonly string[] | undefined;
  /** Where it comes from */
  source?:
    | (
        | {
            kind: "call";
            note?: string | undefined;
          }
        | {
            kind: "message";
            session: string;
            message?: number | undefined;
          }
        | {
            kind: "file";
            path: string;
            startLine?: number | undefined;
            endLine?: number | undefined;
          }
      )
    | undefined;
  /**
   * How fast it loses weight
   */
  decayClass?: ("permanent" | "stable" | "active" | "session" | "transient") | undefined;
  /**
   * Format: date-time
   * Since when it holds, as an ISO 8601 time; now unless you say otherwise
   */
  validFrom?: (string | Date) | undefined;
  /**
   * Format: date-time
   * Until when it holds, as an ISO 8601 time; absent: no known end
   */
  expiresAt?: (string | Date) | undefined;
  /**
   * Format: date-time
   * Until when it held, as an ISO 8601 time in the past; for a statement that holds no longer
   */
  validTo?: (string | Date) | undefined;
  /** Ids of the facts that this one replaces */
  supersedes?: readonly string[] | undefined;
}

/** The facts and conversations that were deleted, or would be */
export interface ForgottenMany {
  dryRun: boolean;
  /** How many facts were deleted, versions included; in a dry run how many there are */
  facts: number;
  sessions: number;
  /** How many messages these conversations had */
  messages: number;
  /** The ids of the deleted facts; empty in a dry run */
  forgotten: string[];
  /** Whether one call does not delete everything; repeat it */
  more: boolean;
  speaksIn?: SpeaksIn | undefined;
  /** At most three conversations and files that the facts came from and that still exist */
  stillIn?: string[] | undefined;
  /** Where the words still stand, and how to remove them */
  note?: string | undefined;
}

/** With `person` and `sessions`: the conversations of other users, or without a user, in which messages have the person's name. They are not deleted; absent if there are none */
export interface SpeaksIn {
  sessions: number;
  /** False: there may be more; 1,000 conversations were looked into */
  complete: boolean;
  /** At most 20 of them, each with the user of its scope */
  named: {
    session: string;
    user?: string | undefined;
  }[];
}

/** The facts to forget; they meet all of the conditions */
export interface ForgetInput {
  /** These facts */
  ids?: readonly string[] | undefined;
  /** All facts about this person, or for the user of this name, also ended ones. Names and users are compared without case */
  person?: string | undefined;
  /** All facts about this person or thing */
  subject?: string | undefined;
  /** All facts for this user, whose id is compared exactly */
  user?: string | undefined;
  /** All facts from this conversation or file: a session's key or path, or a file's path */
  source?: string | undefined;
  /**
   * With `person` or `user`: also delete the conversations for this person or user, with their messages
   * @default false
   */
  sessions?: boolean | undefined;
  /**
   * Remove the facts from snapshots too
   * @default false
   */
  snapshots?: boolean | undefined;
  /**
   * Delete nothing; count
   * @default false
   */
  dryRun?: boolean | undefined;
}

export interface FoundFacts {
  /** Best first */
  facts: FactHit[];
  mode: "hybrid" | "keyword" | "vector";
  warning?: string | undefined;
  debug?: SearchDebug | undefined;
}

/** A fact that a search found */
export interface FactHit extends Fact {
  score: number;
  vectorScore?: number | undefined;
  textScore?: number | undefined;
  explain?: HitExplanation | undefined;
}

/** The reason for a hit's rank; without `keyword` or `vector`, that arm did not find the hit */
export interface HitExplanation {
  keyword?: ArmPlace | undefined;
  vector?: ArmPlace | undefined;
  /** The BM25 score as a share of the best one, in the form that was fused */
  textScore?: number | undefined;
  /** The cosine, in the form that was fused */
  vectorScore?: number | undefined;
  /** The evidence for the hit, as a multiple of the evidence by chance */
  evidence: number;
  fusedScore: number;
  /** The factor of temporal decay */
  decay: number;
  /** The factor of a fact's importance */
  importance?: number | undefined;
  /** Whether the hit is first because the query names its file */
  named: boolean;
  /**
   * The hit was lifted because it is one of the nearest by meaning, and has the score of a hit below it
   */
  nearest?: true | undefined;
  rerankScore?: number | undefined;
  /** The rank among all candidates, before reranking, MMR and the joining of neighbours */
  rankedAt: number;
  /** Whether the hit joins several chunks */
  joined: boolean;
}

/** The rank of a chunk in the list of one arm; the score is BM25 or a cosine */
export interface ArmPlace {
  rank: number;
  score: number;
}

/** The settings and candidates of a search */
export interface SearchDebug {
  fusion: {
    mode: string;
    rule: string;
    vectorWeight: number;
    textWeight: number;
    /** The data from which the search estimates the scores that chance reaches in this index */
    background?:
      | {
          chunks: number;
          wanted: number;
          cosines?:
            | {
                mean: number;
                deviation: number;
              }
            | undefined;
        }
      | undefined;
  };
  minScore: ("auto" | "recall") | number;
  limit: number;
  arms: {
    keyword: ArmEntry[];
    vector: ArmEntry[];
  };
  leftOut: (
    | {
        path: string;
        startLine: number;
        endLine: number;
        stage: "floor";
        score: number;
      }
    | {
        path: string;
        startLine: number;
        endLine: number;
        stage: "duplicate";
        /** The place of the equal text that is shown */
        of: string;
      }
  )[];
}

/** A passage that an arm found */
export interface ArmEntry {
  path: string;
  startLine: number;
  endLine: number;
  score: number;
}

export interface FactSearch {
  /** What to look for: a question or key words */
  query: string;
  /** Most facts to return, at most 100 */
  maxResults?: number | undefined;
  /** Leave out facts below this score, 0 to 1 */
  minScore?: number | undefined;
  /**
   * Format: date-time
   * Search the facts that were believed at this time, an ISO 8601 time such as 2026-05-18T12:00:00Z
   */
  asOf?: (string | Date) | undefined;
  /** Whom it is for: facts of others are left out; absent: everybody's */
  scope?:
    | {
        /** The user it is about, by your name or id for them */
        user?: string | undefined;
        /** The agent it is for */
        agent?: string | undefined;
        /** The conversation it is for */
        session?: string | undefined;
      }
    | undefined;
  /** Only these kinds of statements */
  categories?:
    | readonly ("preference" | "instruction" | "fact" | "decision" | "entity" | "technical" | "other")[]
    | undefined;
  /** Only facts with all of these tags */
  tags?: readonly string[] | undefined;
  /** Only facts of at least this importance, 0 to 1 */
  minImportance?: number | undefined;
  /** Where days such as yesterday begin and end, such as Europe/Lisbon; default: the agent's */
  timezone?: string | undefined;
  /** Only facts about this person or thing, by name; case does not matter */
  subject?: string | undefined;
  /** How each hit was ranked, and both arms' lists */
  explain?: boolean | undefined;
}

/** The result of a change; `id` is the id of the version that now holds */
export interface ChangedFact {
  /** The id of the stored fact, or of the known fact that says the same */
  id: string;
  status: "updated" | "stored" | "duplicate";
  /** The ids of the facts that this one ended */
  superseded: string[];
}

export interface FactChange {
  /** A new text makes a new version, which has an id of its own */
  text?: string | undefined;
  /** A new subject makes a new version too; null: none */
  subject?: (string | null) | undefined;
  category?: ("preference" | "instruction" | "fact" | "decision" | "entity" | "technical" | "other") | undefined;
  importance?: number | undefined;
  tags?: readonly string[] | undefined;
  decayClass?: ("permanent" | "stable" | "active" | "session" | "transient") | undefined;
  /**
   * Format: date-time
   * Until when the fact holds; null: no known end
   */
  expiresAt?: (string | Date | null) | undefined;
}

/** The ids of the deleted versions */
export interface ForgottenFacts {
  forgotten: string[];
  /** At most three conversations and files that the facts came from and that still exist */
  stillIn?: string[] | undefined;
  /** Where the words still stand, and how to remove them */
  note?: string | undefined;
}

/** The versions of a fact, oldest first */
export interface FactHistory {
  facts: Fact[];
}

export interface Recalled {
  /** The instructions and preferences that hold whatever the message says, besides those in `facts`. Instructions first, then the most important and newest. Facts that were extracted from files are left out */
  instructions: Fact[];
  /** Best first */
  facts: RecalledFact[];
  quotes: RecalledQuote[];
  /** Facts, then quotes, as a text for the prompt; empty if nothing bears on the message */
  block: string;
  /** The instructions as a text for the prompt, to place before `block`; empty if there are none */
  instructionsBlock: string;
  /** How many of the facts are in the block */
  shown: number;
  /** How many of the quotes are in the block */
  shownQuotes: number;
  /** How many of the instructions are in `instructionsBlock` */
  shownInstructions: number;
  mode: "hybrid" | "keyword" | "vector";
  /**
   * Set if nothing certain was found, as `block` says: facts and quotes are only the nearest texts, or of other days than the message asks about
   */
  certain?: false | undefined;
  /** The sentence that says that no text is of the days that the message asks about, which `block` has too */
  note?: string | undefined;
  warning?: string | undefined;
}

/** A fact that bears on a message */
export interface RecalledFact extends Fact {
  score: number;
  /** The cosine distance from the message: 1 minus the cosine; absent without an embedding */
  distance?: number | undefined;
}

/** A passage that bears on a message */
export interface RecalledQuote {
  path: string;
  startLine: number;
  endLine: number;
  source: "memory" | "sessions" | "facts";
  score: number;
  text: string;
  citation: string;
  /** When it was said or written: the day that a file is about, or else the time of its last change or message */
  date: string;
  /** The time of the last message that is shown, if the passage comes from a conversation */
  at?: string | undefined;
  /** The days of these messages (YYYY-MM-DD), in the time zone of the recall */
  days?: string[] | undefined;
}

export interface RecallInput {
  message: string;
  /** The speaker and place; facts and conversations of others are never recalled */
  scope?:
    | {
        /** The user it is about, by your name or id for them */
        user?: string | undefined;
        /** The agent it is for */
        agent?: string | undefined;
        /** The conversation it is for */
        session?: string | undefined;
      }
    | undefined;
  /** Where days such as yesterday begin and end; default: the agent's setting `timezone` */
  timezone?: string | undefined;
  /** Only facts about this person or thing; passages are not filtered */
  subject?: string | undefined;
  /** Default: the setting `facts.recall.maxInstructions` */
  maxInstructions?: number | undefined;
  /** Default: the setting `facts.recall.maxFacts` */
  maxFacts?: number | undefined;
  /** Default: the setting `facts.recall.maxQuotes` */
  maxQuotes?: number | undefined;
  /** Leave out facts that are further away or not embedded yet. Default: the setting `facts.recall.maxDistance` */
  maxDistance?: number | undefined;
  /** Most characters of the block. Default: the setting `facts.recall.maxChars` */
  maxChars?: number | undefined;
}

export type MemorySearchOutput = SearchAnswer | SearchUnavailable;

/** The result of a search; `unavailable` is not set */
export interface SearchAnswer {
  /** Best first */
  results: SearchHit[];
  /**
   * Set if no hit stands out of chance: `results` are only the nearest passages, with short snippets
   */
  certain?: false | undefined;
  provider: string;
  model: string;
  /** The configured provider, if its fallback made the index */
  fallback?:
    | {
        from: string;
      }
    | undefined;
  /**
   * The agent's setting for citations
   */
  citations: "auto" | "on" | "off";
  /**
   * The arms that answered: by words and meaning, or only one of them
   */
  mode: "hybrid" | "keyword" | "vector";
  /** How the answer differs from the request, for example that only words were searched */
  warning?: string | undefined;
  note?: string | undefined;
  debug?: SearchDebug | undefined;
}

/** A passage that a search found; lines are counted from 1, and both ends are included */
export interface SearchHit {
  /** The path for `memory_get`: a file's path, `sessions/<key>` or `facts/<id>` */
  path: string;
  startLine: number;
  endLine: number;
  /** In a document with pages, the page on which the passage begins */
  page?: number | undefined;
  /** The page on which the passage ends, if it is another */
  endPage?: number | undefined;
  /** 0 to 1; 0.5 is as likely an answer as not */
  score: number;
  vectorScore?: number | undefined;
  textScore?: number | undefined;
  /** The lines that bear on the question; if they are messages of several days, a line such as `[2026-05-18]` stands before the messages of each day */
  snippet: string;
  /** The whole text, if `includeText` was set */
  text?: string | undefined;
  /**
   * Files (`memory`), conversations (`sessions`) or `facts`
   */
  source: "memory" | "sessions" | "facts";
  /** The agent that shares the memory, if it is another's; `path` then begins with `@` and its id */
  sharedBy?: string | undefined;
  /** When it was said or written: the day that a file is about (YYYY-MM-DD), or else the time of its last change, of the last message that is shown, or since which the fact holds (ISO 8601) */
  date: string;
  /** `path#L1-L4`, if the agent's settings ask for citations */
  citation?: string | undefined;
  /** `path#L1-L4` of a newer passage that answers the same question with another value */
  olderThan?: string | undefined;
  /** The version of the file that has this text, if the search had `asOf` and the text has changed since */
  version?: string | undefined;
  fact?: HitFact | undefined;
  session?: HitSession | undefined;
  explain?: HitExplanation | undefined;
}

/** Details of the fact, in a hit that is a fact */
export interface HitFact {
  id: string;
  /** The user of the fact's scope, if the search has no scope */
  user?: string | undefined;
  /** The person or thing that the fact is about */
  subject?: string | undefined;
  category: "preference" | "instruction" | "fact" | "decision" | "entity" | "technical" | "other";
  since: string;
  confirmed?: string | undefined;
  /** The text that this fact replaced */
  replaced?: string | undefined;
  /**
   * The class of the message whose words the fact has; absent if no class is known
   */
  originClass?: ("owner" | "agent" | "untrusted" | "system") | undefined;
}

/** The position of a hit within a conversation */
export interface HitSession {
  key: string;
  messages: {
    from: number;
    to: number;
  };
  roles: string[];
  /**
   * The least trusted class among its messages; absent if no class is known
   */
  originClass?: ("owner" | "agent" | "untrusted" | "system") | undefined;
  /** The time of the first message that the snippet (with `includeText`: the text) shows */
  from: string;
  /** The time of the last message that it shows */
  to: string;
  /** The days of the messages that it shows (YYYY-MM-DD), in the time zone of the search */
  days?: string[] | undefined;
}

/** The answer when the memory cannot be searched; tell the user `warning` and `action` */
export interface SearchUnavailable {
  /** Always empty */
  results: SearchHit[];
  disabled: true;
  unavailable: true;
  /** The reason */
  error: string;
  warning: string;
  /** The remedy */
  action: string;
}

export interface SearchInput {
  /** What to look for: a question or key words; exact names, error codes and paths are found too */
  query: string;
  /** Most hits to return, at most 100; default: 6, unless configured */
  maxResults?: number | undefined;
  /** Leave out hits below this score, 0 to 1; 0.5 is as likely an answer as not */
  minScore?: number | undefined;
  /**
   * Files (memory), conversations (sessions), remembered facts (facts), or all of them, the default
   */
  corpus?: ("memory" | "sessions" | "facts" | "all") | undefined;
  /** Where days begin and end, such as Europe/Lisbon, for yesterday, after and before; default: the agent's */
  timezone?: string | undefined;
  /**
   * Format: date
   * Only texts from this day on, YYYY-MM-DD
   */
  after?: string | undefined;
  /**
   * Format: date
   * Only texts from before this day, YYYY-MM-DD
   */
  before?: string | undefined;
  /** Only these paths; `*` matches any characters, a folder ends with `/` */
  paths?: readonly string[] | undefined;
  /** Leaves out facts and conversations of others; default: everybody's */
  scope?:
    | {
        /** The user it is about, by your name or id for them */
        user?: string | undefined;
        /** The agent it is for */
        agent?: string | undefined;
        /** The conversation it is for */
        session?: string | undefined;
      }
    | undefined;
  /** Add the whole text to each hit */
  includeText?: boolean | undefined;
  /**
   * Format: date-time
   * Search the memory as it was at this time, an ISO 8601 time; texts that have changed since are found by words only
   */
  asOf?: (string | Date) | undefined;
  /**
   * How the arms are combined in this search; default: the agent's setting `query.hybrid.fusion`
   */
  fusion?: ("adaptive" | "weighted" | "rrf") | undefined;
  /** How each hit was ranked, and both arms' lists */
  explain?: boolean | undefined;
  /** The conversation that asks, such as telegram:group:5; with `citations: auto` a group gets no citations */
  sessionKey?: string | undefined;
}

export type MemoryGetOutput = ReadLines | LinesNotFound;

/** The lines that were read; `status` is not set */
export interface ReadLines {
  text: string;
  path: string;
  /** The agent that shares the memory, if it is another's */
  sharedBy?: string | undefined;
  from: number;
  lines: number;
  /** In a document with pages, the page of the first line */
  page?: number | undefined;
  /** The page of the last line, if it is another */
  endPage?: number | undefined;
  /** In a conversation, the lines that begin the messages of another day, each with the day (YYYY-MM-DD) */
  days?:
    | {
        line: number;
        day: string;
      }[]
    | undefined;
  truncated?: true | undefined;
  /** The line from which to continue, if more lines follow */
  nextFrom?: number | undefined;
  /** If the line is too long for one answer, the fromChar that continues in the same line */
  nextChar?: number | undefined;
  /** How the input was read, where it was not as the schema says, and what the answer lacks */
  note?: string | undefined;
}

/** The answer when nothing exists at the path */
export interface LinesNotFound {
  status: "not_found";
  text: "";
  path: string;
  /** How the input was read, where it was not as the schema says, and what the answer lacks */
  note?: string | undefined;
}

export interface GetInput {
  /** Path as in a search result, such as memory/2026-05-18.md or facts/12 */
  path: string;
  /** First line to read, counted from 1 */
  from?: number | undefined;
  /** First character of the first line to read, counted from 1 */
  fromChar?: number | undefined;
  /** How many lines */
  lines?: number | undefined;
  /**
   * Format: date-time
   * The text as it was at this time, an ISO 8601 time such as 2026-05-18T12:00:00Z
   */
  asOf?: (string | Date) | undefined;
  /** Whom it is for: others' facts and conversations are not found */
  scope?:
    | {
        /** The user it is about, by your name or id for them */
        user?: string | undefined;
        /** The agent it is for */
        agent?: string | undefined;
        /** The conversation it is for */
        session?: string | undefined;
      }
    | undefined;
}

export interface MemoryStoreOutput {
  facts: {
    /** The id of the stored fact, or of the known fact that says the same */
    id: string;
    status: "stored" | "duplicate";
    /** The ids of the facts that this one ended */
    superseded: string[];
  }[];
  /** How the input was read, where it was not as the schema says, and what the answer lacks */
  note?: string | undefined;
}

export interface MemoryStoreInput {
  /** The statement: one self-contained sentence, with names instead of pronouns */
  text: string;
  /** The person or thing it is about, by name, such as Ana or Project Kestrel; it is found by this name */
  subject?: string | undefined;
  /** The property it states, such as user.name; the next fact with the same key and subject replaces it */
  key?: string | undefined;
  /**
   * Kind of statement; default: fact
   */
  category?: ("preference" | "instruction" | "fact" | "decision" | "entity" | "technical" | "other") | undefined;
  /** How much it matters, 0 to 1; default: 0.5 */
  importance?: number | undefined;
  /** Whom and what it is for; a missing part means everybody */
  scope?:
    | {
        /** The user it is about, by your name or id for them */
        user?: string | undefined;
        /** The agent it is for */
        agent?: string | undefined;
        /** The conversation it is for */
        session?: string | undefined;
      }
    | undefined;
  /** Words to find it by later, such as the name of a project */
  tags?: readonly string[] | undefined;
  /** Where it comes from */
  source?:
    | (
        | {
            kind: "call";
            note?: string | undefined;
          }
        | {
            kind: "message";
            session: string;
            message?: number | undefined;
          }
        | {
            kind: "file";
            path: string;
            startLine?: number | undefined;
            endLine?: number | undefined;
          }
      )
    | undefined;
  /**
   * How fast it loses weight
   */
  decayClass?: ("permanent" | "stable" | "active" | "session" | "transient") | undefined;
  /**
   * Format: date-time
   * Since when it holds, as an ISO 8601 time; now unless you say otherwise
   */
  validFrom?: (string | Date) | undefined;
  /**
   * Format: date-time
   * Until when it holds, as an ISO 8601 time; absent: no known end
   */
  expiresAt?: (string | Date) | undefined;
  /**
   * Format: date-time
   * Until when it held, as an ISO 8601 time in the past; for a statement that holds no longer
   */
  validTo?: (string | Date) | undefined;
  /** Ids of the facts that this one replaces */
  supersedes?: readonly string[] | undefined;
  /** Ids of the facts that this one corrects or replaces, as memory_recall and memory_search show them */
  replaces?: readonly string[] | undefined;
}

export type MemoryRecallOutput =
  | {
      facts: {
        id: string;
        text: string;
        /** The person who said the fact, or the person or thing that it is about; absent if nobody is known */
        subject?: string | undefined;
        /** The property that the fact states, such as `user.name` */
        key?: string | undefined;
        category: "preference" | "instruction" | "fact" | "decision" | "entity" | "technical" | "other";
        /** 0 to 1 */
        importance: number;
        /** The user, agent and session that the fact is for; an absent part means everybody or everything */
        scope: {
          user?: string | undefined;
          agent?: string | undefined;
          session?: string | undefined;
        };
        tags: string[];
        /** Where the fact comes from; `by` is the key that stored it */
        source:
          | {
              kind: "call";
              by: string;
              note?: string | undefined;
            }
          | {
              kind: "message";
              by: string;
              session: string;
              message?: number | undefined;
            }
          | {
              kind: "file";
              by: string;
              path: string;
              startLine?: number | undefined;
              endLine?: number | undefined;
            };
        /**
         * How fast the fact loses weight: never, or by half in 365, 30, 1 or ¼ days, unless the agent's settings say otherwise
         */
        decayClass: "permanent" | "stable" | "active" | "session" | "transient";
        validFrom: string;
        /** Until when the fact held; absent while it holds */
        validTo?: string | undefined;
        /** The id of the fact that replaced this one */
        supersededBy?: string | undefined;
        endedBy?: ("key" | "supersede" | "update") | undefined;
        expiresAt?: string | undefined;
        createdAt: string;
        updatedAt: string;
        confirmedAt: string;
        /** The time since which the fact holds, as `validFrom` */
        date: string;
        score: number;
        vectorScore?: number | undefined;
        textScore?: number | undefined;
      }[];
      quotes?: RecalledQuote[] | undefined;
      mode: "hybrid" | "keyword" | "vector";
      /**
       * Set if nothing stands out of chance: these are only the nearest
       */
      certain?: false | undefined;
      warning?: string | undefined;
      /** How the input was read, where it was not as the schema says, and what the answer lacks */
      note?: string | undefined;
    }
  | {
      facts: {
        id: string;
        text: string;
        /** The person who said the fact, or the person or thing that it is about; absent if nobody is known */
        subject?: string | undefined;
        /** The property that the fact states, such as `user.name` */
        key?: string | undefined;
        category: "preference" | "instruction" | "fact" | "decision" | "entity" | "technical" | "other";
        /** 0 to 1 */
        importance: number;
        /** The user, agent and session that the fact is for; an absent part means everybody or everything */
        scope: {
          user?: string | undefined;
          agent?: string | undefined;
          session?: string | undefined;
        };
        tags: string[];
        /** Where the fact comes from; `by` is the key that stored it */
        source:
          | {
              kind: "call";
              by: string;
              note?: string | undefined;
            }
          | {
              kind: "message";
              by: string;
              session: string;
              message?: number | undefined;
            }
          | {
              kind: "file";
              by: string;
              path: string;
              startLine?: number | undefined;
              endLine?: number | undefined;
            };
        /**
         * How fast the fact loses weight: never, or by half in 365, 30, 1 or ¼ days, unless the agent's settings say otherwise
         */
        decayClass: "permanent" | "stable" | "active" | "session" | "transient";
        validFrom: string;
        /** Until when the fact held; absent while it holds */
        validTo?: string | undefined;
        /** The id of the fact that replaced this one */
        supersededBy?: string | undefined;
        endedBy?: ("key" | "supersede" | "update") | undefined;
        expiresAt?: string | undefined;
        createdAt: string;
        updatedAt: string;
        confirmedAt: string;
        /** The time since which the fact holds, as `validFrom` */
        date: string;
        score: number;
        vectorScore?: number | undefined;
        textScore?: number | undefined;
      }[];
      disabled: true;
      unavailable: true;
      /** The reason */
      error: string;
      warning: string;
      /** The remedy */
      action: string;
      /** How the input was read, where it was not as the schema says, and what the answer lacks */
      note?: string | undefined;
    };

export interface MemoryRecallInput {
  /** What to look for: a question or key words */
  query: string;
  /** Most facts to return, at most 100 */
  maxResults?: number | undefined;
  /** Leave out facts below this score, 0 to 1 */
  minScore?: number | undefined;
  /**
   * Format: date-time
   * Search the facts that were believed at this time, an ISO 8601 time such as 2026-05-18T12:00:00Z
   */
  asOf?: (string | Date) | undefined;
  /** Whom it is for: facts of others are left out; absent: everybody's */
  scope?:
    | {
        /** The user it is about, by your name or id for them */
        user?: string | undefined;
        /** The agent it is for */
        agent?: string | undefined;
        /** The conversation it is for */
        session?: string | undefined;
      }
    | undefined;
  /** Only these kinds of statements */
  categories?:
    | readonly ("preference" | "instruction" | "fact" | "decision" | "entity" | "technical" | "other")[]
    | undefined;
  /** Only facts with all of these tags */
  tags?: readonly string[] | undefined;
  /** Only facts of at least this importance, 0 to 1 */
  minImportance?: number | undefined;
  /** Where days such as yesterday begin and end, such as Europe/Lisbon; default: the agent's */
  timezone?: string | undefined;
  /** Only facts about this person or thing, by name; case does not matter */
  subject?: string | undefined;
}

export interface MemoryForgetOutput {
  facts: {
    id: string;
    text: string;
    /** The person who said the fact, or the person or thing that it is about; absent if nobody is known */
    subject?: string | undefined;
    /** The property that the fact states, such as `user.name` */
    key?: string | undefined;
    category: "preference" | "instruction" | "fact" | "decision" | "entity" | "technical" | "other";
    /** 0 to 1 */
    importance: number;
    /** The user, agent and session that the fact is for; an absent part means everybody or everything */
    scope: {
      user?: string | undefined;
      agent?: string | undefined;
      session?: string | undefined;
    };
    tags: string[];
    /** Where the fact comes from; `by` is the key that stored it */
    source:
      | {
          kind: "call";
          by: string;
          note?: string | undefined;
        }
      | {
          kind: "message";
          by: string;
          session: string;
          message?: number | undefined;
        }
      | {
          kind: "file";
          by: string;
          path: string;
          startLine?: number | undefined;
          endLine?: number | undefined;
        };
    /**
     * How fast the fact loses weight: never, or by half in 365, 30, 1 or ¼ days, unless the agent's settings say otherwise
     */
    decayClass: "permanent" | "stable" | "active" | "session" | "transient";
    validFrom: string;
    /** Until when the fact held; absent while it holds */
    validTo?: string | undefined;
    /** The id of the fact that replaced this one */
    supersededBy?: string | undefined;
    endedBy?: ("key" | "supersede" | "update") | undefined;
    expiresAt?: string | undefined;
    createdAt: string;
    updatedAt: string;
    confirmedAt: string;
    /** The time since which the fact holds, as `validFrom` */
    date: string;
    score: number;
    vectorScore?: number | undefined;
    textScore?: number | undefined;
  }[];
  forgotten: string[];
  /** How the input was read, where it was not as the schema says, and what the answer lacks */
  note?: string | undefined;
}

export interface MemoryForgetInput {
  /** What to look for: a question or key words */
  query?: string | undefined;
  /** Most facts to return, at most 100 */
  maxResults?: number | undefined;
  /** Whom it is for: facts of others are left out; absent: everybody's */
  scope?:
    | {
        /** The user it is about, by your name or id for them */
        user?: string | undefined;
        /** The agent it is for */
        agent?: string | undefined;
        /** The conversation it is for */
        session?: string | undefined;
      }
    | undefined;
  /** Ids of the facts to forget, such as 7 or facts/7 */
  ids?: readonly string[] | undefined;
}

export interface ToolDefinitions {
  format: "openai" | "anthropic" | "mcp" | "gemini";
  /** The definitions, to pass to the model's API unchanged */
  tools: {
    [key: string]: unknown;
  }[];
  /** The section `Memory Recall` for the system prompt; empty when there are no tools */
  prompt: string;
}

export interface AgentPage {
  agents: Agent[];
  nextCursor?: string | undefined;
}

export interface Agent {
  id: string;
  name: string;
  status: "active" | "disabled" | "creating" | "importing";
  /** The agent's own settings; `GET /v1/agents/{agentId}/settings` returns the settings that apply */
  settings: {
    [key: string]: unknown;
  };
  limits: Limits;
  usage: Usage;
  schemaVersion: number;
  createdAt: string;
}

/** An absent limit: the agent has none of its own */
export interface Limits {
  files?: number | undefined;
  bytes?: number | undefined;
  chunks?: number | undefined;
  facts?: number | undefined;
  agents?: number | undefined;
}

/** Counters of usage */
export interface Usage {
  files: number;
  bytes: number;
  chunks: number;
  facts: number;
  /** Bytes of earlier versions of files; `bytes` does not count them */
  historyBytes: number;
}

/** An agent after a change */
export interface ChangedAgent extends Agent {
  /** Settings of an OpenClaw configuration that have no effect, and why */
  warnings?: string[] | undefined;
}

export interface AgentInput {
  id: string;
  name?: string | undefined;
  settings?: object | undefined;
  /** Most `files`, `bytes`, `chunks` and `facts` */
  limits?: object | undefined;
}

/** `settings` and `limits` are JSON merge patches */
export interface AgentChange {
  name?: string | undefined;
  /** A disabled agent refuses every read and write */
  disabled?: boolean | undefined;
  settings?: object | undefined;
  /** Most `files`, `bytes`, `chunks` and `facts` */
  limits?: object | undefined;
}

/** The record that an agent was erased, with the counts of its content */
export interface ErasureReceipt {
  id: string;
  /** Empty: the receipt of a whole tenant */
  agentId: string;
  erasedAt: string;
  actor: string;
  counts: {
    [key: string]: number;
  };
  /** SHA-256 of paths, lower-case hex, in the order of the hashes; the answer to an erasure has the first 1,000. `counts.files` is the number of all paths */
  pathHashes: string[];
  /** Cursor for the next page of hashes, at `GET /v1/erasures/{receiptId}` */
  nextCursor?: string | undefined;
}

/** The settings that apply to an agent */
export interface AgentSettings {
  settings: {
    [key: string]: unknown;
  };
  /** The layer of each value, by dotted path: `default`, `user`, `workspace`, `tenant` or `agent` */
  origins: {
    [key: string]: string;
  };
  /** The agent's own settings */
  own: {
    [key: string]: unknown;
  };
  /** The description of each setting, by dotted path */
  descriptions: {
    [key: string]: string;
  };
  /** The values that each setting may have, by dotted path */
  shapes: {
    [key: string]: SettingShape;
  };
}

/** The values that a setting may have, and the roles that may set it */
export interface SettingShape {
  /**
   * `choice`: one of `values`; `list`: several texts; `texts`: texts by name
   */
  type: "switch" | "integer" | "number" | "choice" | "text" | "list" | "texts";
  /** The texts that are allowed; for a number, those that are allowed in its place */
  values?: string[] | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  default?: unknown;
  /** Whether a change builds a new index */
  newIndex: boolean;
  /**
   * `operator`: only with the scope `admin`; `file`: only in the operator's files
   */
  setBy: "tenant" | "operator" | "file";
}

export interface AgentStatus {
  agentId: string;
  backend: "postgres" | "pglite";
  provider: string;
  model: string;
  dimensions: number | null;
  /** The provider of the setting `fallback`, and whether the index uses it */
  fallback: {
    provider: string;
    inUse: boolean;
  } | null;
  files: number;
  sessions: number;
  messages: number;
  unindexedMessages: number;
  /** Ended facts included */
  facts: number;
  chunks: number;
  /** Chunks that only keyword search finds until a job has embedded them */
  pendingEmbeddings: number;
  /** The last error of the job that makes the pending embeddings */
  embeddingProblem?: string | undefined;
  /** Chunks that the provider refuses; only keyword search finds them */
  rejectedChunks: number;
  keyword: {
    ready: boolean;
    /** The language in which texts are stemmed, or `auto` */
    language: string;
    /** The languages of the texts, most frequent first */
    languages: string[];
    statisticsAt: string | null;
  };
  vector: {
    ready: boolean;
    index: "none" | "exact" | "hnsw";
    /** Scripts that the model cannot read; only keyword search finds texts in them */
    unread: string[];
    /** Why questions get no vector */
    problem?: string | undefined;
  };
  /** Whether an embedding or the indexing of a session is pending */
  dirty: boolean;
  /** Whether nothing is left to index, embed or measure. Scores and `certain` then stay the same until the next write */
  settled: boolean;
  lastChangeAt: string | null;
  /** When the last sync of conversations and folders of the server ended */
  lastSyncAt: string | null;
  extraPaths: ExtraPathStatus[];
  reindex: Reindex;
  /** The jobs by kind */
  jobs: {
    [key: string]: JobCounts;
  };
  /** False: jobs wait, and no worker runs them */
  workerAlive: boolean;
}

/** A folder of the server that belongs to an agent's memory */
export interface ExtraPathStatus {
  path: string;
  pattern?: string | undefined;
  files: number;
  skipped: number;
  failed: number;
  lastSyncAt: string | null;
  error?: string | undefined;
}

/** A new index that is built beside the current one */
export interface Reindex {
  /**
   * `due`: a new index is asked for, and its build has not begun yet
   */
  state: "none" | "building" | "due";
  provider?: string | undefined;
  model?: string | undefined;
  files?: Progress | undefined;
  facts?: Progress | undefined;
  sessions?: Progress | undefined;
  pendingEmbeddings?: number | undefined;
  startedAt?: string | undefined;
}

/** How many items are indexed so far, and how many there are */
export interface Progress {
  indexed: number;
  total: number;
}

/** The number of jobs of one kind */
export interface JobCounts {
  waiting: number;
  active: number;
  failed: number;
}

export interface SyncRequested {
  queued: true;
}

export interface ActivityPage {
  activity: ActivityEntry[];
  nextCursor?: string | undefined;
}

/** Searches, recalls, captures or reads that one caller made within a few seconds */
export interface ActivityEntry {
  id: string;
  at: string;
  /** A key's prefix, `local` (no key) or `system` */
  actor: string;
  /** Null when the key is deleted or belongs to another tenant */
  keyName: string | null;
  kind: "search" | "recall" | "capture" | "read";
  /** How often the same happened within a few seconds */
  times: number;
  /** Hits, facts and quotations recalled, facts stored, or texts read, in all */
  hits: number;
  /** How many of them the service could not answer */
  failed: number;
  /** How many of them found nothing */
  empty: number;
  /** Their mean time in milliseconds; null: not measured */
  ms: number | null;
  slowestMs: number | null;
}

/** Searches, recalls and captures of some days */
export interface ActivitySummary {
  from: string;
  to: string;
  per: "hour" | "day";
  /** Oldest first; times without a call are left out */
  buckets: CallsAtATime[];
  /** By kind, over the whole time */
  totals: CallSum[];
  /** By caller or agent, the busiest first; at most 200 */
  groups: CallsOfOne[];
}

/** The calls of one kind in an hour or day */
export interface CallsAtATime extends CallSum {
  /** The beginning of the hour or day (UTC) */
  at: string;
}

/** The calls of one kind within a time */
export interface CallSum {
  kind: "search" | "recall" | "capture" | "read";
  times: number;
  hits: number;
  /** How many of them the service could not answer */
  failed: number;
  /** How many of them found nothing */
  empty: number;
  /** Times in milliseconds, the percentiles estimated from classes; null: none was measured */
  latency: {
    meanMs: number;
    p50Ms: number;
    p95Ms: number;
    slowestMs: number;
  } | null;
}

/** The calls of one kind by one caller or to one agent */
export interface CallsOfOne extends CallSum {
  /** With `by=actor`: a key's prefix, `local` or `system` */
  actor?: string | undefined;
  keyName?: (string | null) | undefined;
  /** With `by=agent` */
  agentId?: string | undefined;
}

/** The items by the UTC day on which they were stored, without empty days; `before` counts the items stored before `from` */
export interface Growth {
  from: string;
  to: string;
  before: StoredAmounts;
  days: StoredThatDay[];
}

/** The number of stored items of each kind */
export interface StoredAmounts {
  files: number;
  messages: number;
  facts: number;
  chunks: number;
}

/** The number of items that were stored on one UTC day */
export interface StoredThatDay extends StoredAmounts {
  day: string;
}

export interface ChangePage {
  changes: Change[];
  /** The cursor for later changes, to be used now or later */
  cursor: string;
  /** Whether there are already more changes */
  more: boolean;
}

/** A change of a file or a fact */
export interface Change {
  at: string;
  /** `file.created`, `file.changed`, `file.deleted`, `fact.stored`, `fact.superseded`, `fact.updated`, `fact.forgotten`, `fact.expired`, by a merge `fact.merged`, by a rollback `fact.restored`, by either `fact.withdrawn`; newest first also `session.started` */
  kind: string;
  /** The file's path; for a fact `facts/{id}`; for a conversation its path */
  path: string;
  by: string | null;
  /** The version that keeps the file's text of that time, once another text has replaced it */
  version?: string | undefined;
  hash?: string | undefined;
  /** With `texts`, at most 400 characters: the fact, the file's text from the first changed line on, or the first message. Of `fact.superseded`, the new fact. Absent: forgotten, or a file above 200,000 bytes */
  text?: string | undefined;
  /** With `texts`: the text that it replaced or that was deleted, if it is still kept and was not forgotten */
  before?: string | undefined;
  /** With `texts`: the subject of the fact */
  subject?: string | undefined;
  /** With `texts`: the key of the fact */
  key?: string | undefined;
  /** With `texts`: the user of the scope */
  user?: string | undefined;
}

/** The caller: a key, its tenant and its rights */
export interface KeyInUse {
  /** The tenant in which the request acts */
  tenantId: string;
  tenantName: string;
  /** The key's own tenant; an operator's key may act in another tenant */
  ownTenant: {
    id: string;
    name: string;
  };
  /** null: the request has no key */
  keyName: string | null;
  /** The first characters of the key, as logs and changes show it; null: no key */
  prefix: string | null;
  /** When the key expires; null: never, or no key */
  expiresAt: string | null;
  scopes: string[];
  /** The agent that the key is bound to; null: every agent */
  agentId: string | null;
}

export interface ApiKey {
  id: string;
  name: string;
  /** The first characters of the key */
  prefix: string;
  scopes: ("admin" | "tenant" | "agent:read" | "agent:write" | "search")[];
  /** The only agent that the key reaches; null: every agent */
  agentId: string | null;
  requestsPerMinute: number | null;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
}

export interface TenantPage {
  tenants: Tenant[];
  nextCursor?: string | undefined;
}

export interface Tenant {
  id: string;
  name: string;
  settings: {
    [key: string]: unknown;
  };
  limits: TenantLimits;
  disabled: boolean;
  createdAt: string;
}

/** An absent limit: the tenant has none of its own */
export interface TenantLimits {
  files?: number | undefined;
  bytes?: number | undefined;
  chunks?: number | undefined;
  facts?: number | undefined;
  agents?: number | undefined;
  /** Limit for all keys of the tenant together */
  requestsPerMinute?: number | undefined;
}

export interface ChangedTenant extends Tenant {
  /** Settings of an OpenClaw configuration that have no effect, and why */
  warnings?: string[] | undefined;
}

/** The record that a tenant was removed */
export interface TenantReceipt {
  removed: true;
  /** The receipt at `GET /v1/erasures/{receiptId}` */
  receiptId: string;
  tenantId: string;
  tenantName: string;
  removedAt: string;
  actor: string;
  /** The amounts that were deleted */
  counts: {
    /** Agents that were erased before; each has a receipt */
    agents: number;
    keys: number;
    bindings: number;
    /** Answers to requests with an idempotency key */
    answers: number;
  };
  /** The tenant's rows that stay in the database: they have no texts */
  left: {
    auditEntries: number;
    receipts: number;
    usageRows: number;
  };
}

export interface Job {
  id: string;
  kind: string;
  state: "waiting" | "active" | "retry" | "completed" | "cancelled" | "failed";
  agentId: string | null;
  retryCount: number;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  /** The error of the last try */
  error: {
    code: string;
    message: string;
  } | null;
}

export interface AuditPage {
  entries: AuditEntry[];
  nextCursor?: string | undefined;
}

/** An administrative action */
export interface AuditEntry {
  id: string;
  at: string;
  /** A key's prefix, `local` (no key) or `system` */
  actor: string;
  /** @example key.create */
  action: string;
  target: string;
  details: {
    [key: string]: unknown;
  };
}

/** The requests to embedding providers */
export interface EmbeddingUsage {
  from: string;
  to: string;
  /** Over all pages */
  totals: {
    requests: number;
    texts: number;
    tokens: number;
    costNanoUsd: number;
    /** Tokens of models without a known price, which the cost leaves out */
    unpricedTokens: number;
  };
  entries: EmbeddingUsageEntry[];
  nextCursor?: string | undefined;
}

/** An agent's requests to one model on one UTC day */
export interface EmbeddingUsageEntry {
  requests: number;
  texts: number;
  tokens: number;
  day: string;
  /** Empty: all erased agents */
  agentId: string;
  provider: string;
  model: string;
  kind: "document" | "query";
  /** Billionths of a US dollar at that day's price; null: the model's price is unknown */
  costNanoUsd: number | null;
}

/** Disk space */
export interface StorageUsage {
  measuredAt: string;
  agents: AgentStorage[];
  /** Agents that were not measured */
  otherAgents: number;
  /** With `agentId`: the former texts that its snapshots keep */
  snapshots?:
    | {
        snapshots: number;
        oldestAt: string | null;
        versions: number;
        /** Bytes */
        bytes: number;
      }
    | undefined;
  /** With `server`: the sizes that belong to no agent */
  server?:
    | {
        /** The whole database; on a cluster the coordinator's part */
        databaseBytes: number;
        /** Cached embeddings of all tenants */
        cacheBytes: number;
        /** Tenants, keys, usage, audit log, receipts */
        controlBytes: number;
        /** Bytes */
        jobsBytes: number;
        /** Schemas that are made ahead for future agents */
        spareSchemas: number;
        /** Bytes */
        spareBytes: number;
        /** The write-ahead log that a replication slot holds back; null: the server is a standby */
        heldLogBytes: number | null;
      }
    | undefined;
}

/** The disk space of one agent */
export interface AgentStorage {
  tenantId: string;
  tenantName: string;
  agentId: string;
  /** The agent's schema, without its cached embeddings */
  bytes: number;
  /** Tables with their indexes; `history` has former texts and snapshots */
  parts: {
    /** Bytes */
    files: number;
    /** Bytes */
    conversations: number;
    /** Bytes */
    facts: number;
    /** Bytes */
    history: number;
    /** Bytes */
    index: number;
  };
  deadRows: number;
  /** A part of `bytes`, estimated */
  deadBytes: number;
  cachedVectors: number;
  /** Estimated; in the tables of the service, not of the agent */
  cacheBytes: number;
}

export interface Fleet {
  targetVersion: number;
  agents: number;
  current: number;
  behind: number;
  versions: {
    schemaVersion: number;
    agents: number;
  }[];
  jobs: {
    [key: string]: JobCounts;
  };
  failed: {
    tenantId: string;
    agentId: string;
    schemaVersion: number;
    error: string;
    failedAt: string;
    attempts: number;
  }[];
}

/** A turn to extract facts from; the turn itself is not stored */
export interface CaptureInput {
  messages: readonly TurnMessage[];
  /** The speaker and place; default: the scope of the session, else facts for everybody */
  scope?:
    | {
        /** The user it is about, by your name or id for them */
        user?: string | undefined;
        /** The agent it is for */
        agent?: string | undefined;
        /** The conversation it is for */
        session?: string | undefined;
      }
    | undefined;
  /** The conversation that the facts name as their source */
  session?: string | undefined;
  /** Store nothing; return what would be stored */
  dryRun?: boolean | undefined;
}

export interface TurnMessage {
  /** The sender's id: a message with a known id is not stored again */
  id?: (string | null) | undefined;
  /**
   * In any letter case. `developer` is stored as `system`, `function` as `tool`; items of OpenAI's Responses may have none
   */
  role?:
    | ("user" | "human" | "assistant" | "ai" | "bot" | "model" | "system" | "developer" | "tool" | "function")
    | undefined;
  type?: (string | null) | undefined;
  /** The speaker's name */
  name?: (string | null) | undefined;
  text?: (string | null) | undefined;
  /** A text, or parts as in chat APIs; parts other than text are named, as in `[image]` */
  content?: (string | readonly unknown[] | object | null) | undefined;
  /** The same as `content`, under the name of Gemini and of Vercel's AI SDK */
  parts?: (readonly unknown[] | null) | undefined;
  /**
   * The class of the author, if your program knows it: the owner, the agent, somebody outside (`untrusted`) or the host's own scaffolding (`system`)
   */
  originClass?: ("owner" | "agent" | "untrusted" | "system") | undefined;
  /** The time of the message: ISO 8601, without an offset in the agent's time zone, or seconds or milliseconds since 1970; default: now */
  at?: ((string | Date) | number) | undefined;
  /** The time of the message, under the name of another API */
  timestamp?: unknown;
  /** The time of the message, under the name of another API */
  createdAt?: unknown;
  /** The time of the message, under the name of another API */
  created_at?: unknown;
  /** Shown in the text, as `[tool call: search]` */
  tool_calls?: unknown;
  /** Shown in the text, as `[tool call: search]` */
  toolInvocations?: unknown;
  /** Shown in the text, as `[tool call: search]` */
  function_call?: unknown;
  tool_call_id?: unknown;
  call_id?: unknown;
  arguments?: unknown;
  output?: unknown;
  refusal?: unknown;
  audio?: unknown;
}

/** The progress of the last ingest */
export interface IngestStatus {
  state: "none" | "running" | "done" | "failed";
  paths?: string[] | undefined;
  dryRun?: boolean | undefined;
  error?:
    | ({
        code: string;
        message: string;
      } | null)
    | undefined;
  filesTotal?: (number | null) | undefined;
  filesDone?: number | undefined;
  filesSkipped?: number | undefined;
  piecesDone?: number | undefined;
  /** Pieces that an earlier run has done; the model is not asked again */
  piecesKnown?: number | undefined;
  /** Pieces that the model refused */
  piecesRefused?: number | undefined;
  stored?: number | undefined;
  duplicates?: number | undefined;
  /** Lines of the model's answers that are no facts */
  dropped?: number | undefined;
  /** The facts of a dry run, at most 500 */
  found?: IngestedFact[] | undefined;
  startedAt?: string | undefined;
  endedAt?: (string | null) | undefined;
}

/** A fact that a model found in a file */
export interface IngestedFact {
  path: string;
  startLine: number;
  text: string;
  importance: number;
}

export interface IngestInput {
  /** Globs; default: the setting `facts.ingest.paths` */
  paths?: readonly string[] | undefined;
  /** Store nothing; return the facts that would be stored */
  dryRun?: boolean | undefined;
}

export interface IngestedText {
  pieces: number;
  /** Where the next call continues, if the text is too long for one request */
  next?: number | undefined;
  known: number;
  asked: number;
  refused: number;
  stored: number;
  duplicates: number;
  dropped: number;
  facts: IngestedFact[];
}

/** A text to extract facts from; the text itself is not stored */
export interface IngestTextInput {
  path: string;
  content: string;
  /** `next` of the previous answer */
  from?: number | undefined;
  /** Store nothing; return the facts that would be stored */
  dryRun?: boolean | undefined;
}

/** The reason why a search does not show a document */
export interface MissedDocument {
  path: string;
  /** Whether the search's scope may see a file, session or fact at this path */
  found: boolean;
  /** Whether any of it is indexed */
  indexed: boolean;
  chunks: MissedChunk[];
  /** The warnings of the search, such as that a part of it took too long */
  warning?: string | undefined;
}

/** A chunk of a document, and the stage of a search at which it was left out */
export interface MissedChunk {
  startLine: number;
  endLine: number;
  /**
   * `shown`; `joined` with a neighbour; left out by the `limit`, as a `duplicate` or by the `floor`; not among the `candidates` of either arm; `excluded` from the search
   */
  stage: "shown" | "joined" | "limit" | "duplicate" | "floor" | "candidates" | "excluded";
  /** A sentence with the figures */
  reason: string;
  keyword?: MissedPlace | undefined;
  vector?: MissedPlace | undefined;
}

/** The rank of a chunk in one arm */
export interface MissedPlace {
  rank?: number | undefined;
  score?: number | undefined;
}

export interface ShareList {
  shares: Share[];
}

/** A memory that one agent offers to another */
export interface Share {
  /** The agent on the other side */
  agentId: string;
  /** Empty: the whole memory */
  folders: string[];
  sessions: boolean;
  offeredAt: string;
  /** null: the offer is not accepted */
  takenAt: string | null;
}

/** The part of a memory to offer; without folders, all of it but conversations */
export interface ShareTerms {
  /** Folders of files to offer; without folders, all files and the facts that are for everybody are offered */
  folders?: readonly string[] | undefined;
  /** Offer conversations too; only without folders */
  sessions?: boolean | undefined;
}

export interface WithdrawnShare {
  withdrawn: true;
}

export interface LeftShare {
  left: true;
}

export interface ImportedAgent {
  id: string;
  files: number;
  sessions: number;
  messages: number;
  facts: number;
  /** Embeddings in the archive */
  vectors: number;
  /** False: they are of another model, and the texts are embedded anew */
  vectorsUsed: boolean;
  pendingEmbeddings: number;
}

export interface SnapshotList {
  snapshots: Snapshot[];
}

/** A saved state of an agent's files and facts, for rollbacks */
export interface Snapshot {
  name: string;
  takenAt: string;
  takenBy: string;
  /** When the snapshot is deleted; null: only on request */
  expiresAt: string | null;
  files: number;
  bytes: number;
  facts: number;
}

export interface SnapshotInput {
  name: string;
  /**
   * Format: date-time
   * When the snapshot is deleted; default: only on request
   */
  expiresAt?: (string | Date) | undefined;
}

export interface DeletedSnapshot {
  deleted: string;
}

/** The differences between the current state and a snapshot: paths of files, and ids of facts */
export interface SnapshotDifference {
  files: {
    /** Paths that the snapshot does not have; at most 1,000 of each kind */
    added: string[];
    changed: string[];
    removed: string[];
    /** Paths that changed since the snapshot and that a rollback does not restore: the former text was forgotten, or the path belongs to a shared memory */
    lost: string[];
    total: number;
  };
  facts: {
    added: string[];
    changed: string[];
    removed: string[];
    total: number;
  };
}

export interface RolledBack {
  files: {
    /** Paths that the snapshot does not have; at most 1,000 of each kind */
    added: string[];
    changed: string[];
    removed: string[];
    /** Paths that changed since the snapshot and that a rollback does not restore: the former text was forgotten, or the path belongs to a shared memory */
    lost: string[];
    total: number;
  };
  facts: {
    added: string[];
    changed: string[];
    removed: string[];
    total: number;
  };
  /** A snapshot of the state before the rollback, to undo it */
  undo: string;
}

/** An agent that is a copy of another agent's memory */
export interface Branch {
  agentId: string;
  /** null: the origin was erased */
  origin: string | null;
  /**
   * While `copying`, the branch cannot be used yet
   */
  state: "copying" | "ready";
  /** The moment of the origin that it has */
  branchedAt: string | null;
  /** How many of the `total` rows are copied */
  copied: number;
  total: number;
}

export interface BranchInput {
  /** The id of the new agent */
  as: string;
  name?: string | undefined;
  /**
   * Format: date-time
   * Copy the memory as it was at this time, an ISO 8601 time
   */
  at?: (string | Date) | undefined;
  /** Copy the memory as it was at this snapshot */
  snapshot?: string | undefined;
}

/** The branches of an agent */
export interface BranchList {
  branches: Branch[];
}

export interface AgentDiff {
  agentId: string;
  otherId: string;
  /** When one agent was made as a branch of the other; null: neither was */
  since: string | null;
  files: FileDifference[];
  /** Facts of the same key and scope, or of the same text, are one entry; `text` is the latest fact */
  facts: FactDifference[];
  counts: {
    files: number;
    facts: number;
  };
}

export interface FileDifference {
  path: string;
  /**
   * The agent's change since both had the same content; without a common past, its content beside the other's
   */
  here: "none" | "added" | "changed" | "deleted";
  /**
   * The other agent's change
   */
  there: "none" | "added" | "changed" | "deleted";
  /** Whether both have changed it */
  conflict: boolean;
}

export interface FactDifference {
  text: string;
  key: string | null;
  /**
   * The agent's change since both had the same content; without a common past, its content beside the other's
   */
  here: "none" | "added" | "changed" | "deleted";
  /**
   * The other agent's change
   */
  there: "none" | "added" | "changed" | "deleted";
  /** Whether both have changed it */
  conflict: boolean;
}

export interface MergedBranch {
  agentId: string;
  into: string;
  /** False in a dry run */
  merged: boolean;
  files: FileDifference[];
  /** Facts of the same key and scope, or of the same text, are one entry; `text` is the latest fact */
  facts: FactDifference[];
  conflicts: number;
}

export interface MergeInput {
  /** The agent that the branch was made of */
  into: string;
  /** Write nothing; return what would be merged */
  dryRun?: boolean | undefined;
  /**
   * The side whose change counts where both have one; default: such a conflict stops the merge
   */
  prefer?: ("branch" | "target") | undefined;
}

/** Passages and facts on a plane, near each other if they mean similar things */
export interface MemoryMap {
  /**
   * `none`: nothing is embedded. `due`: a job makes a map, or a newer one than these points
   */
  state: "none" | "due" | "ready";
  madeAt: string | null;
  /** How many passages and facts the index has now */
  chunks: number;
  points: MapPoint[];
}

/** A passage or fact on the map */
export interface MapPoint {
  /** From -1 to 1 */
  x: number;
  /** From -1 to 1 */
  y: number;
  kind: "file" | "session" | "fact";
  /** The path of the file, session or fact */
  path: string;
  /** The first line of the passage in its file or session */
  startLine?: number | undefined;
  /** At most 80 characters */
  title: string;
  /** When it was stored, said or changed */
  at: string | null;
  /** The subject of a fact */
  subject?: string | undefined;
  /** The user of the scope */
  user?: string | undefined;
  /** The importance of a fact */
  importance?: number | undefined;
}

export interface EvalSetList {
  sets: EvalSet[];
}

/** A set of questions for evaluations */
export interface EvalSet {
  name: string;
  description: string;
  /** How many questions it has */
  questions: number;
  createdAt: string;
  updatedAt: string;
  updatedBy: string;
}

/** A set with its questions */
export interface WholeEvalSet {
  name: string;
  description: string;
  /** How many questions it has */
  questions: number;
  createdAt: string;
  updatedAt: string;
  updatedBy: string;
  items: EvalQuestion[];
}

/** A question with the documents that a search should find */
export interface EvalQuestion {
  /** Unique in the set; runs are compared by it */
  id: string;
  text: string;
  expected: {
    /** The path of a file, session or fact */
    path: string;
    /**
     * How good an answer it is; more is better
     * @default 1
     */
    grade?: number | undefined;
  }[];
  /** The scope of the asker; facts and conversations of other scopes are not found */
  scope?:
    | {
        /** The user it is about, by your name or id for them */
        user?: string | undefined;
        /** The agent it is for */
        agent?: string | undefined;
        /** The conversation it is for */
        session?: string | undefined;
      }
    | undefined;
}

/** The questions of a set */
export interface EvalSetInput {
  /** @default  */
  description?: string | undefined;
  items: readonly EvalQuestion[];
}

export interface DeletedEval {
  deleted: string;
}

/** One measurement of a search with a set */
export interface EvalRun {
  id: string;
  set: string;
  /**
   * `waiting`: a job asks the questions; see `done`
   */
  state: "waiting" | "done" | "failed";
  label: string;
  questions: number;
  /** How many questions have been asked */
  done: number;
  /** null until the run has ended */
  summary: EvalSummary | null;
  /** Why the run failed */
  error: string | null;
  createdBy: string;
  createdAt: string;
  endedAt: string | null;
}

/** The figures of a run, as `recollect eval` computes them */
export interface EvalSummary {
  measures: {
    ndcg10: EvalInterval;
    recall1: EvalInterval;
    recall5: EvalInterval;
    recall10: EvalInterval;
    recall100: EvalInterval;
    mrr10: EvalInterval;
  };
  /** How many questions have no right answer among the first ten */
  missed: number;
  p50Ms: number;
  p95Ms: number;
  /** The embedding model of the index */
  model: string;
}

/** A mean with its 95 % bootstrap interval */
export interface EvalInterval {
  mean: number;
  low: number;
  high: number;
}

export interface EvalRunInput {
  /**
   * A note about the run, such as the setting that was changed
   * @default
   */
  label?: string | undefined;
}

export interface EvalRunList {
  runs: EvalRun[];
}

/** A run with the result of each question */
export interface WholeEvalRun {
  id: string;
  set: string;
  /**
   * `waiting`: a job asks the questions; see `done`
   */
  state: "waiting" | "done" | "failed";
  label: string;
  questions: number;
  /** How many questions have been asked */
  done: number;
  /** null until the run has ended */
  summary: EvalSummary | null;
  /** Why the run failed */
  error: string | null;
  createdBy: string;
  createdAt: string;
  endedAt: string | null;
  results: EvalResult[];
}

/** The result of one question */
export interface EvalResult {
  id: string;
  text: string;
  expected: {
    path: string;
    grade: number;
  }[];
  measures: {
    ndcg10: number;
    recall1: number;
    recall5: number;
    recall10: number;
    recall100: number;
    mrr10: number;
  };
  /** The rank of the first right answer; null: not in the first 100 */
  rank: number | null;
  /** The first ten paths that were found */
  found: string[];
  ms: number;
  mode: string;
  warning?: string | undefined;
}

/** Two runs, question by question; the largest change first */
export interface EvalComparison {
  before: EvalRun;
  after: EvalRun;
  /** How many questions both runs have asked */
  shared: number;
  measures: {
    ndcg10: EvalDifference;
    recall1: EvalDifference;
    recall5: EvalDifference;
    recall10: EvalDifference;
    recall100: EvalDifference;
    mrr10: EvalDifference;
  };
  questions: EvalChange[];
}

/** The mean difference of a measure, with its 95 % interval */
export interface EvalDifference {
  mean: number;
  low: number;
  high: number;
  /** How probable such a difference is by chance */
  p: number;
  wins: number;
  losses: number;
  ties: number;
}

/** A question in two runs */
export interface EvalChange {
  id: string;
  text: string;
  rankBefore: number | null;
  rankAfter: number | null;
  /** nDCG@10 in the first run */
  before: number;
  after: number;
  change: "better" | "worse" | "equal";
}

export interface Bindings {
  bindings: Binding[];
  /** Rules of the operator's files, which are compared last */
  inherited: Binding[];
}

/** A rule that routes messages to an agent */
export interface Binding {
  agentId: string;
  match?:
    | {
        channel?: string | undefined;
        accountId?: string | undefined;
        peer?:
          | {
              kind: string;
              id: string;
            }
          | undefined;
      }
    | undefined;
}

/** The agent and session that a message is routed to */
export interface Destination {
  agentId: string;
  matchedBy: "peer" | "account" | "channel" | "default";
  sessionKey: string;
}

export interface Findings {
  findings: Finding[];
}

/** The result of one check of the doctor */
export interface Finding {
  check: string;
  state: "ok" | "warning" | "failed";
  message: string;
  remedy?: string | undefined;
  /**
   * Why a failed check may pass by itself in a moment: no answer in time, the provider's limit of requests, or its outage
   */
  reason?: ("slow" | "limit" | "outage") | undefined;
  /** When the check was made, if its result is kept for ten seconds. Without it, the check was made now */
  at?: string | undefined;
  /** The age of a kept result; absent for one of this request */
  ageSeconds?: number | undefined;
}

export interface FilesListQuery {
  /** Only paths that begin with this text */
  prefix?: string | undefined;
  /** Only files of this origin; not together with `delimiter` */
  origin?: string | undefined;
  /**
   * With `/`: list only the files directly under the prefix, and the subfolders as `folders`
   */
  delimiter?: "/" | undefined;
  cursor?: string | undefined;
  /** @default 200 */
  limit?: number | undefined;
}

export interface FilesPutQuery {
  /**
   * Format: date-time
   * When the document was last changed; JSON has its own
   */
  mtime?: (string | Date) | undefined;
  /** The source that the files are synced from, such as a folder. It becomes the origin of each file that is written */
  origin?: string | undefined;
  /** Also replace files of other origins, or of none. Deletions stay limited to the origin's own files */
  takeOver?: boolean | undefined;
}

export interface FilesChunksQuery {
  /** The path of a file, a session (`sessions/monday`) or a fact (`facts/12`) */
  path: string;
  cursor?: string | undefined;
  /** @default 200 */
  limit?: number | undefined;
  user?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
}

export interface VersionsListQuery {
  cursor?: string | undefined;
  /** @default 100 */
  limit?: number | undefined;
  path: string;
}

export interface VersionsForgetQuery {
  path: string;
}

export interface VersionsDeletedQuery {
  cursor?: string | undefined;
  /** @default 100 */
  limit?: number | undefined;
  prefix?: string | undefined;
}

export interface VersionsDiffQuery {
  /** Another version of the file; default: its current text */
  to?: string | undefined;
}

export interface SessionsListQuery {
  cursor?: string | undefined;
  /** @default 100 */
  limit?: number | undefined;
  /**
   * Only keys that begin with this text
   * @default
   */
  prefix?: string | undefined;
  user?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
  /**
   * `recent`: the session with the latest message first
   * @default key
   */
  order?: ("key" | "recent") | undefined;
  /** Also `details`: who speaks, the first and the last words, and the number of facts; at most 100 a page */
  details?: boolean | undefined;
  /** With `order=recent`: only sessions with this text in their key or in one of their last 100 messages; case does not matter */
  q?: string | undefined;
  /** With `order=recent`: only sessions for this user, or in which somebody of this name has spoken */
  person?: string | undefined;
  /** With `order=recent`: only keys whose first part is this, such as `slack` */
  channel?: string | undefined;
  /**
   * Format: date-time
   * With `order=recent`: only sessions whose last message is of this time or later
   */
  since?: (string | Date) | undefined;
  /**
   * Format: date-time
   * With `order=recent`: only sessions whose last message is of this time or earlier
   */
  until?: (string | Date) | undefined;
}

export interface SessionsGetQuery {
  /** Only messages after this number */
  after?: number | undefined;
  /** Returns the last messages before this number and ignores `after`; 2147483647 reads the end of the session */
  before?: number | undefined;
  /** @default 100 */
  limit?: number | undefined;
  user?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
}

export interface SessionsDeleteQuery {
  /** Also delete the facts that come from the session, at most 5,000, for good */
  facts?: boolean | undefined;
}

export interface FactsListQuery {
  cursor?: string | undefined;
  /** @default 100 */
  limit?: number | undefined;
  user?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
  /** Only facts about this person or thing; case does not matter */
  subject?: string | undefined;
  /** Only facts about this person, or for the user of this name; case does not matter */
  person?: string | undefined;
  /** The conversation or file that the facts come from: a session's key or path, or a file's path */
  source?: string | undefined;
  /** Only facts with this key */
  key?: string | undefined;
  /** Only facts with this tag */
  tag?: string | undefined;
  category?: ("preference" | "instruction" | "fact" | "decision" | "entity" | "technical" | "other") | undefined;
  minImportance?: number | undefined;
  /** Format: date-time */
  asOf?: (string | Date) | undefined;
  /** Also list ended facts */
  all?: boolean | undefined;
  /** Only facts with this text in their statement, subject or key; case does not matter */
  q?: string | undefined;
  /**
   * Only facts that come from a conversation, a file, or a request
   */
  sourceKind?: ("message" | "file" | "call") | undefined;
  /**
   * Format: date-time
   * Only facts that were stored at this time or later
   */
  storedSince?: (string | Date) | undefined;
  /**
   * Format: date-time
   * Only facts that were stored before this time
   */
  storedBefore?: (string | Date) | undefined;
  /**
   * `newest` and `oldest`: by the time of storing. `importance`: the most important first. `said`: the most recently said first. The last two sort at most the newest 50,000 facts
   * @default newest
   */
  sort?: ("newest" | "oldest" | "importance" | "said") | undefined;
  /** Also count the facts of the list. Costs up to a tenth of a second in a large memory */
  total?: boolean | undefined;
}

export interface FactsForgetSourceQuery {
  /** The conversation or file that the facts come from: a session's key or path, or a file's path */
  source: string;
  user?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
}

export interface FactsPeopleQuery {
  /** @default 100 */
  limit?: number | undefined;
  user?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
}

export interface FactsForgetQuery {
  /** Remove the fact from snapshots too, even if it was deleted earlier. Needs the scope `tenant` */
  snapshots?: boolean | undefined;
}

export interface MemoryStoreQuery {
  /** The user for whom the tool stores, unless the call has a `scope` or replaces a fact of everybody */
  user?: string | undefined;
}

export interface MemoryForgetQuery {
  /** The user for whom the tool stores, unless the call has a `scope` or replaces a fact of everybody */
  user?: string | undefined;
}

export interface ToolsListQuery {
  /**
   * @default openai
   */
  format?: ("openai" | "anthropic" | "mcp" | "gemini") | undefined;
  /** The conversation: with `citations: auto` the prompt then says whether to cite in it */
  sessionKey?: string | undefined;
}

export interface McpPostQuery {
  user?: string | undefined;
}

export interface AgentsListQuery {
  cursor?: string | undefined;
  /** @default 100 */
  limit?: number | undefined;
}

export interface AgentsActivityQuery {
  cursor?: string | undefined;
  /** @default 100 */
  limit?: number | undefined;
}

export interface AgentsActivitySummaryQuery {
  /**
   * How many UTC days, with today
   * @default 30
   */
  days?: number | undefined;
  /**
   * @default day
   */
  per?: ("hour" | "day") | undefined;
  /**
   * @default none
   */
  by?: ("none" | "actor") | undefined;
}

export interface ActivitySummaryQuery {
  /**
   * How many UTC days, with today
   * @default 30
   */
  days?: number | undefined;
  /**
   * @default day
   */
  per?: ("hour" | "day") | undefined;
  /**
   * @default agent
   */
  by?: ("none" | "actor" | "agent") | undefined;
}

export interface AgentsGrowthQuery {
  /**
   * How many days, with today
   * @default 90
   */
  days?: number | undefined;
}

export interface ChangesListQuery {
  /**
   * Format: date-time
   * Only changes from this time on
   */
  since?: (string | Date) | undefined;
  /** The `cursor` of an earlier page */
  cursor?: string | undefined;
  /**
   * A page with `texts` has at most 100
   * @default 100
   */
  limit?: number | undefined;
  /**
   * `newest`: backwards from now. Shows changes at once, and also the beginnings of conversations
   * @default oldest
   */
  order?: ("oldest" | "newest") | undefined;
  /** Also `text`, `before`, `subject`, `key` and `user` of each change */
  texts?: boolean | undefined;
  /**
   * Format: date-time
   * With `order=newest`: only changes up to this time
   */
  until?: (string | Date) | undefined;
  /** With `order=newest`: only this kind, such as `fact.stored`, or `file`, `fact`, `session` */
  kind?: string | undefined;
  /** With `order=newest`: only facts about this person or for this user, and this user's conversations */
  person?: string | undefined;
  /** With `order=newest`: only facts with this key */
  key?: string | undefined;
  /** With `order=newest`: only changes by this caller, a key's prefix, `local` or `system` */
  by?: string | undefined;
}

export interface ChangesEventsQuery {
  /**
   * Format: date-time
   * Only changes from this time on
   */
  since?: (string | Date) | undefined;
  /** The `cursor` of an earlier page */
  cursor?: string | undefined;
}

export interface KeysListQuery {
  cursor?: string | undefined;
  /** @default 100 */
  limit?: number | undefined;
}

export interface TenantsListQuery {
  cursor?: string | undefined;
  /** @default 100 */
  limit?: number | undefined;
}

export interface JobsListQuery {
  cursor?: string | undefined;
  /** @default 100 */
  limit?: number | undefined;
  agentId?: string | undefined;
  state?: ("waiting" | "active" | "retry" | "completed" | "cancelled" | "failed") | undefined;
}

export interface AuditListQuery {
  cursor?: string | undefined;
  /** @default 100 */
  limit?: number | undefined;
}

export interface ErasuresListQuery {
  cursor?: string | undefined;
  /** @default 100 */
  limit?: number | undefined;
}

export interface ErasuresGetQuery {
  cursor?: string | undefined;
  /** @default 100 */
  limit?: number | undefined;
}

export interface UsageEmbeddingsQuery {
  cursor?: string | undefined;
  /** @default 100 */
  limit?: number | undefined;
  /**
   * Format: date
   * The first UTC day
   */
  from?: string | undefined;
  /**
   * Format: date
   * The last UTC day; default: today
   */
  to?: string | undefined;
  agentId?: string | undefined;
}

export interface UsageStorageQuery {
  /** Only this agent, with the former texts that its snapshots keep */
  agentId?: string | undefined;
  /**
   * The largest agents of all tenants, and the sizes that belong to no agent; needs the scope `admin`
   * @default false
   */
  server?: ("true" | "false") | undefined;
  /**
   * The number of agents to measure
   * @default 20
   */
  limit?: number | undefined;
}

export interface HooksClaudeCodeQuery {
  user?: string | undefined;
}

export interface HooksCodexQuery {
  user?: string | undefined;
}

export interface AgentsExportQuery {
  /**
   * Whether to include embeddings
   * @default false
   */
  vectors?: ("true" | "false") | undefined;
}

export interface AgentsImportQuery {
  /** The new agent's id; default: the id in the archive */
  as?: string | undefined;
  /**
   * `drop`: ignore the archive's settings and limits
   * @default keep
   */
  settings?: ("keep" | "drop") | undefined;
}

export interface AgentsDiffQuery {
  /**
   * Most files, and most facts
   * @default 100
   */
  limit?: number | undefined;
}

export interface AgentsMapQuery {
  /**
   * Most points; fewer for a small map
   * @default 5000
   */
  limit?: number | undefined;
}

export interface DoctorGetQuery {
  /** Default: the agent of the key, else `main` */
  agent?: string | undefined;
}

/**
 * All error codes. docs/ERRORS.md explains each of them. Codes are only added, never renamed.
 */
export type ErrorCode =
  | "invalid_request"
  | "invalid_json"
  | "invalid_encoding"
  | "invalid_path"
  | "invalid_agent_id"
  | "invalid_session_key"
  | "invalid_settings"
  | "archive_invalid"
  | "unauthenticated"
  | "forbidden"
  | "agent_disabled"
  | "tenant_disabled"
  | "agent_exists"
  | "tenant_exists"
  | "tenant_not_empty"
  | "tenant_not_found"
  | "key_not_found"
  | "receipt_not_found"
  | "share_not_found"
  | "branch_not_found"
  | "merge_conflict"
  | "job_not_found"
  | "rate_limited"
  | "quota_exceeded"
  | "agent_migration_failed"
  | "payload_too_large"
  | "upload_too_slow"
  | "overloaded"
  | "unsupported_media_type"
  | "converter_missing"
  | "document_unreadable"
  | "not_found"
  | "method_not_allowed"
  | "agent_not_found"
  | "file_not_found"
  | "file_changed"
  | "version_not_found"
  | "snapshot_not_found"
  | "eval_not_found"
  | "snapshot_exists"
  | "rollback_too_large"
  | "origin_conflict"
  | "idempotency_key_in_use"
  | "idempotency_key_reused"
  | "session_not_found"
  | "fact_not_found"
  | "fact_superseded"
  | "scope_conflict"
  | "database_unavailable"
  | "database_busy"
  | "database_timeout"
  | "outcome_unknown"
  | "database_read_only"
  | "database_full"
  | "database_unsupported"
  | "data_folder_in_use"
  | "schema_too_new"
  | "config_invalid"
  | "embedder_unavailable"
  | "embedder_rejected"
  | "model_unavailable"
  | "model_rejected"
  | "service_unreachable"
  | "internal";
