import { type AgentClient, createAgentClient, type Page, pages } from "./agent-client.ts";
import type { Agent, ChangedAgent, ErasureReceipt, KeyInUse, Tenant } from "./api-types.ts";
import { createTransport, type RequestOptions, type StreamOptions, type TransportOptions } from "./transport.ts";

export type * from "./api-types.ts";
// biome-ignore lint/performance/noBarrelFile: the entry of recollect/client has to name what its users catch.
export { RecollectError } from "./recollect-error.ts";
export type { AgentClient, RequestOptions, StreamOptions, TransportOptions };

/** A client of the HTTP API: of a server, or of a service in this very process. */
export interface RecollectClient {
  /** The memory of one agent; `main` exists always. Makes no request; the signal ends those that the memory makes. */
  agent(id?: string, options?: { signal?: AbortSignal | undefined }): AgentClient;
  agents: {
    create(agent: { id: string; name?: string; settings?: object; limits?: object }): Promise<ChangedAgent>;
    get(id: string): Promise<Agent>;
    /** `settings` and `limits` are JSON merge patches. */
    change(
      id: string,
      change: { name?: string; disabled?: boolean; settings?: object; limits?: object },
    ): Promise<ChangedAgent>;
    /** Erases the agent for good, with all of its memory; the answer is the receipt. */
    erase(id: string): Promise<ErasureReceipt>;
    list(page?: Page): Promise<{ agents: Agent[]; nextCursor?: string }>;
    all(): AsyncGenerator<Agent>;
  };
  /** What the client's key is for. */
  key(options?: Pick<RequestOptions, "signal">): Promise<KeyInUse>;
  /** All tenants, for a key with the scope `admin`. */
  tenants(): AsyncGenerator<Tenant>;
  /** Any other request of the API reference, with the same retries. @throws RecollectError */
  request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<T>;
  /** One whose body or answer is a stream, such as an archive; it is tried once. @throws RecollectError */
  open(method: string, path: string, options?: StreamOptions): Promise<Response>;
}

/**
 * A client of the server at `url`. It needs nothing but `fetch`, so it works in Node and in browsers.
 *
 * Requests are tried again when no server answers or the server asks for patience (429, 502, 503, 504; Retry-After is honoured).
 * Writes are sent under an Idempotency-Key, so that however often they are tried they are made once.
 */
export function createClient(options: TransportOptions): RecollectClient {
  const transport = createTransport(options);
  const at = (id: string) => `/v1/agents/${encodeURIComponent(id)}`;
  const list = (query: Page = {}) =>
    transport.send<{ agents: Agent[]; nextCursor?: string }>("GET", "/v1/agents", { query: { ...query } });
  return {
    agent: (id = "main", { signal } = {}) => createAgentClient(transport, id, signal),
    agents: {
      create: (body) => transport.send("POST", "/v1/agents", { body, repeat: "by key" }),
      get: (id) => transport.send("GET", at(id)),
      change: (id, body) => transport.send("PATCH", at(id), { body, repeat: "by key" }),
      erase: (id) => transport.send("DELETE", at(id), { repeat: "by key" }),
      list,
      all: () => pages(list, {}, (page) => page.agents),
    },
    key: (options) => transport.send("GET", "/v1/key", options),
    tenants: () =>
      pages(
        (query: Page) =>
          transport.send<{ tenants: Tenant[]; nextCursor?: string }>("GET", "/v1/tenants", { query: { ...query } }),
        {},
        (page) => page.tenants,
      ),
    request: transport.send,
    open: transport.open,
  };
}
