import type {
  AgentClient,
  EvaluationsClient,
  FactsClient,
  FilesClient,
  IngestClient,
  ReadsClient,
  SessionsClient,
  SharesClient,
  SnapshotsClient,
} from "./agent-client.ts";
import type {
  AgentStatus,
  AppendInput,
  ChangePage,
  FactFilter,
  FactPage,
  FileCondition,
  FileListing,
  FilePage,
  SessionFilter,
  SessionPage,
} from "./api.ts";
import { followEvents } from "./follow-events.ts";
import { type Page, pages } from "./pages.ts";
import { RecollectError } from "./recollect-error.ts";
import { fieldsOf, inPath, onlyKnown, type RequestOptions, type Transport } from "./transport.ts";

/** The requests about one agent. `path` is the part of the path after the agent's id. */
interface AgentRequests {
  read<T>(path: string, query?: object): Promise<T>;
  /** Sends a POST that changes nothing. */
  ask<T>(path: string, body?: object): Promise<T>;
  write<T>(method: string, path: string, more?: RequestOptions): Promise<T>;
  /** Sends a POST that is not repeated if the server may have carried it out. */
  start<T>(path: string, body?: object): Promise<T>;
}

/**
 * @param id an agent's id, such as `main`
 * @param signal ends every request when it is aborted
 */
export function createAgentClient(transport: Transport, id: string, signal?: AbortSignal): AgentClient {
  const agent = `/v1/agents/${inPath(id)}`;
  const requests: AgentRequests = {
    read: async (path, query) =>
      transport.send("GET", `${agent}${path}`, { query: { ...fieldsOf(query) } as RequestOptions["query"], signal }),
    ask: (path, body = {}) => transport.send("POST", `${agent}${path}`, { body, signal, repeat: "always" }),
    write: (method, path, more) => transport.send(method, `${agent}${path}`, { ...more, signal, repeat: "by key" }),
    start: (path, body = {}) => transport.send("POST", `${agent}${path}`, { body, signal }),
  };
  const { read, ask, write, start } = requests;
  const { shares, reads } = sharingOf(requests);
  return refusingMore<AgentClient>("agent", {
    id,
    files: refusingMore("files", filesOf(requests)),
    sessions: refusingMore("sessions", sessionsOf(requests)),
    facts: refusingMore("facts", factsOf(requests)),
    ingest: refusingMore("ingest", ingestOf(requests)),
    snapshots: refusingMore("snapshots", snapshotsOf(requests)),
    evaluations: refusingMore("evaluations", evaluationsOf(requests)),
    shares: refusingMore("shares", shares),
    reads: refusingMore("reads", reads),
    search: async (query, options) => ask("/tools/memory_search", { query, ...fieldsOf(options) }),
    get: async (path, options) => ask("/tools/memory_get", { path, ...fieldsOf(options) }),
    recall: async (input, ...more: unknown[]) => ask("/recall", oneObject([input, ...more], RECALLED)),
    capture: (input) => start("/capture", input),
    tools: (format = "openai") => read("/tools", { format }),
    callTool: (name, input) => write("POST", `/tools/${inPath(name)}`, { body: input, isOfModel: true }),
    status: () => read("/status"),
    watchStatus: (options = {}) =>
      followEvents<AgentStatus>(transport, () => `${agent}/events`, onlyKnown(options, ["signal"]).signal, signal),
    changes: (query) => read("/changes", query),
    watchChanges: (options = {}) =>
      watchChanges(transport, `${agent}/changes/events`, onlyKnown(options, ["since", "cursor", "signal"]), signal),
    activity: (page) => read("/activity", page),
    activitySummary: (query) => read("/activity/summary", query),
    growth: (days) => read("/growth", { days }),
    map: (query) => read("/map", query),
    settings: () => read("/settings"),
    sync: () => ask("/sync", {}),
  });
}

/** Calls whose last parameter has a default, which the length of a function does not count. */
const WITH_DEFAULT = /^(?:put|putDocument|delete|restore|all|start|offer|tools|watch\w+)$/;
/** Calls that refuse further arguments by themselves. */
const OF_ONE_OBJECT = /^(?:append|recall)$/;
const STREAM = /^(?:all|watch\w+)$/;

/**
 * Makes each call of a client refuse arguments beyond its own. Without this, a signal that is given to a call
 * without options would have no effect, and a test that aborts the call would pass.
 */
