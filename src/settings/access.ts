import { AppError } from "../base/errors.ts";

/**
 * The scopes of a key. `admin` is the operator of the service, `tenant` the administrator of one
 * tenant.
 */
const SCOPES = ["admin", "tenant", "agent:read", "agent:write", "search"] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes that each scope implies; a caller that may read every file may also search. */
const IMPLIED: Record<Scope, readonly Scope[]> = {
  admin: SCOPES,
  tenant: ["tenant", "agent:read", "agent:write", "search"],
  "agent:read": ["agent:read", "search"],
  "agent:write": ["agent:write"],
  search: ["search"],
};

/** The caller of a use case, on which authorisation depends. */
export interface Caller {
  readonly tenantId: string;
  /**
   * Whether the request names the tenant that it acts in. Otherwise that is the tenant of its key.
   */
  readonly namesTenant?: boolean | undefined;
  /** The name for the audit log: a key's prefix, `local` or `system`. */
  readonly actor: string;
  /** The tool, job or restore that the caller acts through, where that says more than the actor. */
  readonly via?: string | undefined;
  readonly scopes: readonly Scope[];
  /** The only agent that this caller knows of; undefined: all agents of its tenant. */
  readonly agentId?: string | undefined;
  /** The limits of the caller's own key, which the keys it makes cannot exceed. */
  readonly requestsPerMinute?: number | undefined;
  readonly expiresAt?: Date | undefined;
  /**
   * The limit of requests a minute that the caller's key shares with the keys that this caller
   * makes, and the key that the limit belongs to.
   */
  readonly sharedRate?: { readonly keyId: string; readonly requestsPerMinute: number } | undefined;
  /** The idempotency key of a write. */
  readonly once?: WriteOnce | undefined;
}

/** A write that may be sent more than once. */
interface WriteOnce {
  /** The key as the client chose it. */
  readonly key: string;
  /** A hash of the request. The same key with another fingerprint is an error. */
  readonly fingerprint: string;
  /** Notes that the answer comes from an earlier request. */
  onReplay(): void;
}

/**
 * Returns the caller for someone with the operator's own access to the database: a command on the
 * server, or a request on loopback without keys.
 */
export function localCaller(tenantId: string): Caller {
  return { tenantId, actor: "local", scopes: ["admin"] };
}

/**
 * Returns the author of a change for the history of the memory: the actor, then the tool, job or
 * restore that the change came through.
 */
export function signatureOf({ actor, via }: Pick<Caller, "actor" | "via">): string {
  return via === undefined ? actor : `${actor} ${via}`;
}

/** Returns the caller for the service itself: a background job. */
export function systemCaller(tenantId: string): Caller {
  return { tenantId, actor: "system", scopes: ["admin"] };
}

export function holds(caller: Caller, scope: Scope): boolean {
  return caller.scopes.some((held) => IMPLIED[held].includes(scope));
}

/** @throws AppError `forbidden`, naming the scope that is missing */
export function authorise(caller: Caller, scope: Scope): void {
  if (holds(caller, scope)) return;
  throw new AppError("forbidden", `This key may not do that; it needs the scope '${scope}'.`, { details: { scope } });
}

/**
 * Authorises the caller for an agent. A key that is bound to another agent is refused in
 * the same way, whether the agent exists or not.
 *
 * @throws AppError `forbidden`, `agent_not_found`
 */
export function authoriseAgent(caller: Caller, scope: Scope, agentId: string): void {
  authorise(caller, scope);
  if (caller.agentId !== undefined && caller.agentId !== agentId) throw agentNotFound();
}

/**
 * Authorises the caller for a request about all agents of a tenant. A key of one agent must not
 * learn about the other agents.
 */
export function authoriseUnbound(caller: Caller, scope: Scope): void {
  authorise(caller, scope);
  if (caller.agentId === undefined) return;
  throw new AppError("forbidden", "This key is bound to one agent; use a key for the whole tenant.");
}

/**
 * Returns the error for an agent that does not exist, is another tenant's, or is not the key's. It
 * is the same in all three cases.
 */
export function agentNotFound(): AppError {
  return new AppError(
    "agent_not_found",
    "There is no such agent, or this key is for another one. The first write creates it, if the key may create agents.",
  );
}
