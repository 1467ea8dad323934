import type { TenantLimits } from "./agent-types.ts";

/** What a key may do. */
export type KeyScope = "admin" | "tenant" | "agent:read" | "agent:write" | "search";

export interface ApiKey {
  id: string;
  name: string;
  /** How the key begins. */
  prefix: string;
  scopes: KeyScope[];
  /** The only agent that it is for. */
  agentId: string | null;
  requestsPerMinute: number | null;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
}

/** Who asks. */
export interface KeyInUse {
  /** The tenant in which requests act. */
  tenantId: string;
  tenantName: string;
  /** The key's own; an operator's key may act in another. */
  ownTenant: { id: string; name: string };
  /** null: requests come without a key. */
  keyName: string | null;
  scopes: string[];
  agentId: string | null;
}

export interface Tenant {
  id: string;
  name: string;
  settings: Record<string, unknown>;
  limits: TenantLimits;
  disabled: boolean;
  createdAt: string;
}

export interface TenantPage {
  tenants: Tenant[];
  nextCursor?: string | undefined;
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
  error: { code: string; message: string } | null;
}

/** That an agent was erased, and what it had. */
export interface ErasureReceipt {
  id: string;
  agentId: string;
  erasedAt: string;
  actor: string;
  counts: Record<string, number>;
  /** SHA-256 of paths, lower-case hex, in the order of the hashes: the first 1,000. */
  pathHashes: string[];
  /** For the next page of hashes, at `GET /v1/erasures/{receiptId}`; absent where these are all. */
  nextCursor?: string | undefined;
}

/** An administrative action. */
export interface AuditEntry {
  id: string;
  at: string;
  actor: string;
  action: string;
  target: string;
  details: Record<string, unknown>;
}

export interface AuditPage {
  entries: AuditEntry[];
  nextCursor?: string | undefined;
}

/** An agent's requests to one model on one UTC day. */
export interface EmbeddingUsageEntry {
  day: string;
  agentId: string;
  provider: string;
  model: string;
  kind: "document" | "query";
  requests: number;
  texts: number;
  tokens: number;
  /** Null when the model's price is not known. */
  costNanoUsd: number | null;
}

/** What was asked of embedding providers. */
export interface EmbeddingUsage {
  from: string;
  to: string;
  totals: { requests: number; texts: number; tokens: number; costNanoUsd: number; unpricedTokens: number };
  entries: EmbeddingUsageEntry[];
  nextCursor?: string | undefined;
}

/** What the doctor found. */
export interface Finding {
  check: string;
  state: "ok" | "warning" | "failed";
  message: string;
  remedy?: string | undefined;
}

export interface Findings {
  findings: Finding[];
}

/** Which messages an agent gets. */
export interface Binding {
  agentId: string;
  match?: BindingMatch | undefined;
}

export interface BindingMatch {
  channel?: string | undefined;
  accountId?: string | undefined;
  peer?: { kind: string; id: string } | undefined;
}

export interface Bindings {
  bindings: Binding[];
  inherited: Binding[];
}

/** Where a message goes. */
export interface Destination {
  agentId: string;
  matchedBy: "peer" | "account" | "channel" | "default";
  sessionKey: string;
}

/** An error's body (RFC 9457). */
export interface Problem {
  /** Such as `urn:recollect:error:file_not_found`. */
  type: string;
  title: string;
  status: number;
  /** What happened, and how to fix it. */
  detail: string;
  instance: string;
  /** Stable. */
  code: string;
  requestId: string;
  details?: Record<string, unknown> | undefined;
  /** The same in an older format. */
  error: { code: string; message: string; requestId: string; details?: Record<string, unknown> | undefined };
}
