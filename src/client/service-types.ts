import type { Limits } from "./agent-types.ts";

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
  tenantId: string;
  scopes: string[];
  agentId: string | null;
}

export interface Tenant {
  id: string;
  name: string;
  settings: Record<string, unknown>;
  limits: Limits;
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
  pathHashes: string[];
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