function refusingMore<T extends object>(name: string, calls: T): T {
  const strict = Object.entries(calls).map(([call, run]: [string, unknown]) => {
    if (typeof run !== "function" || OF_ONE_OBJECT.test(call)) return [call, run];
    const most = run.length + (WITH_DEFAULT.test(call) ? 1 : 0);
    const checked = (...given: unknown[]) => {
      if (given.slice(most).every((one) => one === undefined)) return run(...given);
      const takes = most === 0 ? "no argument" : most === 1 ? "one argument" : `${most} arguments`;
      const message = `${name}.${call} takes ${takes}. A signal belongs to agent(id, { signal }).`;
      const refused = new RecollectError("invalid_request", message, {});
      if (STREAM.test(call)) throw refused;
      return Promise.reject(refused);
    };
    return [call, Object.defineProperty(checked, "length", { value: run.length })];
  });
  return Object.fromEntries(strict) as T;
}

/** Yields the pages of changes. Each new connection continues where the previous one ended. */
async function* watchChanges(
  transport: Transport,
  path: string,
  { since, cursor, signal }: NonNullable<Parameters<AgentClient["watchChanges"]>[0]>,
  ofAgent: AbortSignal | undefined,
): AsyncGenerator<ChangePage> {
  let query = cursor === undefined ? { since } : { cursor };
  const at = () => {
    const asked = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    return asked.length === 0 ? path : `${path}?${new URLSearchParams(Object.fromEntries(asked))}`;
  };
  for await (const page of followEvents<ChangePage>(transport, at, signal, ofAgent)) {
    query = { cursor: page.cursor };
    yield page;
  }
}

function snapshotsOf({ read, write }: AgentRequests): SnapshotsClient {
  const at = (name: string) => `/snapshots/${inPath(name)}`;
  return {
    take: (body) => write("POST", "/snapshots", { body }),
    list: () => read("/snapshots"),
    compare: (name) => read(`${at(name)}/diff`),
    rollBack: (name) => write("POST", `${at(name)}/rollback`, { body: {} }),
    delete: (name) => write("DELETE", at(name)),
  };
}

function evaluationsOf({ read, write }: AgentRequests): EvaluationsClient {
  const at = (name: string) => `/eval-sets/${inPath(name)}`;
  const runAt = (name: string, id: string) => `${at(name)}/runs/${inPath(id)}`;
  return {
    sets: () => read("/eval-sets"),
    set: (name) => read(at(name)),
    put: (name, body) => write("PUT", at(name), { body }),
    delete: (name) => write("DELETE", at(name)),
    start: (name, body = {}) => write("POST", `${at(name)}/runs`, { body }),
    runs: (name) => read(`${at(name)}/runs`),
    run: (name, id) => read(runAt(name, id)),
    deleteRun: (name, id) => write("DELETE", runAt(name, id)),
    compare: (name, id, before) => read(`${runAt(name, id)}/compare/${inPath(before)}`),
  };
}

function filesOf({ read, write }: AgentRequests): FilesClient {
  const at = (path: string) =>
    `/files/${typeof path === "string" ? path.split("/").map(inPath).join("/") : inPath(path)}`;
  const list = (query?: FileListing & Page) => read<FilePage>("/files", query);
  return {
    put: async (path, content, options = {}) => {
      const { mtime } = onlyKnown(options, ["mtime", ...CONDITIONS]);
      return write("PUT", at(path), {
        body: { content, ...(mtime === undefined ? {} : { mtime }) },
        headers: conditionOf(options),
      });
    },
    putDocument: async (path, document, options = {}) => {
      const { mtime, origin, takeOver } = onlyKnown(options, ["mtime", "origin", "takeOver", ...CONDITIONS]);
      return write("PUT", at(path), {
        body: document,
        query: { mtime, origin, ...(takeOver && { takeOver }) },
        headers: conditionOf(options),
      });
    },
    get: (path) => read(at(path)),
    delete: async (path, condition = {}) =>
      write("DELETE", at(path), { headers: conditionOf(onlyKnown(condition, CONDITIONS)) }),
    write: (batch) => write("POST", "/files", { body: batch }),
    list,
    all: (filter = {}) => pages(list, filter, (page) => page.files),
    chunks: async (path, query) => read("/chunks", { path, ...fieldsOf(query) }),
    origins: () => read("/origins"),
    history: async (path, query) => read("/versions", { path, ...fieldsOf(query) }),
    deleted: (query) => read("/deleted-files", query),
    version: (version) => read(`/versions/${inPath(version)}`),
    diff: (version, to) => read(`/versions/${inPath(version)}/diff`, { to }),
    restore: async (version, condition = {}) =>
      write("POST", `/versions/${inPath(version)}/restore`, {
        body: {},
        headers: conditionOf(onlyKnown(condition, CONDITIONS)),
      }),
    forgetHistory: (path) => write("DELETE", "/versions", { query: { path } }),
  };
}

