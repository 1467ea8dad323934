/**
 * The data for calling a route: the scope that it needs, and a request that succeeds with that
 * scope.
 */
export interface RouteCase {
  /** `none`: no key is needed; `any`: every key is enough. */
  scope: "none" | "any" | "search" | "agent:read" | "agent:write" | "tenant" | "admin";
  /** Whether the route is about one agent, named in its path. */
  ofAgent?: true;
  /** Whether the route is about other agents too, so that a key of one agent is refused. */
  ofTenant?: true;
  body?: unknown;
  /** The content type, if it is not JSON. */
  contentType?: string;
  /** Values of the path's parameters other than the agent. */
  params?: Record<string, string>;
  /** The part of the address after `?`. */
  query?: string;
  /**
   * The answer for an agent that nobody has written to, if it is not `agent_not_found`: models' hosts
   * read an empty memory before their first write. A stream waits for it.
   */
  absent?: { status: number; code?: string; isStream?: true };
}

const UUID = "3b241101-e2bb-4255-8caf-4136c566a962";
const FILE = { content: "A note" };

/**
 * Every route of the API. The security tests run on each route, and fail for a route that is
 * missing here, or that is listed here and gone.
 */
export const ROUTE_TABLE: Record<string, RouteCase> = {
  "GET /health/live": { scope: "none" },
  "GET /health/ready": { scope: "none" },
  "GET /health/startup": { scope: "none" },
  "POST /v1/agents/{agentId}/tools/memory_search": {
    scope: "search",
    ofAgent: true,
    absent: { status: 200 },
    body: { query: "note" },
  },
  "POST /v1/agents/{agentId}/search": {
    scope: "search",
    ofAgent: true,
    absent: { status: 200 },
    body: { query: "note" },
  },
  "POST /v1/agents/{agentId}/tools/memory_get": {
    scope: "search",
    ofAgent: true,
    absent: { status: 200 },
    body: { path: "a.md" },
  },
  "GET /v1/agents/{agentId}/tools": { scope: "search", ofAgent: true, absent: { status: 200 } },
  "POST /v1/agents/{agentId}/tools/memory": {
    scope: "agent:write",
    ofAgent: true,
    body: { command: "create", path: "/memories/b.md", file_text: "A note" },
  },
  "POST /v1/agents/{agentId}/hooks/claude-code": {
    scope: "search",
    ofAgent: true,
    body: { session_id: "5ede", hook_event_name: "SessionStart", source: "startup" },
    absent: { status: 200 },
  },
  "POST /v1/agents/{agentId}/hooks/codex": {
    scope: "search",
    ofAgent: true,
    body: { session_id: "5ede", hook_event_name: "SessionStart", source: "startup" },
    absent: { status: 200 },
  },
  "POST /v1/agents/{agentId}/mcp": {
    scope: "search",
    ofAgent: true,
    absent: { status: 200 },
    body: { jsonrpc: "2.0", id: 1, method: "tools/list" },
  },
  "GET /v1/agents/{agentId}/mcp": { scope: "search", ofAgent: true, absent: { status: 405 } },
  "DELETE /v1/agents/{agentId}/mcp": { scope: "search", ofAgent: true, absent: { status: 405 } },
  "POST /v1/agents/{agentId}/why-not": {
    scope: "search",
    ofAgent: true,
    absent: { status: 200 },
    body: { query: "note", path: "a.md" },
  },
  "GET /v1/agents/{agentId}/status": { scope: "agent:read", ofAgent: true },
  "GET /v1/agents/{agentId}/activity": { scope: "agent:read", ofAgent: true },
  "GET /v1/agents/{agentId}/activity/summary": { scope: "agent:read", ofAgent: true },
  "GET /v1/agents/{agentId}/map": { scope: "agent:read", ofAgent: true },
  "GET /v1/agents/{agentId}/eval-sets": { scope: "agent:read", ofAgent: true },
  "GET /v1/agents/{agentId}/eval-sets/{evalSet}": {
    scope: "agent:read",
    ofAgent: true,
    params: { evalSet: "billing" },
  },
  "PUT /v1/agents/{agentId}/eval-sets/{evalSet}": {
    scope: "agent:write",
    ofAgent: true,
    params: { evalSet: "billing" },
    body: { items: [{ id: "1", text: "note", expected: [{ path: "a.md" }] }] },
  },
  "DELETE /v1/agents/{agentId}/eval-sets/{evalSet}": {
    scope: "agent:write",
    ofAgent: true,
    params: { evalSet: "billing" },
  },
  "POST /v1/agents/{agentId}/eval-sets/{evalSet}/runs": {
    scope: "agent:write",
    ofAgent: true,
    params: { evalSet: "billing" },
    body: {},
  },
  "GET /v1/agents/{agentId}/eval-sets/{evalSet}/runs": {
    scope: "agent:read",
    ofAgent: true,
    params: { evalSet: "billing" },
  },
  "GET /v1/agents/{agentId}/eval-sets/{evalSet}/runs/{runId}": {
    scope: "agent:read",
    ofAgent: true,
    params: { evalSet: "billing", runId: "1" },
  },
  "DELETE /v1/agents/{agentId}/eval-sets/{evalSet}/runs/{runId}": {
    scope: "agent:write",
    ofAgent: true,
    params: { evalSet: "billing", runId: "1" },
  },
  "GET /v1/agents/{agentId}/eval-sets/{evalSet}/runs/{runId}/compare/{otherRunId}": {
    scope: "agent:read",
    ofAgent: true,
    params: { evalSet: "billing", runId: "2", otherRunId: "1" },
  },
  "GET /v1/activity/summary": { scope: "tenant", ofTenant: true },
  "GET /v1/agents/{agentId}/growth": { scope: "agent:read", ofAgent: true },
  "GET /v1/agents/{agentId}/settings": { scope: "agent:read", ofAgent: true },
  "GET /v1/agents/{agentId}": { scope: "agent:read", ofAgent: true },
  "GET /v1/agents/{agentId}/files": { scope: "agent:read", ofAgent: true, absent: { status: 200 } },
  "GET /v1/agents/{agentId}/chunks": { scope: "agent:read", ofAgent: true, query: "path=a.md" },
  "GET /v1/agents/{agentId}/origins": { scope: "agent:read", ofAgent: true },
  "GET /v1/agents/{agentId}/files/{path}": {
    scope: "agent:read",
    ofAgent: true,
    absent: { status: 404, code: "file_not_found" },
    params: { path: "a.md" },
  },
  "PUT /v1/agents/{agentId}/files/{path}": {
    scope: "agent:write",
    ofAgent: true,
    params: { path: "b.md" },
    body: FILE,
  },
  "DELETE /v1/agents/{agentId}/files/{path}": { scope: "agent:write", ofAgent: true, params: { path: "a.md" } },
  "POST /v1/agents/{agentId}/files": {
    scope: "agent:write",
    ofAgent: true,
    body: { put: [{ path: "c.md", ...FILE }] },
  },
  "GET /v1/agents/{agentId}/versions": { scope: "agent:read", ofAgent: true, query: "path=a.md" },
  "DELETE /v1/agents/{agentId}/versions": { scope: "tenant", ofAgent: true, query: "path=a.md" },
  "GET /v1/agents/{agentId}/deleted-files": { scope: "agent:read", ofAgent: true },
  "GET /v1/agents/{agentId}/versions/{version}": { scope: "agent:read", ofAgent: true, params: { version: "1" } },
  "GET /v1/agents/{agentId}/versions/{version}/diff": { scope: "agent:read", ofAgent: true, params: { version: "1" } },
  "POST /v1/agents/{agentId}/versions/{version}/restore": {
    scope: "agent:write",
    ofAgent: true,
    params: { version: "1" },
    body: {},
  },
  "GET /v1/agents/{agentId}/changes": { scope: "agent:read", ofAgent: true, absent: { status: 200 } },
  "GET /v1/agents/{agentId}/changes/events": {
    scope: "agent:read",
    ofAgent: true,
    absent: { status: 200, isStream: true },
  },
  "GET /v1/agents/{agentId}/snapshots": { scope: "agent:read", ofAgent: true },
  "POST /v1/agents/{agentId}/snapshots": { scope: "agent:write", ofAgent: true, body: { name: "now" } },
  "GET /v1/agents/{agentId}/snapshots/{snapshot}/diff": {
    scope: "agent:read",
    ofAgent: true,
    params: { snapshot: "now" },
  },
  "POST /v1/agents/{agentId}/snapshots/{snapshot}/rollback": {
    scope: "tenant",
    ofAgent: true,
    params: { snapshot: "now" },
    body: {},
  },
  "DELETE /v1/agents/{agentId}/snapshots/{snapshot}": { scope: "tenant", ofAgent: true, params: { snapshot: "now" } },
  "GET /v1/agents/{agentId}/sessions": { scope: "agent:read", ofAgent: true, absent: { status: 200 } },
  "GET /v1/agents/{agentId}/sessions/{session}": {
    scope: "agent:read",
    ofAgent: true,
    absent: { status: 404, code: "session_not_found" },
    params: { session: "slack:C042" },
  },
  "DELETE /v1/agents/{agentId}/sessions/{session}": {
    scope: "agent:write",
    ofAgent: true,
    params: { session: "slack:C042" },
  },
  "POST /v1/agents/{agentId}/sessions/{session}/messages": {
    scope: "agent:write",
    ofAgent: true,
    params: { session: "slack:C042" },
    body: { messages: [{ role: "user", text: "A note" }] },
  },
  "POST /v1/agents/{agentId}/tools/memory_store": { scope: "agent:write", ofAgent: true, body: { text: "A note" } },
  "POST /v1/agents/{agentId}/tools/memory_recall": {
    scope: "search",
    ofAgent: true,
    absent: { status: 200 },
    body: { query: "note" },
  },
  "POST /v1/agents/{agentId}/tools/memory_forget": {
    scope: "agent:write",
    ofAgent: true,
    absent: { status: 200 },
    body: { ids: ["1"] },
  },
  "GET /v1/agents/{agentId}/facts": { scope: "agent:read", ofAgent: true, absent: { status: 200 } },
  "GET /v1/agents/{agentId}/facts/people": { scope: "agent:read", ofAgent: true, absent: { status: 200 } },
  "DELETE /v1/agents/{agentId}/facts": { scope: "agent:write", ofAgent: true, query: "source=a.md" },
  "POST /v1/agents/{agentId}/facts": { scope: "agent:write", ofAgent: true, body: { facts: [{ text: "A note" }] } },
  "POST /v1/agents/{agentId}/facts/forget": {
    scope: "agent:write",
    ofAgent: true,
    body: { person: "Ana", dryRun: true },
  },
  "POST /v1/agents/{agentId}/facts/search": {
    scope: "search",
    ofAgent: true,
    absent: { status: 200 },
    body: { query: "note" },
  },
  "GET /v1/agents/{agentId}/facts/{factId}": {
    scope: "agent:read",
    ofAgent: true,
    absent: { status: 404, code: "fact_not_found" },
    params: { factId: "1" },
  },
  "PATCH /v1/agents/{agentId}/facts/{factId}": {
    scope: "agent:write",
    ofAgent: true,
    params: { factId: "1" },
    body: { importance: 1 },
  },
  "DELETE /v1/agents/{agentId}/facts/{factId}": {
    scope: "agent:write",
    ofAgent: true,
    absent: { status: 404, code: "fact_not_found" },
    params: { factId: "1" },
  },
  "GET /v1/agents/{agentId}/facts/{factId}/history": {
    scope: "agent:read",
    ofAgent: true,
    absent: { status: 404, code: "fact_not_found" },
    params: { factId: "1" },
  },
  "POST /v1/agents/{agentId}/recall": {
    scope: "search",
    ofAgent: true,
    absent: { status: 200 },
    body: { message: "a note" },
  },
  "POST /v1/agents/{agentId}/ingest": { scope: "agent:write", ofAgent: true, body: {} },
  "GET /v1/agents/{agentId}/ingest": { scope: "agent:read", ofAgent: true },
  "POST /v1/agents/{agentId}/ingest/text": {
    scope: "agent:write",
    ofAgent: true,
    body: { path: "AGENTS.md", content: "" },
  },
  "POST /v1/agents/{agentId}/capture": {
    scope: "agent:write",
    ofAgent: true,
    body: { messages: [{ role: "user", text: "I prefer tea." }] },
  },
  "PATCH /v1/agents/{agentId}": { scope: "tenant", ofAgent: true, body: { name: "Renamed" } },
  "DELETE /v1/agents/{agentId}": { scope: "tenant", ofAgent: true },
  "POST /v1/agents/{agentId}/reindex": { scope: "tenant", ofAgent: true, body: {} },
  "POST /v1/agents/{agentId}/sync": { scope: "agent:write", ofAgent: true, body: {} },
  "DELETE /v1/agents/{agentId}/reindex": { scope: "tenant", ofAgent: true },
  "GET /v1/agents/{agentId}/shares": { scope: "agent:read", ofAgent: true },
  "PUT /v1/agents/{agentId}/shares/{otherId}": {
    scope: "tenant",
    ofAgent: true,
    params: { otherId: "second" },
    body: {},
  },
  "DELETE /v1/agents/{agentId}/shares/{otherId}": { scope: "tenant", ofAgent: true, params: { otherId: "second" } },
  "GET /v1/agents/{agentId}/reads": { scope: "agent:read", ofAgent: true },
  "PUT /v1/agents/{agentId}/reads/{otherId}": {
    scope: "tenant",
    ofAgent: true,
    params: { otherId: "second" },
    body: {},
  },
  "DELETE /v1/agents/{agentId}/reads/{otherId}": { scope: "tenant", ofAgent: true, params: { otherId: "second" } },
  "POST /v1/agents/{agentId}/branches": { scope: "tenant", ofAgent: true, body: { as: "try-1" } },
  "GET /v1/agents/{agentId}/branches": { scope: "tenant", ofAgent: true },
  "GET /v1/agents/{agentId}/branch": { scope: "agent:read", ofAgent: true },
  "GET /v1/agents/{agentId}/diff/{otherId}": { scope: "tenant", ofAgent: true, params: { otherId: "second" } },
  "POST /v1/agents/{agentId}/merge": { scope: "tenant", ofAgent: true, body: { into: "second" } },
  "GET /v1/agents": { scope: "agent:read", ofTenant: true },
  "POST /v1/agents": { scope: "tenant", ofTenant: true, body: { id: "another" } },
  "GET /v1/agents/{agentId}/archive": { scope: "tenant", ofAgent: true },
  "POST /v1/archives": { scope: "tenant", ofTenant: true, body: {}, contentType: "application/gzip" },
  "GET /v1/key": { scope: "any" },
  "GET /v1/doctor": { scope: "any" },
  "GET /v1/keys": { scope: "tenant", ofTenant: true },
  "POST /v1/keys": { scope: "tenant", ofTenant: true, body: { name: "n", scopes: ["search"] } },
  "DELETE /v1/keys/{keyId}": { scope: "tenant", ofTenant: true, params: { keyId: UUID } },
  "GET /v1/tenant": { scope: "tenant", ofTenant: true },
  "PATCH /v1/tenant": { scope: "tenant", ofTenant: true, body: { settings: { query: { maxResults: 7 } } } },
  "DELETE /v1/tenant": { scope: "admin", ofTenant: true },
  "GET /v1/usage/storage": { scope: "tenant", ofTenant: true },
  "GET /v1/tenants": { scope: "admin", ofTenant: true },
  "POST /v1/tenants": { scope: "admin", ofTenant: true, body: { name: "new" } },
  "GET /v1/bindings": { scope: "agent:read", ofTenant: true },
  "PUT /v1/bindings": { scope: "tenant", ofTenant: true, body: { bindings: [] } },
  "POST /v1/route": { scope: "agent:read", ofTenant: true, body: { channel: "slack" } },
  "GET /v1/jobs": { scope: "tenant", ofTenant: true },
  "GET /v1/jobs/{jobId}": { scope: "tenant", ofTenant: true, params: { jobId: UUID } },
  "POST /v1/jobs/{jobId}/retry": { scope: "tenant", ofTenant: true, params: { jobId: UUID }, body: {} },
  "DELETE /v1/jobs/{jobId}": { scope: "tenant", ofTenant: true, params: { jobId: UUID } },
  "GET /v1/agents/{agentId}/events": { scope: "agent:read", ofAgent: true },
  "GET /v1/usage/embeddings": { scope: "tenant", ofTenant: true },
  "GET /v1/audit": { scope: "tenant", ofTenant: true },
  "GET /v1/erasures": { scope: "tenant", ofTenant: true },
  "GET /v1/erasures/{receiptId}": { scope: "tenant", ofTenant: true, params: { receiptId: UUID } },
  "GET /v1/fleet": { scope: "admin", ofTenant: true },
  "POST /v1/fleet/migrate": { scope: "admin", ofTenant: true, body: {} },
};
