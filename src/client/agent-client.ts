import type * as agents from "./agent-types.ts";
import type * as facts from "./fact-types.ts";
import type * as files from "./file-types.ts";
import type * as history from "./history-types.ts";
import type * as links from "./link-types.ts";
import type { Page } from "./pages.ts";
import type * as searches from "./search-types.ts";
import type * as sessions from "./session-types.ts";

/** The operations on the memory of one agent. Every method throws {@link RecollectError}. */
export interface AgentClient {
  readonly id: string;
  readonly files: FilesClient;
  readonly sessions: SessionsClient;
  readonly facts: FactsClient;
  readonly ingest: IngestClient;
  readonly snapshots: SnapshotsClient;
  readonly shares: SharesClient;
  readonly reads: ReadsClient;
  /**
   * Calls `memory_search`, which returns the best passages for a question or for some words.
   * `results` is always set. `unavailable` says that the memory could not be searched, and `action`
   * what to do.
   */
  search(query: string, options?: searches.SearchOptions): Promise<searches.SearchAnswer | searches.SearchUnavailable>;
  /**
   * Calls `memory_get`, which returns some lines of a file, session or fact. `text` is always set.
   * `status` says that nothing exists at the path.
   */
  get(path: string, options?: searches.GetOptions): Promise<searches.ReadLines | searches.LinesNotFound>;
  /**
   * Returns the facts and quotations that bear on a user's message, and a text block of them for
   * the prompt.
   */
  recall(input: facts.RecallInput): Promise<facts.Recalled>;
  /**
   * Stores what the user says in a turn about themselves, their wishes and their decisions. The
   * messages themselves are not stored.
   */
  capture(input: facts.CaptureInput): Promise<facts.Captured>;
  /**
   * Returns the tool definitions for a model's API (`openai` by default), and the prompt section
   * about the tools.
   */
  tools(format?: agents.ToolFormat): Promise<agents.ToolDefinitions>;
  /**
   * Carries out a model's call of one of these tools. The answer goes back to the model unchanged.
   */
  callTool(name: string, input: unknown): Promise<Record<string, unknown>>;
  status(): Promise<agents.AgentStatus>;
  /**
   * Yields the status at once and after every change, until the caller leaves the loop or aborts
   * the signal.
   */
  watchStatus(options?: { signal?: AbortSignal | undefined }): AsyncGenerator<agents.AgentStatus>;
  /** Lists the callers that searched, recalled and captured, newest entry first. */
  activity(page?: Page): Promise<agents.ActivityPage>;
  /**
   * Counts the stored content by the day on which it was stored, for the last 90 days by default.
   */
  growth(days?: number): Promise<agents.Growth>;
  /**
   * Lists the changes to files and facts, oldest first. The page's cursor continues after the page,
   * and stays valid for later changes.
   */
  changes(query?: history.ChangePosition & { limit?: number | undefined }): Promise<history.ChangePage>;
  /**
   * Yields the same changes as they happen, until the caller leaves the loop or aborts the signal.
   */
  watchChanges(
    options?: history.ChangePosition & { signal?: AbortSignal | undefined },
  ): AsyncGenerator<history.ChangePage>;
  settings(): Promise<agents.AgentSettings>;
  /** Requests that a background job indexes everything that is not indexed yet. */
  sync(): Promise<agents.SyncRequested>;
}

/** The files of an agent. */
export interface FilesClient {
  put(path: string, content: string, options?: files.PutOptions): Promise<files.WrittenFile>;
  /**
   * Stores the text of a document under a path. In a browser, a file is a blob that has its type.
   *
   * @param document a PDF, an HTML page or a DOCX, with its media type as `type`
   */
  putDocument(path: string, document: Blob, options?: files.DocumentOptions): Promise<files.WrittenFile>;
  get(path: string): Promise<files.File>;
  delete(path: string, condition?: files.FileCondition): Promise<files.DeletedFiles>;
  /** Writes and deletes up to 100 files. Either all changes are made or none. */
  write(batch: files.FilesInput): Promise<files.WrittenFiles>;
  /**
   * Returns a page of the files. With the delimiter `/` it lists the files of one folder and its
   * subfolders.
   */
  list(query?: files.FileListing & Page): Promise<files.FilePage>;
  /** Yields all files. Reads them page by page. */
  all(filter?: files.FileFilter): AsyncGenerator<files.ListedFile>;
  /** Returns a page of the chunks in the index for a file, session or fact, given its path. */
  chunks(path: string, query?: Page & searches.FactScope): Promise<files.ChunkPage>;
  /** Lists the folders from which files are synced. */
  origins(): Promise<files.OriginList>;
  /** Lists the earlier versions of a file, newest first. */
  history(path: string, query?: Page): Promise<history.VersionPage>;
  /** Lists the deleted files that can be restored, in path order. */
  deleted(query?: Page & { prefix?: string | undefined }): Promise<history.DeletedFilePage>;
  version(version: string): Promise<history.FileVersionText>;
  /** Compares a version with the file's current text, or with another version of the file. */
  diff(version: string, to?: string): Promise<history.VersionDiff>;
  /** Writes the text of a version to the version's path. Works for a deleted file too. */
  restore(version: string, condition?: files.FileCondition): Promise<files.WrittenFile>;
  /** Deletes all earlier versions of a file for good. The current text stays. */
  forgetHistory(path: string): Promise<history.ForgottenVersions>;
}

