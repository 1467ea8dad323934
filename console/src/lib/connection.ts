import { createClient, type KeyInUse, type RecollectClient, RecollectError } from "recollect/client";

/**
 * The name under which the tab stores the key. In another tab, and after the tab was closed, the
 * user has to enter the key again.
 */
const KEY = "recollect.key";
const TENANT = "recollect.tenant";

/** The address of the service. The console is one folder below it, whatever prefix a proxy adds. */
export const serviceUrl = new URL("..", document.baseURI.split("#")[0]).href;

/** Whether the page is being left, so that the browser must finish its requests without it. */
let isLeaving = false;

/** Makes the browser finish the requests that follow, although the page is being left. */
export function keepRequests(): void {
  isLeaving = true;
}

export interface Connection {
  client: RecollectClient;
  key: KeyInUse;
  /** Whether the user gave a key. The embedded service on loopback asks for none. */
  signedIn: boolean;
}

/**
 * Connects with the key and tenant that the tab stores.
 *
 * @throws RecollectError `unauthenticated` when the service wants another key
 */
export async function connect(): Promise<Connection> {
  const [key, tenant] = [sessionStorage.getItem(KEY) ?? undefined, sessionStorage.getItem(TENANT) ?? undefined];
  const client = createClient({
    url: serviceUrl,
    key,
    tenant,
    name: "the service",
    maxTries: 2,
    fetch: (url, init) => fetch(url, { ...init, redirect: "manual", keepalive: isLeaving }),
  });
  return { client, key: await client.key(), signedIn: key !== undefined };
}

export function signIn(key: string): void {
  sessionStorage.setItem(KEY, key.trim());
  sessionStorage.removeItem(TENANT);
}

export function signOut(): void {
  sessionStorage.removeItem(KEY);
  sessionStorage.removeItem(TENANT);
}

/** Selects another tenant for the next `connect`. Needs a key with the scope `admin`. */
export function chooseTenant(id: string): void {
  sessionStorage.setItem(TENANT, id);
}

/** Selects the key's own tenant for the next `connect`. */
export function chooseOwnTenant(): void {
  sessionStorage.removeItem(TENANT);
}

/**
 * Returns whether a key's scopes allow what needs `scope`. This decides only what the console
 * offers; the service decides what is allowed.
 */
export function mayDo(key: KeyInUse, scope: "search" | "agent:read" | "agent:write" | "tenant" | "admin"): boolean {
  const implied: Record<string, readonly string[]> = {
    search: ["search", "agent:read", "tenant", "admin"],
    "agent:read": ["agent:read", "tenant", "admin"],
    "agent:write": ["agent:write", "tenant", "admin"],
    tenant: ["tenant", "admin"],
    admin: ["admin"],
  };
  return key.scopes.some((own) => implied[scope]?.includes(own));
}

/** Returns whether a key may read the memory of an agent. */
export function mayRead(key: KeyInUse, agent: string): boolean {
  return mayDo(key, "agent:read") && (key.agentId === null || key.agentId === agent);
}

/** Returns whether a key may manage the agents of its tenant. */
export function mayManage(key: KeyInUse): boolean {
  return mayDo(key, "tenant") && key.agentId === null;
}

export function messageOf(error: unknown): string {
  if (error instanceof RecollectError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
