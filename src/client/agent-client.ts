import type * as api from "./api.ts";
import type { Page } from "./pages.ts";

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
  readonly evaluations: EvaluationsClient;
  /**
   * Calls `memory_search`, which returns the best passages for a question or for some words.
   * `results` is always set. `unavailable` says that the memory could not be searched, and `action`
   * what to do.
   */
  search(query: string, options?: api.SearchOptions): Promise<api.SearchAnswer | api.SearchUnavailable>;
  /**
   * Calls `memory_get`, which returns some lines of a file, session or fact. `text` is always set.
   * `status` says that nothing exists at the path.
   */
  get(path: string, options?: api.GetOptions): Promise<api.ReadLines | api.LinesNotFound>;
  /**
   * Returns the facts and quotations that bear on a user's message, and a text block of them for
   * the prompt.
   */
  recall(input: api.RecallInput): Promise<api.Recalled>;
  /**
   * Stores what the user says in a turn about themselves, their wishes and their decisions. The
   * messages themselves are not stored.
   */
  capture(input: api.CaptureInput): Promise<api.Captured>;
  /**
   * Returns the tool definitions for a model's API (`openai` by default), and the prompt section
   * about the tools.
   */
  tools(format?: api.ToolFormat): Promise<api.ToolDefinitions>;
  /**
   * Carries out a model's call of one of these tools. The answer goes back to the model unchanged.
   */
  callTool(name: string, input: unknown): Promise<Record<string, unknown>>;
  status(): Promise<api.AgentStatus>;
  /**
   * Yields the status at once and after every change, until the caller leaves the loop. Throws the reason
   * of the signal when the signal is aborted.
   */
  watchStatus(options?: { signal?: AbortSignal | undefined }): AsyncGenerator<api.AgentStatus>;
  /** Lists the callers that searched, recalled and captured, newest entry first. */
  activity(page?: Page): Promise<api.ActivityPage>;
  /** Sums up the same by the hour or day, with the times that answers took, for 30 days by default. */
  activitySummary(query?: api.AgentsActivitySummaryQuery): Promise<api.ActivitySummary>;
  /**
   * Counts the stored content by the day on which it was stored, for the last 90 days by default.
   */
  growth(days?: number): Promise<api.Growth>;
  /**
   * Lists the changes to files and facts, oldest first. The page's cursor continues after the page,
   * and stays valid for later changes. `order: "newest"` lists them backwards from now, with filters,
   * and `texts` adds the words of each change.
   */
  changes(query?: api.ChangesListQuery): Promise<api.ChangePage>;
  /**
   * Yields the same changes as they happen, until the caller leaves the loop. Throws the reason of the
   * signal when the signal is aborted.
   */
  watchChanges(options?: api.ChangePosition & { signal?: AbortSignal | undefined }): AsyncGenerator<api.ChangePage>;
  /**
   * Returns passages and facts as points on a plane, near each other if they mean similar things. A
   * background job makes the map when it is first read.
   */
  map(query?: api.AgentsMapQuery): Promise<api.MemoryMap>;
  settings(): Promise<api.AgentSettings>;
  /** Requests that a background job indexes everything that is not indexed yet. */
  sync(): Promise<api.SyncRequested>;
}

/** The files of an agent. */
export interface FilesClient {
  put(path: string, content: string, options?: api.PutOptions): Promise<api.WrittenFile>;
  /**
   * Stores the text of a document under a path. In a browser, a file is a blob that has its type.
   *
   * @param document a document of a kind that docs/API.md lists, such as a PDF, an HTML page or a DOCX, with its media type as `type`
   */
  putDocument(path: string, document: Blob, options?: api.DocumentOptions): Promise<api.WrittenFile>;
  get(path: string): Promise<api.File>;
  delete(path: string, condition?: api.FileCondition): Promise<api.DeletedFiles>;
  /** Writes and deletes up to 100 files. Either all changes are made or none. */
  write(batch: api.FilesInput): Promise<api.WrittenFiles>;
  /**
   * Returns a page of the files. With the delimiter `/` it lists the files of one folder and its
   * subfolders.
   */
  list(query?: api.FileListing & Page): Promise<api.FilePage>;
  /** Yields all files. Reads them page by page. */
  all(filter?: api.FileFilter): AsyncGenerator<api.ListedFile>;
  /** Returns a page of the chunks in the index for a file, session or fact, given its path. */
  chunks(path: string, query?: Page & api.FactScope): Promise<api.ChunkPage>;
  /** Lists the folders from which files are synced. */
  origins(): Promise<api.OriginList>;
  /** Lists the earlier versions of a file, newest first. */
  history(path: string, query?: Page): Promise<api.VersionPage>;
  /** Lists the deleted files that can be restored, in path order. */
  deleted(query?: Page & { prefix?: string | undefined }): Promise<api.DeletedFilePage>;
  version(version: string): Promise<api.FileVersionText>;
  /** Compares a version with the file's current text, or with another version of the file. */
  diff(version: string, to?: string): Promise<api.VersionDiff>;
  /** Writes the text of a version to the version's path. Works for a deleted file too. */
  restore(version: string, condition?: api.FileCondition): Promise<api.WrittenFile>;
  /** Deletes all earlier versions of a file for good. The current text stays. */
  forgetHistory(path: string): Promise<api.ForgottenVersions>;
}

