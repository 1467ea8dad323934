import type { AgentClient } from "./agent-client.ts";
import type { Agent, AgentChange, AgentInput, AgentPage, ChangedAgent } from "./agent-types.ts";
import { createAgentClient } from "./create-agent-client.ts";
import type { AgentDiff, Branch, BranchInput, MergedBranch, MergeInput } from "./link-types.ts";
import { type Page, pages } from "./pages.ts";
import type { ErasureReceipt, KeyInUse, Tenant, TenantPage } from "./service-types.ts";
import { createTransport, type RequestOptions, type StreamOptions, type TransportOptions } from "./transport.ts";

export type * from "./agent-client.ts";
export type * from "./agent-types.ts";
export type { ErrorCode } from "./error-code.ts";
export type * from "./fact-types.ts";
export type * from "./file-types.ts";
export type * from "./history-types.ts";
export type * from "./link-types.ts";
export type * from "./message-types.ts";
export type { Page } from "./pages.ts";
// biome-ignore lint/performance/noBarrelFile: the entry of recollect/client has to name what its users catch.
export { RecollectError } from "./recollect-error.ts";
export type * from "./search-types.ts";
export type * from "./service-types.ts";
export type * from "./session-types.ts";
export type { Fetch, RequestOptions, StreamOptions, TransportOptions } from "./transport.ts";

/** A client of the HTTP API: of a server, or of a service in this very process. Every method throws {@link RecollectError}. */
export interface RecollectClient {
  readonly agents: AgentsClient;
  /** The memory of one agent; `main` exists always. Makes no request; the signal ends those that the memory makes. */
  agent(id?: string, options?: { signal?: AbortSignal | undefined }): AgentClient;
  /** What the client's key is for. */
  key(options?: { signal?: AbortSignal | undefined }): Promise<KeyInUse>;
  /** All tenants, for a key with the scope `admin`. */
  tenants(): AsyncGenerator<Tenant>;
  /** Any other request of the API reference, with the same retries. */
  request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<T>;
  /** One whose body or answer is a stream, such as an archive; it is tried once. */
  open(method: string, path: string, options?: StreamOptions): Promise<Response>;
}

/** The agents of a tenant. */
export interface AgentsClient {
  create(agent: AgentInput): Promise<ChangedAgent>;
  get(id: string): Promise<Agent>;
  change(id: string, change: AgentChange): Promise<ChangedAgent>;
  /** Erases the agent for good, with all of its memory; the answer is the receipt. */
  erase(id: string): Promise<ErasureReceipt>;
  /** Makes an agent with all that another remembers; it is there when `branch` says that it is ready. */
  makeBranch(origin: string, input: BranchInput): Promise<Branch>;
  /** What a branch was made of, and how far it is copied. */
  branch(id: string): Promise<Branch>;
  /** What two agents do not have alike of files and facts, at most so many of each. */
  diff(id: string, other: string, limit?: number): Promise<AgentDiff>;
  /** Merges what a branch has changed into the agent that it was made of, all or nothing. */
  merge(id: string, input: MergeInput): Promise<MergedBranch>;
  list(page?: Page): Promise<AgentPage>;
  /** All agents, page by page. */
  all(): AsyncGenerator<Agent>;
}

/**
 * A client of the server at `url`. It needs nothing but `fetch`, so it works in Node.js, Deno, Bun, workers and browsers.
 *
 * Requests are tried again when no server answers or the server asks for patience (429, 502, 503, 504; Retry-After is honoured).
 * Writes are sent under an Idempotency-Key, so that however often they are tried they are made once.
 */
export function createClient(options: TransportOptions): RecollectClient {
  const transport = createTransport(options);
  const at = (id: string) => `/v1/agents/${encodeURIComponent(id)}`;
  const list = (page?: Page) => transport.send<AgentPage>("GET", "/v1/agents", { query: { ...page } });
  const listTenants = (page: Page) => transport.send<TenantPage>("GET", "/v1/tenants", { query: { ...page } });
  return {
    agent: (id = "main", { signal } = {}) => createAgentClient(transport, id, signal),
    agents: {
      create: (body) => transport.send("POST", "/v1/agents", { body, repeat: "by key" }),
      get: (id) => transport.send("GET", at(id)),
      change: (id, body) => transport.send("PATCH", at(id), { body, repeat: "by key" }),
      makeBranch: (origin, body) => transport.send("POST", `${at(origin)}/branches`, { body, repeat: "by key" }),
      branch: (id) => transport.send("GET", `${at(id)}/branch`),
      diff: (id, other, limit) =>
        transport.send("GET", `${at(id)}/diff/${encodeURIComponent(other)}`, { query: { limit } }),
      merge: (id, body) => transport.send("POST", `${at(id)}/merge`, { body }),
      erase: (id) => transport.send("DELETE", at(id), { repeat: "by key" }),
      list,
      all: () => pages(list, {}, (page) => page.agents),
    },
    key: (options) => transport.send("GET", "/v1/key", options),
    tenants: () => pages(listTenants, {}, (page) => page.tenants),
    request: transport.send,
    open: transport.open,
  };
}
