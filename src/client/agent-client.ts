import type * as agents from "./agent-types.ts";
import type * as facts from "./fact-types.ts";
import type * as files from "./file-types.ts";
import type * as history from "./history-types.ts";
import type * as links from "./link-types.ts";
import type { Page } from "./pages.ts";
import type * as searches from "./search-types.ts";
import type * as sessions from "./session-types.ts";

/** Everything that is done with the memory of one agent. Every method throws {@link RecollectError}. */
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
   * `memory_search`: the best passages for a question or some words. `results` is always there; `unavailable` says that nothing
   * could be searched, and `action` what to do.
   */
  search(query: string, options?: searches.SearchOptions): Promise<searches.SearchAnswer | searches.SearchUnavailable>;
  /** `memory_get`: some lines of a file, session or fact. `text` is always there; `status` says that there is no such path. */
  get(path: string, options?: searches.GetOptions): Promise<searches.ReadLines | searches.LinesNotFound>;
  /** What bears on a user's message: facts, quotations, and a block of text with them for the prompt. */
  recall(input: facts.RecallInput): Promise<facts.Recalled>;
  /** Stores what the user of a turn states about themselves, their wishes and decisions; the messages are not kept. */
  capture(input: facts.CaptureInput): Promise<facts.Captured>;
  /** The definitions of tools for a model's API, `openai` unless said otherwise, and the prompt section about them. */
  tools(format?: agents.ToolFormat): Promise<agents.ToolDefinitions>;
  /** Carries out a model's call of one of those tools; the answer goes back to the model as it is. */
  callTool(name: string, input: unknown): Promise<Record<string, unknown>>;
  status(): Promise<agents.AgentStatus>;
  /** The status at once and whenever it changes, until the loop is left or the signal aborted. */
  watchStatus(options?: { signal?: AbortSignal | undefined }): AsyncGenerator<agents.AgentStatus>;
  /** Who searched, recalled and captured, newest first. */
  activity(page?: Page): Promise<agents.ActivityPage>;
  /** What there is by the day on which it was stored, of the last 90 days unless told otherwise. */
  growth(days?: number): Promise<agents.Growth>;
  /** What happened to files and facts, oldest first; the page's cursor goes on behind it, also later. */
  changes(query?: history.ChangePosition & { limit?: number | undefined }): Promise<history.ChangePage>;
  /** The same as it happens, until the loop is left or the signal aborted. */
  watchChanges(
    options?: history.ChangePosition & { signal?: AbortSignal | undefined },
  ): AsyncGenerator<history.ChangePage>;
  settings(): Promise<agents.AgentSettings>;
  /** Has what is not indexed yet be indexed in the background. */
  sync(): Promise<agents.SyncRequested>;
}

/** The files of an agent. */
export interface FilesClient {
  put(path: string, content: string, options?: files.PutOptions): Promise<files.WrittenFile>;
  /**
   * Stores the text of a document under a path; a file of a browser is a blob with its type.
   *
   * @param document a PDF, an HTML page or a DOCX, with its media type as `type`
   */
  putDocument(path: string, document: Blob, options?: files.DocumentOptions): Promise<files.WrittenFile>;
  get(path: string): Promise<files.File>;
  delete(path: string, condition?: files.FileCondition): Promise<files.DeletedFiles>;
  /** Writes and deletes up to 100 files, all or nothing. */
  write(batch: files.FilesInput): Promise<files.WrittenFiles>;
  /** A page of the files; with the delimiter `/` of one folder, and the folders in it. */
  list(query?: files.FileListing & Page): Promise<files.FilePage>;
  /** All files, page by page. */
  all(filter?: files.FileFilter): AsyncGenerator<files.ListedFile>;
  /** A page of the chunks that the index has of a file, a session or a fact, by its path. */
  chunks(path: string, query?: Page & searches.FactScope): Promise<files.ChunkPage>;
  /** The folders that files are synced from. */
  origins(): Promise<files.OriginList>;
  /** What a file said before, newest first. */
  history(path: string, query?: Page): Promise<history.VersionPage>;
  /** Deleted files that can be restored, in path order. */
  deleted(query?: Page & { prefix?: string | undefined }): Promise<history.DeletedFilePage>;
  version(version: string): Promise<history.FileVersionText>;
  /** What changed since a version, or between it and another of the file. */
  diff(version: string, to?: string): Promise<history.VersionDiff>;
  /** Writes what a version said to its path, also that of a deleted file. */
  restore(version: string, condition?: files.FileCondition): Promise<files.WrittenFile>;
  /** Deletes all that a file said before, for good; what it says now stays. */
  forgetHistory(path: string): Promise<history.ForgottenVersions>;
}