/** The snapshots of an agent: states of its files and facts that a rollback can return to. */
export interface SnapshotsClient {
  take(input: api.SnapshotInput): Promise<api.Snapshot>;
  /** Lists the snapshots, newest first. */
  list(): Promise<api.SnapshotList>;
  /** Compares the current files and facts with the snapshot. */
  compare(name: string): Promise<api.SnapshotDifference>;
  /**
   * Returns files and facts to the state of the snapshot, all or nothing. `undo` in the answer
   * names a snapshot of the state before the rollback. Sessions do not change.
   */
  rollBack(name: string): Promise<api.RolledBack>;
  delete(name: string): Promise<api.DeletedSnapshot>;
}

/** The conversations of an agent. */
export interface SessionsClient {
  /**
   * Appends messages in the chat API's form. The next search finds the messages. The user's
   * statements are captured as facts, unless `capture` or the agent's setting forbids it. `end`
   * says that the conversation is over.
   */
  append(input: api.AppendInput): Promise<api.AppendedMessages>;
  get(session: string, query?: api.SessionQuery): Promise<api.Session>;
  /** Deletes a session. `facts: true` also deletes the facts that come from it. */
  delete(session: string, options?: { facts?: boolean }): Promise<api.DeletedSession>;
  /**
   * Returns a page of the sessions, in the order of their keys or the latest first. `details` adds
   * their first and last words.
   */
  list(query?: api.SessionFilter & Page): Promise<api.SessionPage>;
  /** Yields all sessions. Reads them page by page. */
  all(filter?: api.SessionFilter): AsyncGenerator<api.ListedSession>;
}

/** The facts of an agent. */
export interface FactsClient {
  /** Stores one fact, or a list of up to 50 facts. Either all are stored or none. */
  add(input: api.FactInput | readonly api.FactInput[]): Promise<api.StoredFacts>;
  get(id: string): Promise<api.Fact>;
  /** Returns all versions of a fact, oldest first. */
  history(id: string): Promise<api.FactHistory>;
  change(id: string, change: api.FactChange): Promise<api.ChangedFact>;
  /**
   * Deletes a fact with its versions, for good. `snapshots: true` also deletes the fact from
   * snapshots, for which the client needs a key of the tenant.
   */
  forget(id: string, options?: { snapshots?: boolean }): Promise<api.ForgottenFacts>;
  /**
   * Deletes for good the facts that come from a session or a file, at most 5,000: `more` says
   * whether there are others. `scope` narrows them to facts with these parts in their scope.
   */
  forgetSource(source: string, scope?: api.Scope): Promise<api.ForgottenOfSource>;
  /**
   * Deletes facts for good: some by their ids, or all about a person or from a source, with their
   * versions. `sessions` also deletes the user's conversations. `dryRun` only counts; while `more` is
   * true, the call must be repeated.
   */
  forgetMany(input: api.ForgetInput): Promise<api.ForgottenMany>;
  search(query: string, options?: api.FactSearchOptions): Promise<api.FoundFacts>;
  /** Counts the facts that hold by the person or thing that they are about. */
  people(query?: api.PeopleQuery): Promise<api.FactPeople>;
  list(query?: api.FactFilter & Page): Promise<api.FactPage>;
  /** Yields all facts. Reads them page by page. */
  all(filter?: api.FactFilter): AsyncGenerator<api.Fact>;
}

/** Uses a chat model to turn files into facts. */
export interface IngestClient {
  /** Starts to read the agent's own files in the background. */
  start(input?: api.IngestInput): Promise<api.IngestStatus>;
  status(): Promise<api.IngestStatus>;
  /**
   * Reads a text without storing it. One call reads a part of a long text; the next call continues
   * at `next` of the answer.
   */
  text(input: api.IngestTextInput): Promise<api.IngestedText>;
}

/** Sets of questions with their right answers, and runs that measure how well a search finds these. */
export interface EvaluationsClient {
  sets(): Promise<api.EvalSetList>;
  set(name: string): Promise<api.WholeEvalSet>;
  /** Stores a set. A set that already has the name is replaced, and its runs stay. */
  put(name: string, set: api.EvalSetInput): Promise<api.EvalSet>;
  /** Deletes a set with its runs. */
  delete(name: string): Promise<api.DeletedEval>;
  /** Starts a run in the background. It has ended when its state is not `waiting`. */
  start(name: string, input?: api.EvalRunInput): Promise<api.EvalRun>;
  /** Lists the runs of a set, newest first. */
  runs(name: string): Promise<api.EvalRunList>;
  run(name: string, id: string): Promise<api.WholeEvalRun>;
  deleteRun(name: string, id: string): Promise<api.DeletedEval>;
  /** Compares a run with an earlier one, question by question. */
  compare(name: string, id: string, before: string): Promise<api.EvalComparison>;
}

/**
 * The other agents of the tenant that may read an agent's memory. Needs a key with the scope
 * `tenant`.
 */
export interface SharesClient {
  list(): Promise<api.ShareList>;
  /**
   * Offers the memory to another agent, read-only. The other agent reads it once it takes the
   * offer.
   */
  offer(reader: string, terms?: api.ShareTerms): Promise<api.Share>;
  /** Withdraws the offer. The reader loses access from its next request on. */
  withdraw(reader: string): Promise<api.WithdrawnShare>;
}

/** The other agents' memories that an agent reads besides its own. */
export interface ReadsClient {
  /** Lists the memories, including offers that the agent has not taken. */
  list(): Promise<api.ShareList>;
  /**
   * Takes another agent's offer. Searches then cover the shared memory, and its paths begin with
   * `@` and the other agent's id.
   */
  take(sharer: string): Promise<api.Share>;
  leave(sharer: string): Promise<api.LeftShare>;
}
