import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../base/errors.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import type { AgentClient } from "../../client/agent-client.ts";
import { createClient, type RecollectClient, RecollectError } from "../../client/client.ts";
import type { AdminOptions, CliContext, Connection, ConnectOptions, RemoteOptions } from "./context.ts";
import { printableLine } from "./printable.ts";
import { codeOf, outageReason } from "./problem.ts";
import { watchVersion } from "./server-version.ts";

/** The API, as a command speaks to it. */
export interface Service {
  client: RecollectClient;
  /** The name of the API for the user. */
  description: string;
}

/**
 * The longest time of one try. It must be enough for a chat model that reads, and for the erasure
 * of an agent in this process.
 */
const TIMEOUT_MS = 600_000;
/** The most agents that are searched for a name like the mistyped one. */
const MOST_AGENTS = 1000;
/** How long a command that waits for its server pauses between two rounds of tries. */
const AGAIN_MS = 1000;
const TENANT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the client of a connection.
 *
 * @param tenant the id of the tenant to act in
 */
export function clientOf(connection: Pick<Connection, "fetch" | "description">, tenant?: string): RecollectClient {
  const { fetch, description } = connection;
  return createClient({ url: "", fetch, name: description, timeoutMs: TIMEOUT_MS, tenant });
}

/**
 * Connects, uses the API, and closes the connection.
 *
 * @returns the result of `use`
 */
export function connected<T>(
  context: CliContext,
  options: AdminOptions & Pick<ConnectOptions, "brief" | "ifMissing" | "irreversible">,
  use: (service: Service) => Promise<T>,
): Promise<T> {
  const { tenant } = options;
  return withConnection(context, options, async (connection) => {
    const id = tenant === undefined ? undefined : await tenantIdOf(clientOf(connection), tenant);
    return use({ client: clientOf(connection, id), description: connection.description });
  });
}

/**
 * Connects, uses the memory of the wanted agent, and closes the connection.
 *
 * @param options.waits for a command that keeps running: it waits for an unreachable server until
 *   this signal is aborted
 */
export function withMemory<T>(
  context: CliContext,
  options: RemoteOptions & Pick<ConnectOptions, "brief" | "ifMissing" | "irreversible"> & { waits?: AbortSignal },
  use: (memory: AgentClient, service: Service) => Promise<T>,
): Promise<T> {
  return withConnection(context, options, async (connection) => {
    const client = clientOf(connection);
    const ask = () => agentOfKey(client, context, options.waits);
    const agent = options.agent ?? (connection.keyed ? await ask() : undefined);
    return use(client.agent(agent ?? "main"), { client, description: connection.description });
  });
}

async function withConnection<T>(
  context: CliContext,
  { url, profile, brief, ifMissing, irreversible, json = false }: ConnectOptions & { json?: boolean },
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const opened = await context.connect({ url, profile, brief, ifMissing, irreversible });
  const { connection, explained } = watchVersion(opened, context, json);
  const asked: AskedAgent = {};
  try {
    return await use({ ...connection, fetch: sayingWaits(noting(connection, asked), context) });
  } catch (error) {
    if (codeOf(error) === "agent_not_found") throw await withNearest(error as RecollectError, connection, asked);
    throw await explained(error);
  } finally {
    await connection.close();
  }
}

/** The agent of the last request, and the headers of that request, which name its tenant. */
interface AskedAgent {
  id?: string;
  headers?: RequestInit["headers"];
}

function noting(connection: Connection, asked: AskedAgent): Connection["fetch"] {
  return (path, init) => {
    const [, id] = /^\/v1\/agents\/([^/?]+)/.exec(path) ?? [];
    if (id !== undefined) Object.assign(asked, { id: decodeURIComponent(id), headers: init?.headers });
    return connection.fetch(path, init);
  };
}

/** The shortest wait that the user is told of. */
const LONG_WAIT_S = 3;

/** Says on standard error that the server asks the client to wait, which then looks as if it hung. */
function sayingWaits(ask: Connection["fetch"], { stderr }: CliContext): Connection["fetch"] {
  return async (path, init) => {
    const response = await ask(path, init);
    const seconds = Number(response.headers.get("retry-after"));
    if (response.status === 429 && seconds >= LONG_WAIT_S)
      stderr.write(`The server's rate limit is reached; the command goes on in ${seconds} s.\n`);
    return response;
  };
}

/**
 * Returns a line for the user if an agent does not exist yet. It names the agent with the nearest id.
 * The line is empty if the agent exists, or if the key may not read agents.
 */
export async function absenceOf(client: RecollectClient, id: string): Promise<string> {
  const code = await client.agents.get(id).then(() => undefined, codeOf);
  if (code !== "agent_not_found") return "";
  return `There is no agent ${printableLine(id)} yet; its first write creates it.${await nearestAgent(client, id)}\n`;
}

/** Returns a question with the agent whose id is nearest, if the key may list the agents. */
async function nearestAgent(client: RecollectClient, id: string): Promise<string> {
  const known = await client.agents.list({ limit: MOST_AGENTS }).catch(() => ({ agents: [] }));
  return didYouMean(
    id,
    known.agents.map((agent) => agent.id),
  );
}

/** Adds to the error the agent that was probably meant. */
async function withNearest(
  error: RecollectError,
  connection: Connection,
  { id = "", headers }: AskedAgent,
): Promise<RecollectError> {
  const tenant = new Headers(headers).get("recollect-tenant") ?? undefined;
  const near = await nearestAgent(clientOf(connection, tenant), id);
  const { code, message, status, requestId, details } = error;
  return new RecollectError(code, message + near, { ...(status === undefined ? {} : { status }), requestId, details });
}

/** Returns the agent of a key that is bound to one agent. */
async function agentOfKey(
  client: RecollectClient,
  { stderr }: CliContext,
  waits: AbortSignal | undefined,
): Promise<string | undefined> {
  for (let said = false; ; said = true) {
    try {
      return (await client.key({ signal: waits })).agentId ?? undefined;
    } catch (error) {
      // The user has stopped the command. A command that keeps running reports that itself.
      if (waits?.aborted) return undefined;
      // A server that is older than this command does not have the route.
      if (["not_found", "method_not_allowed"].includes(codeOf(error) ?? "")) return undefined;
      const reason = outageReason(error);
      if (reason === undefined || !waits) throw error;
      if (!said) stderr.write(`${printableLine(reason)} Waiting for it.\n`);
      await sleep(AGAIN_MS, undefined, { signal: waits }).catch(() => undefined);
    }
  }
}

/**
 * Returns the id of a tenant.
 *
 * @param tenant an id or a name
 */
async function tenantIdOf(client: RecollectClient, tenant: string): Promise<string> {
  if (TENANT_ID.test(tenant)) return tenant;
  const names: string[] = [];
  for await (const { id, name } of client.tenants()) {
    if (name === tenant) return id;
    names.push(name);
  }
  throw new AppError("tenant_not_found", `There is no tenant ${tenant}.${didYouMean(tenant, names)}`);
}