function sessionsOf({ read, write }: AgentRequests): SessionsClient {
  const at = (session: string) => `/sessions/${inPath(session)}`;
  const list = (query?: SessionFilter & Page) => read<SessionPage>("/sessions", query);
  return {
    append: async (input, ...more: unknown[]) => {
      const { session, ...body } = oneObject<AppendInput>([input, ...more], APPENDED);
      if (session === undefined || session === null)
        throw new RecollectError("invalid_request", `session: is missing. ${APPENDED}`, {});
      return write("POST", `${at(session)}/messages`, { body });
    },
    get: (session, query) => read(at(session), query),
    delete: async (session, options) => write("DELETE", at(session), { query: { ...fieldsOf(options) } }),
    list,
    all: (filter = {}) => pages(list, filter, (page) => page.sessions),
  };
}

const APPENDED =
  'sessions.append takes one object, { session, messages }, for example { session: "chat:1", messages: [{ role: "user", content: "…" }] }.';
const RECALLED =
  'agent.recall takes one object, for example { message: "What do I drink?", scope: { user: "petra" } }.';

/**
 * Returns the only argument of a call.
 *
 * @throws RecollectError `invalid_request` if the fields are given one by one
 */
function oneObject<T>([input, ...more]: readonly unknown[], takes: string): T {
  if (typeof input === "object" && input !== null && more.every((one) => one === undefined)) return input as T;
  throw new RecollectError("invalid_request", `The argument has the wrong form: ${takes}`, {});
}

function factsOf({ read, ask, write }: AgentRequests): FactsClient {
  const at = (id: string) => `/facts/${inPath(id)}`;
  const list = (query?: FactFilter & Page) => read<FactPage>("/facts", query);
  return {
    add: (input) => write("POST", "/facts", { body: { facts: [input].flat() } }),
    get: (id) => read(at(id)),
    history: (id) => read(`${at(id)}/history`),
    change: (id, change) => write("PATCH", at(id), { body: change }),
    forget: async (id, options) => write("DELETE", at(id), { query: { ...fieldsOf(options) } }),
    forgetSource: async (source, scope) =>
      write("DELETE", "/facts", { query: { source: source ?? "", ...fieldsOf(scope) } }),
    forgetMany: (body) => write("POST", "/facts/forget", { body }),
    search: async (query, options) => ask("/facts/search", { query, ...fieldsOf(options) }),
    people: (query) => read("/facts/people", query),
    list,
    all: (filter = {}) => pages(list, filter, (page) => page.facts),
  };
}

function ingestOf({ read, ask, start }: AgentRequests): IngestClient {
  return {
    start: (input = {}) => start("/ingest", input),
    status: () => read("/ingest"),
    text: (input) => ask("/ingest/text", input),
  };
}

function sharingOf({ read, write }: AgentRequests): { shares: SharesClient; reads: ReadsClient } {
  const at = (side: "shares" | "reads", id: string) => `/${side}/${inPath(id)}`;
  return {
    shares: {
      list: () => read("/shares"),
      offer: (reader, terms = {}) => write("PUT", at("shares", reader), { body: terms }),
      withdraw: (reader) => write("DELETE", at("shares", reader)),
    },
    reads: {
      list: () => read("/reads"),
      take: (sharer) => write("PUT", at("reads", sharer), { body: {} }),
      leave: (sharer) => write("DELETE", at("reads", sharer)),
    },
  };
}

const CONDITIONS = ["ifMatch", "ifNoneMatch"] as const;

function conditionOf({ ifMatch, ifNoneMatch }: FileCondition): Record<string, string | undefined> {
  return {
    "if-match": ifMatch === undefined || ifMatch === "*" ? ifMatch : `"${ifMatch}"`,
    "if-none-match": ifNoneMatch,
  };
}
