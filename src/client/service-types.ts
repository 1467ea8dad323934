import type { TenantLimits } from "./agent-types.ts";

/** The permissions of a key. */
export type KeyScope = "admin" | "tenant" | "agent:read" | "agent:write" | "search";

export interface ApiKey {
  id: string;
  name: string;
  /** The first characters of the key. */
  prefix: string;
  scopes: KeyScope[];
  /** The only agent that the key can be used for; null: the key is not limited to one agent. */
  agentId: string | null;
  requestsPerMinute: number | null;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
}

/** The key, tenant and permissions of the caller. */
export interface KeyInUse {
  /** The tenant in which the caller's requests act. */
  tenantId: string;
  tenantName: string;
  /** The tenant that the key belongs to. An operator's key may act in another tenant. */
  ownTenant: { id: string; name: string };
  /** The key's name; null when requests come without a key. */
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

/** The record that an agent was erased, with the counts of its content. */
export interface ErasureReceipt {
  id: string;
  agentId: string;
  erasedAt: string;
  actor: string;
  counts: Record<string, number>;
  /** The first 1,000 SHA-256 hashes of paths, in lower-case hex, sorted by hash. */
  pathHashes: string[];
  /**
   * The cursor of the next page of hashes, at `GET /v1/erasures/{receiptId}`; absent when
   * `pathHashes` holds all hashes.
   */
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
  /** The cost; null when the model's price is not known. */
  costNanoUsd: number | null;
}

/** The requests that were made to embedding providers. */
export interface EmbeddingUsage {
  from: string;
  to: string;
  totals: { requests: number; texts: number; tokens: number; costNanoUsd: number; unpricedTokens: number };
  entries: EmbeddingUsageEntry[];
  nextCursor?: string | undefined;
}

/** The result of one check of the doctor. */
export interface Finding {
  check: string;
  state: "ok" | "warning" | "failed";
  message: string;
  remedy?: string | undefined;
}

export interface Findings {
  findings: Finding[];
}

/** The messages that are routed to an agent. */
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

/** The agent and session that a message is routed to. */
export interface Destination {
  agentId: string;
  matchedBy: "peer" | "account" | "channel" | "default";
  sessionKey: string;
}

/** An error's body (RFC 9457). */
export interface Problem {
  /** The type, such as `urn:recollect:error:file_not_found`. */
  type: string;
  title: string;
  status: number;
  /** What happened, and how to fix it. */
  detail: string;
  instance: string;
  /** The stable error code. */
  code: string;
  requestId: string;
  details?: Record<string, unknown> | undefined;
  /** The same information in an older format. */
  error: { code: string; message: string; requestId: string; details?: Record<string, unknown> | undefined };
}