/** States of an agent's files and facts to go back to. */
export interface SnapshotsClient {
  take(input: history.SnapshotInput): Promise<history.Snapshot>;
  /** Newest first. */
  list(): Promise<history.SnapshotList>;
  /** What is otherwise now. */
  compare(name: string): Promise<history.SnapshotDifference>;
  /** Makes files and facts what they were, all or nothing; `undo` names a snapshot of before. Sessions stay. */
  rollBack(name: string): Promise<history.RolledBack>;
  delete(name: string): Promise<history.DeletedSnapshot>;
}

/** The conversations of an agent. */
export interface SessionsClient {
  /**
   * Appends messages as the chat API has them. What was said is found by the next search; what the user states is captured, unless
   * `capture` or the agent's setting says otherwise. `end` says that the conversation is over.
   */
  append(input: sessions.AppendInput): Promise<sessions.AppendedMessages>;
  get(session: string, query?: sessions.SessionQuery): Promise<sessions.Session>;
  delete(session: string): Promise<sessions.DeletedSession>;
  list(query?: sessions.SessionFilter & Page): Promise<sessions.SessionPage>;
  /** All sessions, page by page. */
  all(filter?: sessions.SessionFilter): AsyncGenerator<sessions.SessionSummary>;
}

/** The facts of an agent. */
export interface FactsClient {
  /** Stores a fact, or a list of up to 50, all or nothing. */
  add(input: facts.FactInput | readonly facts.FactInput[]): Promise<facts.StoredFacts>;
  get(id: string): Promise<facts.Fact>;
  /** All versions of a fact, oldest first. */
  history(id: string): Promise<facts.FactHistory>;
  change(id: string, change: facts.FactChange): Promise<facts.ChangedFact>;
  /** Deletes a fact with its versions, for good. `snapshots`: out of snapshots too, which needs a key of the tenant's. */
  forget(id: string, options?: { snapshots?: boolean }): Promise<facts.ForgottenFacts>;
  search(query: string, options?: facts.FactSearchOptions): Promise<facts.FoundFacts>;
  list(query?: facts.FactFilter & Page): Promise<facts.FactPage>;
  /** All facts, page by page. */
  all(filter?: facts.FactFilter): AsyncGenerator<facts.Fact>;
}

/** Turns files into facts by a chat model. */
export interface IngestClient {
  /** Reads the agent's own files, in the background. */
  start(input?: agents.IngestInput): Promise<agents.IngestStatus>;
  status(): Promise<agents.IngestStatus>;
  /** Reads a text that is not kept. Of a long one a part; `next` of the answer is where to go on. */
  text(input: agents.IngestTextInput): Promise<agents.IngestedText>;
}

/** What an agent lets others of its tenant read; for a key with the scope `tenant`. */
export interface SharesClient {
  list(): Promise<links.ShareList>;
  /** Offers the memory to another agent, read-only. It is read once the other takes it. */
  offer(reader: string, terms?: links.ShareTerms): Promise<links.Share>;
  /** From the next request on it is not read. */
  withdraw(reader: string): Promise<links.WithdrawnShare>;
}

/** What an agent reads of others besides its own memory. */
export interface ReadsClient {
  /** Also what is offered and not taken. */
  list(): Promise<links.ShareList>;
  /** Takes what another agent offers: searches cover it, and its paths begin with `@` and its id. */
  take(sharer: string): Promise<links.Share>;
  leave(sharer: string): Promise<links.LeftShare>;
}
