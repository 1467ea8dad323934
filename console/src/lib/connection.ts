import { createClient, type KeyInUse, type RecollectClient, RecollectError } from "recollect/client";

/** The key is kept for the tab: another tab, and the same one once it is closed, has to be given it again. */
const KEY = "recollect.key";
const TENANT = "recollect.tenant";

/** Where the service is: the console lies one folder below it, whatever prefix a proxy adds. */
export const serviceUrl = new URL("..", document.baseURI.split("#")[0]).href;

export interface Connection {
  client: RecollectClient;
  key: KeyInUse;
  /** Whether a key was given; on loopback the embedded service asks for none. */
  signedIn: boolean;
}

/** @throws RecollectError `unauthorized` when the service wants another key */
export async function connect(): Promise<Connection> {
  const [key, tenant] = [sessionStorage.getItem(KEY) ?? undefined, sessionStorage.getItem(TENANT) ?? undefined];
  const client = createClient({ url: serviceUrl, key, tenant, name: "the service", maxTries: 2 });
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

/** Acts in another tenant from the next request on, for a key with the scope `admin`. */
export function chooseTenant(id: string): void {
  sessionStorage.setItem(TENANT, id);
}

/** Acts in the tenant of the key again. */
export function chooseOwnTenant(): void {
  sessionStorage.removeItem(TENANT);
}

/** Whether a key with these scopes may do what needs `scope`. The service decides; this is what is offered. */
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

/** Whether a key may look into the memory of an agent. */
export function mayRead(key: KeyInUse, agent: string): boolean {
  return mayDo(key, "agent:read") && (key.agentId === null || key.agentId === agent);
}

/** Whether a key may manage the agents of its tenant. */
export function mayManage(key: KeyInUse): boolean {
  return mayDo(key, "tenant") && key.agentId === null;
}

export function messageOf(error: unknown): string {
  if (error instanceof RecollectError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
