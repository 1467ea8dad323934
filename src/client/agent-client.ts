import type * as api from "./api-types.ts";
import { followEvents } from "./follow-events.ts";
import type { RequestOptions, Transport } from "./transport.ts";

/** What a write or deletion of a file depends on. */
export interface FileCondition {
  /** The hash that the file must have, or `*` for any. */
  ifMatch?: string | undefined;
  /** That there be no such file. */
  ifNoneMatch?: "*" | undefined;
}

export interface DocumentOptions extends FileCondition {
  /** When it was last changed, as ISO 8601 with offset. */
  mtime?: string | undefined;
  /** The synced folder that sends it. */
  origin?: string | undefined;
  /** Whether the file becomes the origin's, whoever owned it. */
  takeOver?: boolean | undefined;
}

export interface FileFilter {
  prefix?: string | undefined;
  /** Rows of a page. */
  limit?: number | undefined;
  /** Only files of this origin. */
  origin?: string | undefined;
}

export interface FactFilter {
  user?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
  key?: string | undefined;
  tag?: string | undefined;
  category?: api.Fact["category"] | undefined;
  minImportance?: number | undefined;
  asOf?: string | undefined;
  all?: boolean | undefined;
}

export interface Page {
  cursor?: string | undefined;
  limit?: number | undefined;
}

/** Everything that is done with the memory of one agent. */
export type AgentClient = ReturnType<typeof createAgentClient>;

/**
 * @param id an agent's id, such as `main`
 * @param signal ends every request when it is aborted
 */
export function createAgentClient(transport: Transport, id: string, signal?: AbortSignal) {
  const agent = `/v1/agents/${encodeURIComponent(id)}`;
  const read = <T>(path: string, query?: RequestOptions["query"]) =>
    transport.send<T>("GET", `${agent}${path}`, { query, signal });
  const ask = <T>(path: string, body: unknown) =>
    transport.send<T>("POST", `${agent}${path}`, { body, signal, repeat: "always" });
  const write = <T>(method: string, path: string, more: RequestOptions = {}) =>
    transport.send<T>(method, `${agent}${path}`, { ...more, signal, repeat: "by key" });
  return {
    id,
    /** `memory_search`: the best passages for a question or some words. */
    search: (query: string, options: Omit<api.SearchInput, "query"> = {}) =>
      ask<api.SearchAnswer | api.SearchUnavailable>("/tools/memory_search", { query, ...options }),
    /** `memory_get`: some lines of a file or session. */
    get: (path: string, options: Omit<api.GetInput, "path"> = {}) =>
      ask<api.ReadLines | api.LinesNotFound>("/tools/memory_get", { path, ...options }),
    files: filesOf(read, write),
    sessions: sessionsOf(read, write),
    facts: factsOf(read, ask, write),
    /** The facts that bear on a user's message, and a block of text with them for the prompt. */
    recall: (message: string, options: Omit<api.RecallInput, "message"> = {}) =>
      ask<api.Recalled>("/recall", { message, ...options }),
    /** Stores what the user of a turn states about himself, his wishes and decisions. */
    capture: (turn: api.CaptureInput) =>
      transport.send<api.Captured>("POST", `${agent}/capture`, { body: turn, signal }),
    /** The definitions of tools for a model's API, and the prompt section about them. */
    tools: (format: "openai" | "anthropic" | "mcp" | "gemini" = "openai") =>
      read<{ format: string; tools: Record<string, unknown>[]; prompt: string }>("/tools", { format }),
    /** Carries out a model's call of one of those tools; the answer goes back to the model as it is. */
    callTool: (name: string, input: unknown) =>
      write<Record<string, unknown>>("POST", `/tools/${encodeURIComponent(name)}`, { body: input }),
    /** Turns files into facts by a chat model: the agent's own in the background, or a text that is not kept. */
    ingest: {
      start: (files: { paths?: string[] | undefined; dryRun?: boolean | undefined } = {}) =>
        transport.send<api.IngestStatus>("POST", `${agent}/ingest`, { body: files, signal }),
      status: () => read<api.IngestStatus>("/ingest"),
      /** Of a long text a part; `next` of the answer is where to go on. */
      text: (text: { path: string; content: string; from?: number | undefined; dryRun?: boolean | undefined }) =>
        ask<api.IngestedText>("/ingest/text", text),
    },
    status: () => read<api.AgentStatus>("/status"),
    /** The status at once and whenever it changes, until the loop is left or the signal aborted. */
    watchStatus: (options: { signal?: AbortSignal } = {}) =>
      followEvents<api.AgentStatus>(transport, `${agent}/events`, options.signal ?? signal),
    /** Who searched, recalled and captured, newest first. */
    activity: (page: Page = {}) => read<api.ActivityPage>("/activity", { ...page }),
    /** What there is by the day on which it was stored, of the last 90 days unless told otherwise. */
    growth: (days?: number) => read<api.Growth>("/growth", { days }),
    settings: () =>
      read<{
        settings: Record<string, unknown>;
        origins: Record<string, string>;
        own: Record<string, unknown>;
        descriptions: Record<string, string>;
      }>("/settings"),
    /** Has what is not indexed yet be indexed in the background. */
    sync: () => ask<unknown>("/sync", {}),
  };
}

