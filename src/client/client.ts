import type { AgentClient } from "./agent-client.ts";
import type {
  ActivitySummary,
  ActivitySummaryQuery,
  Agent,
  AgentChange,
  AgentDiff,
  AgentInput,
  AgentPage,
  Branch,
  BranchInput,
  BranchList,
  ChangedAgent,
  ErasureReceipt,
  KeyInUse,
  MergedBranch,
  MergeInput,
  Tenant,
  TenantPage,
} from "./api.ts";
import { createAgentClient } from "./create-agent-client.ts";
import { type Page, pages } from "./pages.ts";
import { RecollectError } from "./recollect-error.ts";
import {
  createTransport,
  fieldsOf,
  inPath,
  onlyKnown,
  type RequestOptions,
  type StreamOptions,
  type TransportOptions,
} from "./transport.ts";

export type * from "./agent-client.ts";
export type * from "./api.ts";
export type { Page } from "./pages.ts";
// biome-ignore lint/performance/noBarrelFile: the entry of recollect/client has to name what its users catch.
export { RecollectError } from "./recollect-error.ts";
export type { Fetch, RequestOptions, StreamOptions, TransportOptions } from "./transport.ts";

/**
 * A client of the HTTP API, either of a server or of a service in the same process. Every method
 * throws {@link RecollectError}.
 */
export interface RecollectClient {
  readonly agents: AgentsClient;
  /** Returns the client for the memory of the agent `main`, which always exists. */
  agent(): AgentClient;
  /**
   * Returns the client for the memory of one agent. Makes no request itself; the signal ends the
   * requests that the returned client makes, and they refuse an id that is no text at run time.
   */
  agent(id: string, options?: { signal?: AbortSignal | undefined }): AgentClient;
  /** Returns the tenant, scopes and agent of the client's key. */
  key(options?: { signal?: AbortSignal | undefined }): Promise<KeyInUse>;
  /** Sums up how the agents of the tenant were used. Needs a key with the scope `tenant`. */
  activitySummary(query?: ActivitySummaryQuery): Promise<ActivitySummary>;
  /** Yields all tenants. Needs a key with the scope `admin`. */
  tenants(): AsyncGenerator<Tenant>;
  /** Makes any other request of the API reference, with the same retries. */
  request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<T>;
  /** Makes a request whose body or answer is a stream, such as an archive. It is tried once. */
  open(method: string, path: string, options?: StreamOptions): Promise<Response>;
}

/** The agents of a tenant. */
export interface AgentsClient {
  create(agent: AgentInput): Promise<ChangedAgent>;
  get(id: string): Promise<Agent>;
  change(id: string, change: AgentChange): Promise<ChangedAgent>;
  /** Erases the agent and all of its memory for good. Returns the receipt. */
  erase(id: string): Promise<ErasureReceipt>;
  /**
   * Makes an agent with everything that another agent remembers. The new agent can be used once
   * `branch` says `ready`.
   */
  makeBranch(origin: string, input: BranchInput): Promise<Branch>;
  /** Returns the agent that a branch was made of, and how much of it has been copied. */
  branch(id: string): Promise<Branch>;
  /** Lists the branches that were made of an agent, the newest first, at most a hundred. */
  branches(id: string): Promise<BranchList>;
  /** Lists the files and facts in which two agents differ, at most `limit` of each. */
  diff(id: string, other: string, limit?: number): Promise<AgentDiff>;
  /**
   * Merges the changes of a branch into the agent that it was made of. Either all changes are
   * merged or none.
   */
  merge(id: string, input: MergeInput): Promise<MergedBranch>;
  list(page?: Page): Promise<AgentPage>;
  /** Yields all agents. Reads them page by page. */
  all(): AsyncGenerator<Agent>;
}

/** The longest time limit of a timer of JavaScript, 24 days. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const OPTIONS: readonly (keyof TransportOptions)[] = [
  "url",
  "key",
  "tenant",
  "fetch",
  "name",
  "maxTries",
  "timeoutMs",
  "closed",
];

/**
 * Creates a client of the server at `url`. It needs only `fetch`, so it works in Node.js, Deno,
 * Bun, workers and browsers.
 *
 * Requests are retried when no server answers, and when the server answers 429, 502, 503 or 504;
 * Retry-After is honoured. Writes carry an Idempotency-Key, so a write that is retried is still
 * made only once.
 *
 * @throws RecollectError `invalid_request` if an option is unknown, or the URL is not one of HTTP
 */
export function createClient(options: TransportOptions): RecollectClient {
  const transport = createTransport(checked(options));
  const at = (id: string) => `/v1/agents/${inPath(id)}`;
  const list = async (page?: Page) => transport.send<AgentPage>("GET", "/v1/agents", { query: { ...fieldsOf(page) } });
  const listTenants = (page: Page) => transport.send<TenantPage>("GET", "/v1/tenants", { query: { ...page } });
  return {
    agent: (...given: [] | [id: string, options?: { signal?: AbortSignal | undefined } | undefined]) => {
      const [id, options = {}] = given.length === 0 ? ["main"] : given;
      return createAgentClient(transport, id, onlyKnown(options, ["signal"]).signal);
    },
    agents: {
      create: (body) => transport.send("POST", "/v1/agents", { body, repeat: "by key" }),
      get: (id) => transport.send("GET", at(id)),
      change: (id, body) => transport.send("PATCH", at(id), { body, repeat: "by key" }),
      makeBranch: (origin, body) => transport.send("POST", `${at(origin)}/branches`, { body, repeat: "by key" }),
      branch: (id) => transport.send("GET", `${at(id)}/branch`),
      branches: (id) => transport.send("GET", `${at(id)}/branches`),
      diff: (id, other, limit) => transport.send("GET", `${at(id)}/diff/${inPath(other)}`, { query: { limit } }),
      merge: (id, body) => transport.send("POST", `${at(id)}/merge`, { body }),
      erase: (id) => transport.send("DELETE", at(id), { repeat: "by key" }),
      list,
      all: () => pages(list, {}, (page) => page.agents),
    },
    key: async (options = {}) => transport.send("GET", "/v1/key", onlyKnown(options, ["signal"])),
    activitySummary: async (query) => transport.send("GET", "/v1/activity/summary", { query: { ...fieldsOf(query) } }),
    tenants: () => pages(listTenants, {}, (page) => page.tenants),
    request: async (method, path, options = {}) =>
      transport.send(method, path, onlyKnown(options, ["query", "body", "isOfModel", "headers", "repeat", "signal"])),
    open: async (method, path, options = {}) =>
      transport.open(method, path, onlyKnown(options, ["query", "body", "headers", "signal"])),
  };
}

function checked(options: TransportOptions): TransportOptions {
  const { url, fetch, timeoutMs = 1 } = onlyKnown(options, OPTIONS);
  // A `fetch` of the caller's may accept any address.
  if (typeof url !== "string" || (fetch === undefined && !/^https?:\/\/[^/]/i.test(url)))
    throw new RecollectError(
      "invalid_request",
      "url must be the address of a server, such as http://127.0.0.1:7420.",
      {},
    );
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS)
    throw new RecollectError("invalid_request", `timeoutMs must be a whole number from 1 to ${MAX_TIMEOUT_MS}.`, {});
  return options;
}