/** The snapshots of an agent: states of its files and facts that a rollback can return to. */
export interface SnapshotsClient {
  take(input: history.SnapshotInput): Promise<history.Snapshot>;
  /** Lists the snapshots, newest first. */
  list(): Promise<history.SnapshotList>;
  /** Compares the current files and facts with the snapshot. */
  compare(name: string): Promise<history.SnapshotDifference>;
  /**
   * Returns files and facts to the state of the snapshot, all or nothing. `undo` in the answer
   * names a snapshot of the state before the rollback. Sessions do not change.
   */
  rollBack(name: string): Promise<history.RolledBack>;
  delete(name: string): Promise<history.DeletedSnapshot>;
}

/** The conversations of an agent. */
export interface SessionsClient {
  /**
   * Appends messages in the chat API's form. The next search finds the messages. The user's
   * statements are captured as facts, unless `capture` or the agent's setting forbids it. `end`
   * says that the conversation is over.
   */
  append(input: sessions.AppendInput): Promise<sessions.AppendedMessages>;
  get(session: string, query?: sessions.SessionQuery): Promise<sessions.Session>;
  delete(session: string): Promise<sessions.DeletedSession>;
  list(query?: sessions.SessionFilter & Page): Promise<sessions.SessionPage>;
  /** Yields all sessions. Reads them page by page. */
  all(filter?: sessions.SessionFilter): AsyncGenerator<sessions.SessionSummary>;
}

/** The facts of an agent. */
export interface FactsClient {
  /** Stores one fact, or a list of up to 50 facts. Either all are stored or none. */
  add(input: facts.FactInput | readonly facts.FactInput[]): Promise<facts.StoredFacts>;
  get(id: string): Promise<facts.Fact>;
  /** Returns all versions of a fact, oldest first. */
  history(id: string): Promise<facts.FactHistory>;
  change(id: string, change: facts.FactChange): Promise<facts.ChangedFact>;
  /**
   * Deletes a fact with its versions, for good. `snapshots: true` also deletes the fact from
   * snapshots, for which the client needs a key of the tenant.
   */
  forget(id: string, options?: { snapshots?: boolean }): Promise<facts.ForgottenFacts>;
  search(query: string, options?: facts.FactSearchOptions): Promise<facts.FoundFacts>;
  list(query?: facts.FactFilter & Page): Promise<facts.FactPage>;
  /** Yields all facts. Reads them page by page. */
  all(filter?: facts.FactFilter): AsyncGenerator<facts.Fact>;
}

/** Uses a chat model to turn files into facts. */
export interface IngestClient {
  /** Starts to read the agent's own files in the background. */
  start(input?: agents.IngestInput): Promise<agents.IngestStatus>;
  status(): Promise<agents.IngestStatus>;
  /**
   * Reads a text without storing it. One call reads a part of a long text; the next call continues
   * at `next` of the answer.
   */
  text(input: agents.IngestTextInput): Promise<agents.IngestedText>;
}

/**
 * The other agents of the tenant that may read an agent's memory. Needs a key with the scope
 * `tenant`.
 */
export interface SharesClient {
  list(): Promise<links.ShareList>;
  /**
   * Offers the memory to another agent, read-only. The other agent reads it once it takes the
   * offer.
   */
  offer(reader: string, terms?: links.ShareTerms): Promise<links.Share>;
  /** Withdraws the offer. The reader loses access from its next request on. */
  withdraw(reader: string): Promise<links.WithdrawnShare>;
}

/** The other agents' memories that an agent reads besides its own. */
export interface ReadsClient {
  /** Lists the memories, including offers that the agent has not taken. */
  list(): Promise<links.ShareList>;
  /**
   * Takes another agent's offer. Searches then cover the shared memory, and its paths begin with
   * `@` and the other agent's id.
   */
  take(sharer: string): Promise<links.Share>;
  leave(sharer: string): Promise<links.LeftShare>;
}