type Read = <T>(path: string, query?: RequestOptions["query"]) => Promise<T>;
type Ask = <T>(path: string, body: unknown) => Promise<T>;
type Write = <T>(method: string, path: string, more?: RequestOptions) => Promise<T>;

function filesOf(read: Read, write: Write) {
  const at = (path: string) => `/files/${path.split("/").map(encodeURIComponent).join("/")}`;
  const list = (query: Page & FileFilter & { delimiter?: "/" | undefined } = {}) =>
    read<api.FilePage>("/files", { ...query });
  return {
    put: (path: string, content: string, options: FileCondition & { mtime?: string } = {}) =>
      write<api.WrittenFile>("PUT", at(path), {
        body: { content, ...(options.mtime === undefined ? {} : { mtime: options.mtime }) },
        headers: conditionOf(options),
      }),
    /**
     * Stores the text of a document under a path; a file of a browser is a blob with its type.
     *
     * @param document a PDF, an HTML page or a DOCX, with its media type as `type`
     */
    putDocument: (path: string, document: Blob, { mtime, origin, takeOver, ...condition }: DocumentOptions = {}) =>
      write<api.WrittenFile>("PUT", at(path), {
        body: document,
        query: { mtime, origin, ...(takeOver && { takeOver }) },
        headers: conditionOf(condition),
      }),
    get: (path: string) => read<api.File>(at(path)),
    delete: (path: string, condition: FileCondition = {}) =>
      write<{ deleted: string[] }>("DELETE", at(path), { headers: conditionOf(condition) }),
    /** Writes and deletes up to 100 files, all or nothing. */
    write: (batch: api.FilesInput) => write<api.WrittenFiles>("POST", "/files", { body: batch }),
    /** A page of the files; with the delimiter `/` of one folder, and the folders in it. */
    list,
    /** All files, page by page. */
    all: (query: FileFilter = {}) => pages(list, query, (page) => page.files),
    /** A page of the chunks that the index has of a file, a session or a fact, by its path. */
    chunks: (path: string, query: Page = {}) => read<api.ChunkPage>("/chunks", { path, ...query }),
    /** The folders that files are synced from. */
    origins: () => read<api.OriginList>("/origins"),
  };
}

function sessionsOf(read: Read, write: Write) {
  const at = (session: string) => `/sessions/${encodeURIComponent(session)}`;
  const list = (query: Page & { prefix?: string | undefined } = {}) => read<api.SessionPage>("/sessions", { ...query });
  return {
    /**
     * Appends messages as the chat API has them. What was said is found by the next search; what the user states is captured, unless
     * `capture` or the agent's setting says otherwise. `end` says that the conversation is over.
     */
    append: (session: string, messages: api.MessageInput[], options: Omit<api.AppendInput, "messages"> = {}) =>
      write<api.AppendedMessages>("POST", `${at(session)}/messages`, { body: { messages, ...options } }),
    get: (session: string, query: { after?: number; limit?: number } = {}) =>
      read<api.Session>(at(session), { ...query }),
    delete: (session: string) => write<api.DeletedSession>("DELETE", at(session)),
    list,
    all: (query: { prefix?: string | undefined; limit?: number | undefined } = {}) =>
      pages(list, query, (page) => page.sessions),
  };
}

function factsOf(read: Read, ask: Ask, write: Write) {
  const at = (id: string) => `/facts/${encodeURIComponent(id)}`;
  const list = (query: FactFilter & Page = {}) => read<api.FactPage>("/facts", { ...query });
  return {
    /** Stores up to 50 facts, all or nothing. */
    add: (...facts: api.FactInput[]) => write<{ facts: api.StoredFact[] }>("POST", "/facts", { body: { facts } }),
    get: (id: string) => read<api.Fact>(at(id)),
    history: (id: string) => read<{ facts: api.Fact[] }>(`${at(id)}/history`),
    change: (id: string, change: api.FactChange) => write<api.ChangedFact>("PATCH", at(id), { body: change }),
    forget: (id: string) => write<{ forgotten: string[] }>("DELETE", at(id)),
    search: (query: string, options: Omit<api.FactSearch, "query"> = {}) =>
      ask<api.FoundFacts>("/facts/search", { query, ...options }),
    list,
    all: (filter: FactFilter & { limit?: number | undefined } = {}) => pages(list, filter, (page) => page.facts),
  };
}

function conditionOf({ ifMatch, ifNoneMatch }: FileCondition): Record<string, string | undefined> {
  return {
    "if-match": ifMatch === undefined || ifMatch === "*" ? ifMatch : `"${ifMatch}"`,
    "if-none-match": ifNoneMatch,
  };
}

/** The rows of all pages of a list. */
export async function* pages<P extends { nextCursor?: string | undefined }, Q, Row>(
  list: (query: Q & Page) => Promise<P>,
  query: Q,
  rowsOf: (page: P) => readonly Row[],
): AsyncGenerator<Row> {
  let cursor: string | undefined;
  do {
    const page = await list({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    yield* rowsOf(page);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
